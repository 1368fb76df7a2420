package pmbm

import (
	"cmp"
	"slices"
)

// This file says which targets there are: the three estimators of
// García-Fernández et al. (2018, section VI). Each takes one global hypothesis,
// and some of its targets. As clusters are independent, the best hypothesis of
// all is the best one of each.

// An Estimator chooses the targets that are reported.
type Estimator int

// The estimators.
const (
	// BestHypothesis reports, of the global hypothesis with the largest weight,
	// the targets that exist with a probability above Threshold.
	BestHypothesis Estimator = iota + 1

	// BestCount first takes the most probable number n of detected targets, then
	// the most probable global hypothesis with exactly n targets.
	BestCount

	// BestFixedCount takes the most probable global hypothesis when each is
	// divided up by which of its targets exist: those with a probability of more
	// than one half.
	BestFixedCount
)

// An Estimate is a target that the filter reports. Slices belong to the filter
// and are valid until the next step.
type Estimate struct {
	Track     int       // number of the track; the same from scan to scan
	Det       int       // the detection that is its own in this scan, -1 when it was missed
	Existence float64   // probability that the target exists, under its hypothesis
	Pos, Vel  []float64 // m and m/s, len Dim
}

// Estimates lists the targets of the last scan in ascending order of Track.
func (f *Filter) Estimates() []Estimate { return f.estimates }

// A chosen target is one that an estimator reports.
type chosen struct {
	id int
	*local
}

// estimate sets the estimates, and notes the last state of tracks that are
// reported.
func (f *Filter) estimate() {
	f.reporting = f.reporting[:0]
	switch f.o.Estimator {
	case BestHypothesis:
		for _, c := range f.clusters {
			f.report(c, &c.rows[0], func(h *local) bool { return h.r > f.o.Threshold })
		}
	case BestFixedCount:
		for _, c := range f.clusters {
			best, most := 0, 0.0
			for i := range c.rows {
				w := c.rows[i].weight
				for t, k := range c.rows[i].pick {
					if k >= 0 {
						r := c.tracks[t].locals[k].r
						w *= max(r, 1-r)
					}
				}
				if w > most {
					best, most = i, w
				}
			}
			f.report(c, &c.rows[best], func(h *local) bool { return h.r > 0.5 })
		}
	case BestCount:
		f.bestCount()
	}
	slices.SortFunc(f.reporting, func(a, b chosen) int { return cmp.Compare(a.id, b.id) })
	f.estimates = f.estimates[:0]
	for _, h := range f.reporting {
		e := Estimate{Track: h.id, Det: h.node.det, Existence: h.r}
		dim := f.o.Dim
		e.Pos = append(e.Pos, h.X[:dim]...)
		e.Vel = append(e.Vel, h.X[dim:2*dim]...)
		f.estimates = append(f.estimates, e)
		f.reported[h.id] = h.node
	}
}

// report adds the targets of a global hypothesis that are to be reported.
func (f *Filter) report(c *cluster, of *row, is func(*local) bool) {
	for t, k := range of.pick {
		if k >= 0 && is(c.tracks[t].locals[k]) {
			f.reporting = append(f.reporting, chosen{c.tracks[t].id, c.tracks[t].locals[k]})
		}
	}
}

// bestCount is the estimator BestCount. The number of targets is the sum of the
// independent numbers of the clusters; the best way to reach a number is a sum of
// logarithms over the clusters, a (max, ×) convolution.
func (f *Filter) bestCount() {
	number := []float64{1} // probability of each number so far
	best := [][]float64{{1}}
	rowOf := make([][]int, len(f.clusters)) // the best hypothesis of a cluster with n targets
	counts := make([][]float64, len(f.clusters))
	for i, c := range f.clusters {
		var p []float64
		p, counts[i], rowOf[i] = c.counts()
		number = convolve(number, p, func(sum, x float64) float64 { return sum + x })
		b := convolve(best[i], counts[i], func(most, x float64) float64 { return max(most, x) })
		normalise(b)
		best = append(best, b)
	}
	n := 0
	for k, p := range number {
		if p > number[n] {
			n = k
		}
	}
	// Back through the clusters: how many of the n lie in each.
	for i := len(f.clusters) - 1; i >= 0; i-- {
		c, here, most := f.clusters[i], 0, -1.0
		for k, x := range counts[i] {
			if n-k >= 0 && n-k < len(best[i]) && best[i][n-k]*x > most {
				here, most = k, best[i][n-k]*x
			}
		}
		n -= here
		of := &c.rows[rowOf[i][here]]
		list := c.existing(of)
		for _, t := range list[:here] {
			f.reporting = append(f.reporting, chosen{c.tracks[t].id, c.tracks[t].locals[of.pick[t]]})
		}
	}
}

// counts is, for each number n of targets of a cluster: its probability, that of
// the most probable global hypothesis with exactly n, and which that is.
func (c *cluster) counts() (p, most []float64, rowOf []int) {
	p = make([]float64, len(c.tracks)+1)
	most = make([]float64, len(c.tracks)+1)
	rowOf = make([]int, len(c.tracks)+1)
	for i := range c.rows {
		of := &c.rows[i]
		list := c.existing(of)
		dist := []float64{1}
		for _, t := range list {
			r := c.tracks[t].locals[of.pick[t]].r
			dist = convolve(dist, []float64{1 - r, r}, func(sum, x float64) float64 { return sum + x })
		}
		for n := range dist {
			p[n] += of.weight * dist[n]
			w := of.weight
			for k, t := range list {
				if r := c.tracks[t].locals[of.pick[t]].r; k < n {
					w *= r
				} else {
					w *= 1 - r
				}
			}
			if w > most[n] {
				most[n], rowOf[n] = w, i
			}
		}
	}
	return p, most, rowOf
}

// existing lists the tracks of a global hypothesis, the most certain first.
func (c *cluster) existing(of *row) []int {
	var list []int
	for t, k := range of.pick {
		if k >= 0 {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(c.tracks[b].locals[of.pick[b]].r, c.tracks[a].locals[of.pick[a]].r)
	})
	return list
}

// convolve combines a[i]·b[j] over i+j = k by join.
func convolve(a, b []float64, join func(x, y float64) float64) []float64 {
	c := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		for j, y := range b {
			c[i+j] = join(c[i+j], x*y)
		}
	}
	return c
}

// normalise divides by the largest element, so that long products stay in range.
func normalise(x []float64) {
	if most := slices.Max(x); most > 0 {
		for i := range x {
			x[i] /= most
		}
	}
}
