package murty

import (
	"context"
	"fmt"
	"iter"

	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// This file holds the iterator and the Ranker behind it.

// KBest yields the assignments of p from the cheapest upwards, lazily: what is
// not asked for is not computed. The solver, [ssp.Solver] when nil, finds the
// first; the others are found from its prices, so any exact solver will do.
//
// A solution belongs to the iteration and is overwritten by the next one. Its
// prices are those of the first: they bound every assignment from below, and
// Cost less their sum is how far this one is from the optimum. Stats counts the
// solver's work in the first solution and is zero in the others.
//
// The sequence ends after the last assignment, or with an error: when p is
// infeasible an [*mapsolver.InfeasibleError], when ctx ends one that wraps
// ctx.Err(). Numbers are not checked: see [mapsolver.Problem.Validate].
func KBest(ctx context.Context, s mapsolver.Solver, p *mapsolver.Problem) iter.Seq2[*mapsolver.Solution, error] {
	return func(yield func(*mapsolver.Solution, error) bool) {
		k := &Ranker{Solver: s}
		var sol mapsolver.Solution
		if err := k.Start(ctx, p); err != nil {
			yield(nil, err)
			return
		}
		for k.Next(&sol) {
			if !yield(&sol, nil) {
				return
			}
			if err := ctx.Err(); err != nil {
				yield(nil, fmt.Errorf("murty: stopped: %w", err))
				return
			}
		}
	}
}

// A Ranker ranks the assignments of one problem after the other and keeps its
// workspace between them. The zero value is ready to use. It is not safe for
// concurrent use.
type Ranker struct {
	// Solver finds the first assignment; nil: an ssp.Solver of its own.
	Solver mapsolver.Solver

	// Whole ranks the problem as one part, and Eager fixes rows in their order and
	// solves each cell of a partition at once, the empty ones too: together they
	// are Murty's algorithm as it was published, with warm starts. They change the
	// work and the order of equal costs, never the costs.
	Whole, Eager bool

	// Observe, when not nil, is told of each cell that is solved. The argument
	// is valid during the call.
	Observe func(*Subproblem)

	// Stats counts since the Ranker was made.
	Stats Stats

	p       *mapsolver.Problem
	own     ssp.Solver
	best    mapsolver.Solution // the first assignment
	asked   int                // solutions that Next has yielded
	colCost bool               // some column does not stay free at no cost
	made    int                // waiting cells made so far
	sums    sums
	split   splitter
	cells   arena[cell]
	numbers arena[float64]
	indices arena[int32]
}

// Stats counts the work of a Ranker.
type Stats struct {
	Roots  int // problems given to Start
	Posed  int // cells made
	Solved int // cells solved, by one or two searches
}

// A Subproblem is a cell: the problem with some choices fixed and some forbidden.
// Indices are those of the problem.
type Subproblem struct {
	Fixed     []int32 // rows that keep their choice
	Choice    []int32 // len Fixed: the entry each has, -1 when it stays free
	Forbidden []int32 // entries; -1-r: that row r stays free
	Feasible  bool
	Cost      float64 // of the cheapest assignment, when feasible
}

// Start solves p, which is kept until the next Start and must not change. The
// errors are those of the solver.
func (k *Ranker) Start(ctx context.Context, p *mapsolver.Problem) error {
	k.p = p
	k.asked = -1
	s := k.Solver
	if s == nil {
		s = &k.own
	}
	if err := s.Solve(ctx, &k.best, p, nil); err != nil {
		return err
	}
	k.asked = 0
	k.Stats.Roots++
	k.colCost = p.ColMiss != nil || p.NilColBound() > 0
	k.made = 0
	k.cells.reset()
	k.numbers.reset()
	k.indices.reset()
	return nil
}

// Next writes the next assignment to dst, reusing its slices, and reports
// whether there is one. The fields are those that [KBest] yields.
func (k *Ranker) Next(dst *mapsolver.Solution) bool {
	if k.asked < 0 {
		return false
	}
	if k.asked == 0 {
		k.copyBest(dst)
		dst.Stats = k.best.Stats
		k.asked = 1
		return true
	}
	if k.asked == 1 {
		k.parts()
		k.sums.start()
	}
	k.asked++
	if !k.sums.next() {
		k.asked = -1
		return false
	}
	k.copyBest(dst)
	k.sums.each(func(l *part, c *cell) { l.write(dst, c) })
	dst.Cost = k.total(dst)
	return true
}

// copyBest makes dst the first assignment.
func (k *Ranker) copyBest(dst *mapsolver.Solution) {
	b := &k.best
	dst.ColOf = append(dst.ColOf[:0], b.ColOf...)
	dst.RowOf = append(dst.RowOf[:0], b.RowOf...)
	dst.EntryOf = append(dst.EntryOf[:0], b.EntryOf...)
	dst.U = append(dst.U[:0], b.U...)
	dst.V = append(dst.V[:0], b.V...)
	dst.Cost, dst.Stats = b.Cost, mapsolver.Stats{}
}

// write puts the assignment c of the part into s, in place of the first one.
func (l *part) write(s *mapsolver.Solution, c *cell) {
	for _, y := range l.colNo {
		s.RowOf[y] = -1
	}
	for r, e := range c.mate {
		row := l.rowNo[r]
		if e < 0 {
			s.ColOf[row], s.EntryOf[row] = -1, -1
			continue
		}
		col := l.colNo[l.cols.at[e]]
		s.ColOf[row], s.EntryOf[row], s.RowOf[col] = col, int(l.entryNo[e]), row
	}
}

// total adds up what s costs, as the solvers do.
func (k *Ranker) total(s *mapsolver.Solution) float64 {
	sum := 0.0
	for r, e := range s.EntryOf {
		if e >= 0 {
			sum += k.p.Cost[e]
		} else {
			sum += k.p.RowBound(r)
		}
	}
	if k.colCost {
		for c, r := range s.RowOf {
			if r < 0 {
				sum += k.p.ColBound(c)
			}
		}
	}
	return sum
}

// observe tells of the cell c of a part.
func (k *Ranker) observe(l *part, c *cell, feasible bool) {
	s := &Subproblem{Feasible: feasible}
	for _, r := range c.order[:c.fixed] {
		s.Fixed = append(s.Fixed, l.rowNo[r])
		if e := c.mate[r]; e >= 0 {
			s.Choice = append(s.Choice, l.entryNo[e])
		} else {
			s.Choice = append(s.Choice, -1)
		}
	}
	for _, e := range c.forbidden {
		if e >= 0 {
			s.Forbidden = append(s.Forbidden, l.entryNo[e])
		} else {
			s.Forbidden = append(s.Forbidden, -1-l.rowNo[-1-e])
		}
	}
	if feasible {
		s.Cost = k.best.Cost - l.ranked[0].cost + c.cost
	}
	k.Observe(s)
}

// copyCell copies what the search of a cell starts from.
func (k *Ranker) copyCell(from *cell) *cell {
	c := &k.cells.take(1)[0]
	*c = cell{
		mate:    append(k.ints(0, len(from.mate)), from.mate...),
		colMate: append(k.ints(0, len(from.colMate)), from.colMate...),
		order:   from.order,
		place:   from.place,
		u:       k.floats(len(from.u)),
		v:       k.floats(len(from.v)),
	}
	copy(c.u, from.u)
	copy(c.v, from.v)
	return c
}

// floats and ints take slices that live until the next Start.
func (k *Ranker) floats(n int) []float64   { return k.numbers.take(n) }
func (k *Ranker) ints(n, room int) []int32 { return k.indices.take(room)[:n] }

// An arena hands out slices, of any content, that are all given back at once.
type arena[T any] struct {
	chunks [][]T
	chunk  int // the one in use
	used   int // of it
}

// take hands out a slice of length and capacity n.
func (a *arena[T]) take(n int) []T {
	for a.chunk < len(a.chunks) && a.used+n > len(a.chunks[a.chunk]) {
		a.chunk++
		a.used = 0
	}
	if a.chunk == len(a.chunks) {
		const least = 1 << 10
		a.chunks = append(a.chunks, make([]T, max(n, least<<min(len(a.chunks), 10))))
	}
	s := a.chunks[a.chunk][a.used : a.used+n : a.used+n]
	a.used += n
	return s
}

func (a *arena[T]) reset() { a.chunk, a.used = 0, 0 }

// Optimum is the cost of the first assignment.
func (k *Ranker) Optimum() float64 { return k.best.Cost }
