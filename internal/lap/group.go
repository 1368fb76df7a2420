package lap

// This file reads, solves and checks problems, a group of them at a time and several at once.

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"time"

	"mtt/internal/cli"
	"mtt/internal/slab"
	"mtt/internal/solvers"
	"mtt/internal/workers"
	"mtt/mapsolver"
)

// An item is one problem with its answer.
type item struct {
	input *Input
	p     *mapsolver.Problem
	sol   *mapsolver.Solution
	warm  *Answer // to start from, or nil

	err       error // why it was not read or solved, or is infeasible
	wrong     error // why the answer is none
	gap       float64
	certified bool
	solver    string
	seconds   float64 // reading, solving and checking
}

// A Group goes through problems in their order. It holds some of them in memory: up to a number of
// problems, and a number of entries, beyond which it goes by the last that it has read.
type Group struct {
	o      *Options
	warm   map[string]*Answer // by file
	inputs []Input            // not read yet

	batch     mapsolver.Batch
	meter     *solvers.Meter
	solving   time.Duration // until now
	items     []item
	next      int     // of items
	asked     []*item // those of the items that are solved
	problems  []mapsolver.Problem
	solutions []mapsolver.Solution
	warmStart []mapsolver.Duals
}

const (
	groupProblems = 1024
	groupEntries  = 1 << 21 // 24 MB
	smallEntries  = 1 << 14 // of problems that are read many at a time
	readAtOnce    = 16      // for each processor
)

// NewGroup prepares for these inputs. It reads the file that o says to start from; what is
// wrong with it, or a solver that there is none of, is a usage error.
func NewGroup(o *Options, inputs []Input) (*Group, error) {
	newSolver, err := solvers.Named(o.Solver)
	if err != nil {
		return nil, err
	}
	g := &Group{o: o, inputs: inputs}
	if o.Warm != "" {
		if g.warm, err = readAnswers(o.Warm); err != nil {
			return nil, cli.BadInput(err)
		}
	}
	g.batch.New, g.meter = solvers.Watch(newSolver)
	return g, nil
}

// Begin has the group go on with other inputs, whatever is left of those before.
func (g *Group) Begin(inputs []Input) {
	g.inputs, g.items, g.next = inputs, g.items[:0], 0
}

// Next is the outcome of the next problem; what it holds is there until the next call.
func (g *Group) Next(ctx context.Context) *Outcome {
	if g.next == len(g.items) {
		if err := g.fill(ctx); err != nil {
			r := new(Outcome)
			r.fail(err)
			return r
		}
	}
	g.next++
	return g.items[g.next-1].outcome(g.o)
}

// Solving is the time that solving and checking took, until now.
func (g *Group) Solving() time.Duration { return g.solving }

// Figures are those of the solver that has some, and its name; "" for none.
func (g *Group) Figures() (of string, sum []mapsolver.Figure) { return g.meter.Sum() }

// fill reads the next group and solves it. The error is that of ctx, which ended while it read.
func (g *Group) fill(ctx context.Context) error {
	if _, err := cli.Await(ctx, func() (struct{}, error) { g.readGroup(); return struct{}{}, nil }); err != nil {
		return err
	}
	g.asked, g.problems = g.asked[:0], g.problems[:0]
	for i := range g.items {
		if it := &g.items[i]; it.err == nil {
			g.asked, g.problems = append(g.asked, it), append(g.problems, *it.p)
		}
	}
	g.solutions = slab.Keep(g.solutions, len(g.asked))
	g.warmStart = slab.Grow(g.warmStart, len(g.asked))
	for i, it := range g.asked {
		it.sol = &g.solutions[i]
		g.warmStart[i] = mapsolver.Duals{}
		if it.warm != nil {
			g.warmStart[i].V = it.warm.ColPrices
			it.sol.ColOf = append(it.sol.ColOf[:0], it.warm.Assignment...)
		}
	}
	began := time.Now()
	g.solve(ctx)
	workers.Each(runtime.GOMAXPROCS(0), len(g.asked), func(_, i int) { g.asked[i].check(g.o.Solver) })
	g.solving += time.Since(began)
	return nil
}

// readGroup reads the next group.
func (g *Group) readGroup() {
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
}

// solve solves the problems at hand.
func (g *Group) solve(ctx context.Context) {
	g.batch.Times = slab.Grow(g.batch.Times, len(g.asked))
	slab.Fill(g.batch.Times, 0)
	err := g.batch.SolveBatch(ctx, g.solutions, g.problems, g.warmStart)
	bad, several := errors.AsType[*mapsolver.BatchError](err)
	for i, it := range g.asked {
		it.seconds += g.batch.Times[i].Seconds()
		if it.err = err; several {
			it.err = bad.Errs[i]
		}
	}
}

// read reads n problems at once and returns the number of their entries.
func (g *Group) read(n int) (entries int) {
	first := len(g.items)
	for i := range n {
		g.items = append(g.items, item{input: &g.inputs[i]})
	}
	g.inputs = g.inputs[n:]
	list := g.items[first:]
	workers.Each(runtime.GOMAXPROCS(0), n, func(_, i int) { g.readOne(&list[i]) })
	for i := range list {
		if p := list[i].p; p != nil {
			entries += len(p.Col)
		}
	}
	return entries
}

// readOne reads one problem.
func (g *Group) readOne(it *item) {
	began := time.Now()
	if it.err = it.input.Err; it.err != nil {
		return
	}
	if it.p, it.err = it.input.Read(&g.o.Options); it.err != nil {
		it.err = cli.BadInput(it.err)
		return
	}
	if a := g.warm[it.input.Name]; a != nil && a.ColPrices != nil {
		if len(a.ColPrices) != it.p.Cols {
			it.err = cli.Usagef("%s: the problem has %d columns, %s has prices of %d", it.input.Name, it.p.Cols, g.o.Warm, len(a.ColPrices))
			return
		}
		it.warm = a
	}
	it.seconds = time.Since(began).Seconds()
}

// check checks the answer, and names the solver that found it: asked, if that is what it did itself.
func (it *item) check(asked string) {
	began := time.Now()
	it.solver = cmp.Or(it.sol.Stats.Solver, asked)
	if bad, ok := errors.AsType[*mapsolver.InfeasibleError](it.err); ok {
		it.wrong = bad.Check(it.p)
		it.certified = it.wrong == nil
	} else if it.err == nil {
		it.gap, it.wrong = mapsolver.Certify(it.p, it.sol)
		it.certified = it.wrong == nil && it.gap <= mapsolver.Tolerance(it.p, it.sol)
	}
	it.seconds += time.Since(began).Seconds()
}
