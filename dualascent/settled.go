package dualascent

import (
	"math"

	"mtt/internal/slab"
	"mtt/internal/workers"
)

// This file looks whether an ascent would end where it begins, without an engine: windows of time
// are solved three times, and what has a few arcs in each of very many gaps is answered by the
// first. An engine would take a dozen lists for each gap to say so.

// fewArcs is the number of arcs of a gap, on average, up to which that is worth a look of its own
// at every cost. Tests change it.
var fewArcs = 8

// settled is what [Solve] returns where the start proves that it is good enough, to the last bit;
// nil: it does not, or an engine is to say so, or what is wrong with it.
func (inst *Instance) settled(o *Options) *Result {
	n := len(inst.Pairs)
	if o.Prices == nil || o.Next == nil || o.NoAnswer || len(o.Prices) != n || len(o.Next) != n || inst.Arcs() > fewArcs*n {
		return nil
	}
	bounds, costs := make([]float64, n), make([]float64, n)
	res := &Result{Prices: o.Prices, Next: o.Next}
	jobs := min(n, 64*o.Workers)
	fit := make([]bool, jobs)
	workers.Each(o.Workers, jobs, func(_, k int) {
		s := settling{inst: inst, o: o}
		from, to := k*n/jobs, (k+1)*n/jobs
		if from > 0 && !s.enter(from-1) {
			return
		}
		for p := from; p < to; p++ {
			s.left, s.here, s.into, s.before = s.here, s.left, s.before, s.into
			if !s.enter(p) {
				return
			}
			if bounds[p] = inst.pairBound(o.Prices, p); p > 0 {
				bounds[p] += inst.blockBound(o.Prices, p-1, &s.left)
			}
			costs[p] = s.cost(p)
		}
		fit[k] = true
	})
	for _, ok := range fit {
		if !ok {
			return nil
		}
	}
	for p := range n {
		res.LowerBound, res.UpperBound = res.LowerBound+bounds[p], res.UpperBound+costs[p]
	}
	switch g := relativeGap(res.LowerBound, res.UpperBound); {
	case math.IsInf(res.LowerBound, 0) || math.IsInf(res.UpperBound, 0):
		return nil
	case g <= optimalGap:
		res.Status = Optimal
	case g <= o.Gap:
		res.Status = WithinGap
	default: // among others where it is no number
		return nil
	}
	res.Certified = res.LowerBound
	return res
}

// A settling is the workspace of settled, of some gaps.
type settling struct {
	inst         *Instance
	o            *Options
	left, here   columns // of the gap before, and of the one at hand
	before, into []int32 // arcs into the columns of both; -1: none
}

// enter goes on to gap p; false where the start does not fit it, or the block on its left has no costs.
func (s *settling) enter(p int) bool {
	g, m, next := &s.inst.Pairs[p], &s.o.Prices[p], s.o.Next[p]
	if len(next) != g.Rows || !m.fits(g) || !m.finite() || p > 0 && s.inst.Blocks[p-1].Differences != nil {
		return false
	}
	s.here.pos = slab.Grow(s.here.pos, len(g.Col))
	s.here.fill(g)
	s.into = slab.Grow(s.into, g.Cols)
	slab.Fill(s.into, -1)
	for i, e := range next {
		if e < 0 {
			continue
		}
		if int(e) < g.Ptr[i] || int(e) >= g.Ptr[i+1] || s.into[g.Col[e]] >= 0 {
			return false
		}
		s.into[g.Col[e]] = e
	}
	return true
}

// cost is the part of gap p, and of the block on its left, in the objective.
func (s *settling) cost(p int) float64 {
	g := &s.inst.Pairs[p]
	return g.costOf(s.o.Next[p], s.into, p > 0, func(i int, out int32) float64 {
		return s.inst.Blocks[p-1].cost(g, s.left.pos, i, s.before[i], out)
	})
}
