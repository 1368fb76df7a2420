package dualascent

import (
	"context"
	"math"
	"reflect"
	"slices"

	"mtt/mapsolver"
)

// SmallChunks cuts instances into chunks of as many frame pairs as gaps says, however small they
// are, and shares out the nodes of each frame, until the returned function is called.
func SmallChunks(gaps int) (restore func()) {
	costs, before, each := chunkCosts, chunkGaps, nodeCosts
	chunkCosts, chunkGaps, nodeCosts = 0, gaps, 1
	return func() { chunkCosts, chunkGaps, nodeCosts = costs, before, each }
}

// ThinTo has ascents go on among so many arcs of each port, however few there are, until the
// returned function is called.
func ThinTo(arcs int) (restore func()) {
	before, costs, share := thinArcs, thinCosts, thinShare
	thinArcs, thinCosts, thinShare = arcs, 0, 0
	return func() { thinArcs, thinCosts, thinShare = before, costs, share }
}

// OpenAll has ascents go on with what is open and what so many arcs in a row lead to, be it all but
// one node, until the returned function is called.
func OpenAll(hops int) (restore func()) {
	before, costs, share := openHops, openCosts, openShare
	openHops, openCosts, openShare = hops, 0, 1
	return func() { openHops, openCosts, openShare = before, costs, share }
}

// LeaveRest has the search leave all that an ascent among few arcs has stalled on, until the
// returned function is called.
func LeaveRest() (restore func()) {
	share, work := half, branchWork
	half, branchWork = 0, math.Inf(1)
	return func() { half, branchWork = share, work }
}

// SmallParts makes parts of as many costs at least of instances of any size, until the returned
// function is called.
func SmallParts(costs int) (restore func()) {
	least, before := apartCosts, partCosts
	apartCosts, partCosts = 0, costs
	return func() { apartCosts, partCosts = least, before }
}

// SearchMargins searches for margins after so many cells that Best has solved in vain, until the
// returned function is called.
func SearchMargins(cells int) (restore func()) {
	before := few
	few = cells
	return func() { few = before }
}

// SettleUpTo has instances with so many arcs in a gap looked at without an engine, none with −1,
// until the returned function is called.
func SettleUpTo(arcs int) (restore func()) {
	before := fewArcs
	fewArcs = arcs
	return func() { fewArcs = before }
}

// Parts is the number of parts that an instance is solved in.
func (inst *Instance) Parts() int {
	if s := inst.split(1); s != nil {
		return s.parts
	}
	return 1
}

// Gaps is the number of gaps that the parts of an instance are cut out of, all together.
func (inst *Instance) Gaps() (n int) {
	s := inst.split(1)
	for k := range s.parts {
		from, to := s.span(k)
		n += to - from
	}
	return n
}

// Met compares what is said of the parts that are proved by the prices and the answer of opts with
// what solving each of them says: their number, and the first part of which anything differs, or
// -1.
func Met(inst *Instance, opts Options) (met, wrong int) {
	s := inst.split(1)
	opts.Gap, opts.NewSolver, opts.MaxRounds, opts.Effort = optimalGap, newSSP, 1, 0
	if s == nil || !s.known(&opts) {
		return 0, -1
	}
	var x glance
	pieces := make([]piece, s.parts)
	for k := range pieces {
		pieces[k].k = k
	}
	s.met(&x, pieces, &opts)
	for k := range pieces {
		f, ok, res := &pieces[k].fragment, !pieces[k].open, pieces[k].known
		f.reserve(len(inst.Pairs))
		for p := range inst.Pairs {
			s.cutGap(f, p, k, &opts)
		}
		for p := range inst.Blocks {
			s.cutBlock(f, p+1, k)
		}
		own := opts
		own.Prices, own.Next = f.prices, f.next
		full, err := solveWhole(context.Background(), &f.inst, &own)
		if ok != (err == nil && full.Rounds == 0) {
			return met, k
		}
		if ok {
			met++
			same := slices.EqualFunc(full.Next, f.next, slices.Equal)
			full.Next, full.Prices = nil, nil
			if !same || !reflect.DeepEqual(*full, res) {
				return met, k
			}
		}
	}
	return met, -1
}

// NoFewPairs keeps values as they are, however few pairs there are, until the
// returned function is called.
func NoFewPairs() (restore func()) {
	before := fewPairs
	fewPairs = -1
	return func() { fewPairs = before }
}

// Pull takes the minima of block 0 of inst, which has one, in both directions. It
// returns how to do so again.
func Pull(inst *Instance) func() {
	e := newEngine(inst, &Options{NewSolver: newSSP})
	return func() {
		e.pullRight(1)
		e.pullLeft(0)
	}
}

// Confined is what a better answer than one known after some rounds, and a level pass, may use:
// arcs, deaths and births of each gap. gap is that of the answer, -1 where none is known.
func Confined(inst *Instance, rounds int) (arc, death, birth [][]bool, gap float64) {
	e := newEngine(inst, &Options{NewSolver: newSSP, Balance: 1})
	for range rounds {
		if e.round(context.Background(), true) != nil {
			return nil, nil, nil, -1
		}
	}
	r := newReduction(context.Background(), e)
	if e.best == nil || r.dead || !r.admits(e.best) || e.level(context.Background()) != nil {
		return nil, nil, nil, -1
	}
	r.confine(e.best, 0)
	return r.arc, r.death, r.birth, e.result.UpperBound - e.bound
}

// FirstEffort has the search for margins begin with so little effort by default, until the returned
// function is called.
func FirstEffort(effort float64) (restore func()) {
	before := firstEffort
	firstEffort = effort
	return func() { firstEffort = before }
}

// Improve counts the assignment problems that the local search of the answer of a round takes, by
// what solves says: until it finds nothing, once more, and when the answer has lost the arc of a row
// of gap p and got it back from another.
func Improve(inst *Instance, newSolver func() mapsolver.Solver, p int, solves func() int) (first, again, changed int, err error) {
	ctx := context.Background()
	e := newEngine(inst, &Options{NewSolver: newSolver, Balance: 1, Search: 50})
	if err := e.round(ctx, true); err != nil {
		return 0, 0, 0, err
	}
	e.exchanges = true
	before := solves()
	look := func(a *answer) (n int, err error) {
		for better := true; better && err == nil; {
			better, err = e.improve(ctx, a)
		}
		n = solves() - before
		before += n
		return n, err
	}
	e.best.lookout = newLookout(len(e.gaps))
	if first, err = look(e.best); err != nil {
		return 0, 0, 0, err
	}
	if again, err = look(e.best); err != nil {
		return 0, 0, 0, err
	}
	a := e.newAnswer()
	for q := range e.gaps {
		copy(a.next[q], e.best.next[q])
	}
	a.next[p][slices.IndexFunc(a.next[p], func(arc int32) bool { return arc >= 0 })] = -1
	e.linkAll(a)
	a.lookout = e.best.lookout
	e.merge(a, e.best)
	changed, err = look(a)
	return first, again, changed, err
}
