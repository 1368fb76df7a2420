package ssp

// This file holds the inner loops over the entries of one row. They are small
// functions that are not inlined, so that what they work on stays in
// registers: inlined into its caller, nearEntries takes half as long again.

// leastBelow returns the least reduced cost Cost-V of a row and its place, or
// limit and -1 when none is below limit.
//
//go:noinline
func leastBelow(limit float64, col []int32, cost, v []float64) (least float64, at int) {
	at = -1
	cost = cost[:len(col)]
	for k, c := range col {
		if x := cost[k] - v[c]; x < limit {
			limit, at = x, k
		}
	}
	return limit, at
}

// cheapestEntries notes the cheapest entry of each column where that costs less
// than what is noted there.
//
//go:noinline
func cheapestEntries(cheapest []vertex, ptr []int, col []int32, cost []float64) {
	cost = cost[:len(col)]
	e := 0
	for r, hi := range ptr[1:] {
		for ; e < hi; e++ {
			c := col[e]
			if x, t := cost[e], &cheapest[c]; x < t.dist {
				*t = vertex{x, int32(e), int32(r)}
			}
		}
	}
}

// scanRow follows the entries of row r, which is at distance dist, to the columns
// that are nearer than best: the nearest free one, whose distance and entry it
// returns, or best and -1 when there is none, and the others, which it adds to
// s.later and, where they are at distance dist, to s.level.
//
//go:noinline
func (s *Solver) scanRow(r int32, dist, best float64) (nearest float64, entry int32) {
	p, d := s.p, s.dst
	lo, hi := p.Ptr[r], p.Ptr[r+1]
	col, cost := p.Col[lo:hi], p.Cost[lo:hi]
	cost = cost[:len(col)]
	list := s.room(len(col))
	u, v, rowOf := d.U[r], d.V, d.RowOf
	rowOf = rowOf[:len(v)]
	n, tight := 0, 0
	entry = -1
	for k, c := range col {
		y := dist
		if x := (cost[k] - v[c]) - u; x > 0 {
			y += x
		} else { // below 0 by rounding only
			tight++
		}
		if !(y < best) {
			continue
		}
		if rowOf[c] < 0 {
			best, entry = y, int32(lo+k)
			continue
		}
		list[n] = later{vertex{y, int32(lo + k), r}, c}
		n++
	}
	s.follow(s.cols, list[:n], tight, dist, best)
	return best, entry
}

// scanCol is scanRow for column c, whose costs are scattered.
//
//go:noinline
func (s *Solver) scanCol(c int32, dist, best float64) (nearest float64, entry, row int32) {
	d, by, cost := s.dst, s.byColumn(), s.p.Cost
	lo, hi := by.Ptr[c], by.Ptr[c+1]
	rows, entries := by.Row[lo:hi], by.Entry[lo:hi]
	entries = entries[:len(rows)]
	list := s.room(len(rows))
	u, v, colOf := d.U, d.V[c], d.ColOf
	colOf = colOf[:len(u)]
	n, tight := 0, 0
	entry, row = -1, -1
	for k, r := range rows {
		e := entries[k]
		y := dist
		if x := (cost[e] - v) - u[r]; x > 0 {
			y += x
		} else {
			tight++
		}
		if !(y < best) {
			continue
		}
		if colOf[r] < 0 {
			best, entry, row = y, e, r
			continue
		}
		list[n] = later{vertex{y, e, c}, r}
		n++
	}
	s.follow(s.rows, list[:n], tight, dist, best)
	return best, entry, row
}
