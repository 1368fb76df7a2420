package dualascent

import (
	"math"

	"mtt/internal/slab"
)

// This file says where an answer could still be better: by how much it exceeds,
// gap by gap and frame by frame, what the multipliers prove that it must cost.

// slacks are the excesses of an answer. Each is at least 0, and together they
// are the cost of the answer less the bound of the last pass. A change that
// touches some gaps and frames gains at most what these have.
type slacks struct {
	gap   []float64 // gap[p]: of its matching, under C+U+V
	frame []float64 // frame[f]: of the blocks of frame f; 0 in the first and the last
	least float64   // no slack worth the name
}

// measure computes the slacks of an answer from the state after a pass, in
// time proportional to the number of nodes.
func (e *engine) measure(s *slacks, a *answer) {
	n := len(e.gaps)
	s.gap, s.frame = slab.Grow(s.gap, n), slab.Grow(s.frame, n+1)
	s.frame[0], s.frame[n] = 0, 0
	e.each(func(p int) {
		s.gap[p] = e.gapSlack(a, p)
		if p > 0 {
			s.frame[p] = e.frameSlack(a, p)
		}
	})
	total := 0.0
	for p := range e.gaps {
		total += math.Abs(e.gaps[p].value)
	}
	s.least = 0.1 * optimalGap * total / float64(n)
}

// remeasure updates the slacks after a change of gaps from ≤ p ≤ to.
func (e *engine) remeasure(s *slacks, a *answer, from, to int) {
	for p := from; p <= to; p++ {
		s.gap[p] = e.gapSlack(a, p)
	}
	for f := max(1, from); f <= min(to+1, len(e.gaps)-1); f++ {
		s.frame[f] = e.frameSlack(a, f)
	}
}

// arcSlack is the slack of an arc of row i in the X-LAP, as deathSlack is that of no arc and
// birthSlack that of no arc to column j.
func (g *gap) arcSlack(i int, arc int32) float64 {
	return max(0, g.FramePair.Cost[arc]+g.U[arc]+g.V[arc]-g.Prices.Col[g.FramePair.Col[arc]]-g.row[i])
}

func (g *gap) deathSlack(i int) float64 { return max(0, g.RowMiss[i]+g.Death[i]-g.row[i]) }

func (g *gap) birthSlack(j int) float64 { return max(0, g.ColMiss[j]+g.Birth[j]-g.Prices.Col[j]) }

// outSlack is that of what row i does: of an arc, or -1.
func (g *gap) outSlack(i int, arc int32) float64 {
	if arc < 0 {
		return g.deathSlack(i)
	}
	return g.arcSlack(i, arc)
}

// gapSlack is what the matching of gap p costs under C+U+V above the value of
// the X-LAP.
func (e *engine) gapSlack(a *answer, p int) float64 {
	g := &e.gaps[p]
	var sum float64
	for i, arc := range a.next[p] {
		sum += g.outSlack(i, arc)
	}
	for j, arc := range a.prev[p] {
		if arc < 0 {
			sum += g.birthSlack(j)
		}
	}
	return sum
}

// frameSlack is what the blocks of frame f, an interior one, cost above their
// minima, which are 0 after a pass.
func (e *engine) frameSlack(a *answer, f int) float64 {
	var sum float64
	for j := range a.next[f] {
		sum += e.blockSlack(a, f, j)
	}
	return sum
}

// blockSlack is what the block of node j of frame f costs above its minimum.
func (e *engine) blockSlack(a *answer, f, j int) float64 {
	left, g := &e.gaps[f-1], &e.gaps[f]
	in, out := a.prev[f-1][j], a.next[f][j]
	c := e.blockCost(f, j, in, out)
	if in >= 0 {
		c -= left.U[in]
	} else {
		c -= left.Birth[j]
	}
	if out >= 0 {
		c -= g.V[out]
	} else {
		c -= g.Death[j]
	}
	return max(0, c)
}

// ofGap is the most that another matching of gap p can gain.
func (s *slacks) ofGap(p int) float64 { return s.frame[p] + s.gap[p] + s.frame[p+1] }

// ofFrame is the most that other arcs on both sides of frame f can gain.
func (s *slacks) ofFrame(f int) float64 {
	return s.frame[f-1] + s.gap[f-1] + s.frame[f] + s.gap[f] + s.frame[f+1]
}
