package cuda

import (
	"math"
	"slices"
	"unsafe"

	"mtt/internal/cuda"
	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file writes plans into the memory that goes to the card, and answers out
// of it.
//
// The buffer has three parts: the table of problems, what only goes in, what comes
// back. Within a plan, numbers of eight bytes precede those of four.

// inSize and inOutSize are the bytes of a plan in the second and third part.
func (a *plan) inSize() int {
	n := 8 * len(a.p.Cost)
	if !a.sparse {
		n = 8 * a.p.Rows * padded(a.p.Cols)
	}
	if a.misses {
		n += 8 * a.p.Rows
	}
	if a.sparse {
		n += 4 * (a.p.Rows + 1 + len(a.p.Col))
	}
	return align(n)
}

func (a *plan) inOutSize() int { return align(8*(a.p.Cols+a.p.Rows) + 4*(a.p.Rows+countsLen)) }

// align rounds up to the 16 bytes at which each plan begins.
func align(n int) int { return (n + 15) &^ 15 }

// A writer hands out views of a buffer, one after the other.
type writer struct {
	b  *cuda.Buffer
	at int
}

func next[T any](w *writer, n int) (view []T, address uintptr) {
	var zero T
	view, address = cuda.View[T](w.b, w.at, n), w.b.Address(w.at)
	w.at += n * int(unsafe.Sizeof(zero))
	return view, address
}

// write puts the plan into the buffer and its description into d.
func (a *plan) write(b *cuda.Buffer, d *problem) {
	p := a.p
	*d = problem{rows: int32(p.Rows), columns: int32(p.Cols)}
	if a.open {
		d.flags |= flagOpen
	}
	if a.warm {
		d.flags |= flagWarm
	}
	shift := make([]float64, p.Cols)
	for c := range shift {
		shift[c] = a.shift(c)
	}

	w := &writer{b, a.in}
	var cost, list []float64
	if a.sparse {
		cost, d.cost = next[float64](w, len(p.Cost))
		for e, c := range p.Col {
			cost[e] = p.Cost[e] - shift[c]
		}
	} else {
		n := padded(p.Cols)
		cost, d.cost = next[float64](w, p.Rows*n)
		for r := range p.Rows {
			row := cost[r*n : (r+1)*n]
			lo, hi := p.Ptr[r], p.Ptr[r+1]
			if hi-lo < n {
				for c := range row {
					row[c] = math.Inf(1)
				}
			}
			for e := lo; e < hi; e++ {
				row[p.Col[e]] = p.Cost[e] - shift[p.Col[e]]
			}
		}
	}
	if a.misses {
		list, d.miss = next[float64](w, p.Rows)
		for r := range list {
			list[r] = p.RowBound(r)
		}
	}
	if a.sparse {
		var start, column []int32
		start, d.start = next[int32](w, p.Rows+1)
		for r, e := range p.Ptr {
			start[r] = int32(e)
		}
		column, d.column = next[int32](w, len(p.Col))
		copy(column, p.Col)
	}

	w.at = a.inOut
	list, d.v = next[float64](w, p.Cols)
	if a.warm {
		for c := range list {
			list[c] = a.v[c] - shift[c]
		}
	}
	var colOf []int32
	_, d.u = next[float64](w, p.Rows)
	colOf, d.colOf = next[int32](w, p.Rows)
	a.hints(colOf)
	_, d.counts = next[int32](w, countsLen)
}

// read makes the answer of the card one to the caller's problem, with row prices
// that go with the column prices. It returns false when somebody who must be
// served is not.
func (a *plan) read(b *cuda.Buffer) bool {
	p, dst := a.p, a.dst
	w := &writer{b, a.inOut}
	price, _ := next[float64](w, p.Cols)
	_, _ = next[float64](w, p.Rows)
	colOf, _ := next[int32](w, p.Rows)
	counts, _ := next[int32](w, countsLen)

	dst.ColOf = filled(dst.ColOf, a.caller.Rows)
	dst.RowOf = filled(dst.RowOf, a.caller.Cols)
	dst.EntryOf = slab.Grow(dst.EntryOf, a.caller.Rows)
	dst.U, dst.V = slab.Grow(dst.U, a.caller.Rows), slab.Grow(dst.V, a.caller.Cols)
	dst.Stats = mapsolver.Stats{
		RowsScanned: p.Rows + int(counts[1]) + int(counts[4]),
		Augmented:   int(counts[5]),
		Bids:        int(counts[1]),
	}
	u, v := dst.U, dst.V
	mine, theirs := dst.ColOf, dst.RowOf
	if a.swapped {
		u, v = v, u
		mine, theirs = theirs, mine
	}
	served := counts[0]&unserved == 0
	for c := range v {
		v[c] = price[c] + a.shift(c)
	}
	for r, c := range colOf {
		u[r] = 0
		if c < 0 {
			if b := p.RowBound(r); b <= mapsolver.MaxMagnitude {
				u[r] = b
			} else {
				served = false
			}
			continue
		}
		mine[r], theirs[c] = c, int32(r)
		lo, hi := p.Ptr[r], p.Ptr[r+1]
		k, ok := slices.BinarySearch(p.Col[lo:hi], c)
		if !ok {
			return false // the card chose a pair that there is not
		}
		u[r] = p.Cost[lo+k] - v[c]
	}
	dst.Cost = a.addUp()
	return served
}

// addUp finds the entries of the caller's pairs and adds up their costs.
func (a *plan) addUp() float64 {
	p, dst := a.caller, a.dst
	sum := 0.0
	for r, c := range dst.ColOf {
		dst.EntryOf[r] = none
		if c < 0 {
			sum += p.RowBound(r)
			continue
		}
		lo, hi := p.Ptr[r], p.Ptr[r+1]
		k, _ := slices.BinarySearch(p.Col[lo:hi], c)
		dst.EntryOf[r] = lo + k
		sum += p.Cost[lo+k]
	}
	for c, r := range dst.RowOf {
		if r < 0 {
			sum += p.ColBound(c)
		}
	}
	return sum
}

// filled is a slice of n times none, reusing x when it is large enough.
func filled(x []int32, n int) []int32 {
	x = slab.Grow(x, n)
	for i := range x {
		x[i] = none
	}
	return x
}

// rounding is the gap that rounding may explain: four units in the last place of
// the largest number for each row and column.
func (a *plan) rounding() float64 { return 0x1p-50 * float64(a.p.Rows+a.p.Cols) * a.most }
