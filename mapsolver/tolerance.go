package mapsolver

import "math"

// This file says when a duality gap is none.

// digits is the part of what an answer uses that a gap may be.
const digits = 1e-9

// Tolerance is the duality gap up to which prices prove that s is an optimum of p: 1e-9 of
// the sum of the magnitudes that its cost adds up, or, where those are all 0, of the smallest
// number of p that is not. Numbers of p that the answer does not use do not widen it: of
// costs below 1 among forbidden pairs that are given 1e15, the optimum has to be right as if those
// were absent.
//
// It takes O(Rows+Cols) time, and O(nnz) more where the cost adds up zeros only. It assumes
// an assignment that [Certify] accepts.
func Tolerance(p *Problem, s *Solution) float64 {
	_, size := objective(p, s)
	return ToleranceOf(size, func() float64 {
		least := math.Inf(1)
		for _, list := range [][]float64{p.Cost, p.RowMiss, p.ColMiss} {
			for _, x := range list {
				if x = math.Abs(x); x < least && x > 0 {
					least = x
				}
			}
		}
		return least
	})
}

// ToleranceOf is [Tolerance] of an answer whose cost adds up magnitudes of size in all. Where that
// is 0, smallest is asked for the smallest magnitude of a cost that is not 0, +Inf where all are.
func ToleranceOf(size float64, smallest func() float64) float64 {
	if size > 0 {
		return digits * size
	}
	if least := smallest(); !math.IsInf(least, 1) {
		return digits * least
	}
	return 0
}
