package ssp

import (
	"math"

	"mtt/internal/slab"
)

// This file holds augmenting row reduction, after Jonker and Volgenant [1]: an
// auction with ε = 0, whose pairs stay tight.

// The looks at rows are bounded, for each row that is without a pair; what they leave is
// searched, or bid for. Ties, and cycles of near ties, could go on for ever.
//
// After the first two looks a row, of problems of tracking one row in 14 is
// left. Going on there saves searches; an auction does not pay where
// fewer than crowdedShare of the rows are left. Of random problems one row in 7 is
// left, of tracking in a crowd one in 6, and of those whose searches grow longest,
// of costs of low rank and of distances between sets that lie apart, one in 2.5
// and more: beyond hardShare all are taken for such.
const (
	firstLooks   = 2
	moreLooks    = 12
	crowdedShare = 0.1
	hardShare    = 1.0 / 6
)

// takeFree gives each row, in order, its best column where that is free, and
// lists the others in s.free. All prices of columns are 0, and no column has a
// row. No branch depends on which entry is the best or whether its column is free:
// such guesses fail more often than tiny problems have rows.
func (s *Solver) takeFree() {
	p, d := s.p, s.dst
	n := len(s.rowBound)
	u, colOf, entryOf, rowOf := d.U[:n], d.ColOf[:n], d.EntryOf[:n], d.RowOf
	ptr, col := p.Ptr[1:][:n], p.Col
	free := slab.Grow(s.free, n)
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

// reduceRows makes augmenting row reductions for the rows in s.free. The result says whether enough
// are left for an auction to begin at once.
func (s *Solver) reduceRows() (crowded bool) {
	s.reduceEach(firstLooks * len(s.free))
	share := float64(len(s.free)) / float64(s.p.Rows)
	s.easy = share <= hardShare
	if share > crowdedShare && s.worthBidding(len(s.free)) {
		return true
	}
	if s.easy {
		s.reduceEach(moreLooks * len(s.free))
	}
	return false
}

// reduceEach lets each row in s.free, in order, take its best column: where that is
// free at its price, else from the row that has it, at a price that makes the
// second best as good; that row goes next. A row is left in s.free where this
// would not lower the price, or when the looks at rows are used up.
func (s *Solver) reduceEach(looks int) {
	p, d := s.p, s.dst
	left := looks
	free := s.free[:0] // grows by one at most for each row that is done
	for _, r := range s.free {
		for {
			left--
			lo, hi := p.Ptr[r], p.Ptr[r+1]
			least, second, at := twoLeast(s.rowBound[r], p.Col[lo:hi], p.Cost[lo:hi], d.V)
			d.U[r] = orZero(least)
			if at < 0 {
				d.ColOf[r], d.EntryOf[r] = -1, -1
				if d.U[r] < s.rowBound[r] { // must be served and has no entry
					free = append(free, r)
				}
				break
			}
			at += lo
			c := p.Col[at]
			old := d.RowOf[c]
			if old >= 0 {
				price := p.Cost[at] - second
				if !(price < d.V[c]) || second > math.MaxFloat64 || left < 0 {
					d.ColOf[r], d.EntryOf[r] = -1, -1
					free = append(free, r)
					break
				}
				d.V[c] = price
				d.U[r] = p.Cost[at] - price
			}
			s.match(r, c, at)
			if old < 0 {
				break
			}
			r = old
		}
	}
	s.free = free
	d.Stats.RowsScanned += looks - left
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
