package fpga

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"mtt/internal/nightly"
	"mtt/mapsolver"
	"mtt/mapsolver/solvertest"
	"mtt/mapsolver/ssp"
)

var _ mapsolver.BatchSolver = (*Solver)(nil)

func newSolver() mapsolver.Solver { return new(Solver) }

func TestSolver(t *testing.T) { solvertest.Run(t, newSolver) }

func FuzzSolver(f *testing.F) { solvertest.Fuzz(f, newSolver) }

func TestRunBatch(t *testing.T) {
	solvertest.RunBatch(t, func() mapsolver.BatchSolver { return new(Solver) })
}

// batched solves every problem in the middle of a batch of others.
type batched struct {
	solver Solver
	other  mapsolver.Problem
}

func (b *batched) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	if warm != nil {
		return b.solver.Solve(ctx, dst, p, warm)
	}
	sols := make([]mapsolver.Solution, 3)
	err := b.solver.SolveBatch(ctx, sols, []mapsolver.Problem{b.other, *p, b.other}, nil)
	*dst = sols[1]
	if bad, ok := errors.AsType[*mapsolver.BatchError](err); ok {
		return bad.Errs[1]
	}
	return err
}

func TestBatchSuite(t *testing.T) {
	solvertest.Run(t, func() mapsolver.Solver {
		return &batched{other: *solvertest.Sparse(12, 4, 255, 1)}
	})
}

// integers draws a problem of integer costs in which anyone may stay free.
func integers(rng *rand.Rand, rows, cols, top int) *mapsolver.Problem {
	draw := func() float64 { return float64(rng.IntN(top + 1)) }
	return solvertest.Random(rng, rows, cols, 0.1+0.9*rng.Float64(), draw, solvertest.MissFinite, solvertest.MissFinite)
}

// TestDeviceExact wants the optimum of the accelerator alone where its rewards are
// exact: whatever ssp finds, on 500 problems, with MTT_NIGHTLY=1 on 10,000.
func TestDeviceExact(t *testing.T) {
	count := nightly.Or(500, 10_000)
	rng := rand.New(rand.NewPCG(1, 1))
	alone := &Solver{DeviceOnly: true}
	var oracle ssp.Solver
	var got, want mapsolver.Solution
	for i := range count {
		p := integers(rng, 1+rng.IntN(40), 1+rng.IntN(40), []int{3, 255}[rng.IntN(2)])
		if i%2 == 0 { // the smaller side must be served
			p.RowMiss, p.ColMiss = nil, nil
		}
		if err := oracle.Solve(t.Context(), &want, p, nil); err != nil {
			continue
		}
		err := alone.Solve(t.Context(), &got, p, nil)
		if _, unserved := errors.AsType[*UnservedError](err); unserved {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		gap, err := mapsolver.Certify(p, &got)
		if err != nil {
			t.Fatal(err)
		}
		if exact := alone.block.exact; exact && got.Cost != want.Cost || gap < got.Cost-want.Cost {
			t.Fatalf("cost %v, the optimum is %v, gap %v, exact %t\n%+v", got.Cost, want.Cost, gap, exact, p)
		}
	}
	r := alone.Report()
	t.Logf("%d problems, %d starts, %d cycles", r.Problems, r.Starts, r.Total)
}

// TestDeviceRounded wants the rounding of numbers that are no integers to show in
// the gap, and only as far as the bits of a reward explain.
func TestDeviceRounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, bits := range []int{8, 12, 20} {
		alone := &Solver{Bus: NewModel(Design{RewardBits: bits}, 32), DeviceOnly: true}
		for range 30 {
			p := solvertest.Random(rng, 30, 40, 0.3, rng.Float64, solvertest.MissFinite, solvertest.MissFinite)
			var s mapsolver.Solution
			if err := alone.Solve(t.Context(), &s, p, nil); err != nil {
				t.Fatal(err)
			}
			gap, err := mapsolver.Certify(p, &s)
			// A pair's reward is rounded by half a unit twice, and its raise is one.
			if most := 30 * 2 / alone.block.scale; err != nil || !(gap <= most) {
				t.Errorf("%d bits: gap %v, %v, want at most %v", bits, gap, err, most)
			}
		}
	}
}

// TestWarmRuns follows problems whose costs move: what the accelerator finds from the
// last prices is optimal, also with more columns than rows or more rows than
// columns, where prices that are left over would break the bound. Where all columns
// are wanted it takes less than half the iterations.
func TestWarmRuns(t *testing.T) {
	for _, size := range [][2]int{{50, 50}, {50, 80}, {80, 50}} {
		rows, cols := size[0], size[1]
		rng := rand.New(rand.NewPCG(3, 1))
		p := solvertest.Random(rng, rows, cols, 0.5, func() float64 { return float64(rng.IntN(256)) }, solvertest.MissNil, solvertest.MissNil)
		p.RowMiss, p.ColMiss = make([]float64, p.Rows), make([]float64, p.Cols)
		for r := range p.RowMiss {
			p.RowMiss[r] = 200
		}
		warm, cold := &Solver{Limit: 1e6}, &Solver{Limit: 1e6}
		var a, b mapsolver.Solution
		if err := warm.Solve(t.Context(), &a, p, nil); err != nil {
			t.Fatal(err)
		}
		start := warm.Report()
		for range 40 {
			for e := range p.Cost {
				p.Cost[e] = max(0, p.Cost[e]+float64(rng.IntN(11)-5))
			}
			if err := warm.Solve(t.Context(), &a, p, &a.Duals); err != nil {
				t.Fatal(err)
			}
			if err := cold.Solve(t.Context(), &b, p, nil); err != nil {
				t.Fatal(err)
			}
			if a.Cost != b.Cost {
				t.Fatalf("cost %v warm, %v cold", a.Cost, b.Cost)
			}
		}
		w, c := warm.Report(), cold.Report()
		wi, ci := w.Core.Iterations-start.Core.Iterations, c.Core.Iterations
		t.Logf("%d rows, %d columns: %d iterations and %d cycles warm in %d starts, %d and %d cold in %d", rows, cols,
			wi, w.Total-start.Total, w.Starts-start.Starts, ci, c.Total, c.Starts)
		if w.Optimal+w.Skipped < w.Problems || c.Optimal < c.Problems {
			t.Errorf("%d rows, %d columns: optimal pairs in %d of %d problems warm, %d skipped, %d of %d cold", rows, cols, w.Optimal, w.Problems, w.Skipped, c.Optimal, c.Problems)
		}
		if cols == rows && 2*wi > ci {
			t.Errorf("%d rows, %d columns: %d iterations warm, %d cold", rows, cols, wi, ci)
		}
	}
}

// TestBatch wants the same costs as one by one, in fewer cycles.
func TestBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, n := range []int{1, 2, 100} {
		list := make([]mapsolver.Problem, n)
		for i := range list {
			list[i] = *integers(rng, 1+rng.IntN(20), 1+rng.IntN(30), 255)
		}
		one, many := new(Solver), new(Solver)
		sols := make([]mapsolver.Solution, n)
		if err := many.SolveBatch(t.Context(), sols, list, nil); err != nil {
			t.Fatal(err)
		}
		for i := range list {
			var want mapsolver.Solution
			if err := one.Solve(t.Context(), &want, &list[i], nil); err != nil {
				t.Fatal(err)
			}
			gap, err := mapsolver.Certify(&list[i], &sols[i])
			if err != nil || gap != 0 || sols[i].Cost != want.Cost {
				t.Errorf("problem %d: cost %v, gap %v, %v, want %v", i, sols[i].Cost, gap, err, want.Cost)
			}
		}
		a, b := one.Report(), many.Report()
		t.Logf("%d problems: %d cycles of the core one by one, %d in %d starts", n, a.Core.Cycles, b.Core.Cycles, b.Starts)
		if b.Problems != n || b.Optimal != n || n > 50 && 2*b.Core.Cycles > a.Core.Cycles {
			t.Errorf("%+v in a batch, %+v one by one", b, a)
		}
	}
}

// TestCapacity wants a word of what is too large.
func TestCapacity(t *testing.T) {
	small := &Solver{Bus: NewModel(Design{IndexBits: 4, StorageBits: 3}, 32)}
	for _, p := range []*mapsolver.Problem{
		solvertest.Sparse(16, 2, 255, 1), solvertest.Sparse(15, 3, 255, 1),
	} {
		var s mapsolver.Solution
		err := small.Solve(t.Context(), &s, p, nil)
		if _, ok := errors.AsType[*CapacityError](err); !ok {
			t.Errorf("error %v, want a CapacityError", err)
		}
		err = small.SolveBatch(t.Context(), make([]mapsolver.Solution, 1), []mapsolver.Problem{*p}, nil)
		if _, ok := errors.AsType[*CapacityError](err); !ok {
			t.Errorf("batch: error %v, want a CapacityError", err)
		}
	}
}

func TestNoAllocation(t *testing.T) { solvertest.NoAllocation(t, newSolver) }

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
	r := solver.Report()
	fmt.Println("iterations:", r.Core.Iterations, "misses:", r.Core.Misses, "optimal as they came:", r.Optimal)
	// Output:
	// objects: [2 0] reward: 17 gap: 0 <nil>
	// iterations: 3 misses: 0 optimal as they came: 1
}

func BenchmarkSolve(b *testing.B) {
	for _, n := range []int{100, 600} {
		for _, k := range []int{6, 12} {
			b.Run(fmt.Sprintf("n=%d/k=%d", n, k), func(b *testing.B) {
				p := solvertest.Sparse(n, k, 255, 1)
				var solver Solver
				var s mapsolver.Solution
				for b.Loop() {
					if err := solver.Solve(context.Background(), &s, p, nil); err != nil {
						b.Fatal(err)
					}
				}
				r := solver.Report()
				b.ReportMetric(float64(r.Total)/float64(r.Problems), "cycles/op")
				b.ReportMetric(math.Round(100*float64(r.Optimal)/float64(r.Problems)), "%optimal")
			})
		}
	}
}
