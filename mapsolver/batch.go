package mapsolver

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"mtt/internal/slab"
)

// This file solves many problems with several workers.

// A Batch solves many problems, several at a time, with any solver. It
// implements [BatchSolver]. It keeps the solvers and thereby their workspace:
// once they and dst have seen problems of a size, a solve allocates nothing.
type Batch struct {
	// New makes the solver of one worker.
	New func() Solver

	// Workers is the number of goroutines; 0: one for each processor. The
	// answers do not depend on it.
	Workers int

	// Times is what each problem of the next batch takes, where its length is theirs; of a solver
	// that takes them all at once, in equal parts. Nil: nobody asks.
	Times []time.Duration

	solvers []Solver
	errs    []error
	next    atomic.Int64 // the first problem that no worker has taken
	take    int          // problems that a worker takes at a time
}

// A BatchError says which problems of a batch have no answer.
type BatchError struct {
	// Errs holds the error of each problem, nil for those that are solved.
	Errs []error
}

// Error names the first problem and counts the others.
func (e *BatchError) Error() string {
	first, n := -1, 0
	for i, err := range e.Errs {
		if err == nil {
			continue
		}
		if first < 0 {
			first = i
		}
		n++
	}
	if n == 0 {
		return "mapsolver: no problem of the batch failed"
	}
	return fmt.Sprintf("mapsolver: %d of %d problems have no answer, the first is problem %d: %v",
		n, len(e.Errs), first, e.Errs[first])
}

// Unwrap lists the errors that are there.
func (e *BatchError) Unwrap() []error {
	var list []error
	for _, err := range e.Errs {
		if err != nil {
			list = append(list, err)
		}
	}
	return list
}

const badBatch = "mapsolver: answers, problems and warm prices of a batch differ in number"

// A worker takes at most mostTaken problems at a time: tiny ones take about as long
// to solve as to take. Of few problems, which may be large, it takes few enough that
// there are some for each worker several times.
const (
	mostTaken = 16
	turns     = 4
)

// Solve solves one problem.
func (b *Batch) Solve(ctx context.Context, dst *Solution, p *Problem, warm *Duals) error {
	b.hire(1)
	return b.solvers[0].Solve(ctx, dst, p, warm)
}

// SolveBatch implements [BatchSolver]. A New that makes such solvers gets the batch as it is, and
// one goroutine; else Workers share the problems. When ctx ends the problems that are left have its
// error.
func (b *Batch) SolveBatch(ctx context.Context, dst []Solution, p []Problem, warm []Duals) error {
	CheckBatch(dst, p, warm)
	b.hire(1)
	if all, ok := b.solvers[0].(BatchSolver); ok {
		began := time.Now()
		err := all.SolveBatch(ctx, dst, p, warm)
		if len(b.Times) == len(p) && len(p) > 0 {
			slab.Fill(b.Times, time.Since(began)/time.Duration(len(p)))
		}
		return err
	}
	workers := b.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(1, min(workers, len(p)))
	b.take = max(1, min(mostTaken, len(p)/(turns*workers)))
	b.hire(workers)
	b.errs = slab.Grow(b.errs, len(p))
	clear(b.errs)
	b.next.Store(0)
	if workers == 1 {
		b.work(ctx, 0, dst, p, warm)
	} else {
		var all sync.WaitGroup
		for w := range workers {
			all.Go(func() { b.work(ctx, w, dst, p, warm) })
		}
		all.Wait()
	}
	err := BatchErrors(b.errs)
	if err != nil {
		b.errs = nil // the caller's now
	}
	return err
}

// CheckBatch panics where dst, p and warm, unless that is nil, differ in length.
func CheckBatch(dst []Solution, p []Problem, warm []Duals) {
	if len(dst) != len(p) || warm != nil && len(warm) != len(p) {
		panic(badBatch)
	}
}

// BatchErrors is the error of a batch whose problems have these: nil when none has any.
func BatchErrors(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return &BatchError{errs}
		}
	}
	return nil
}

// Warm is the prices that problem i of a batch starts from, nil when there are none.
func Warm(warm []Duals, i int) *Duals {
	if warm == nil || warm[i].V == nil {
		return nil
	}
	return &warm[i]
}

// Solvers is what New has made until now.
func (b *Batch) Solvers() []Solver { return b.solvers }

// hire makes solvers for n workers.
func (b *Batch) hire(n int) {
	for len(b.solvers) < n {
		b.solvers = append(b.solvers, b.New())
	}
}

// work solves problems with the solver of worker w until none is left.
func (b *Batch) work(ctx context.Context, w int, dst []Solution, p []Problem, warm []Duals) {
	solver, timed := b.solvers[w], len(b.Times) == len(p)
	for {
		lo := int(b.next.Add(int64(b.take))) - b.take
		if lo >= len(p) {
			return
		}
		hi := min(lo+b.take, len(p))
		ended := ctx.Err()
		for i := lo; i < hi; i++ {
			if ended != nil {
				b.errs[i] = fmt.Errorf("mapsolver: not begun: %w", ended)
				continue
			}
			var began time.Time
			if timed {
				began = time.Now()
			}
			b.errs[i] = solver.Solve(ctx, &dst[i], &p[i], Warm(warm, i))
			if timed {
				b.Times[i] = time.Since(began)
			}
		}
	}
}
