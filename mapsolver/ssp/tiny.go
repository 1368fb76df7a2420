package ssp

import (
	"math"
	"math/bits"
)

// This file holds the way from nothing to served rows for problems of up to 64
// columns, whose searches keep sets of columns in one machine word: no heap, no
// lists, nothing to clear. Deficient columns are left to searchCol.

// tinySize is the most columns, and rows, of a tiny problem.
const tinySize = 64

// A tiny is the workspace of tiny problems. Columns index all arrays.
type tiny struct {
	dist  [tinySize]float64
	entry [tinySize]int32 // by which a search reached the column
	from  [tinySize]int32 // the row of that entry
}

// serveTiny serves all rows, from nothing. It returns the first row that cannot
// be served, -1 when there is none; s.final is then as searchRow leaves it.
func (s *Solver) serveTiny() (unserved int32) {
	s.coldStart(nil)
	for _, r := range s.free {
		if !s.searchTiny(r) {
			return r
		}
	}
	return -1
}

// searchTiny is searchRow for a tiny problem.
func (s *Solver) searchTiny(root int32) bool {
	p, d, t := s.p, s.dst, &s.tiny
	v, rowOf := d.V, d.RowOf
	best := s.rowBound[root] - d.U[root]
	leaver, freeCol := root, int32(-1)
	var reached, tree uint64 // sets of columns; those of the tree are final
	s.final = s.final[:0]

	r, dist := root, 0.0
	for {
		d.Stats.RowsScanned++
		u := d.U[r]
		lo, hi := p.Ptr[r], p.Ptr[r+1]
		col, cost := p.Col[lo:hi], p.Cost[lo:hi]
		cost = cost[:len(col)]
		for k, c := range col {
			x := (cost[k] - v[c]) - u
			if x < 0 { // by rounding only
				x = 0
			}
			x += dist
			if !(x < best) || tree>>c&1 != 0 {
				continue
			}
			if rowOf[c] < 0 {
				best, leaver, freeCol = x, -1, c
			} else if reached>>c&1 != 0 && !(x < t.dist[c&(tinySize-1)]) {
				continue
			}
			reached |= 1 << c
			i := c & (tinySize - 1)
			t.dist[i], t.entry[i], t.from[i] = x, int32(lo+k), r
		}
		next, nearest := int32(-1), best
		for open := reached &^ tree; open != 0; open &= open - 1 {
			c := bits.TrailingZeros64(open) & (tinySize - 1)
			if t.dist[c] < nearest {
				next, nearest = int32(c), t.dist[c]
			}
		}
		if next < 0 {
			break
		}
		dist = nearest
		tree |= 1 << next
		r = rowOf[next]
		if x := dist + (s.rowBound[r] - d.U[r]); x < best {
			best, leaver, freeCol = x, r, -1
		}
	}

	if best > math.MaxFloat64 {
		for ; tree != 0; tree &= tree - 1 {
			c := bits.TrailingZeros64(tree)
			s.final = append(s.final, final{id: int32(c)})
		}
		return false
	}
	if best > s.largest {
		s.largest = best
	}
	for ; tree != 0; tree &= tree - 1 {
		c := bits.TrailingZeros64(tree) & (tinySize - 1)
		if x := best - t.dist[c]; x > 0 {
			v[c] -= x
			r := rowOf[c]
			s.tighten(r, int32(c), d.EntryOf[r])
		}
	}

	// Change the pairs, from the sink back to root.
	if leaver == root {
		d.U[root] = s.rowBound[root]
		return true
	}
	d.Stats.Augmented++
	c := freeCol
	if leaver >= 0 {
		d.U[leaver] = s.rowBound[leaver]
		c = d.ColOf[leaver]
		d.ColOf[leaver], d.EntryOf[leaver] = -1, -1
	}
	for {
		r := t.from[c]
		next := d.ColOf[r]
		d.ColOf[r], d.EntryOf[r], rowOf[c] = c, int(t.entry[c]), r
		s.tighten(r, c, d.EntryOf[r])
		if r == root {
			return true
		}
		c = next
	}
}
