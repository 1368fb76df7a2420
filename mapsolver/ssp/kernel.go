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

// lowerPrices lowers the price of each column to its cost in row r, whose
// first entry is lo, where that is less, and notes the row and the entry.
//
//go:noinline
func lowerPrices(v []float64, row, entry []int32, r int32, lo int, col []int32, cost []float64) {
	cost = cost[:len(col)]
	for k, c := range col {
		if x := cost[k]; x < v[c] {
			v[c], row[c], entry[c] = x, r, int32(lo+k)
		}
	}
}

// nearEntries lists the entries of a row whose reduced cost (Cost-V)-u is below
// room, and returns their number. The place of an entry in the row stands for
// the entry. dst is at least as long as the row.
//
//go:noinline
func nearEntries(dst []candidate, room float64, col []int32, cost, v []float64, u float64) int {
	n := 0
	cost = cost[:len(col)]
	dst = dst[:len(col)]
	for k, c := range col {
		if x := (cost[k] - v[c]) - u; x < room {
			dst[n] = candidate{x, c, int32(k)}
			n++
		}
	}
	return n
}

// nearColumnEntries is nearEntries for the entries of a column, whose costs are
// scattered: entry holds their indices in cost.
//
//go:noinline
func nearColumnEntries(dst []candidate, room float64, row, entry []int32, cost, u []float64, v float64) int {
	n := 0
	entry = entry[:len(row)]
	dst = dst[:len(row)]
	for k, r := range row {
		if x := (cost[entry[k]] - v) - u[r]; x < room {
			dst[n] = candidate{x, r, int32(k)}
			n++
		}
	}
	return n
}
