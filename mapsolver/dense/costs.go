package dense

import (
	"fmt"
	"math"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file says where costs come from: a matrix in memory or a function that
// computes a row.

// Costs is a rows×cols cost matrix that is read by rows. A [Matrix] or a
// [Matrix32] is one in memory, a [Func] one that is computed; a [Cache] of rows
// stands between the two.
//
// Row returns row r, len cols, which the caller reads only, until the next
// call of Row. It may use dst, also len cols, as its storage. Equal calls
// return equal rows.
type Costs interface {
	Dims() (rows, cols int)
	Row(dst []float64, r int) []float64
}

// A Matrix is a cost matrix in memory, row-major: the cost of row r and column
// c is Cost[r*Stride+c].
type Matrix struct {
	Rows, Cols int
	Stride     int       // ≥ Cols
	Cost       []float64 // len ≥ (Rows-1)*Stride+Cols; finite or, for a forbidden pair, +Inf
}

const (
	badMatrix = "dense: the matrix has a negative size, a stride below Cols or too few costs"
	badFunc   = "dense: the function has a negative size or no Fill"
	badRow    = "dense: a row is not as long as the number of columns"
	badWarm   = "dense: warm prices differ in length from the columns"
)

// NewMatrix makes a Matrix of rows×cols costs without gaps; a nil cost
// allocates. It panics when len(cost) is not rows*cols.
func NewMatrix(rows, cols int, cost []float64) *Matrix {
	if rows < 0 || cols < 0 {
		panic(badMatrix)
	}
	if cost == nil {
		cost = make([]float64, rows*cols)
	}
	if len(cost) != rows*cols {
		panic(badMatrix)
	}
	return &Matrix{Rows: rows, Cols: cols, Stride: cols, Cost: cost}
}

// Dims implements [Costs]. It panics when the shape of m is not sound.
func (m *Matrix) Dims() (rows, cols int) {
	if !soundShape(m.Rows, m.Cols, m.Stride, len(m.Cost)) {
		panic(badMatrix)
	}
	return m.Rows, m.Cols
}

// soundShape says whether a slice of length costs holds rows × cols values at the stride.
func soundShape(rows, cols, stride, costs int) bool {
	return rows >= 0 && cols >= 0 && stride >= cols && (rows == 0 || costs >= (rows-1)*stride+cols)
}

// Row implements [Costs]; it returns a view into m.Cost.
func (m *Matrix) Row(_ []float64, r int) []float64 {
	return m.Cost[r*m.Stride:][:m.Cols:m.Cols]
}

// piece implements pieces.
func (m *Matrix) piece(_ []float64, r, lo, hi int) []float64 {
	return m.Cost[r*m.Stride:][lo:hi:hi]
}

// Expand makes the matrix of p, +Inf where p has no entry. Miss costs have no
// place in it. A nil dst allocates; otherwise its costs are overwritten where
// they are long enough.
func Expand(dst *Matrix, p *mapsolver.Problem) *Matrix {
	if dst == nil {
		dst = new(Matrix)
	}
	*dst = Matrix{Rows: p.Rows, Cols: p.Cols, Stride: p.Cols, Cost: slab.Grow(dst.Cost, p.Rows*p.Cols)}
	slab.Fill(dst.Cost, math.Inf(1))
	for r := range p.Rows {
		row := dst.Row(nil, r)
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			row[p.Col[e]] = p.Cost[e]
		}
	}
	return dst
}

// A Func computes costs row by row, or in parts of rows.
type Func struct {
	Rows, Cols int

	// Fill writes the costs of row r, from column c on, into dst. With several
	// Workers it is called for several parts at once, of one row or of several.
	Fill func(dst []float64, r, c int)
}

// Dims implements [Costs]. It panics when the shape of f is not sound.
func (f *Func) Dims() (rows, cols int) {
	if f.Rows < 0 || f.Cols < 0 || f.Fill == nil {
		panic(badFunc)
	}
	return f.Rows, f.Cols
}

// Row implements [Costs]; it writes into dst.
func (f *Func) Row(dst []float64, r int) []float64 {
	f.Fill(dst, r, 0)
	return dst
}

// piece implements pieces.
func (f *Func) piece(buf []float64, r, lo, hi int) []float64 {
	f.Fill(buf[:hi-lo], r, lo)
	return buf[:hi-lo]
}

// survey is what one look at all costs finds.
type survey struct {
	scale     float64 // the largest magnitude of a cost that is not forbidden
	forbidden bool    // some cost is +Inf
}

// add looks at row r. It refuses NaN, -Inf and magnitudes that Validate of a
// problem would refuse.
func (y *survey) add(c []float64, r int) error {
	most, ok := magnitude(c, mapsolver.MaxMagnitude)
	return y.note(c, r, most, ok)
}

// note adds row r, of which magnitude is known.
func (y *survey) note(c []float64, r int, most float64, ok bool) error {
	if !ok {
		most = 0
		for j, x := range c {
			switch a := math.Abs(x); {
			case a <= mapsolver.MaxMagnitude:
				most = max(most, a)
			case math.IsInf(x, 1):
				y.forbidden = true
			default:
				return fmt.Errorf("dense: row %d, column %d: cost is %v; costs are at most %g in magnitude, or +Inf for a forbidden pair", r, j, x, mapsolver.MaxMagnitude)
			}
		}
	}
	y.scale = max(y.scale, most)
	return nil
}
