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
// costs, which would be mispredicted every third time. ptr is that of rows first and on.
//
//go:noinline
func cheapestEntries(cheapest []offer, first int, ptr []int, col []int32, cost []float64) {
	cost = cost[:len(col)]
	lo := ptr[0]
	for r, hi := range ptr[1:] {
		row := int64(first+r) << 32
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
		if (cost[k]-v[c])-u <= 0 {
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
		if (cost[k]-v[c])-u <= 0 && rowOf[c] < 0 {
			return k
		}
	}
	return -1
}

// nearEntries lists the entries of a row, the first of which is lo, whose
// reduced cost (Cost-V)-u is below room, as if that were the distance of their
// columns, and returns their number. dst is at least as long as the row.
//
//go:noinline
func nearEntries(dst []later, room float64, lo int, col []int32, cost, v []float64, u float64) int {
	n := 0
	cost = cost[:len(col)]
	dst = dst[:len(col)]
	for k, c := range col {
		if x := (cost[k] - v[c]) - u; x < room {
			t := &dst[n]
			t.dist, t.entry, t.id = x, int32(lo+k), c
			n++
		}
	}
	return n
}

// nearColumnEntries is nearEntries for the entries of a column, whose costs are
// scattered: entry holds their indices in cost.
//
//go:noinline
func nearColumnEntries(dst []later, room float64, row, entry []int32, cost, u []float64, v float64) int {
	n := 0
	entry = entry[:len(row)]
	dst = dst[:len(row)]
	for k, r := range row {
		e := entry[k]
		if x := (cost[e] - v) - u[r]; x < room {
			t := &dst[n]
			t.dist, t.entry, t.id = x, e, r
			n++
		}
	}
	return n
}
