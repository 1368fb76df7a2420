package hungarian

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/solvertest"
)

func newMunkres() mapsolver.Solver { return new(Solver) }
func newTree() mapsolver.Solver    { return &Solver{Method: Tree} }
func newClassic() mapsolver.Solver { return &Solver{Method: Classic} }

func TestMunkres(t *testing.T) { solvertest.Run(t, newMunkres) }
func TestTree(t *testing.T)    { solvertest.Run(t, newTree) }

func FuzzMunkres(f *testing.F) { solvertest.Fuzz(f, newMunkres) }
func FuzzTree(f *testing.F)    { solvertest.Fuzz(f, newTree) }

// TestClassic solves the suite's problems of a size at which O(n⁴) is no burden, and small ones
// of all shapes, and wants the cost of the forest.
func TestClassic(t *testing.T) {
	list := append(solvertest.Hard(), solvertest.Infeasible()...)
	for seed := range uint64(200) {
		n := 1 + int(seed%12)
		p := solvertest.Tracking(n, min(3, n), 0.3, seed)
		if seed%3 > 0 {
			p.RowMiss = slices.Repeat([]float64{0.1 * float64(seed%5)}, p.Rows)
		}
		if seed%2 > 0 {
			p.ColMiss = slices.Repeat([]float64{0.3}, p.Cols)
		}
		list = append(list, solvertest.Instance{Name: fmt.Sprint("tracking ", seed), Problem: p})
	}
	solved := 0
	for _, in := range list {
		if in.Problem.Rows+in.Problem.Cols > 250 {
			continue
		}
		var got, want mapsolver.Solution
		err, bad := newClassic().Solve(t.Context(), &got, in.Problem, nil), newMunkres().Solve(t.Context(), &want, in.Problem, nil)
		if fmt.Sprint(err) != fmt.Sprint(bad) {
			t.Errorf("%s: %v, the forest says %v", in.Name, err, bad)
		}
		if err != nil {
			continue
		}
		gap, err := mapsolver.Certify(in.Problem, &got)
		if most := 1e-12 * (1 + math.Abs(want.Cost)); err != nil || math.Abs(gap) > most || math.Abs(got.Cost-want.Cost) > most {
			t.Errorf("%s: cost %v, gap %v, %v; the forest says %v", in.Name, got.Cost, gap, err, want.Cost)
		}
		solved++
	}
	if solved < 200 {
		t.Errorf("%d problems", solved)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newClassic().Solve(ctx, new(mapsolver.Solution), solvertest.Tracking(50, 3, 0.3, 1), nil); err == nil {
		t.Error("a context that has ended is no error")
	}
}

func FuzzClassic(f *testing.F) { solvertest.Fuzz(f, newClassic) }

func TestNoAllocation(t *testing.T) {
	solvertest.NoAllocation(t, newMunkres)
	solvertest.NoAllocation(t, newTree)
}

// The matrix of products is the slowest case of the method for its size: nearly
// every zero has to be made by step 6.
func ExampleSolver() {
	p, err := mapsolver.Dense(3, 3, []float64{
		1, 2, 3,
		2, 4, 6,
		3, 6, 9,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var solver Solver
	var s mapsolver.Solution
	if err := solver.Solve(context.Background(), &s, p, nil); err != nil {
		fmt.Println(err)
		return
	}
	gap, err := mapsolver.Certify(p, &s)
	fmt.Println("columns:", s.ColOf, "cost:", s.Cost, "gap:", gap, err)
	// Output:
	// columns: [2 1 0] cost: 10 gap: 0 <nil>
}

func BenchmarkSolve(b *testing.B) {
	for _, tt := range []struct {
		name string
		p    *mapsolver.Problem
	}{
		{"sparse/n=600/deg=12", solvertest.Sparse(600, 12, 0, 1)},
		{"tracking/n=1000/deg=6", solvertest.Tracking(1000, 6, 0.3, 1)},
		{"tiny", solvertest.Tiny(16, 40, 7, 1)},
	} {
		for _, m := range []Method{Munkres, Tree, Classic} {
			b.Run(fmt.Sprintf("%s/method=%d", tt.name, m), func(b *testing.B) {
				solver := Solver{Method: m}
				var s mapsolver.Solution
				for b.Loop() {
					if err := solver.Solve(context.Background(), &s, tt.p, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
