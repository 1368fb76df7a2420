package dense

import (
	"math"

	"mtt/internal/slab"
)

// This file begins from the prices and pairs of an earlier answer.

// mostPrice is how much larger than the largest cost a warm price may be; larger ones
// would spoil the answer, and are better forgotten.
const mostPrice = 16

// mostSure is how much larger than the largest cost prices may have been in an answer whose pairs
// need not be looked at again. Each of at most rows+cols steps of a search rounds three times, by
// half a unit in the last place of a price at most: that is less than the four units of the largest
// cost for each row and column that Certify allows.
const mostSure = 2

// tight says whether no pair is above the least of its row by more than Certify allows. It reads all costs.
func (s *Solver) tight(scale float64) bool {
	tol := 4 * ulp * float64(len(s.colOf)+len(s.rowOf)) * scale
	for r, c := range s.colOf {
		row := s.row(r)
		if s.ended || row[c]-s.v[c]-s.reduce(row, s.v) > tol {
			return false
		}
	}
	return true
}

// usePrices makes v the column prices, cut to 0 where columns may stay free. It
// returns false when they are too large to be of use.
func (s *Solver) usePrices(v []float64, scale float64) bool {
	most, ok := magnitude(v, mostPrice*scale)
	if !ok || !finite(most) {
		return false
	}
	copy(s.v, v)
	if len(s.colOf) < len(s.rowOf) {
		for j, x := range s.v {
			if x > 0 {
				s.v[j] = 0
			}
		}
	}
	return true
}

// keepPairs assigns each row its column of hint when that is tight, up to
// rounding. A column that may stay free and gets no row loses its price, which
// may loosen other pairs: then it looks again, once, and returns false when
// there are still such columns.
func (s *Solver) keepPairs(hint []int32) bool {
	for range 2 {
		slab.Fill(s.rowOf, -1)
		slab.Fill(s.colOf, -1)
		if len(hint) == len(s.colOf) {
			for r, c := range hint {
				if s.ended {
					return true
				}
				if c < 0 || int(c) >= len(s.rowOf) || s.rowOf[c] >= 0 {
					continue
				}
				least := s.reduce(s.estimateRow(r), s.v)
				if s.dist[c]-least <= 4*ulp*(math.Abs(least)+math.Abs(s.v[c])) {
					s.colOf[r], s.rowOf[c] = c, int32(r)
				}
			}
		}
		if len(s.colOf) == len(s.rowOf) || !s.dropPrices() {
			return true
		}
	}
	return false
}

// dropPrices sets the prices of free columns to 0 and says whether any was not.
func (s *Solver) dropPrices() bool {
	dropped := false
	for j, r := range s.rowOf {
		if r < 0 && s.v[j] != 0 {
			s.v[j] = 0
			dropped = true
		}
	}
	return dropped
}
