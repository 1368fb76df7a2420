package hungarian

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file holds the Solver: steps 1 and 2, and the order of the rest.

// A Method is a form of the Hungarian method.
type Method int

const (
	Munkres Method = iota // a forest of trees, one from each deficient row
	Tree                  // one tree, from one deficient row
	Classic               // a matrix of slacks that each change of prices rewrites: O(n⁴)
)

// A Solver finds minimum-cost assignments by the Hungarian method. The zero
// value is ready to use. It keeps its workspace: solving problems of a size
// seen before allocates nothing.
type Solver struct {
	Method Method

	// Steps, when it is not nil, gets the seconds of the processor that each of Munkres' six steps takes in
	// Classic, added up.
	Steps *[6]float64

	rows, cols side // the problem, and the problem transposed
	columns    mapsolver.Columns
	atCol      []int // the entry of each column in the list by column
	forest     forest
	finisher   mapsolver.Finisher
	matrix     classic
}

// Solve implements [mapsolver.Solver]. When ctx ends, or the problem is
// infeasible, dst holds what is known so far: prices that are feasible, and an
// assignment that leaves some rows and columns free.
//
// The slices of p must agree in length, else Solve panics. Its numbers are not
// checked: see [mapsolver.Problem.Validate]. Numbers that are not finite make
// the answer meaningless, not endless.
//
// Classic does not start from warm prices. Its answer is checked entry by entry: the forest
// goes on where rounding has left a pair with slack, and has the last word when there is no
// answer.
func (s *Solver) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	err := s.solve(ctx, dst, p, warm)
	if err != nil || mapsolver.Proved(p, dst) {
		return err
	}
	return s.finisher.Finish(ctx, p, dst) // prices have lost the scale of the costs
}

// solve is Solve before it looks at what prices have come to.
func (s *Solver) solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	p.Check(warm)
	var stats mapsolver.Stats
	if s.Method == Classic && s.solveClassic(ctx, dst, p) {
		warm, stats = &dst.Duals, dst.Stats
	}
	s.begin(dst, p, warm)
	dst.Stats = stats
	if warm != nil && p.ClampPrices(dst.V) {
		s.reduceRows()
		s.keepStars(dst.ColOf)
	} else {
		for c, b := range s.cols.bound {
			dst.V[c] = min(0, b)
		}
		s.reduceRows()
		s.reduceColumns(p)
		slab.Fill(s.rows.mate, -1)
	}
	dst.Stats.RowsScanned += 2 * p.Rows
	s.starZeros()

	err := s.rows.serve(ctx, &s.forest, s.Method, &dst.Stats, false)
	if err == nil {
		err = s.serveColumns(ctx, dst, p)
	}
	s.finish(dst, p)
	return err
}

// begin lays out the problem and its workspace. The pairs in dst.ColOf are hints when warm
// prices come with them.
func (s *Solver) begin(dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) {
	if warm != nil {
		v := warm.V // may be dst.V: moved before its slice is
		dst.V = slab.Grow(dst.V, p.Cols)
		copy(dst.V, v)
	}
	if len(dst.ColOf) != p.Rows {
		dst.ColOf = slab.Grow(dst.ColOf, p.Rows)
		slab.Fill(dst.ColOf, -1)
	}
	dst.EntryOf = slab.Grow(dst.EntryOf, p.Rows)
	dst.RowOf = slab.Grow(dst.RowOf, p.Cols)
	dst.U = slab.Grow(dst.U, p.Rows)
	dst.V = slab.Grow(dst.V, p.Cols)

	a, b := &s.rows, &s.cols
	a.ptr, a.far, a.cost = p.Ptr, p.Col, p.Cost
	a.price, a.farPrice = dst.U, dst.V
	a.mate, a.farMate, a.at = dst.ColOf, dst.RowOf, dst.EntryOf
	a.bound = slab.Grow(a.bound, p.Rows)
	for r := range a.bound {
		a.bound[r] = p.RowBound(r)
	}
	b.bound = slab.Grow(b.bound, p.Cols)
	for c := range b.bound {
		b.bound[c] = p.ColBound(c)
	}
	s.forest.resize(max(p.Rows, p.Cols))
}

// reduceRows gives each row the highest price that its bound and the prices of
// the columns allow: step 1, rows.
func (s *Solver) reduceRows() {
	a := &s.rows
	for r := range a.price {
		least := a.bound[r]
		for e := a.ptr[r]; e < a.ptr[r+1]; e++ {
			if x := a.cost[e] - a.farPrice[a.far[e]]; x < least {
				least = x
			}
		}
		if least > math.MaxFloat64 {
			least = 0 // no entry, yet it must be served
		}
		a.price[r] = least
	}
}

// reduceColumns raises the price of each column as far as its bound and the
// prices of the rows allow: step 1, columns.
func (s *Solver) reduceColumns(p *mapsolver.Problem) {
	a, v := &s.rows, s.rows.farPrice
	raised := false
	for c, b := range s.cols.bound {
		raised = raised || v[c] < b
	}
	if !raised {
		return
	}
	most := s.forest.entered[:p.Cols] // not in use yet
	copy(most, s.cols.bound)
	for r, u := range a.price {
		for e := a.ptr[r]; e < a.ptr[r+1]; e++ {
			if x := a.cost[e] - u; x < most[a.far[e]] {
				most[a.far[e]] = x
			}
		}
	}
	for c, x := range most {
		if x > v[c] && x <= math.MaxFloat64 { // below v by rounding only
			v[c] = x
		}
	}
}

// keepStars stars the hinted pairs that are zeros.
func (s *Solver) keepStars(hint []int32) {
	a := &s.rows
	slab.Fill(a.farMate, -1)
	for r, c := range hint {
		a.mate[r] = -1
		if c < 0 || int(c) >= len(a.farMate) || a.farMate[c] >= 0 {
			continue
		}
		lo, hi := a.ptr[r], a.ptr[r+1]
		if k, ok := slices.BinarySearch(a.far[lo:hi], c); ok && a.zero(r, lo+k) {
			a.match(int32(r), c, lo+k)
		}
	}
}

// starZeros stars, row by row, the first zero in a column without a star:
// step 2. It leaves rows alone that rest at their bound.
func (s *Solver) starZeros() {
	a := &s.rows
	for c := range a.farMate {
		a.farMate[c] = -1
	}
	for r, c := range a.mate {
		if c >= 0 {
			a.farMate[c] = int32(r)
		} else {
			a.at[r] = -1
		}
	}
	for r := range a.mate {
		if a.mate[r] >= 0 || !(a.price[r] < a.bound[r]) {
			continue
		}
		for e := a.ptr[r]; e < a.ptr[r+1]; e++ {
			if c := a.far[e]; a.farMate[c] < 0 && a.cost[e]-a.price[r] <= a.farPrice[c] {
				a.match(int32(r), c, e)
				a.tighten(int32(r))
				break
			}
		}
	}
}

// serveColumns runs the steps on the transposed problem when a column is still
// deficient.
func (s *Solver) serveColumns(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem) error {
	b := &s.cols
	deficient := false
	for c, r := range dst.RowOf {
		deficient = deficient || r < 0 && dst.V[c] < b.bound[c]
	}
	if !deficient {
		return nil
	}
	by := mapsolver.ByColumn(&s.columns, p)
	b.ptr, b.far = by.Ptr, by.Row
	b.cost = slab.Grow(b.cost, len(p.Cost))
	s.atCol = slab.Grow(s.atCol, p.Cols)
	for c := range p.Cols {
		s.atCol[c] = -1
		for k := by.Ptr[c]; k < by.Ptr[c+1]; k++ {
			b.cost[k] = p.Cost[by.Entry[k]]
			if by.Row[k] == dst.RowOf[c] {
				s.atCol[c] = k
			}
		}
	}
	b.price, b.farPrice = dst.V, dst.U
	b.mate, b.farMate, b.at = dst.RowOf, dst.ColOf, s.atCol
	err := b.serve(ctx, &s.forest, s.Method, &dst.Stats, true)

	slab.Fill(dst.EntryOf, -1)
	for c, r := range dst.RowOf {
		if r >= 0 {
			dst.EntryOf[r] = int(by.Entry[s.atCol[c]])
		}
	}
	return err
}

// finish adds up the objective and lets go of the problem.
func (s *Solver) finish(dst *mapsolver.Solution, p *mapsolver.Problem) {
	sum := 0.0
	for r, e := range dst.EntryOf {
		if e >= 0 {
			sum += p.Cost[e]
		} else {
			sum += s.rows.bound[r]
		}
	}
	for c, r := range dst.RowOf {
		if r < 0 {
			sum += s.cols.bound[c]
		}
	}
	dst.Cost = sum
	s.rows = side{bound: s.rows.bound}
	s.cols = side{bound: s.cols.bound, cost: s.cols.cost}
}

// stopped is the error of a context that is over.
func stopped(ctx context.Context) error {
	return fmt.Errorf("hungarian: stopped: %w", ctx.Err())
}
