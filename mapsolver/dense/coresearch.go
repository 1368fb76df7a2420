package dense

import "math"

// This file holds the search for a shortest augmenting path among the entries that
// rows remember.

// searchKept is search for row r over remembered entries. When there is no path it
// returns false, changes nothing, and notes the rows that it went through in short.
// Their entries all lead to columns of the same rows, so that no other search
// of the round goes there: that would be in vain too.
func (s *Solver) searchKept(r int, eps float64) bool {
	k := &s.core
	inf := math.Inf(1)
	k.heap = k.heap[:0]
	s.final = s.final[:0]
	sink := int32(-1)
	i, dist, best := int32(r), 0.0, inf
	base := -s.leastKept(r)
	for {
		s.searched++
		list := k.row(int(i))
		k.looks += len(list)
		for _, e := range list {
			x := (e.cost - s.v[e.col]) + base
			if x < dist { // by rounding only
				x = dist
			}
			c := e.col
			if !(x < best) || !(x < s.dist[c]) {
				continue
			}
			if s.dist[c] == inf {
				k.moved = append(k.moved, c)
			}
			s.dist[c], s.pred[c], k.via[c] = x, i, e.cost
			if s.rowOf[c] < 0 {
				best, sink = x, c
			} else {
				k.heap.push(x, c)
			}
		}
		c := int32(-1)
		for len(k.heap) > 0 && k.heap[0].dist < best {
			if top := k.heap.pop(); top.dist == s.dist[top.col] {
				c, dist = top.col, top.dist
				break
			}
		}
		if c < 0 {
			break
		}
		s.final = append(s.final, final{dist, s.v[c], c})
		s.dist[c] = math.Inf(-1) // never less
		i = s.rowOf[c]
		base = dist - (k.paid[i] - s.v[c])
	}
	if sink < 0 { // all columns reached are final
		k.short[r] = true
		for _, f := range s.final {
			k.short[s.rowOf[f.col]] = true
		}
		k.dead = append(k.dead, k.moved...)
		k.moved = k.moved[:0]
		return false
	}
	for _, c := range k.moved {
		s.dist[c] = inf
	}
	k.moved = k.moved[:0]
	s.update(best, eps, len(s.final))
	if eps > 0 {
		s.v[sink] -= eps
		s.byEps += eps
	}
	for c := sink; ; {
		i := s.pred[c]
		k.paid[i] = k.via[c]
		if int(i) == r {
			break
		}
		c = s.colOf[i]
	}
	s.augment(r, int(sink))
	return true
}

// A heap is a 4-ary min-heap of columns by distance. A column whose distance
// drops is pushed again; its older elements are told by their distance.
type heap []reached

type reached struct {
	dist float64
	col  int32
}

// push adds a column in O(log n) time.
func (q *heap) push(dist float64, col int32) {
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
	h[i] = reached{dist, col}
	*q = h
}

// pop removes the nearest column in O(log n) time.
func (q *heap) pop() reached {
	h := *q
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	i := 0
	for {
		least, dist := -1, last.dist
		for k := 4*i + 1; k <= 4*i+4 && k < len(h); k++ {
			if h[k].dist < dist {
				least, dist = k, h[k].dist
			}
		}
		if least < 0 {
			break
		}
		h[i] = h[least]
		i = least
	}
	if len(h) > 0 {
		h[i] = last
	}
	return top
}
