package dense

import (
	"fmt"
	"math"

	"mtt/internal/fsum"
	"mtt/mapsolver"
)

// This file checks an answer by arithmetic alone.

// Certify checks s against costs by arithmetic alone and returns the duality
// gap: how far, at most, the cost of s is above the optimum. It is
// [mapsolver.Certify] for dense costs, as strict: the assignment must be a
// matching that serves all of the smaller side with finite costs, s.Cost must
// agree with the costs added up again, and no price may exceed what it may be
// by more than 4·(rows+cols) units in the last place of the largest cost. Such
// an excess is taken off the row prices before they are added up, so the bound
// behind the gap is one of an exactly feasible dual; where some price is so large that costs
// vanish in its rounding, a unit in the last place is taken off each besides. An error says
// which of these fails, and where.
//
// At an optimum the gap is 0 up to the rounding of the two sums, and may be
// negative by that much. Certify reads each row once and does not change s.
func Certify(costs Costs, s *mapsolver.Solution) (gap float64, err error) {
	return CertifyWith(costs, s, 1)
}

// CertifyWith is [Certify] by several workers, who share the rows of a [Matrix], a
// [Matrix32], a [Func] or a [Cache] of these; others are read by one. The result
// does not depend on their number.
func CertifyWith(costs Costs, s *mapsolver.Solution, workers int) (gap float64, err error) {
	rows, cols := costs.Dims()
	if len(s.ColOf) != rows || len(s.RowOf) != cols || len(s.U) != rows || len(s.V) != cols {
		return 0, fmt.Errorf("dense: the solution is not one of %d rows and %d columns", rows, cols)
	}
	if err := checkMatching(s, min(rows, cols)); err != nil {
		return 0, err
	}
	most := colBounds(s, rows, cols)
	if most == nil {
		return 0, fmt.Errorf("dense: a column price is not finite")
	}

	var y survey
	var cost, bound fsum.Sum
	size := 0.0
	least := make([]float64, rows)
	look := newInspection(costs, most, workers)
	for r, c := range s.ColOf {
		f := look.row(r)
		if err := y.note(look.note(f, r), r, f.most, f.ok); err != nil {
			return 0, err
		}
		least[r] = f.floor
		if c >= 0 {
			x := look.cost(r, int(c))
			if math.IsInf(x, 1) {
				return 0, fmt.Errorf("dense: row %d has column %d, which is forbidden", r, c)
			}
			cost.Add(x)
			size += math.Abs(x)
		}
	}
	n := float64(rows + cols)
	total := cost.Value()
	if d := math.Abs(total - s.Cost); !(d <= 2*ulp*n*size) {
		return 0, fmt.Errorf("dense: the cost is %v, the solution says %v", total, s.Cost)
	}
	tol := 4 * ulp * n * y.scale
	largest, _ := magnitude(most, math.MaxFloat64)
	exact := !mapsolver.Sound(rows+cols, largest, size)
	for c, v := range s.V {
		if v-most[c] > tol {
			return 0, fmt.Errorf("dense: column %d: price %v, but it may stay free at no cost", c, v)
		}
		bound.Add(most[c])
	}
	for r, u := range s.U {
		if !finite(u) {
			return 0, fmt.Errorf("dense: the price of row %d is %v", r, u)
		}
		if rows > cols && u > 0 {
			if u > tol {
				return 0, fmt.Errorf("dense: row %d: price %v, but it may stay free at no cost", r, u)
			}
			u = 0
		}
		if x := least[r]; x < u {
			if u = x; s.U[r]-x > tol {
				c := look.place(r, x)
				return 0, fmt.Errorf("dense: row %d, column %d: prices %v and %v exceed the cost", r, c, s.U[r], s.V[c])
			}
		}
		if exact { // costs less prices were rounded to the nearest
			u = math.Nextafter(u, math.Inf(-1))
		}
		bound.Add(u)
	}
	if exact {
		cost.Sub(&bound)
		return cost.Value(), nil
	}
	return total - bound.Value(), nil
}

// An inspection reads all rows, once and in order, for the least of costs less
// prices.
type inspection struct {
	memory
	costs Costs
	buf   []float64 // of rows that one reads
	rows  []int32
	next  int // the first row that is not in the batch
}

func newInspection(costs Costs, v []float64, workers int) *inspection {
	n, _ := costs.Dims()
	look := &inspection{costs: costs, buf: make([]float64, len(v)), rows: make([]int32, batchRows)}
	look.from, look.v = inPieces(costs), v
	look.found = make([]finding, batchRows)
	look.readers = make([]*reader, max(1, min(workers, n)))
	for k := range look.readers {
		look.readers[k] = new(reader)
	}
	return look
}

// row is what is found in row r: the least is its floor.
func (look *inspection) row(r int) *finding {
	f := &look.found[r%batchRows]
	if look.from == nil {
		row := look.costs.Row(look.buf, r)
		f.most, f.ok = magnitude(row, mapsolver.MaxMagnitude)
		f.floor = math.Inf(1)
		for c, x := range row {
			f.floor = min(f.floor, x-look.v[c])
		}
		return f
	}
	if r >= look.next {
		n, _ := look.costs.Dims()
		look.next = min(r+batchRows, n)
		look.batch = look.rows[:look.next-r]
		for i := range look.batch {
			look.batch[i] = int32(r + i)
		}
		look.share(len(look.batch), (*reader).least)
	}
	return f
}

// least finds the least of costs less prices in row i of the batch.
func (w *reader) least(k *memory, i int) {
	f := &k.found[i]
	f.floor, f.most, f.ok = math.Inf(1), 0, true
	for lo := 0; lo < len(k.v); lo += pieceCols {
		hi := min(lo+pieceCols, len(k.v))
		c := k.from.piece(w.buf[:], int(k.batch[i]), lo, hi)
		x, ok := magnitude(c, mapsolver.MaxMagnitude)
		f.most, f.ok = max(f.most, x), f.ok && ok
		f.floor = min(f.floor, reduce(w.buf[:], c, k.v[lo:hi]))
	}
}

// note is row r when it has to be looked at again.
func (look *inspection) note(f *finding, r int) []float64 {
	if f.ok {
		return nil
	}
	return look.costs.Row(look.buf, r)
}

// cost is that of row r and column c.
func (look *inspection) cost(r, c int) float64 {
	if look.from == nil {
		return look.costs.Row(look.buf, r)[c]
	}
	return look.from.piece(look.buf, r, c, c+1)[0]
}

// place is the first column of row r where the cost less the price is x.
func (look *inspection) place(r int, x float64) int {
	for c, y := range look.costs.Row(look.buf, r) {
		if y-look.v[c] <= x {
			return c
		}
	}
	return 0 // the costs have changed since
}

// checkMatching checks that ColOf and RowOf are one matching of n pairs.
func checkMatching(s *mapsolver.Solution, n int) error {
	pairs := 0
	for r, c := range s.ColOf {
		if c == -1 {
			continue
		}
		if c < 0 || int(c) >= len(s.RowOf) || s.RowOf[c] != int32(r) {
			return fmt.Errorf("dense: row %d has column %d, which does not have that row", r, c)
		}
		pairs++
	}
	for c, r := range s.RowOf {
		if r != -1 && (r < 0 || int(r) >= len(s.ColOf) || s.ColOf[r] != int32(c)) {
			return fmt.Errorf("dense: column %d has row %d, which does not have that column", c, r)
		}
	}
	if pairs != n {
		return fmt.Errorf("dense: %d pairs, want %d", pairs, n)
	}
	return nil
}

// colBounds is V, each price cut to 0 where columns may stay free; nil: some
// price is not finite.
func colBounds(s *mapsolver.Solution, rows, cols int) []float64 {
	most := make([]float64, cols)
	for c, v := range s.V {
		if !finite(v) {
			return nil
		}
		if cols > rows && v > 0 {
			v = 0
		}
		most[c] = v
	}
	return most
}

// ulp is the distance from 1 to the next larger float64.
const ulp = 0x1p-52
