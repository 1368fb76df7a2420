package ssp

import (
	"math"

	"mtt/mapsolver"
)

// This file holds the search that serves one deficient column.

// searchCol raises the price of the free column root until it is served. It is
// the mirror image of searchRow, over the entries listed by column: it ends at
// a free row, or at a column of the tree that reaches its bound; columns of
// the tree rise and rows fall. The two are written apart, line by line alike, because one
// for both would choose between rows and columns at every entry of the inner loop.
//
// The result is false when there is no sink; s.final then holds the rows of
// the tree.
func (s *Solver) searchCol(root int32) bool {
	d, t := s.dst, s.rows
	u, v, colOf := d.U, d.V, d.ColOf
	by := s.byColumn()

	best := s.colBound[root] - v[root]
	leaver, freeRow := root, int32(-1)
	var last vertex

	c, dist := root, 0.0
	for {
		d.Stats.RowsScanned++
		lo, hi := by.Ptr[c], by.Ptr[c+1]
		list := s.room(hi - lo)
		n := nearColumnEntries(list, best-dist, by.Row[lo:hi], by.Entry[lo:hi], s.p.Cost, u, v[c])
		if x, sink := s.follow(t, list[:n], colOf, c, dist, best); sink.id >= 0 {
			best, leaver, freeRow, last = x, -1, sink.id, sink.vertex
		}
		r := s.nearest(t, dist, best)
		if r < 0 {
			break
		}
		dist = t[r].dist
		s.final = append(s.final, final{u[r], r})
		u[r] = math.Inf(-1)
		c = colOf[r]
		if x := dist + (s.colBound[c] - v[c]); x < best {
			best, leaver, freeRow = x, c, -1
		}
	}

	found := best <= math.MaxFloat64
	for _, f := range s.final {
		r := f.id
		u[r] = f.price
		if x := best - t[r].dist; found && x > 0 {
			c := colOf[r]
			v[c] = min(v[c]+x, s.colBound[c])
			s.tighten(r, c, d.EntryOf[r])
		}
	}
	if !found {
		return false
	}
	s.forget(t)
	if best > s.largest {
		s.largest = best
	}

	// Change the pairs, from the sink back to root.
	if leaver == root {
		v[root] = s.colBound[root]
		return true
	}
	v[root] = min(v[root]+best, s.colBound[root])
	d.Stats.Augmented++
	r, y := freeRow, last
	if leaver >= 0 {
		v[leaver] = s.colBound[leaver]
		s.largest = max(s.largest, math.Abs(v[leaver]))
		r = d.RowOf[leaver]
		y = t[r]
		d.RowOf[leaver] = -1
	}
	for {
		c := y.from
		next := d.RowOf[c]
		s.match(r, c, int(y.entry))
		s.tighten(r, c, int(y.entry))
		if c == root {
			return true
		}
		r, y = next, t[next]
	}
}

// byColumn is the list of entries by column.
func (s *Solver) byColumn() *mapsolver.Columns {
	if s.given != nil {
		return s.given
	}
	if !s.haveColumns {
		mapsolver.ByColumn(&s.columns, s.p)
		s.haveColumns = true
	}
	return &s.columns
}
