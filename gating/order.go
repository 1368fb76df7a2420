package gating

import (
	"slices"

	"mtt"
)

// This file puts detections near each other in space near each other in memory.

// ByPlace is the order of the detections of a scan along a curve that fills space, Morton's: numbers whose digits are
// those of the coordinates in turn. Detections near each other in space are near each other in it; sensors report in any
// order, and in a large scan every look at a neighbour then is a miss of the processor's cache. It takes time
// O(n log n).
func ByPlace(s *mtt.Scan) []int32 {
	n := s.Len()
	if n == 0 {
		return nil
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
			cell := uint64((x - low[d]) * scale[d])
			for b := range bits {
				place |= cell >> b & 1 << (b*dim + d)
			}
		}
		keys[i] = place<<32 | uint64(i)
	}
	slices.Sort(keys)
	order := make([]int32, n)
	for k, key := range keys {
		order[k] = int32(uint32(key))
	}
	return order
}
