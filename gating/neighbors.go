package gating

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"mtt"
)

// This file lists the gated pairs of two scans.

// Neighbors lists, for each detection of a, the detections of b inside the
// gate: row i of the result holds, in ascending order, the j that can follow
// i. A non-nil dst is overwritten, reusing its slices, and returned.
//
// It panics when the scans' dimensions differ or their slices have wrong
// lengths. It returns an error that wraps ErrTime when b is not later than a,
// ErrNotFinite when a position or velocity is not finite (or beyond 1e150),
// and ErrGate when the gate does not suit the scans.
//
// For n and m detections it takes time O(n + m + p), where p counts the pairs
// within about twice the radius of the gate, and O(n + m + entries) memory,
// wherever the detections lie. To call it often, use a [Finder].
func Neighbors(dst *CSR, a, b *mtt.Scan, g Gate) (*CSR, error) {
	return new(Finder).Neighbors(dst, a, b, g)
}

// A Finder lists gated pairs and keeps its workspace: after the first few
// calls only the result grows. The zero value is ready to use. A Finder is not
// safe for concurrent use; make one for each goroutine.
type Finder struct {
	// K caps crowded rows: a pair stays when it is among the K best of its row or among the K best
	// of its column, best meaning the smallest gate statistic (squared distance for Ball and Disc),
	// then the index that comes first from that of the row or column on. 0 means no cap. With a
	// cap, memory is O(K·(n+m)) however large the gate.
	K int

	// Few is K where there are more than K pairs for each detection, of which all are looked at
	// otherwise; 0: K is.
	Few int

	Workers int // goroutines that look at the rows of large scans, when K is set; 0: one. It does not change the result, and f is to be called by one all the same

	a, b   *mtt.Scan
	balls  [2]mtt.Scan // a and b of Within
	rule   rule
	radius []float64 // m, of each row
	top    float64   // m, the largest of them
	levels []level
	direct bool // there are no levels, as all pairs are looked at

	order  []int32 // rows, neighbours in space one after the other
	first  []int32 // scratch of order
	hits   []int32 // detections found for one row
	found  []int32 // those of all rows, in the order of order
	shares []share

	row   kBest     // of the current row
	stats []float64 // of the current row's detections
	cols  []kBest   // of each column
	ranks []rank    // memory of row and cols
	near  crowded   // memory of collectNearest
	most  int       // pairs that are looked at before it takes over

	same  []bool // whether a detection of b equals the one before it, where that was asked for
	twins bool   // whether any does

	tick func(entries int) error // called now and then with the entries found since; nil: not
	sure bool                    // the scans need no look
}

// Until has Neighbors and Within end with the error of ctx, wrapped, about a millisecond after it ends.
func (f *Finder) Until(ctx context.Context) {
	f.tick = func(int) error {
		if err := ctx.Err(); err != nil {
			return interrupted(err)
		}
		return nil
	}
}

// A level is a grid for the rows with similar radii.
type level struct {
	reach float64 // m, the largest radius it serves, and the edge of its cells
	cells
}

const (
	levelRatio = 2  // of the radii that share a level
	maxLevels  = 24 // the last one serves everything below
)

// Neighbors is the function [Neighbors] with the cap and the workspace of f.
func (f *Finder) Neighbors(dst *CSR, a, b *mtt.Scan, g Gate) (*CSR, error) {
	if err := f.prepare(a, b, g); err != nil {
		return nil, err
	}
	return f.list(dst)
}

// list lists the pairs that f is prepared for.
func (f *Finder) list(dst *CSR) (*CSR, error) {
	if dst == nil {
		dst = new(CSR)
	}
	dst.Rows, dst.Cols = f.a.Len(), f.b.Len()
	dst.Ptr = resize(dst.Ptr, dst.Rows+1)
	collect := f.collect
	if f.K > 0 {
		collect = f.collectCapped
	}
	if err := collect(dst.Ptr); err != nil {
		return nil, err
	}

	// The rows were found in the order of f.order: put them where they belong.
	dst.Ptr[dst.Rows] = 0
	starts(dst.Ptr)
	dst.Col = resize(dst.Col, len(f.found))
	at := 0
	for _, i := range f.order {
		at += copy(dst.Col[dst.Ptr[i]:dst.Ptr[i+1]], f.found[at:])
	}
	f.a, f.b = nil, nil
	return dst, nil
}

// collect sets found, and length[i] to the number of detections of row i.
func (f *Finder) collect(length []int) error {
	f.found = f.found[:0]
	work := work{tick: f.tick}
	for _, i := range f.order {
		hits := f.find(int(i))
		length[i] = len(hits)
		f.found = append(f.found, hits...)
		if err := work.add(len(hits), len(hits)); err != nil {
			return err
		}
	}
	return work.end()
}

// A work calls tick once for every tickWork rows and pairs.
type work struct {
	tick          func(entries int) error
	done, entries int // since the last call
}

// tickWork is about a millisecond of work: so often somebody may be told that it is too
// much, or that ctx has ended.
const tickWork = 1 << 18

// add counts a row for which a number of pairs was looked at and a number of entries was kept.
func (w *work) add(pairs, entries int) error {
	w.done += 16 + pairs
	w.entries += entries
	if w.done < tickWork {
		return nil
	}
	return w.end()
}

// end makes the last call.
func (w *work) end() error {
	if w.tick == nil {
		return nil
	}
	err := w.tick(w.entries)
	w.done, w.entries = 0, 0
	return err
}

// prepare checks the scans and builds the grids.
func (f *Finder) prepare(a, b *mtt.Scan, g Gate) error {
	if f.K < 0 {
		panic("gating: negative cap")
	}
	if !f.sure {
		if err := cmp.Or(validate(a), validate(b)); err != nil {
			return err
		}
	}
	r, err := newRule(a, b, g, f.rule.region)
	if err != nil {
		return err
	}
	f.a, f.b, f.rule = a, b, r
	f.setRadii()
	f.index()
	f.setSame()
	f.most = f.K * (a.Len() + b.Len())
	return nil
}

func (f *Finder) setRadii() {
	f.radius = resize(f.radius, f.a.Len())
	f.top = 0
	for i := range f.radius {
		f.radius[i] = f.rule.radius(f.a, i)
		if f.radius[i] > f.top {
			f.top = f.radius[i]
		}
	}
}

// index builds the grids for rows with radii.
func (f *Finder) index() {
	f.setLevels()
	f.setOrder()
}

// fewPairs are looked at one by one: a grid has about as many cells whatever lies in them, see cells.build.
const fewPairs = 64

// setLevels builds a grid for each group of similar radii, largest first.
func (f *Finder) setLevels() {
	f.levels = f.levels[:0]
	n := f.b.Len()
	if f.direct = f.a.Len()*n <= fewPairs && (f.K == 0 || n <= f.K); f.direct || n == 0 { // no row is longer than K, which would ask for levels
		return
	}
	for reach := f.top; reach > 0 && len(f.levels) < maxLevels; {
		n := len(f.levels)
		f.levels = slices.Grow(f.levels, 1)[:n+1] // an old level keeps its slices
		f.levels[n].reach = reach
		f.levels[n].build(f.b.Pos, f.b.Dim, reach)
		next := 0.0
		for _, r := range f.radius {
			if r < reach/levelRatio && r > next {
				next = r
			}
		}
		reach = next
	}
}

// setOrder sorts the rows by the cells of the finest grid, so that one row
// finds in the processor's cache what the row before it has read.
func (f *Finder) setOrder() {
	f.order = resize(f.order, f.a.Len())
	if len(f.levels) == 0 {
		for i := range f.order {
			f.order[i] = int32(i)
		}
		return
	}
	c := &f.levels[len(f.levels)-1].cells
	f.first = resize(f.first, len(c.start))
	clear(f.first)
	f.hits = resize(f.hits, len(f.order)) // for now, the bucket of each row
	for i := range f.order {
		k := c.bucketAt(f.a.At(i))
		f.hits[i] = int32(k)
		f.first[k]++
	}
	starts(f.first)
	for i, k := range f.hits {
		f.order[f.first[k]] = int32(i)
		f.first[k]++
	}
}

// find lists the detections inside the gate of row i, ascending. The list is
// valid until the next call.
func (f *Finder) find(i int) []int32 {
	f.hits = f.findInto(f.hits, i)
	return f.hits
}

// findInto is find in the memory of hits.
func (f *Finder) findInto(hits []int32, i int) []int32 {
	hits, repeated := f.insideInto(hits, i)
	sort(hits)
	if repeated {
		hits = slices.Compact(hits)
	}
	return hits
}

// inside is find in no useful order, and says whether detections may be there more than
// once.
func (f *Finder) inside(i int) (hits []int32, repeated bool) {
	f.hits, repeated = f.insideInto(f.hits, i)
	return f.hits, repeated
}

// insideInto is inside in the memory of hits.
func (f *Finder) insideInto(hits []int32, i int) (_ []int32, repeated bool) {
	radius := f.radius[i]
	if len(f.levels) == 0 && !f.direct || radius == 0 {
		return hits[:0], false
	}
	limit := f.rule.limitOf(radius)
	centre := f.rule.centre(f.a, i)
	if f.direct {
		hits = f.all(hits[:0], centre, limit)
	} else {
		n := 0
		for n+1 < len(f.levels) && radius <= f.levels[n+1].reach {
			n++
		}
		hits, repeated = f.levels[n].search(hits[:0], centre, radius, f.rule.wPos, limit), !f.levels[n].dense
	}
	switch {
	case f.rule.region != nil:
		kept, twin := hits[:0], twins{f: f}
		for _, j := range hits {
			if twin.statistic(centre, int32(i), j) < math.Inf(1) {
				kept = append(kept, j)
			}
		}
		hits = kept
	case f.rule.wVel > 0:
		hits = f.rule.moving(hits, centre, f.a, f.b, i, limit)
	}
	return hits, repeated
}

// all is cells.search among all detections of b.
func (f *Finder) all(dst []int32, centre [3]float64, limit float64) []int32 {
	for j := range f.b.Len() {
		p := vector(f.b.At(j))
		if f.rule.wPos*squares(p[0]-centre[0], p[1]-centre[1], p[2]-centre[2]) < limit {
			dst = append(dst, int32(j))
		}
	}
	return dst
}

// sort sorts a row, which comes as a few ascending runs. Most rows are short,
// where insertion is fastest.
func sort(row []int32) {
	if len(row) > 32 {
		slices.Sort(row)
		return
	}
	for k := 1; k < len(row); k++ {
		j := row[k]
		m := k
		for ; m > 0 && row[m-1] > j; m-- {
			row[m] = row[m-1]
		}
		row[m] = j
	}
}

// maxCoordinate is the largest position or velocity that is believed; squares
// of differences stay finite below it.
const maxCoordinate = 1e150

// validate checks the numbers of a scan.
func validate(s *mtt.Scan) error {
	if s.Len() == 0 {
		return nil
	}
	if s.Dim != 2 && s.Dim != 3 || len(s.Pos)%s.Dim != 0 {
		panic("gating: a scan's Pos is not Len×2 or Len×3")
	}
	if s.Vel != nil && len(s.Vel) != len(s.Pos) {
		panic("gating: a scan's Vel and Pos differ in length")
	}
	if k := firstUnusable(s.Pos); k >= 0 {
		return fmt.Errorf("gating: frame %d, detection %d: position %v: %w", s.Frame, k/s.Dim, s.At(k/s.Dim), ErrNotFinite)
	}
	if k := firstUnusable(s.Vel); k >= 0 {
		return fmt.Errorf("gating: frame %d, detection %d: velocity %v: %w", s.Frame, k/s.Dim, s.VelAt(k/s.Dim), ErrNotFinite)
	}
	return nil
}

// firstUnusable is the index of the first number that is not finite or too
// large, -1 when there is none.
func firstUnusable(x []float64) int {
	for k, v := range x {
		if !(math.Abs(v) <= maxCoordinate) {
			return k
		}
	}
	return -1
}
