package auto

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/dense"
	"mtt/mapsolver/lapgen"
	"mtt/mapsolver/solvertest"
	"mtt/mapsolver/ssp"
)

func TestSolver(t *testing.T) {
	solvertest.Run(t, func() mapsolver.Solver { return new(Solver) })
}

func FuzzSolver(f *testing.F) {
	solvertest.Fuzz(f, func() mapsolver.Solver { return new(Solver) })
}

// problem makes a problem that allows every pair.
func problem(t testing.TB, rows, cols int, cost []float64) *mapsolver.Problem {
	t.Helper()
	p, err := mapsolver.Dense(rows, cols, cost[:rows*cols])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestChoose(t *testing.T) {
	const n = 80
	cost := lapgen.Integers(n, 1000, 1)
	square := problem(t, n, n, cost)
	hole := append([]float64{math.Inf(1)}, cost[1:]...)
	partial := *square
	partial.RowMiss = make([]float64, n)
	tests := []struct {
		name string
		p    *mapsolver.Problem
		want Method
	}{
		{"square", square, Dense},
		{"wide", problem(t, n-10, n, cost), Dense},
		{"tall", problem(t, n, n-10, cost), Dense},
		{"one pair is forbidden", problem(t, n, n, hole), Sparse},
		{"miss costs", &partial, Sparse},
		{"just large enough", problem(t, 32, 32, cost), Dense},
		{"small", problem(t, 31, 32, cost), Sparse},
		{"nothing", &mapsolver.Problem{Ptr: []int{0}}, Sparse},
		{"sparse", solvertest.Sparse(600, 60, 0, 1), Sparse},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			solver := new(Solver)
			var s mapsolver.Solution
			if err := solver.Solve(context.Background(), &s, tt.p, nil); err != nil {
				t.Fatal(err)
			}
			if got := Choose(tt.p); got != tt.want || s.Stats.Solver != tt.want.String() {
				t.Errorf("Choose: %v, solved by %v, want %v", got, s.Stats.Solver, tt.want)
			}
			if gap, err := mapsolver.Certify(tt.p, &s); err != nil || math.Abs(gap) > 1e-9 {
				t.Errorf("gap %v, %v", gap, err)
			}
		})
	}
}

// TestDense compares with ssp on full problems of every kind of costs, cold and
// from the prices of the last problem, one solver for all of them.
func TestDense(t *testing.T) {
	ctx := context.Background()
	for _, cost := range solvertest.Costs() {
		t.Run(cost.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 1))
			var solver Solver
			var reference ssp.Solver
			var got, want mapsolver.Solution
			for range 20 {
				rows, cols := 64+rng.IntN(20), 64+rng.IntN(20)
				if rng.IntN(2) == 0 {
					cols = rows
				}
				p := solvertest.Random(rng, rows, cols, 1, cost.Draw, solvertest.MissNil, solvertest.MissNil)
				scale := 0.0
				for _, x := range p.Cost {
					scale = max(scale, math.Abs(x))
				}
				tol := 0x1p-44 * scale * float64(rows+cols)
				if err := reference.Solve(ctx, &want, p, nil); err != nil {
					t.Fatal(err)
				}
				for _, warm := range []*mapsolver.Duals{nil, &got.Duals} {
					if err := solver.Solve(ctx, &got, p, warm); err != nil {
						t.Fatal(err)
					}
					if got.Stats.Solver != Dense.String() {
						t.Fatal("not solved by dense")
					}
					gap, err := mapsolver.Certify(p, &got)
					if err != nil || !(math.Abs(gap) <= tol) || !(math.Abs(got.Cost-want.Cost) <= tol) {
						t.Fatalf("%d×%d: cost %v, ssp %v; gap %v, %v", rows, cols, got.Cost, want.Cost, gap, err)
					}
				}
			}
		})
	}
}

func TestNoAllocation(t *testing.T) {
	solvertest.NoAllocation(t, func() mapsolver.Solver { return new(Solver) })
}

// BenchmarkMethods solves full problems with both solvers, whatever Choose says:
// several in turn, as processors foresee the branches of one that comes again.
func BenchmarkMethods(b *testing.B) {
	const problems = 8
	ctx := context.Background()
	classes := lapgen.Classes()
	kinds := []struct {
		name string
		cost func(n int, seed uint64) []float64
	}{
		{"random", classes[0].Cost},
		{"geometric", classes[1].Cost},
		{"disjoint", classes[2].Cost},
		{"rank 8", classes[7].Cost},
		{"integers", func(n int, seed uint64) []float64 { return lapgen.Integers(n, n, seed) }},
	}
	for _, kind := range kinds {
		for _, rows := range []int{16, 24, 32, 64, 256, 1024} {
			for _, cols := range []int{rows, rows * 5 / 4} {
				var list []*mapsolver.Problem
				for seed := range uint64(problems) {
					list = append(list, problem(b, rows, cols, kind.cost(cols, seed)))
				}
				for name, solver := range map[string]mapsolver.Solver{"dense": new(dense.Sparse), "ssp": new(ssp.Solver)} {
					b.Run(fmt.Sprintf("%s/%d×%d/%s", kind.name, rows, cols, name), func(b *testing.B) {
						var s mapsolver.Solution
						for b.Loop() {
							for _, p := range list {
								if err := solver.Solve(ctx, &s, p, nil); err != nil {
									b.Fatal(err)
								}
							}
						}
						b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*problems), "µs/problem")
					})
				}
			}
		}
	}
}
