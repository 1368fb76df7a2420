package dualascent

import (
	"context"
	"math"
	"slices"
)

// This file holds the engine: its state, the two passes, and the loop around
// them.

// A gap is the engine's view of one FramePair: its multipliers, the prices of its X-LAP
// and the column view of the arcs.
type gap struct {
	*FramePair
	Prices           // Col included: the column prices of the X-LAP
	row    []float64 // len Rows: its row prices
	all    []float64 // the arrays of Prices, one after the other
	in     columns
	rank   *ranking // of the block on the left, where it has values
	next   []int32  // the matching of the last pass, before any pushing
	solved bool     // there was a pass

	value float64 // of the X-LAP in the last pass

	// The state a round ago and where it proved most, possibly in one array.
	last, best []float64
	lastIsBest bool
}

type engine struct {
	inst      *Instance
	opts      *Options
	gaps      []gap
	cuts      []int     // first gaps of the chunks, and the number of gaps
	workers   []*worker // of chunks
	shared    int       // goroutines of what is done gap by gap
	result    Result
	pass      int
	ahead     int     // rounds of the ascent that follow the one at hand
	few       bool    // of the arcs of another engine, see thin
	thinned   bool    // there was such an engine
	leaps     bool    // the next round begins elsewhere than the last one ended
	opened    bool    // multipliers were set beside each other, see open: blocks between chunks may have less than nothing
	closed    bool    // what was open stays so, see open
	stuck     float64 // the gap that was left there then
	exchanges bool    // the local search is to try exchanges however large the gap is
	bound     float64 // of the last pass
	kept      float64 // most that the state at the end of a round proved, see gap.best

	best      *answer // of cost result.UpperBound; nil: none yet
	scratch   *answer
	aside     *aside    // nil: no answer is looked for beside the next pass
	lookers   []*worker // of asides
	copies    []gap     // of asides
	merger    *merger
	unit      float64 // the largest cost, at most 1: what is absolute below is a share of it
	tolerance float64 // costs that differ by less are equal
	tiny      float64 // bounds that differ by no more meet; 0: optimalGap says
	slacks    slacks
	forbidden float64 // see price
}

func newEngine(inst *Instance, opts *Options) *engine {
	e := &engine{
		inst: inst, opts: opts, gaps: make([]gap, len(inst.Pairs)),
		bound: math.Inf(-1), kept: math.Inf(-1),
		result: Result{LowerBound: math.Inf(-1), UpperBound: math.Inf(1)},
	}
	e.price(inst.largest())
	if e.cuts = inst.chunks(); opts.Scheme == Parallel {
		e.cuts = []int{0, len(inst.Pairs)}
	}
	if e.shared = 1; len(e.cuts) > 2 || inst.size() >= chunkCosts {
		e.shared = max(1, opts.Workers)
	}
	for range max(1, min(opts.Workers, len(e.cuts)-1)) {
		e.workers = append(e.workers, &worker{solver: opts.NewSolver()})
	}
	e.eachRange(func(from, to int) {
		var s stock
		for p := from; p < to; p++ {
			g := &e.gaps[p]
			g.FramePair, g.in = &inst.Pairs[p], s.transpose(&inst.Pairs[p])
			g.all = s.floats.Make(2*len(g.FramePair.Col) + 2*g.Cols + g.Rows)
			g.Prices = cutPrices(g.all, g.FramePair)
			g.row = s.floats.Make(g.Rows)
			g.next = s.none(g.Rows)
		}
	})
	e.each(func(p int) {
		if p == 0 {
			return
		}
		if f := inst.Blocks[p-1].Differences; f != nil {
			e.gaps[p].rank = rank(f, &e.gaps[p-1].in, e.gaps[p].FramePair)
		}
	})
	e.scratch = e.newAnswer()
	return e
}

// sequential runs rounds of a forward and a backward pass.
func (e *engine) sequential(ctx context.Context) error {
	defer func() { e.copies = nil }()
	if err := e.rounds(ctx); err != nil || e.aside == nil {
		return err
	}
	err := e.lookNow(ctx)
	e.done() // it may have met the bound
	return err
}

// rounds is sequential, but for what is still being looked at.
func (e *engine) rounds(ctx context.Context) error {
	const patience = 3       // rounds
	enough, most := 1e-5, .5 // what they gain at least, of the bound or of the gap, where it has not stalled
	if e.few {               // where rounds cost less
		enough, most = enough/2, .05
	}
	var history []float64
	few := math.Inf(-1) // bound of an ascent among few arcs, before this round
	for round := 1; round <= e.opts.MaxRounds; round++ {
		if round == thinAfter+1 && e.thins() {
			var err error
			if few, err = e.thin(ctx); err != nil {
				return err
			}
		} else if round > 1 {
			if err := e.open(ctx); err != nil {
				return err
			}
		}
		last := round == e.opts.MaxRounds
		e.exchanges, e.ahead = last, e.opts.MaxRounds-round
		looked := !e.opts.NoAnswer && (round <= 2 || round%4 == 0 || last)
		if err := e.round(ctx, looked); err != nil || e.done() {
			return err
		}
		if e.closed && e.result.UpperBound-e.result.LowerBound <= 1.01*e.stuck && relativeGap(e.result.LowerBound, e.result.UpperBound) > 1e-5 {
			// Nothing is to be gained elsewhere. A smaller gap the search may close, the better the
			// multipliers the sooner.
			e.result.Status = Stalled
			return e.lookLast(ctx, looked)
		}
		if e.leaps {
			e.leaps = false
			history = history[:0]
			if !math.IsInf(few, -1) && few-e.result.LowerBound < enough*math.Abs(few) { // where all arcs prove as much, it has stalled with them as with few
				history = append(history, few, few, few)
			}
			few = math.Inf(-1)
		}
		history = append(history, e.result.LowerBound)
		n := len(history)
		if n <= patience {
			continue
		}
		gain, gap := history[n-1]-history[n-1-patience], e.result.UpperBound-history[n-1]
		if gain < enough*math.Abs(history[n-1]) && !(gain > most*gap) {
			e.result.Status = Stalled
			return e.lookLast(ctx, looked)
		}
	}
	e.result.Status = IterationLimit
	return nil
}

// lookLast looks for a better answer after the last round, unless that did.
func (e *engine) lookLast(ctx context.Context, looked bool) error {
	if looked || e.opts.NoAnswer {
		return nil
	}
	e.exchanges = true
	if err := e.lookNow(ctx); err != nil {
		return err
	}
	return e.primal(ctx, false)
}

// hopeless says whether the bounds will hardly meet in the rounds ahead, though each pass gains as
// much as those of this round, which began with the bound before.
func (e *engine) hopeless(before float64, passes int) bool {
	if e.ahead == 0 || e.best == nil {
		return false
	}
	each, left := (e.result.LowerBound-before)/float64(passes), 2*e.ahead+2-passes
	return each*float64(left) < e.result.UpperBound-e.result.LowerBound
}

// round is a pass and its mirror image, each followed by a look for better
// answers if that is wanted. It ends early when done is true.
//
// Where the bounds are far from each other a look goes on during the pass after it, as no answer
// would end the ascent.
func (e *engine) round(ctx context.Context, look bool) error {
	e.result.Rounds++
	if e.opts.Momentum > 0 && e.result.Rounds > 1 && !e.leaps {
		e.stride()
	}
	before := e.result.LowerBound
	for pass, out := range [2]bool{true, false} {
		if err := e.sweepAndLook(ctx, out); err != nil {
			return err
		}
		switch {
		case !look:
		case e.hopeless(before, pass+1):
			e.lookLater(out)
		default:
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

// A state is where the multipliers of a gap that say everything after a round lie
// in gap.all: in all[from:to]. Of these all[moves:still] may take steps.
//
// In a chunk that ended the round with a backward pass, U and Birth say
// everything, as the next pass computes V from them; in one that ended with a
// forward pass V and Death do. Next to a cut all four do. At a cut where two
// chunks meet in the next pass nothing moves, as nothing in this round would make
// up for a step too far.
type state struct{ from, to, moves, still int }

func (e *engine) state(p, chunk int) state {
	g := &e.gaps[p]
	n := len(g.U) + len(g.Birth)
	all := n + len(g.V) + len(g.Death)
	first, last := p == e.cuts[chunk] && p > 0, p+1 == e.cuts[chunk+1] && p+1 < len(e.gaps)
	switch even := chunk%2 == 0; {
	case even && last || !even && first:
		return state{0, all, 0, 0}
	case even && first:
		return state{0, all, 0, n}
	case !even && last:
		return state{0, all, n, all}
	case even:
		return state{0, n, 0, n}
	default:
		return state{n, all, n, all}
	}
}

// stride saves the state, and then repeats a share of the step that it took in the
// last round. The first step, from nothing, is not repeated.
func (e *engine) stride() {
	better := e.bound > e.kept
	e.kept = max(e.kept, e.bound)
	e.eachChunk(func(_ *worker, k int) error {
		for p := e.cuts[k]; p < e.cuts[k+1]; p++ {
			e.gaps[p].stride(e.state(p, k), better, e.opts.Momentum)
		}
		return nil
	})
}

func (g *gap) stride(s state, better bool, share float64) {
	before := g.last
	if before == nil || !better && g.lastIsBest { // the best stays as it is
		g.last = make([]float64, s.to-s.from)
	}
	for k := range g.last {
		v := g.all[s.from+k]
		if before != nil && s.moves <= s.from+k && s.from+k < s.still {
			g.all[s.from+k] += share * (v - before[k])
		}
		g.last[k] = v
	}
	if better {
		g.best = g.last
	}
	g.lastIsBest = better
}

// leap keeps what has been proved so far, in case that the next pass is interrupted: it begins with
// other multipliers.
func (e *engine) leap() {
	better := e.bound > e.kept
	e.kept, e.leaps = max(e.kept, e.bound), true
	e.each(func(p int) {
		g := &e.gaps[p]
		if better {
			s := e.state(p, e.chunkOf(p))
			g.best = slices.Clone(g.all[s.from:s.to])
		}
		g.last, g.lastIsBest = nil, false
	})
}

// chunkOf is the chunk of gap p.
func (e *engine) chunkOf(p int) int {
	k, _ := slices.BinarySearch(e.cuts, p+1)
	return k - 1
}

// restore takes back the multipliers that proved most, and computes the others.
func (e *engine) restore() error {
	e.eachChunk(func(_ *worker, k int) error {
		for p := e.cuts[k]; p < e.cuts[k+1]; p++ {
			s := e.state(p, k)
			copy(e.gaps[p].all[s.from:s.to], e.gaps[p].best)
		}
		return nil
	})
	return e.sweep(context.Background(), true)
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

// proved says whether the gap asked for is reached.
func (e *engine) proved() bool {
	return e.best != nil && relativeGap(e.result.LowerBound, e.result.UpperBound) <= e.opts.Gap
}

// finish fills what the result promises beyond the loop: the best answer, and
// the prices that prove the bound, those of the last pass or those kept.
func (e *engine) finish() error {
	r := &e.result
	r.Prices = make([]Prices, len(e.gaps))
	for p := range e.gaps {
		r.Prices[p] = e.gaps[p].Prices
	}
	if r.Status == Interrupted { // in the middle of a pass: see what its prices prove
		if e.bound = math.Inf(-1); !slices.ContainsFunc(r.Prices, func(m Prices) bool { return !m.finite() }) {
			e.bound = e.proves(r.Prices)
		}
		e.offer(e.newAnswer())
	}
	if e.kept > e.bound {
		if err := e.restore(); err != nil {
			return err
		}
	}
	switch {
	case r.Status == Interrupted:
		r.LowerBound = max(r.LowerBound, e.bound)
	case len(e.gaps) > 0 && e.pass > 0:
		for _, p := range e.cuts[1 : len(e.cuts)-1] { // the passes leave out what lies there
			e.bound += e.least(p)
		}
		r.LowerBound = max(r.LowerBound, e.bound)
	}
	for _, w := range slices.Concat(e.workers, e.lookers) { // a solver may live on, and what it has been told is part of the gaps
		w.list(nil)
	}
	r.Certified = min(e.bound, r.LowerBound)
	if e.best != nil {
		r.Next = e.best.next
	}
	if t := r.Trace; len(t) > 0 { // what came after the last pass
		t[len(t)-1].Lower, t[len(t)-1].Upper = r.LowerBound, r.UpperBound
	}
	return nil
}
