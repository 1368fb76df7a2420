package mapsolver

import "math"

// This file makes given prices usable, for solvers that start from them.

// ClampPrices makes the column prices v usable in place: where they are not
// finite they become 0, where they exceed the bound of their column that
// bound. It reports whether they are worth using: prices much larger than any
// price of an optimum would hide the costs in their rounding.
//
// No optimal price needs to exceed the largest number of p by more than a
// factor Rows+Cols, the length of the longest path that may set it. It usually
// looks at one or two numbers of p besides v.
func (p *Problem) ClampPrices(v []float64) bool {
	most, bound := 0.0, p.NilColBound()
	for c, x := range v {
		if !finite(x) {
			x = 0
		}
		if p.ColMiss != nil {
			bound = p.ColMiss[c]
		}
		if x > bound {
			x = bound
		}
		v[c] = x
		if x = math.Abs(x); x > most {
			most = x
		}
	}
	if most == 0 {
		return true
	}
	most /= float64(p.Rows + p.Cols)
	for _, list := range [][]float64{p.Cost, p.RowMiss, p.ColMiss} {
		for _, x := range list {
			if x = math.Abs(x); x >= most && finite(x) {
				return true
			}
		}
	}
	return false
}
