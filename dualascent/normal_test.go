package dualascent_test

// This file wants the published scheme to be the same whatever solver solves its X-LAPs.

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt/dualascent"
	"mtt/mapsolver"
	"mtt/mapsolver/auction"
	"mtt/mapsolver/hungarian"
	"mtt/mapsolver/ssp"
)

// otherSolvers end with other optimal prices, and break ties in other ways.
var otherSolvers = map[string]func() mapsolver.Solver{
	"ssp":            func() mapsolver.Solver { return new(ssp.Solver) },
	"hungarian-tree": func() mapsolver.Solver { return &hungarian.Solver{Method: hungarian.Tree} },
	"auction":        func() mapsolver.Solver { return new(auction.Solver) },
	"auction-jacobi": func() mapsolver.Solver { return &auction.Solver{Jacobi: true} },
}

// TestPublishedSolvers wants the same bound after as many iterations under every solver, and one
// within a hundredth of what ssp's own prices prove, which is what the scheme had before.
func TestPublishedSolvers(t *testing.T) {
	for _, tt := range []struct {
		scene scene
		own   float64
	}{
		{scene{kind: "burst", targets: 20, frames: 12, noise: 0.1, cost: "paper", seed: 1}, 69.11},
		{scene{kind: "cross", targets: 20, frames: 12, noise: 0.2, cost: "paper", seed: 2}, 105.96},
		{scene{kind: "burst", targets: 15, frames: 10, noise: 0.1, cost: "nll", miss: 0.1, clutter: 2, births: 0.5, seed: 3}, 681.09},
	} {
		inst := tt.scene.instance(t)
		var first *dualascent.Result
		for _, name := range []string{"ssp", "hungarian-tree", "auction", "auction-jacobi"} {
			res, err := dualascent.Solve(t.Context(), inst, &dualascent.Options{Scheme: dualascent.Parallel, NewSolver: otherSolvers[name]})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = res
			}
			if !near(res.LowerBound, first.LowerBound) || res.Rounds != first.Rounds {
				t.Errorf("%v: %s proves %v in %d iterations, ssp %v in %d", &tt.scene, name, res.LowerBound, res.Rounds, first.LowerBound, first.Rounds)
			}
			if res.LowerBound < 0.99*tt.own {
				t.Errorf("%v, %s: %v is proved, %v without a normal form", &tt.scene, name, res.LowerBound, tt.own)
			}
		}
	}
}

// TestNormalForm compares the prices of single assignment problems, where everything, some or
// nothing may stay free, with the middle of the least and the greatest optimal prices.
func TestNormalForm(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g := randomPair(rng, 2+rng.IntN(7), []float64{0, 1}[seed%2])
		inst := &dualascent.Instance{Pairs: []dualascent.FramePair{*g}}
		var want []float64
		for name, newSolver := range otherSolvers {
			res, err := dualascent.Solve(t.Context(), inst, &dualascent.Options{Scheme: dualascent.Parallel, NewSolver: newSolver})
			if err != nil {
				t.Fatal(err)
			}
			if b := dualascent.Bound(inst, res.Prices); !near(b, res.UpperBound) {
				t.Errorf("seed %d, %s: prices prove %v of %v", seed, name, b, res.UpperBound)
			}
			got := res.Prices[0].Col
			if want == nil {
				want = middle(g, res.Next[0])
			}
			for j, x := range got {
				if seed%2 == 1 { // up to a number that all prices share
					x -= got[0] - want[0]
				}
				if !(math.Abs(x-want[j]) < 1e-9) {
					t.Errorf("seed %d, %s: price %d of %d is %v, want %v", seed, name, j, len(got), x, want[j])
				}
			}
		}
	}
}

// randomPair has n rows and columns with small integers for costs, so that there are ties. Where
// never is 1 every pair is allowed and nothing may stay free.
func randomPair(rng *rand.Rand, n int, never float64) *dualascent.FramePair {
	g := &dualascent.FramePair{Rows: n, Cols: n, Ptr: []int{0}}
	for range n {
		for j := range n {
			if never == 1 || rng.IntN(3) > 0 {
				g.Col, g.Cost = append(g.Col, int32(j)), append(g.Cost, float64(rng.IntN(12)))
			}
		}
		g.Ptr = append(g.Ptr, len(g.Col))
	}
	for range n {
		free := math.Inf(1)
		if never == 0 {
			free = float64(2 + rng.IntN(6))
		}
		g.RowMiss, g.ColMiss = append(g.RowMiss, free), append(g.ColMiss, free)
	}
	return g
}

// middle are the column prices half way between the greatest and the least that are optimal, by
// Bellman's and Ford's equations from nothing: with x = −α, β − x ≤ cost and so on. Where nothing
// may stay free no price exceeds 0.
func middle(g *dualascent.FramePair, next []int32) []float64 {
	type edge struct {
		from, to int
		length   float64
	}
	n := g.Rows
	ground := 2 * n
	row, col := func(i int) int { return i }, func(j int32) int { return n + int(j) }
	var edges []edge
	free := make([]bool, n)
	for j := range free {
		free[j] = true
	}
	bound := func(x float64) float64 {
		if math.IsInf(x, 1) {
			return 0
		}
		return x
	}
	for i, mate := range next {
		for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
			edges = append(edges, edge{row(i), col(g.Col[a]), g.Cost[a]})
		}
		edges = append(edges, edge{row(i), ground, bound(g.RowMiss[i])})
		if mate < 0 {
			edges = append(edges, edge{ground, row(i), -g.RowMiss[i]})
		} else {
			free[g.Col[mate]] = false
			edges = append(edges, edge{col(g.Col[mate]), row(i), -g.Cost[mate]})
		}
	}
	for j, none := range free {
		edges = append(edges, edge{ground, col(int32(j)), bound(g.ColMiss[j])})
		if none {
			edges = append(edges, edge{col(int32(j)), ground, -g.ColMiss[j]})
		}
	}
	// Where nothing may stay free, prices of rows and those of columns are bounded one at a time.
	reach := func(rows, cols, back bool) []float64 {
		d := make([]float64, 2*n+1)
		for k := range d[:ground] {
			d[k] = math.Inf(1)
		}
		for range d {
			for _, e := range edges {
				if e.to == ground && !rows && math.IsInf(g.RowMiss[e.from%n], 1) || e.from == ground && !cols && math.IsInf(g.ColMiss[e.to%n], 1) {
					continue
				}
				from, to := e.from, e.to
				if back {
					from, to = to, from
				}
				d[to] = min(d[to], d[from]+e.length)
			}
		}
		return d[n:ground]
	}
	greatest, least := reach(false, true, false), reach(true, false, true)
	list := make([]float64, n)
	for j := range list {
		list[j] = (greatest[j] - least[j]) / 2
	}
	return list
}
