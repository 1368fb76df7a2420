package mapsolver

import (
	"fmt"
	"math"

	"mtt/internal/slab"
)

// This file makes problems from other problems and from matrices.

const badDense = "mapsolver: a dense cost matrix needs rows×cols elements"

// Dense makes a problem without miss costs of a row-major rows×cols matrix. An
// element +Inf is a forbidden pair and is not stored; NaN, -Inf and what is beyond
// [MaxMagnitude] are errors that name their place. The matrix is not kept.
func Dense(rows, cols int, cost []float64) (*Problem, error) {
	if rows < 0 || cols < 0 || len(cost) != rows*cols {
		panic(badDense)
	}
	nnz := 0
	for _, x := range cost {
		if x < math.Inf(1) {
			nnz++
		}
	}
	p := &Problem{
		Rows: rows,
		Cols: cols,
		Ptr:  make([]int, 1, rows+1),
		Col:  make([]int32, 0, nnz),
		Cost: make([]float64, 0, nnz),
	}
	for r := range rows {
		for c, x := range cost[r*cols : (r+1)*cols] {
			if math.IsInf(x, 1) {
				continue
			}
			if !(math.Abs(x) <= MaxMagnitude) {
				return nil, fmt.Errorf("mapsolver: row %d, column %d: cost is %v; costs are at most %g in magnitude, and only +Inf may mark a forbidden pair", r, c, x, MaxMagnitude)
			}
			p.Col = append(p.Col, int32(c))
			p.Cost = append(p.Cost, x)
		}
		p.Ptr = append(p.Ptr, len(p.Col))
	}
	return p, nil
}

// Transpose makes the problem with the rows of p as columns and the columns as
// rows; it has the same optimum. A nil dst allocates; otherwise its slices are
// reused, and must not be those of p. Where the meaning of nil miss costs is
// not symmetric they are written out. It runs in O(Rows+Cols+nnz) time.
func Transpose(dst, p *Problem) *Problem {
	if dst == nil {
		dst = new(Problem)
	}
	dst.Rows, dst.Cols = p.Cols, p.Rows
	dst.Ptr = slab.Grow(dst.Ptr, p.Cols+1)
	dst.Col, dst.Cost = slab.Grow(dst.Col, len(p.Col)), slab.Grow(dst.Cost, len(p.Cost))
	startColumns(dst.Ptr, p)
	for r := range p.Rows {
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			k := dst.Ptr[p.Col[e]]
			dst.Col[k], dst.Cost[k] = int32(r), p.Cost[e]
			dst.Ptr[p.Col[e]]++
		}
	}
	endColumns(dst.Ptr)
	if p.RowMiss == nil && p.ColMiss == nil {
		dst.RowMiss, dst.ColMiss = nil, nil
		return dst
	}
	dst.RowMiss = slab.Grow(dst.RowMiss, p.Cols)
	for c := range dst.RowMiss {
		dst.RowMiss[c] = p.ColBound(c)
	}
	dst.ColMiss = slab.Grow(dst.ColMiss, p.Rows)
	for r := range dst.ColMiss {
		dst.ColMiss[r] = p.RowBound(r)
	}
	return dst
}
