package windows

import (
	"cmp"
	"iter"
	"slices"

	"mtt"
	"mtt/association/chain"
	"mtt/association/instance"
	"mtt/dualascent"
)

// This file puts detections into an order in which those near each other in space are near each other in memory,
// and what windows hand out back into the order in which they were read. Sensors
// report in any order; in a large scan every look at a neighbour then is a miss of the processor's cache.

// byPlace is the order of the detections of a scan along a curve that fills space, Morton's: numbers whose digits are
// those of the coordinates in turn.
func byPlace(s *mtt.Scan) []int32 {
	n := s.Len()
	if n == 0 {
		return nil
	}
	dim := s.Dim
	bits := 32 / dim // of a coordinate
	low, scale := make([]float64, dim), make([]float64, dim)
	for d := range dim {
		high := s.Pos[d]
		low[d] = high
		for k := d; k < len(s.Pos); k += dim {
			low[d], high = min(low[d], s.Pos[k]), max(high, s.Pos[k])
		}
		if high > low[d] {
			scale[d] = (float64(uint(1)<<bits) - 1) / (high - low[d])
		}
	}
	keys := make([]uint64, n) // place, then number
	for i := range keys {
		place := uint64(0)
		for d, x := range s.At(i) {
			cell := uint64((x - low[d]) * scale[d])
			for b := range bits {
				place |= cell >> b & 1 << (b*dim + d)
			}
		}
		keys[i] = place<<32 | uint64(i)
	}
	slices.Sort(keys)
	order := make([]int32, n)
	for k, key := range keys {
		order[k] = int32(uint32(key))
	}
	return order
}

// number is the number that a detection of scan f of an instance was read with.
func (k *Tracker) number(inst *instance.Instance, f int, det int32) int32 {
	if begin := inst.Begin(); f >= begin {
		return k.orders[f-begin][det]
	}
	return k.Border.Dets[f][det]
}

// coast is a coast node of frame f as it is known outside, but for its neighbours.
func (k *Tracker) coast(inst *instance.Instance, f int, c instance.Coast) instance.Coast {
	c.From, c.To = k.number(inst, f-int(c.Since), c.From), k.number(inst, f+int(c.Until), c.To)
	return c
}

// names are the numbers that the nodes of frame f have outside: detections as they were read, then coast nodes
// by the scan and detection that they come from and lead to.
func (k *Tracker) names(inst *instance.Instance, f int) []int32 {
	coasts := make([]instance.Coast, len(inst.Coast[f]))
	order := make([]int, len(coasts))
	for q, c := range inst.Coast[f] {
		coasts[q], order[q] = k.coast(inst, f, c), q
	}
	slices.SortFunc(order, func(p, q int) int {
		a, b := &coasts[p], &coasts[q]
		return cmp.Or(cmp.Compare(b.Since, a.Since), cmp.Compare(a.From, b.From), cmp.Compare(a.Until, b.Until), cmp.Compare(a.To, b.To))
	})
	n := inst.Scans[f].Len()
	names := make([]int32, n+len(order))
	copy(names, k.orders[f-inst.Begin()])
	for r, q := range order {
		names[n+q] = int32(n + r)
	}
	return names
}

// follow says what the answer does with the detections of the scans before scan to.
func (k *Tracker) follow(w *Window, inst *instance.Instance, next [][]int32, to int) {
	begin := inst.Begin()
	links := inst.Links(next)
	end := to
	if w.Last {
		end++
	}
	for t := begin; t < end; t++ {
		order := k.orders[t-begin]
		next, back := make([]chain.Node, len(order)), make([]int32, len(order))
		for i, was := range order {
			n := links.Next[t][i]
			if n != chain.None {
				n = chain.At(n.T+int32(w.First-begin), k.number(inst, int(n.T), n.Det))
			}
			next[was], back[was] = n, int32(i)
		}
		w.Scans, w.Next = append(w.Scans, inst.Scans[t].Pick(back)), append(w.Next, next)
	}
	last := min(to+1, len(inst.Scans)-1)
	for f := begin; f <= last; f++ {
		w.names = append(w.names, k.names(inst, f))
	}
	for f := begin + 1; f <= to; f++ {
		names := w.names[f-begin]
		n := inst.Scans[f].Len()
		nodes := make([]instance.Coast, len(inst.Coast[f]))
		for q, c := range inst.Coast[f] {
			out := k.coast(inst, f, c)
			out.Prev, out.Next = w.names[f-begin-1][c.Prev], w.names[f-begin+1][c.Next]
			nodes[int(names[n+q])-n] = out
		}
		w.Nodes = append(w.Nodes, nodes)
	}
}

// leave makes what a border at scan to says known by the numbers that are used outside.
func (k *Tracker) leave(b *instance.Border, w *Window, inst *instance.Instance, to int) {
	for q := range b.Dets {
		f := to - len(b.Dets) + q
		if f < inst.Begin() {
			continue // it is
		}
		for i, det := range b.Dets[q] {
			b.Dets[q][i] = k.number(inst, f, det)
		}
	}
	at := to - inst.Begin()
	left, right := inst.Dual.Pairs[to-1].Renumber(w.names[at-1], w.names[at]), inst.Dual.Pairs[to].Renumber(w.names[at], w.names[at+1])
	b.Block = b.Block.Between(left, right)
}

// Gaps are the frame pairs that leave Scans, one after the other. Each is made when it is asked for.
func (w *Window) Gaps() iter.Seq[*Gap] {
	return func(yield func(*Gap) bool) {
		var left *dualascent.Renumbering
		for t := range w.gaps {
			g := &w.gaps[t]
			right := g.Renumber(w.names[t], w.names[t+1])
			out := &Gap{FramePair: right.FramePair, Block: g.Block, Prices: right.Prices(&g.Prices), Next: right.Next(g.Next)}
			if t > 0 {
				b := g.Block.Between(left, right)
				out.Block = &b
			}
			if !yield(out) {
				return
			}
			left = right
		}
	}
}
