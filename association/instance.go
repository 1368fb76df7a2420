package association

import (
	"math"

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
// nodes. A coast node stands for "the target of detection From of the scan
// before is here, undetected"; its arcs lead to detections of the scan after.
type Instance struct {
	Scans []mtt.Scan
	Gates []gating.CSR // Gates[t]: gated pairs of Scans[t] and Scans[t+1]
	Coast [][]Coast    // Coast[t]: the coast nodes of frame t
	Dual  dualascent.Instance

	price costgen.Ends
}

// A Coast is a coast node. Prior ≥ 0 ties it to one in-arc of From: the target
// comes from detection Prior of the scan before From's. -1 leaves it open.
type Coast struct {
	From, Prior int32
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
	for t := 1; t < len(gates); t++ {
		b.block(t)
	}
	return inst
}

type builder struct {
	*Instance
	model costgen.Model
	skips []gating.CSR

	inCoast []int32 // sources of a node's in-arcs from coast nodes
	row     []float64
	exits   [][][]int32 // exits[t][c]: the detections of scan t+1 that coast node c of frame t leads to
}

// coasts chooses the coast nodes: one for each detection with a successor two
// scans on. Where velocities are not measured the motion past a miss can only
// be told with the detection before, so there is one for each in-arc. Exits
// that cost more than ending the track and beginning another are left out.
func (b *builder) coasts() {
	b.exits = make([][][]int32, len(b.Scans))
	if b.skips == nil {
		return
	}
	limit := b.price.Death + b.price.Birth - b.price.Miss
	tied := !measured(b.Scans)
	var before gating.CSC
	for t := 1; t+1 < len(b.Scans); t++ {
		skip := &b.skips[t-1]
		if tied && t >= 2 {
			gating.Transpose(&before, &b.Gates[t-2])
		}
		for i := range skip.Rows {
			out := skip.Row(i)
			if len(out) == 0 {
				continue
			}
			b.row = grow(b.row, len(out))
			if !tied || t < 2 {
				b.model.Starts(b.row, &b.Scans[t-1], i, &b.Scans[t+1], out)
				b.coast(t, Coast{From: int32(i), Prior: -1}, out, limit)
				continue
			}
			for _, h := range before.Row[before.Ptr[i]:before.Ptr[i+1]] {
				b.model.Triplets(b.row, len(out), &b.Scans[t-2], []int32{h}, &b.Scans[t-1], i, &b.Scans[t+1], out)
				b.coast(t, Coast{From: int32(i), Prior: h}, out, limit)
			}
		}
	}
}

// coast adds a coast node to frame t, with those of its exits, priced in b.row,
// that are within the limit.
func (b *builder) coast(t int, c Coast, out []int32, limit float64) {
	var exits []int32
	for s, k := range out {
		if b.row[s] <= limit {
			exits = append(exits, k)
		}
	}
	if len(exits) > 0 {
		b.Coast[t] = append(b.Coast[t], c)
		b.exits[t] = append(b.exits[t], exits)
	}
}

// nodes is the number of nodes of frame t.
func (b *builder) nodes(t int) int { return b.Scans[t].Len() + len(b.Coast[t]) }

// gap builds gap t.
func (b *builder) gap(t int) {
	from, to := &b.Scans[t], &b.Scans[t+1]
	n, m := from.Len(), to.Len()
	gate := &b.Gates[t]
	g := dualascent.Gap{Rows: b.nodes(t), Cols: b.nodes(t + 1)}
	nnz := gate.NNZ() + len(b.Coast[t+1])
	for _, out := range b.exits[t] {
		nnz += len(out)
	}
	g.Ptr = make([]int, g.Rows+1)
	g.Col = make([]int32, 0, nnz)
	g.Cost = make([]float64, nnz)
	next := 0 // coast node of frame t+1; they are ordered by From
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
		for ; next < len(b.Coast[t+1]) && int(b.Coast[t+1][next].From) == i; next++ {
			g.Cost[len(g.Col)] = b.price.Miss
			g.Col = append(g.Col, int32(m+next))
		}
		g.Ptr[i+1] = len(g.Col)
	}
	for c, coast := range b.Coast[t] {
		out := b.exits[t][c]
		lo := len(g.Col)
		g.Col = append(g.Col, out...)
		b.model.Pairs(g.Cost[lo:len(g.Col)], &b.Scans[t-1], int(coast.From), to, out)
		g.Ptr[n+c+1] = len(g.Col)
	}
	g.RowMiss, g.ColMiss = make([]float64, g.Rows), make([]float64, g.Cols) // coast nodes: 0
	death, birth := b.price.Death, b.price.Birth
	if t == 0 {
		// Priced against First for every detection of the first frame.
		death = min(death, b.price.Alarm-b.price.First)
	}
	if t == len(b.Gates)-1 {
		birth = min(birth, b.price.Alarm)
	}
	for i := range n {
		g.RowMiss[i] = death
	}
	for j := range m {
		g.ColMiss[j] = birth
	}
	b.Dual.Gaps = append(b.Dual.Gaps, g)
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
		} else {
			b.miss(d, t, b.Coast[t][j-n], out)
		}
	}
	b.Dual.Blocks = append(b.Dual.Blocks, blk)
}

// detection fills the block of detection j of scan t.
func (b *builder) detection(d []float64, t, j int, in, out []int32) {
	width := len(out) + 1
	n, m := b.Scans[t-1].Len(), b.Scans[t+1].Len()
	ins, outs := 0, 0 // how many are detections; coast nodes come after
	for ins < len(in) && int(in[ins]) < n {
		ins++
	}
	for outs < len(out) && int(out[outs]) < m {
		outs++
	}
	b.model.Triplets(d, width, &b.Scans[t-1], in[:ins], &b.Scans[t], j, &b.Scans[t+1], out[:outs])
	if ins < len(in) {
		b.inCoast = b.inCoast[:0]
		for _, c := range in[ins:] {
			b.inCoast = append(b.inCoast, b.Coast[t-1][int(c)-n].From)
		}
		b.model.Triplets(d[ins*width:], width, &b.Scans[t-2], b.inCoast, &b.Scans[t], j, &b.Scans[t+1], out[:outs])
	}
	born := d[len(in)*width:]
	b.model.Starts(born[:outs], &b.Scans[t], j, &b.Scans[t+1], out[:outs])
	for s, c := range out[outs:] {
		prior := b.Coast[t+1][int(c)-m].Prior
		for r := range len(in) + 1 {
			if prior >= 0 && (r >= ins || in[r] != prior) {
				d[r*width+outs+s] = math.Inf(1)
			}
		}
	}
	born[len(out)] = min(0, b.price.Alarm-b.price.Birth-b.price.Death)
}

// miss fills the block of a coast node of frame t. It has one in-arc. Used on
// both sides it is a link over two intervals, used on neither it costs nothing, and nothing
// else is allowed.
func (b *builder) miss(d []float64, t int, c Coast, out []int32) {
	if c.Prior < 0 {
		b.model.Starts(d[:len(out)], &b.Scans[t-1], int(c.From), &b.Scans[t+1], out)
	} else {
		b.model.Triplets(d, len(out)+1, &b.Scans[t-2], []int32{c.Prior}, &b.Scans[t-1], int(c.From), &b.Scans[t+1], out)
	}
	for s := len(out); s < 2*len(out)+1; s++ {
		d[s] = math.Inf(1)
	}
	d[2*len(out)+1] = 0
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
