package ssp

import "math"

// This file holds what a search has reached but not yet made final.

// A later vertex is one that waits for its place in the heap: many searches end
// before they have gone through the level at hand, and need none.
type later struct {
	vertex
	id int32
}

// room is space for n more later vertices.
func (s *Solver) room(n int) []later {
	if n > len(s.later)-s.waiting {
		s.moreRoom(n)
	}
	return s.later[s.waiting:][:n]
}

func (s *Solver) moreRoom(n int) {
	s.later = append(s.later[:s.waiting], make([]later, 2*n+s.waiting)...)
}

// follow goes from a vertex at distance dist along entries to vertices of t, which
// are listed in room with their reduced costs, as far as these are nearer than
// best: it returns the nearest that is free, which has nobody in mate, or best and
// no id when there is none; the others join s.later, and s.level too where they
// are no farther than dist.
func (s *Solver) follow(t []vertex, list []later, mate []int32, from int32, dist, best float64) (float64, later) {
	sink := later{id: -1}
	n, tight := 0, false
	for _, a := range list {
		if a.dist > 0 {
			a.dist += dist
		} else { // below 0 by rounding only
			a.dist = dist
			tight = true
		}
		if !(a.dist < best) {
			continue
		}
		a.from = from
		if mate[a.id] < 0 {
			best, sink = a.dist, a
			continue
		}
		list[n] = a
		n++
	}
	s.waiting += n
	if tight && dist < best {
		for _, a := range list[:n] {
			if a.dist == dist && dist < t[a.id].dist {
				t[a.id] = a.vertex
				s.level = append(s.level, a.id)
			}
		}
	}
	return best, sink
}

// nearest takes the nearest vertex of t that is reached and not final, when the
// last final one was at distance dist; -1 when none is nearer than best.
func (s *Solver) nearest(t []vertex, dist, best float64) int32 {
	if !(dist < best) {
		return -1
	}
	if n := len(s.level); n > 0 {
		id := s.level[n-1]
		s.level = s.level[:n-1]
		return id
	}
	for _, y := range s.later[:s.waiting] {
		if y.dist < best && y.dist < t[y.id].dist {
			t[y.id] = y.vertex
			s.heap.Push(y.dist, y.id)
		}
	}
	s.waiting = 0
	for len(s.heap) > 0 && s.heap[0].Dist < best {
		if top := s.heap.Pop(); top.Dist == t[top.ID].dist {
			return top.ID
		}
	}
	return -1
}

// forget clears what a search noted in t, in time proportional to that: all it
// noted is in one of three lists.
func (s *Solver) forget(t []vertex) {
	inf := math.Inf(1)
	for _, f := range s.final {
		t[f.id].dist = inf
	}
	for _, id := range s.level {
		t[id].dist = inf
	}
	for _, q := range s.heap {
		t[q.ID].dist = inf
	}
	s.final, s.level, s.heap, s.waiting = s.final[:0], s.level[:0], s.heap[:0], 0
}
