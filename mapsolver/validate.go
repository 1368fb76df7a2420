package mapsolver

import (
	"fmt"
	"math"
)

// This file refuses problems that no solver could answer rightly.

// MaxMagnitude is the largest magnitude of a cost that [Problem.Validate]
// accepts: sums along any path then stay finite.
const MaxMagnitude = 1e290

// Validate checks p once, where it enters a program: shapes, pointers that
// ascend, columns that are in range and strictly ascending within each row,
// costs that are finite, miss costs that are finite or +Inf. The error names
// the first row, column or entry at fault. Solvers check shapes only.
//
// It runs in O(Rows+Cols+nnz) time.
func (p *Problem) Validate() error {
	if err := p.validateShape(); err != nil {
		return err
	}
	for r := range p.Rows {
		last := int32(-1)
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			c, x := p.Col[e], p.Cost[e]
			switch {
			case c < 0 || int(c) >= p.Cols:
				return fmt.Errorf("mapsolver: row %d, entry %d: column %d is out of range [0,%d)", r, e, c, p.Cols)
			case c == last:
				return fmt.Errorf("mapsolver: row %d, entry %d: column %d appears twice; keep the cheaper entry", r, e, c)
			case c < last:
				return fmt.Errorf("mapsolver: row %d, entry %d: column %d follows column %d; columns ascend within a row", r, e, c, last)
			case math.IsInf(x, 1):
				return fmt.Errorf("mapsolver: row %d, column %d: cost is +Inf; a forbidden pair is an absent entry", r, c)
			case !(math.Abs(x) <= MaxMagnitude):
				return fmt.Errorf("mapsolver: row %d, column %d: cost is %v; costs are finite, at most %g in magnitude", r, c, x, MaxMagnitude)
			}
			last = c
		}
	}
	for r, x := range p.RowMiss {
		if !validMiss(x) {
			return fmt.Errorf("mapsolver: row %d: miss cost is %v; miss costs are finite, at most %g in magnitude, or +Inf", r, x, MaxMagnitude)
		}
	}
	for c, x := range p.ColMiss {
		if !validMiss(x) {
			return fmt.Errorf("mapsolver: column %d: miss cost is %v; miss costs are finite, at most %g in magnitude, or +Inf", c, x, MaxMagnitude)
		}
	}
	return nil
}

// validateShape checks lengths and row pointers.
func (p *Problem) validateShape() error {
	switch {
	case p.Rows < 0 || p.Cols < 0 || p.Rows > math.MaxInt32 || p.Cols > math.MaxInt32:
		return fmt.Errorf("mapsolver: %d rows and %d columns; both are from 0 to %d", p.Rows, p.Cols, math.MaxInt32)
	case len(p.Ptr) != p.Rows+1:
		return fmt.Errorf("mapsolver: Ptr has length %d, want Rows+1 = %d", len(p.Ptr), p.Rows+1)
	case p.Ptr[0] != 0:
		return fmt.Errorf("mapsolver: Ptr begins with %d, want 0", p.Ptr[0])
	case len(p.Cost) != len(p.Col):
		return fmt.Errorf("mapsolver: Cost has length %d, Col %d", len(p.Cost), len(p.Col))
	case len(p.Col) > math.MaxInt32:
		return fmt.Errorf("mapsolver: %d entries, more than %d", len(p.Col), math.MaxInt32)
	case p.RowMiss != nil && len(p.RowMiss) != p.Rows:
		return fmt.Errorf("mapsolver: RowMiss has length %d, want Rows = %d", len(p.RowMiss), p.Rows)
	case p.ColMiss != nil && len(p.ColMiss) != p.Cols:
		return fmt.Errorf("mapsolver: ColMiss has length %d, want Cols = %d", len(p.ColMiss), p.Cols)
	}
	for r := range p.Rows {
		if p.Ptr[r+1] < p.Ptr[r] {
			return fmt.Errorf("mapsolver: row %d: Ptr falls from %d to %d", r, p.Ptr[r], p.Ptr[r+1])
		}
	}
	if end := p.Ptr[p.Rows]; end != len(p.Col) {
		return fmt.Errorf("mapsolver: Ptr ends with %d, but there are %d entries", end, len(p.Col))
	}
	return nil
}

// Integral says whether all finite numbers of p are integers.
func (p *Problem) Integral() bool {
	for _, list := range [][]float64{p.Cost, p.RowMiss, p.ColMiss} {
		for _, x := range list {
			if x != math.Trunc(x) {
				return false
			}
		}
	}
	return true
}

// validMiss says whether x may be the cost of staying free.
func validMiss(x float64) bool { return math.IsInf(x, 1) || math.Abs(x) <= MaxMagnitude }
