package refine

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"mtt/association/chain"
	"mtt/association/chain/chaintest"
	"mtt/costgen"
	"mtt/gating"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
	"mtt/motion"
	"mtt/scenario"
)

// TestBoundsOfMoves: what stands for prices of joins and places until they are asked for is no
// more, or no less.
func TestBoundsOfMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	joins, seats, vague := 0, 0, 0
	for n := range 60 {
		vel, dim := n%2 == 0, 2+n/2%2
		levels := refineLevels(vel, dim)
		levels.ManoeuvreProb, levels.ManoeuvreAccel = []float64{1e-4, 0.05}[n%2], 3*levels.Accel
		if n%5 > 2 {
			levels.Places = somePlaces(rng, dim)
		}
		scans := chaintest.Scans(rng, 6, 4, dim, vel)
		c := chaintest.Links(rng, scans, 1)
		r := testRefiner(c, scans, chaintest.Gate(t, scans, chaintest.Everything), &costgen.Gaussian{Levels: levels}, 3, 100)
		m := r.movers[0]
		r.backward()
		for f := range scans {
			r.forward(f)
		}
		between := func(what string, x ...float64) {
			t.Helper()
			for k := 1; k < len(x); k++ {
				if !(x[k-1] <= x[k]+1e-7*(1+math.Abs(x[k]))) {
					t.Errorf("scene %d: %s: %v is not in order", n, what, x)
				}
			}
		}
		for f := range scans {
			for i := range scans[f].Len() {
				at := chain.At(f, i)
				p := place{c.Prev[f][i], c.Next[f][i]}
				for u := f + 1; u < min(f+4, len(scans)); u++ {
					for j := range scans[u].Len() {
						b := chain.At(u, j)
						m.ahead.scan = -1
						between("a join", m.leastRow(at, b), m.joinRow(at, b, math.Inf(1)), m.joinSmooth(at, b))
						joins++
					}
				}
				if p.from == chain.None && p.to == chain.None {
					continue
				}
				least, most := m.leastVacant(p)
				between("an empty place", least, m.vacant(p), most)
				for j := range scans[f].Len() {
					d := chain.At(f, j)
					m.ahead.scan = -1
					price := m.seated(p, d, math.Inf(1))
					most, rough := m.seatedSmooth(p, d)
					if between("a place", m.leastSeated(p, d), price, most); !rough {
						between("a place that is known", most, price)
					} else {
						vague++
					}
					seats++
				}
			}
		}
	}
	if joins < 2500 || seats < 900 || vague < 200 {
		t.Errorf("only %d joins and %d seats were tried, %d of them vague", joins, seats, vague)
	}
}

// TestCyclesAsk: where entries are known only by bounds the cheapest assignment is found all the
// same, and most are never asked for.
func TestCyclesAsk(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	var w cycles
	var solver ssp.Solver
	var sol mapsolver.Solution
	asked, of := 0, 0
	for trial := range 1000 {
		n := 2 + rng.IntN(8)
		p := mapsolver.Problem{Rows: n, Cols: n, Ptr: []int{0}}
		w.own, w.vague, w.alike = w.own[:0], w.vague[:0], w.alike[:0]
		for r := range n {
			for c := range n {
				x := 8 + 8*rng.Float64()
				if r == c {
					x = 5 * rng.Float64()
				}
				p.Col, p.Cost, w.vague = append(p.Col, int32(c)), append(p.Cost, x), append(w.vague, true)
			}
			p.Ptr, p.RowMiss, p.ColMiss = append(p.Ptr, len(p.Col)), append(p.RowMiss, 9*rng.Float64()), append(p.ColMiss, 9*rng.Float64())
			w.own, w.alike = append(w.own, int32(r)), append(w.alike, true)
		}
		if err := solver.Solve(context.Background(), &sol, &p, nil); err != nil {
			t.Fatal(err)
		}
		cost, miss := append([]float64{}, p.Cost...), append([]float64{}, p.RowMiss...)
		for e, c := range p.Col {
			if off := 3 * rng.Float64(); e/n == int(c) {
				p.Cost[e] += off
			} else {
				p.Cost[e] -= off
			}
		}
		for r := range miss {
			p.RowMiss[r] -= rng.Float64()
		}
		w.price = func(r int32, e int) float64 {
			if asked++; e < 0 {
				return miss[r]
			}
			return cost[e]
		}
		of += len(cost) + n
		if !w.improve(&p, 1e-12) {
			w.tellAll(&p)
			for e := range cost {
				if p.Cost[e] != cost[e] {
					t.Fatalf("trial %d: entry %d is %v, not %v, when all is told", trial, e, p.Cost[e], cost[e])
				}
			}
			continue
		}
		got := 0.0
		taken := make([]bool, n)
		for r, c := range w.own {
			if c < 0 {
				got += miss[r]
				continue
			}
			got, taken[c] = got+cost[r*n+int(c)], true
		}
		for c := range taken {
			if !taken[c] {
				got += p.ColMiss[c]
			}
		}
		if math.Abs(got-sol.Cost) > 1e-9*(1+math.Abs(sol.Cost)) {
			t.Fatalf("trial %d: %v by cycles, %v by the solver", trial, got, sol.Cost)
		}
	}
	if 2*asked > of {
		t.Errorf("%d of %d prices were asked for", asked, of)
	}
}

// TestFarPairsStayVague: where targets may turn, and keep apart, next to no pair of a window has to
// be priced.
func TestFarPairsStayVague(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{
		Scene: scenario.Steer, Targets: 60, Frames: 20, Seed: 3, Spread: 5, Noise: 0.05, NoVelocity: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	levels := refineLevels(false, 2)
	levels.Sigma, levels.Accel, levels.ManoeuvreProb, levels.ManoeuvreAccel = 0.05, 0.2, 1e-5, 2
	levels.Rates.Targets, levels.Rates.Clutter, levels.Rates.Volume = 60, 0.01, 3000
	w := NewWindow(&costgen.Gaussian{Levels: levels}, &scene.Scans[0], gating.Ball{Radius: 6}, 20, &Options{Speed: 4, Workers: 1}).(*window[motion.PlaneState, motion.PlaneInformation])
	entries, vague, remembered := 0, 0, 0
	m := w.movers[0]
	for s := range scene.Scans {
		if err := w.Add(&scene.Scans[s]); err != nil {
			t.Fatal(err)
		}
		if err := w.Extend(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := w.Improve(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		if s < 10 { // velocities are known
			continue
		}
		// The last problem of the step.
		for _, v := range m.cycles.vague {
			if entries++; v {
				vague++
			}
		}
		at := s - 2
		if at -= s + 1 - w.Len(); at < 0 {
			t.Fatal("the window is too short")
		}
		for i := range w.Next[at] {
			for j := range w.Next[at+1] {
				a, b := chain.At(at, i), chain.At(at+1, j)
				if math.IsInf(m.leastNext(a, b), -1) {
					continue
				}
				remembered++
				m.ahead.scan = -1
				if least, price := m.leastRow(a, b), m.joinRow(a, b, math.Inf(1)); !(least <= price+1e-7) {
					t.Errorf("scan %d: a join costs %v, less than %v", s, price, least)
				}
			}
		}
	}
	if entries < 400 || remembered < 400 || vague < entries*9/10 {
		t.Errorf("%d of %d entries were never priced; %d pairs were remembered", vague, entries, remembered)
	}
}
