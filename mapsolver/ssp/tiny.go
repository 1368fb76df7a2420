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

// tinyBids bounds the bids of a tiny problem, for each row; what they leave is
// searched. Ties and cycles of near ties could bid for ever.
const tinyBids = 3

// A tiny is the workspace of tiny problems. Columns index all arrays.
type tiny struct {
	v     [tinySize]float64
	dist  [tinySize]float64
	rowOf [tinySize]int32
	entry [tinySize]int32 // by which a search reached the column
	from  [tinySize]int32 // the row of that entry
}

// serveTiny serves all rows, from nothing. It returns the first row that cannot
// be served, -1 when there is none; s.final is then as searchRow leaves it.
func (s *Solver) serveTiny() (unserved int32) {
	p, d, t := s.p, s.dst, &s.tiny
	fill(d.ColOf, -1)
	fill(d.EntryOf, -1)
	copy(t.v[:], s.colBound)
	if s.colCost {
		for e, c := range p.Col {
			if x := p.Cost[e]; x < t.v[c&(tinySize-1)] {
				t.v[c&(tinySize-1)] = x
			}
		}
		for c := range p.Cols {
			t.v[c] = orZero(t.v[c])
		}
	}
	for c := range p.Cols {
		t.rowOf[c] = -1
	}
	s.bidTiny()
	unserved = -1
	for _, r := range s.free {
		if !s.searchTiny(r) {
			unserved = r
			break
		}
	}
	copy(d.V, t.v[:])
	copy(d.RowOf, t.rowOf[:])
	return unserved
}

// bidTiny lets each row take its best column, at a price that makes its second
// best as good; the row that had the column goes next. This is augmenting row
// reduction [1], an auction with ε = 0: pairs stay tight. The rows that it
// leaves deficient are those in s.free.
func (s *Solver) bidTiny() {
	p, d, t := s.p, s.dst, &s.tiny
	left := tinyBids * p.Rows
	for first := range p.Rows {
		r := int32(first)
		for {
			left--
			lo, hi := p.Ptr[r], p.Ptr[r+1]
			col, cost := p.Col[lo:hi], p.Cost[lo:hi]
			cost = cost[:len(col)]
			least, at := s.rowBound[r], -1
			for k, c := range col {
				if x := cost[k] - t.v[c&(tinySize-1)]; x < least {
					least, at = x, k
				}
			}
			if at < 0 {
				d.U[r] = orZero(least)
				if d.U[r] < s.rowBound[r] { // must be served and has no entry
					s.free = append(s.free, r)
				}
				break
			}
			c := col[at] & (tinySize - 1)
			old := t.rowOf[c]
			if old >= 0 {
				second := s.rowBound[r]
				for k, c := range col {
					if x := cost[k] - t.v[c&(tinySize-1)]; x < second && k != at {
						second = x
					}
				}
				v := cost[at] - second
				if !(v < t.v[c]) || second > math.MaxFloat64 || left < 0 {
					d.U[r] = least
					s.free = append(s.free, r)
					break
				}
				t.v[c] = v
				least = cost[at] - v
				d.ColOf[old], d.EntryOf[old] = -1, -1
			}
			d.U[r] = least
			t.rowOf[c] = r
			d.ColOf[r], d.EntryOf[r] = c, lo+at
			if old < 0 {
				break
			}
			r = old
		}
	}
	d.Stats.RowsScanned += tinyBids*p.Rows - left
}

// searchTiny is searchRow for a tiny problem.
func (s *Solver) searchTiny(root int32) bool {
	p, d, t := s.p, s.dst, &s.tiny
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
			c &= tinySize - 1
			x := (cost[k] - t.v[c]) - u
			if x < 0 { // by rounding only
				x = 0
			}
			x += dist
			if !(x < best) || tree>>c&1 != 0 {
				continue
			}
			if t.rowOf[c] < 0 {
				best, leaver, freeCol = x, -1, c
			} else if reached>>c&1 != 0 && !(x < t.dist[c]) {
				continue
			}
			reached |= 1 << c
			t.dist[c], t.entry[c], t.from[c] = x, int32(lo+k), r
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
		r = t.rowOf[next]
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
	for ; tree != 0; tree &= tree - 1 {
		c := bits.TrailingZeros64(tree) & (tinySize - 1)
		if x := best - t.dist[c]; x > 0 {
			t.v[c] -= x
			s.tightenTiny(t.rowOf[c], int32(c))
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
		d.ColOf[r], d.EntryOf[r], t.rowOf[c] = c, int(t.entry[c]), r
		s.tightenTiny(r, c)
		if r == root {
			return true
		}
		c = next
	}
}

// tightenTiny is tighten for the entry that pairs row r with column c.
func (s *Solver) tightenTiny(r, c int32) {
	x := s.p.Cost[s.dst.EntryOf[r]] - s.tiny.v[c]
	if b := s.rowBound[r]; x > b {
		x = b
	}
	s.dst.U[r] = x
}
