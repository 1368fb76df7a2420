package association

import (
	"context"
	"math"
	"slices"

	"mtt/gating"
)

// This file holds the second move of the refinement: seat.

// A seat is a place for a detection of scan t: in a track that comes from a
// detection before, goes on to one after, or both. Either may be none.
type place struct{ from, to hit }

// seats is the workspace of seat.
type seats struct {
	dets   []int32 // the detections that take part
	places []place
	own    []int32   // of a place: which of dets is there now; -1
	near   [][]int32 // of a place: which of dets may go there, perhaps its own as well
	placed []bool    // of one of dets: it has a place
	sought []bool    // of one of dets: it may go to another place
	number []int32   // of one of dets: what becomes of it, see keepSeats
	into   gating.CSC
	rows   []hit
}

// seat takes the detections of scan t out of their tracks, as far as there is news,
// and puts each back into the track, or none, where all together fit best. It
// reports whether that made things cheaper. Tracks that pass over the scan, ended
// up to reach scans before it, or begin up to reach scans after it, have a place to
// offer.
func (r *mover) seat(ctx context.Context, t int32) (better bool, err error) {
	now := &r.looks[t]
	better, err = r.weighSeats(ctx, t, now.seat)
	now.seat = r.clock
	if !better || err != nil {
		return false, err
	}
	s := &r.seats
	for k, at := range s.places {
		own := s.own[k]
		if r.sol.ColOf[k] == own {
			continue
		}
		if at.from != none {
			r.unlink(at.from)
		}
		if own >= 0 {
			r.unlink(hit{t, s.dets[own]})
		}
	}
	for k, at := range s.places {
		switch col := r.sol.ColOf[k]; {
		case col == s.own[k]:
		case col >= 0:
			d := hit{t, s.dets[col]}
			if at.from != none {
				r.link(at.from, d)
			}
			if at.to != none {
				r.link(d, at.to)
			}
		case at.from != none && at.to != none && r.bridged(at):
			r.link(at.from, at.to)
		}
	}
	return true, nil
}

// seatsChanged appends the detections at which the seats that were found differ from
// those of now.
func (r *mover) seatsChanged(list []hit, t int32) []hit {
	s := &r.seats
	for k, at := range s.places {
		col, own := r.sol.ColOf[k], s.own[k]
		if col == own {
			continue
		}
		for _, h := range [2]hit{at.from, at.to} {
			if h != none {
				list = append(list, h)
			}
		}
		for _, c := range [2]int32{own, col} {
			if c >= 0 {
				list = append(list, hit{t, s.dets[c]})
			}
		}
	}
	return list
}

// weighSeats finds the best seats for the detections of scan t, of what has news
// since then, and reports whether they are cheaper.
func (r *mover) weighSeats(ctx context.Context, t int32, since int64) (better bool, err error) {
	s, p := &r.seats, &r.problem
	r.listSeats(t)
	r.keepSeats(t, since)
	p.Rows, p.Cols = len(s.places), len(s.dets)
	p.Ptr = append(p.Ptr[:0], 0)
	p.Col, p.Cost = p.Col[:0], p.Cost[:0]
	p.RowMiss, p.ColMiss = p.RowMiss[:0], p.ColMiss[:0]
	var old float64 // price of what is there now
	for k, d := range s.dets {
		miss := r.alone(hit{t, d})
		p.ColMiss = append(p.ColMiss, miss)
		if !s.placed[k] {
			old += miss
		}
	}
	for k, at := range s.places {
		r.entries = r.entries[:0]
		miss := r.vacant(at)
		p.RowMiss = append(p.RowMiss, miss)
		own := s.own[k]
		if own < 0 {
			old += miss
		} else {
			cost := r.seated(at, hit{t, s.dets[own]})
			old += cost
			r.entries = append(r.entries, entry{own, cost})
		}
		for _, col := range s.near[k] {
			if col == own {
				continue
			}
			if cost := r.seated(at, hit{t, s.dets[col]}); cost < miss+p.ColMiss[col] {
				r.entries = append(r.entries, entry{col, cost})
			}
		}
		r.addRow()
	}
	if len(p.Col) == 0 {
		return false, nil
	}
	err = r.solver.Solve(ctx, &r.sol, p, nil)
	return err == nil && r.cheaper(old), err
}

// listSeats collects the places of scan t and what may go there.
func (r *mover) listSeats(t int32) {
	s := &r.seats
	n := r.scans[t].Len()
	s.places, s.own, s.dets, s.placed = s.places[:0], s.own[:0], s.dets[:0], grow(s.placed, n)
	add := func(from, to hit, own int32) {
		s.places, s.own = append(s.places, place{from, to}), append(s.own, own)
	}
	for i := range n {
		s.dets = append(s.dets, int32(i))
		from, to := r.prev[t][i], r.next[t][i]
		if s.placed[i] = from != none || to != none; s.placed[i] {
			add(from, to, int32(i))
		}
	}
	for u := max(0, t-r.reach); u < t; u++ {
		for i, to := range r.next[u] {
			if to == none || to.t > t {
				add(hit{u, int32(i)}, to, -1)
			}
		}
	}
	for u := t + 1; u <= min(t+r.reach, int32(len(r.scans)-1)); u++ {
		for i, from := range r.prev[u] {
			if from == none {
				add(none, hit{u, int32(i)}, -1)
			}
		}
	}
	for len(s.near) < len(s.places) {
		s.near = append(s.near, nil)
	}
	s.rows = s.rows[:0]
	if int(t) < len(r.gates) {
		gating.Transpose(&s.into, &r.gates[t])
	}
	for k, at := range s.places {
		s.near[k] = s.near[k][:0]
		switch {
		case at.from == none:
			if at.to.t == t+1 {
				s.near[k] = append(s.near[k], s.into.Row[s.into.Ptr[at.to.det]:s.into.Ptr[at.to.det+1]]...)
			}
		case at.from.t == t-1:
			s.near[k] = append(s.near[k], r.gates[t-1].Row(int(at.from.det))...)
		default:
			s.rows = append(s.rows, at.from)
		}
	}
	found := r.reachable(s.rows, &r.scans[t], likely)
	row := 0
	for k, at := range s.places {
		if at.from != none && at.from.t < t-1 {
			s.near[k] = append(s.near[k], found.Row(row)...)
			row++
		}
	}
}

// keepSeats leaves out the groups without news since then, and when quick says so the
// detections and places to which there is no alternative but to take the detection out.
func (r *mover) keepSeats(t int32, since int64) {
	s, g, n := &r.seats, &r.groups, len(r.seats.dets)
	switch {
	case since >= 0:
		g.reset(n + len(s.places))
		for k, at := range s.places {
			row := int32(n + k)
			if s.own[k] >= 0 {
				g.join(row, s.own[k])
			}
			for _, j := range s.near[k] {
				g.join(row, j)
			}
			for _, h := range [2]hit{at.from, at.to} {
				g.mark(row, h != none && r.stamp[h.t][h.det] > since)
			}
		}
		for i := range n {
			g.mark(int32(i), r.stamp[t][i] > since)
		}
	case r.quick:
		g.reset(n + len(s.places))
		for i := range g.hot {
			g.hot[i] = true
		}
	default:
		return
	}
	if r.quick {
		s.sought = grow(s.sought, n)
		clear(s.sought)
		for k, own := range s.own {
			for _, j := range s.near[k] {
				if j != own {
					s.sought[j] = true
				}
			}
		}
		for k, own := range s.own {
			if (own < 0 || !s.sought[own]) && !slices.ContainsFunc(s.near[k], func(j int32) bool { return j != own }) {
				g.drop(int32(n + k))
				if own >= 0 {
					g.drop(own)
				}
			}
		}
	}
	s.number = grow(s.number, n)
	dets := s.dets[:0]
	for i, d := range s.dets {
		if g.marked(int32(i)) {
			s.number[i], s.placed[len(dets)] = int32(len(dets)), s.placed[i]
			dets = append(dets, d)
		}
	}
	kept := 0
	for k, at := range s.places {
		if !g.marked(int32(n + k)) {
			continue
		}
		own := s.own[k]
		if own >= 0 {
			own = s.number[own]
		}
		s.places[kept], s.own[kept] = at, own
		s.near[kept], s.near[k] = s.near[k], s.near[kept]
		for i, j := range s.near[kept] {
			s.near[kept][i] = s.number[j]
		}
		kept++
	}
	s.dets, s.places, s.own = dets, s.places[:kept], s.own[:kept]
}

// alone is the price of detection at being in no other detection's track.
func (r *mover) alone(at hit) float64 {
	return min(r.birth(at.t)+r.death(at.t), r.alarm) + r.motion.first(&r.scans[at.t], int(at.det))
}

// bridged says whether the track of a place goes on over it when it is empty.
func (r *mover) bridged(at place) bool {
	return at.to.t-at.from.t <= r.reach && r.join(at.from, at.to) < r.ended(at.from)+r.begun(at.to)
}

// vacant is the price of a place without a detection.
func (r *mover) vacant(at place) float64 {
	switch {
	case at.from == none:
		return r.begun(at.to)
	case at.to == none:
		return r.ended(at.from)
	}
	c := r.ended(at.from) + r.begun(at.to)
	if at.to.t-at.from.t <= r.reach {
		c = min(c, r.join(at.from, at.to))
	}
	return c
}

// seated is the price of a place with detection d.
func (r *mover) seated(at place, d hit) (c float64) {
	m, scan := &r.motion, &r.scans[d.t]
	var s state
	if at.from == none {
		c = r.birth(d.t) + m.first(scan, int(d.det))
		s = m.start(scan, int(d.det))
	} else {
		c = r.gap(at.from.t, d.t) + r.sizes(at.from, d)
		calm := r.states[at.from.t][at.from.det]
		wild := calm
		dt := scan.Time - r.scans[at.from.t].Time
		m.predict(&calm, dt, smooth)
		f := m.innovation(&calm, scan, int(d.det))
		s = calm
		if m.odds == math.Inf(-1) {
			c += (f.d2 + f.base) / 2
		} else {
			m.predict(&wild, dt, turn)
			g := m.innovation(&wild, scan, int(d.det))
			c += m.price(f, g)
			if m.gain(f, g) > 0 {
				s = wild
			}
		}
		m.update(&s, scan, int(d.det))
	}
	if at.to == none {
		return c + r.death(d.t)
	}
	return c + r.joinState(&s, d, at.to) + r.gap(d.t, at.to.t) + r.sizes(d, at.to)
}
