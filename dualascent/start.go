package dualascent

import "fmt"

// This file begins an ascent where an earlier one ended.

// start takes over prices and an assignment to start from. The first pass keeps what
// the prices prove: what a block has above its minimum, or lacks, is pulled into the
// X-LAP beside it, whatever the multipliers are.
func (e *engine) start(prices []Prices, next [][]int32) error {
	if prices != nil {
		if len(prices) != len(e.gaps) {
			panic(badShape)
		}
		for p := range e.gaps {
			g, from := &e.gaps[p], &prices[p]
			if !from.fits(g.FramePair) {
				panic(badShape)
			}
			if !from.finite() {
				return fmt.Errorf("dualascent: gap %d: a price to start from is not finite", p)
			}
			g.take(from, p, len(e.gaps))
			g.solved = true
		}
		e.result.LowerBound = e.proves(prices)
		e.bound = e.result.LowerBound
	}
	if next != nil {
		e.inst.Cost(next) // panics when it is no assignment
		for p := range e.gaps {
			copy(e.gaps[p].next, next[p])
			copy(e.scratch.next[p], next[p])
		}
		e.linkAll(e.scratch)
		e.offer(e.scratch)
	}
	e.done()
	return nil
}

// take copies the prices of gap p of so many, but for multipliers that have no block: those before
// the first gap, and after the last.
func (m *Prices) take(from *Prices, p, gaps int) {
	if p > 0 {
		copy(m.V, from.V)
		copy(m.Death, from.Death)
	}
	if p < gaps-1 {
		copy(m.U, from.U)
		copy(m.Birth, from.Birth)
	}
	copy(m.Col, from.Col)
}

// fits says whether the lengths are those of a gap.
func (m *Prices) fits(g *FramePair) bool {
	return len(m.U) == len(g.Col) && len(m.V) == len(g.Col) && len(m.Birth) == g.Cols && len(m.Death) == g.Rows && len(m.Col) == g.Cols
}
