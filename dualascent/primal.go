package dualascent

import (
	"context"
	"math"
	"slices"

	"mtt/mapsolver"
)

// This file turns the state of the ascent into assignments: the chain of the
// X-LAPs' matchings, sequential rounding, repair, and the local search
// ("cut-and-rematch") that improves both.

// An answer is an assignment: next[p][i] is the arc of gap p that leaves node
// i, prev[p][j] the arc of gap p that enters node j; -1 is none.
type answer struct {
	next, prev [][]int32
}

func (e *engine) newAnswer() *answer {
	a := &answer{next: make([][]int32, len(e.gaps)), prev: make([][]int32, len(e.gaps))}
	for p := range e.gaps {
		a.next[p] = make([]int32, e.gaps[p].Rows)
		a.prev[p] = make([]int32, e.gaps[p].Cols)
		for i := range a.next[p] {
			a.next[p][i] = -1
		}
		for j := range a.prev[p] {
			a.prev[p][j] = -1
		}
	}
	return a
}

// link fills prev[p] from next[p].
func (e *engine) link(a *answer, p int) {
	prev, col := a.prev[p], e.gaps[p].Gap.Col
	for j := range prev {
		prev[j] = -1
	}
	for _, arc := range a.next[p] {
		if arc >= 0 {
			prev[col[arc]] = arc
		}
	}
}

// blockRow is the row of costs of in-arc a (-1: born) at node j of the block on
// the left of gap p: one cost for each out-arc, then death.
func (e *engine) blockRow(p, j int, a int32) []float64 {
	left, g, b := &e.gaps[p-1], &e.gaps[p], &e.inst.Blocks[p-1]
	width := g.Ptr[j+1] - g.Ptr[j] + 1
	row := b.Ptr[j+1] - width // born
	if a >= 0 {
		row = b.Ptr[j] + int(left.in.pos[a])*width
	}
	return b.D[row : row+width]
}

// outOf is the column of out-arc b (-1: death) of node i in its block.
func (g *gap) outOf(i int, b int32) int {
	if b < 0 {
		return g.Ptr[i+1] - g.Ptr[i]
	}
	return int(b) - g.Ptr[i]
}

// cost is the objective of an answer.
func (e *engine) cost(a *answer) float64 {
	var sum float64
	for p := range e.gaps {
		g := &e.gaps[p]
		var part float64 // gap by gap, to keep rounding small
		for i, arc := range a.next[p] {
			if arc >= 0 {
				part += g.Gap.Cost[arc]
			} else {
				part += g.RowMiss[i]
			}
			if p > 0 {
				part += e.blockRow(p, i, a.prev[p-1][i])[g.outOf(i, arc)]
			}
		}
		for j, arc := range a.prev[p] {
			if arc < 0 {
				part += g.ColMiss[j]
			}
		}
		sum += part
	}
	return sum
}

// offer repairs an answer and keeps a copy when it is the best so far.
func (e *engine) offer(a *answer) {
	c := e.cost(a)
	if math.IsInf(c, 1) {
		e.repair(a)
		c = e.cost(a)
	}
	if c >= e.result.UpperBound {
		return
	}
	e.result.UpperBound = c
	if e.result.Next == nil {
		e.result.Next = make([][]int32, len(e.gaps))
	}
	for p := range e.gaps {
		e.result.Next[p] = append(e.result.Next[p][:0], a.next[p]...)
	}
}

// repair cuts links at nodes whose combination of in-arc and out-arc is
// forbidden: first the in-arc, and the out-arc when that does not help.
func (e *engine) repair(a *answer) {
	for changed, tries := true, 0; changed && tries < 8; tries++ {
		changed = false
		for p := len(e.gaps) - 1; p > 0; p-- {
			g, left := &e.gaps[p], &e.gaps[p-1]
			for j, out := range a.next[p] {
				in := a.prev[p-1][j]
				if !math.IsInf(e.blockRow(p, j, in)[g.outOf(j, out)], 1) {
					continue
				}
				if in >= 0 {
					a.prev[p-1][j] = -1
					a.next[p-1][left.rowOf(in)] = -1
					changed = true
				}
				if out >= 0 && math.IsInf(e.blockRow(p, j, -1)[g.outOf(j, out)], 1) {
					a.next[p][j] = -1
					a.prev[p][g.Gap.Col[out]] = -1
					changed = true
				}
			}
		}
	}
}

// primal builds answers from the state after a pass: the chain after a forward
// one; the chain and the rounding, each improved by local search, after a
// backward one.
func (e *engine) primal(ctx context.Context, forward bool) error {
	chain := e.newAnswer()
	for p := range e.gaps {
		copy(chain.next[p], e.gaps[p].next)
		e.link(chain, p)
	}
	e.offer(chain)
	if forward || e.done() {
		return nil
	}
	if err := e.improve(ctx, chain); err != nil {
		return err
	}
	e.offer(chain)
	if e.done() {
		return nil
	}
	rounded := e.newAnswer()
	if err := e.round(ctx, rounded); err != nil {
		return err
	}
	e.offer(rounded)
	if err := e.improve(ctx, rounded); err != nil {
		return err
	}
	e.offer(rounded)
	return nil
}

// A rematch poses the assignment problem of one gap with what lies outside it
// fixed.
type rematch struct {
	lap mapsolver.Problem
	sol mapsolver.Solution
}

func (r *rematch) reset(g *gap) {
	r.lap.Rows, r.lap.Cols, r.lap.Ptr, r.lap.Col = g.Rows, g.Cols, g.Ptr, g.Gap.Col
	r.lap.Cost = slices.Grow(r.lap.Cost[:0], len(g.Gap.Col))[:len(g.Gap.Col)]
	r.lap.RowMiss = slices.Grow(r.lap.RowMiss[:0], g.Rows)[:g.Rows]
	r.lap.ColMiss = slices.Grow(r.lap.ColMiss[:0], g.Cols)[:g.Cols]
	copy(r.lap.Cost, g.Gap.Cost)
	copy(r.lap.RowMiss, g.RowMiss)
	copy(r.lap.ColMiss, g.ColMiss)
}

// fixLeft adds the block costs on the left of gap p, given the answer's in-arcs.
func (e *engine) fixLeft(r *rematch, p int, a *answer) {
	if p == 0 {
		return
	}
	g := &e.gaps[p]
	for i := range g.Rows {
		row := e.blockRow(p, i, a.prev[p-1][i])
		lo := g.Ptr[i]
		for s, d := range row[:len(row)-1] {
			r.lap.Cost[lo+s] += d
		}
		r.lap.RowMiss[i] += row[len(row)-1]
	}
}

// fixRight adds the block costs on the right of gap p, given the answer's
// out-arcs.
func (e *engine) fixRight(r *rematch, p int, a *answer) {
	if p == len(e.gaps)-1 {
		return
	}
	g, right, b := &e.gaps[p], &e.gaps[p+1], &e.inst.Blocks[p]
	for j := range g.Cols {
		width := right.Ptr[j+1] - right.Ptr[j] + 1
		at := b.Ptr[j] + right.outOf(j, a.next[p+1][j])
		for _, arc := range g.in.entry[g.in.ptr[j]:g.in.ptr[j+1]] {
			r.lap.Cost[arc] += b.D[at]
			at += width
		}
		r.lap.ColMiss[j] += b.D[at]
	}
}

// match solves the rematch of gap p. Forbidden combinations are priced out of
// reach first; what the matching says about them is up to the caller.
func (e *engine) match(ctx context.Context, r *rematch) error {
	bound(r.lap.Cost, e.forbidden)
	bound(r.lap.RowMiss, e.forbidden)
	bound(r.lap.ColMiss, e.forbidden)
	if err := e.solver.Solve(ctx, &r.sol, &r.lap, nil); err != nil {
		return err
	}
	e.result.Stats.Add(r.sol.Stats)
	return nil
}

func bound(c []float64, most float64) {
	for i, x := range c {
		if x > most {
			c[i] = most
		}
	}
}

// round builds an answer gap by gap from the left. The price of an arc is its
// own, that of the triplet with the in-arc already chosen, and U, what the last
// backward pass says the rest will cost.
func (e *engine) round(ctx context.Context, a *answer) error {
	r := &e.rematch
	for p := range e.gaps {
		g := &e.gaps[p]
		r.reset(g)
		e.fixLeft(r, p, a)
		for arc, u := range g.U {
			r.lap.Cost[arc] += u
		}
		for j, u := range g.Birth {
			r.lap.ColMiss[j] += u
		}
		if err := e.match(ctx, r); err != nil {
			return err
		}
		for i, arc := range r.sol.EntryOf {
			a.next[p][i] = int32(arc)
		}
		e.link(a, p)
	}
	return nil
}

// improve is the local search: with everything outside one gap fixed, the best
// matching of that gap is a linear assignment problem. Gaps next to a changed
// one are looked at again, in sweeps of alternating direction, until nothing
// changes.
func (e *engine) improve(ctx context.Context, a *answer) error {
	n := len(e.gaps)
	dirty := make([]bool, n)
	for p := range dirty {
		dirty[p] = true
	}
	r := &e.rematch
	for s, changed := 0, true; s < e.opts.Search && changed; s++ {
		changed = false
		for k := range n {
			p := k
			if s%2 == 1 {
				p = n - 1 - k
			}
			if !dirty[p] {
				continue
			}
			dirty[p] = false
			g := &e.gaps[p]
			r.reset(g)
			e.fixLeft(r, p, a)
			e.fixRight(r, p, a)
			if err := e.match(ctx, r); err != nil {
				return err
			}
			if now := matchingCost(&r.lap, a.next[p], a.prev[p]); r.sol.Cost >= now-1e-10*(1+math.Abs(now)) {
				continue
			}
			for i, arc := range r.sol.EntryOf {
				a.next[p][i] = int32(arc)
			}
			e.link(a, p)
			changed = true
			if p > 0 {
				dirty[p-1] = true
			}
			if p < n-1 {
				dirty[p+1] = true
			}
		}
	}
	return nil
}

// matchingCost is the cost of a matching under p.
func matchingCost(p *mapsolver.Problem, next, prev []int32) float64 {
	var sum float64
	for i, arc := range next {
		if arc >= 0 {
			sum += p.Cost[arc]
		} else {
			sum += p.RowMiss[i]
		}
	}
	for j, arc := range prev {
		if arc < 0 {
			sum += p.ColMiss[j]
		}
	}
	return sum
}

// forbiddenPrice is a finite price no optimal assignment pays unless it must:
// above the sum of the largest costs that a gap and its two blocks can charge
// one node, with room, and small enough to leave the other costs their digits.
func forbiddenPrice(inst *Instance) float64 {
	most := 1.0
	look := func(cs []float64) {
		for _, c := range cs {
			if c = math.Abs(c); c > most && c <= maxPrice {
				most = c
			}
		}
	}
	for p := range inst.Gaps {
		look(inst.Gaps[p].Cost)
		look(inst.Gaps[p].RowMiss)
		look(inst.Gaps[p].ColMiss)
	}
	for p := range inst.Blocks {
		look(inst.Blocks[p].D)
	}
	return 1e3 * most
}

// Greedy builds an assignment gap by gap from the left, each gap solved to
// optimality given what the gaps before it decided. It is the baseline that
// shows what looking ahead is worth. The second result is its cost.
func Greedy(ctx context.Context, inst *Instance) (next [][]int32, cost float64, err error) {
	e := newEngine(inst, &Options{NewSolver: newSSP})
	a := e.newAnswer()
	if err := e.round(ctx, a); err != nil {
		return nil, 0, err
	}
	e.offer(a)
	if e.result.Next == nil {
		return nil, 0, ErrInfeasible
	}
	return e.result.Next, e.result.UpperBound, nil
}
