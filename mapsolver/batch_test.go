package mapsolver_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"mtt/mapsolver"
	"mtt/mapsolver/fpga"
	"mtt/mapsolver/solvertest"
	"mtt/mapsolver/ssp"
)

func newSSP() mapsolver.Solver { return new(ssp.Solver) }

// ExampleBatch solves three problems, of which one has no assignment.
func ExampleBatch() {
	problems := make([]mapsolver.Problem, 3)
	for i := range problems {
		problems[i] = *solvertest.Tiny(16, 40, 7, uint64(i))
	}
	problems[1].Rows = 2 // both rows are left with the first column
	problems[1].Ptr = []int{0, 1, 2}
	problems[1].Col, problems[1].Cost = []int32{0, 0}, []float64{1, 2}

	batch := mapsolver.Batch{New: newSSP}
	answers := make([]mapsolver.Solution, len(problems))
	err := batch.SolveBatch(context.Background(), answers, problems, nil)
	fmt.Println(err)
	for i := range problems {
		if bad, ok := errors.AsType[*mapsolver.BatchError](err); ok && bad.Errs[i] != nil {
			continue
		}
		_, err := mapsolver.Certify(&problems[i], &answers[i])
		fmt.Printf("problem %d: cost %.4f, certified: %t\n", i, answers[i].Cost, err == nil)
	}
	// Output:
	// mapsolver: 1 of 3 problems have no answer, the first is problem 1: mapsolver: no assignment serves every row and column that must be served: rows [0 1] have only columns [0]
	// problem 0: cost 2.7151, certified: true
	// problem 2: cost 3.0388, certified: true
}

// manyProblems is tiny, sparse and infeasible problems.
func manyProblems() []mapsolver.Problem {
	var list []mapsolver.Problem
	for i := range 300 {
		list = append(list, *solvertest.Tiny(16, 40, 7, uint64(i)))
	}
	for _, tt := range solvertest.Infeasible() {
		list = append(list, *tt.Problem)
	}
	for i := range 10 {
		list = append(list, *solvertest.Sparse(100+i, 6, 0, uint64(i)), *solvertest.Tracking(90+i, 6, 0.3, uint64(i)))
	}
	return list
}

// TestBatchWorkers wants the same answers and errors from any number of
// workers, and those of one solver at a time.
func TestBatchWorkers(t *testing.T) {
	list := manyProblems()
	want := make([]mapsolver.Solution, len(list))
	errs := make([]error, len(list))
	for i := range list {
		errs[i] = newSSP().Solve(context.Background(), &want[i], &list[i], nil)
	}
	for _, workers := range []int{0, 1, 2, 7} {
		b := mapsolver.Batch{New: newSSP, Workers: workers}
		for range 2 {
			got := make([]mapsolver.Solution, len(list))
			err := b.SolveBatch(context.Background(), got, list, nil)
			bad, ok := errors.AsType[*mapsolver.BatchError](err)
			if !ok || !errors.Is(err, mapsolver.ErrInfeasible) {
				t.Fatalf("%d workers: error %v, want a BatchError", workers, err)
			}
			if !reflect.DeepEqual(bad.Errs, errs) {
				t.Errorf("%d workers: the errors differ", workers)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d workers: the answers differ", workers)
			}
		}
	}
}

// TestBatchNoAllocation wants a solve to allocate nothing once all is known.
func TestBatchNoAllocation(t *testing.T) {
	list := manyProblems()[:300]
	b := mapsolver.Batch{New: newSSP, Workers: 1}
	dst := make([]mapsolver.Solution, len(list))
	n := testing.AllocsPerRun(10, func() {
		if err := b.SolveBatch(context.Background(), dst, list, nil); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations a batch, want 0", n)
	}
}

// TestBatchIsSolver lets a Batch pass the suites.
func TestBatchIsSolver(t *testing.T) {
	solvertest.Run(t, func() mapsolver.Solver { return &mapsolver.Batch{New: newSSP} })
	solvertest.NoAllocation(t, func() mapsolver.Solver { return &mapsolver.Batch{New: newSSP} })
	for _, workers := range []int{1, 3} {
		solvertest.RunBatch(t, func() mapsolver.BatchSolver { return &mapsolver.Batch{New: newSSP, Workers: workers} })
	}
}

// TestBatchOfDevice hands a batch to a solver that takes it, as a whole.
func TestBatchOfDevice(t *testing.T) {
	made := 0
	b := mapsolver.Batch{New: func() mapsolver.Solver { made++; return new(fpga.Solver) }, Workers: 5}
	list := manyProblems()[:100]
	b.Times = make([]time.Duration, len(list))
	dst := make([]mapsolver.Solution, len(list))
	if err := b.SolveBatch(context.Background(), dst, list, nil); err != nil {
		t.Fatal(err)
	}
	device := b.Solvers()[0].(*fpga.Solver)
	if starts := device.Report().Starts; made != 1 || starts > 10 {
		t.Errorf("%d problems took %d starts of %d devices", len(list), starts, made)
	}
	for i := range list {
		if !mapsolver.Proved(&list[i], &dst[i]) || b.Times[i] <= 0 {
			t.Errorf("problem %d: not proved, or no time: %v", i, b.Times[i])
		}
	}
	solvertest.RunBatch(t, func() mapsolver.BatchSolver {
		return &mapsolver.Batch{New: func() mapsolver.Solver { return new(fpga.Solver) }}
	})
}
