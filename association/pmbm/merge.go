package pmbm

import (
	"cmp"
	"math"
	"slices"

	"mtt/motion"
)

// This file merges local hypotheses that have come to say the same.
//
// Hypotheses that differ in one old detection forget it: their states converge as
// fast as the Kalman filter forgets, while the ratio of their weights stays as it
// is, so that nothing would ever prune them. Two hypotheses of one track are
// merged, in their moments, when the distance of their means is below
// MergeDistance under the covariance of the likelier one, and their variances and
// probabilities of existence differ by no more than a hundredth. The history is
// that of the likelier one.

// alike is the share by which variances, and the amount by which probabilities of
// existence, of merged hypotheses may differ.
const alike = 0.01

// merge merges the local hypotheses of each track.
func (u *updater) merge(c *cluster) {
	o := &u.f.o
	for t := range c.tracks {
		locals := c.tracks[t].locals
		if len(locals) < 2 {
			continue
		}
		u.share = c.shares(u.share, t)
		share := u.share[1:]
		u.order = u.order[:0]
		for k := range locals {
			if share[k] > 0 {
				u.order = append(u.order, int32(k))
			}
		}
		slices.SortStableFunc(u.order, func(a, b int32) int { return cmp.Compare(share[b], share[a]) })
		u.into = resize(u.into, len(locals))
		for k := range u.into {
			u.into[k] = int32(k)
		}
		merged := false
		for i, a := range u.order {
			if u.into[a] != a {
				continue
			}
			var spread motion.Expectation
			factored := false
			group := u.group[:0]
			for _, b := range u.order[i+1:] {
				if u.into[b] != b || !similar(locals[a], locals[b], u.f.n) {
					continue
				}
				if !factored {
					factored = true
					u.motion.Spread(&spread, &locals[a].gaussian)
				}
				if u.motion.Apart(&spread, &locals[a].gaussian, &locals[b].gaussian) < o.MergeDistance {
					u.into[b] = a
					group = append(group, b)
				}
			}
			if u.group = group; len(group) > 0 {
				locals[a] = blend(locals, append(group, a), share, locals[a], u.f.n)
				merged = true
			}
		}
		if merged {
			for i := range c.rows {
				if k := c.rows[i].pick[t]; k >= 0 {
					c.rows[i].pick[t] = u.into[k]
				}
			}
		}
	}
}

// similar says whether variances and existence are alike.
func similar(a, b *local, n int) bool {
	if !(math.Abs(a.r-b.r) <= alike) {
		return false
	}
	for i := range n {
		if k := packed(i, i); !(math.Abs(a.P[k]-b.P[k]) <= alike*a.P[k]) {
			return false
		}
	}
	return true
}

// blend is the hypothesis with the moments of a group, weighted by their shares,
// and the history of first.
func blend(locals []*local, group []int32, share []float64, first *local, n int) *local {
	var sum mixture
	r, total := 0.0, 0.0
	for _, k := range group {
		sum.add(share[k], &locals[k].gaussian, n)
		r += share[k] * locals[k].r
		total += share[k]
	}
	h := &local{r: min(1, r/total), gaussian: sum.match(n)}
	last := *first.node
	last.r = h.r
	copy(last.x[:], h.X[:])
	h.node = &last
	return h
}
