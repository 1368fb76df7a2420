package gating

import (
	"mtt"
	"mtt/internal/radix"
)

// This file puts detections near each other in space near each other in memory.

// ByPlace is the order of the detections of a scan along a curve that fills space, Morton's:
// numbers whose digits are those of the coordinates in turn. Detections near each other in space
// are near each other in it; sensors report in any order, and in a large scan every look at a
// neighbour then is a miss of the processor's cache. It takes time O(n), that of few detections O(n
// log n).
func ByPlace(s *mtt.Scan) []int32 {
	n := s.Len()
	if n <= 1 {
		return make([]int32, n)
	}
	dim := s.Dim
	bits := 32 / dim // of a coordinate
	low, scale := make([]float64, dim), make([]float64, dim)
	for d := range dim {
		high := s.Pos[d]
		low[d] = high
		for k := d; k < len(s.Pos); k += dim {
			low[d], high = min(low[d], s.Pos[k]), max(high, s.Pos[k])
		}
		if high > low[d] {
			scale[d] = (float64(uint(1)<<bits) - 1) / (high - low[d])
		}
	}
	keys := make([]uint64, n) // place, then number
	for i := range keys {
		place := uint64(0)
		for d, x := range s.At(i) {
			place |= spread(uint64((x-low[d])*scale[d]), bits, dim) << d
		}
		keys[i] = place<<32 | uint64(i)
	}
	keys, _ = radix.Sort(keys, nil, 32)
	order := make([]int32, n)
	for k, key := range keys {
		order[k] = int32(uint32(key))
	}
	return order
}

// spread puts bit b of a number of so many bits at bit b·dim.
func spread(x uint64, bits, dim int) (y uint64) {
	if dim == 2 { // halves, quarters, … of its bits are moved apart
		x = (x | x<<8) & 0x00ff00ff
		x = (x | x<<4) & 0x0f0f0f0f
		x = (x | x<<2) & 0x33333333
		return (x | x<<1) & 0x55555555
	}
	for b := range bits {
		y |= x >> b & 1 << (b * dim)
	}
	return y
}
