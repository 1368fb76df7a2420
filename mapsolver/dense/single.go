package dense

// This file holds costs in half the memory.

// A Matrix32 is a cost matrix in memory of numbers of 32 bits, row-major like a
// [Matrix]. Prices, distances and sums have 64 bits, so nothing is lost but what
// was lost when the costs were stored; whole numbers are exact up to 2^24.
//
// It is the same problem as a Matrix of the same numbers, and gives the same
// answer to the last bit. Half the memory is read, and each row is widened
// when it is: that took 1.1 to 1.2 times the time of a Matrix at n = 500 and 0.8 to
// 1.1 times at 2000 and 4000, where memory is the limit. A problem with more rows
// than columns is copied as numbers of 64 bits.
type Matrix32 struct {
	Rows, Cols int
	Stride     int       // ≥ Cols
	Cost       []float32 // len ≥ (Rows-1)*Stride+Cols; finite or, for a forbidden pair, +Inf
}

// Dims implements [Costs]. It panics when the shape of m is not sound.
func (m *Matrix32) Dims() (rows, cols int) {
	if !soundShape(m.Rows, m.Cols, m.Stride, len(m.Cost)) {
		panic(badMatrix)
	}
	return m.Rows, m.Cols
}

// Row implements [Costs]; it writes into dst.
func (m *Matrix32) Row(dst []float64, r int) []float64 {
	m.part(dst, r, 0)
	return dst
}

// piece implements pieces.
func (m *Matrix32) piece(buf []float64, r, lo, hi int) []float64 {
	m.part(buf[:hi-lo], r, lo)
	return buf[:hi-lo]
}

// part writes the costs of row r, from column c on, into dst.
func (m *Matrix32) part(dst []float64, r, c int) {
	widen(dst, m.Cost[r*m.Stride+c:][:len(dst)])
}
