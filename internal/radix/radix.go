// Package radix sorts whole numbers digit by digit.
package radix

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Sort sorts keys, of which those that are equal from bit lo on ascend as they stand: lower bits
// may number them. It returns them, in the memory of either slice, and the other one. Long lists
// are sorted digit by digit, of 11 bits, from bit lo up to the highest that is set, in O(n) time a
// digit.
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

// Order is the order of numbers, ascending, those that are equal by their places. They are sorted
// by their first 32 bits between the least and the largest, and what these leave equal by
// comparing: O(n) time where that is little.
func Order(x []float64) []int32 {
	order := make([]int32, len(x))
	if len(x) == 0 {
		return order
	}
	low, scale := slices.Min(x), 0.0
	if span := slices.Max(x) - low; span > 0 && (1<<32-1)/span > 0 && span-span == 0 { // else one of them is NaN, or they span no number
		scale = min((1<<32-1)/span, math.MaxFloat64)
	}
	keys := make([]uint64, len(x))
	for i, v := range x {
		keys[i] = uint64(i)
		if scale > 0 {
			keys[i] |= uint64((v-low)*scale) << 32
		}
	}
	keys, _ = Sort(keys, nil, 32)
	for k, key := range keys {
		order[k] = int32(uint32(key))
	}
	for lo := 0; lo < len(keys); {
		hi := lo + 1
		for hi < len(keys) && keys[hi]>>32 == keys[lo]>>32 {
			hi++
		}
		if hi-lo > 1 {
			slices.SortFunc(order[lo:hi], func(i, j int32) int { return cmp.Or(cmp.Compare(x[i], x[j]), cmp.Compare(i, j)) })
		}
		lo = hi
	}
	return order
}
