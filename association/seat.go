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
	places []place
	own    []int32 // of a place: the detection there now; -1
	place  []int32 // of a detection: its place; -1
	into   gating.CSC
	rows   []hit
	near   [][]int32 // of a place: detections that may go there, perhaps its own as well
	lone   []bool    // of a detection: it has a place, and there is nothing else for either
	still  []bool    // of a place: that of such a detection, or one that nothing may go to
}

// seat takes the detections of scan t out of their tracks and puts each back
// into the track, or none, where all together fit best. It reports whether that
// made things cheaper. Tracks that pass over the scan, ended up to reach scans
// before it, or begin up to reach scans after it, have a place to offer.
func (r *refiner) seat(ctx context.Context, t int32) (better bool, err error) {
	s, p := &r.seats, &r.problem
	r.listSeats(t)
	n := r.scans[t].Len()
	p.Rows, p.Cols = len(s.places), n
	p.Ptr = append(p.Ptr[:0], 0)
	p.Col, p.Cost = p.Col[:0], p.Cost[:0]
	p.RowMiss, p.ColMiss = p.RowMiss[:0], p.ColMiss[:0]
	var old float64 // price of what is there now
	for i := range n {
		miss := 0.0
		if !s.lone[i] {
			miss = r.alone(hit{t, int32(i)})
		}
		p.ColMiss = append(p.ColMiss, miss)
		if s.place[i] < 0 {
			old += miss
		}
	}
	for k, at := range s.places {
		r.entries = r.entries[:0]
		if s.still[k] {
			p.RowMiss = append(p.RowMiss, 0)
			r.addRow()
			continue
		}
		miss := r.vacant(at)
		p.RowMiss = append(p.RowMiss, miss)
		own := s.own[k]
		if own < 0 {
			old += miss
		} else {
			cost := r.seated(at, hit{t, own})
			old += cost
			r.entries = append(r.entries, entry{own, cost})
		}
		for _, j := range s.near[k] {
			if j == own {
				continue
			}
			if cost := r.seated(at, hit{t, j}); cost < miss+p.ColMiss[j] {
				r.entries = append(r.entries, entry{j, cost})
			}
		}
		r.addRow()
	}
	if err := r.solver.Solve(ctx, &r.sol, p, nil); err != nil || !r.cheaper(old) {
		return false, err
	}
	for k, at := range s.places {
		if s.still[k] {
			continue
		}
		if at.from != none {
			r.chains.cut(at.from)
		}
		if own := s.own[k]; own >= 0 {
			r.chains.cut(hit{t, own})
		}
	}
	for k, at := range s.places {
		switch det := r.sol.ColOf[k]; {
		case s.still[k]:
		case det >= 0:
			if at.from != none {
				r.link(at.from, hit{t, det})
			}
			if at.to != none {
				r.link(hit{t, det}, at.to)
			}
		case at.from != none && at.to != none && r.bridged(at):
			r.link(at.from, at.to)
		}
	}
	return true, nil
}

// listSeats collects the places of scan t and what may go there.
func (r *refiner) listSeats(t int32) {
	s := &r.seats
	n := r.scans[t].Len()
	s.places, s.own, s.place = s.places[:0], s.own[:0], grow(s.place, n)
	add := func(from, to hit, own int32) {
		s.places, s.own = append(s.places, place{from, to}), append(s.own, own)
	}
	for i := range n {
		s.place[i] = -1
		if from, to := r.prev[t][i], r.next[t][i]; from != none || to != none {
			s.place[i] = int32(len(s.places))
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
	r.markStill(n)
}

// markStill finds what may stay as it is: detections and places to which there
// is no alternative but to take the detection out. They are left alone when quick
// says so.
func (r *refiner) markStill(n int) {
	s := &r.seats
	s.lone, s.still = grow(s.lone, n), grow(s.still, len(s.places))
	clear(s.lone)
	clear(s.still)
	if !r.quick {
		return
	}
	for k, own := range s.own {
		s.still[k] = !slices.ContainsFunc(s.near[k], func(j int32) bool { return j != own })
		if own >= 0 {
			s.lone[own] = s.still[k]
		}
	}
	for k, own := range s.own {
		for _, j := range s.near[k] {
			if j != own {
				s.lone[j] = false
			}
		}
	}
	for k, own := range s.own {
		s.still[k] = s.still[k] && (own < 0 || s.lone[own])
	}
}

// alone is the price of detection at being in no other detection's track.
func (r *refiner) alone(at hit) float64 {
	return min(r.birth(at.t)+r.death(at.t), r.alarm) + r.motion.first(&r.scans[at.t], int(at.det))
}

// bridged says whether the track of a place goes on over it when it is empty.
func (r *refiner) bridged(at place) bool {
	return at.to.t-at.from.t <= r.reach && r.join(at.from, at.to) < r.ended(at.from)+r.begun(at.to)
}

// vacant is the price of a place without a detection.
func (r *refiner) vacant(at place) float64 {
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
func (r *refiner) seated(at place, d hit) (c float64) {
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
