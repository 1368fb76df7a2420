package dualascent

import (
	"context"
	"math"
	"slices"
)

// This file turns the state of the ascent into assignments: the chain of the
// X-LAPs' matchings, sequential rounding, and repair.

// An answer is an assignment: next[p][i] is the arc of gap p that leaves node
// i, prev[p][j] the arc of gap p that enters node j; -1 is none.
type answer struct {
	next, prev [][]int32

	parts   []float64 // what gap p comes to in the cost
	changed []bool    // of gap p: it has other arcs since then

	lookout // of the local search
}

func (e *engine) newAnswer() *answer {
	n := len(e.gaps)
	a := &answer{next: make([][]int32, n), prev: make([][]int32, n), parts: make([]float64, n), changed: make([]bool, n), lookout: newLookout(n)}
	var s stock
	for p := range e.gaps {
		a.changed[p] = true
		a.next[p], a.prev[p] = s.none(e.gaps[p].Rows), s.none(e.gaps[p].Cols)
	}
	return a
}

// link fills prev[p] from next[p].
func (e *engine) link(a *answer, p int) {
	a.changed[p] = true
	prev, col := a.prev[p], e.gaps[p].FramePair.Col
	for j := range prev {
		prev[j] = -1
	}
	for _, arc := range a.next[p] {
		if arc >= 0 {
			prev[col[arc]] = arc
		}
	}
}

// blockCost is the cost of in-arc a (-1: born) with out-arc b (-1: dies) at node j
// of frame f.
func (e *engine) blockCost(f, j int, a, b int32) float64 {
	g := &e.gaps[f]
	if g.rank != nil {
		return g.rank.cost(j, a, b)
	}
	return e.inst.Blocks[f-1].cost(g.FramePair, e.gaps[f-1].in.pos, j, a, b)
}

// cost is that of in-arc in (-1: born) with out-arc out (-1: dies) at node j of a block with costs,
// on the left of gap g. pos is where each in-arc stands among those of its node.
func (b *Block) cost(g *FramePair, pos []int32, j int, in, out int32) float64 {
	first, last := g.Ptr[j], g.Ptr[j+1] // arcs; where the last would be death is
	at := b.Ptr[j+1] - 1 + first - last
	if in >= 0 {
		at = b.Ptr[j] + int(pos[in])*(last-first+1)
	}
	if out < 0 {
		return b.D[at+last-first]
	}
	return b.D[at+int(out)-first]
}

// blockRow is the row of costs of in-arc a (-1: born) at node j of the block on
// the left of gap p: one cost for each out-arc, then death. It is part of the
// instance or, where the block has values, made anew.
func (e *engine) blockRow(p, j int, a int32) []float64 {
	left, g, b := &e.gaps[p-1], &e.gaps[p], &e.inst.Blocks[p-1]
	if g.rank != nil {
		return e.appendRow(nil, p, j, a)
	}
	width := g.Ptr[j+1] - g.Ptr[j] + 1
	row := b.Ptr[j+1] - width // born
	if a >= 0 {
		row = b.Ptr[j] + int(left.in.pos[a])*width
	}
	return b.D[row : row+width]
}

// appendRow appends the costs of [engine.blockRow] to dst.
func (e *engine) appendRow(dst []float64, p, j int, a int32) []float64 {
	g := &e.gaps[p]
	if g.rank == nil {
		return append(dst, e.blockRow(p, j, a)...)
	}
	from, n := len(dst), g.Ptr[j+1]-g.Ptr[j]
	dst = slices.Grow(dst, n+1)[:from+n+1]
	clear(dst[from:])
	dst[from+n] = g.rank.addRow(dst[from:from+n], g.Ptr[j], j, a)
	return dst
}

// outOf is the column of out-arc b (-1: death) of node i in its block.
func (g *gap) outOf(i int, b int32) int {
	if b < 0 {
		return g.Ptr[i+1] - g.Ptr[i]
	}
	return int(b) - g.Ptr[i]
}

// cost is the objective of an answer: gap by gap, to keep rounding small, of which it looks at
// those that have changed.
func (e *engine) cost(a *answer) float64 {
	e.each(func(p int) {
		if a.changed[p] || p > 0 && a.changed[p-1] {
			a.parts[p] = e.costAt(a, p)
		}
	})
	clear(a.changed)
	var sum float64
	for _, x := range a.parts {
		sum += x
	}
	return sum
}

// costAt is the part of gap p, and of the blocks on its left, in the objective.
func (e *engine) costAt(a *answer, p int) float64 {
	return e.gaps[p].costOf(a.next[p], a.prev[p], p > 0, func(i int, out int32) float64 { return e.blockCost(p, i, a.prev[p-1][i], out) })
}

// costOf is what the arcs of an answer out of rows and into columns of a gap cost, and, if there is
// a block on its left, what that says of each row and its arc.
func (g *FramePair) costOf(next, prev []int32, left bool, block func(i int, out int32) float64) (part float64) {
	for i, arc := range next {
		if arc >= 0 {
			part += g.Cost[arc]
		} else {
			part += g.RowMiss[i]
		}
		if left {
			part += block(i, arc)
		}
	}
	for j, arc := range prev {
		if arc < 0 {
			part += g.ColMiss[j]
		}
	}
	return part
}

// offer repairs an answer and joins it with the best so far.
func (e *engine) offer(a *answer) {
	if e.best == nil {
		c := e.cost(a)
		if math.IsInf(c, 1) {
			e.repair(a)
			if c = e.cost(a); math.IsInf(c, 1) {
				return
			}
		}
		e.best = e.newAnswer()
		for p := range e.gaps {
			copy(e.best.next[p], a.next[p])
			copy(e.best.prev[p], a.prev[p])
		}
		copy(e.best.parts, a.parts)
		copy(e.best.changed, a.changed)
		e.result.UpperBound = c
		return
	}
	if e.merge(e.best, a) {
		e.result.UpperBound = e.cost(e.best)
	}
}

// repair cuts links at nodes whose combination of in-arc and out-arc is
// forbidden: first the in-arc, and the out-arc when that does not help.
func (e *engine) repair(a *answer) {
	for changed := true; changed; { // each time with fewer links
		changed = false
		for p := len(e.gaps) - 1; p > 0; p-- {
			g, left := &e.gaps[p], &e.gaps[p-1]
			for j, out := range a.next[p] {
				in := a.prev[p-1][j]
				if !math.IsInf(e.blockCost(p, j, in, out), 1) {
					continue
				}
				if in >= 0 {
					a.prev[p-1][j] = -1
					a.next[p-1][left.rowOf(in)] = -1
					a.changed[p-1], changed = true, true
				}
				if out >= 0 && math.IsInf(e.blockCost(p, j, -1, out), 1) {
					a.next[p][j] = -1
					a.prev[p][g.FramePair.Col[out]] = -1
					a.changed[p], changed = true, true
				}
			}
		}
	}
}

// primal builds answers from the state after the first or the second pass of a
// round: the chain of its matchings, and the rounding in the opposite direction.
// What is best of both is improved by local search.
func (e *engine) primal(ctx context.Context, first bool) error {
	a := e.scratch
	e.each(func(p int) {
		copy(a.next[p], e.gaps[p].next)
		e.link(a, p)
	})
	if e.offer(a); e.done() {
		return nil
	}
	if err := e.eachChunk(func(w *worker, k int) error {
		return e.rounding(ctx, w, a, e.cuts[k], e.cuts[k+1], !forward(k, first))
	}); err != nil {
		return err
	}
	if e.offer(a); e.done() || e.best == nil || e.opts.Search == 0 {
		return nil
	}
	better, err := e.improve(ctx, e.best)
	if better || err != nil {
		e.result.UpperBound = e.cost(e.best)
	}
	return err
}

// rounding builds an answer for the gaps from ≤ p < to, from the left or from the
// right. The price of an arc is its own, that of the triplet with the arc already
// chosen, and what the last pass, which came from the other side, says the rest
// will cost: U after a backward pass, V after a forward one. At a cut, where nothing
// is chosen yet, U or V stand for the triplet as well.
func (e *engine) rounding(ctx context.Context, w *worker, a *answer, from, to int, fromLeft bool) error {
	r := &w.rematch
	for k := range to - from {
		p := from + k
		if !fromLeft {
			p = to - 1 - k
		}
		g := &e.gaps[p]
		r.reset(g)
		switch {
		case fromLeft && k > 0:
			e.fixLeft(r, p, a)
		case !fromLeft && k > 0:
			e.fixRight(r, p, a)
		}
		if fromLeft || k == 0 {
			add(r.lap.Cost, g.U)
			add(r.lap.ColMiss, g.Birth)
		}
		if !fromLeft || k == 0 {
			add(r.lap.Cost, g.V)
			add(r.lap.RowMiss, g.Death)
		}
		r.start(g, g.next)
		if err := e.match(ctx, w, r); err != nil {
			return err
		}
		for i, arc := range r.sol.EntryOf {
			a.next[p][i] = int32(arc)
		}
		e.link(a, p)
	}
	return nil
}

// price sets what depends on the unit of the costs, of which the largest is given.
// The price of what is forbidden is finite, and no optimal assignment pays it unless it
// must: it is above the sum of the largest costs that a gap and its two blocks can charge
// one node, with room, and small enough to leave the other costs their digits.
func (e *engine) price(largest float64) {
	e.unit = min(1, largest)
	e.tolerance, e.forbidden = 1e-10*e.unit, 1e3*largest
	if largest == 0 {
		e.forbidden = 1
	}
}

// largest is the largest finite cost, whatever its sign.
func (inst *Instance) largest() float64 {
	most := 0.0
	look := func(cs []float64) {
		for _, c := range cs {
			if c = math.Abs(c); c > most && c <= maxPrice {
				most = c
			}
		}
	}
	for p := range inst.Pairs {
		look(inst.Pairs[p].Cost)
		look(inst.Pairs[p].RowMiss)
		look(inst.Pairs[p].ColMiss)
	}
	for p := range inst.Blocks {
		look(inst.Blocks[p].D)
		if f := inst.Blocks[p].Differences; f != nil {
			look(f.Birth)
			look(f.Death)
			look(f.Alone)
			most = max(most, f.spread())
		}
	}
	return most
}

// Greedy builds an assignment gap by gap from the left, each gap solved to
// optimality given what the gaps before it decided. It is the baseline that
// shows what looking ahead is worth. The second result is its cost.
func Greedy(ctx context.Context, inst *Instance) (next [][]int32, cost float64, err error) {
	e := newEngine(inst, &Options{NewSolver: newSSP})
	a := e.newAnswer()
	if err := e.rounding(ctx, e.workers[0], a, 0, len(e.gaps), true); err != nil {
		return nil, 0, err
	}
	e.offer(a)
	if e.best == nil {
		return nil, 0, ErrInfeasible
	}
	return e.best.next, e.result.UpperBound, nil
}
