package hungarian

import (
	"context"
	"math"

	"mtt/internal/slab"
	"mtt/internal/usage"
	"mtt/mapsolver"
)

// This file is Munkres' method as he and most textbooks have it, on a square matrix of slacks
// that each change of prices rewrites: O(n⁴), and the program of the processor that papers on
// cards compare with. Where costs tie often, prices change seldom and it is fast.
//
// As in [4], rows and columns change roles: the search goes from columns without a star, and
// the zeros are listed anew, column by column, after each change.

// A classic is the matrix and the marks on it.
type classic struct {
	slack        []float64 // n×n, column by column
	u, v         []float64 // prices of rows and columns
	colOf, rowOf []int32   // stars
	prime        []int32   // column of the primed zero of each row
	covered      []bool    // rows
	open         []bool    // columns that are not covered
	queue        []int32   // of these, in the order in which they were uncovered
	searched     int       // how many of the queue have been searched
	first        []int     // n+1: the zeros of column c are zeros[first[c]:first[c+1]]
	zeros        []int32   // rows
	steps        *[6]float64
}

// in does a step, from 1, and times it where somebody wants to know.
func (a *classic) in(step int, do func()) {
	if a.steps == nil {
		do()
		return
	}
	began := usage.CPUSeconds()
	do()
	a.steps[step-1] += usage.CPUSeconds() - began
}

// solve finds a matching of q and its prices, and says whether it did before ctx ended.
func (a *classic) solve(ctx context.Context, q *Square, stats *mapsolver.Stats) bool {
	n := q.N
	a.slack = slab.Grow(a.slack, n*n)
	q.Costs(a.slack, 1, n)
	a.u, a.v = slab.Grow(a.u, n), slab.Grow(a.v, n)
	a.colOf, a.rowOf, a.prime = slab.Grow(a.colOf, n), slab.Grow(a.rowOf, n), slab.Grow(a.prime, n)
	a.covered, a.open = slab.Grow(a.covered, n), slab.Grow(a.open, n)
	a.first = slab.Grow(a.first, n+1)
	a.in(1, func() { a.reduce(n) })
	a.in(6, func() { a.list(n) })
	a.in(2, func() { a.star(n) })
	for stars, row := 0, int32(0); ; {
		a.in(3, func() { stars = a.cover(n) })
		if stars == n {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		a.in(4, func() { row = a.search() })
		for row < 0 {
			a.in(6, func() {
				a.change(n)
				a.list(n)
			})
			stats.RowsScanned += n
			a.searched = 0
			a.in(4, func() { row = a.search() })
		}
		a.in(5, func() { a.flip(row) })
		stats.Augmented++
	}
}

// reduce is step 1: the least of each row, then of each column, is subtracted.
func (a *classic) reduce(n int) {
	slab.Fill(a.u, math.Inf(1))
	for c := range n {
		for r, x := range a.slack[c*n : (c+1)*n] {
			a.u[r] = min(a.u[r], x)
		}
	}
	for c := range n {
		column := a.slack[c*n : (c+1)*n]
		least := math.Inf(1)
		for r := range column {
			column[r] -= a.u[r]
			least = min(least, column[r])
		}
		for r := range column {
			column[r] -= least
		}
		a.v[c] = least
	}
}

// list lists the zeros of each column.
func (a *classic) list(n int) {
	a.zeros = a.zeros[:0]
	for c := range n {
		a.first[c] = len(a.zeros)
		for r, x := range a.slack[c*n : (c+1)*n] {
			if x == 0 {
				a.zeros = append(a.zeros, int32(r))
			}
		}
	}
	a.first[n] = len(a.zeros)
}

// star is step 2: zeros become stars, at most one in a line.
func (a *classic) star(n int) {
	slab.Fill(a.colOf, -1)
	slab.Fill(a.rowOf, -1)
	for c := range n {
		for _, r := range a.zeros[a.first[c]:a.first[c+1]] {
			if a.colOf[r] < 0 {
				a.colOf[r], a.rowOf[c] = int32(c), r
				break
			}
		}
	}
}

// cover is step 3: columns with a star are covered; it returns how many.
func (a *classic) cover(n int) int {
	clear(a.covered)
	slab.Fill(a.prime, -1)
	a.queue, a.searched = a.queue[:0], 0
	for c := range n {
		a.open[c] = a.rowOf[c] < 0
		if a.open[c] {
			a.queue = append(a.queue, int32(c))
		}
	}
	return n - len(a.queue)
}

// search is step 4: it primes zeros that no line covers until it comes to a row without a
// star, which it returns, or to the end: -1.
func (a *classic) search() int32 {
	for ; a.searched < len(a.queue); a.searched++ {
		c := a.queue[a.searched]
		for _, r := range a.zeros[a.first[c]:a.first[c+1]] {
			if a.covered[r] {
				continue
			}
			a.prime[r] = c
			starred := a.colOf[r]
			if starred < 0 {
				return r
			}
			a.covered[r], a.open[starred] = true, true
			a.queue = append(a.queue, starred)
		}
	}
	return -1
}

// flip is step 5: along the path that begins at row, primes become stars.
func (a *classic) flip(row int32) {
	for row >= 0 {
		c := a.prime[row]
		next := a.rowOf[c]
		a.colOf[row], a.rowOf[c] = c, row
		row = next
	}
}

// change is step 6: the least slack that no line covers is taken from what no line covers
// and added to what two cover.
func (a *classic) change(n int) {
	least := math.Inf(1)
	for _, c := range a.queue {
		for r, x := range a.slack[int(c)*n : int(c+1)*n] {
			if x < least && !a.covered[r] {
				least = x
			}
		}
	}
	for c, open := range a.open[:n] {
		column := a.slack[c*n : (c+1)*n]
		for r, covered := range a.covered[:n] {
			switch {
			case open && !covered:
				column[r] -= least
			case !open && covered:
				column[r] += least
			}
		}
		if open {
			a.v[c] += least
		}
	}
	for r, covered := range a.covered[:n] {
		if covered {
			a.u[r] -= least
		}
	}
}

// solveClassic solves p by the matrix; false: its numbers are not finite, ctx has ended, or a
// pair that is not allowed is in the answer, which says that there is none without one.
func (s *Solver) solveClassic(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem) bool {
	most := 0.0
	for _, list := range [][]float64{p.Cost, p.RowMiss, p.ColMiss} {
		for _, x := range list {
			if x = math.Abs(x); x > most && !math.IsInf(x, 1) {
				most = x
			} else if x != x {
				return false
			}
		}
	}
	if !(most <= mapsolver.MaxMagnitude) || len(p.Cost) == 0 {
		return false
	}
	q := NewSquare(p, most)
	var stats mapsolver.Stats
	s.matrix.steps = s.Steps
	if !s.matrix.solve(ctx, &q, &stats) {
		return false
	}
	ok := q.Answer(dst, s.matrix.colOf, s.matrix.u, s.matrix.v)
	dst.Stats = stats
	return ok
}
