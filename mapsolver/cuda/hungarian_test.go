package cuda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/solvertest"
	"mtt/mapsolver/ssp"
)

func TestHungarian(t *testing.T)      { testHungarian(t, false) }
func TestHungarianFused(t *testing.T) { testHungarian(t, true) }

// testHungarian runs the suite of all solvers on a card. On the emulator, where each
// launch takes milliseconds, it solves the smaller ones of its hard problems, and ones
// in which some stay alone.
func testHungarian(t *testing.T, fused bool) {
	needCard(t)
	if !emulated() {
		solvertest.Run(t, func() mapsolver.Solver { return newHungarian(fused) })
		return
	}
	list := solvertest.Hard()
	for seed := range uint64(5) {
		list = append(list, solvertest.Instance{Name: "tracking", Problem: solvertest.Tracking(10, 4, 0.3, seed)})
	}
	solved := 0
	for _, in := range list {
		if in.Problem.Rows+in.Problem.Cols > 40 {
			continue
		}
		var got, want mapsolver.Solution
		var host ssp.Solver
		if err := host.Solve(context.Background(), &want, in.Problem, nil); err != nil {
			t.Fatal(err)
		}
		h := newHungarian(fused)
		if err := h.Solve(context.Background(), &got, in.Problem, nil); err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Cost-want.Cost) > 1e-9*(1+math.Abs(want.Cost)) {
			t.Errorf("%s: cost %v, ssp says %v", in.Name, got.Cost, want.Cost)
		}
		if got.Stats != (mapsolver.Stats{}) {
			t.Errorf("%s: the host had to help", in.Name)
		}
		if err := h.Free(); err != nil {
			t.Error(err)
		}
		solved++
	}
	if solved < 5 {
		t.Errorf("%d problems", solved)
	}
	for _, in := range solvertest.Infeasible() {
		h := newHungarian(fused)
		if err := h.Solve(context.Background(), new(mapsolver.Solution), in.Problem, nil); err == nil {
			t.Errorf("%s: no error", in.Name)
		}
	}
}

// newHungarian has few threads on the emulator, where each costs time.
func newHungarian(fused bool) *Hungarian {
	h := &Hungarian{Fused: fused}
	if emulated() {
		h.blocks, h.threads = 2, 64
	}
	return h
}

// uniform is a full problem of n rows with the costs of a kind.
func uniform(t testing.TB, n, most int) *mapsolver.Problem {
	rng := rand.New(rand.NewPCG(1, 0))
	cost := make([]float64, n*n)
	for e := range cost {
		cost[e] = float64(drawCost(rng, most))
	}
	p, err := mapsolver.Dense(n, n, cost)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestHungarianAlone wants answers that need no help of the host.
func TestHungarianAlone(t *testing.T) {
	needCard(t)
	for _, fused := range []bool{false, true} {
		h := newHungarian(fused)
		defer h.Free()
		for _, kind := range costKinds {
			p := uniform(t, 60, kind.most(60))
			if err := h.Solve(context.Background(), new(mapsolver.Solution), p, nil); err != nil {
				t.Fatal(err)
			}
			most, _ := onHost(p)
			if err := h.place(p, most); err != nil {
				t.Fatal(err)
			}
			if err := h.run(context.Background()); err != nil {
				t.Fatal(err)
			}
			var s mapsolver.Solution
			if !h.read(&s, p) {
				t.Fatalf("fused %v, %s: no assignment", fused, kind.name)
			}
			if gap, err := mapsolver.Certify(p, &s); err != nil || gap > 1e-9*most {
				t.Errorf("fused %v, %s: gap %v, %v", fused, kind.name, gap, err)
			}
		}
	}
}

// BenchmarkHungarian times both forms, without the copies.
func BenchmarkHungarian(b *testing.B) {
	needCard(b)
	for _, n := range []int{256, 512, 1024, 2048} {
		for _, kind := range costKinds[:4] {
			p := uniform(b, n, kind.most(n))
			for name, fused := range map[string]bool{"steps": false, "fused": true} {
				b.Run(fmt.Sprintf("%d/%s/%s", n, kind.name, name), func(b *testing.B) {
					h := newHungarian(fused)
					c, err := defaultCard()
					if err != nil {
						b.Fatal(err)
					}
					h.use(c)
					defer h.Free()
					if err := h.place(p, 1); err != nil {
						b.Fatal(err)
					}
					onStream(b, h.stream, func() error {
						return h.stream.Push(&h.buffer, 0, 8*n*n)
					}, func() error { return h.run(context.Background()) })
				})
			}
		}
	}
}
