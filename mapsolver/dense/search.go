package dense

import (
	"math"

	"mtt/internal/slab"
)

// This file holds the search for a shortest augmenting path, by linear scans.

// A final column is one whose distance is known. During the rest of the search
// its price is -Inf in Solver.v and its distance +Inf in Solver.dist.
type final struct {
	dist  float64
	price float64 // before the search
	col   int32
}

// search assigns row r by the shortest path to a free column, as in Algorithm
// 2 of [1], and lowers the prices of the columns it scanned, each by eps
// besides. It returns false when there is no path; the rows of s.final, with r,
// then violate Hall's condition with the columns of s.final. It does so too when the
// context is over.
//
// Columns at one distance are scanned one after the other without looking for
// the least distance again, and a free one among them ends the search at once.
func (s *Solver) search(r int, eps float64) bool {
	c := s.row(r)
	least := s.reduce(c, s.v)
	slab.Fill(s.pred, int32(r))
	s.final = s.final[:0]
	before := s.searched
	s.searched++
	dist, sink := least, -1
	for next := 0; ; next++ {
		if next == len(s.final) || least <= dist {
			if math.IsInf(least, 1) {
				s.restore()
				return false
			}
			if least > dist {
				dist = least
			}
			if sink = s.settle(least); sink >= 0 {
				s.update(dist, eps, next)
				break
			}
		}
		if s.ended {
			s.restore()
			return false
		}
		f := s.final[next]
		i := s.rowOf[f.col]
		c = s.row(int(i))
		s.searched++
		least = s.relax(s.dist, c, s.v, dist-(c[f.col]-f.price), i)
	}
	if eps > 0 {
		s.v[sink] -= eps
		s.byEps += eps
	}
	path := s.augment(r, sink)
	if s.Watch != nil {
		s.Watch(Search{Round: s.rounds, Epsilon: eps, Rows: s.searched - before, Path: path, Prices: s.v})
	}
	return true
}

// settle moves the columns at a distance to s.final, or returns the first of
// them that is free; -1: none is.
func (s *Solver) settle(dist float64) (sink int) {
	for j := index(s.dist, dist); j < len(s.dist); j += 1 + index(s.dist[j+1:], dist) {
		if s.rowOf[j] < 0 {
			return j
		}
		s.final = append(s.final, final{dist, s.v[j], int32(j)})
		s.v[j] = math.Inf(-1)
		s.dist[j] = math.Inf(1)
	}
	return -1
}

// update sets the prices after a search that ended at distance dist. Of the
// final columns the first, scanned in number, were scanned; the others are at dist.
func (s *Solver) update(dist, eps float64, scanned int) {
	if x := math.Abs(dist); x > s.largest {
		s.largest = x
	}
	for k, f := range s.final {
		by := dist - f.dist
		v := f.price - by
		if k < scanned {
			v -= eps
			s.byDist += by
			s.byEps += eps
		}
		s.v[f.col] = v
	}
}

// restore undoes the marks of a search that failed.
func (s *Solver) restore() {
	for _, f := range s.final {
		s.v[f.col] = f.price
	}
}

// augment flips the path that ends in column c, back to row r, and returns the number of its pairs.
func (s *Solver) augment(r, c int) (pairs int) {
	s.paths++
	for {
		pairs++
		i := s.pred[c]
		s.rowOf[c] = i
		c, s.colOf[i] = int(s.colOf[i]), int32(c)
		if int(i) == r {
			return pairs
		}
	}
}
