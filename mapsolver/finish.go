package mapsolver

import (
	"context"
	"fmt"
	"math"

	"mtt/internal/slab"
)

// This file makes answers exact whose prices have lost the scale of their costs.
//
// Problem. A price is a sum of costs along a path. Where some costs are 10^15 times as large as
// others — a forbidden pair that somebody gave a large cost, say — a price may come to hold
// a large one, and the small ones are lost in its rounding, even if the optimum has nothing to do
// with the large cost. An auction begins with prices of the largest scale always; a
// warm start brings them along; searches make them where a row has one cheap column only.
//
// Idea. The assignment is a good one, maybe the best. Costs alone, without prices, tell
// whether it is: unless a cycle of the residual graph is negative, which alternates between pairs of
// the assignment and others and is found by the method of Bellman and Ford [1, §5.5].
// Changing pairs along the cycle makes the assignment cheaper (Klein's algorithm [1, §9.6]).
//
// Invariant. Distances begin with 0 at every vertex and only fall, so a large cost of a pair that is
// not used never enters one: a distance is no larger than what used pairs cost together.
// So when there is no negative cycle the distances are prices with the rounding of what the answer
// uses, whatever else is in the problem. A distance is lowered only by more than 10^-12 of
// that, divided among rows and columns; the gap it leaves is below Tolerance.
//
// Cost. Solvers note how large prices become, and nearly every answer is [Sound]; a proof takes
// O(nnz); a cycle up to O((Rows+Cols)·nnz), most of them a few sweeps over the entries.
//
// [1] R. K. Ahuja, T. L. Magnanti, J. B. Orlin. Network Flows. Prentice Hall 1993.

// A Finisher looks at answers of a solver before it hands them out. The zero value is ready to
// use. It keeps its workspace, is not safe for concurrent use, and holds on to no problem.
type Finisher struct {
	p *Problem
	s *Solution

	row, col []float64 // distances: U, and -V, but for a constant
	hub      float64   // of who stays free
	slack    float64   // by less no distance is lowered

	// By which entry, or Free, a distance was lowered last: of a row, from the column of the
	// entry or the hub; of a column and the hub, from a row, or from the hub, a column. None where it is 0.
	rowBy, colBy []int
	hubBy        int // row r: r; column c: Rows+c
	mark         []int
}

// How a distance was lowered, where it is not by an entry.
const (
	byNone = -2
	byHub  = -1
)

// mostCycles bounds the cycles of one answer, for each row and column, besides fewCycles. Answers
// of auctions on costs of all scales had up to two for each row.
const mostCycles, fewCycles = 8, 64

// Sound says whether the rounding of prices is harmless in an answer of n rows and columns whose
// prices never were larger than largest and whose cost adds up magnitudes of size: units in
// their last place are well below what [Tolerance] allows. It takes O(1) time; where it is false,
// [Proved] tells.
func Sound(n int, largest, size float64) bool {
	return largest*(32*ulp/digits)*float64(n) <= size || largest == 0
}

// Proved says whether the prices of s prove it to be an optimum of p: [Certify] accepts it, with a
// gap of at most [Tolerance].
func Proved(p *Problem, s *Solution) bool {
	gap, err := Certify(p, s)
	return err == nil && gap <= Tolerance(p, s)
}

// Finish makes s, an assignment of p that serves everyone who must be served, an optimum,
// and its prices such that they prove it. s.U, s.V and s.Cost are written only. When ctx
// ends, its error is wrapped, and s is an assignment that costs no more than before, with prices that
// mean nothing.
func (f *Finisher) Finish(ctx context.Context, p *Problem, s *Solution) error {
	f.p, f.s = p, s
	defer func() { f.p, f.s = nil, nil }()
	n := p.Rows + p.Cols
	f.row, f.col = slab.Grow(f.row, p.Rows), slab.Grow(f.col, p.Cols)
	f.rowBy, f.colBy = slab.Grow(f.rowBy, p.Rows), slab.Grow(f.colBy, p.Cols)
	f.mark = slab.Grow(f.mark, n+1)
	for range mostCycles*n + fewCycles {
		_, size := objective(p, s)
		f.slack = size / (1e12 * float64(n+1))
		at, err := f.cycle(ctx)
		if err != nil {
			return fmt.Errorf("mapsolver: stopped: %w", err)
		}
		if at < 0 {
			break
		}
		f.cancel(at)
	}
	f.price()
	return nil
}

// cycle lowers distances until none can be, and returns -1, or until those that were lowered by one
// another form a cycle, and returns a vertex on it: row r is r, column c is Rows+c, the hub is
// Rows+Cols.
func (f *Finisher) cycle(ctx context.Context) (at int, err error) {
	p, s := f.p, f.s
	clear(f.row)
	clear(f.col)
	f.hub, f.hubBy = 0, byNone
	for r := range f.rowBy {
		f.rowBy[r] = byNone
	}
	for c := range f.colBy {
		f.colBy[c] = byNone
	}
	for {
		if err := ctx.Err(); err != nil {
			return -1, err
		}
		changed := false
		for c, r := range s.RowOf {
			b := p.ColBound(c)
			if b > math.MaxFloat64 {
				continue
			}
			if x := f.col[c] + b; x < f.hub-f.slack { // may go free
				f.hub, f.hubBy, changed = x, p.Rows+c, true
			}
			if r < 0 {
				if x := f.hub - b; x < f.col[c]-f.slack {
					f.col[c], f.colBy[c], changed = x, byHub, true
				}
			}
		}
		for r, used := range s.EntryOf {
			best, by := f.row[r]-f.slack, byNone
			b := p.RowBound(r)
			if x := f.hub + b; x < best {
				best, by = x, byHub
			}
			for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
				if x := f.col[p.Col[e]] + p.Cost[e]; x < best && e != used {
					best, by = x, e
				}
			}
			if by != byNone {
				f.row[r], f.rowBy[r], changed = best, by, true
			}
			if used < 0 {
				if x := f.row[r] - b; x < f.hub-f.slack {
					f.hub, f.hubBy, changed = x, r, true
				}
			} else if c := p.Col[used]; f.row[r]-p.Cost[used] < f.col[c]-f.slack {
				f.col[c], f.colBy[c], changed = f.row[r]-p.Cost[used], used, true
			}
		}
		if !changed {
			return -1, nil
		}
		if at := f.loop(); at >= 0 {
			return at, nil
		}
	}
}

// before is the vertex by which that of at was lowered last, -1 when it never was.
func (f *Finisher) before(at int) int {
	p := f.p
	switch {
	case at == p.Rows+p.Cols:
		if f.hubBy == byNone {
			return -1
		}
		return f.hubBy
	case at >= p.Rows:
		switch by := f.colBy[at-p.Rows]; by {
		case byNone:
			return -1
		case byHub:
			return p.Rows + p.Cols
		default:
			return int(f.s.RowOf[at-p.Rows])
		}
	}
	switch by := f.rowBy[at]; by {
	case byNone:
		return -1
	case byHub:
		return p.Rows + p.Cols
	default:
		return p.Rows + int(p.Col[by])
	}
}

// loop returns a vertex that was lowered by way of itself, -1 when there is none.
func (f *Finisher) loop() int {
	for i := range f.mark {
		f.mark[i] = -1
	}
	for from := range f.mark {
		at := from
		for at >= 0 && f.mark[at] < 0 {
			f.mark[at] = from
			at = f.before(at)
		}
		if at >= 0 && f.mark[at] == from {
			return at
		}
	}
	return -1
}

// cancel changes the pairs along the cycle through a vertex: each row of it gets what its
// distance was lowered by.
func (f *Finisher) cancel(at int) {
	p, s := f.p, f.s
	cols := f.mark[:0] // columns that go free, and rows that change
	var rows []int
	for v := at; ; {
		from := f.before(v)
		switch {
		case v < p.Rows:
			rows = append(rows, v)
		case v == p.Rows+p.Cols && from >= p.Rows: // a column goes free
			cols = append(cols, from-p.Rows)
		}
		if v = from; v == at {
			break
		}
	}
	for _, r := range rows { // first all leave what they have
		if c := s.ColOf[r]; c >= 0 {
			s.RowOf[c] = -1
		}
		s.ColOf[r], s.EntryOf[r] = -1, -1
	}
	for _, c := range cols {
		if r := s.RowOf[c]; r >= 0 {
			s.ColOf[r], s.EntryOf[r], s.RowOf[c] = -1, -1, -1
		}
	}
	for _, r := range rows {
		if e := f.rowBy[r]; e >= 0 {
			s.ColOf[r], s.EntryOf[r] = p.Col[e], e
			s.RowOf[p.Col[e]] = int32(r)
		}
	}
}

// price makes prices of the distances, the highest that columns allow to rows, and adds up the cost.
func (f *Finisher) price() {
	p, s := f.p, f.s
	s.U, s.V = slab.Grow(s.U, p.Rows), slab.Grow(s.V, p.Cols)
	for c, d := range f.col {
		s.V[c] = min(f.hub-d, p.ColBound(c))
	}
	for r := range s.U {
		u := p.RowBound(r)
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			u = min(u, p.Cost[e]-s.V[p.Col[e]])
		}
		s.U[r] = u
	}
	cost, _ := objective(p, s)
	s.Cost = cost.Value()
}
