package solvertest

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"mtt/mapsolver"
)

// This file tests the solvers of many problems at once.

// RunBatch tests the solvers of batches that newSolver makes: Run tests them as solvers of one
// problem. It takes a second.
func RunBatch(t *testing.T, newSolver func() mapsolver.BatchSolver) {
	tests := []struct {
		name string
		run  func(*testing.T, mapsolver.BatchSolver)
	}{
		{"Small", testBatchSmall},
		{"Mixed", testBatchMixed},
		{"Cancelled", testBatchCancelled},
		{"Lengths", testBatchLengths},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, newSolver()) })
	}
}

// testBatchSmall compares batches of small problems with the dynamic programme, of any number, cold,
// and with some of them from warm prices.
func testBatchSmall(t *testing.T, solver mapsolver.BatchSolver) {
	rng := rand.New(rand.NewPCG(8, 1))
	costs := Costs()
	var dst []mapsolver.Solution
	for _, n := range []int{0, 1, 2, 17, 150, 3} {
		list := make([]mapsolver.Problem, n)
		for i := range list {
			cost := costs[rng.IntN(len(costs))]
			list[i] = *Random(rng, rng.IntN(8), rng.IntN(8), rng.Float64(), cost.Draw, Miss(rng.IntN(4)), Miss(rng.IntN(4)))
		}
		dst = append(dst, make([]mapsolver.Solution, max(0, n-len(dst)))...)[:n]
		var warm []mapsolver.Duals
		for range 2 {
			errs := batchErrors(t, n, solver.SolveBatch(context.Background(), dst, list, warm))
			warm = make([]mapsolver.Duals, n)
			for i := range list {
				checkAnswer(t, &list[i], &dst[i], errs[i])
				if rng.IntN(2) == 0 {
					warm[i].V = prices(rng, list[i].Cols, nil)
				}
			}
		}
	}
}

// batchErrors is the error of each of n problems.
func batchErrors(t *testing.T, n int, err error) []error {
	t.Helper()
	if err == nil {
		return make([]error, n)
	}
	bad, ok := errors.AsType[*mapsolver.BatchError](err)
	if !ok || len(bad.Errs) != n || len(bad.Unwrap()) == 0 {
		t.Fatalf("error %v, want a BatchError of %d problems", err, n)
	}
	return bad.Errs
}

// testBatchMixed certifies a batch of hard, tiny and infeasible problems, cold and from the last
// answers.
func testBatchMixed(t *testing.T, solver mapsolver.BatchSolver) {
	var list []mapsolver.Problem
	for i := range 40 {
		list = append(list, *Tiny(16, 40, 7, uint64(i)))
	}
	for _, tt := range Infeasible() {
		list = append(list, *tt.Problem)
	}
	for i := range 6 {
		list = append(list, *Sparse(100+i, 6, 0, uint64(i)), *Tracking(90+i, 6, 0.3, uint64(i)))
	}
	infeasible := len(Infeasible())
	dst := make([]mapsolver.Solution, len(list))
	var warm []mapsolver.Duals
	for range 3 {
		errs := batchErrors(t, len(list), solver.SolveBatch(context.Background(), dst, list, warm))
		warm = make([]mapsolver.Duals, len(list))
		n := 0
		for i := range list {
			if errs[i] != nil {
				n++
				checkInfeasible(t, &list[i], errs[i])
				continue
			}
			if !mapsolver.Proved(&list[i], &dst[i]) {
				t.Errorf("problem %d is not proved", i)
			}
			warm[i].V = dst[i].V
		}
		if n != infeasible {
			t.Errorf("%d problems have no answer, want %d", n, infeasible)
		}
	}
}

// testBatchCancelled wants the reason for each problem without an answer when the context is
// over.
func testBatchCancelled(t *testing.T, solver mapsolver.BatchSolver) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	list := []mapsolver.Problem{*Tracking(300, 6, 0.3, 1), *Tracking(300, 6, 0.3, 2), *Sparse(200, 6, 0, 3)}
	dst := make([]mapsolver.Solution, len(list))
	for i, err := range batchErrors(t, len(list), solver.SolveBatch(ctx, dst, list, nil)) {
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("problem %d: error %v, want one that wraps context.Canceled", i, err)
		}
		if err == nil && !mapsolver.Proved(&list[i], &dst[i]) {
			t.Errorf("problem %d has no error and no proof", i)
		}
	}
}

// testBatchLengths wants a panic where lengths differ.
func testBatchLengths(t *testing.T, solver mapsolver.BatchSolver) {
	one := *Tiny(2, 3, 2, 1)
	short := one
	short.Cost = short.Cost[1:]
	for name, call := range map[string]func() error{
		"no answers": func() error {
			return solver.SolveBatch(context.Background(), nil, []mapsolver.Problem{one}, nil)
		},
		"no warm prices": func() error {
			return solver.SolveBatch(context.Background(), make([]mapsolver.Solution, 1), []mapsolver.Problem{one}, []mapsolver.Duals{})
		},
		"a cost is missing": func() error {
			return solver.SolveBatch(context.Background(), make([]mapsolver.Solution, 1), []mapsolver.Problem{short}, nil)
		},
	} {
		wantPanic(t, name, func() { _ = call() })
	}
}
