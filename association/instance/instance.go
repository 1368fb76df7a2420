package instance

import (
	"context"
	"fmt"
	"math"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/slab"
	"mtt/internal/workers"
)

// This file builds the multi-frame assignment instance of gated scans.

// An Instance is the assignment problem of some scans: what the engine sees,
// and what its nodes stand for.
//
// The nodes of frame t are the detections of Scans[t], then the frame's coast
// nodes, through which links pass over missed detections.
type Instance struct {
	Scans []mtt.Scan
	Gates []gating.CSR // Gates[t]: gated pairs of Scans[t] and Scans[t+1]
	Coast [][]Coast    // Coast[t]: the coast nodes of frame t, ordered by the scan and detection they come from
	Dual  dualascent.Instance

	skips  []skip // links over misses, in order
	model  costgen.Model
	price  costgen.Ends
	passed costgen.Local // the model, where misses depend on place or sensor; nil: they do not
	border *Border       // what the scans take over from a window before them; nil: nothing lies before
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

// New prices the gated pairs of scans with a model. gates[t] is the pattern between
// scans t and t+1. The slices are kept. Nothing may be missed: a [Generator] adds
// links over missed detections.
func New(scans []mtt.Scan, gates []gating.CSR, model costgen.Model) *Instance {
	inst, _ := build(context.Background(), scans, gates, nil, model, nil, nil, 0)
	return inst
}

// build is New with links over misses, which are in order, and a border, whose scans come first;
// nil: none. Triplet costs are taken from an instance that differs only in that it lacks some of
// the links; nil: none is known. When ctx ends there is none, and its error is returned.
func build(ctx context.Context, scans []mtt.Scan, gates []gating.CSR, skips []skip, model costgen.Model, border *Border, from *Instance, goroutines int) (*Instance, error) {
	inst := &Instance{Scans: scans, Gates: gates, skips: skips, model: model, price: model.Ends(), passed: misser(model, scans), border: border}
	inst.coasts()
	if len(scans) < 2 {
		return inst, nil
	}
	inst.Dual.Pairs, inst.Dual.Blocks = make([]dualascent.FramePair, len(gates)), make([]dualascent.Block, len(gates)-1)
	builders, ends := make([]builder, min(workers.Count(goroutines), len(gates))), make([][]costgen.Ends, len(scans))
	for w := range builders {
		builders[w] = builder{Instance: inst, from: from, ctx: ctx, local: ends}
	}
	each := func(frames int, do func(b *builder, t int)) {
		workers.Until(ctx, len(builders), frames, func(w, t int) { do(&builders[w], t) })
	}
	if local, ok := model.(costgen.Local); ok {
		each(len(scans), func(b *builder, t int) { ends[t] = b.endsAt(local, t) })
	}
	each(len(gates), func(b *builder, t int) { inst.Dual.Pairs[t] = b.framePair(t) })
	valuer, ok := model.(costgen.LinkValuer)
	if !ok {
		each(len(gates)-1, func(b *builder, t int) { inst.Dual.Blocks[t] = b.block(t + 1) })
	} else {
		values := make([][]float64, len(gates)) // of the arcs of each frame pair
		each(len(gates), func(b *builder, t int) { values[t] = make([]float64, len(b.Dual.Pairs[t].Col)) })
		rows := stretches(inst.Dual.Pairs, stretchArcs)
		each(len(rows), func(b *builder, k int) { b.lengths(valuer, values[rows[k].pair], rows[k]) })
		each(len(gates)-1, func(b *builder, t int) { inst.Dual.Blocks[t] = b.valued(t+1, values[t], values[t+1]) })
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("instance: stopped: %w", err)
	}
	if border != nil {
		inst.settle()
	}
	return inst, nil
}

// Forget drops the costs. Links, Tracks and all that counts can be asked for still.
func (inst *Instance) Forget() {
	for t := range inst.Dual.Pairs {
		g := &inst.Dual.Pairs[t]
		g.Cost, g.RowMiss, g.ColMiss = nil, nil, nil
	}
	inst.Dual.Blocks = nil
}

// Links are the links of an assignment of inst.Dual, such as the Next of a
// dualascent.Result: next[t][i] is the arc taken by node i of frame t, -1 for none.
// Coast nodes are skipped.
func (inst *Instance) Links(next [][]int32) *chain.Links {
	c := chain.New(inst.Scans)
	for t := range inst.Dual.Pairs {
		g, n, m := &inst.Dual.Pairs[t], inst.Scans[t].Len(), inst.Scans[t+1].Len()
		for i, arc := range next[t] {
			if arc < 0 {
				continue
			}
			j := int(g.Col[arc])
			if j >= m {
				continue // into a coast node: the last arc says it all
			}
			from := chain.At(t, i)
			if i >= n {
				coast := inst.Coast[t][i-n]
				from = chain.At(int32(t)-coast.Since, coast.From)
			}
			c.Link(from, chain.At(t+1, j))
		}
	}
	return c
}

// After is where Links lead from detection i of scan t; chain.None: nowhere.
func (inst *Instance) After(next [][]int32, t, i int) chain.Node {
	if t == len(inst.Dual.Pairs) || next[t][i] < 0 {
		return chain.None
	}
	g, coasts := &inst.Dual.Pairs[t], inst.Coast[t+1]
	j, m := int(g.Col[next[t][i]]), g.Cols-len(coasts)
	if j < m {
		return chain.At(t+1, j)
	}
	coast := coasts[j-m] // who enters it goes on to its end
	return chain.At(int32(t+1)+coast.Until, coast.To)
}

// Tracks lists the tracks of an assignment, see Links. They are numbered by first frame, then first
// detection; a detection that is linked to no other is taken as a false alarm where false alarms
// are not dearer than a birth and a death. The time is linear in the nodes.
func (inst *Instance) Tracks(next [][]int32) []mtt.Track {
	return inst.Links(next).Tracks(inst.Scans, inst.Single())
}

// Single says whether a detection that is linked to no other is a track.
func (inst *Instance) Single() bool {
	return len(inst.Scans) == 1 || inst.price.Clutter >= inst.price.Birth+inst.price.Death
}

// A builder builds frame pairs and blocks, one after another; several do at once.
type builder struct {
	*Instance
	from *Instance // the same with fewer links; nil: none is known
	ctx  context.Context

	deaths  []float64        // prices of deaths, all equal: see ends
	births  []float64        // the same of births
	into    gating.CSC       // workspace of block
	local   [][]costgen.Ends // of the detections of each frame; nil of a frame: all have the price of the instance
	here    []costgen.Ends   // workspace of endsAt
	stock   slab.Stock[costgen.Ends]
	floats  slab.Stock[float64]
	ints    slab.Stock[int]
	in, out side
	row     []float64
}

// ended reports, for one in many numbers of a detection, whether nobody waits for what is built:
// then it may be left unfinished.
func (b *builder) ended(i int) bool { return i%64 == 0 && b.ctx.Err() != nil }

// framePair builds frame pair t.
func (b *builder) framePair(t int) dualascent.FramePair {
	from, to := &b.Scans[t], &b.Scans[t+1]
	n, m := from.Len(), to.Len()
	gate := &b.Gates[t]
	coasts, leave := b.Coast[t], b.Coast[t+1]
	next := 0 // of leave: those that begin here come last
	for next < len(leave) && leave[next].Since > 1 {
		next++
	}
	g := dualascent.FramePair{Rows: b.nodes(t), Cols: b.nodes(t + 1)}
	nnz := gate.NNZ() + len(leave) - next + len(coasts)
	g.Cost = b.floats.Make(nnz)
	if g.Rows == n && g.Cols == m { // the pattern is the same
		g.Ptr, g.Col = gate.Ptr, gate.Col
		for i := range n {
			if b.ended(i) {
				return g
			}
			b.links(g.Cost[g.Ptr[i]:g.Ptr[i+1]], t, i, t+1, gate.Row(i))
		}
		b.pairEnds(&g, t)
		return g
	}
	g.Ptr = make([]int, g.Rows+1)
	g.Col = make([]int32, 0, nnz)
	for i := range n {
		if b.ended(i) {
			return g
		}
		out := gate.Row(i)
		lo := len(g.Col)
		g.Col = append(g.Col, out...)
		b.links(g.Cost[lo:len(g.Col)], t, i, t+1, out)
		for ; next < len(leave) && int(leave[next].From) == i; next++ {
			g.Cost[len(g.Col)] = b.passing(t, leave[next])
			g.Col = append(g.Col, int32(m+next))
		}
		g.Ptr[i+1] = len(g.Col)
	}
	for k, c := range coasts {
		at := len(g.Col)
		g.Col = append(g.Col, c.Next)
		if c.Until > 1 {
			g.Cost[at] = b.passing(t, b.Coast[t+1][int(c.Next)-m])
		} else {
			b.links(g.Cost[at:at+1], t-int(c.Since), int(c.From), t+1, g.Col[at:])
		}
		g.Ptr[n+k+1] = len(g.Col)
	}
	b.pairEnds(&g, t)
	return g
}

// pairEnds prices the ends in frame pair t.
func (b *builder) pairEnds(g *dualascent.FramePair, t int) {
	// A death in the first frame is priced against First for every detection, and a birth
	// in the last is all there is of a track.
	death := func(p *costgen.Ends) float64 {
		if t == 0 {
			return min(p.Death, p.Clutter-p.First)
		}
		return p.Death
	}
	birth := func(p *costgen.Ends) float64 {
		if t == len(b.Gates)-1 {
			return min(p.Birth, p.Clutter)
		}
		return p.Birth
	}
	g.RowMiss, g.ColMiss = b.ends(&b.deaths, death, t, g.Rows), b.ends(&b.births, birth, t+1, g.Cols)
}

// links prices links, as far as they are not part of a block: a link from the first
// frame has none on its left.
func (b *builder) links(dst []float64, from, i, to int, out []int32) {
	b.model.Pairs(dst, &b.Scans[from], i, &b.Scans[to], out)
	if from > 0 {
		return
	}
	b.row = slab.Grow(b.row, len(out))
	b.model.Starts(b.row, &b.Scans[0], i, &b.Scans[to], out)
	for s, c := range b.row {
		dst[s] += c
	}
}

// ends are the prices of ends of the detections of frame t, and of the coast nodes after
// them, which cost nothing. Where all are equal, frame pairs that one builder builds share a slice, same.
func (b *builder) ends(same *[]float64, of func(p *costgen.Ends) float64, t, nodes int) []float64 {
	n, local := b.Scans[t].Len(), b.local[t]
	price := of(&b.price)
	if local == nil && n == nodes && len(*same) >= n && n > 0 && (*same)[0] == price {
		return (*same)[:n:n]
	}
	list := b.floats.Make(nodes)
	for i := range n {
		if list[i] = price; local != nil {
			list[i] = of(&local[i])
		}
	}
	if local == nil && n == nodes {
		*same = list
	}
	return list
}

// endsAt are the prices of the detections of frame t, or nil where they are those of the instance.
func (b *builder) endsAt(local costgen.Local, t int) []costgen.Ends {
	b.here = slab.Grow(b.here, b.Scans[t].Len())
	if !local.EndsAt(b.here, &b.Scans[t]) {
		return nil
	}
	list := b.stock.Make(len(b.here))
	copy(list, b.here)
	return list
}

// block builds the block of frame t, between frame pairs t−1 and t.
func (b *builder) block(t int) dualascent.Block {
	left, right := &b.Dual.Pairs[t-1], &b.Dual.Pairs[t]
	n := b.Scans[t].Len()
	ins := gating.Transpose(&b.into, &gating.CSR{Rows: left.Rows, Cols: left.Cols, Ptr: left.Ptr, Col: left.Col})
	blk := dualascent.Block{Ptr: b.ints.Make(right.Rows + 1)}
	for j := range right.Rows {
		blk.Ptr[j+1] = blk.Ptr[j] + (ins.Ptr[j+1]-ins.Ptr[j]+1)*(right.Ptr[j+1]-right.Ptr[j]+1)
	}
	blk.D = b.floats.Make(blk.Ptr[right.Rows])
	for j := range right.Rows {
		if b.ended(j) {
			return blk
		}
		d := blk.D[blk.Ptr[j]:blk.Ptr[j+1]]
		in := ins.Row[ins.Ptr[j]:ins.Ptr[j+1]]
		out := right.Col[right.Ptr[j]:right.Ptr[j+1]]
		if j < n {
			if was := b.before(t, j, len(in), len(out)); was != nil {
				copy(d, was)
				continue
			}
			b.detection(d, t, j, in, out)
			d[len(d)-1] = b.alone(t, j)
			continue
		}
		// A coast node is passed through or not there: nothing else.
		d[0], d[1], d[2], d[3] = 0, math.Inf(1), math.Inf(1), 0
	}
	return blk
}

// before are the costs of the block of detection j of scan t in the instance with fewer links, if
// it has as many arcs there, which then are the same; nil: it has not.
func (b *builder) before(t, j, in, out int) []float64 {
	if b.from == nil {
		return nil
	}
	was, right := &b.from.Dual.Blocks[t-1], &b.from.Dual.Pairs[t]
	d := was.D[was.Ptr[j]:was.Ptr[j+1]]
	if right.Ptr[j+1]-right.Ptr[j] != out || len(d) != (in+1)*(out+1) {
		return nil
	}
	return d
}

// detection fills the block of detection j of scan t. Among the arcs on each side
// those of detections come first, then those of coast nodes, by scan.
func (b *builder) detection(d []float64, t, j int, in, out []int32) {
	b.in.left(b.Instance, t-1, in)
	b.out.right(b.Instance, t+1, out)
	at, width := &b.Scans[t], len(out)+1
	born := d[len(in)*width:]
	for _, o := range b.out.groups {
		to, heads := &b.Scans[o.scan], b.out.dets[o.lo:o.hi]
		b.model.Starts(born[o.lo:o.hi], at, j, to, heads)
		for _, i := range b.in.groups {
			b.model.Triplets(d[i.lo*width+o.lo:], width, &b.Scans[i.scan], b.in.dets[i.lo:i.hi], at, j, to, heads)
		}
	}
}

// valued builds the block of frame t, between frame pairs t−1 and t, out of the values of their arcs.
func (b *builder) valued(t int, in, out []float64) dualascent.Block {
	left, right := &b.Dual.Pairs[t-1], &b.Dual.Pairs[t]
	n := b.Scans[t].Len()
	f := &dualascent.Differences{
		In: in, Out: out,
		Birth: make([]float64, len(right.Col)), Death: make([]float64, len(left.Col)), Alone: make([]float64, right.Rows),
	}
	for j := range n {
		if b.ended(j) {
			return dualascent.Block{}
		}
		f.Alone[j] = b.alone(t, j)
		b.out.right(b.Instance, t+1, right.Col[right.Ptr[j]:right.Ptr[j+1]])
		birth := f.Birth[right.Ptr[j]:right.Ptr[j+1]]
		for _, o := range b.out.groups {
			b.model.Starts(birth[o.lo:o.hi], &b.Scans[t], j, &b.Scans[o.scan], b.out.dets[o.lo:o.hi])
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
	return f.Block(left, right)
}

// lengths sets the values of the arcs of some rows of a frame pair, in dst, which has those of all. All
// arcs of a link over misses have that of the link.
func (b *builder) lengths(valuer costgen.LinkValuer, dst []float64, of stretch) {
	t := of.pair
	g, n := &b.Dual.Pairs[t], b.Scans[t].Len()
	for i := of.from; i < of.to; i++ {
		if b.ended(i) {
			return
		}
		own := dst[g.Ptr[i]:g.Ptr[i+1]]
		if i >= n {
			c := b.Coast[t][i-n]
			valuer.LinkValues(own, &b.Scans[t-int(c.Since)], int(c.From), &b.Scans[t+int(c.Until)], []int32{c.To})
			continue
		}
		b.out.right(b.Instance, t+1, g.Col[g.Ptr[i]:g.Ptr[i+1]])
		for _, o := range b.out.groups {
			valuer.LinkValues(own[o.lo:o.hi], &b.Scans[t], i, &b.Scans[o.scan], b.out.dets[o.lo:o.hi])
		}
	}
}

// A stretch is the rows from ≤ i < to of a frame pair.
type stretch struct{ pair, from, to int }

// stretchArcs is the number of arcs of a stretch: some 0.5 ms of the dearest values. Where targets set
// out from one place the first frame pair has most of all arcs, and would keep one core alone at work.
const stretchArcs = 4096

// stretches cuts the rows of frame pairs where they have so many arcs.
func stretches(pairs []dualascent.FramePair, arcs int) (list []stretch) {
	for t := range pairs {
		g, from := &pairs[t], 0
		for i := range g.Rows {
			if g.Ptr[i+1]-g.Ptr[from] >= arcs || i+1 == g.Rows {
				list, from = append(list, stretch{t, from, i + 1}), i+1
			}
		}
	}
	return list
}

// alone is the block cost of a birth and a death at detection j of frame t: a false alarm.
func (b *builder) alone(t, j int) float64 {
	p := &b.price
	if local := b.local[t]; local != nil {
		p = &local[j]
	}
	return min(0, p.Clutter-p.Birth-p.Death)
}
