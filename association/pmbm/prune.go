package pmbm

import (
	"cmp"
	"math"
	"slices"
)

// This file makes a cluster of the global hypotheses that an update found: it
// prunes, computes the local hypotheses that are left, and merges.

// finish is the cluster of the kids; nil when it has no tracks.
func (u *updater) finish() *cluster {
	o, c := &u.f.o, u.c
	width := len(c.tracks) + len(u.dets)
	for i := range u.kids {
		u.kids[i].pick = u.picks[i*width : (i+1)*width : (i+1)*width]
	}
	slices.SortFunc(u.kids, func(a, b kid) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.number, b.number))
	})
	sum := 0.0
	for i := len(u.kids) - 1; i >= 0; i-- {
		sum += math.Exp(u.kids[i].weight - u.best)
	}
	kept := 0
	for kept < len(u.kids) && kept < o.Hypotheses &&
		(kept == 0 || math.Exp(u.kids[kept].weight-u.best) >= o.MinWeight*sum) {
		kept++
	}
	rows := make([]row, kept)
	picks := make([]int32, kept*width)
	for i := range rows {
		pick := picks[i*width : (i+1)*width : (i+1)*width]
		copy(pick, u.kids[i].pick)
		rows[i] = row{math.Exp(u.kids[i].weight - u.best), pick}
	}
	next := &cluster{tracks: make([]track, width), rows: rows}
	for t := range c.tracks {
		next.tracks[t] = track{id: c.tracks[t].id, locals: make([]*local, len(u.ways[t]))}
		for i := range rows {
			if k := rows[i].pick[t]; k >= 0 && next.tracks[t].locals[k] == nil {
				next.tracks[t].locals[k] = u.grow(u.ways[t][k])
			}
		}
	}
	for k, d := range u.dets {
		t := &next.tracks[len(c.tracks)+k]
		t.id = u.f.nextID + int(d) + 1
		if u.f.isTarget(int(d)) {
			t.locals = []*local{u.f.begin(int(d))}
		}
	}
	next.drop(o.MinExistence)
	if o.MergeDistance > 0 {
		u.merge(next)
	}
	return next.tidy()
}

// grow makes a new local hypothesis.
func (u *updater) grow(w way) *local {
	f, h := u.f, w.from
	g := &local{gaussian: h.gaussian, r: 1}
	det := -1
	if w.at < 0 {
		g.r = h.r * (1 - f.o.Detect) / (1 - h.r*f.o.Detect)
	} else {
		det = int(h.gated[w.at].det)
		if s := f.gate.scan; f.alike(s) {
			u.motion.Condition(&g.gaussian, &h.in, s, det)
		} else {
			u.motion.Update(&g.gaussian, s, det)
		}
	}
	g.node = &node{prev: h.node, frame: f.frame, det: det, r: g.r}
	copy(g.node.x[:], g.X[:])
	return g
}

// begin makes the local hypothesis of a new target.
func (f *Filter) begin(det int) *local {
	b := &f.borns[det]
	h := &local{gaussian: b.gaussian, r: b.r, node: &node{frame: f.frame, det: det, r: b.r}}
	copy(h.node.x[:], h.X[:])
	return h
}

// drop takes local hypotheses that hardly exist out of all rows.
func (c *cluster) drop(least float64) {
	for t := range c.tracks {
		for i := range c.rows {
			pick := c.rows[i].pick
			if k := pick[t]; k >= 0 && c.tracks[t].locals[k].r < least {
				pick[t] = -1
			}
		}
	}
}

// tidy merges equal rows, removes tracks and local hypotheses that no row picks,
// and sorts and normalises the rows. It is nil when no track is left.
func (c *cluster) tidy() *cluster {
	slices.SortStableFunc(c.rows, func(a, b row) int { return slices.Compare(a.pick, b.pick) })
	n := 0
	for i := range c.rows {
		if n > 0 && slices.Equal(c.rows[n-1].pick, c.rows[i].pick) {
			c.rows[n-1].weight += c.rows[i].weight
		} else {
			c.rows[n] = c.rows[i]
			n++
		}
	}
	c.rows = c.rows[:n]
	slices.SortStableFunc(c.rows, func(a, b row) int { return cmp.Compare(b.weight, a.weight) })
	sum := 0.0
	for i := range c.rows {
		sum += c.rows[i].weight
	}
	for i := range c.rows {
		c.rows[i].weight /= sum
	}
	kept := 0
	var number []int32
	for t := range c.tracks {
		old := c.tracks[t].locals
		number = resize(number, len(old))
		for k := range number {
			number[k] = -1
		}
		var locals []*local
		for i := range c.rows {
			pick := c.rows[i].pick
			k := pick[t]
			if k >= 0 && number[k] < 0 {
				number[k] = int32(len(locals))
				locals = append(locals, old[k])
			}
			if k >= 0 {
				k = number[k]
			}
			pick[kept] = k // kept ≤ t
		}
		if locals != nil {
			c.tracks[kept] = track{c.tracks[t].id, locals}
			kept++
		}
	}
	c.tracks = c.tracks[:kept]
	for i := range c.rows {
		c.rows[i].pick = c.rows[i].pick[:kept:kept]
	}
	if kept == 0 {
		return nil
	}
	return c
}
