package dense

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file holds the Solver: its workspace and the order of its work.

// A Start is the way to the prices that the exact searches begin with.
type Start int

const (
	// Auto is Core for large square problems. Else, and where that is given up, it
	// is Reduced when the first steps of that leave few rows free, else Priced, which
	// also follows warm prices that are of no use.
	Auto Start = iota
	// Priced is ε-pricing: an estimate of the prices, then rounds of searches
	// at falling ε. It needs a square matrix without forbidden pairs, and so
	// does Reduced; others are solved as Plain.
	Priced
	// Plain is from prices 0.
	Plain
	// Reduced is column reduction and augmenting row reduction.
	Reduced
	// Core is searches over a few entries of each row, which prices prove to be
	// enough. It needs a square problem and costs of this package's types. Where it
	// is given up Solve goes on as Auto does for small problems.
	Core
)

// String is the name of s.
func (s Start) String() string { return []string{"auto", "priced", "plain", "reduced", "core"}[s] }

// A Solver finds minimum-cost assignments of dense matrices. The zero value is
// ready to use. It keeps its workspace: solving problems of a size seen before
// allocates nothing. It is not safe for concurrent use.
type Solver struct {
	Start Start // the answer's cost does not depend on it

	// Workers is the number of goroutines that read rows for a core, which they
	// share, and that scan one row together elsewhere; below 2, and there below 8192
	// columns, there is one. The answer does not depend on it, to the last bit. Solve
	// starts them and ends them. Scanning together pays only where a cost is dear.
	Workers int

	// Watch, when it is not nil, is told of each search of whole rows that has found a path.
	Watch func(Search)

	costs   Costs
	buf     []float64 // the row at hand of computed costs
	flipped Matrix    // the transpose of a problem with more rows than columns

	// The assignment, of at most as many rows as columns.
	colOf, rowOf []int32
	v            []float64 // column prices; in a search, -Inf where final

	// The search at hand.
	dist   []float64 // of each column; +Inf where final
	pred   []int32   // the row before each column
	final  []final
	byDist float64 // by how much distances lowered prices in a round
	byEps  float64 // by how much ε did

	// The estimate.
	order            []turn
	keep, mask, zero []float64 // len columns
	free             []int32   // rows without a column

	core core

	largest  float64            // magnitude of prices and distances of the exact searches
	size     float64            // sum of the magnitudes of the costs of the answer
	problem  *mapsolver.Problem // the costs, where a caller has them as one
	finisher mapsolver.Finisher

	shareAny, neverCopy bool                          // tests: whatever the number of columns, of costs
	team                *team                         // nil: alone
	partwise            func(dst []float64, r, c int) // computes costs; nil: they are read

	ctx   context.Context
	ended bool // ctx was over when row looked
	reads int  // calls of row

	unproved                         bool
	taken                            Start
	started, searched, rounds, paths int // work done
}

// A Search is one search of a row for a column, after its path has been taken.
type Search struct {
	Round   int       // from 1: a round of ε-pricing; Plain has one
	Epsilon float64   // of the round; 0 in the last
	Rows    int       // rows scanned
	Path    int       // pairs of the path, the new one included
	Prices  []float64 // of the columns, as they are now; the solver goes on with them
}

// Work counts what a solve did.
type Work struct {
	Start      Start // the one taken; Auto when there were warm prices
	StartRows  int   // rows scanned to find the first prices; of a core, all that were read
	SearchRows int   // rows scanned in searches; "rows evaluated" of Algorithm 1015; of a core, what they remember
	Rounds     int   // assignments made: 1 and one for each ε
	Kept       int   // places for entries that rows remember, of a core

	// Unproved says that other costs, very much larger than those of the answer, have spoilt the
	// prices, and that there were too many to make the answer exact: see Solve.
	Unproved bool
}

// Work tells of the last Solve.
func (s *Solver) Work() Work {
	w := Work{Start: s.taken, StartRows: s.started, SearchRows: s.searched, Rounds: s.rounds, Unproved: s.unproved}
	if s.taken == Core {
		w.Kept = len(s.core.list)
	}
	return w
}

// shareFrom is the number of columns from which a row is worth sharing. On two
// cores that do other things as well, two goroutines took 0.7 times the time of
// one over 8000 columns that are computed and as long over 8000 in memory; over
// 4000, as long and 1.6 times as long. BenchmarkWorkers measures that again.
const shareFrom = 8192

// mostCopied is the most costs of which prove takes a copy, of some 20 bytes each.
const mostCopied = 1 << 27

// checkEvery is the number of rows read between two looks at the context.
const checkEvery = 64

// checkContext looks whether the context is over.
func (s *Solver) checkContext() {
	select {
	case <-s.ctx.Done():
		s.ended = true
	default:
	}
}

// Solve assigns the smaller side of costs completely, at the least cost. Who
// stays free on the larger side pays nothing. dst is overwritten, its slices
// are reused; dst.EntryOf[r] is r*cols+c, the entry of [mapsolver.Dense] when
// nothing is forbidden.
//
// A cost of +Inf forbids a pair; NaN and -Inf are errors that name their place,
// and leave dst empty. When no assignment exists the error is a [*mapsolver.InfeasibleError]; when
// ctx ends it wraps ctx.Err(). In both cases dst holds what is known so far:
// prices that are feasible, and an assignment that leaves some rows free; for
// the prices it reads all rows once more. dst is empty when ctx ends before all
// costs were looked at.
//
// A non-nil warm holds column prices of a similar problem (warm.V, len cols;
// warm.U is not read) and may alias dst.Duals. Pairs of dst.ColOf that are tight
// at these prices are kept. Any prices are allowed: they change the time, never
// the cost. Nor do costs that the answer does not use, however large: where they have spoilt the
// prices, cycles of costs alone make the answer an optimum, see [mapsolver.Finisher]. For that the
// costs are copied where they are no sparse problem already; where there are more than 2²⁷ of them
// they are solved again without those that no optimum can use; where that is not enough Work says
// Unproved, and [mapsolver.Certify] how good the answer is.
//
// A problem with more rows than columns is solved as its transpose, of which
// Solve makes a copy, and without warm prices.
func (s *Solver) Solve(ctx context.Context, dst *mapsolver.Solution, costs Costs, warm *mapsolver.Duals) error {
	rows, cols := costs.Dims()
	if warm != nil && len(warm.V) != cols {
		panic(badWarm)
	}
	s.ctx, s.ended, s.reads, s.unproved = ctx, false, 0, false
	s.checkContext()
	tall := rows > cols
	if tall {
		if err := s.transpose(costs, rows, cols); err != nil {
			empty(dst)
			return err
		}
		costs, warm = &s.flipped, nil
	}
	s.begin(costs, min(rows, cols), max(rows, cols))
	if s.Workers > 1 && (len(s.v) >= shareFrom || s.shareAny) {
		s.team, s.partwise = newTeam(s.Workers, len(s.v)), partwise(costs)
		defer func() {
			s.team.stop()
			s.team, s.partwise = nil, nil
		}()
	}
	err := s.solve(dst.ColOf, warm)
	if bad, ok := err.(*mapsolver.InfeasibleError); ok && tall {
		bad.Rows, bad.Cols, bad.ByCols = bad.Cols, bad.Rows, true
	}
	if s.rounds > 0 {
		s.answer(dst, tall, err == nil)
	} else { // the costs were refused, or not all looked at
		empty(dst)
	}
	if err == nil && !mapsolver.Sound(rows+cols, s.largest, s.size) {
		err = s.prove(dst, tall)
	}
	s.costs, s.ctx, s.core.from = nil, nil, nil
	return err
}

// prove makes an answer exact whose prices have lost the scale of the costs, unless they
// prove it all the same. It takes a copy of the costs, as a sparse problem, where the caller has none;
// more than mostCopied costs are solved again instead, without those that are too large.
func (s *Solver) prove(dst *mapsolver.Solution, tall bool) error {
	p := s.problem
	if p == nil {
		if !tall && s.proved(dst) {
			return nil
		}
		n, m := len(s.colOf), len(s.rowOf)
		if n*m > mostCopied || s.neverCopy {
			return s.again(dst, tall)
		}
		var list []float64
		for r := range n {
			list = append(list, s.row(r)...)
		}
		var err error
		if p, err = mapsolver.Dense(n, m, list); err != nil {
			return err
		}
		if tall {
			p = mapsolver.Transpose(nil, p)
		}
	}
	for r, c := range dst.ColOf {
		if c >= 0 {
			k, _ := slices.BinarySearch(p.Col[p.Ptr[r]:p.Ptr[r+1]], c)
			dst.EntryOf[r] = p.Ptr[r] + k
		}
	}
	var err error
	if !mapsolver.Proved(p, dst) {
		err = s.finisher.Finish(s.ctx, p, dst)
	}
	for r, c := range dst.ColOf {
		if c >= 0 {
			dst.EntryOf[r] = r*p.Cols + int(c)
		}
	}
	return err
}

// proved says whether the prices prove the answer all the same, in two looks at the costs at most.
func (s *Solver) proved(dst *mapsolver.Solution) bool {
	gap, err := CertifyWith(s.costs, dst, s.Workers)
	return err == nil && gap <= mapsolver.ToleranceOf(s.size, func() float64 {
		least := math.Inf(1)
		for r := range s.colOf {
			for _, x := range s.row(r) {
				if x = math.Abs(x); x < least && x > 0 {
					least = x
				}
			}
		}
		return least
	})
}

// transpose copies costs, transposed, into the workspace.
func (s *Solver) transpose(costs Costs, rows, cols int) error {
	t := slab.Grow(s.flipped.Cost, rows*cols)
	s.flipped = Matrix{Rows: cols, Cols: rows, Stride: rows, Cost: t}
	s.buf = slab.Grow(s.buf, cols)
	var y survey
	for r := range rows {
		if r%checkEvery == 0 {
			s.checkContext()
		}
		if s.ended {
			return s.stopError()
		}
		c := costs.Row(s.buf, r)
		if len(c) != cols {
			panic(badRow)
		}
		if err := y.add(c, r); err != nil {
			return err
		}
		for j, x := range c {
			t[j*rows+r] = x
		}
	}
	return nil
}

// begin sizes the workspace for n rows and m ≥ n columns.
func (s *Solver) begin(costs Costs, n, m int) {
	s.costs = costs
	s.buf = slab.Grow(s.buf, m)
	s.colOf, s.rowOf = slab.Grow(s.colOf, n), slab.Grow(s.rowOf, m)
	s.v, s.dist, s.pred = slab.Grow(s.v, m), slab.Grow(s.dist, m), slab.Grow(s.pred, m)
	s.order = slab.Grow(s.order, n)
	if n == m { // no estimate is made of others
		s.keep, s.mask, s.zero = slab.Grow(s.keep, m), slab.Grow(s.mask, m), slab.Grow(s.zero, m)
		slab.Fill(s.zero, 0)
	}
	if cap(s.final) < n {
		s.final = make([]final, 0, n)
		s.free = make([]int32, 0, n)
	}
	s.started, s.searched, s.rounds, s.paths = 0, 0, 0, 0
}

// row is row r of the costs. Now and then it looks at the context.
func (s *Solver) row(r int) []float64 {
	if s.reads++; s.reads%checkEvery == 0 {
		s.checkContext()
	}
	if s.partwise != nil {
		return s.computed(r)
	}
	c := s.costs.Row(s.buf, r)
	if len(c) != len(s.v) {
		panic(badRow)
	}
	return c
}

// computed is row r of costs that a team computes.
func (s *Solver) computed(r int) []float64 {
	c, known := s.buf, false
	if cache, ok := s.costs.(*Cache); ok {
		c, known = cache.place(c, r)
	}
	if !known {
		s.team.do(job{op: opFill, d: c, row: int32(r), fill: s.partwise})
	}
	return c
}

// solve assigns all rows.
func (s *Solver) solve(hint []int32, warm *mapsolver.Duals) error {
	square := len(s.colOf) > 1 && len(s.colOf) == len(s.rowOf)
	var y survey
	if square && warm == nil && (s.Start == Core || s.Start == Auto && worthCore(s.costs, len(s.v))) {
		solved, err := s.byCore(&y)
		switch {
		case s.ended:
			return s.stopError()
		case err != nil:
			return err
		case solved:
			s.taken = Core
			return nil
		}
		s.rounds = 0
	}
	reducing := square && warm == nil && s.Start != Priced && s.Start != Plain
	var err error
	if reducing {
		err = s.reduceColumns(&y)
	} else {
		err = s.look(&y)
	}
	if err != nil {
		return err
	}
	var stuck int
	switch {
	case warm != nil && s.usePrices(warm.V, y.scale) && s.keepPairs(hint):
		s.taken = Auto
		stuck = s.serve()
	case s.Start == Plain || y.forbidden || !square:
		s.taken = Plain
		stuck = s.plain()
	case reducing && s.reduceRows(s.Start != Reduced):
		s.taken = Reduced
		stuck = s.serve()
	default:
		s.taken = Priced
		stuck = s.priced()
	}
	switch {
	case s.ended:
		return s.stopError()
	case stuck < 0 && (s.taken == Plain || s.largest <= mostSure*y.scale || s.tight(y.scale)):
		return nil
	case stuck >= 0:
		bad := s.hall(stuck)
		if s.taken == Plain || s.violates(bad) {
			return bad
		}
	}
	// Prices are so large that sums of them have lost the scale of the costs.
	if stuck = s.plain(); s.ended {
		return s.stopError()
	} else if stuck >= 0 {
		return s.hall(stuck)
	}
	s.taken = Plain
	return nil
}

// violates says whether the rows of bad have no columns but those.
func (s *Solver) violates(bad *mapsolver.InfeasibleError) bool {
	for _, r := range bad.Rows {
		in := bad.Cols
		for c, x := range s.row(int(r)) {
			if len(in) > 0 && int(in[0]) == c {
				in = in[1:]
			} else if x <= math.MaxFloat64 {
				return false
			}
		}
	}
	return true
}

// stopError says why there is no answer when the context is over.
func (s *Solver) stopError() error { return fmt.Errorf("dense: stopped: %w", s.ctx.Err()) }

// look adds all rows to a survey.
func (s *Solver) look(y *survey) error {
	for r := range s.colOf {
		if s.ended {
			return s.stopError()
		}
		if err := y.add(s.row(r), r); err != nil {
			return err
		}
	}
	return nil
}

// plain solves from prices 0.
func (s *Solver) plain() (stuck int) {
	slab.Fill(s.v, 0)
	slab.Fill(s.rowOf, -1)
	slab.Fill(s.colOf, -1)
	return s.serve()
}

// serve assigns the rows that are free, by exact searches. It returns the row
// without a path, or -1; what it returns when the context is over means nothing.
// Where there are more columns than rows, free columns have price 0, and keep
// it.
func (s *Solver) serve() (stuck int) {
	s.rounds++
	s.largest, _ = magnitude(s.v, math.MaxFloat64)
	for r := range s.colOf {
		if s.ended || s.colOf[r] < 0 && !s.search(r, 0) {
			return r
		}
	}
	return -1
}

// hall is the proof left by the search of row r when it found no path.
func (s *Solver) hall(r int) *mapsolver.InfeasibleError {
	bad := &mapsolver.InfeasibleError{Rows: []int32{int32(r)}}
	for _, f := range s.final {
		bad.Rows = append(bad.Rows, s.rowOf[f.col])
		bad.Cols = append(bad.Cols, f.col)
	}
	slices.Sort(bad.Rows)
	slices.Sort(bad.Cols)
	return bad
}

// answer writes the assignment and its prices. When it is not complete, pairs
// may not be tight, and the prices of rows have to be looked for; that of a row
// without any finite cost is 0.
func (s *Solver) answer(dst *mapsolver.Solution, tall, complete bool) {
	n, m := len(s.colOf), len(s.rowOf)
	rows, cols, colOf, rowOf := n, m, s.colOf, s.rowOf
	if tall {
		rows, cols, colOf, rowOf = m, n, s.rowOf, s.colOf
	}
	dst.ColOf = append(dst.ColOf[:0], colOf...)
	dst.RowOf = append(dst.RowOf[:0], rowOf...)
	dst.EntryOf = slab.Grow(dst.EntryOf, rows)
	dst.U, dst.V = slab.Grow(dst.U, rows), slab.Grow(dst.V, cols)
	u, v := dst.U, dst.V
	if tall {
		u, v = v, u
	}
	copy(v, s.v)
	dst.Cost, s.size = 0, 0
	for r, c := range s.colOf {
		if complete && s.taken == Core {
			x := s.core.paid[r]
			u[r] = x - v[c]
			dst.Cost += x
			s.size += math.Abs(x)
			continue
		}
		row := s.row(r)
		if c >= 0 {
			u[r] = row[c] - v[c]
			dst.Cost += row[c]
			s.size += math.Abs(row[c])
		}
		if !complete {
			u[r] = s.reduce(row, s.v)
			if math.IsInf(u[r], 1) {
				u[r] = 0
			}
		}
	}
	for r, c := range dst.ColOf {
		dst.EntryOf[r] = -1
		if c >= 0 {
			dst.EntryOf[r] = r*cols + int(c)
		}
	}
	dst.Stats = mapsolver.Stats{RowsScanned: s.started + s.searched, Augmented: s.paths}
}

// empty takes everything out of dst but its memory.
func empty(dst *mapsolver.Solution) {
	dst.ColOf, dst.RowOf, dst.EntryOf = dst.ColOf[:0], dst.RowOf[:0], dst.EntryOf[:0]
	dst.U, dst.V = dst.U[:0], dst.V[:0]
	dst.Cost, dst.Stats = 0, mapsolver.Stats{}
}

// finite says whether x is neither infinite nor NaN.
func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
