package dense

import (
	"fmt"
	"math"

	"mtt/mapsolver"
)

// This file checks an answer by arithmetic alone.

// Certify checks s against costs by arithmetic alone and returns the duality
// gap: how far, at most, the cost of s is above the optimum. It is
// [mapsolver.Certify] for dense costs, as strict: the assignment must be a
// matching that serves all of the smaller side with finite costs, s.Cost must
// agree with the costs added up again, and no price may exceed what it may be
// by more than 4·(rows+cols) units in the last place of the largest cost. Such
// an excess is taken off the row prices before they are added up, so the bound
// behind the gap is one of an exactly feasible dual. An error says which of
// these fails, and where.
//
// At an optimum the gap is 0 up to the rounding of the two sums, and may be
// negative by that much. Certify reads each row twice and does not change s.
func Certify(costs Costs, s *mapsolver.Solution) (gap float64, err error) {
	rows, cols := costs.Dims()
	if len(s.ColOf) != rows || len(s.RowOf) != cols || len(s.U) != rows || len(s.V) != cols {
		return 0, fmt.Errorf("dense: the solution is not one of %d rows and %d columns", rows, cols)
	}
	if err := checkMatching(s, min(rows, cols)); err != nil {
		return 0, err
	}
	most := colBounds(s, rows, cols)
	if most == nil {
		return 0, fmt.Errorf("dense: a column price is not finite")
	}

	var y survey
	var cost, bound sum
	size := 0.0
	buf := make([]float64, cols)
	for r, c := range s.ColOf {
		row := costs.Row(buf, r)
		if err := y.add(row, r); err != nil {
			return 0, err
		}
		if c >= 0 {
			x := row[c]
			if math.IsInf(x, 1) {
				return 0, fmt.Errorf("dense: row %d has column %d, which is forbidden", r, c)
			}
			cost.add(x)
			size += math.Abs(x)
		}
	}
	n := float64(rows + cols)
	total := cost.value()
	if d := math.Abs(total - s.Cost); !(d <= 2*ulp*n*size) {
		return 0, fmt.Errorf("dense: the cost is %v, the solution says %v", total, s.Cost)
	}
	tol := 4 * ulp * n * y.scale
	for c, v := range s.V {
		if v-most[c] > tol {
			return 0, fmt.Errorf("dense: column %d: price %v, but it may stay free at no cost", c, v)
		}
		bound.add(most[c])
	}
	for r, u := range s.U {
		if !finite(u) {
			return 0, fmt.Errorf("dense: the price of row %d is %v", r, u)
		}
		if rows > cols && u > 0 {
			if u > tol {
				return 0, fmt.Errorf("dense: row %d: price %v, but it may stay free at no cost", r, u)
			}
			u = 0
		}
		for c, x := range costs.Row(buf, r) {
			if x -= most[c]; x < u {
				if s.U[r]-x > tol {
					return 0, fmt.Errorf("dense: row %d, column %d: prices %v and %v exceed the cost", r, c, s.U[r], s.V[c])
				}
				u = x
			}
		}
		bound.add(u)
	}
	return total - bound.value(), nil
}

// checkMatching checks that ColOf and RowOf are one matching of n pairs.
func checkMatching(s *mapsolver.Solution, n int) error {
	pairs := 0
	for r, c := range s.ColOf {
		if c == -1 {
			continue
		}
		if c < 0 || int(c) >= len(s.RowOf) || s.RowOf[c] != int32(r) {
			return fmt.Errorf("dense: row %d has column %d, which does not have that row", r, c)
		}
		pairs++
	}
	for c, r := range s.RowOf {
		if r != -1 && (r < 0 || int(r) >= len(s.ColOf) || s.ColOf[r] != int32(c)) {
			return fmt.Errorf("dense: column %d has row %d, which does not have that column", c, r)
		}
	}
	if pairs != n {
		return fmt.Errorf("dense: %d pairs, want %d", pairs, n)
	}
	return nil
}

// colBounds is V, each price cut to 0 where columns may stay free; nil: some
// price is not finite.
func colBounds(s *mapsolver.Solution, rows, cols int) []float64 {
	most := make([]float64, cols)
	for c, v := range s.V {
		if !finite(v) {
			return nil
		}
		if cols > rows && v > 0 {
			v = 0
		}
		most[c] = v
	}
	return most
}

// ulp is the distance from 1 to the next larger float64.
const ulp = 0x1p-52

// A sum adds up with a running correction, after Neumaier (ZAMM 54, 1974).
type sum struct{ high, low float64 }

func (s *sum) add(x float64) {
	t := s.high + x
	if math.Abs(s.high) >= math.Abs(x) {
		s.low += (s.high - t) + x
	} else {
		s.low += (x - t) + s.high
	}
	s.high = t
}

func (s *sum) value() float64 { return s.high + s.low }
