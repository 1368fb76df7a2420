package trackgraph

import (
	"context"
	"slices"

	"mtt/internal/slab"
)

// This file finds the multipliers with which the ascent of a graph with divisions of their own price begins.
//
// Its problem is that of every detection by itself, with the costs of arcs divided between their ends (file prices.go). The
// ascent through blocks (file ascent.go) stops early there, where ports give all that they have to a block that then cannot
// give it back; sweeps over the detections do not. In order of time and back, a detection looks at each of its arcs to those
// that come next: by how much the cheapest that it can do with the arc is dearer than the cheapest without it. Half of this,
// if it is above 0 or below, it hands on to the other end, so that no sweep makes the bound less. What a
// detection hands on has what all before it have handed to it; half, since with all of it the sweeps stand still early.
//
// Reference: S. Haller, M. Prakash, L. Hutschenreiter, T. Pietzsch, C. Rother, F. Jug, P. Swoboda, B. Savchynskyy. A
// primal-dual solver for large-scale tracking-by-assignment. AISTATS 2020; they hand on other shares.

// sweeps looks for prices of g, until four sweeps make the bound better by less than a 5000th of what all have, or 160
// are done, or ctx ends: then they are those that there are. Each takes time in proportion to the arcs and, for each, the pairs of arcs at its end. A cell culture of 13,908 detections, 84,690
// arcs and 183,096 pairs is proved so; with a 1000th and 40 the search that follows leaves 0.9 %.
func (g *Graph) sweeps(ctx context.Context) *Prices {
	p := &Prices{Link: make([]float64, len(g.Cost))}
	for a, c := range g.Cost {
		p.Link[a] = c / 2
	}
	t := newStars(g, p)
	n := g.Detections()
	order := make([]int, n)
	for d := range order {
		order[d] = d
	}
	slices.SortStableFunc(order, func(a, b int) int { return g.Frame[a] - g.Frame[b] })
	var c choices
	var many pairings
	first := t.bound()
	before := first
	frame := 0 // of the last detection; the context is looked at once in each
	ended := func(d int) bool {
		if g.Frame[d] == frame {
			return false
		}
		frame = g.Frame[d]
		return ctx.Err() != nil
	}
	for range 40 {
		for range 2 {
			for _, d := range order {
				if ended(d) {
					return p
				}
				s, arcs := t.at(d), t.out[t.outPtr[d]:t.outPtr[d+1]]
				before, plain := min(s.birth, least(s.in)), s.plain()
				share := s.share(len(arcs))
				if plain {
					many.meet(s)
				}
				for k, a := range arcs {
					var x float64
					if plain {
						x = many.outExcess(s, k, before) / 2
						s.out[k] -= x
						many.moved(s, k)
					} else {
						if k == 0 || share == 1 {
							c.look(t.at(d))
						}
						x = share * c.out.excess(int32(k), c.unused) / 2
					}
					p.Link[a] -= x
				}
			}
			for _, d := range slices.Backward(order) {
				if ended(d) {
					return p
				}
				s, arcs := t.at(d), t.in[t.inPtr[d]:t.inPtr[d+1]]
				plain, share := s.plain(), s.share(len(arcs))
				after := never
				if plain {
					after = s.leastOut(nobody)
				}
				for k, a := range arcs {
					var x float64
					if plain {
						x = s.inExcess(k, after) / 2
						s.in[k] -= x
					} else {
						if k == 0 || share == 1 {
							c.look(t.at(d))
						}
						x = share * c.in.excess(int32(k), c.unused) / 2
					}
					p.Link[a] += x
				}
			}
		}
		now := t.bound()
		if now-before <= 2e-4*(now-first) {
			break
		}
		before = now
	}
	return p
}

// share is how much an arc of a star with so many moves of what it could. One looks at the star anew for each of its arcs, and
// moves it all, unless that is thousands of times thousands of triplets or divisions: then one look is for all arcs, each of which
// moves its part of their number. As the bound is concave in the prices, the mean of moves that each do not lower it does
// not, either.
func (s *star) share(arcs int) float64 {
	if arcs*(len(s.pair)+len(s.triplet)) <= 1<<22 {
		return 1
	}
	return 1 / float64(arcs)
}

// plain reports whether a detection has pairs of arcs by Divisions alone, as nearly all of such graphs do.
func (s *star) plain() bool { return len(s.triplet) == 0 && s.merge == never && s.divide == never }

// pairings are the pairs of each arc after a plain detection, and the least that it can do after itself. Only the arcs of
// that have to look at all pairs, the others at their own.
type pairings struct {
	ptr  []int   // len arcs+1
	list []int32 // pairs

	least      float64
	first, two int // the arcs of it; nobody: none
}

// meet lists those of a star.
func (m *pairings) meet(s *star) {
	m.ptr = slab.Grow(m.ptr, len(s.out)+2)
	clear(m.ptr)
	for _, y := range s.pair {
		m.ptr[int(y[0])+2]++
		m.ptr[int(y[1])+2]++
	}
	for k := range s.out {
		m.ptr[k+2] += m.ptr[k+1]
	}
	m.list = slab.Grow(m.list, 2*len(s.pair))
	for q, y := range s.pair {
		for _, k := range [2]int{int(y[0]), int(y[1])} {
			m.list[m.ptr[k+1]] = int32(q)
			m.ptr[k+1]++
		}
	}
	m.look(s)
}

// look finds the least.
func (m *pairings) look(s *star) {
	m.least, m.first, m.two = s.end, nobody, nobody
	for i := range s.out {
		m.offer(s.out[i], i, nobody)
	}
	for _, y := range s.pair {
		i, j := int(y[0]), int(y[1])
		m.offer(s.out[i]+s.out[j]+y[2], i, j)
	}
}

func (m *pairings) offer(x float64, i, j int) {
	if x < m.least {
		m.least, m.first, m.two = x, i, j
	}
}

// outExcess is excess of arc k after a detection, before being the least that it can do before itself.
func (m *pairings) outExcess(s *star, k int, before float64) float64 {
	with, without := s.out[k], m.least
	for _, q := range m.list[m.ptr[k]:m.ptr[k+1]] {
		y := s.pair[q]
		with = min(with, s.out[int(y[0])]+s.out[int(y[1])]+y[2])
	}
	if k == m.first || k == m.two {
		without = s.leastOut(k)
	}
	return difference(s.use+before+with, min(s.unused, s.use+before+without))
}

// moved notes that arc k has another price.
func (m *pairings) moved(s *star, k int) {
	if k == m.first || k == m.two {
		m.look(s)
		return
	}
	m.offer(s.out[k], k, nobody)
	for _, q := range m.list[m.ptr[k]:m.ptr[k+1]] {
		i, j := int(s.pair[q][0]), int(s.pair[q][1])
		m.offer(s.out[i]+s.out[j]+s.pair[q][2], i, j)
	}
}

// leastOut is the least that a plain detection can do after itself without an arc; nobody: with all.
func (s *star) leastOut(without int) float64 {
	best := s.end
	for i, x := range s.out {
		if x < best && i != without {
			best = x
		}
	}
	for _, y := range s.pair {
		i, j := int(y[0]), int(y[1])
		if x := s.out[i] + s.out[j] + y[2]; x < best && i != without && j != without {
			best = x
		}
	}
	return best
}

// inExcess is the same of arc k before a plain detection, after being the least that it can do after itself.
func (s *star) inExcess(k int, after float64) float64 {
	best := s.birth
	for i, x := range s.in {
		if x < best && i != k {
			best = x
		}
	}
	return difference(s.use+after+s.in[k], min(s.unused, s.use+after+best))
}

// difference is with − without; 0 where one of them is not possible.
func difference(with, without float64) float64 {
	if with >= never || without >= never {
		return 0
	}
	return with - without
}

// excess is how much dearer the cheapest with an arc is than the cheapest without; 0 where one of them is not possible.
func (o *side) excess(arc int32, unused float64) float64 {
	return difference(o.flipped(arc, false, never), o.flipped(arc, true, unused))
}

// begin gives the blocks of divisions the multipliers that follow from prices: the second port has what its arcs cost
// the mother, so that without a division it is worth nothing, and the first what a division leaves of it.
func (p *problem) begin(l *layout, of *Prices) {
	for k := range p.blocks {
		b := &p.blocks[k]
		if b.d == nil || b.first < 0 {
			continue
		}
		n, m := p.options(b.first), p.options(b.second)
		b.u, b.v = make([]float64, n), make([]float64, m)
		for j := range m - 1 {
			b.v[j] = -of.Link[l.arc[p.option(b.second, j)]]
			*p.costAt(b.second, j) += b.v[j]
		}
		for i := range n {
			for j := range m {
				b.u[i] = min(b.u[i], b.d[i*m+j]-b.v[j])
			}
			*p.costAt(b.first, i) += b.u[i]
		}
	}
}
