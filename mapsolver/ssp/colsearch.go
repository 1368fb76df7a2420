package ssp

import (
	"math"

	"mtt/mapsolver"
)

// This file holds the search that serves one deficient column: the mirror
// image of the search for a row, over the entries listed by column.

// searchCol raises the price of the unassigned column root until it is served:
// until it reaches an unassigned row, or a column of the tree meets its bound
// and may go free. Columns of the tree then rise and rows of the tree fall.
// The result is false when there is no sink; s.final then holds the rows of
// the tree.
func (s *Solver) searchCol(root int32) bool {
	p, d, t := s.p, s.dst, &s.rows
	by := s.byColumn()
	ptr, row, entry, cost := by.Ptr, by.Row, by.Entry, p.Cost
	u, v, colOf, rowOf := d.U, d.V, d.ColOf, d.RowOf
	epoch, dist := t.epoch, t.dist

	t.begin()
	now := t.now
	s.heap, s.zero, s.final = s.heap[:0], s.zero[:0], s.final[:0]
	best := s.colBound[root] - v[root]
	freeCol, freeRow := root, int32(-1)

	c, at := root, 0.0
	for {
		// Column c is final at distance at.
		d.Stats.RowsScanned++
		vc := v[c]
		for k, end := ptr[c], ptr[c+1]; k < end; k++ {
			r, e := row[k], entry[k]
			x := cost[e] - vc - u[r]
			if x < 0 { // rounding
				x = 0
			}
			x += at
			if !(x < best) || epoch[r] == now && x >= dist[r] {
				continue
			}
			epoch[r], dist[r], t.pred[r], t.from[r] = now, x, e, c
			switch {
			case colOf[r] < 0:
				best, freeCol, freeRow = x, -1, r
			case x == at:
				s.zero = append(s.zero, r)
			default:
				s.heap.push(x, r)
			}
		}
		r := s.nearest(t, at, best)
		if r < 0 {
			break
		}
		at = dist[r]
		s.final = append(s.final, r)
		c = colOf[r]
		if x := at + (s.colBound[c] - v[c]); x < best {
			best, freeCol, freeRow = x, c, -1
		}
	}
	if math.IsInf(best, 1) {
		return false
	}

	// Prices.
	for _, r := range s.final {
		if x := best - dist[r]; x > 0 {
			c := colOf[r]
			v[c] = min(v[c]+x, s.colBound[c])
			s.tighten(r, c, d.EntryOf[r])
		}
	}
	if freeCol == root {
		v[root] = s.colBound[root]
		return true
	}
	v[root] += best

	// Assignment: walk back from the sink to the root.
	d.Stats.Augmented++
	r := freeRow
	if freeCol >= 0 {
		v[freeCol] = s.colBound[freeCol]
		r = rowOf[freeCol]
		rowOf[freeCol] = -1
	}
	for {
		c := t.from[r]
		next := rowOf[c]
		s.match(r, c, int(t.pred[r]))
		s.tighten(r, c, int(t.pred[r]))
		if c == root {
			return true
		}
		r = next
	}
}

// byColumn is the list of entries by column, built once for each problem when
// the caller gave none.
func (s *Solver) byColumn() *mapsolver.Columns {
	if s.Columns != nil {
		return s.Columns
	}
	if !s.haveCols {
		mapsolver.ByColumn(&s.columns, s.p)
		s.haveCols = true
	}
	return &s.columns
}
