// Package radix sorts whole numbers digit by digit.
package radix

import (
	"math/bits"
	"slices"
)

// Sort sorts keys, of which those that are equal from bit lo on ascend as they stand: lower bits may number them. It returns
// them, in the memory of either slice, and the other one. Long lists are sorted digit by digit, of 11 bits, from bit lo up to the highest
// that is set, in O(n) time a digit.
func Sort(keys, spare []uint64, lo int) (sorted, other []uint64) {
	if len(keys) < 512 {
		slices.Sort(keys)
		return keys, spare
	}
	const digit = 11
	set := uint64(0)
	for _, k := range keys {
		set |= k
	}
	spare = slices.Grow(spare[:0], len(keys))[:len(keys)]
	for shift := lo; shift < bits.Len64(set); shift += digit {
		var at [1 << digit]int32
		for _, k := range keys {
			at[k>>shift&(1<<digit-1)]++
		}
		sum := int32(0)
		for d := range at {
			at[d], sum = sum, sum+at[d]
		}
		for _, k := range keys {
			d := k >> shift & (1<<digit - 1)
			spare[at[d]] = k
			at[d]++
		}
		keys, spare = spare, keys
	}
	return keys, spare
}
