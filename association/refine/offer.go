package refine

import (
	"math"

	"mtt/association/chain"
	"mtt/internal/slab"
)

// This file takes links of another's, where they are better.

// offers is the workspace of Offer.
type offers struct {
	groups groups
	number [][]int32 // of a detection: its place in nodes; -1: it takes no part
	nodes  []chain.Node
	prev   []chain.Node // of a node: where it comes from, as offered
	gain   []float64    // of the set that a node represents: what the links offered save
	path   []chain.Node
}

// Offer implements Window. Tracks as they are and as they are offered fall into sets that
// have nothing to do with each other; each set is taken or left as a whole.
func (w *window[S, E]) Offer(from int, next [][]chain.Node) (taken int) {
	o, m := &w.offers, w.movers[0]
	w.clock++ // what changes is news to both filters
	o.nodes, o.number = o.nodes[:0], m.numbers(o.number, int32(from), int32(len(w.scans)), nil)
	for t := range next {
		for i, to := range next[t] {
			if to != chain.Past {
				o.number[t][i] = int32(len(o.nodes))
				o.nodes = append(o.nodes, chain.At(from+t, i))
			}
		}
	}
	number := func(h chain.Node) int32 { return o.number[int(h.T)-from][h.Det] }
	offered := func(h chain.Node) chain.Node { return next[int(h.T)-from][h.Det] }
	o.groups.reset(len(o.nodes))
	o.prev = slab.Grow(o.prev, len(o.nodes))
	for n := range o.prev {
		o.prev[n] = chain.None
	}
	for n, h := range o.nodes {
		is, will := w.Next[h.T][h.Det], offered(h)
		if is != chain.None {
			o.groups.join(int32(n), number(is))
		}
		if will != chain.None {
			o.groups.join(int32(n), number(will))
			o.prev[number(will)] = h
		}
		o.groups.mark(int32(n), is != will)
	}
	o.gain = slab.Grow(o.gain, len(o.nodes))
	clear(o.gain)
	for n, h := range o.nodes {
		if !o.groups.marked(int32(n)) {
			continue
		}
		root := o.groups.find(int32(n))
		continues := w.continues(h, from)
		if continues && o.prev[n] != chain.None {
			o.gain[root] = math.Inf(-1) // what lies before would be left without an end
		}
		if continues || w.Prev[h.T][h.Det] == chain.None {
			o.gain[root] += m.along(&o.path, h, from, func(h chain.Node) chain.Node { return w.Next[h.T][h.Det] })
		}
		if o.prev[n] == chain.None {
			o.gain[root] -= m.along(&o.path, h, from, offered)
		}
	}
	better := func(n int) bool {
		return o.groups.marked(int32(n)) && o.gain[o.groups.find(int32(n))] > slightest
	}
	for n, h := range o.nodes {
		if better(n) {
			w.unlink(h)
		}
	}
	for n, h := range o.nodes {
		if to := offered(h); better(n) && to != chain.None {
			w.link(h, to)
			taken++
		}
	}
	return taken
}

// along is the price of the track that begins with detection h, or of its rest from h on where it
// comes from before scan from.
func (m *mover[S, E]) along(path *[]chain.Node, h chain.Node, from int, next func(h chain.Node) chain.Node) float64 {
	*path = (*path)[:0]
	for ; h != chain.None; h = next(h) {
		*path = append(*path, h)
	}
	if m.continues((*path)[0], from) {
		return m.rest(*path)
	}
	return m.track(*path)
}

// continues reports whether detection h continues a track from before scan from.
func (r *refiner[S, E]) continues(h chain.Node, from int) bool {
	p := r.Prev[h.T][h.Det]
	return p != chain.None && int(p.T) < from
}

// rest is the price of a track from its first detection in path on, given all up to that.
func (m *mover[S, E]) rest(path []chain.Node) (c float64) {
	m.state = m.states[path[0].T][path[0].Det]
	for n := 1; n < len(path); n++ {
		c += m.step(&m.state, path[n-1], path[n])
	}
	return c + m.death(path[len(path)-1])
}
