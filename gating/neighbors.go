package gating

import (
	"cmp"
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
// It runs in O(n + m + entries) time for n and m detections of even density,
// with O(m) memory besides the result, wherever the detections lie; no loop
// runs over all pairs. To call it often, use a [Finder].
func Neighbors(dst *CSR, a, b *mtt.Scan, g Gate) (*CSR, error) {
	return new(Finder).Neighbors(dst, a, b, g)
}

// A Finder lists gated pairs and keeps its workspace: after the first few
// calls only the result grows. The zero value is ready to use. A Finder is not
// safe for concurrent use; make one for each goroutine.
type Finder struct {
	// K caps crowded rows: a pair stays when it is among the K best of its row
	// or among the K best of its column, best meaning the smallest gate
	// statistic (squared distance for Ball and Disc), then the smaller index.
	// 0 means no cap. With a cap, memory is O(K·(n+m)) however large the gate.
	K int

	a, b   *mtt.Scan
	rule   rule
	radius []float64 // m, of each row
	top    float64   // m, largest of them
	levels []level
	centre [3]float64
	hits   []hit // of the current row
	row    kBest
	cols   []kBest
	ranks  []rank // memory of row and cols
}

// A level is a grid for the rows whose radius suits its cells.
type level struct {
	reach float64 // m, the largest radius it serves
	cells
}

// Rows are served by the first level with a quarter of its reach below their
// radius: a row then looks at 2 to 5 cells along each axis.
const (
	levelRatio = 4
	maxLevels  = 16
)

// Neighbors is the function [Neighbors] with the cap and the workspace of f.
func (f *Finder) Neighbors(dst *CSR, a, b *mtt.Scan, g Gate) (*CSR, error) {
	if err := f.prepare(a, b, g); err != nil {
		return nil, err
	}
	if dst == nil {
		dst = new(CSR)
	}
	dst.Rows, dst.Cols = a.Len(), b.Len()
	dst.Ptr = append(dst.Ptr[:0], 0)
	dst.Col = dst.Col[:0]
	if f.K > 0 {
		f.capped(dst)
	} else {
		for i := range dst.Rows {
			for _, h := range f.find(i) {
				dst.Col = append(dst.Col, h.det)
			}
			dst.Ptr = append(dst.Ptr, len(dst.Col))
		}
	}
	f.a, f.b = nil, nil
	return dst, nil
}

// prepare checks the scans and builds the grids.
func (f *Finder) prepare(a, b *mtt.Scan, g Gate) error {
	if f.K < 0 {
		panic("gating: negative cap")
	}
	if a.Len() > 0 && b.Len() > 0 && a.Dim != b.Dim {
		panic("gating: scans differ in dimension")
	}
	if err := validate(a); err != nil {
		return err
	}
	if err := validate(b); err != nil {
		return err
	}
	dt := b.Time - a.Time
	if !(dt > 0) || math.IsInf(dt, 0) {
		return fmt.Errorf("gating: frame %d at %v s after frame %d at %v s: %w; scans out of order, or two with one time stamp",
			b.Frame, b.Time, a.Frame, a.Time, ErrTime)
	}
	var err error
	if f.rule, err = g.rule(a, b); err != nil {
		return err
	}
	f.a, f.b = a, b
	f.setRadii()
	f.setLevels()
	return nil
}

func (f *Finder) setRadii() {
	f.radius = resize(f.radius, f.a.Len())
	f.top = 0
	for i := range f.radius {
		r := f.rule.reach
		if f.rule.stretch > 0 {
			r += f.rule.stretch * norm(f.a.VelAt(i))
		}
		f.radius[i] = r
		if r > f.top {
			f.top = r
		}
	}
}

// setLevels builds a grid for each group of similar radii, largest first.
func (f *Finder) setLevels() {
	f.levels = f.levels[:0]
	if f.b.Len() == 0 {
		return
	}
	for reach := f.top; reach > 0 && len(f.levels) < maxLevels; {
		n := len(f.levels)
		f.levels = slices.Grow(f.levels, 1)[:n+1] // a level from earlier keeps its slices
		l := &f.levels[n]
		l.reach = reach
		l.build(f.b.Pos, f.b.Dim, reach/2)
		next := 0.0
		for _, r := range f.radius {
			if r <= reach/levelRatio && r > next {
				next = r
			}
		}
		reach = next
	}
}

// find lists the detections inside the gate of row i, ascending. The list is
// valid until the next call.
func (f *Finder) find(i int) []hit {
	hits := f.hits[:0]
	radius := f.radius[i]
	if len(f.levels) == 0 || radius == 0 {
		return hits
	}
	n := 0
	for n+1 < len(f.levels) && radius <= f.levels[n+1].reach {
		n++
	}
	limit := f.rule.limit
	if limit == noLimit {
		limit = radius * radius
	}
	centre := f.centre[:f.a.Dim]
	f.rule.predict(centre, f.a, i)
	hits = f.levels[n].search(hits, centre, radius, f.rule.wPos, limit)
	if f.rule.wVel > 0 {
		kept := hits[:0]
		for _, h := range hits {
			h.stat += f.rule.velocityTerm(centre, f.a, f.b, i, int(h.det))
			if h.stat < limit {
				kept = append(kept, h)
			}
		}
		hits = kept
	}
	sortHits(hits)
	if !f.levels[n].dense {
		hits = slices.CompactFunc(hits, func(x, y hit) bool { return x.det == y.det })
	}
	f.hits = hits
	return hits
}

// predict sets dst to the centre of the gate of row i.
func (r *rule) predict(dst []float64, a *mtt.Scan, i int) {
	copy(dst, a.At(i))
	if r.lead > 0 {
		for d, v := range a.VelAt(i) {
			dst[d] += float64(r.lead * v)
		}
	}
}

// velocityTerm is wVel·|w − slope·p|².
func (r *rule) velocityTerm(centre []float64, a, b *mtt.Scan, i, j int) float64 {
	z, v := b.At(j), b.VelAt(j)
	sum := 0.0
	for d := range v {
		w := v[d]
		if a.Vel != nil {
			w -= a.Vel[i*a.Dim+d]
		}
		w -= float64(r.slope * (z[d] - centre[d]))
		sum += float64(w * w)
	}
	return r.wVel * sum
}

// sortHits sorts by detection. Hits come as a few ascending runs, mostly
// short, where insertion is fastest.
func sortHits(hits []hit) {
	if len(hits) > 32 {
		slices.SortFunc(hits, func(x, y hit) int { return cmp.Compare(x.det, y.det) })
		return
	}
	for k := 1; k < len(hits); k++ {
		h := hits[k]
		m := k
		for ; m > 0 && hits[m-1].det > h.det; m-- {
			hits[m] = hits[m-1]
		}
		hits[m] = h
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
	for k, x := range s.Pos {
		if !(math.Abs(x) <= maxCoordinate) {
			return fmt.Errorf("gating: frame %d, detection %d: position %v: %w", s.Frame, k/s.Dim, s.At(k/s.Dim), ErrNotFinite)
		}
	}
	for k, v := range s.Vel {
		if !(math.Abs(v) <= maxCoordinate) {
			return fmt.Errorf("gating: frame %d, detection %d: velocity %v: %w", s.Frame, k/s.Dim, s.VelAt(k/s.Dim), ErrNotFinite)
		}
	}
	return nil
}

func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	return math.Sqrt(sum)
}
