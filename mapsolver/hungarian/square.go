package hungarian

import (
	"math"
	"slices"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file makes square problems, for programs that know no others.

// A Square is a problem as a matrix of costs in which every row gets a column. Problems that
// are not square, or in which somebody may stay alone, become matrices of Rows+Cols: a row
// for each column that may stay alone, and a column for each row. A pair that is not
// allowed costs more than all others together.
type Square struct {
	N       int // rows and columns
	problem *mapsolver.Problem
	never   float64
}

// NewSquare describes the square problem of p, whose numbers are finite and of magnitude most
// at most.
func NewSquare(p *mapsolver.Problem, most float64) Square {
	q := Square{N: p.Rows, problem: p}
	square := p.Rows == p.Cols
	for r := 0; square && r < p.Rows; r++ {
		square = p.MustServeRow(r) && p.MustServeCol(r)
	}
	if !square {
		q.N = p.Rows + p.Cols
	}
	q.never = 4*most*float64(q.N) + 1
	return q
}

// Costs fills dst with the matrix: entry (r, c) is dst[r*toRow+c*toCol].
func (q *Square) Costs(dst []float64, toRow, toCol int) {
	p := q.problem
	for r := range q.N {
		miss := 0.0
		if r < p.Rows {
			miss = math.Min(p.RowBound(r), q.never)
		}
		for c := range q.N {
			x := q.never
			switch {
			case c >= p.Cols:
				x = miss
			case r >= p.Rows:
				x = math.Min(p.ColBound(c), q.never)
			}
			dst[r*toRow+c*toCol] = x
		}
		if r < p.Rows {
			for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
				dst[r*toRow+int(p.Col[e])*toCol] = p.Cost[e]
			}
		}
	}
}

// Answer makes the columns of the rows, and the prices, of the matrix an answer to the
// problem. False: it uses a pair that is not allowed, or is not a matching.
func (q *Square) Answer(dst *mapsolver.Solution, colOf []int32, u, v []float64) bool {
	p := q.problem
	dst.ColOf, dst.RowOf = slab.Grow(dst.ColOf, p.Rows), slab.Grow(dst.RowOf, p.Cols)
	dst.EntryOf = slab.Grow(dst.EntryOf, p.Rows)
	dst.U, dst.V = slab.Grow(dst.U, p.Rows), slab.Grow(dst.V, p.Cols)
	slab.Fill(dst.ColOf, -1)
	slab.Fill(dst.RowOf, -1)
	slab.Fill(dst.EntryOf, -1)

	// Any row may have any column that stands for none, so the highest price of these
	// is what it pays besides; likewise for columns.
	forRows, forCols := highest(v[p.Cols:]), highest(u[p.Rows:])
	for r := range dst.U {
		dst.U[r] = u[r] + forRows
	}
	for c := range dst.V {
		dst.V[c] = v[c] + forCols
	}
	dst.Cost = 0
	for r, c := range colOf[:p.Rows] {
		if c < 0 || int(c) >= q.N {
			return false
		}
		if int(c) >= p.Cols {
			dst.Cost += p.RowBound(r)
			continue
		}
		k, ok := slices.BinarySearch(p.Col[p.Ptr[r]:p.Ptr[r+1]], c)
		if !ok || dst.RowOf[c] >= 0 {
			return false
		}
		dst.ColOf[r], dst.RowOf[c], dst.EntryOf[r] = c, int32(r), p.Ptr[r]+k
		dst.Cost += p.Cost[p.Ptr[r]+k]
	}
	for c, r := range dst.RowOf {
		if r < 0 {
			dst.Cost += p.ColBound(c)
		}
	}
	return !math.IsInf(dst.Cost, 1)
}

// highest is the largest number of a list, 0 of none.
func highest(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	return slices.Max(list)
}
