package main

// This file reads, solves and checks the problems of "mtt lap", a group of them at
// a time and several at once.

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"mtt/internal/cli"
	"mtt/internal/solvers"
	"mtt/mapsolver"
	"mtt/mapsolver/fpga"
)

// A lapItem is one problem with its answer.
type lapItem struct {
	input *lapInput
	p     *mapsolver.Problem
	sol   *mapsolver.Solution
	warm  *lapAnswer // to start from, or nil

	err       error // why it was not read or solved, or is infeasible
	wrong     error // why the answer is none
	gap       float64
	certified bool
	solver    string
	seconds   float64 // reading, solving and checking
}

// A lapGroup goes through the problems of a command line in their order. It
// holds some of them in memory: up to a number of problems, and a number of
// entries, beyond which it goes by the last that it has read.
type lapGroup struct {
	o      *lapOptions
	warm   map[string]*lapAnswer // by file
	inputs []lapInput            // not read yet

	batch     mapsolver.Batch
	workers   []*lapWorker
	solving   time.Duration // until now
	items     []lapItem
	next      int // of items
	problems  []mapsolver.Problem
	solutions []mapsolver.Solution
	itemOf    map[*mapsolver.Solution]*lapItem // of the batch at hand
}

const (
	groupProblems = 1024
	groupEntries  = 1 << 21 // 24 MB
	smallEntries  = 1 << 14 // of problems that are read many at a time
	readAtOnce    = 16      // for each processor
)

// newLapGroup prepares for these inputs.
func newLapGroup(o *lapOptions, newSolver func() mapsolver.Solver, inputs []lapInput) *lapGroup {
	g := &lapGroup{o: o, inputs: inputs, itemOf: make(map[*mapsolver.Solution]*lapItem)}
	g.batch.New = func() mapsolver.Solver {
		w := &lapWorker{solver: newSolver(), group: g}
		g.workers = append(g.workers, w)
		return w
	}
	return g
}

// take is the next problem; it is there until the next call.
func (g *lapGroup) take(ctx context.Context) *lapItem {
	if g.next == len(g.items) {
		g.fill(ctx)
	}
	g.next++
	return &g.items[g.next-1]
}

// fill reads the next group and solves it.
func (g *lapGroup) fill(ctx context.Context) {
	g.items, g.next = g.items[:0], 0
	entries, n := 0, 1
	for len(g.inputs) > 0 && len(g.items) < groupProblems && entries < groupEntries {
		n = min(n, len(g.inputs), groupProblems-len(g.items))
		more := g.read(n)
		entries += more
		if n = min(2*n, readAtOnce*runtime.GOMAXPROCS(0)); more > n*smallEntries {
			n = 1 // large problems, one by one
		}
	}

	g.problems, g.solutions = g.problems[:0], resize(g.solutions, len(g.items))
	clear(g.itemOf)
	for i := range g.items {
		if it := &g.items[i]; it.err == nil {
			it.sol = &g.solutions[len(g.problems)]
			g.itemOf[it.sol] = it
			g.problems = append(g.problems, *it.p)
		}
	}
	began := time.Now()
	err := g.batch.SolveBatch(ctx, g.solutions[:len(g.problems)], g.problems)
	g.solving += time.Since(began)
	bad, _ := errors.AsType[*mapsolver.BatchError](err)
	for i := range g.problems {
		if bad != nil {
			g.itemOf[&g.solutions[i]].err = bad.Errs[i]
		}
	}
}

// read reads n problems at once and returns the number of their entries.
func (g *lapGroup) read(n int) (entries int) {
	first := len(g.items)
	for i := range n {
		g.items = append(g.items, lapItem{input: &g.inputs[i]})
	}
	g.inputs = g.inputs[n:]
	list := g.items[first:]
	eachOf(n, func(i int) { g.readOne(&list[i]) })
	for i := range list {
		if p := list[i].p; p != nil {
			entries += len(p.Col)
		}
	}
	return entries
}

// readOne reads one problem.
func (g *lapGroup) readOne(it *lapItem) {
	began := time.Now()
	if it.err = it.input.err; it.err != nil {
		return
	}
	if it.p, it.err = it.input.Read(&g.o.Options); it.err != nil {
		it.err = cli.BadInput(it.err)
		return
	}
	if a := g.warm[it.input.Name]; a != nil && a.ColPrices != nil {
		if len(a.ColPrices) != it.p.Cols {
			it.err = cli.Usagef("%s: the problem has %d columns, %s has prices of %d", it.input.Name, it.p.Cols, g.o.warm, len(a.ColPrices))
			return
		}
		it.warm = a
	}
	it.seconds = time.Since(began).Seconds()
}

// report adds up what the accelerators have taken, where such solve.
func (g *lapGroup) report() (r fpga.Report, ok bool) {
	for _, w := range g.workers {
		if f, is := w.solver.(*fpga.Solver); is {
			r.Add(f.Report())
			ok = true
		}
	}
	return r, ok
}

// A lapWorker solves problems for one goroutine, and checks the answers.
type lapWorker struct {
	solver mapsolver.Solver
	group  *lapGroup
}

// Solve implements [mapsolver.Solver] for solutions of the group.
func (w *lapWorker) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, _ *mapsolver.Duals) error {
	began := time.Now()
	it := w.group.itemOf[dst]
	var warm *mapsolver.Duals
	if it.warm != nil {
		warm = &mapsolver.Duals{V: it.warm.ColPrices}
		dst.ColOf = append(dst.ColOf[:0], it.warm.Assignment...)
	}
	err := w.solver.Solve(ctx, dst, p, warm)
	it.solver = solvers.NameOf(w.group.o.solver, w.solver)
	if err == nil {
		it.gap, it.wrong = mapsolver.Certify(p, dst)
		it.certified = it.wrong == nil && it.gap <= 1e-9*solvers.Largest(p)
	} else if bad, ok := errors.AsType[*mapsolver.InfeasibleError](err); ok {
		it.certified = bad.Check(p) == nil
	}
	it.seconds += time.Since(began).Seconds()
	return err
}

// eachOf calls do for 0 … n-1, several at once.
func eachOf(n int, do func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	all.Wait()
}

// resize returns a slice of length n that keeps what x holds.
func resize[T any](x []T, n int) []T {
	if n <= len(x) {
		return x[:n]
	}
	return append(x, make([]T, n-len(x))...)
}
