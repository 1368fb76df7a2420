package ssp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mtt/internal/heap"
	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file holds the Solver: its workspace and the order of its work.

// A Solver finds minimum-cost assignments by shortest augmenting paths. The
// zero value is ready to use. It keeps its workspace: solving problems of a
// size seen before allocates nothing.
type Solver struct {
	given *mapsolver.Columns // of UseColumns

	// Tests take the ways of large problems for small ones too.
	neverTiny, alwaysBid bool

	// The problem at hand.
	p                  *mapsolver.Problem
	dst                *mapsolver.Solution
	rowBound, colBound []float64 // the most that U, V may be
	colCost            bool      // some column does not stay free at no cost
	mayLeave           bool      // some row may stay free: else its bound is not looked at
	columns            mapsolver.Columns
	haveColumns        bool    // columns belongs to p
	free               []int32 // rows that the start left deficient
	reduced            bool    // prices are those of a column reduction, as searches change them
	easy               bool    // row reduction went as in random problems, and searches have not grown long

	// The search at hand.
	rows, cols []vertex  // what is known of each row, each column
	level      []int32   // reached at the distance at hand, not yet final
	later      []later   // reached at a larger distance, not yet in the heap
	waiting    int       // how many of later wait
	heap       heap.Heap // reached at a larger distance, not yet final
	final      []final   // the tree, in the order of distance

	// The auction at hand.
	arcs    []arc
	held    []holding
	limit   []int32 // of each row: the cost of staying free
	limited bool    // some row has such a limit
	bids    int     // that are left

	tiny tiny

	largest, size float64 // magnitudes: that of prices until now, and the sum of what the cost adds up
	finisher      mapsolver.Finisher

	// Storage.
	rowConst, colConst []float64 // bounds where miss costs are nil
	cheapest           []offer   // the cheapest entry of each column
}

// A vertex is what a search knows of a row or a column.
type vertex struct {
	dist  float64 // tentative, later final; +Inf where not reached
	entry int32   // by which it was reached
	from  int32   // the vertex of the other side at the end of that entry
}

// A final vertex is one whose distance is known. Its price is -Inf during the
// rest of the search, so that no entry leads back to it.
type final struct {
	price float64 // before the search
	id    int32
}

const badColumns = "ssp: the list by column belongs to another pattern"

// UseColumns implements [mapsolver.PatternUser]. Without a list Solve makes one, in O(nnz) time,
// each time it needs one, which is when a column is deficient: a caller who solves one
// pattern again and again makes it once. Solve checks its length only.
func (s *Solver) UseColumns(c *mapsolver.Columns) { s.given = c }

// checkEvery is the number of searches between two looks at the context: some
// 0.1 ms of work.
const checkEvery = 256

// Solve implements [mapsolver.Solver]. When ctx ends, or the problem is
// infeasible, dst holds what is known so far: prices that are feasible, and an
// assignment that leaves some rows and columns free.
//
// The slices of p must agree in length, else Solve panics. Its numbers are not
// checked: see [mapsolver.Problem.Validate]. Numbers that are not finite make
// the answer meaningless, not endless.
func (s *Solver) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	err := s.solve(ctx, dst, p, warm)
	if err != nil || s.proved(p, dst) {
		return err
	}
	// Prices have lost the scale of the costs: once more without those that were given.
	if warm != nil {
		stats := dst.Stats
		err = s.solve(ctx, dst, p, nil)
		dst.Stats.Add(stats)
		if err != nil || s.proved(p, dst) {
			return err
		}
	}
	return s.finisher.Finish(ctx, p, dst)
}

// proved says whether the prices of an answer prove it. Searches keep prices feasible but for
// rounding; so it looks at them only where that matters.
func (s *Solver) proved(p *mapsolver.Problem, dst *mapsolver.Solution) bool {
	return mapsolver.Sound(p.Rows+p.Cols, s.largest, s.size) || mapsolver.Proved(p, dst)
}

// solve is Solve before it looks at what prices have come to.
func (s *Solver) solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	s.begin(dst, p, warm)
	var err error
	if warm == nil && p.Rows <= tinySize && p.Cols <= tinySize && !s.neverTiny && !ended(ctx.Done()) {
		if r := s.serveTiny(); r >= 0 {
			err = s.hallRows(r)
		} else if s.colCost { // else columns without a row still have the price 0
			err = s.serveCols(ctx)
		}
	} else {
		crowded := s.alwaysBid && warm == nil
		if warm != nil && p.ClampPrices(dst.V) {
			s.largest = largest(dst.V)
			s.keepPairs()
		} else if s.coldStart(ctx.Done()) {
			crowded = true
		}
		if ended(ctx.Done()) { // the start may have given up
			err = fmt.Errorf("ssp: stopped: %w", ctx.Err())
		} else {
			err = s.serve(ctx, crowded)
		}
	}
	s.addUp()
	s.p, s.dst = nil, nil
	return err
}

// begin checks shapes and sizes the workspace and the slices of dst. What those
// hold then is left to the start; pairs are there to keep only beside warm prices.
func (s *Solver) begin(dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) {
	p.Check(warm)
	if s.given != nil && (len(s.given.Ptr) != p.Cols+1 || len(s.given.Entry) != len(p.Col)) {
		panic(badColumns)
	}
	if warm != nil {
		v := warm.V // may be dst.V: moved before its slice is
		dst.V = slab.Grow(dst.V, p.Cols)
		copy(dst.V, v)
	}
	if warm != nil && len(dst.ColOf) != p.Rows {
		dst.ColOf = slab.Grow(dst.ColOf, p.Rows)
		slab.Fill(dst.ColOf, -1)
	}
	dst.ColOf = slab.Grow(dst.ColOf, p.Rows)
	dst.EntryOf = slab.Grow(dst.EntryOf, p.Rows)
	dst.RowOf = slab.Grow(dst.RowOf, p.Cols)
	dst.U = slab.Grow(dst.U, p.Rows)
	dst.V = slab.Grow(dst.V, p.Cols)
	dst.Stats = mapsolver.Stats{}

	s.p, s.dst, s.haveColumns, s.reduced, s.easy = p, dst, false, false, false
	s.rowBound, s.rowConst = bounds(p.RowMiss, s.rowConst, p.Rows, p.NilRowBound())
	s.colBound, s.colConst = bounds(p.ColMiss, s.colConst, p.Cols, p.NilColBound())
	s.colCost = p.ColMiss != nil || p.NilColBound() > 0
	s.mayLeave = p.RowMiss != nil || p.NilRowBound() <= math.MaxFloat64
	s.rows = unreached(s.rows, p.Rows)
	s.cols = unreached(s.cols, p.Cols)
	s.free = s.free[:0]
}

// bounds returns miss, or, when that is nil, n times b, made in store, all of
// whose elements are equal.
func bounds(miss, store []float64, n int, b float64) (bound, kept []float64) {
	if miss != nil {
		return miss, store
	}
	if n > len(store) || n > 0 && store[0] != b {
		store = slab.Grow(store, n)
		slab.Fill(store, b)
	}
	return store[:n], store
}

// auctionAfter is when searches give way to the auction: when they have looked
// at this many rows for each row of the problem, and deficient rows remain.
// Gated problems need 0.5 in all; on random sparse ones the first nine in ten
// searches take 5, the last one in ten takes 30 at 10⁴ rows and 110 at 10⁵.
// Problems that seemed easy are taken for others after hardAfter more.
const (
	auctionAfter = 0.6
	hardAfter    = 3
)

// serve runs one search for each deficient row, then for each deficient column.
// Once, where searches have grown long or at first, an auction takes over.
func (s *Solver) serve(ctx context.Context, bidFirst bool) error {
	done := ctx.Done()
	searches := 0
	most := s.dst.Stats.RowsScanned + int(auctionAfter*float64(s.p.Rows))
	if bidFirst {
		most = -1
	}
	look := 0 // rows scanned when ctx is to be looked at
	for next := 0; next < len(s.free); next++ {
		if searches%checkEvery == 0 || s.dst.Stats.RowsScanned >= look {
			look = s.dst.Stats.RowsScanned + s.rowsPerLook()
			if ended(done) {
				return fmt.Errorf("ssp: stopped: %w", ctx.Err())
			}
		}
		if s.dst.Stats.RowsScanned-hardAfter*s.p.Rows > most {
			s.easy = false
		}
		if s.dst.Stats.RowsScanned > most && s.worthBidding(len(s.free)-next) {
			most = math.MaxInt // once
			s.free = s.free[:copy(s.free, s.free[next:])]
			s.auction(ctx)
			next = -1
			continue
		}
		searches++
		if r := s.free[next]; !(s.reduced && s.makeWay(r)) && !s.searchRow(r) {
			return s.hallRows(r)
		}
	}
	return s.serveCols(ctx)
}

// serveCols runs one search for each deficient column.
func (s *Solver) serveCols(ctx context.Context) error {
	done := ctx.Done()
	searches, look := 0, 0
	v, bound, rowOf := s.dst.V, s.colBound, s.dst.RowOf
	for c, r := range rowOf {
		if r >= 0 || !(v[c] < bound[c]) {
			continue
		}
		if searches%checkEvery == 0 || s.dst.Stats.RowsScanned >= look {
			look = s.dst.Stats.RowsScanned + s.rowsPerLook()
			if ended(done) {
				return fmt.Errorf("ssp: stopped: %w", ctx.Err())
			}
		}
		searches++
		if !s.searchCol(int32(c)) {
			return s.hallCols(int32(c))
		}
	}
	return nil
}

// rowsPerLook is the number of rows in some milliseconds of work: so often it is looked
// whether ctx has ended.
func (s *Solver) rowsPerLook() int { return 1 + entriesPerLook/(1+len(s.p.Col)/max(1, s.p.Rows)) }

// entriesPerLook is the number of entries that rowsPerLook rows have.
const entriesPerLook = 1 << 22

// worthBidding says whether an auction for deficient rows, that number of them, promises to be
// faster than searches: bids cost more in long rows than searches do, until there
// are thousands of rows. On easy problems searches grow longer with their number:
// random rows of 8 entries should be searched where there are 200, and bid for
// where there are 600; there those of 48 should be searched, and of 1500 rows
// those of 150.
func (s *Solver) worthBidding(deficient int) bool {
	const fewest, longest, fewestRows, densest = 16, 64, 300, 1.0 / 16
	rows, entries := s.p.Rows, len(s.p.Col)
	switch {
	case s.alwaysBid:
		return true
	case deficient < fewest:
		return false
	case rows >= manyRows:
		return true
	case s.easy:
		return rows >= fewestRows && float64(entries) <= densest*float64(rows)*float64(rows)
	}
	return entries <= longest*rows
}

// ended says whether the context is over.
func ended(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// addUp adds up the objective.
func (s *Solver) addUp() {
	sum, size := 0.0, 0.0
	cost, rowBound := s.p.Cost, s.rowBound
	for r, e := range s.dst.EntryOf {
		x := rowBound[r]
		if e >= 0 {
			x = cost[e]
		}
		sum += x
		size += math.Abs(x)
	}
	if s.colCost {
		for c, r := range s.dst.RowOf {
			if r < 0 {
				sum += s.colBound[c]
				size += math.Abs(s.colBound[c])
			}
		}
	}
	s.dst.Cost, s.size = sum, size
}

// match joins row r and column c by entry e.
func (s *Solver) match(r, c int32, e int) {
	s.dst.ColOf[r], s.dst.RowOf[c], s.dst.EntryOf[r] = c, r, e
}

// hallRows is the proof left by the search of row r when it found no sink.
func (s *Solver) hallRows(r int32) error {
	bad := &mapsolver.InfeasibleError{Rows: []int32{r}}
	for _, f := range s.final {
		bad.Rows = append(bad.Rows, s.dst.RowOf[f.id])
		bad.Cols = append(bad.Cols, f.id)
	}
	s.forget(s.cols)
	slices.Sort(bad.Rows)
	slices.Sort(bad.Cols)
	return bad
}

// hallCols is the proof left by the search of column c when it found no sink.
func (s *Solver) hallCols(c int32) error {
	bad := &mapsolver.InfeasibleError{Cols: []int32{c}, ByCols: true}
	for _, f := range s.final {
		bad.Cols = append(bad.Cols, s.dst.ColOf[f.id])
		bad.Rows = append(bad.Rows, f.id)
	}
	s.forget(s.rows)
	slices.Sort(bad.Rows)
	slices.Sort(bad.Cols)
	return bad
}

// largest is the largest magnitude of x.
func largest(x []float64) float64 {
	most := uint64(0)
	for _, y := range x { // as integers, which need no branch
		most = max(most, math.Float64bits(y)&^(1<<63))
	}
	return math.Float64frombits(most)
}

// unreached returns at least n vertices that no search has reached, given
// others.
func unreached(t []vertex, n int) []vertex {
	if n <= len(t) {
		return t
	}
	t = make([]vertex, n)
	slab.Fill(t, vertex{dist: math.Inf(1)})
	return t
}
