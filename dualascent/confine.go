package dualascent

import (
	"sort"

	"mtt/internal/moat"
)

// This file confines a better answer to balls around the places where the best known one has slack
// (see package moat), so that a large problem falls apart though its gap as a whole is larger than
// any slack in it.

// A confinement is a reduction in which balls grow around where answer a pays.
type confinement struct {
	*reduction
	a *answer

	kept, deathKept, birthKept [][]bool // likewise arc, death, birth: of a, or in a ball
}

// confine drops what no better answer than a needs, which uses options that are left only. It
// returns how many it has looked at.
func (r *reduction) confine(a *answer, tiny float64) (looks int) {
	n := len(r.e.gaps)
	c := &confinement{reduction: r, a: a, kept: make([][]bool, n), deathKept: make([][]bool, n), birthKept: make([][]bool, n)}
	r.measure()
	r.each(c.begin)
	places, size := c.places(tiny)
	if r.ctx.Err() != nil {
		return size
	}
	looks, ok := moat.Keep(r.ctx, c, places, len(r.root), size, tiny)
	if ok {
		r.each(c.drop)
		r.follow()
	}
	return size + looks
}

// begin makes margins of gap p lengths: the slack in the X-LAP, and half of what the blocks add.
func (c *confinement) begin(p int) {
	r, g := c.reduction, &c.e.gaps[p]
	c.kept[p], c.deathKept[p], c.birthKept[p] = make([]bool, len(g.FramePair.Col)), make([]bool, g.Rows), make([]bool, g.Cols)
	for i := range g.Rows {
		for k := g.Ptr[i]; k < g.Ptr[i+1]; k++ {
			r.margin[p][k] = (g.arcSlack(i, int32(k)) + r.margin[p][k]) / 2
		}
		r.deathMargin[p][i] = (g.deathSlack(i) + r.deathMargin[p][i]) / 2
	}
	for j := range g.Cols {
		r.birthMargin[p][j] = (g.birthSlack(j) + r.birthMargin[p][j]) / 2
	}
}

// places lists where a has slack that rounding does not explain, and counts ports and options.
func (c *confinement) places(tiny float64) (list []moat.Place, size int) {
	e, ports := c.e, len(c.root)
	none := tiny / float64(ports)
	add := func(reward float64, one, two int32) {
		if reward > none {
			list = append(list, moat.Place{At: [2]int32{one, two}, Reward: reward})
		}
	}
	size = ports
	for p := range e.gaps {
		if c.ctx.Err() != nil {
			return nil, 0
		}
		g := &e.gaps[p]
		size += len(g.FramePair.Col)
		for i, arc := range c.a.next[p] {
			at := c.firstOut[p] + int32(i)
			add(g.outSlack(i, arc), at, -1)
			if p > 0 {
				add(e.blockSlack(c.a, p, i), c.firstIn[p-1]+int32(i), at)
			}
		}
		for j, arc := range c.a.prev[p] {
			if arc < 0 {
				add(g.birthSlack(j), c.firstIn[p]+int32(j), -1)
			}
		}
	}
	return list, size
}

// name is the port of a number.
func (r *reduction) name(n int32) port {
	p := sort.Search(len(r.firstOut), func(p int) bool { return r.firstOut[p] > n }) - 1
	if n >= r.firstIn[p] {
		return port{p, n - r.firstIn[p], true}
	}
	return port{p, n - r.firstOut[p], false}
}

// Options implements [moat.Problem].
func (c *confinement) Options(n int32, option func(length *float64, kept *bool, other int32)) {
	r, q := c.reduction, c.name(n)
	p, at := q.p, q.at
	g := &r.e.gaps[p]
	if q.in {
		own := c.a.prev[p][at]
		for k := g.in.Ptr[at]; k < g.in.Ptr[at+1]; k++ {
			if e := g.in.Entry[k]; e != own && r.arc[p][e] {
				option(&r.margin[p][e], &c.kept[p][e], r.firstOut[p]+g.in.Row[k])
			}
		}
		if own >= 0 && r.birth[p][at] {
			option(&r.birthMargin[p][at], &c.birthKept[p][at], -1)
		}
		return
	}
	own := c.a.next[p][at]
	for e := g.Ptr[at]; e < g.Ptr[at+1]; e++ {
		if int32(e) != own && r.arc[p][e] {
			option(&r.margin[p][e], &c.kept[p][e], r.firstIn[p]+g.FramePair.Col[e])
		}
	}
	if own >= 0 && r.death[p][at] {
		option(&r.deathMargin[p][at], &c.deathKept[p][at], -1)
	}
}

// Beside implements [moat.Problem].
func (c *confinement) Beside(n int32) (partner, across int32) {
	r, q := c.reduction, c.name(n)
	p, at := q.p, q.at
	g := &r.e.gaps[p]
	partner, across = -1, -1
	if q.in {
		if arc := c.a.prev[p][at]; arc >= 0 {
			partner = r.firstOut[p] + g.rowOf(arc)
		}
		if p+1 < len(r.firstOut) {
			across = r.firstOut[p+1] + at
		}
		return partner, across
	}
	if arc := c.a.next[p][at]; arc >= 0 {
		partner = r.firstIn[p] + g.FramePair.Col[arc]
	}
	if p > 0 {
		across = r.firstIn[p-1] + at
	}
	return partner, across
}

// drop drops all options of gap p but those of a and those in balls.
func (c *confinement) drop(p int) {
	r, g := c.reduction, &c.e.gaps[p]
	for i, own := range c.a.next[p] {
		for k := g.Ptr[i]; k < g.Ptr[i+1]; k++ {
			if int32(k) != own && !c.kept[p][k] {
				r.dropArc(p, int32(k))
			}
		}
		if own >= 0 && !c.deathKept[p][i] {
			r.dropDeath(p, i)
		}
	}
	for j, own := range c.a.prev[p] {
		if own >= 0 && !c.birthKept[p][j] {
			r.dropBirth(p, j)
		}
	}
}
