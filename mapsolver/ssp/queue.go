package ssp

// This file holds what a search has reached but not yet made final.

// A queue is a 4-ary min-heap of vertices by distance: the children of element
// i are 4i+1 … 4i+4. A vertex whose distance drops is pushed again; its older
// elements are recognised by their distance when they surface.
type queue []reached

type reached struct {
	dist float64
	id   int32
}

// push adds a vertex in O(log n) time.
func (q *queue) push(dist float64, id int32) {
	h := append(*q, reached{})
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 4
		if h[up].dist <= dist {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = reached{dist, id}
	*q = h
}

// pop removes the nearest vertex in O(log n) time.
func (q *queue) pop() reached {
	h := *q
	top := h[0]
	n := len(h) - 1
	last := h[n]
	h = h[:n]
	*q = h
	if n == 0 {
		return top
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= n {
			break
		}
		least := child
		for k := child + 1; k < child+4 && k < n; k++ {
			if h[k].dist < h[least].dist {
				least = k
			}
		}
		if last.dist <= h[least].dist {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = last
	return top
}

// nearest takes the nearest reached vertex of t that is not final, given that
// all final ones are within distance at; -1 when none is nearer than best.
// Vertices at distance at are in s.zero, the others in s.heap.
func (s *Solver) nearest(t *side, at, best float64) int32 {
	if !(at < best) {
		return -1
	}
	if n := len(s.zero); n > 0 {
		id := s.zero[n-1]
		s.zero = s.zero[:n-1]
		return id
	}
	for len(s.heap) > 0 {
		top := s.heap.pop()
		if !(top.dist < best) {
			return -1
		}
		if top.dist == t.dist[top.id] {
			return top.id
		}
	}
	return -1
}
