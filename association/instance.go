package association

import (
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
)

// This file builds the multi-frame assignment instance of gated scans.

// An Instance is the assignment problem of some scans: what the engine sees,
// and what its nodes stand for.
//
// The nodes of frame t are the detections of Scans[t], then the frame's coast
// nodes. A coast node stands for "a target is here, undetected, on its way from
// a detection of the scan before to one of the scan after".
type Instance struct {
	Scans []mtt.Scan
	Gates []gating.CSR // Gates[t]: gated pairs of Scans[t] and Scans[t+1]
	Coast [][]Coast    // Coast[t]: the coast nodes of frame t, ordered by From, then To
	Dual  dualascent.Instance

	price costgen.Ends
}

// A Coast is a coast node: its one arc in comes from detection From of the scan
// before its frame, its one arc out leads to detection To of the scan after.
type Coast struct {
	From, To int32
}

// Arcs and Triplets count pairs and triplets of detections, coast nodes left out.
func (inst *Instance) Arcs() int {
	n := 0
	for t := range inst.Gates {
		n += inst.Gates[t].NNZ()
	}
	return n
}

// Triplets counts the gated triplets of detections.
func (inst *Instance) Triplets() int {
	n := 0
	for t := 1; t < len(inst.Gates); t++ {
		next := &inst.Gates[t]
		for _, j := range inst.Gates[t-1].Col {
			n += next.Ptr[j+1] - next.Ptr[j]
		}
	}
	return n
}

// NewInstance prices the gated pairs of scans with a model. gates[t] is the
// pattern between scans t and t+1. skips, when not nil, allows one missed
// detection: skips[t] is the pattern between scans t and t+2. The slices are
// kept.
func NewInstance(scans []mtt.Scan, gates, skips []gating.CSR, model costgen.Model) *Instance {
	inst := &Instance{Scans: scans, Gates: gates, Coast: make([][]Coast, len(scans)), price: model.Ends()}
	if len(scans) < 2 {
		return inst
	}
	b := &builder{Instance: inst, model: model, skips: skips}
	b.coasts()
	for t := range gates {
		b.gap(t)
	}
	b.features, _ = model.(costgen.Featured)
	for t := 1; t < len(gates); t++ {
		if b.features != nil {
			b.featured(t)
		} else {
			b.block(t)
		}
	}
	return inst
}

type builder struct {
	*Instance
	model costgen.Model
	skips []gating.CSR

	features costgen.Featured // the model, if it is one
	before   []float64        // features of the gap before

	same    []float64 // prices of ends, all equal: see ends
	into    []int32   // workspace of links
	row     []float64
	least   []float64
	reverse gating.CSC
}

// coasts chooses the coast nodes: one for each pair of detections two scans
// apart whose link can be cheaper than ending one track and beginning another.
func (b *builder) coasts() {
	if b.skips == nil {
		return
	}
	limit := b.price.Death + b.price.Birth - b.price.Miss
	vel := measured(b.Scans)
	var arrived [][]int32 // of a detection of scan t−1: where coast nodes of frame t−2 come from
	for t := 1; t+1 < len(b.Scans); t++ {
		from, to, skip := &b.Scans[t-1], &b.Scans[t+1], &b.skips[t-1]
		if t >= 2 {
			gating.Transpose(&b.reverse, &b.Gates[t-2])
		}
		if t >= 3 {
			arrived = make([][]int32, from.Len())
			for _, c := range b.Coast[t-2] {
				arrived[c.To] = append(arrived[c.To], c.From)
			}
		}
		for i := range skip.Rows {
			out := skip.Row(i)
			if len(out) == 0 {
				continue
			}
			b.least = grow(b.least, len(out))
			for s := range out {
				b.least[s] = math.Inf(1)
			}
			b.row = grow(b.row, len(out))
			better := func() {
				for s, c := range b.row {
					b.least[s] = min(b.least[s], c)
				}
			}
			if vel || t == 1 { // a prior velocity alone would let everything pass
				b.model.Starts(b.row, from, i, to, out)
				better()
			}
			if t >= 2 {
				for _, h := range b.reverse.Row[b.reverse.Ptr[i]:b.reverse.Ptr[i+1]] {
					b.model.Triplets(b.row, len(out), &b.Scans[t-2], []int32{h}, from, i, to, out)
					better()
				}
			}
			if t >= 3 {
				for _, h := range arrived[i] {
					b.model.Triplets(b.row, len(out), &b.Scans[t-3], []int32{h}, from, i, to, out)
					better()
				}
			}
			for s, k := range out {
				if b.least[s] <= limit {
					b.Coast[t] = append(b.Coast[t], Coast{int32(i), k})
				}
			}
		}
	}
}

// nodes is the number of nodes of frame t.
func (b *builder) nodes(t int) int { return b.Scans[t].Len() + len(b.Coast[t]) }

// gap builds gap t.
func (b *builder) gap(t int) {
	from, to := &b.Scans[t], &b.Scans[t+1]
	n, m := from.Len(), to.Len()
	gate := &b.Gates[t]
	leave, arrive := b.Coast[t+1], b.Coast[t]
	g := dualascent.Gap{Rows: b.nodes(t), Cols: b.nodes(t + 1)}
	nnz := gate.NNZ() + len(leave) + len(arrive)
	g.Ptr = make([]int, g.Rows+1)
	g.Col = make([]int32, 0, nnz)
	g.Cost = make([]float64, nnz)
	next := 0 // of leave
	for i := range n {
		out := gate.Row(i)
		lo := len(g.Col)
		g.Col = append(g.Col, out...)
		cost := g.Cost[lo:len(g.Col)]
		b.model.Pairs(cost, from, i, to, out)
		if t == 0 {
			b.row = grow(b.row, len(out))
			b.model.Starts(b.row, from, i, to, out)
			for s, c := range b.row {
				cost[s] += c
			}
		}
		for ; next < len(leave) && int(leave[next].From) == i; next++ {
			g.Cost[len(g.Col)] = b.price.Miss
			g.Col = append(g.Col, int32(m+next))
		}
		g.Ptr[i+1] = len(g.Col)
	}
	for c, coast := range arrive {
		at := len(g.Col)
		g.Col = append(g.Col, coast.To)
		b.model.Pairs(g.Cost[at:at+1], &b.Scans[t-1], int(coast.From), to, g.Col[at:])
		if t == 1 {
			b.row = grow(b.row, 1)
			b.model.Starts(b.row, &b.Scans[0], int(coast.From), to, g.Col[at:])
			g.Cost[at] += b.row[0]
		}
		g.Ptr[n+c+1] = len(g.Col)
	}
	if len(leave)+len(arrive) == 0 {
		g.Ptr, g.Col = gate.Ptr, gate.Col // the same, once
	}
	death, birth := b.price.Death, b.price.Birth
	if t == 0 {
		// Priced against First for every detection of the first frame.
		death = min(death, b.price.Alarm-b.price.First)
	}
	if t == len(b.Gates)-1 {
		birth = min(birth, b.price.Alarm)
	}
	g.RowMiss, g.ColMiss = b.ends(death, n, g.Rows), b.ends(birth, m, g.Cols)
	b.Dual.Gaps = append(b.Dual.Gaps, g)
}

// ends are the prices of ends of n detections and of the coast nodes after them,
// which cost nothing. Where there are none, gaps share a slice.
func (b *builder) ends(price float64, n, nodes int) []float64 {
	if n == nodes && len(b.same) >= n && n > 0 && b.same[0] == price {
		return b.same[:n:n]
	}
	list := make([]float64, nodes)
	for i := range n {
		list[i] = price
	}
	if n == nodes {
		b.same = list
	}
	return list
}

// block builds the block of frame t, between gaps t−1 and t.
func (b *builder) block(t int) {
	left, right := &b.Dual.Gaps[t-1], &b.Dual.Gaps[t]
	n := b.Scans[t].Len()
	degree := make([]int, right.Rows)
	for _, j := range left.Col {
		degree[j]++
	}
	blk := dualascent.Block{Ptr: make([]int, right.Rows+1)}
	for j := range right.Rows {
		blk.Ptr[j+1] = blk.Ptr[j] + (degree[j]+1)*(right.Ptr[j+1]-right.Ptr[j]+1)
	}
	blk.D = make([]float64, blk.Ptr[right.Rows])
	// In-arcs by head, tails ascending.
	ptr := make([]int, right.Rows+1)
	for j, d := range degree {
		ptr[j+1] = ptr[j] + d
	}
	tail := make([]int32, len(left.Col))
	fill := append([]int(nil), ptr[:right.Rows]...)
	for i := range left.Rows {
		for _, j := range left.Col[left.Ptr[i]:left.Ptr[i+1]] {
			tail[fill[j]] = int32(i)
			fill[j]++
		}
	}
	for j := range right.Rows {
		d := blk.D[blk.Ptr[j]:blk.Ptr[j+1]]
		in := tail[ptr[j]:ptr[j+1]]
		out := right.Col[right.Ptr[j]:right.Ptr[j+1]]
		if j < n {
			b.detection(d, t, j, in, out)
			continue
		}
		// A coast node is passed through or not there: nothing else.
		d[0], d[1], d[2], d[3] = 0, math.Inf(1), math.Inf(1), 0
	}
	b.Dual.Blocks = append(b.Dual.Blocks, blk)
}

// detection fills the block of detection j of scan t. Among the arcs on each
// side those of detections come first, then those of coast nodes.
func (b *builder) detection(d []float64, t, j int, in, out []int32) {
	width := len(out) + 1
	n, m := b.Scans[t-1].Len(), b.Scans[t+1].Len()
	ins, outs := 0, 0
	for ins < len(in) && int(in[ins]) < n {
		ins++
	}
	for outs < len(out) && int(out[outs]) < m {
		outs++
	}
	b.into = b.into[:0] // then detections that coast nodes stand for
	for _, c := range in[ins:] {
		b.into = append(b.into, b.Coast[t-1][int(c)-n].From)
	}
	from := len(b.into)
	for _, c := range out[outs:] {
		b.into = append(b.into, b.Coast[t+1][int(c)-m].To)
	}
	before, after := b.into[:from], b.into[from:]
	at, born := &b.Scans[t], d[len(in)*width:]
	b.model.Triplets(d, width, &b.Scans[t-1], in[:ins], at, j, &b.Scans[t+1], out[:outs])
	b.model.Starts(born[:outs], at, j, &b.Scans[t+1], out[:outs])
	if len(before) > 0 {
		b.model.Triplets(d[ins*width:], width, &b.Scans[t-2], before, at, j, &b.Scans[t+1], out[:outs])
	}
	if len(after) > 0 {
		b.model.Triplets(d[outs:], width, &b.Scans[t-1], in[:ins], at, j, &b.Scans[t+2], after)
		b.model.Starts(born[outs:len(out)], at, j, &b.Scans[t+2], after)
	}
	if len(before) > 0 && len(after) > 0 {
		b.model.Triplets(d[ins*width+outs:], width, &b.Scans[t-2], before, at, j, &b.Scans[t+2], after)
	}
	born[len(out)] = b.alone()
}

// featured builds the block of frame t, between gaps t−1 and t, out of features.
func (b *builder) featured(t int) {
	left, right := &b.Dual.Gaps[t-1], &b.Dual.Gaps[t]
	if t == 1 {
		b.before = b.lengths(0)
	}
	n, m := b.Scans[t].Len(), b.Scans[t+1].Len()
	f := &dualascent.Features{
		In: b.before, Out: b.lengths(t),
		Birth: make([]float64, len(right.Col)), Death: make([]float64, len(left.Col)), Alone: make([]float64, right.Rows),
	}
	b.before = f.Out
	for j := range n {
		f.Alone[j] = b.alone()
		out := right.Col[right.Ptr[j]:right.Ptr[j+1]]
		birth := f.Birth[right.Ptr[j]:right.Ptr[j+1]]
		near := b.near(out, m)
		b.model.Starts(birth, &b.Scans[t], j, &b.Scans[t+1], out[:near])
		if far := b.beyond(t+1, out[near:]); len(far) > 0 {
			b.model.Starts(birth[near:], &b.Scans[t], j, &b.Scans[t+2], far)
		}
	}
	// A coast node is passed through or not there: nothing else.
	for e := right.Ptr[n]; e < len(f.Birth); e++ {
		f.Birth[e] = math.Inf(1)
	}
	for a, j := range left.Col {
		if int(j) >= n {
			f.Death[a] = math.Inf(1)
		}
	}
	b.Dual.Blocks = append(b.Dual.Blocks, f.Block(left, right))
}

// lengths are the features of the arcs of gap t. Both arcs of a coast node have that
// of the link which they make.
func (b *builder) lengths(t int) []float64 {
	g := &b.Dual.Gaps[t]
	dst := make([]float64, len(g.Col))
	n, m := b.Scans[t].Len(), b.Scans[t+1].Len()
	for i := range n {
		out := g.Col[g.Ptr[i]:g.Ptr[i+1]]
		own := dst[g.Ptr[i]:g.Ptr[i+1]]
		near := b.near(out, m)
		b.features.Features(own, &b.Scans[t], i, &b.Scans[t+1], out[:near])
		if far := b.beyond(t+1, out[near:]); len(far) > 0 {
			b.features.Features(own[near:], &b.Scans[t], i, &b.Scans[t+2], far)
		}
	}
	for c, coast := range b.Coast[t] {
		e := g.Ptr[n+c]
		b.features.Features(dst[e:], &b.Scans[t-1], int(coast.From), &b.Scans[t+1], g.Col[e:e+1])
	}
	return dst
}

// near is the number of nodes in list, ascending, that are among n detections.
func (b *builder) near(list []int32, n int) int {
	k, _ := slices.BinarySearch(list, int32(n))
	return k
}

// beyond are the detections that the given coast nodes of frame t lead to.
func (b *builder) beyond(t int, nodes []int32) []int32 {
	b.into = b.into[:0]
	for _, c := range nodes {
		b.into = append(b.into, b.Coast[t][int(c)-b.Scans[t].Len()].To)
	}
	return b.into
}

// alone is the block cost of a birth and a death at one detection: a false alarm.
func (b *builder) alone() float64 {
	return min(0, b.price.Alarm-b.price.Birth-b.price.Death)
}

// measured says whether velocities are measured.
func measured(scans []mtt.Scan) bool {
	for t := range scans {
		if scans[t].Len() > 0 {
			return scans[t].Vel != nil
		}
	}
	return false
}

// grow returns s with length n, its contents undefined.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
