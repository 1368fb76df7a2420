package pmbm

import (
	"maps"
	"slices"

	"mtt/mapsolver"
	"mtt/mapsolver/murty"
)

// This file counts and shows the assignment problems that the filter poses.

// Stats counts the work of a filter.
type Stats struct {
	Scans  int
	Roots  int // assignment problems of global hypotheses
	Posed  int // cells of their partitions by Murty: further problems, bounded
	Solved int // cells that were solved

	// Shapes counts the problems, roots and cells, by their shape.
	Shapes map[Shape]int
}

// A Shape is the size of an assignment problem in the layout with a column for
// each new target: Cols counts tracks and rows.
type Shape struct{ Rows, Cols, Entries int }

// Density is the share of the matrix that is stored.
func (s Shape) Density() float64 { return float64(s.Entries) / float64(s.Rows*s.Cols) }

// Problems is the number of assignment problems that were posed.
func (s Stats) Problems() int { return s.Roots + s.Posed }

// Median is the median of a value over all problems; 0 when there are none.
func (s Stats) Median(of func(Shape) float64) float64 {
	count := make(map[float64]int)
	total := 0
	for shape, n := range s.Shapes {
		count[of(shape)] += n
		total += n
	}
	for _, x := range slices.Sorted(maps.Keys(count)) {
		if total -= 2 * count[x]; total <= 0 {
			return x
		}
	}
	return 0
}

// add counts one problem that a ranker worked on between two looks at its counts.
func (s *Stats) add(p *mapsolver.Problem, before, after murty.Stats) {
	posed := after.Posed - before.Posed
	s.Roots++
	s.Posed += posed
	s.Solved += after.Solved - before.Solved
	s.Shapes[Shape{p.Rows, p.Cols + p.Rows, len(p.Col) + p.Rows}] += 1 + posed
}

// merge adds the counts of t.
func (s *Stats) merge(t *Stats) {
	s.Scans += t.Scans
	s.Roots += t.Roots
	s.Posed += t.Posed
	s.Solved += t.Solved
	for shape, n := range t.Shapes {
		s.Shapes[shape] += n
	}
}

// clear sets all counts to 0.
func (s *Stats) clear() {
	clear(s.Shapes)
	*s = Stats{Shapes: s.Shapes}
}

// Stats counts the work so far, Last that of the last scan. The maps belong to the
// filter.
func (f *Filter) Stats() Stats { return f.stats }
func (f *Filter) Last() Stats  { return f.last }

// Sizes are the numbers of what the filter holds after a scan.
type Sizes struct {
	Undetected int // Gaussians of the Poisson process
	Clusters   int
	Largest    int // tracks in the largest cluster
	Tracks     int
	Locals     int     // local hypotheses
	Globals    int     // global hypotheses, over all clusters
	Existing   float64 // mean number of detected targets
}

// Sizes counts what the filter holds.
func (f *Filter) Sizes() Sizes {
	s := Sizes{Undetected: len(f.undetected), Clusters: len(f.clusters)}
	for _, c := range f.clusters {
		s.Largest = max(s.Largest, len(c.tracks))
		s.Tracks += len(c.tracks)
		s.Globals += len(c.rows)
		for t := range c.tracks {
			s.Locals += len(c.tracks[t].locals)
			s.Existing += c.existence(t)
		}
	}
	return s
}

// A Posed is an assignment problem, as Options.Observe sees it: valid during the
// call. Rows are detections and must be served, columns are tracks; a row that
// stays free, at the cost RowMiss, is a new target or a false alarm.
type Posed struct {
	Frame   int
	Problem *mapsolver.Problem // of a global hypothesis

	// Cell is nil for the problem itself; else what is fixed and forbidden in it.
	Cell *murty.Subproblem

	Feasible bool
	Cost     float64 // of the optimum, when feasible
}

// observe shows the problem at hand, and has its cells shown.
func (u *updater) observe() {
	show := func(cell *murty.Subproblem, feasible bool, cost float64) {
		if u.err == nil {
			u.err = u.f.o.Observe(&Posed{u.f.frame, &u.problem, cell, feasible, cost})
		}
	}
	show(nil, true, u.ranker.Optimum())
	u.ranker.Observe = func(s *murty.Subproblem) { show(s, s.Feasible, s.Cost) }
}
