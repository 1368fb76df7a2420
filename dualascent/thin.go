package dualascent

import (
	"context"
	"math"
	"slices"
)

// This file ascends among few arcs, where there are many.
//
// With a wide gate most arcs are far from all good answers, and each pass looks at all of them.
// After two rounds the multipliers say of each arc what an answer with it costs at least (its
// margin, see reduce.go). The ascent goes on among the cheapest of each port, with all nodes, in an
// instance of its own, until it stalls. Its bound holds for these arcs only. So then a round with
// all arcs follows, from the multipliers that were found: an arc that was left out has one
// multiplier from its block, and to the other is free to give all that its X-LAP leaves it. Where
// the bound falls by that, rounds with all arcs go on.
//
// The bound of the result is that of a pass over all arcs, whatever the few were.

// thinArcs is how many arcs each port keeps, but for those that only the port at the other end
// keeps. With the published cost, 300 targets, 300 frames and disc:5, a round with all arcs after
// an ascent with 5, 8, 12 and 20 proves 3.5, .38, .016 and -.03 less than that did, of 29518, where
// the gap is 6. Tests keep fewer.
var thinArcs = 12

// It is done where a pass is the work of thinCosts costs at least, of which the share thinShare is
// saved, after thinAfter rounds. Tests do it with less.
var thinCosts, thinShare = 300_000, 1. / 3

const thinAfter = 2

// thins says whether a pass over few arcs is so much less work that it is worth its while to choose
// them, which takes as long as some passes.
func (e *engine) thins() bool {
	if e.few || e.opts.MaxRounds <= 2*thinAfter {
		return false
	}
	all, few := 0.0, 0.0
	kept := func(arcs int) int { return min(arcs, 2*thinArcs) } // of a port, about: some are those of the port at the other end
	for p := range e.gaps {
		g := &e.gaps[p]
		arcs, pairs := 0, 0
		for i := range g.Rows {
			out := kept(g.Ptr[i+1] - g.Ptr[i])
			arcs += out
			if p > 0 {
				pairs += (kept(len(e.gaps[p-1].in.at(i))) + 1) * (out + 1)
			}
		}
		if p > 0 {
			most := e.blockWork(p)
			all += float64(most)
			few += float64(min(pairs, most))
		}
		all += float64(len(g.FramePair.Col))
		few += float64(arcs)
	}
	return all >= float64(thinCosts) && few <= (1-thinShare)*all
}

// thin ascends among few arcs, and goes on from there with all: it returns the bound for the few.
// The next round must repeat no step.
func (e *engine) thin(ctx context.Context) (bound float64, err error) {
	if err := e.lookNow(ctx); err != nil { // it reads the answer that will change
		return 0, err
	}
	m := e.cheapest(ctx)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	o := *e.opts
	o.Progress, o.MaxRounds = nil, 2*o.MaxRounds
	t := newEngine(&m.inst, &o)
	t.few, e.thinned = true, true
	t.tiny, t.unit, t.tolerance, t.forbidden = e.tiny, e.unit, e.tolerance, e.forbidden
	t.each(func(p int) { m.lower(&t.gaps[p], &e.gaps[p], p) })
	if e.best != nil {
		m.restrict(t.scratch, e.best)
		t.linkAll(t.scratch)
		t.offer(t.scratch)
	}
	err = t.sequential(ctx)
	if t.best != nil { // even where it was interrupted
		m.extend(e.scratch.next, t.best.next)
		e.linkAll(e.scratch)
		e.offer(e.scratch)
	}
	e.result.Stats.Add(t.result.Stats)
	if err != nil {
		return 0, err
	}
	if t.kept > t.bound {
		if err := t.restore(); err != nil {
			return 0, err
		}
	}
	e.leap()
	e.each(func(p int) {
		k := e.chunkOf(p)
		m.raise(&e.gaps[p], &t.gaps[p], p, k%2 == 0 && p+1 < len(e.gaps), k%2 == 1 && p > 0, e.forbidden)
	})
	return t.bound, nil
}

// cheapest makes the instance of the cheapest arcs of each port, and of those of the best answer
// and of the matchings of the last pass.
func (e *engine) cheapest(ctx context.Context) *part {
	r := newReduction(ctx, e)
	r.measure()
	n := len(e.gaps)
	m := &part{node: make([][]int32, n+1), ports: make([][]uint8, n+1), arc: make([][]int32, n)}
	m.inst.Pairs, m.inst.Blocks = make([]FramePair, n), make([]Block, n-1)
	for f := range n + 1 {
		ports := uint8(inPort | outPort)
		if f == 0 {
			ports = outPort
		} else if f == n {
			ports = inPort
		}
		m.node[f], m.ports[f] = make([]int32, e.nodes(f)), slices.Repeat([]uint8{ports}, e.nodes(f))
		for i := range m.node[f] {
			m.node[f][i] = int32(i)
		}
	}
	r.each(func(p int) {
		g, h := &e.gaps[p], &m.inst.Pairs[p]
		margin := r.margin[p]
		most := make([]float64, g.Rows+g.Cols) // margin that an arc of a row, of a column may have
		var least lowest
		for i := range g.Rows {
			least = least[:0]
			for _, x := range margin[g.Ptr[i]:g.Ptr[i+1]] {
				least.add(x)
			}
			most[i] = least.last()
		}
		for j := range g.Cols {
			least = least[:0]
			for _, a := range g.in.at(j) {
				least.add(margin[a])
			}
			most[g.Rows+j] = least.last()
		}
		h.Rows, h.Cols, h.RowMiss, h.ColMiss = g.Rows, g.Cols, g.RowMiss, g.ColMiss
		h.Ptr = make([]int, 1, g.Rows+1)
		for i := range g.Rows {
			own, best := g.next[i], int32(-1)
			if e.best != nil {
				best = e.best.next[p][i]
			}
			for k := g.Ptr[i]; k < g.Ptr[i+1]; k++ {
				a, j := int32(k), g.FramePair.Col[k]
				if margin[k] <= max(most[i], most[g.Rows+int(j)]) || a == own || a == best {
					h.Col, h.Cost = append(h.Col, j), append(h.Cost, g.FramePair.Cost[k])
					m.arc[p] = append(m.arc[p], a)
				}
			}
			h.Ptr = append(h.Ptr, len(h.Col))
		}
	})
	r.each(func(p int) {
		if p > 0 {
			m.inst.Blocks[p-1] = e.subBlock(m, p)
		}
	})
	return m
}

// lower copies multipliers, column prices and the matching of gap p to those of the part, which has
// all nodes.
func (m *part) lower(to, from *gap, p int) {
	for s, a := range m.arc[p] {
		to.U[s], to.V[s] = from.U[a], from.V[a]
	}
	copy(to.Birth, from.Birth)
	copy(to.Death, from.Death)
	copy(to.Prices.Col, from.Prices.Col)
	for i, a := range from.next {
		if s, ok := slices.BinarySearch(m.arc[p][to.Ptr[i]:to.Ptr[i+1]], a); ok {
			to.next[i] = int32(to.Ptr[i] + s)
		}
	}
	to.solved = true
}

// raise copies them back. Arcs that the part has not keep theirs, but for U or V, if it is free:
// then it is so large that the X-LAP of the next pass does not use them.
func (m *part) raise(to, from *gap, p int, freeU, freeV bool, large float64) {
	for a := range to.U {
		if freeU {
			to.U[a] = large
		}
		if freeV {
			to.V[a] = large
		}
	}
	for s, a := range m.arc[p] {
		to.U[a], to.V[a] = from.U[s], from.V[s]
	}
	copy(to.Birth, from.Birth)
	copy(to.Death, from.Death)
	copy(to.Prices.Col, from.Prices.Col)
	for i, s := range from.next {
		to.next[i] = -1
		if s >= 0 {
			to.next[i] = m.arc[p][s]
		}
	}
}

// A lowest is the least numbers of those added, ascending, thinArcs at most.
type lowest []float64

func (l *lowest) add(x float64) {
	s := *l
	k := len(s)
	switch {
	case k < thinArcs:
		s = append(s, x)
	case x >= s[k-1]:
		return
	default:
		k--
	}
	for ; k > 0 && s[k-1] > x; k-- {
		s[k] = s[k-1]
	}
	s[k] = x
	*l = s
}

// last is the largest of them; +Inf where more may be added.
func (l lowest) last() float64 {
	if len(l) < thinArcs {
		return math.Inf(1)
	}
	return l[thinArcs-1]
}
