package trackgraph

import "mtt/internal/moat"

// This file confines a better answer to balls around the places where the best known one has slack
// (see package moat). Balls are small however large the graph is.

// A confinement is a reduction in which balls grow around where answer a pays.
type confinement struct {
	*reduction
	aRow, aCol []int32 // entry of a of each row, column; -1: free

	kept             []bool // of each entry: it is a's, or in a ball
	rowKept, colKept []bool // likewise of staying free
}

// confine drops the options that no better answer than the best known one needs. The margins are
// those of the last measure; they become lengths that nobody has charged for.
func (r *reduction) confine(tiny float64) {
	p := r.s.p
	c := &confinement{reduction: r, aRow: r.s.best, aCol: p.columnsOf(nil, r.s.best),
		kept: make([]bool, len(p.Cost)), rowKept: make([]bool, p.Rows), colKept: make([]bool, p.Cols)}
	places := c.places(tiny)
	c.lengths()
	looks, ok := moat.Keep(r.ctx, c, places, len(r.root), smallProblem+len(p.Cost), tiny)
	r.work += float64(looks)
	if ok {
		c.drop()
	}
}

// places lists where a has slack that rounding does not explain.
func (c *confinement) places(tiny float64) (list []moat.Place) {
	r := c.reduction
	s, p := r.s, r.s.p
	none := tiny / float64(p.Rows+p.Cols)
	add := func(reward float64, one, two int32) {
		if reward > none {
			list = append(list, moat.Place{At: [2]int32{one, two}, Reward: reward})
		}
	}
	for i, e := range c.aRow {
		if e >= 0 {
			add(p.Cost[e]-s.sol.U[i]-s.sol.V[p.Col[e]], int32(i), -1)
		} else {
			add(p.RowMiss[i]-s.sol.U[i], int32(i), -1)
		}
	}
	for j, e := range c.aCol {
		if e < 0 {
			add(p.ColMiss[j]-s.sol.V[j], r.number(port(-1-j)), -1)
		}
	}
	for k := range p.blocks {
		if r.ended(k) {
			return
		}
		b := &p.blocks[k]
		add(p.slack(b, p.chosen(b.first, c.aRow, c.aCol), p.chosen(b.second, c.aRow, c.aCol)), r.number(b.first), r.number(b.second))
	}
	return list
}

// lengths makes margins lengths.
func (c *confinement) lengths() {
	r := c.reduction
	s, p := r.s, r.s.p
	for i := range p.Rows {
		if r.ended(i) {
			return
		}
		for e := p.Ptr[i]; e < p.Ptr[i+1]; e++ {
			r.margin[e] = (max(0, p.Cost[e]-s.sol.U[i]-s.sol.V[p.Col[e]]) + r.margin[e]) / 2
		}
		r.rowMargin[i] = (max(0, p.RowMiss[i]-s.sol.U[i]) + r.rowMargin[i]) / 2
	}
	for j := range p.Cols {
		r.colMargin[j] = (max(0, p.ColMiss[j]-s.sol.V[j]) + r.colMargin[j]) / 2
	}
}

// name is the port of a number.
func (r *reduction) name(n int32) port {
	if rows := int32(r.s.p.Rows); n >= rows {
		return port(-1 - (n - rows))
	}
	return port(n)
}

// partner is the port at the other end of the entry of a; -1: a leaves the port free.
func (c *confinement) partner(n int32) int32 {
	p := c.s.p
	if int(n) < p.Rows {
		if e := c.aRow[n]; e >= 0 {
			return int32(p.Rows) + p.Col[e]
		}
		return -1
	}
	if e := c.aCol[n-int32(p.Rows)]; e >= 0 {
		return p.rowOf(e)
	}
	return -1
}

// across is the other port of a port's block; -1: it has none.
func (c *confinement) across(n int32) int32 {
	p := c.s.p
	number := int32(-1)
	if int(n) < p.Rows {
		number = p.rowIn[n]
	} else {
		number = p.colIn[n-int32(p.Rows)]
	}
	if number < 0 {
		return -1
	}
	b := &p.blocks[number]
	if one := c.number(b.first); one != n {
		return one
	}
	return c.number(b.second)
}

// Options implements [moat.Problem].
func (c *confinement) Options(n int32, option func(length *float64, kept *bool, other int32)) {
	r := c.reduction
	p, at := r.s.p, r.name(n)
	if at >= 0 {
		own := c.aRow[at]
		for e := p.Ptr[at]; e < p.Ptr[at+1]; e++ {
			if int32(e) != own && r.entry[e] {
				option(&r.margin[e], &c.kept[e], int32(p.Rows)+p.Col[e])
			}
		}
		if own >= 0 && r.rowFree[at] {
			option(&r.rowMargin[at], &c.rowKept[at], -1)
		}
		return
	}
	j := -1 - at
	own := c.aCol[j]
	for k := p.in.Ptr[j]; k < p.in.Ptr[j+1]; k++ {
		if e := p.in.Entry[k]; e != own && r.entry[e] {
			option(&r.margin[e], &c.kept[e], p.in.Row[k])
		}
	}
	if own >= 0 && r.colFree[j] {
		option(&r.colMargin[j], &c.colKept[j], -1)
	}
}

// Beside implements [moat.Problem].
func (c *confinement) Beside(n int32) (partner, across int32) { return c.partner(n), c.across(n) }

// drop drops all options but those of a and those in balls.
func (c *confinement) drop() {
	r := c.reduction
	p := r.s.p
	for i, e := range c.aRow {
		if e >= 0 {
			c.kept[e] = true
		} else {
			c.rowKept[i] = true
		}
	}
	for j, e := range c.aCol {
		if e < 0 {
			c.colKept[j] = true
		}
	}
	for i := range p.Rows {
		if r.ended(i) {
			return
		}
		for e := p.Ptr[i]; e < p.Ptr[i+1]; e++ {
			if r.entry[e] && !c.kept[e] {
				r.entry[e] = false
				r.fewer(port(i))
				r.fewer(port(-1 - p.Col[e]))
			}
		}
		if r.rowFree[i] && !c.rowKept[i] {
			r.rowFree[i] = false
			r.fewer(port(i))
		}
	}
	for j := range p.Cols {
		if r.colFree[j] && !c.colKept[j] {
			r.colFree[j] = false
			r.fewer(port(-1 - j))
		}
	}
}
