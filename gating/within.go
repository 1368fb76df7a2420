package gating

import (
	"fmt"
	"math"

	"mtt"
)

// This file lists points in balls.

// Within lists, for each centre, the points less than its radius away, as the function [Neighbors]
// lists those inside a gate; with K the best pairs of crowded ones. centres and points are
// row-major ×dim, 2 or 3; radii has a length for each centre, m, of at least 0.
//
// It panics when the slices' lengths do not fit together, and returns an error that
// wraps ErrNotFinite when a number is not finite, or beyond 1e150.
func (f *Finder) Within(dst *CSR, dim int, centres, radii, points []float64) (*CSR, error) {
	if dim != 2 && dim != 3 || len(centres) != dim*len(radii) || len(points)%dim != 0 {
		panic("gating: centres, radii and points do not fit together")
	}
	for _, x := range [][]float64{centres, radii, points} {
		if k := firstUnusable(x); k >= 0 {
			return nil, fmt.Errorf("gating: a centre, radius or point has the number %v: %w", x[k], ErrNotFinite)
		}
	}
	f.balls = [2]mtt.Scan{{Dim: dim, Pos: centres}, {Dim: dim, Pos: points}}
	f.a, f.b, f.rule = &f.balls[0], &f.balls[1], rule{wPos: 1, limit: noLimit}
	f.radius, f.top = resize(f.radius, len(radii)), 0
	for i, r := range radii {
		f.radius[i], f.top = r, math.Max(f.top, r)
	}
	f.twins, f.most = false, f.K*(len(radii)+len(points)/dim)
	f.index()
	return f.list(dst)
}
