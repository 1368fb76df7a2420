package refine

import "mtt/internal/slab"

// This file tells which parts of an assignment problem have something to do with
// each other.

// groups are sets of elements, some of which are marked.
type groups struct {
	root []int32 // element → another one of its set, or itself; see find
	hot  []bool  // root → its set is marked
	out  []bool  // element → it does not count as marked
}

// reset makes n elements, each by itself and not marked.
func (g *groups) reset(n int) {
	g.root, g.hot, g.out = slab.Grow(g.root, n), slab.Grow(g.hot, n), slab.Grow(g.out, n)
	for i := range g.root {
		g.root[i] = int32(i)
	}
	clear(g.hot)
	clear(g.out)
}

// find is the representative of the set of element i (union-find with path
// halving).
func (g *groups) find(i int32) int32 {
	for g.root[i] != i {
		g.root[i] = g.root[g.root[i]]
		i = g.root[i]
	}
	return i
}

// join unites the sets of two elements.
func (g *groups) join(i, j int32) {
	if i, j = g.find(i), g.find(j); i != j {
		g.root[i] = j
		g.hot[j] = g.hot[j] || g.hot[i]
	}
}

// mark marks the set of element i if it is to be.
func (g *groups) mark(i int32, hot bool) {
	if hot {
		g.hot[g.find(i)] = true
	}
}

// drop takes the mark from element i alone.
func (g *groups) drop(i int32) { g.out[i] = true }

// marked says whether the set of element i is marked, and the element not dropped.
func (g *groups) marked(i int32) bool { return g.hot[g.find(i)] && !g.out[i] }
