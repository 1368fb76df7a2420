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
	if size > 0 {
		return digits * size
	}
	least := math.Inf(1)
	for _, list := range [][]float64{p.Cost, p.RowMiss, p.ColMiss} {
		for _, x := range list {
			if x = math.Abs(x); x < least && x > 0 {
				least = x
			}
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return digits * least
}
