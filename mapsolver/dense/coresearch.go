package dense

import "math"

// This file holds the search for a shortest augmenting path among the entries that
// rows remember.

// dead is the distance of columns from which no search of a round finds a way out.
const dead = -math.MaxFloat64

// searchKept is search for row r over remembered entries. When there is no path it
// returns false, changes nothing, and notes the rows that it went through in short, the
// columns in dead. Their entries all lead to columns of the same rows, so that no other
// search of the round goes there: that would be in vain too. What such a search would do
// there it does all at once: when the nearest dead column is nearer than the free one, all
// dead columns are lowered by the difference. That is no less than Dijkstra would lower
// each of them by, and among themselves nothing changes.
func (s *Solver) searchKept(r int, eps float64) bool {
	k := &s.core
	inf := math.Inf(1)
	k.heap = k.heap[:0]
	s.final = s.final[:0]
	sink := int32(-1)
	i, dist, best, nearest := int32(r), 0.0, inf, inf
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
			if !(x < best) {
				continue
			}
			if !(x < s.dist[c]) {
				if s.dist[c] == dead && x < nearest {
					nearest = x
				}
				continue
			}
			if s.dist[c] == inf {
				k.moved = append(k.moved, c)
			}
			s.dist[c], s.pred[c], k.via[c] = x, i, e.cost
			if s.rowOf[c] < 0 {
				best, sink = x, c
			} else {
				k.heap.Push(x, c)
			}
		}
		c := int32(-1)
		for len(k.heap) > 0 && k.heap[0].Dist < best {
			if top := k.heap.Pop(); top.Dist == s.dist[top.ID] {
				c, dist = top.ID, top.Dist
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
		for _, c := range k.moved {
			s.dist[c] = dead
		}
		k.dead = append(k.dead, k.moved...)
		k.moved = k.moved[:0]
		return false
	}
	if nearest < best {
		for _, c := range k.dead {
			s.v[c] -= best - nearest
		}
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
