package cuda

import (
	"math"

	"mtt/mapsolver"
)

// This file states a problem the way kernels take it: rows are served, columns may
// stay free at no cost, or all must be served and there are as many as rows.
//
// Taking the cost b of leaving column c free from every entry of c changes the
// cost of all assignments by the same amount and makes leaving c free cost
// nothing. Where only columns must be served, rows and columns change places.
// Where some columns must be served and others not, a large b stands for the
// infinite one; should the answer leave such a column free, ssp goes on from it.

// A plan is one problem on its way through the card.
type plan struct {
	p      *mapsolver.Problem // as the kernels take it: that of the caller, or its transpose
	caller *mapsolver.Problem
	dst    *mapsolver.Solution // of the caller

	swapped bool      // p is the transpose
	sparse  bool      // stored as rows of entries
	open    bool      // columns may stay free
	misses  bool      // some row may stay free
	warm    bool      // v is worth using
	v       []float64 // warm prices of the columns of p, without shift
	most    float64   // the largest magnitude of a finite number of p

	form  form
	in    int // bytes at which the input lies
	inOut int // and what comes back
}

// onHost says whether the host had better solve p: it is empty, infeasible at
// sight, or has numbers that are not finite, about which the card would say less.
// Otherwise most is the largest magnitude of a finite number of p.
func onHost(p *mapsolver.Problem) (most float64, host bool) {
	if p.Rows == 0 || p.Cols == 0 || len(p.Cost) == 0 {
		return 0, true
	}
	for _, x := range p.Cost {
		if x = math.Abs(x); !(x <= mapsolver.MaxMagnitude) {
			return 0, true
		} else if x > most {
			most = x
		}
	}
	for _, list := range [][]float64{p.RowMiss, p.ColMiss} {
		for _, x := range list {
			if math.IsInf(x, 1) {
				continue
			}
			if x = math.Abs(x); !(x <= mapsolver.MaxMagnitude) {
				return 0, true
			} else if x > most {
				most = x
			}
		}
	}
	return most, p.Rows != p.Cols && allMust(p.Rows, p.MustServeRow) && allMust(p.Cols, p.MustServeCol)
}

// allMust says whether must holds of all i below n.
func allMust(n int, must func(int) bool) bool {
	for i := range n {
		if !must(i) {
			return false
		}
	}
	return true
}

// newPlan turns a problem the right way round; nil: it is for the host. Prices warm
// are of the caller's columns and may be nil.
func newPlan(dst *mapsolver.Solution, p *mapsolver.Problem, warm []float64) *plan {
	most, host := onHost(p)
	if host {
		return nil
	}
	a := &plan{p: p, caller: p, dst: dst, v: warm, warm: warm != nil, most: most}
	rowsMust, colsMust := allMust(p.Rows, p.MustServeRow), allMust(p.Cols, p.MustServeCol)
	if a.warm {
		a.v = append([]float64(nil), warm...)
		a.warm = p.ClampPrices(a.v)
	}
	if colsMust && !rowsMust {
		a.swapped = true
		a.p = mapsolver.Transpose(nil, p)
		if a.warm {
			a.v = rowPrices(p, a.v)
		}
		rowsMust, colsMust = true, false
	}
	a.open = !colsMust
	a.misses = !rowsMust
	a.sparse = 2*len(p.Cost) < p.Rows*p.Cols
	return a
}

// rowPrices are the highest prices of rows that column prices v allow.
func rowPrices(p *mapsolver.Problem, v []float64) []float64 {
	u := make([]float64, p.Rows)
	for r := range u {
		most := p.RowBound(r)
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			if x := p.Cost[e] - v[p.Col[e]]; x < most {
				most = x
			}
		}
		if !(math.Abs(most) <= math.MaxFloat64) {
			most = 0 // no entry, but must be served
		}
		u[r] = most
	}
	return u
}

// shift is what is taken from the entries of column c.
func (a *plan) shift(c int) float64 {
	if !a.open {
		return 0
	}
	if b := a.p.ColBound(c); b <= mapsolver.MaxMagnitude {
		return b
	}
	return 4*a.most + 1
}

// hints writes what each row of p had in the caller's answer: a column, miss or
// none.
func (a *plan) hints(dst []int32) {
	for r := range dst {
		dst[r] = none
	}
	if !a.warm || len(a.dst.ColOf) != a.caller.Rows {
		return
	}
	cols := int32(a.caller.Cols)
	for r, c := range a.dst.ColOf {
		switch {
		case a.swapped:
			if c >= 0 && c < cols {
				dst[c] = int32(r)
			}
		case c >= 0 && c < cols:
			dst[r] = c
		case c == none && !a.p.MustServeRow(r):
			dst[r] = miss
		}
	}
}
