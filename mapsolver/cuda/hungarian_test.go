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

// eachForm runs a test for each form.
func eachForm(t *testing.T, test func(t *testing.T, form HungarianForm)) {
	needCard(t)
	for form := range HungarianForm(forms) {
		t.Run(form.String(), func(t *testing.T) { test(t, form) })
	}
}

func TestHungarian(t *testing.T) { eachForm(t, testHungarian) }

// testHungarian solves the hard problems of the suite, on the emulator, where each launch takes
// milliseconds, the smaller ones, and ones in which some stay alone. It does not run the suite
// itself, which wants equal bytes of equal problems: here ties go to who comes first.
func testHungarian(t *testing.T, form HungarianForm) {
	most := 1000
	if emulated() {
		most = 40
	}
	list := solvertest.Hard()
	for seed := range uint64(5) {
		list = append(list, solvertest.Instance{Name: "tracking", Problem: solvertest.Tracking(10, 4, 0.3, seed)})
	}
	solved := 0
	for _, in := range list {
		if in.Problem.Rows+in.Problem.Cols > most {
			continue
		}
		var got, want mapsolver.Solution
		var host ssp.Solver
		if err := host.Solve(context.Background(), &want, in.Problem, nil); err != nil {
			t.Fatal(err)
		}
		h := newHungarian(form)
		if err := h.Solve(context.Background(), &got, in.Problem, nil); err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Cost-want.Cost) > 1e-9*(1+math.Abs(want.Cost)) {
			t.Errorf("%s: cost %v, ssp says %v", in.Name, got.Cost, want.Cost)
		}
		if emulated() && got.Stats != (mapsolver.Stats{}) {
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
		if in.Problem.Rows+in.Problem.Cols > most {
			continue
		}
		h := newHungarian(form)
		if err := h.Solve(context.Background(), new(mapsolver.Solution), in.Problem, nil); err == nil {
			t.Errorf("%s: no error", in.Name)
		}
	}
}

// newHungarian has few threads on the emulator, where each costs time.
func newHungarian(form HungarianForm) *Hungarian {
	h := &Hungarian{Form: form, Columns: 7}
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
	eachForm(t, func(t *testing.T, form HungarianForm) {
		h := newHungarian(form)
		h.Times = new(HungarianTimes)
		defer h.Free()
		for k, kind := range costKinds {
			p := uniform(t, 60, kind.most(60))
			h.Step4 = StepFour(k % 5)
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
			if !h.read(&s) {
				t.Fatalf("%s: no assignment", kind.name)
			}
			if gap, err := mapsolver.Certify(p, &s); err != nil || gap > 1e-9*most {
				t.Errorf("%s: gap %v, %v", kind.name, gap, err)
			}
		}
		for step, count := range h.Times.Count {
			if together := form >= Cooperative && form < DateNagi; (count > 0) == together {
				t.Errorf("step %d is timed %d times", step+1, count)
			}
		}
	})
}

// BenchmarkHungarian times both forms, without the copies.
func BenchmarkHungarian(b *testing.B) {
	needCard(b)
	for _, n := range []int{256, 512, 1024, 2048, 4096} {
		for _, kind := range costKinds[:4] {
			p := uniform(b, n, kind.most(n))
			for form := range HungarianForm(forms) {
				b.Run(fmt.Sprintf("%d/%s/%s", n, kind.name, form), func(b *testing.B) {
					h := newHungarian(form)
					h.Columns = 0
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

// BenchmarkStepFour times step 4 in the ways of the paper and of its appendix B.
func BenchmarkStepFour(b *testing.B) {
	needCard(b)
	ways := []string{InBins: "bins", OneSweep: "one sweep", RowsShared: "A", RowPicks: "B", RowPicksShared: "C"}
	for _, n := range []int{512, 1024, 4096} {
		for _, kind := range costKinds[:4] {
			p := uniform(b, n, kind.most(n))
			for way, name := range ways {
				b.Run(fmt.Sprintf("%d/%s/%s", n, kind.name, name), func(b *testing.B) {
					h := &Hungarian{Step4: StepFour(way), Times: new(HungarianTimes)}
					c, err := defaultCard()
					if err != nil {
						b.Fatal(err)
					}
					h.use(c)
					defer h.Free()
					for b.Loop() {
						if err := h.place(p, 1); err != nil {
							b.Fatal(err)
						}
						if err := h.run(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
					var s mapsolver.Solution
					if !h.read(&s) {
						b.Fatal("no assignment")
					}
					b.ReportMetric(1e3*h.Times.Step[3].Seconds()/float64(b.N), "ms/step4")
					b.ReportMetric(1e3*h.Times.Run.Seconds()/float64(b.N), "ms/all")
					b.ReportMetric(float64(h.Times.Count[3])/float64(b.N), "launches")
				})
			}
		}
	}
}
