package gating

import (
	"math"
	"slices"
)

// This file finds the points of a scan in balls that come one at a time.

// Places are points that are looked up again and again. The zero value has none.
type Places struct {
	grid cells
	n    int
}

// Set makes p hold points, row-major ×dim, 2 or 3, for balls whose radii are mostly about the given
// one, m. It takes O(n) time and memory for n points, which are copied.
func (p *Places) Set(dim int, points []float64, radius float64) {
	if dim != 2 && dim != 3 || len(points)%dim != 0 {
		panic("gating: points do not fit their dimension")
	}
	if p.n = len(points) / dim; p.n > 0 {
		p.grid.build(points, dim, radius)
	}
}

// Near appends to dst the points less than radius away from centre, as [Finder.Within] without a
// cap would list them. Several goroutines may look at once.
func (p *Places) Near(dst []int32, centre *[3]float64, radius float64) []int32 {
	if p.n == 0 || !(radius > 0) || math.IsInf(radius, 1) {
		return dst
	}
	n := len(dst)
	dst = p.grid.search(dst, *centre, radius, 1, radius*radius)
	found := dst[n:]
	sort(found)
	if !p.grid.dense {
		return dst[:n+len(slices.Compact(found))]
	}
	return dst
}
