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

// An offer is an entry and its cost.
type offer struct {
	cost float64
	at   int64 // the row, 32 bits, above the entry
}

// cheapestEntries finds the cheapest entry of each column, the first of those
// that are equal; cheapest holds infinite costs before. There is no branch on
// costs, which would be mispredicted every third time.
//
//go:noinline
func cheapestEntries(cheapest []offer, ptr []int, col []int32, cost []float64) {
	cost = cost[:len(col)]
	lo := 0
	for r, hi := range ptr[1:] {
		row := int64(r) << 32
		end := row | int64(hi)
		for at := row | int64(lo); at < end; at++ {
			c, x := col[uint32(at)], cost[uint32(at)]
			t := &cheapest[c]
			least, best := t.cost, t.at
			if x < least {
				best = at
			}
			t.cost, t.at = min(x, least), best
		}
		lo = hi
	}
}

// onlyTight is the place of the entry of a row whose reduced cost (Cost-V)-u is 0,
// or below that by rounding; -1 when there is none, or another.
//
//go:noinline
func onlyTight(col []int32, cost, v []float64, u float64) int {
	at := -1
	cost = cost[:len(col)]
	for k, c := range col {
		if !((cost[k]-v[c])-u > 0) {
			if at >= 0 {
				return -1
			}
			at = k
		}
	}
	return at
}

// freeTight is the place of the first such entry whose column is free, -1 when
// there is none.
//
//go:noinline
func freeTight(col []int32, cost, v []float64, u float64, rowOf []int32) int {
	cost = cost[:len(col)]
	for k, c := range col {
		if !((cost[k]-v[c])-u > 0) && rowOf[c] < 0 {
			return k
		}
	}
	return -1
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
