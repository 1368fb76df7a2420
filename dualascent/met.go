package dualascent

import (
	"math"
	"slices"

	"mtt/internal/slab"
)

// This file finds the parts of an instance whose bounds meet at the prices and the answer that are
// given, as those of nearly all parts of a window of time do when it is settled: they need no copy
// of what is theirs.

// A glance is the workspace of a look at a gap of a part: what is known of the nodes of its frames,
// by their numbers in the whole.
type glance struct {
	price []float64 // in the X-LAP on the left
	taken []bool    // the answer has an arc into the node
	least []float64 // of the block under the multipliers
	seen  []int32   // in-arcs so far
	row   []int32   // of the block: that of the answer's in-arc, or of birth
}

// A meeting is what a component comes to at what is known.
type meeting struct {
	lower, upper float64
	settled      bool // they meet
}

// known says whether opts have prices, all finite, and an answer to begin with, of an instance
// whose costs of triplets are stored.
func (s *split) known(opts *Options) bool {
	differences := func(b Block) bool { return b.Differences != nil }
	odd := func(m Prices) bool { return !m.finite() }
	return opts.Prices != nil && opts.Next != nil && !opts.NoAnswer && !slices.ContainsFunc(s.inst.Blocks, differences) && !slices.ContainsFunc(opts.Prices, odd)
}

// met says of parts what solveWhole comes to where their bounds meet at what is known, to the last
// bit: their prices and their answers are those. The others stay open; of each whose answer is one
// at all it has the bounds of each component. Each cost is looked at once, of all parts one gap
// after the other.
func (s *split) met(x *glance, pieces []piece, opts *Options) {
	for n := range pieces {
		c := &pieces[n]
		c.each = slab.Grow(c.each, int(s.comps[c.k+1]-s.comps[c.k]))
		clear(c.each)
		c.known, c.matched, c.open = Result{}, true, true
	}
	for p := range s.inst.Pairs {
		for n := range pieces {
			c := &pieces[n]
			if from, to := s.near(c.k); !c.matched || p < from || p >= to {
				continue
			}
			lower, upper, ok := s.metGap(x, c.each, p, c.k, opts)
			c.matched = ok
			c.known.LowerBound, c.known.UpperBound = c.known.LowerBound+lower, c.known.UpperBound+upper
		}
	}
	for n := range pieces {
		c := &pieces[n]
		r := &c.known
		r.Certified = r.LowerBound
		c.matched = c.matched && !math.IsInf(r.UpperBound, 1)
		switch gap := relativeGap(r.LowerBound, r.UpperBound); {
		case !c.matched:
		case gap <= optimalGap:
			r.Status, c.open = Optimal, false
		case gap <= opts.Gap:
			r.Status, c.open = WithinGap, false
		}
	}
}

// narrow leaves only those components in a part whose bounds do not meet at what is known, as met
// has them. What it leaves out keeps its prices and its answer, and comes to what is returned.
// Their bounds meet to within rounding, all together too, which leaves what counts as proof to the
// others.
func (s *split) narrow(part *piece) (settled meeting) {
	const rounding = optimalGap / 1000
	k, each := part.k, part.each
	share := math.Abs(part.known.UpperBound) / float64(len(each))
	for c := range each {
		b := &each[c]
		if b.settled = b.upper-b.lower <= rounding*max(math.Abs(b.upper), share); b.settled {
			settled.lower, settled.upper = settled.lower+b.lower, settled.upper+b.upper
		}
	}
	for f := s.spans[k].first; f <= s.spans[k].last; f++ {
		begin := s.ptr[f][k]
		kept := s.nodes[f][begin:begin]
		for _, i := range s.of(f, k) {
			if !each[s.label[f][i]-s.comps[k]].settled {
				s.at[f][i] = int32(len(kept))
				kept = append(kept, i)
			}
		}
		s.end[f][k] = begin + int32(len(kept))
	}
	return settled
}

// metGap is the share of gap p, and of the blocks on its left, in the bound and in the cost of part
// k, as proves and costAt have them; false where the answer is no matching. It adds the bounds of
// each component.
func (s *split) metGap(x *glance, each []meeting, p, k int, opts *Options) (lower, upper float64, ok bool) {
	n := len(s.inst.Pairs)
	g, m, next := &s.inst.Pairs[p], &opts.Prices[p], opts.Next[p]
	rows, cols := s.of(p, k), s.of(p+1, k)
	first, last := p == 0, p == n-1 // nothing is shared there
	of := func(f int, i int32) *meeting { return &each[s.label[f][i]-s.comps[k]] }
	x.price, x.taken = slab.Grow(x.price, g.Cols), slab.Grow(x.taken, g.Cols)
	for _, j := range cols {
		price := g.ColMiss[j]
		if !last {
			price += m.Birth[j]
		}
		x.price[j], x.taken[j] = min(m.Col[j], price), false
		lower += x.price[j]
		of(p+1, j).lower += x.price[j]
	}
	if !first {
		s.metBlocks(x, p-1, k, opts)
	}
	blocks := 0.0
	for _, i := range rows {
		lo, hi := g.Ptr[i], g.Ptr[i+1]
		own := of(p, i)
		least := g.RowMiss[i]
		if !first {
			least += m.Death[i]
		}
		for e := lo; e < hi; e++ {
			c := g.Cost[e]
			if !last {
				c += m.U[e]
			}
			if !first {
				c += m.V[e]
			}
			if c -= x.price[g.Col[e]]; c < least {
				least = c
			}
		}
		lower += least
		own.lower += least
		arc, out := next[i], hi-lo
		if arc < 0 {
			upper += g.RowMiss[i]
			own.upper += g.RowMiss[i]
		} else {
			if int(arc) < lo || int(arc) >= hi || x.taken[g.Col[arc]] {
				return 0, 0, false
			}
			x.taken[g.Col[arc]] = true
			upper += g.Cost[arc]
			own.upper += g.Cost[arc]
			out = int(arc) - lo
		}
		if !first {
			b := &s.inst.Blocks[p-1]
			pair := b.D[b.Ptr[i]+int(x.row[i])*(hi-lo+1)+out]
			upper += pair
			blocks += x.least[i]
			own.upper, own.lower = own.upper+pair, own.lower+x.least[i]
		}
	}
	for _, j := range cols {
		if !x.taken[j] {
			upper += g.ColMiss[j]
			of(p+1, j).upper += g.ColMiss[j]
		}
	}
	if !first {
		lower += blocks
	}
	return lower, upper, true
}

// metBlocks finds, for the nodes of part k on the right of gap p, the least of their blocks and the
// row that the answer takes.
func (s *split) metBlocks(x *glance, p, k int, opts *Options) {
	g, h, b := &s.inst.Pairs[p], &s.inst.Pairs[p+1], &s.inst.Blocks[p]
	m, v, cols := &opts.Prices[p], &opts.Prices[p+1], s.of(p+1, k)
	x.least, x.seen, x.row = slab.Grow(x.least, g.Cols), slab.Grow(x.seen, g.Cols), slab.Grow(x.row, g.Cols)
	for _, j := range cols {
		x.least[j], x.seen[j], x.row[j] = math.Inf(1), 0, -1
	}
	look := func(j int32, u float64) {
		lo, hi := h.Ptr[j], h.Ptr[j+1]
		width := hi - lo + 1
		row := b.D[b.Ptr[j]+int(x.seen[j])*width:][:width]
		least := x.least[j]
		for r, price := range v.V[lo:hi] {
			if c := row[r] - u - price; c < least {
				least = c
			}
		}
		if c := row[width-1] - u - v.Death[j]; c < least {
			least = c
		}
		x.least[j] = least
	}
	for _, i := range s.of(p, k) {
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			j := g.Col[e]
			if opts.Next[p][i] == int32(e) {
				x.row[j] = x.seen[j]
			}
			look(j, m.U[e])
			x.seen[j]++
		}
	}
	for _, j := range cols { // birth comes last
		look(j, m.Birth[j])
		if x.row[j] < 0 {
			x.row[j] = x.seen[j]
		}
	}
}

// keep puts what is known of all parts into the result of the whole, but for prices that nothing is
// shared by.
func (s *split) keep(whole *Result, opts *Options) {
	for p := range s.inst.Pairs {
		whole.Prices[p].take(&opts.Prices[p], p, len(s.inst.Pairs))
		copy(whole.Next[p], opts.Next[p])
	}
}
