package mapsolver

import "math"

// This file says what it costs to stay free: the upper bound of each price.

// RowBound is the cost of leaving row r free, hence the most that U[r] may be:
// RowMiss[r], or, without RowMiss, 0 when rows may stay free and +Inf when they
// must be served.
func (p *Problem) RowBound(r int) float64 {
	if p.RowMiss != nil {
		return p.RowMiss[r]
	}
	return p.NilRowBound()
}

// ColBound is the cost of leaving column c free, hence the most that V[c] may
// be.
func (p *Problem) ColBound(c int) float64 {
	if p.ColMiss != nil {
		return p.ColMiss[c]
	}
	return p.NilColBound()
}

// NilRowBound is the bound of every row when RowMiss is nil: 0 when ColMiss is
// nil too and columns are fewer than rows, else +Inf.
func (p *Problem) NilRowBound() float64 {
	if p.ColMiss == nil && p.Cols < p.Rows {
		return 0
	}
	return math.Inf(1)
}

// NilColBound is the bound of every column when ColMiss is nil: +Inf when
// RowMiss is nil too and columns are no more than rows, else 0.
func (p *Problem) NilColBound() float64 {
	if p.RowMiss == nil && p.Cols <= p.Rows {
		return math.Inf(1)
	}
	return 0
}

// MustServeRow says whether row r may not stay free.
func (p *Problem) MustServeRow(r int) bool { return math.IsInf(p.RowBound(r), 1) }

// MustServeCol says whether column c may not stay free.
func (p *Problem) MustServeCol(c int) bool { return math.IsInf(p.ColBound(c), 1) }
