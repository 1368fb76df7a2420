package solvertest

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"mtt/mapsolver"
)

// This file tests what a solver promises besides answers: panics for shapes, lists by column,
// and no allocation.

// testShapes wants a panic in words where slices of a problem differ in length, or its columns are
// out of range.
func testShapes(t *testing.T, newSolver func() mapsolver.Solver) {
	for name, change := range map[string]func(p *mapsolver.Problem) *mapsolver.Duals{
		"Ptr":     func(p *mapsolver.Problem) *mapsolver.Duals { p.Ptr = nil; return nil },
		"Col":     func(p *mapsolver.Problem) *mapsolver.Duals { p.Col = p.Col[1:]; return nil },
		"Cost":    func(p *mapsolver.Problem) *mapsolver.Duals { p.Cost = p.Cost[1:]; return nil },
		"RowMiss": func(p *mapsolver.Problem) *mapsolver.Duals { p.RowMiss = make([]float64, 9); return nil },
		"ColMiss": func(p *mapsolver.Problem) *mapsolver.Duals { p.ColMiss = make([]float64, 9); return nil },
		"falling": func(p *mapsolver.Problem) *mapsolver.Duals { p.Ptr[1] = len(p.Col); return nil },
		"below":   func(p *mapsolver.Problem) *mapsolver.Duals { p.Col[p.Ptr[4]] = -1; return nil },
		"beyond":  func(p *mapsolver.Problem) *mapsolver.Duals { p.Col[p.Ptr[4]-1] = int32(p.Cols); return nil },
		"warm":    func(*mapsolver.Problem) *mapsolver.Duals { return new(mapsolver.Duals) },
	} {
		p := Sparse(10, 3, 0, 1)
		warm := change(p)
		wantPanic(t, name, func() { _ = newSolver().Solve(context.Background(), new(mapsolver.Solution), p, warm) })
	}
}

// wantPanic wants f to panic, in words.
func wantPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		switch said := recover().(type) {
		case nil:
			t.Errorf("%s: no panic", name)
		case runtime.Error:
			t.Errorf("%s: %v", name, said)
		}
	}()
	f()
}

// testColumns gives solvers that care the entries by column.
func testColumns(t *testing.T, newSolver func() mapsolver.Solver) {
	solver, ok := newSolver().(mapsolver.PatternUser)
	if !ok {
		t.Skip("needs no list by column")
	}
	rng := rand.New(rand.NewPCG(9, 1))
	var s mapsolver.Solution
	var columns *mapsolver.Columns
	for range 300 {
		p := Random(rng, rng.IntN(8), rng.IntN(8), rng.Float64(), rng.NormFloat64, Miss(rng.IntN(4)), Miss(rng.IntN(4)))
		columns = mapsolver.ByColumn(columns, p)
		solver.UseColumns(columns)
		checkSmall(t, solver, &s, p, nil)
		checkSmall(t, solver, &s, p, &mapsolver.Duals{V: prices(rng, p.Cols, nil)})
	}
}

// NoAllocation wants a solver to allocate nothing once it has seen problems of a size: with other
// costs, from nothing and from the last answer, with miss costs and without.
func NoAllocation(t *testing.T, newSolver func() mapsolver.Solver) {
	const n = 40
	rng := rand.New(rand.NewPCG(10, 1))
	list := map[string]*mapsolver.Problem{
		"tracking": Tracking(300, 6, 0.3, 1),
		"sparse":   Sparse(300, 8, 0, 1),
		"tiny":     Tiny(16, 40, 7, 1),
		"full":     dense(n, n, func(int, int) float64 { return rng.Float64() }),
		"wide":     dense(n, n+9, func(int, int) float64 { return rng.Float64() }),
		"tall":     dense(n+9, n, func(int, int) float64 { return rng.Float64() }),
	}
	for name, p := range list {
		t.Run(name, func(t *testing.T) {
			for _, miss := range []float64{math.Inf(1), 0.5} {
				q := *p
				q.Cost = append([]float64(nil), p.Cost...)
				if miss < 1 {
					q.RowMiss, q.ColMiss = constant(p.Rows, miss), constant(p.Cols, miss)
				}
				solver := newSolver()
				var s mapsolver.Solution
				for _, warm := range []*mapsolver.Duals{nil, &s.Duals} {
					step := func() {
						for e := range q.Cost {
							q.Cost[e] += 0.1 * rng.NormFloat64()
						}
						if err := solver.Solve(context.Background(), &s, &q, warm); err != nil {
							t.Fatal(err)
						}
					}
					for range 30 { // lists reach their size
						step()
					}
					if n := testing.AllocsPerRun(20, step); n != 0 {
						t.Errorf("miss costs %v, warm %t: %v allocations per solve, want 0", miss, warm != nil, n)
					}
				}
			}
		})
	}
}
