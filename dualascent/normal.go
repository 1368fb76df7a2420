package dualascent

import (
	"math"

	"mtt/internal/heap"
	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file brings the prices of an X-LAP into a normal form, so that what the published scheme
// makes of them does not depend on the solver.
//
// The optimal prices of an assignment problem are a lattice. Where everything may stay free at a
// finite cost, there is one optimum in which all row prices are greatest and all column prices
// least, and one with the opposite; from any optimum both are shortest paths away. With reduced
// costs r ≥ 0 the price of row i can rise, and that of its partner fall, by
//
//	rise(i) = min{ r(i, free), min over columns j of r(i, j) + rise(partner of j) },  rise(free) = 0,
//
// and fall(i) is the same with rows and columns changed over. The normal form is the middle of
// the two optima, which is one itself: every row price moves by (rise − fall)/2. It does not
// depend on where one starts, nor on which of several cheapest matchings is known. The ends of
// the lattice would do too, but are poor prices: pushed to the left they prove 242.9 m and 516.1 m
// on the scene of docs/engine.md, those of ssp 531.4 m, the middle 533.1 m.
//
// Where something must not stay free, nothing holds the prices of what no other price holds.
// They end at the largest of their kind: so where nothing may stay free, they are a normal form
// but for one number that all row prices gain and all column prices lose.

// A normaliser finds how far prices can move.
type normaliser struct {
	queue      heap.Heap
	slack      []float64 // of each arc, at least 0
	rise, fall []float64 // of each row, with its partner
	rowOf      []int32   // of each column; -1: it is free
}

// normalise moves the prices of g, which solve the X-LAP that w has posed, to their normal form.
// It takes O(arcs·log arcs) time.
func (w *worker) normalise(g *gap) {
	n, alpha, beta, col := &w.normal, g.row, g.Prices.Col, g.FramePair.Col
	n.begin(&w.lap, g)
	n.settle(n.rise, func(i int32, d float64) { // rows that could have the column of i
		j := col[g.next[i]]
		for k := g.in.Ptr[j]; k < g.in.Ptr[j+1]; k++ {
			n.lower(n.rise, g.in.Row[k], d+n.slack[g.in.Entry[k]])
		}
	})
	n.settle(n.fall, func(i int32, d float64) { // the partners of columns that i could have
		for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
			if k := n.rowOf[col[a]]; k >= 0 {
				n.lower(n.fall, k, d+n.slack[a])
			}
		}
	})
	for i, a := range g.next {
		if a >= 0 {
			s := (n.rise[i] - n.fall[i]) / 2
			alpha[i] += s
			beta[col[a]] -= s
		}
	}
}

// begin finds the reduced costs, and how far each pair can move for what is free or may be.
func (n *normaliser) begin(p *mapsolver.Problem, g *gap) {
	alpha, beta, col := g.row, g.Prices.Col, g.FramePair.Col
	n.slack, n.rise, n.fall = slab.Grow(n.slack, len(col)), slab.Grow(n.rise, g.Rows), slab.Grow(n.fall, g.Rows)
	n.rowOf = slab.Grow(n.rowOf, g.Cols)
	for j := range n.rowOf {
		n.rowOf[j] = -1
	}
	topRow, topCol := largest(alpha), largest(beta)
	for i, a := range g.next {
		n.rise[i], n.fall[i] = 0, 0
		if a >= 0 {
			j := col[a]
			n.rowOf[j] = int32(i)
			n.rise[i], n.fall[i] = room(alpha[i], p.RowMiss[i], topRow), room(beta[j], p.ColMiss[j], topCol)
		}
	}
	for i, mate := range g.next {
		for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
			j := col[a]
			r := max(0, p.Cost[a]-alpha[i]-beta[j])
			n.slack[a] = r
			switch k := n.rowOf[j]; {
			case k < 0:
				n.rise[i] = min(n.rise[i], r)
			case mate < 0:
				n.fall[k] = min(n.fall[k], r)
			}
		}
	}
}

// room is how far a price can rise by what it costs to be free or, where that must not be, up to top.
func room(price, free, top float64) float64 {
	if free > maxPrice {
		free = top
	}
	return max(0, free-price)
}

func largest(list []float64) float64 {
	most := math.Inf(-1)
	for _, x := range list {
		most = max(most, x)
	}
	return most
}

// lower takes note that a pair can move by no more than d.
func (n *normaliser) lower(dist []float64, i int32, d float64) {
	if d < dist[i] {
		dist[i] = d
		n.queue.Push(d, i)
	}
}

// settle makes the distances of all pairs shortest, nearest first; next lowers those next to one.
func (n *normaliser) settle(dist []float64, next func(i int32, d float64)) {
	n.queue = n.queue[:0]
	for _, i := range n.rowOf {
		if i >= 0 {
			n.queue.Push(dist[i], i)
		}
	}
	for len(n.queue) > 0 {
		if top := n.queue.Pop(); top.Dist == dist[top.ID] {
			next(top.ID, top.Dist)
		}
	}
}
