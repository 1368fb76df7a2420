package ssp

import "math"

// This file holds the search that serves one deficient row.

// searchRow raises the price of the free row root until it is served, by one
// search after Dijkstra over reduced costs. In the search tree a row leads to
// columns by its entries, and a column leads to the row that has it. The tree
// grows by the nearest column until it meets the nearest sink: a free column,
// or a row of the tree, root included, that reaches its bound and may be left
// free. Then the rows of the tree rise, and its columns fall, by what their
// distance lacks of that of the sink, and the pairs along the path from root
// to the sink are changed.
//
// The result is false when there is no sink; s.final then holds the columns of
// the tree.
func (s *Solver) searchRow(root int32) bool {
	p, d, t := s.p, s.dst, s.cols
	u, v, rowOf := d.U, d.V, d.RowOf

	// The nearest sink so far: its distance, which one it is, and, for a
	// column, how it was reached.
	best := s.rowBound[root] - u[root]
	leaver, freeCol := root, int32(-1)
	var last vertex

	r, dist := root, 0.0
	for {
		d.Stats.RowsScanned++
		lo, hi := p.Ptr[r], p.Ptr[r+1]
		list := s.room(hi - lo)
		n := nearEntries(list, best-dist, lo, p.Col[lo:hi], p.Cost[lo:hi], v, u[r])
		if x, sink := s.follow(t, list[:n], rowOf, r, dist, best); sink.id >= 0 {
			best, leaver, freeCol, last = x, -1, sink.id, sink.vertex
		}
		c := s.nearest(t, dist, best)
		if c < 0 {
			break
		}
		dist = t[c].dist
		s.final = append(s.final, final{v[c], c})
		v[c] = math.Inf(-1)
		r = rowOf[c]
		if s.mayLeave {
			if x := dist + (s.rowBound[r] - u[r]); x < best {
				best, leaver, freeCol = x, r, -1
			}
		}
	}

	found := best <= math.MaxFloat64
	for _, f := range s.final {
		c := f.id
		v[c] = f.price
		if x := best - t[c].dist; found && x > 0 {
			v[c] -= x
			r := rowOf[c]
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
		u[root] = s.rowBound[root]
		return true
	}
	d.Stats.Augmented++
	c, by := freeCol, last
	if leaver >= 0 {
		u[leaver] = s.rowBound[leaver]
		c = d.ColOf[leaver]
		by = t[c]
		d.ColOf[leaver], d.EntryOf[leaver] = -1, -1
	}
	for {
		r := by.from
		next := d.ColOf[r]
		s.match(r, c, int(by.entry))
		s.tighten(r, c, int(by.entry))
		if r == root {
			return true
		}
		c, by = next, t[next]
	}
}

// makeWay is searchRow for a search that ends as soon as it can: the row that has
// the only tight column of root has another one that is free. After a column
// reduction every second search is like that. It is false, and has done nothing,
// when the search is not; nor are its looks counted then.
func (s *Solver) makeWay(root int32) bool {
	p, d := s.p, s.dst
	lo, hi := p.Ptr[root], p.Ptr[root+1]
	k := onlyTight(p.Col[lo:hi], p.Cost[lo:hi], d.V, d.U[root])
	if k < 0 {
		return false
	}
	e := lo + k
	c := p.Col[e]
	r := d.RowOf[c]
	if r < 0 || s.mayLeave && !(d.U[r] < s.rowBound[r]) {
		return false
	}
	lo, hi = p.Ptr[r], p.Ptr[r+1]
	if k = freeTight(p.Col[lo:hi], p.Cost[lo:hi], d.V, d.U[r], d.RowOf); k < 0 {
		return false
	}
	d.Stats.RowsScanned += 2
	d.Stats.Augmented++
	s.match(r, p.Col[lo+k], lo+k)
	s.tighten(r, p.Col[lo+k], lo+k)
	s.match(root, c, e)
	s.tighten(root, c, e)
	return true
}

// tighten sets the price of row r so that entry e, in column c, is tight.
func (s *Solver) tighten(r, c int32, e int) {
	x := s.p.Cost[e] - s.dst.V[c]
	if s.mayLeave && x > s.rowBound[r] { // by rounding only
		x = s.rowBound[r]
	}
	s.dst.U[r] = x
}
