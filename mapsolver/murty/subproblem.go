package murty

import (
	"math"
	"slices"

	"mtt/mapsolver"
)

// This file writes a cell out as a problem of its own.

// Problem is the cell s of p as a problem: rows and columns are those of p, a
// row whose choice is fixed keeps that one entry, forbidden entries are absent.
// Nothing is shared with p but the column misses.
func (s *Subproblem) Problem(p *mapsolver.Problem) *mapsolver.Problem {
	const untouched = -2 // -1: stays free
	choice := make([]int32, p.Rows)
	for r := range choice {
		choice[r] = untouched
	}
	for i, r := range s.Fixed {
		choice[r] = s.Choice[i]
	}
	q := &mapsolver.Problem{Rows: p.Rows, Cols: p.Cols, Ptr: make([]int, 1, p.Rows+1)}
	q.RowMiss, q.ColMiss = make([]float64, p.Rows), p.ColMiss
	if p.ColMiss == nil {
		q.ColMiss = make([]float64, p.Cols)
		for c := range q.ColMiss {
			q.ColMiss[c] = p.NilColBound()
		}
	}
	for r := range p.Rows {
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			if choice[r] == int32(e) || choice[r] == untouched && !slices.Contains(s.Forbidden, int32(e)) {
				q.Col, q.Cost = append(q.Col, p.Col[e]), append(q.Cost, p.Cost[e])
			}
		}
		q.Ptr = append(q.Ptr, len(q.Col))
		q.RowMiss[r] = p.RowBound(r)
		if choice[r] >= 0 || slices.Contains(s.Forbidden, -1-int32(r)) {
			q.RowMiss[r] = math.Inf(1)
		}
	}
	return q
}
