package dualascent

import (
	"context"
	"math"
	"slices"

	"mtt/mapsolver"
)

// This file holds the second move of the local search: the nodes of one frame
// change places among the tracks that pass it.

// An exchange poses, for one frame with everything outside fixed, the
// assignment of its nodes to the places that they hold: a place is a pair
// (tail of the in-arc, head of the out-arc), either of which may be none. Two
// gaps change at once, which the rematch of a single gap cannot do; a track
// enters a coast node or leaves it this way.
type exchange struct {
	lap   mapsolver.Problem // rows: places; columns: nodes
	sol   mapsolver.Solution
	in    []int32 // len nnz: in-arc that the entry stands for; -1: born
	out   []int32 // len nnz: out-arc; -1: dies
	tail  []int32 // len Rows
	head  []int32 // len Rows
	entry []int32 // node → its arc to the head at hand, where mark is
	mark  []int32 // node → row for which entry is set

	row []float64 // block costs at the tail at hand
}

// exchange lets the nodes of frame f, an interior one, change places. It
// reports whether the answer is better now.
func (e *engine) exchange(ctx context.Context, w *worker, a *answer, f int) (bool, error) {
	x := &w.exchanged
	left, right := &e.gaps[f-1], &e.gaps[f]
	n := right.Rows
	p := &x.lap
	p.Rows, p.Cols = 0, n
	p.Ptr, p.Col, p.Cost = append(p.Ptr[:0], 0), p.Col[:0], p.Cost[:0]
	p.RowMiss, p.ColMiss = p.RowMiss[:0], slices.Grow(p.ColMiss[:0], n)[:n]
	x.in, x.out, x.tail, x.head = x.in[:0], x.out[:0], x.tail[:0], x.head[:0]
	x.entry, x.mark = slices.Grow(x.entry[:0], n)[:n], slices.Grow(x.mark[:0], n)[:n]
	for j := range n {
		x.mark[j] = -1
		p.ColMiss[j] = left.ColMiss[j] + e.blockCost(f, j, -1, -1) + right.RowMiss[j]
	}
	now := 0.0
	for j := range n {
		in, out := a.prev[f-1][j], a.next[f][j]
		if in < 0 && out < 0 {
			now += p.ColMiss[j]
			continue
		}
		now += x.place(e, a, f, in, out, j)
	}
	if len(p.Col) == p.Rows { // nothing to choose
		return false, nil
	}
	bound(p.Cost, e.forbidden)
	bound(p.RowMiss, e.forbidden)
	bound(p.ColMiss, e.forbidden)
	w.list(nil)
	if err := w.solver.Solve(ctx, &x.sol, p, nil); err != nil {
		return false, err
	}
	w.stats.Add(x.sol.Stats)
	if !(x.sol.Cost < now-1e-10*(e.unit+math.Abs(now))) {
		return false, nil
	}
	for j := range n {
		if in := a.prev[f-1][j]; in >= 0 {
			a.next[f-1][left.rowOf(in)] = -1
		}
		a.next[f][j] = -1
	}
	for r, k := range x.sol.EntryOf {
		if k < 0 {
			continue
		}
		if in := x.in[k]; in >= 0 {
			a.next[f-1][x.tail[r]] = in
		}
		if out := x.out[k]; out >= 0 {
			a.next[f][p.Col[k]] = out
		}
	}
	e.link(a, f-1)
	e.link(a, f)
	return true, nil
}

// place adds the row of a place: that of node at, between arcs in and out. It
// returns what the place costs now.
func (x *exchange) place(e *engine, a *answer, f int, in, out int32, at int) (now float64) {
	left, right := &e.gaps[f-1], &e.gaps[f]
	p := &x.lap
	r := int32(p.Rows)
	p.Rows++
	tail, head := int32(-1), int32(-1)
	into := int32(-1) // in-arc of the tail
	dissolved := 0.0
	x.row = x.row[:0]
	if in >= 0 {
		tail = left.rowOf(in)
		dissolved += left.RowMiss[tail]
		if f > 1 {
			into = a.prev[f-2][tail]
			x.row = e.appendRow(x.row, f-1, int(tail), into)
			dissolved += x.row[len(x.row)-1]
		}
	}
	if out >= 0 {
		head = right.FramePair.Col[out]
		dissolved += right.ColMiss[head] + e.after(a, f, head, -1)
		for k := right.in.Ptr[head]; k < right.in.Ptr[head+1]; k++ {
			j := right.in.Row[k]
			x.mark[j], x.entry[j] = r, right.in.Entry[k]
		}
	}
	add := func(j, in, out int32) {
		cost := left.ColMiss[j]
		if in >= 0 {
			cost = left.FramePair.Cost[in]
			if f > 1 {
				cost += x.row[int(in)-left.Ptr[tail]]
			}
		}
		cost += e.blockCost(f, int(j), in, out)
		if out >= 0 {
			cost += right.FramePair.Cost[out] + e.after(a, f, head, out)
		} else {
			cost += right.RowMiss[j]
		}
		if int(j) == at {
			now = cost
		}
		p.Col, p.Cost = append(p.Col, j), append(p.Cost, cost)
		x.in, x.out = append(x.in, in), append(x.out, out)
	}
	if in >= 0 {
		for k := left.Ptr[tail]; k < left.Ptr[tail+1]; k++ {
			j := left.FramePair.Col[k]
			switch {
			case out < 0:
				add(j, int32(k), -1)
			case x.mark[j] == r:
				add(j, int32(k), x.entry[j])
			}
		}
	} else {
		for k := right.in.Ptr[head]; k < right.in.Ptr[head+1]; k++ {
			add(right.in.Row[k], -1, right.in.Entry[k])
		}
	}
	p.Ptr = append(p.Ptr, len(p.Col))
	p.RowMiss = append(p.RowMiss, dissolved)
	x.tail, x.head = append(x.tail, tail), append(x.head, head)
	return now
}

// after is the block cost at a node of frame f+1 entered by arc in of gap f
// (-1: born), given the answer's out-arc there; 0 in the last frame.
func (e *engine) after(a *answer, f int, node, in int32) float64 {
	if f+1 == len(e.gaps) {
		return 0
	}
	return e.blockCost(f+1, int(node), in, a.next[f+1][node])
}
