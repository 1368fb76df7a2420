package mapsolver

import (
	"fmt"
	"math"

	"mtt/internal/fsum"
)

// This file checks a solution by arithmetic alone.

// Certify checks s against p by arithmetic alone and returns the duality gap:
// how far, at most, the cost of s is above the optimum. It trusts no solver
// and searches nothing.
//
// The assignment must be a matching over stored entries that serves everyone
// who must be served; the objective, added up again, must agree with s.Cost;
// and no price may exceed what it may be by more than rounding can explain,
// which is 4·(Rows+Cols) units in the last place of the largest number of p.
// An error says which of these fails, and where. The excess that rounding does
// explain is taken off U before the prices are added up, so the bound behind
// the gap is one of an exactly feasible dual, to a unit in the last place of each price; where these
// units are not small, as some price is so large that costs vanish in its rounding, they
// are taken off too.
//
// At an optimum the gap is 0 up to the rounding of the two sums, and may be
// negative by that much. Certify runs in O(Rows+Cols+nnz) time and does not
// change s. It assumes a valid p.
func Certify(p *Problem, s *Solution) (gap float64, err error) {
	if err := checkAssignment(p, s); err != nil {
		return 0, err
	}
	cost, size := objective(p, s)
	n := float64(p.Rows + p.Cols)
	if d := math.Abs(cost.Value() - s.Cost); !(d <= 2*ulp*n*size) {
		return 0, fmt.Errorf("mapsolver: the cost is %v, the solution says %v", cost.Value(), s.Cost)
	}
	largest := 0.0
	for _, v := range s.V {
		largest = max(largest, math.Abs(v))
	}
	exact := !Sound(p.Rows+p.Cols, largest, size)
	bound, err := dualBound(p, &s.Duals, 4*ulp*n*scale(p), exact)
	if err != nil {
		return 0, err
	}
	if exact {
		cost.Sub(&bound)
		return cost.Value(), nil
	}
	return cost.Value() - bound.Value(), nil
}

// ulp is the distance from 1 to the next larger float64.
const ulp = 0x1p-52

// checkAssignment checks that s is a matching over entries of p that serves
// everyone who must be served.
func checkAssignment(p *Problem, s *Solution) error {
	if len(s.ColOf) != p.Rows || len(s.EntryOf) != p.Rows || len(s.RowOf) != p.Cols ||
		len(s.U) != p.Rows || len(s.V) != p.Cols {
		return fmt.Errorf("mapsolver: the solution is not one of a problem of %d rows and %d columns", p.Rows, p.Cols)
	}
	for r, c := range s.ColOf {
		e := s.EntryOf[r]
		switch {
		case c == -1 && e == -1:
			if p.MustServeRow(r) {
				return fmt.Errorf("mapsolver: row %d is free but must be served", r)
			}
		case c < 0 || int(c) >= p.Cols || e < p.Ptr[r] || e >= p.Ptr[r+1] || p.Col[e] != c:
			return fmt.Errorf("mapsolver: row %d: entry %d is not one of column %d", r, e, c)
		case s.RowOf[c] != int32(r):
			return fmt.Errorf("mapsolver: row %d has column %d, which has row %d", r, c, s.RowOf[c])
		}
	}
	for c, r := range s.RowOf {
		switch {
		case r == -1:
			if p.MustServeCol(c) {
				return fmt.Errorf("mapsolver: column %d is free but must be served", c)
			}
		case r < 0 || int(r) >= p.Rows || s.ColOf[r] != int32(c):
			return fmt.Errorf("mapsolver: column %d has row %d, which has another column", c, r)
		}
	}
	return nil
}

// objective adds up the cost of s and the magnitudes of its terms.
func objective(p *Problem, s *Solution) (sum fsum.Sum, size float64) {
	for r, e := range s.EntryOf {
		if e >= 0 {
			sum.Add(p.Cost[e])
			size += math.Abs(p.Cost[e])
		} else {
			sum.Add(p.RowBound(r))
			size += math.Abs(p.RowBound(r))
		}
	}
	for c, r := range s.RowOf {
		if r < 0 {
			sum.Add(p.ColBound(c))
			size += math.Abs(p.ColBound(c))
		}
	}
	return sum, size
}

// dualBound adds up the prices after taking any excess off U, or off V where a
// column bound is exceeded, and the rounding of the subtraction too if exact. It refuses an
// excess above tol.
func dualBound(p *Problem, d *Duals, tol float64, exact bool) (sum fsum.Sum, err error) {
	for c, v := range d.V {
		if !finite(v) {
			return sum, fmt.Errorf("mapsolver: the price of column %d is %v", c, v)
		}
		if b := p.ColBound(c); v-b > tol {
			return sum, fmt.Errorf("mapsolver: column %d: price %v exceeds its bound %v", c, v, b)
		}
	}
	for r, u := range d.U {
		if !finite(u) {
			return sum, fmt.Errorf("mapsolver: the price of row %d is %v", r, u)
		}
		if b := p.RowBound(r); u > b {
			if u-b > tol {
				return sum, fmt.Errorf("mapsolver: row %d: price %v exceeds its bound %v", r, u, b)
			}
			u = b
		}
		rest := 0.0 // u+rest is the price, exactly
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			c := p.Col[e]
			v := min(d.V[c], p.ColBound(int(c)))
			most := p.Cost[e] - v
			if d.U[r]-most > tol {
				return sum, fmt.Errorf("mapsolver: row %d, column %d: prices %v and %v exceed the cost %v",
					r, c, d.U[r], d.V[c], p.Cost[e])
			}
			if !exact {
				u = min(u, most)
				continue
			}
			if most > u {
				continue
			}
			low := lost(p.Cost[e], v, most)
			if most < u || low < rest {
				u, rest = most, low
			}
		}
		sum.Add(u)
		sum.Add(rest)
	}
	for c, v := range d.V {
		sum.Add(min(v, p.ColBound(c)))
	}
	return sum, nil
}

// lost is what rounding took off x-y when it made d of it: x-y is d+lost, exactly (Knuth).
func lost(x, y, d float64) float64 {
	back := d - x
	return (x - (d - back)) - (y + back)
}

// scale is the largest magnitude of a finite number of p.
func scale(p *Problem) float64 {
	most := 0.0
	for _, list := range [][]float64{p.Cost, p.RowMiss, p.ColMiss} {
		for _, x := range list {
			if x = math.Abs(x); x > most && finite(x) {
				most = x
			}
		}
	}
	return most
}

// finite says whether x is neither infinite nor NaN.
func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
