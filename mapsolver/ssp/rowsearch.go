package ssp

import "math"

// This file holds the search that serves one deficient row.

// searchRow raises the price of the unassigned row root, by one Dijkstra
// search over reduced costs, until it is served. The search tree alternates:
// a row reaches columns by its entries, an assigned column reaches its row.
// It ends at the nearest sink, which is an unassigned column, or a row of the
// tree whose price meets its bound and which may then go free. Rows of the
// tree then rise, columns of the tree fall, by what is left of the distance to
// the sink. The result is false when there is no sink; s.final then holds the
// columns of the tree.
func (s *Solver) searchRow(root int32) bool {
	p, d, t := s.p, s.dst, &s.cols
	ptr, col, cost := p.Ptr, p.Col, p.Cost
	u, v, colOf, rowOf := d.U, d.V, d.ColOf, d.RowOf
	epoch, dist := t.epoch, t.dist

	t.begin()
	now := t.now
	s.heap, s.zero, s.final = s.heap[:0], s.zero[:0], s.final[:0]
	best := s.rowBound[root] - u[root] // distance of the nearest sink known
	freeRow, freeCol := root, int32(-1)

	r, at := root, 0.0
	for {
		// Row r is final at distance at.
		d.Stats.RowsScanned++
		ur := u[r]
		for e, end := ptr[r], ptr[r+1]; e < end; e++ {
			c := col[e]
			x := cost[e] - v[c] - ur
			if x < 0 { // rounding
				x = 0
			}
			x += at
			if !(x < best) || epoch[c] == now && x >= dist[c] {
				continue
			}
			epoch[c], dist[c], t.pred[c], t.from[c] = now, x, int32(e), r
			switch {
			case rowOf[c] < 0:
				best, freeRow, freeCol = x, -1, c
			case x == at:
				s.zero = append(s.zero, c)
			default:
				s.heap.push(x, c)
			}
		}
		c := s.nearest(t, at, best)
		if c < 0 {
			break
		}
		at = dist[c]
		s.final = append(s.final, c)
		r = rowOf[c]
		if x := at + (s.rowBound[r] - u[r]); x < best {
			best, freeRow, freeCol = x, r, -1
		}
	}
	if math.IsInf(best, 1) {
		return false
	}

	// Prices.
	for _, c := range s.final {
		if x := best - dist[c]; x > 0 {
			v[c] -= x
			s.tighten(rowOf[c], c, d.EntryOf[rowOf[c]])
		}
	}
	if x := u[root] + best; freeRow == root {
		u[root] = s.rowBound[root]
	} else {
		u[root] = x
	}

	// Assignment: walk back from the sink to the root.
	if freeRow == root {
		return true
	}
	d.Stats.Augmented++
	c := freeCol
	if freeRow >= 0 {
		u[freeRow] = s.rowBound[freeRow]
		c = colOf[freeRow]
		colOf[freeRow], d.EntryOf[freeRow] = -1, -1
	}
	for {
		r := t.from[c]
		next := colOf[r]
		s.match(r, c, int(t.pred[c]))
		s.tighten(r, c, int(t.pred[c]))
		if r == root {
			return true
		}
		c = next
	}
}

// tighten sets the price of row r so that entry e, in column c, is tight.
func (s *Solver) tighten(r, c int32, e int) {
	x := s.p.Cost[e] - s.dst.V[c]
	if b := s.rowBound[r]; x > b { // rounding
		x = b
	}
	s.dst.U[r] = x
}
