package ssp

import "math"

// This file holds augmenting row reduction, after Jonker and Volgenant [1]: an
// auction with ε = 0, whose pairs stay tight.

// stealsPerRow bounds the looks at a row, on average; what they leave is
// searched. Ties, and cycles of near ties, could go on for ever.
const stealsPerRow = 3

// takeFree gives each row, in order, its best column where that is free, and
// lists the others in s.free.
func (s *Solver) takeFree() {
	p, d := s.p, s.dst
	v, u, colOf, rowOf, entryOf := d.V, d.U, d.ColOf, d.RowOf, d.EntryOf
	u, colOf, entryOf = u[:len(s.rowBound)], colOf[:len(s.rowBound)], entryOf[:len(s.rowBound)]
	d.Stats.RowsScanned += p.Rows
	hi := 0
	for r, bound := range s.rowBound {
		lo := hi
		hi = p.Ptr[r+1]
		col, cost := p.Col[lo:hi], p.Cost[lo:hi]
		cost = cost[:len(col)]
		least, at := bound, -1
		for k, c := range col {
			if x := cost[k] - v[c]; x < least {
				least, at = x, k
			}
		}
		u[r] = orZero(least)
		if at < 0 {
			if u[r] < bound { // must be served and has no entry
				s.free = append(s.free, int32(r))
			}
			continue
		}
		c := col[at]
		if rowOf[c] >= 0 {
			s.free = append(s.free, int32(r))
			continue
		}
		rowOf[c] = int32(r)
		colOf[r], entryOf[r] = c, lo+at
	}
}

// stealAll lets the rows in s.free steal, with so many looks at rows in all.
func (s *Solver) stealAll(left int) {
	rows := s.free
	s.free = s.free[:0] // grows by one at most for each row that is done
	for _, r := range rows {
		left = s.steal(r, left)
	}
}

// steal lets the free row r take its best column, from the row that has it at a
// price that makes the second best of r as good; that row goes next. A row is
// left in s.free where this would not lower the price, or when no looks are
// left; left is their number before, the result after.
func (s *Solver) steal(r int32, left int) int {
	p, d := s.p, s.dst
	v, rowOf := d.V, d.RowOf
	for {
		d.Stats.RowsScanned++
		left--
		lo, hi := p.Ptr[r], p.Ptr[r+1]
		col, cost := p.Col[lo:hi], p.Cost[lo:hi]
		cost = cost[:len(col)]
		least, at := s.rowBound[r], -1
		for k, c := range col {
			if x := cost[k] - v[c]; x < least {
				least, at = x, k
			}
		}
		if at < 0 {
			d.U[r] = orZero(least)
			if d.U[r] < s.rowBound[r] { // must be served and has no entry
				s.free = append(s.free, r)
			}
			return left
		}
		c := col[at]
		old := rowOf[c]
		if old >= 0 {
			second := s.rowBound[r]
			for k, c := range col {
				if x := cost[k] - v[c]; x < second && k != at {
					second = x
				}
			}
			price := cost[at] - second
			if !(price < v[c]) || second > math.MaxFloat64 || left < 0 {
				d.U[r] = least
				s.free = append(s.free, r)
				return left
			}
			v[c] = price
			least = cost[at] - price
			d.ColOf[old], d.EntryOf[old] = -1, -1
		}
		d.U[r] = least
		s.match(r, c, lo+at)
		if old < 0 {
			return left
		}
		r = old
	}
}
