package auction

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/solvertest"
)

func newGaussSeidel() mapsolver.Solver { return new(Solver) }
func newJacobi() mapsolver.Solver      { return &Solver{Jacobi: true} }

func TestGaussSeidel(t *testing.T) { solvertest.Run(t, newGaussSeidel) }
func TestJacobi(t *testing.T)      { solvertest.Run(t, newJacobi) }

func FuzzGaussSeidel(f *testing.F) { solvertest.Fuzz(f, newGaussSeidel) }
func FuzzJacobi(f *testing.F)      { solvertest.Fuzz(f, newJacobi) }

var instances = []struct {
	name string
	p    *mapsolver.Problem
}{
	{"sparse/n=600/deg=6", solvertest.Sparse(600, 6, 0, 1)},
	{"sparse/n=600/deg=60", solvertest.Sparse(600, 60, 0, 1)},
	{"integers/n=600/deg=12", solvertest.Sparse(600, 12, 255, 1)},
	{"ties/n=600/deg=12", solvertest.Sparse(600, 12, 4, 1)},
	{"tracking/n=1000/deg=6", solvertest.Tracking(1000, 6, 0.3, 1)},
	{"tiny", solvertest.Tiny(16, 40, 7, 1)},
}

func BenchmarkSolve(b *testing.B) {
	for _, tt := range instances {
		for _, jacobi := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/jacobi=%t", tt.name, jacobi), func(b *testing.B) {
				solver := Solver{Jacobi: jacobi}
				var s mapsolver.Solution
				for b.Loop() {
					if err := solver.Solve(context.Background(), &s, tt.p, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(s.Stats.Bids), "bids/op")
				b.ReportMetric(float64(s.Stats.Augmented), "paths/op")
			})
		}
	}
}

// TestOptions wants the optimum with any options, however foolish.
func TestOptions(t *testing.T) {
	for _, tt := range instances {
		var want mapsolver.Solution
		if err := new(Solver).Solve(context.Background(), &want, tt.p, nil); err != nil {
			t.Fatal(err)
		}
		for _, solver := range []*Solver{
			{Epsilon: 1e-9}, {Epsilon: 1e9}, {Last: 10}, {Last: 1e-6, MaxBids: 100_000},
			{Factor: 1}, {Factor: 1.5}, {Factor: 1e6}, {MaxBids: 1}, {MaxBids: -1}, {Jacobi: true, MaxBids: 7},
		} {
			var s mapsolver.Solution
			if err := solver.Solve(context.Background(), &s, tt.p, nil); err != nil {
				t.Fatal(err)
			}
			gap, err := mapsolver.Certify(tt.p, &s)
			if err != nil || math.Abs(s.Cost-want.Cost) > 1e-9 || math.Abs(gap) > 1e-9 {
				t.Errorf("%s: %+v: cost %v, gap %v, %v, want %v", tt.name, solver, s.Cost, gap, err, want.Cost)
			}
			if solver.MaxBids > 0 && s.Stats.Bids > solver.MaxBids+tt.p.Rows {
				t.Errorf("%s: %d bids, want at most %d and those of one round", tt.name, s.Stats.Bids, solver.MaxBids)
			}
		}
	}
}

// TestIntegersOptimal wants the auction alone to find the optimum of integers,
// before the finish, and prices that are integers.
func TestIntegersOptimal(t *testing.T) {
	for _, jacobi := range []bool{false, true} {
		p := solvertest.Sparse(200, 8, 255, 3)
		solver := Solver{Jacobi: jacobi}
		var s mapsolver.Solution
		if err := solver.Solve(context.Background(), &s, p, nil); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		solver.p = p
		for r, c := range solver.colOf {
			sum += solver.costAt(r, c)
		}
		if sum != s.Cost {
			t.Errorf("jacobi %t: the pairs of the auction cost %v, the optimum is %v", jacobi, sum, s.Cost)
		}
		if prices := (&mapsolver.Problem{RowMiss: s.U, ColMiss: s.V}); !prices.Integral() || s.Stats.Augmented > p.Rows/20 {
			t.Errorf("jacobi %t: %d paths are left to the finish, prices %v, %v", jacobi, s.Stats.Augmented, s.U, s.V)
		}
	}
}

// TestBoundedBids wants an end where two rows outbid each other for ever.
func TestBoundedBids(t *testing.T) {
	for _, tt := range solvertest.Infeasible() {
		var s mapsolver.Solution
		solver := Solver{}
		err := solver.Solve(context.Background(), &s, tt.Problem, nil)
		if !errors.Is(err, mapsolver.ErrInfeasible) || s.Stats.Bids > 100*(tt.Problem.Rows+tt.Problem.Cols) {
			t.Errorf("%s: %d bids, %v", tt.Name, s.Stats.Bids, err)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	solvertest.NoAllocation(t, newGaussSeidel)
	solvertest.NoAllocation(t, newJacobi)
}

// Two agents want the same object of three. Rewards become costs.
func ExampleSolver() {
	p, err := mapsolver.Dense(2, 3, []float64{
		-10, -5, -8,
		-9, -1, -3,
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
	fmt.Println("objects:", s.ColOf, "reward:", -s.Cost, "gap:", gap, err)
	// Output:
	// objects: [2 0] reward: 17 gap: 0 <nil>
}
