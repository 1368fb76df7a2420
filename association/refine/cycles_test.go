package refine

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// Any assignment becomes the cheapest by cycles alone, that of a solver which begins from nothing.
func TestCyclesFindTheCheapest(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	var w cycles
	var solver ssp.Solver
	var sol mapsolver.Solution
	changed, gaveUp := 0, 0
	for trial := range 4000 {
		p := mapsolver.Problem{Rows: 1 + rng.IntN(9), Cols: 1 + rng.IntN(9), Ptr: []int{0}}
		miss := []float64{0, 1, 3, 700}[rng.IntN(4)] // the last as where nobody is born or dies
		for range p.Rows {
			p.RowMiss = append(p.RowMiss, miss+rng.NormFloat64())
		}
		for range p.Cols {
			p.ColMiss = append(p.ColMiss, miss+rng.NormFloat64())
		}
		w.own = w.own[:0]
		taken := make([]bool, p.Cols)
		old := 0.0
		for r := range p.Rows {
			own := int32(-1)
			for c := range p.Cols {
				if rng.IntN(3) == 0 {
					continue
				}
				p.Col, p.Cost = append(p.Col, int32(c)), append(p.Cost, 3*rng.NormFloat64())
				if own < 0 && !taken[c] && rng.IntN(2) == 0 {
					own, taken[c] = int32(c), true
				}
			}
			p.Ptr = append(p.Ptr, len(p.Col))
			w.own = append(w.own, own)
			if own < 0 {
				old += p.RowMiss[r]
			}
		}
		for e, c := range p.Col {
			for r, own := range w.own {
				if p.Ptr[r] <= e && e < p.Ptr[r+1] && own == c {
					old += p.Cost[e]
				}
			}
		}
		for c := range taken {
			if !taken[c] {
				old += p.ColMiss[c]
			}
		}
		if err := solver.Solve(context.Background(), &sol, &p, nil); err != nil {
			t.Fatal(err)
		}
		if !w.improve(&p, 1e-13*(1+math.Abs(old))) {
			gaveUp++
			continue
		}
		cost := w.cost(&p)
		if math.Abs(cost-sol.Cost) > 1e-9*(1+math.Abs(old)) {
			t.Fatalf("trial %d: %v by cycles, %v by the solver, %v before", trial, cost, sol.Cost, old)
		}
		for r, c := range w.own {
			if c != sol.ColOf[r] {
				t.Fatalf("trial %d: row %d has column %d by cycles, %d by the solver", trial, r, c, sol.ColOf[r])
			}
		}
		if cost < old-1e-9 {
			changed++
		}
	}
	if changed < 2000 || gaveUp > 1500 {
		t.Errorf("%d of 4000 were made cheaper, %d given up", changed, gaveUp)
	}
}

// An assignment that is the cheapest stays as it is, and is seen to be after one look at each row.
func TestCyclesLeaveTheCheapest(t *testing.T) {
	var w cycles
	p := mapsolver.Problem{
		Rows: 2, Cols: 3, Ptr: []int{0, 2, 4}, Col: []int32{0, 1, 0, 1}, Cost: []float64{1, 5, 5, 1},
		RowMiss: []float64{9, 9}, ColMiss: []float64{9, 9, 9},
	}
	w.own = []int32{0, 1}
	if !w.improve(&p, 1e-12) || w.own[0] != 0 || w.own[1] != 1 || len(w.queue) > 0 {
		t.Errorf("own %v, queue %v", w.own, w.queue)
	}
}

// What is handed over to a solver proves an assignment that cycles made the cheapest: the solver looks at
// each row once, but for those that rounding parts, and finds the same as from nothing.
func TestCyclesHandOver(t *testing.T) {
	const n, trials = 30, 20
	rng := rand.New(rand.NewPCG(7, 2))
	var w cycles
	var solver ssp.Solver
	var cold, warm mapsolver.Solution
	found, changed := 0, 0
	for trial := range trials {
		p := mapsolver.Problem{Rows: n, Cols: n, Ptr: []int{0}}
		var x, y [n][2]float64
		for i := range n { // a crowd, in which most lie near their own
			for k := range x[i] {
				x[i][k] = 4 * rng.Float64()
				y[i][k] = x[i][k] + 0.1*rng.NormFloat64()
			}
			p.RowMiss, p.ColMiss = append(p.RowMiss, 20), append(p.ColMiss, 20)
		}
		w.own = w.own[:0]
		for i := range n {
			for j := range n {
				p.Col, p.Cost = append(p.Col, int32(j)), append(p.Cost, 5*(math.Pow(x[i][0]-y[j][0], 2)+math.Pow(x[i][1]-y[j][1], 2)))
			}
			p.Ptr, w.own = append(p.Ptr, len(p.Col)), append(w.own, int32(i))
		}
		if !w.improve(&p, 1e-12) {
			continue
		}
		found++
		for i, c := range w.own {
			if c != int32(i) {
				changed++
			}
		}
		if err := solver.Solve(t.Context(), &cold, &p, nil); err != nil {
			t.Fatal(err)
		}
		w.hand(&p, &warm)
		if err := solver.Solve(t.Context(), &warm, &p, &warm.Duals); err != nil {
			t.Fatal(err)
		}
		if math.Abs(cold.Cost-warm.Cost) > 1e-9*cold.Cost || warm.Stats.RowsScanned > n+n/5 {
			t.Errorf("trial %d: %v with %d rows looked at from the labels, %v from nothing", trial, warm.Cost, warm.Stats.RowsScanned, cold.Cost)
		}
	}
	if found < trials/2 || changed == 0 {
		t.Errorf("%d of %d were found by cycles, %d rows changed", found, trials, changed)
	}
}
