package dualascent

import (
	"context"
	"math"
	"slices"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file holds the local search ("cut-and-rematch") and the assignment
// problem of one gap with what lies outside it fixed.

// improve is the local search. Its first move is the best matching of one gap
// with everything outside fixed, a linear assignment problem; the second is
// exchange. Gaps and frames next to a change are looked at again, in sweeps of
// alternating direction, until nothing changes. What has no slack cannot
// improve and is left alone. It reports whether the answer is better now.
//
// First each chunk is searched by itself, but for its last gap, which the
// next one sees; then all gaps together, where there is something left to look at.
//
// What a move finds does not depend on multipliers. So what has been looked at in vain is looked at
// again only when the answer has changed next to it, by this search or by what it was joined with.
func (e *engine) improve(ctx context.Context, a *answer) (better bool, err error) {
	n, l := len(e.gaps), &a.lookout
	if !slices.Contains(l.gap, true) && !slices.Contains(l.frame, true) {
		return false, nil
	}
	e.measure(&e.slacks, a)
	if chunks := len(e.cuts) - 1; chunks > 1 {
		found := make([]bool, chunks)
		err = e.eachChunk(func(w *worker, k int) (err error) {
			to := e.cuts[k+1]
			if k+1 < chunks {
				to--
			}
			found[k], err = e.search(ctx, w, a, l, e.cuts[k], to)
			return err
		})
		better = slices.Contains(found, true)
		if err != nil {
			return better, err
		}
	}
	found, err := e.search(ctx, e.workers[0], a, l, 0, n)
	for _, cut := range e.cuts[1 : len(e.cuts)-1] { // what chunks have changed the next one did not see
		l.touch(cut-1, cut, 0, n)
	}
	return better || found, err
}

// A lookout says what is to be looked at: gaps, and frames (frame p is left of gap
// p).
type lookout struct{ gap, frame []bool }

func newLookout(gaps int) lookout {
	l := lookout{make([]bool, gaps), make([]bool, gaps)}
	for p := range gaps {
		l.gap[p], l.frame[p] = true, p > 0
	}
	return l
}

// touch has a look taken at what is next to gaps first ≤ p ≤ last, which have changed, of the gaps
// from ≤ p < to.
func (l *lookout) touch(first, last, from, to int) {
	for q := max(from, first-1); q < min(to, last+2); q++ {
		l.gap[q] = true
	}
	for f := max(from+1, first-1); f < min(to, last+3); f++ {
		l.frame[f] = true
	}
}

// search is the local search of the gaps from ≤ p < to.
func (e *engine) search(ctx context.Context, w *worker, a *answer, l *lookout, from, to int) (better bool, err error) {
	s := &e.slacks
	exchanges := e.exchanges || relativeGap(e.bound, e.result.UpperBound) < 1e-5
	touch := func(first, last int) { // gaps first ≤ p ≤ last have changed
		e.remeasure(s, a, first, last)
		l.touch(first, last, from, to)
	}
	for sweep, changed := 0, true; sweep < e.opts.Search && changed; sweep++ {
		changed = false
		for k := range to - from {
			p := from + k
			if sweep%2 == 1 {
				p = to - 1 - k
			}
			if !l.gap[p] || s.ofGap(p) <= s.least {
				continue
			}
			found, err := e.rematchGap(ctx, w, a, p)
			if err != nil {
				return better, err
			}
			if found {
				changed = true
				touch(p, p)
			}
			l.gap[p] = false
		}
		if changed {
			better = true
			continue
		}
		for f := from + 1; f < to && exchanges; f++ {
			if !l.frame[f] || s.ofFrame(f) <= s.least {
				continue
			}
			found, err := e.exchange(ctx, w, a, f)
			if err != nil {
				return better, err
			}
			if found {
				changed, better = true, true
				touch(f-1, f)
			}
			l.frame[f] = false
		}
	}
	return better, nil
}

// rematchGap finds the best matching of gap p with everything outside fixed. It
// reports whether the answer is better now.
func (e *engine) rematchGap(ctx context.Context, w *worker, a *answer, p int) (bool, error) {
	r := &w.rematch
	r.reset(&e.gaps[p])
	e.fixLeft(r, p, a)
	e.fixRight(r, p, a)
	r.start(&e.gaps[p], a.next[p])
	if p < len(e.gaps)-1 { // the costs of the right blocks contain these multipliers
		right := &e.gaps[p+1]
		for j, out := range a.next[p+1] {
			if out >= 0 {
				r.sol.V[j] += right.V[out]
			} else {
				r.sol.V[j] += right.Death[j]
			}
		}
	}
	if err := e.match(ctx, w, r); err != nil {
		return false, err
	}
	if now := matchingCost(&r.lap, a.next[p], a.prev[p]); r.sol.Cost >= now-1e-10*(e.unit+math.Abs(now)) {
		return false, nil
	}
	for i, arc := range r.sol.EntryOf {
		a.next[p][i] = int32(arc)
	}
	e.link(a, p)
	return true, nil
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

// A rematch poses the assignment problem of one gap with what lies outside it
// fixed.
type rematch struct {
	lap     mapsolver.Problem
	sol     mapsolver.Solution // where it starts from, then what it is
	columns *mapsolver.Columns // of the pattern
}

func (r *rematch) reset(g *gap) {
	r.lap.Rows, r.lap.Cols, r.lap.Ptr, r.lap.Col = g.Rows, g.Cols, g.Ptr, g.FramePair.Col
	r.columns = &g.in.Columns
	r.lap.Cost = slices.Grow(r.lap.Cost[:0], len(g.FramePair.Col))[:len(g.FramePair.Col)]
	r.lap.RowMiss = slices.Grow(r.lap.RowMiss[:0], g.Rows)[:g.Rows]
	r.lap.ColMiss = slices.Grow(r.lap.ColMiss[:0], g.Cols)[:g.Cols]
	copy(r.lap.Cost, g.FramePair.Cost)
	copy(r.lap.RowMiss, g.RowMiss)
	copy(r.lap.ColMiss, g.ColMiss)
}

// start makes the prices and the matching that the solver starts from: the
// prices of the X-LAP of g, and next.
func (r *rematch) start(g *gap, next []int32) {
	r.sol.V = append(r.sol.V[:0], g.Prices.Col...)
	r.sol.ColOf, r.sol.EntryOf = slab.Grow(r.sol.ColOf, g.Rows), slab.Grow(r.sol.EntryOf, g.Rows)
	for i, arc := range next {
		r.sol.EntryOf[i], r.sol.ColOf[i] = int(arc), -1
		if arc >= 0 {
			r.sol.ColOf[i] = g.FramePair.Col[arc]
		}
	}
}

// fixLeft adds the block costs on the left of gap p, given the answer's in-arcs.
func (e *engine) fixLeft(r *rematch, p int, a *answer) {
	if p == 0 {
		return
	}
	g := &e.gaps[p]
	for i := range g.Rows {
		lo, in := g.Ptr[i], a.prev[p-1][i]
		if g.rank != nil {
			r.lap.RowMiss[i] += g.rank.addRow(r.lap.Cost[lo:g.Ptr[i+1]], lo, i, in)
			continue
		}
		row := e.blockRow(p, i, in)
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
		if right.rank != nil {
			r.lap.ColMiss[j] += right.rank.addColumn(r.lap.Cost, g.in.at(j), j, a.next[p+1][j])
			continue
		}
		width := right.Ptr[j+1] - right.Ptr[j] + 1
		at := b.Ptr[j] + right.outOf(j, a.next[p+1][j])
		for _, arc := range g.in.Entry[g.in.Ptr[j]:g.in.Ptr[j+1]] {
			r.lap.Cost[arc] += b.D[at]
			at += width
		}
		r.lap.ColMiss[j] += b.D[at]
	}
}

// match solves the rematch of gap p. Forbidden combinations are priced out of
// reach first; what the matching says about them is up to the caller.
func (e *engine) match(ctx context.Context, w *worker, r *rematch) error {
	w.list(r.columns)
	bound(r.lap.Cost, e.forbidden)
	bound(r.lap.RowMiss, e.forbidden)
	bound(r.lap.ColMiss, e.forbidden)
	if err := w.solver.Solve(ctx, &r.sol, &r.lap, &r.sol.Duals); err != nil {
		return err
	}
	w.stats.Add(r.sol.Stats)
	return nil
}

func bound(c []float64, most float64) {
	for i, x := range c {
		if x > most {
			c[i] = most
		}
	}
}

// add adds src to dst.
func add(dst, src []float64) {
	for i, x := range src {
		dst[i] += x
	}
}
