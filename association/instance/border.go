package instance

import (
	"math"
	"slices"

	"mtt"
	"mtt/association/chain"
	"mtt/dualascent"
	"mtt/gating"
)

// This file cuts scans into windows of time: what one window takes over from the one
// before, and what each contributes to the bound of all.
//
// Problem. The bound is a sum over gaps and nodes,
//
//	LB(U,V) = Σ gaps  least cost of a matching under C + U + V
//	        + Σ nodes min over a, b of (D[a,b] − U[a] − V[b]),
//
// and a gap and the nodes beside it share nothing but multipliers. The nodes of the scan
// where two windows meet, the border, have one matrix D for arcs of both.
//
// Idea. The left window freezes the multipliers U of the arcs into the border. Then the
// nodes there can give
//
//	V[b] = min over a of (D[a,b] − U[a])
//
// to the arcs that leave them, and nothing is left of their matrices: with U on its last
// gap the left window is an ordinary instance, with V on its first gap the right one
// is. Any U will do for the sum of their bounds to be one of the whole (Lagrangian
// decomposition); the best is one under which the arcs that both windows choose attain the
// minimum at every node of the border. So the left window looks ahead: it is solved
// with scans beyond the border, and its multipliers are those that these ask for.
//
// The answer needs no relaxation. With the arcs into the border chosen, the row of D that
// belongs to them prices the arcs that leave it.
//
// Links over misses that cross the border are coast nodes there, and have a V like other
// nodes. Those that leave the border's scan, or one before, are the left window's to find; the
// right one has them, and adds those that begin later. So both know the same arcs.
//
// Reference: M. Guignard, S. Kim, Lagrangean decomposition, Mathematical Programming 39, 1987.

// A Border is what the window that begins with a scan, the border, takes over from the one that
// ends there. It holds all that the right window needs to know of the left one: its memory is that of
// the arcs and triplets of one scan.
type Border struct {
	// Before are the scans before the border from which links lead over misses beyond it, with
	// those detections only, and an empty scan before them. Dets are their numbers in the
	// scans that they are taken from.
	Before []mtt.Scan
	Dets   [][]int32

	// Links are the links over misses that leave the border's scan or one before and lead beyond it,
	// by scan from Before[0] on.
	Links [][2]chain.Node

	Block dualascent.Block // the triplet costs of the border's nodes

	// For each arc that leaves the border, and each death there: V is the least price
	// that in-arcs leave for it, Row the price after the in-arc that was chosen.
	V, Death []float64
	Row, End []float64
}

// Border is the border at scan at, neither the first nor the last, under the multipliers
// given, without an answer: see Choose. It takes one look at the triplets there.
func (inst *Instance) Border(prices []dualascent.Prices, at int) *Border {
	b := &Border{Block: inst.Dual.Blocks[at-1]}
	b.cross(inst, at)
	right, u := &inst.Dual.Pairs[at], &prices[at-1]
	b.V, b.Death = infinite(len(right.Col)), infinite(right.Rows)
	inst.eachRow(at, func(j int, arc int32, row []float64) {
		from := u.Birth[j]
		if arc >= 0 {
			from = u.U[arc]
		}
		lo, last := right.Ptr[j], len(row)-1
		for s, c := range row[:last] {
			b.V[lo+s] = min(b.V[lo+s], c-from)
		}
		b.Death[j] = min(b.Death[j], row[last]-from)
	})
	for _, list := range [][]float64{b.V, b.Death} {
		for k, v := range list {
			if math.IsInf(v, 1) { // forbidden whatever comes in
				list[k] = 0
			}
		}
	}
	return b
}

// Choose sets the answer of b, the border at scan at.
func (inst *Instance) Choose(b *Border, next [][]int32, at int) {
	left, right := &inst.Dual.Pairs[at-1], &inst.Dual.Pairs[at]
	b.Row, b.End = make([]float64, len(right.Col)), make([]float64, right.Rows)
	chosen := slices.Repeat([]int32{-1}, right.Rows) // the arc into each node
	for _, arc := range next[at-1] {
		if arc >= 0 {
			chosen[left.Col[arc]] = arc
		}
	}
	inst.eachRow(at, func(j int, arc int32, row []float64) {
		if arc == chosen[j] {
			last := len(row) - 1
			copy(b.Row[right.Ptr[j]:], row[:last])
			b.End[j] = row[last]
		}
	})
}

// eachRow hands out the rows of the matrices of the nodes of scan at: that of each arc that comes
// in, by tail, then that of birth, arc −1. A row, out-arcs first, then death, is good until the
// next.
func (inst *Instance) eachRow(at int, take func(j int, arc int32, row []float64)) {
	left, right := &inst.Dual.Pairs[at-1], &inst.Dual.Pairs[at]
	nodes := make([]nodeRow, right.Rows)
	for j := range nodes {
		nodes[j] = nodeRow{block: &inst.Dual.Blocks[at-1], node: j, out: right.Ptr[j : j+2]}
	}
	var row []float64
	for e, j := range left.Col {
		row = nodes[j].next(row, int32(e))
		take(int(j), int32(e), row)
	}
	for j := range nodes {
		row = nodes[j].next(row, -1)
		take(j, -1, row)
	}
}

func infinite(n int) []float64 { return slices.Repeat([]float64{math.Inf(1)}, n) }

// A nodeRow hands out the rows of a node's matrix, in order: in-arcs by tail, then birth.
type nodeRow struct {
	block *dualascent.Block
	node  int
	out   []int // first arc that leaves the node, and the one after the last
	row   int
}

// next is the row of the next in-arc, -1 for birth; out-arcs first, then death.
func (n *nodeRow) next(dst []float64, arc int32) []float64 {
	if f := n.block.Differences; f != nil {
		dst = dst[:0]
		if arc < 0 {
			return append(append(dst, f.Birth[n.out[0]:n.out[1]]...), f.Alone[n.node])
		}
		for _, x := range f.Out[n.out[0]:n.out[1]] {
			dst = append(dst, math.Abs(f.In[arc]-x))
		}
		return append(dst, f.Death[arc])
	}
	width := n.out[1] - n.out[0] + 1
	from := n.block.Ptr[n.node] + n.row*width
	n.row++
	return append(dst[:0], n.block.D[from:from+width]...)
}

// cross notes the links over misses that cross the border at scan at, and where they come from.
func (b *Border) cross(inst *Instance, at int) {
	first := at
	var links []skip
	for _, l := range inst.skips {
		if int(l.from.T) <= at && int(l.to.T) > at {
			links = append(links, l)
			first = min(first, int(l.from.T))
		}
	}
	from := &inst.Scans[first]
	b.Before = []mtt.Scan{{Frame: from.Frame - 1, Time: from.Time - 1, Dim: from.Dim}}
	b.Dets = [][]int32{nil}
	shift := int32(1 - first)
	k := 0
	for t := first; t < at; t++ {
		var dets []int32 // by number, since links are in order
		for ; k < len(links) && int(links[k].from.T) == t; k++ {
			if n := len(dets); n == 0 || dets[n-1] != links[k].from.Det {
				dets = append(dets, links[k].from.Det)
			}
			links[k].from.Det = int32(len(dets) - 1)
		}
		b.Before = append(b.Before, inst.Scans[t].Pick(dets))
		b.Dets = append(b.Dets, inst.numbers(t, dets))
	}
	for _, l := range links {
		b.Links = append(b.Links, [2]chain.Node{{T: l.from.T + shift, Det: l.from.Det}, {T: l.to.T + shift, Det: l.to.Det}})
	}
}

// numbers are the numbers of detections of scan t in the scan that they were taken from.
func (inst *Instance) numbers(t int, dets []int32) []int32 {
	if t >= inst.Begin() {
		return dets
	}
	list := make([]int32, len(dets))
	for k, i := range dets {
		list[k] = inst.border.Dets[t][i]
	}
	return list
}

// Begin is the scan with which the window begins, its border on the left: those before it are what
// links over misses come from. It is 0 where there is no border.
func (inst *Instance) Begin() int {
	if inst.border == nil {
		return 0
	}
	return len(inst.border.Before)
}

// opens is the first scan from which links over misses are found.
func (inst *Instance) opens() int {
	if inst.border == nil {
		return 0
	}
	return inst.Begin() + 1
}

// context puts the gates of the scans before a border, which come first, before those of a window,
// and lists the links over misses across it.
func (b *Border) context(scans []mtt.Scan, gates []gating.CSR) ([]gating.CSR, []skip) {
	var empty []gating.CSR
	for t := range b.Before {
		n := scans[t].Len()
		empty = append(empty, gating.CSR{Rows: n, Cols: scans[t+1].Len(), Ptr: make([]int, n+1)})
	}
	var links []skip
	for _, l := range b.Links {
		links = append(links, skip{l[0], l[1]})
	}
	return slices.Concat(empty, gates), links
}

// settle makes the prices of the instance those of a window: what lies before the border costs
// nothing, and what leaves the nodes there the least that arcs into them leave for it.
func (inst *Instance) settle() {
	b := inst.border
	at := len(b.Before)
	for t := range at {
		g := &inst.Dual.Pairs[t]
		g.Cost, g.RowMiss, g.ColMiss = make([]float64, len(g.Cost)), make([]float64, g.Rows), make([]float64, g.Cols)
	}
	for t := 1; t < at; t++ {
		inst.Dual.Blocks[t-1] = inst.flat(t, func(int) (out []float64, end float64) { return nil, 0 })
	}
	inst.Dual.Blocks[at-1] = inst.rows(b.V, b.Death)
}

// rows is the block of the border in which arcs and deaths have a price whatever comes in.
func (inst *Instance) rows(arcs, deaths []float64) dualascent.Block {
	g := &inst.Dual.Pairs[inst.Begin()]
	return inst.flat(inst.Begin(), func(j int) ([]float64, float64) { return arcs[g.Ptr[j]:g.Ptr[j+1]], deaths[j] })
}

// flat is a block of scan t whose nodes have equal rows.
func (inst *Instance) flat(t int, row func(j int) (out []float64, end float64)) dualascent.Block {
	left, right := &inst.Dual.Pairs[t-1], &inst.Dual.Pairs[t]
	in := make([]int, right.Rows)
	for _, j := range left.Col {
		in[j]++
	}
	blk := dualascent.Block{Ptr: make([]int, right.Rows+1)}
	for j, n := range in {
		blk.Ptr[j+1] = blk.Ptr[j] + (n+1)*(right.Ptr[j+1]-right.Ptr[j]+1)
	}
	blk.D = make([]float64, blk.Ptr[right.Rows])
	for j, n := range in {
		out, end := row(j)
		d := blk.D[blk.Ptr[j]:blk.Ptr[j+1]]
		width := len(d) / (n + 1)
		for r := range n + 1 {
			copy(d[r*width:], out)
			d[(r+1)*width-1] = end
		}
	}
	return blk
}

// Chosen is the problem with the arcs into the border that were chosen: its answer is one of the scene,
// and costs what it does there. It differs from Dual in the block at the border, where nothing is
// cheaper than there. It shares memory with the instance, and is Dual where nothing lies before.
func (inst *Instance) Chosen() *dualascent.Instance {
	if inst.border == nil {
		return &inst.Dual
	}
	d := inst.Dual
	d.Blocks = slices.Clone(d.Blocks)
	d.Blocks[inst.Begin()-1] = inst.rows(inst.border.Row, inst.border.End)
	return &d
}

// Share is the part of the problem before scan to, where the next window begins under the multipliers
// given, or all of it when to is the last scan. Its least cost is the window's share of the bound. It
// shares memory with the instance.
func (inst *Instance) Share(prices []dualascent.Prices, to int) *dualascent.Instance {
	s := Part(&inst.Dual, to)
	if to == len(inst.Scans)-1 {
		return s
	}
	s.Pairs = slices.Clone(s.Pairs)
	g, u := &s.Pairs[to-1], &prices[to-1]
	g.Cost, g.ColMiss = slices.Clone(g.Cost), slices.Clone(g.ColMiss)
	for a := range g.Cost {
		g.Cost[a] += u.U[a]
	}
	for j := range g.ColMiss {
		g.ColMiss[j] += u.Birth[j]
	}
	return s
}

// Part is the part of a problem before scan to, without what its answer does to the nodes there.
func Part(d *dualascent.Instance, to int) *dualascent.Instance {
	return &dualascent.Instance{Pairs: d.Pairs[:to], Blocks: d.Blocks[:max(0, to-1)]}
}
