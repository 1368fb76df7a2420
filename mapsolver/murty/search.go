package murty

import "math"

// This file holds the search for the shortest augmenting path.

// A side is the rows or the columns of a part, as the search sees them. The
// entries of vertex x are ent[ptr[x]:ptr[x+1]]; at is the vertex of each entry.
type side struct {
	ptr   []int32   // len n+1
	ent   []int32   // len nnz
	at    []int32   // len nnz
	bound []float64 // len n: cost of staying free, +Inf where that is not allowed

	// Of the answer at hand.
	price []float64 // len n
	mate  []int32   // len n: entry, -1 when free

	// Of the search at hand.
	dist []float64 // len n; +Inf where not reached
	by   []int32   // len n: the entry that reached it
}

// A reached vertex waits in the heap of a search.
type reached struct {
	dist float64
	id   int32
}

func (a reached) before(b reached) bool {
	return a.dist < b.dist || a.dist == b.dist && a.id < b.id
}

// done is the distance of a vertex whose distance is final: no path is shorter.
var done = math.Inf(-1)

// serve raises the price of the free vertex root of side a until it is served:
// by a free vertex of b, by one of b whose partner goes free instead, or by
// staying free itself. Prices must be feasible and pairs tight; both are so
// afterwards. The result is false when nothing can serve root; then nothing has
// changed.
//
// This is Dijkstra's search over reduced costs, as in package ssp, past the rows
// that are fixed and their columns.
func (l *part) serve(a, b *side, root int32) bool {
	best := a.bound[root] - a.price[root]
	leaver, last := root, int32(-1)
	x, d := root, 0.0
	l.tree, l.final, l.heap = l.tree[:0], l.final[:0], l.heap[:0]
	for {
		for _, e := range a.ent[a.ptr[x]:a.ptr[x+1]] {
			y := b.at[e]
			z := d
			if r := l.cost[e] - a.price[x] - b.price[y]; r > 0 { // below 0 by rounding only
				z += r
			}
			if !(z < best) || !(z < b.dist[y]) || l.fixed(b, y) {
				continue
			}
			if b.mate[y] < 0 {
				best, leaver, last = z, -1, e
				continue
			}
			if math.IsInf(b.dist[y], 1) {
				l.tree = append(l.tree, y)
			}
			b.dist[y], b.by[y] = z, e
			l.heap.push(reached{z, y})
		}
		y := int32(-1)
		for len(l.heap) > 0 && l.heap[0].dist < best {
			if top := l.heap.pop(); top.dist == b.dist[top.id] {
				y = top.id
				break
			}
		}
		if y < 0 {
			break
		}
		d = b.dist[y]
		l.final = append(l.final, reached{d, y})
		b.dist[y] = done
		x = a.at[b.mate[y]]
		if z := d + (a.bound[x] - a.price[x]); z < best {
			best, leaver, last = z, x, -1
		}
	}
	for _, y := range l.tree {
		b.dist[y] = math.Inf(1)
	}
	if !(best <= math.MaxFloat64) {
		return false
	}
	a.price[root] += best
	for _, f := range l.final {
		if z := best - f.dist; z > 0 {
			b.price[f.id] -= z
			a.price[a.at[b.mate[f.id]]] += z
		}
	}
	// Change the pairs, from the sink back to root.
	if leaver == root {
		return true
	}
	e := last
	if leaver >= 0 {
		y := b.at[a.mate[leaver]]
		a.mate[leaver] = -1
		e = b.by[y]
	}
	for {
		x, y := a.at[e], b.at[e]
		freed := a.mate[x]
		a.mate[x], b.mate[y] = e, e
		if x == root {
			return true
		}
		e = b.by[b.at[freed]]
	}
}
