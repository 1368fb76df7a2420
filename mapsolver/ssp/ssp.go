package ssp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mtt/mapsolver"
)

// This file holds the Solver: its workspace, the start and the order of work.

// A Solver finds minimum-cost assignments by shortest augmenting paths. The
// zero value is ready to use. It keeps its workspace, so that solving problems
// of a size seen before allocates nothing.
type Solver struct {
	// Columns lists the entries of the next problem by column; nil: Solve
	// builds the list itself when it needs one. A caller who solves one pattern
	// again and again sets it once, from [mapsolver.ByColumn]. It is read only.
	Columns *mapsolver.Columns

	p   *mapsolver.Problem
	dst *mapsolver.Solution

	rowBound, colBound []float64 // len Rows, Cols: the most that U, V may be
	rowConst, colConst []float64 // storage for them when the miss costs are nil
	free               []int32   // rows that the start left deficient

	rows, cols side  // search state of rows and columns
	heap       queue // reached, not yet final
	zero       []int32
	final      []int32
	columns    mapsolver.Columns
	haveCols   bool // columns belongs to the current problem
}

// side is the search state of one side of the graph.
type side struct {
	epoch []uint32  // dist and pred are valid where epoch equals the search's
	dist  []float64 // tentative, later final distance
	pred  []int32   // entry by which it was reached
	from  []int32   // vertex of the other side at the end of that entry
	now   uint32
}

const (
	badShape   = "ssp: slices of the problem differ in length"
	badWarm    = "ssp: warm prices differ in length from the columns"
	badColumns = "ssp: Columns belongs to another pattern"
)

// checkEvery is the number of searches between two looks at the context.
const checkEvery = 256

// Solve implements [mapsolver.Solver].
func (s *Solver) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	s.begin(dst, p, warm)
	if warm == nil || !s.warmPrices() {
		s.coldPrices()
	}
	s.reduceRows(warm != nil)
	s.matchTight()
	err := s.serve(ctx)
	s.finish()
	s.p, s.dst = nil, nil
	return err
}

// begin checks shapes and sizes the workspace.
func (s *Solver) begin(dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) {
	if len(p.Ptr) != p.Rows+1 || len(p.Col) != p.Ptr[p.Rows] || len(p.Cost) != len(p.Col) ||
		p.RowMiss != nil && len(p.RowMiss) != p.Rows ||
		p.ColMiss != nil && len(p.ColMiss) != p.Cols {
		panic(badShape)
	}
	if s.Columns != nil && (len(s.Columns.Ptr) != p.Cols+1 || len(s.Columns.Entry) != len(p.Col)) {
		panic(badColumns)
	}
	hinted := warm != nil && len(dst.ColOf) == p.Rows
	if warm != nil {
		if len(warm.V) != p.Cols {
			panic(badWarm)
		}
		v := warm.V // may be dst.V: moved before its slice is
		dst.V = grow(dst.V, p.Cols)
		copy(dst.V, v)
	}
	if !hinted {
		dst.ColOf = grow(dst.ColOf, p.Rows)
		fill(dst.ColOf, -1)
	}
	if len(dst.EntryOf) != p.Rows {
		dst.EntryOf = grow(dst.EntryOf, p.Rows)
		fill(dst.EntryOf, -1)
	}
	dst.RowOf = grow(dst.RowOf, p.Cols)
	fill(dst.RowOf, -1)
	dst.U = grow(dst.U, p.Rows)
	dst.V = grow(dst.V, p.Cols)
	dst.Stats = mapsolver.Stats{}

	s.p, s.dst, s.haveCols = p, dst, false
	s.rowBound, s.rowConst = bounds(p.RowMiss, s.rowConst, p.Rows, p.NilRowBound())
	s.colBound, s.colConst = bounds(p.ColMiss, s.colConst, p.Cols, p.NilColBound())
	s.rows.grow(p.Rows)
	s.cols.grow(p.Cols)
	s.free = s.free[:0]
}

// bounds returns miss, or, when that is nil, n times b, made in store.
func bounds(miss, store []float64, n int, b float64) (bound, kept []float64) {
	if miss != nil {
		return miss, store
	}
	store = grow(store, n)
	fill(store, b)
	return store, store
}

// warmPrices makes the given column prices usable: finite, within bounds and
// not so large that rounding them would hide the costs. It reports whether
// they are worth using.
//
// No optimal price needs to exceed the largest number of the problem by more
// than a factor Rows+Cols, the length of the longest path that may set it.
func (s *Solver) warmPrices() bool {
	v, bound := s.dst.V, s.colBound
	most := 0.0
	for c, x := range v {
		if !(math.Abs(x) <= math.MaxFloat64) {
			x = 0
		}
		if x > bound[c] {
			x = bound[c]
		}
		v[c] = x
		if x = math.Abs(x); x > most {
			most = x
		}
	}
	most /= float64(s.p.Rows + s.p.Cols)
	return reaches(s.p.Cost, most) || reaches(s.rowBound, most) || reaches(bound, most)
}

// reaches says whether a finite element of x has at least this magnitude. It
// usually looks at one or two.
func reaches(x []float64, magnitude float64) bool {
	for _, y := range x {
		if y = math.Abs(y); y >= magnitude && y <= math.MaxFloat64 {
			return true
		}
	}
	return false
}

// coldPrices gives each column the price of its cheapest entry, or its bound.
func (s *Solver) coldPrices() {
	v := s.dst.V
	copy(v, s.colBound)
	for e, c := range s.p.Col {
		if x := s.p.Cost[e]; x < v[c] {
			v[c] = x
		}
	}
	for c, x := range v {
		if math.IsInf(x, 1) { // no entry: no assignment exists, as the search will find
			v[c] = 0
		}
	}
}

// reduceRows gives each row the highest price that its entries allow, keeps
// the hinted pairs that are tight, and lists the deficient rows.
//
// Tightness is always (Cost-V)-U == 0, in this order of operations, so that
// the entry that set U is tight to the last bit.
func (s *Solver) reduceRows(hinted bool) {
	p, d := s.p, s.dst
	u, v, colOf, rowOf, entryOf := d.U, d.V, d.ColOf, d.RowOf, d.EntryOf
	d.Stats.RowsScanned += p.Rows
	for r := range p.Rows {
		lo, hi := p.Ptr[r], p.Ptr[r+1]
		col, cost := p.Col[lo:hi], p.Cost[lo:hi]
		least := s.rowBound[r]
		for k, c := range col {
			if x := cost[k] - v[c]; x < least {
				least = x
			}
		}
		if math.IsInf(least, 1) { // no entry, yet must be served
			least = 0
		}
		u[r] = least
		h := colOf[r]
		colOf[r] = -1
		if hinted && h >= 0 && int(h) < p.Cols && rowOf[h] < 0 {
			e := entryOf[r]
			if e < lo || e >= hi || p.Col[e] != h {
				e = lo + find(col, h)
			}
			if e >= lo && p.Cost[e]-v[h] == least {
				colOf[r], rowOf[h], entryOf[r] = h, int32(r), e
				continue
			}
		}
		entryOf[r] = -1
		s.free = append(s.free, int32(r))
	}
}

// find returns the place of c in the ascending list col, or a very negative
// number.
func find(col []int32, c int32) int {
	for k, x := range col {
		if x == c {
			return k
		}
	}
	return math.MinInt32
}

// matchTight gives free rows, in order, a free column at a tight entry, when
// one of the two is deficient. The rows that stay deficient remain in s.free.
func (s *Solver) matchTight() {
	p, d := s.p, s.dst
	u, v := d.U, d.V
	left := s.free[:0]
	for _, r := range s.free {
		needy := u[r] < s.rowBound[r]
		done := false
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			c := p.Col[e]
			if d.RowOf[c] < 0 && p.Cost[e]-v[c] == u[r] && (needy || v[c] < s.colBound[c]) {
				s.match(r, c, e)
				done = true
				break
			}
		}
		if needy && !done {
			left = append(left, r)
		}
	}
	s.free = left
}

// serve runs one search for each deficient row, then for each deficient column.
func (s *Solver) serve(ctx context.Context) error {
	done := ctx.Done()
	searches := 0
	for _, r := range s.free {
		if searches%checkEvery == 0 && ended(done) {
			return fmt.Errorf("ssp: stopped: %w", ctx.Err())
		}
		searches++
		if !s.searchRow(r) {
			return s.hallRows(r)
		}
	}
	v, bound, rowOf := s.dst.V, s.colBound, s.dst.RowOf
	for c := range v {
		if rowOf[c] >= 0 || !(v[c] < bound[c]) {
			continue
		}
		if searches%checkEvery == 0 && ended(done) {
			return fmt.Errorf("ssp: stopped: %w", ctx.Err())
		}
		searches++
		if !s.searchCol(int32(c)) {
			return s.hallCols(int32(c))
		}
	}
	return nil
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

// finish adds up the objective.
func (s *Solver) finish() {
	sum := 0.0
	for r, e := range s.dst.EntryOf {
		if e >= 0 {
			sum += s.p.Cost[e]
		} else {
			sum += s.rowBound[r]
		}
	}
	for c, r := range s.dst.RowOf {
		if r < 0 {
			sum += s.colBound[c]
		}
	}
	s.dst.Cost = sum
}

// match joins row r and column c by entry e.
func (s *Solver) match(r, c int32, e int) {
	s.dst.ColOf[r], s.dst.RowOf[c], s.dst.EntryOf[r] = c, r, e
}

// hallRows is the proof left by the search of row r when it found no sink.
func (s *Solver) hallRows(r int32) error {
	bad := &mapsolver.InfeasibleError{Rows: []int32{r}}
	for _, c := range s.final {
		bad.Rows = append(bad.Rows, s.dst.RowOf[c])
		bad.Cols = append(bad.Cols, c)
	}
	slices.Sort(bad.Rows)
	slices.Sort(bad.Cols)
	return bad
}

// hallCols is the proof left by the search of column c when it found no sink.
func (s *Solver) hallCols(c int32) error {
	bad := &mapsolver.InfeasibleError{Cols: []int32{c}, ByCols: true}
	for _, r := range s.final {
		bad.Cols = append(bad.Cols, s.dst.ColOf[r])
		bad.Rows = append(bad.Rows, r)
	}
	slices.Sort(bad.Rows)
	slices.Sort(bad.Cols)
	return bad
}

// grow sizes the search state for n vertices.
func (s *side) grow(n int) {
	if n <= len(s.epoch) {
		return
	}
	s.epoch = make([]uint32, n)
	s.dist = make([]float64, n)
	s.pred = make([]int32, n)
	s.from = make([]int32, n)
	s.now = 0
}

// begin starts a search: no vertex is reached.
func (s *side) begin() {
	s.now++
	if s.now == 0 { // wrapped around
		clear(s.epoch)
		s.now = 1
	}
}

// grow returns a slice of length n, reusing x when it is large enough.
func grow[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}

// fill sets every element of x.
func fill[T any](x []T, value T) {
	for i := range x {
		x[i] = value
	}
}
