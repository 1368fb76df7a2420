package windows

import (
	"cmp"
	"iter"
	"slices"

	"mtt/association/chain"
	"mtt/association/instance"
	"mtt/dualascent"
	"mtt/internal/slab"
	"mtt/internal/workers"
)

// This file puts detections into an order in which those near each other in space are near each
// other in memory, and what windows hand out back into the order in which they were read. Sensors
// report in any order; in a large scan every look at a neighbour then is a miss of the processor's
// cache.

// number is the number that a detection of scan f of the instance was read with.
func (r *raised) number(f int, det int32) int32 {
	if begin := r.inst.Begin(); f >= begin {
		return r.orders[f-begin][det]
	}
	return r.left.Dets[f][det]
}

// coast is a coast node of frame f as it is known outside, but for its neighbours.
func (r *raised) coast(f int, c instance.Coast) instance.Coast {
	c.From, c.To = r.number(f-int(c.Since), c.From), r.number(f+int(c.Until), c.To)
	return c
}

// name names the nodes of the frames that the window settles, of its border on the right and of the
// frame after that.
func (r *raised) name(goroutines int) {
	begin := r.inst.Begin()
	r.names = make([][]int32, min(r.to+2, len(r.inst.Scans))-begin)
	workers.Each(goroutines, len(r.names), func(_, t int) { r.names[t] = r.namesOf(begin + t) })
}

// namesOf are the numbers that the nodes of frame f have outside: detections as they were read,
// then coast nodes by the scan and detection that they come from and lead to.
func (r *raised) namesOf(f int) []int32 {
	if len(r.inst.Coast[f]) == 0 {
		return r.orders[f-r.inst.Begin()]
	}
	coasts := make([]instance.Coast, len(r.inst.Coast[f]))
	order := make([]int, len(coasts))
	for q, c := range r.inst.Coast[f] {
		coasts[q], order[q] = r.coast(f, c), q
	}
	slices.SortFunc(order, func(p, q int) int {
		a, b := &coasts[p], &coasts[q]
		return cmp.Or(cmp.Compare(b.Since, a.Since), cmp.Compare(a.From, b.From), cmp.Compare(a.Until, b.Until), cmp.Compare(a.To, b.To))
	})
	n := r.inst.Scans[f].Len()
	names := make([]int32, n+len(order))
	copy(names, r.orders[f-r.inst.Begin()])
	for rank, q := range order {
		names[n+q] = int32(n + rank)
	}
	return names
}

// follow says what the answer does with the detections of the scans that the window settles.
func (r *raised) follow(w *Window, next [][]int32, goroutines int) {
	begin := r.inst.Begin()
	w.Scans, w.Next = r.scans, slab.Parts[chain.Node](len(r.scans), func(t int) int { return len(r.orders[t]) })
	backs := make([][]int32, max(1, goroutines))
	workers.Each(goroutines, len(r.scans), func(worker, t int) {
		order, own := r.orders[t], w.Next[t]
		back := slab.Grow(backs[worker], len(order))
		backs[worker] = back
		for i, was := range order {
			n := r.inst.After(next, begin+t, i)
			if n != chain.None {
				n = chain.At(n.T+int32(w.First-begin), r.number(int(n.T), n.Det))
			}
			own[was], back[was] = n, int32(i)
		}
		if !isOrdered(order) {
			w.Scans[t] = r.scans[t].Pick(back)
		}
	})
	w.Nodes = make([][]instance.Coast, r.to-begin)
	workers.Each(goroutines, len(w.Nodes), func(_, t int) {
		f := begin + t + 1
		names := r.names[t+1]
		n := r.inst.Scans[f].Len()
		nodes := make([]instance.Coast, len(r.inst.Coast[f]))
		for q, c := range r.inst.Coast[f] {
			out := r.coast(f, c)
			out.Prev, out.Next = r.names[t][c.Prev], r.names[t+2][c.Next]
			nodes[int(names[n+q])-n] = out
		}
		w.Nodes[t] = nodes
	})
}

// leave makes what the border on the right says known by the numbers that are used outside.
func (r *raised) leave() {
	b := r.right
	for q := range b.Dets {
		f := r.to - len(b.Dets) + q
		if f < r.inst.Begin() {
			continue // it is
		}
		for i, det := range b.Dets[q] {
			b.Dets[q][i] = r.number(f, det)
		}
	}
	at, pairs := r.to-r.inst.Begin(), r.inst.Dual.Pairs
	left, right := pairs[r.to-1].Renumber(r.names[at-1], r.names[at]), pairs[r.to].Renumber(r.names[at], r.names[at+1])
	b.Block = b.Block.Between(left, right)
}

// Gaps are the frame pairs that leave Scans, one after the other, each made when it is asked for.
func (w *Window) Gaps() iter.Seq[Gap] {
	return func(yield func(Gap) bool) {
		names := w.raised.names
		var left *dualascent.Renumbering // of the gap before; nil: it is as it is outside
		before := true                   // whether the scan before that of the gap has the numbers outside, as here,
		here := isOrdered(names[0])      // and the scan has
		for t := range w.raised.to - w.raised.inst.Begin() {
			after := isOrdered(names[t+1])
			var right *dualascent.Renumbering
			out := w.gap(t)
			if !(before && here && after) {
				if t > 0 && left == nil {
					left = w.renumber(t - 1)
				}
				right = w.renumber(t)
				out = out.renumbered(left, right)
			}
			if !yield(out) {
				return
			}
			left, before, here = right, here, after
		}
	}
}

// renumber gives the nodes of the gap from scan t the numbers that they have outside.
func (w *Window) renumber(t int) *dualascent.Renumbering {
	r := w.raised
	return r.inst.Dual.Pairs[r.inst.Begin()+t].Renumber(r.names[t], r.names[t+1])
}

// renumbered is a gap under the numbers that its nodes, and those of the gap on its left, have
// outside. left is nil where the block needs none.
func (g Gap) renumbered(left, right *dualascent.Renumbering) Gap {
	out := Gap{FramePair: right.FramePair, Block: g.Block, Prices: right.Prices(&g.Prices), Next: right.Next(g.Next)}
	if left != nil {
		b := g.Block.Between(left, right)
		out.Block = &b
	}
	return out
}

// isOrdered says whether each number stands at its own place.
func isOrdered(numbers []int32) bool {
	for k, x := range numbers {
		if int(x) != k {
			return false
		}
	}
	return true
}
