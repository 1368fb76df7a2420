package dualascent

import (
	"context"
	"slices"
)

// This file goes on where bounds do not meet yet, and nowhere else.
//
// Problem. In a long scene arcs join nearly all tracks at some time or other, so that it does not
// fall apart (file apart.go). After the first round the bounds meet nearly everywhere, and each
// round after it goes through all of memory for a few places.
//
// Idea. The slacks of the best answer (file slack.go) say where bounds differ. The nodes there, and
// those that a few arcs in a row lead to, make an instance of their own. A node at its edge keeps
// what the answer does outside: that port has no arc, and the arc of the answer in place of birth
// or death. Answers of it are answers of the whole with the rest as it is. Its ascent begins with
// the multipliers of the whole, and those that it ends with are put back; the next round shows what
// they prove.
//
// Cost. One look at what the answer takes, then a copy of what is open.

// openHops is how many arcs lead from where bounds differ to the edge: what a change of prices
// comes to falls with each. Tests take fewer.
var openHops = 6

// An instance of openCosts costs or more is looked at for what is open, of which there may be the
// share openShare of the nodes. Tests look at all.
var openCosts, openShare = 300_000, 1. / 8

// An opening is the instance of what is open. Its nodes are some of the whole's, by frame.
type opening struct {
	*engine // of the whole
	part    Instance
	nodes   [][]int32 // of the part: numbers in the whole, ascending
	at      [][]int32 // of the whole: numbers in the part; -1: not there
	into    [][]int32 // of the part: arc of the answer that stands in place of birth; -1: none
	out     [][]int32 // and of death
	arcs    [][]int32 // of each gap of the part: numbers in the whole
}

// open goes on with what is open of the best answer after a round, and puts back what it finds.
// Where that is nothing, or too much, it leaves all as it is.
func (e *engine) open(ctx context.Context) error {
	odd := func(g gap) bool { return g.rank != nil }
	if e.few || e.closed || e.inst.size() < openCosts || slices.ContainsFunc(e.gaps, odd) {
		return nil
	}
	if err := e.lookNow(ctx); err != nil || e.best == nil { // it reads the answer that will change
		return err
	}
	o := &opening{engine: e}
	if !o.find() {
		return nil
	}
	o.cut()
	opts := *e.opts
	opts.Progress, opts.Effort = nil, 0
	opts.Prices, opts.Next = o.known()
	res, err := o.part.solve(ctx, &opts)
	if err != nil {
		return err
	}
	e.closed, e.stuck = res.Status != Optimal, res.UpperBound-res.LowerBound
	e.result.Stats.Add(res.Stats)
	o.put(res)
	return nil
}

// find finds the nodes that are open, and says whether it is worth while to go on with these alone.
func (o *opening) find() bool {
	a, n := o.best, len(o.gaps)
	o.nodes, o.at = make([][]int32, n+1), make([][]int32, n+1)
	differs := func(f, i int) bool {
		x := 0.0
		if f < n {
			x = o.gaps[f].outSlack(i, a.next[f][i])
		}
		if f > 0 && a.prev[f-1][i] < 0 {
			x = max(x, o.gaps[f-1].birthSlack(i))
		}
		if f > 0 && f < n {
			c := o.blockSlack(a, f, i)
			if _, cut := slices.BinarySearch(o.cuts, f); cut && c > o.tolerance { // passes leave something there
				c -= o.leastAt(f, i)
			}
			x = max(x, c)
		}
		return x > o.tolerance
	}
	look := func(f int) {
		for i := range o.engine.nodes(f) {
			if differs(f, i) {
				o.nodes[f] = append(o.nodes[f], int32(i))
			}
		}
	}
	o.each(look)
	look(n)
	most, all := 0, 0
	for f := range o.nodes {
		most, all = most+o.engine.nodes(f), all+len(o.nodes[f])
	}
	few := func() bool { return all > 0 && float64(all) < openShare*float64(most) }
	if !few() {
		return false
	}
	for f, nodes := range o.nodes {
		o.at[f] = slices.Repeat([]int32{-1}, o.engine.nodes(f))
		for _, i := range nodes {
			o.at[f][i] = 0
		}
	}
	begin, end := make([]int, n+1), make([]int, n+1) // of the nodes that the last hop came to
	for range openHops {
		for f := range o.nodes {
			end[f] = len(o.nodes[f])
		}
		for f := range o.nodes {
			for k := begin[f]; k < end[f]; k++ {
				o.hop(f, o.nodes[f][k])
			}
		}
		begin, end = end, begin
		all = 0
		for f := range o.nodes {
			all += len(o.nodes[f])
		}
	}
	return few()
}

// add adds a node.
func (o *opening) add(f int, i int32) {
	if o.at[f][i] < 0 {
		o.at[f][i] = 0
		o.nodes[f] = append(o.nodes[f], i)
	}
}

// hop adds the neighbours of a node.
func (o *opening) hop(f int, i int32) {
	if f < len(o.gaps) {
		g := &o.gaps[f]
		for _, j := range g.FramePair.Col[g.Ptr[i]:g.Ptr[i+1]] {
			o.add(f+1, j)
		}
	}
	if f > 0 {
		g := &o.gaps[f-1]
		for _, k := range g.in.Row[g.in.Ptr[i]:g.in.Ptr[i+1]] {
			o.add(f-1, k)
		}
	}
}

// cut makes the instance of the nodes.
func (o *opening) cut() {
	n := len(o.gaps)
	o.into, o.out, o.arcs = make([][]int32, n+1), make([][]int32, n+1), make([][]int32, n)
	for f, nodes := range o.nodes {
		slices.Sort(nodes)
		for k, i := range nodes {
			o.at[f][i] = int32(k)
		}
	}
	for f, nodes := range o.nodes {
		o.into[f], o.out[f] = slices.Repeat([]int32{-1}, len(nodes)), slices.Repeat([]int32{-1}, len(nodes))
		for k, i := range nodes {
			if f > 0 {
				if arc := o.best.prev[f-1][i]; arc >= 0 && o.at[f-1][o.gaps[f-1].rowOf(arc)] < 0 {
					o.into[f][k] = arc
				}
			}
			if f < n {
				if arc := o.best.next[f][i]; arc >= 0 && o.at[f+1][o.gaps[f].FramePair.Col[arc]] < 0 {
					o.out[f][k] = arc
				}
			}
		}
	}
	o.part.Pairs, o.part.Blocks = make([]FramePair, n), make([]Block, n-1)
	o.each(func(p int) {
		g, h := &o.gaps[p], &o.part.Pairs[p]
		rows, cols := o.nodes[p], o.nodes[p+1]
		h.Rows, h.Cols, h.Ptr = len(rows), len(cols), make([]int, 1, len(rows)+1)
		h.RowMiss, h.ColMiss = make([]float64, len(rows)), make([]float64, len(cols))
		for k, i := range rows {
			if arc := o.out[p][k]; arc >= 0 {
				h.RowMiss[k] = g.FramePair.Cost[arc]
				h.Ptr = append(h.Ptr, len(h.Col))
				continue
			}
			h.RowMiss[k] = g.RowMiss[i]
			for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
				if j := o.at[p+1][g.FramePair.Col[a]]; j >= 0 && o.into[p+1][j] < 0 {
					h.Col, h.Cost = append(h.Col, j), append(h.Cost, g.FramePair.Cost[a])
					o.arcs[p] = append(o.arcs[p], int32(a))
				}
			}
			h.Ptr = append(h.Ptr, len(h.Col))
		}
		for k, j := range cols {
			if o.into[p+1][k] < 0 { // else its tail pays
				h.ColMiss[k] = g.ColMiss[j]
			}
		}
	})
	o.each(func(f int) {
		if f > 0 {
			o.part.Blocks[f-1] = o.block(f)
		}
	})
}

// block is the block of frame f of the part.
func (o *opening) block(f int) Block {
	g, left, right := &o.gaps[f], &o.part.Pairs[f-1], &o.part.Pairs[f]
	in := transpose(left)
	b := Block{Ptr: make([]int, 1, right.Rows+1), D: make([]float64, 0, pairs(left, right))}
	for k, i := range o.nodes[f] {
		outs := o.arcs[f][right.Ptr[k]:right.Ptr[k+1]]
		for _, a := range append(in.Entry[in.Ptr[k]:in.Ptr[k+1]:in.Ptr[k+1]], -1) {
			arc := o.into[f][k]
			if a >= 0 {
				arc = o.arcs[f-1][a]
			}
			row := o.blockRow(f, int(i), arc)
			for _, out := range outs {
				b.D = append(b.D, row[g.outOf(int(i), out)])
			}
			b.D = append(b.D, row[g.outOf(int(i), o.out[f][k])])
		}
		b.Ptr = append(b.Ptr, len(b.D))
	}
	return b
}

// known are the multipliers of the whole and its best answer, in the part.
func (o *opening) known() (prices []Prices, next [][]int32) {
	n := len(o.gaps)
	prices, next = make([]Prices, n), make([][]int32, n)
	for p := range o.gaps {
		g, h := &o.gaps[p], &o.part.Pairs[p]
		m := cutPrices(make([]float64, 2*len(h.Col)+2*h.Cols+h.Rows), h)
		for a, arc := range o.arcs[p] {
			m.U[a], m.V[a] = g.U[arc], g.V[arc]
		}
		for k, j := range o.nodes[p+1] {
			if m.Birth[k], m.Col[k] = g.Birth[j], g.Prices.Col[j]; o.into[p+1][k] >= 0 {
				m.Birth[k] = g.U[o.into[p+1][k]]
				m.Col[k] = m.Birth[k]
			}
		}
		next[p] = make([]int32, h.Rows)
		for k, i := range o.nodes[p] {
			if m.Death[k] = g.Death[i]; o.out[p][k] >= 0 {
				m.Death[k] = g.V[o.out[p][k]]
			}
			next[p][k] = -1
			for a := h.Ptr[k]; a < h.Ptr[k+1]; a++ {
				if o.arcs[p][a] == o.best.next[p][i] {
					next[p][k] = int32(a)
				}
			}
		}
		prices[p] = m
	}
	return prices, next
}

// put puts back what was found in the part. The next round begins there.
func (o *opening) put(res *Result) {
	o.leap()
	o.opened = true
	a := o.scratch
	o.each(func(p int) {
		g, h, m := &o.gaps[p], &o.part.Pairs[p], &res.Prices[p]
		copy(a.next[p], o.best.next[p])
		for s, arc := range o.arcs[p] {
			g.U[arc], g.V[arc] = m.U[s], m.V[s]
		}
		for k, j := range o.nodes[p+1] {
			if arc := o.into[p+1][k]; arc >= 0 {
				g.U[arc] = m.Birth[k]
			} else {
				g.Birth[j], g.Prices.Col[j] = m.Birth[k], m.Col[k]
			}
		}
		for k, i := range o.nodes[p] {
			if arc := o.out[p][k]; arc >= 0 {
				g.V[arc] = m.Death[k]
				continue
			}
			if g.Death[i] = m.Death[k]; res.Next == nil {
				continue
			}
			a.next[p][i] = -1
			for s := h.Ptr[k]; s < h.Ptr[k+1]; s++ {
				if res.Next[p][k] == int32(s) {
					a.next[p][i] = o.arcs[p][s]
				}
			}
		}
	})
	o.linkAll(a)
	o.offer(a)
	o.each(func(p int) { copy(o.gaps[p].next, o.best.next[p]) })
}
