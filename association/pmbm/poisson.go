package pmbm

import (
	"cmp"
	"slices"
)

// This file keeps the process of undetected targets small, and returns to it the
// tracks that hardly exist.

// recycle approximates tracks whose probability of existence, over all rows, is
// below Recycle by a Poisson process of the same intensity [3], and takes them
// out of their tables.
func (f *Filter) recycle() {
	if f.o.Recycle == 0 {
		return
	}
	kept := f.clusters[:0]
	for _, c := range f.clusters {
		changed := false
		for t := range c.tracks {
			if c.existence(t) >= f.o.Recycle {
				continue
			}
			changed = true
			weight := make([]float64, len(c.tracks[t].locals))
			for i := range c.rows {
				if k := c.rows[i].pick[t]; k >= 0 {
					weight[k] += c.rows[i].weight * c.tracks[t].locals[k].r
					c.rows[i].pick[t] = -1
				}
			}
			for k, h := range c.tracks[t].locals {
				f.undetected = append(f.undetected, component{weight[k], h.gaussian})
			}
		}
		if changed {
			if c = c.tidy(); c == nil {
				continue
			}
		}
		kept = append(kept, c)
	}
	clear(f.clusters[len(kept):])
	f.clusters = kept
}

// existence is the probability that the target of track t exists.
func (c *cluster) existence(t int) float64 {
	sum := 0.0
	for i := range c.rows {
		if k := c.rows[i].pick[t]; k >= 0 {
			sum += c.rows[i].weight * c.tracks[t].locals[k].r
		}
	}
	return sum
}

// thin prunes the Gaussians of undetected targets and, where tracks are recycled,
// merges those that are near each other.
func (f *Filter) thin() {
	f.undetected = slices.DeleteFunc(f.undetected, func(c component) bool {
		return !(c.weight > 0) || c.weight < f.o.MinIntensity
	})
	if f.o.Recycle > 0 {
		f.merge()
	}
}

// merge moment-matches, from the heaviest Gaussian on, all whose means lie within
// one standard deviation of it along every axis of the state.
func (f *Filter) merge() {
	n := f.n
	slices.SortStableFunc(f.undetected, func(a, b component) int { return cmp.Compare(b.weight, a.weight) })
	var merged []component
	rest := f.undetected
	for len(rest) > 0 {
		head := &rest[0]
		var sum mixture
		var far []component
		for i := range rest {
			near := true
			for k := range n {
				d, v := rest[i].X[k]-head.X[k], packed(k, k)
				near = near && d*d <= min(head.P[v], rest[i].P[v])
			}
			if near {
				sum.add(rest[i].weight, &rest[i].gaussian, n)
			} else {
				far = append(far, rest[i])
			}
		}
		merged = append(merged, component{sum.weight, sum.match(n)})
		rest = far
	}
	f.undetected = merged
}
