package ssp

import "math"

// This file holds augmenting row reduction, after Jonker and Volgenant [1]: an
// auction with ε = 0, whose pairs stay tight.

// stealsPerRow bounds the looks at a row, on average; what they leave is
// searched. Ties, and cycles of near ties, could go on for ever.
const stealsPerRow = 3

// takeFree gives each row, in order, its best column where that is free, and
// lists the others in s.free. All prices of columns are 0, and no column has a
// row. No branch depends on which entry is the best or whether its column is free:
// such guesses fail more often than tiny problems have rows.
func (s *Solver) takeFree() {
	p, d := s.p, s.dst
	n := len(s.rowBound)
	u, colOf, entryOf, rowOf := d.U[:n], d.ColOf[:n], d.EntryOf[:n], d.RowOf
	ptr, col := p.Ptr[1:][:n], p.Col
	free := grow(s.free, n)
	d.Stats.RowsScanned += n
	n = 0
	lo, hi := 0, 0
	for r, bound := range s.rowBound {
		lo, hi = hi, ptr[r]
		least, at := leastCost(bound, p.Cost[lo:hi])
		u[r] = orZero(least)
		free[n] = int32(r)
		if at < 0 {
			colOf[r], entryOf[r] = -1, -1
			if u[r] < bound { // must be served and has no entry
				n++
			}
			continue
		}
		at += lo
		c := col[at]
		old := rowOf[c]
		taken := ^(old >> 31) // all bits or none
		rowOf[c] = int32(r)&^taken | old&taken
		colOf[r] = c | taken
		entryOf[r] = at | int(taken)
		n -= int(taken)
	}
	s.free = free[:n]
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
		least, second, at := twoLeast(s.rowBound[r], col, cost, v)
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

// leastCost returns the least cost and its place, or limit and -1 when none is
// below limit.
//
//go:noinline
func leastCost(limit float64, cost []float64) (least float64, at int) {
	one := ordered(limit)
	at = -1
	for k, y := range cost {
		x := ordered(y)
		if x < one {
			at = k
		}
		one = min(one, x)
	}
	return unordered(one), at
}

// twoLeast returns the least and the second least reduced cost Cost-V of a row,
// both at most limit, and the place of the first; -1 when none is below limit.
//
//go:noinline
func twoLeast(limit float64, col []int32, cost, v []float64) (least, second float64, at int) {
	one := ordered(limit)
	two := one
	at = -1
	cost = cost[:len(col)]
	for k, c := range col {
		x := ordered(cost[k] - v[c])
		two = min(two, max(one, x))
		if x < one {
			at = k
		}
		one = min(one, x)
	}
	return unordered(one), unordered(two), at
}

// ordered is an integer that orders as x does, save that -0 is below 0: integers
// are compared and taken without a branch.
func ordered(x float64) int64 {
	b := int64(math.Float64bits(x))
	return b ^ int64(uint64(b>>63)>>1)
}

// unordered is the number that ordered made x of.
func unordered(x int64) float64 {
	return math.Float64frombits(uint64(x ^ int64(uint64(x>>63)>>1)))
}
