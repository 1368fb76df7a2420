package dualascent

import (
	"context"
	"math"
	"slices"
)

// This file holds the engine: its state, the two passes, and the loop around
// them.

// A gap is the engine's view of one Gap: its multipliers, the prices of its X-LAP
// and the column view of the arcs.
type gap struct {
	*Gap
	Prices           // Col included: the column prices of the X-LAP
	row    []float64 // len Rows: its row prices
	all    []float64 // the arrays of Prices, one after the other
	in     columns
	next   []int32 // the matching of the last pass, before any pushing
	solved bool    // there was a pass

	value float64 // of the X-LAP in the last pass

	last []float64 // U and Birth as they were a round ago; see momentum
	best []float64 // all, where it proved most
}

type engine struct {
	inst      *Instance
	opts      *Options
	gaps      []gap
	cuts      []int // first gaps of the chunks, and the number of gaps
	workers   []*worker
	result    Result
	pass      int
	exchanges bool    // the local search is to try exchanges however large the gap is
	bound     float64 // of the last pass
	kept      float64 // bound that gap.best proves

	best      *answer // of cost result.UpperBound; nil: none yet
	scratch   *answer
	merger    *merger
	tolerance float64 // costs that differ by less are equal
	tiny      float64 // bounds that differ by no more meet; 0: optimalGap says
	slacks    slacks
	forbidden float64 // see forbiddenPrice
}

func newEngine(inst *Instance, opts *Options) *engine {
	e := &engine{
		inst: inst, opts: opts, gaps: make([]gap, len(inst.Gaps)),
		bound: math.Inf(-1), kept: math.Inf(-1), tolerance: 1e-10, forbidden: forbiddenPrice(inst),
		result: Result{LowerBound: math.Inf(-1), UpperBound: math.Inf(1)},
	}
	if e.cuts = inst.chunks(); opts.Scheme == Parallel {
		e.cuts = []int{0, len(inst.Gaps)}
	}
	for range max(1, min(opts.Workers, len(e.cuts)-1)) {
		e.workers = append(e.workers, &worker{solver: opts.NewSolver()})
	}
	for p := range e.gaps {
		g := &e.gaps[p]
		g.Gap, g.in = &inst.Gaps[p], transpose(&inst.Gaps[p])
		g.all = make([]float64, 2*len(g.Gap.Col)+2*g.Cols+g.Rows)
		g.Prices = cutPrices(g.all, g.Gap)
		g.row = make([]float64, g.Rows)
		g.next = slices.Repeat([]int32{-1}, g.Rows)
	}
	e.merger, e.scratch = newMerger(e.gaps), e.newAnswer()
	return e
}

// sequential runs rounds of a forward and a backward pass.
func (e *engine) sequential(ctx context.Context) error {
	const patience = 3 // rounds
	history := make([]float64, 0, e.opts.MaxRounds)
	for round := 1; round <= e.opts.MaxRounds; round++ {
		last := round == e.opts.MaxRounds
		if round > 2 && e.opts.Momentum > 0 {
			e.keep()
		}
		e.exchanges = last
		looked := round <= 2 || round%4 == 0 || last
		if err := e.round(ctx, looked); err != nil || e.done() {
			return err
		}
		history = append(history, e.result.LowerBound)
		if n := len(history); n > patience && history[n-1]-history[n-1-patience] < 1e-5*math.Abs(history[n-1]) {
			e.result.Status = Stalled
			if looked {
				return nil
			}
			e.exchanges = true
			return e.primal(ctx, false)
		}
	}
	e.result.Status = IterationLimit
	return nil
}

// round is a pass and its mirror image, each followed by a look for better
// answers if that is wanted. It ends early when done is true.
func (e *engine) round(ctx context.Context, look bool) error {
	e.result.Rounds++
	if e.opts.Momentum > 0 && e.result.Rounds > 1 {
		e.stride()
	}
	for _, out := range [2]bool{true, false} {
		if err := e.sweep(ctx, out); err != nil {
			return err
		}
		if look {
			if err := e.primal(ctx, out); err != nil {
				return err
			}
		}
		e.record()
		if e.done() {
			break
		}
	}
	return nil
}

// stride repeats a share of the step that the multipliers took in the last round.
// In a chunk that ended it with a backward pass, V was computed from U, which
// leaves nothing else behind: U and Birth are the state that moves. In one that
// ended with a forward pass it is V and Death. Next to a cut where two
// chunks meet nothing moves, as nothing in this round would make up for a step
// too far. The first step, from nothing, is not repeated.
func (e *engine) stride() {
	e.eachChunk(func(_ *worker, k int) error {
		from, to := e.cuts[k], e.cuts[k+1]
		for p := from; p < to; p++ {
			g := &e.gaps[p]
			share, n := e.opts.Momentum, len(g.U)+len(g.Birth)
			state := g.all[:n]
			still := to - 1
			if k%2 == 1 {
				state = g.all[n : n+len(g.V)+len(g.Death)]
				still = from
			}
			if p == still && len(e.cuts) > 2 {
				share = 0
			}
			g.momentum(state, share)
		}
		return nil
	})
}

// momentum repeats the given share of the last step of x.
func (g *gap) momentum(x []float64, share float64) {
	if g.last == nil {
		g.last = slices.Clone(x)
		return
	}
	last := g.last[:len(x)]
	for k, v := range x {
		x[k] += share * (v - last[k])
		last[k] = v
	}
}

// keep saves the prices when they prove more than those saved before.
func (e *engine) keep() {
	if e.bound <= e.kept {
		return
	}
	e.kept = e.bound
	for p := range e.gaps {
		g := &e.gaps[p]
		g.best = append(g.best[:0], g.all...)
	}
}

// record appends to the trace and reports progress.
func (e *engine) record() {
	s := Step{Pass: e.pass, Lower: e.result.LowerBound, Upper: e.result.UpperBound}
	e.result.Trace = append(e.result.Trace, s)
	if e.opts.Progress != nil {
		e.opts.Progress(s)
	}
}

// done sets the status when the gap asked for is reached.
func (e *engine) done() bool {
	r := &e.result
	switch g := relativeGap(r.LowerBound, r.UpperBound); {
	case math.IsInf(r.UpperBound, 1):
		return false
	case e.tiny > 0:
		return r.UpperBound-r.LowerBound <= e.tiny
	case g <= optimalGap:
		r.Status = Optimal
	case g <= e.opts.Gap:
		r.Status = WithinGap
	default:
		return false
	}
	return true
}

// finish fills what the result promises beyond the loop: the best answer, and
// the prices that prove the bound, those of the last pass or those kept.
func (e *engine) finish() {
	r := &e.result
	r.Prices = make([]Prices, len(e.gaps))
	for p := range e.gaps {
		r.Prices[p] = e.gaps[p].Prices
	}
	if r.Status == Interrupted { // in the middle of a pass: see what its prices prove
		e.bound = Bound(e.inst, r.Prices)
		e.offer(e.newAnswer())
	}
	if e.kept > e.bound {
		e.bound = e.kept
		for p := range e.gaps {
			copy(e.gaps[p].all, e.gaps[p].best)
		}
	}
	switch {
	case r.Status == Interrupted:
		r.LowerBound = max(r.LowerBound, e.bound)
	case len(e.gaps) > 0:
		for _, p := range e.cuts[1 : len(e.cuts)-1] { // the passes leave out what lies there
			e.bound += e.least(p)
		}
		r.LowerBound = max(r.LowerBound, e.bound)
	}
	r.Certified = min(e.bound, r.LowerBound)
	if e.best != nil {
		r.Next = e.best.next
	}
	if t := r.Trace; len(t) > 0 { // what came after the last pass
		t[len(t)-1].Lower, t[len(t)-1].Upper = r.LowerBound, r.UpperBound
	}
}
