package metrics

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"mtt/dualascent"
	"mtt/internal/forest"
	"mtt/internal/workers"
)

// This file solves the parts of a pairing: sets of options that neither couplings nor
// exclusions join to others.
//
// A part is a multi-frame assignment problem with triplet costs. Half of what changes
// from frame to frame belongs to targets and half to tracks, |w[k+1] − w[k]| summed over
// the pairs of a target being twice its switches, and as well over those of a track, so
// all of it can be charged to either. Gap k of the instance therefore is frame k;
// at even boundaries its nodes are targets, at odd ones tracks, and the matrix of a node
// has the price of going from one partner to another: h for the pair that ends
// and h for the one that begins. The relaxation of the engine, a transport between the
// weights of both frames at that price, is the linear programming form of the metric.

// A weight is a variable of a part: an option, or one that was passed over because it
// excluded nothing, in a frame of the part.
type weight struct {
	row, col   int32
	cost       float64
	option     int32 // none: passed over
	prev, next int32 // weight of the same pair in the frames beside; none: not coupled
	tail, head int32
}

// A pairPart builds and solves one part.
type pairPart struct {
	p      *pairing
	frames []int32
	list   [][]weight // of each frame
}

// A spot is where an option's weight is.
type spot struct{ frame, at int32 }

// An excess is by how much less than an answer costs the relaxed form is, at least and at most, and
// the exact form may be.
type excess struct{ more, most, exact float64 }

// solve solves all parts, side by side, the largest first. Their answers become chosen and switches.
func (p *pairing) solve(ctx context.Context) (sum excess, err error) {
	weight := make([]bool, len(p.options))
	var parts [][]int32
	for _, part := range p.parts() {
		if len(part) == 1 {
			weight[part[0]] = p.alone(part[0]) < 0
		} else {
			parts = append(parts, part)
		}
	}
	slices.SortStableFunc(parts, func(a, b []int32) int { return cmp.Compare(len(b), len(a)) })
	p.spots = make([]spot, len(p.options))
	less, errs := make([]excess, len(parts)), make([]error, len(parts))
	if err := workers.Until(ctx, workers.Count(0), len(parts), func(_, k int) {
		less[k], errs[k] = p.solvePart(ctx, parts[k], weight)
	}); err != nil {
		return sum, err
	}
	for k, x := range less {
		if errs[k] != nil {
			return sum, errs[k]
		}
		sum.more += x.more
		sum.most += x.most
		sum.exact += x.exact
	}
	differs := func(a, b bool) {
		if a != b {
			p.sum.switches += 0.5
		}
	}
	for k, w := range weight {
		x := &p.options[k]
		if w && x.entry != none {
			p.chosen[x.entry] = true
		}
		if x.prev == apart || x.prev == joint {
			differs(w, x.prev == joint)
		}
		switch {
		case x.next >= 0:
			differs(w, weight[x.next])
		case x.next == apart || x.next == joint:
			differs(w, x.next == joint)
		}
	}
	return sum, nil
}

// alone is the cost of an option against leaving it out, couplings to other options
// aside.
func (p *pairing) alone(k int32) float64 {
	x := &p.options[k]
	cost := -p.worth(x)
	for _, beside := range [2]int32{x.prev, x.next} {
		switch beside {
		case apart:
			cost += p.cost
		case joint:
			cost -= p.cost
		}
	}
	return cost
}

// parts lists the options of each part, in order of frames, parts in order of their
// first options.
func (p *pairing) parts() [][]int32 {
	joined := forest.New(len(p.options))
	list := p.byFrame()
	rows, cols := slices.Repeat([]int32{none}, len(p.s.truth.of)), slices.Repeat([]int32{none}, len(p.s.tracks.of))
	for _, k := range list {
		x := &p.options[k]
		if x.next >= 0 {
			joined.Join(k, x.next)
		}
		for _, last := range [2]*int32{&rows[x.row], &cols[x.col]} {
			if *last != none && p.options[*last].frame == x.frame {
				joined.Join(*last, k)
			}
			*last = k
		}
	}
	label := joined.Labels()
	number := slices.Repeat([]int32{none}, len(p.options)) // label → part
	var parts [][]int32
	for _, k := range list {
		r := label[k]
		if number[r] == none {
			number[r] = int32(len(parts))
			parts = append(parts, nil)
		}
		parts[number[r]] = append(parts[number[r]], k)
	}
	return parts
}

// solvePart sets the weights of a part.
func (p *pairing) solvePart(ctx context.Context, options []int32, chosen []bool) (excess, error) {
	if len(options) >= manyOptions {
		return p.solvePriced(ctx, options, chosen)
	}
	q := p.newPart(options)
	inst, err := q.instance(ctx)
	if err != nil {
		return excess{}, err
	}
	res, err := q.solve(ctx, inst)
	if err != nil {
		return excess{}, err
	}
	q.choose(res, chosen)
	x, ok := q.open(res, res.Certified)
	if ok {
		return x, nil
	}
	c := p.newPricing(options)
	c.look(q, inst, res.Prices)
	return c.relax(ctx, chosen, res.UpperBound, res.UpperBound-x.exact)
}

// solve solves the instance of q.
func (q *pairPart) solve(ctx context.Context, inst *dualascent.Instance) (*dualascent.Result, error) {
	return dualascent.Solve(ctx, inst, &dualascent.Options{Workers: 1, Effort: effort(inst), Whole: true})
}

// effort is how far a part is searched: a small one to the end.
func effort(inst *dualascent.Instance) float64 {
	const small = 20_000 // costs
	if inst.Arcs()+inst.Triplets() < small {
		return math.Inf(1)
	}
	return 0
}

// choose notes the weights that are 1.
func (q *pairPart) choose(res *dualascent.Result, chosen []bool) {
	q.each(res, func(option int32) { chosen[option] = true })
}

// each calls do for the options whose weights are 1.
func (q *pairPart) each(res *dualascent.Result, do func(option int32)) {
	for f, next := range res.Next {
		for _, a := range next {
			if a >= 0 && q.list[f][a].option != none {
				do(q.list[f][a].option)
			}
		}
	}
}

// open is how much less than the answer both forms may be, where prices prove a bound. ok says that
// the relaxed form is found.
func (q *pairPart) open(res *dualascent.Result, bound float64) (x excess, ok bool) {
	if q.p.proved(res.UpperBound, bound) {
		return excess{}, true
	}
	x.most = res.UpperBound - bound
	x.exact = max(0, min(x.most, res.UpperBound-res.LowerBound-1e-9*math.Abs(res.UpperBound))) // the exact form is proved by search
	if least, ok := q.relaxed(); ok {
		// The simplex method is believed where both bounds allow for it.
		if slack := 1e-7 * (1 + math.Abs(res.UpperBound)); least <= res.UpperBound+slack && least >= bound-slack {
			x.more = max(0, res.UpperBound-least)
			x.most = x.more
			return x, true
		}
	}
	return x, false
}

// proved says whether a bound meets an answer to within rounding.
func (p *pairing) proved(upper, lower float64) bool { return upper-lower <= p.rounding(upper) }

// rounding is that of a cost.
func (p *pairing) rounding(cost float64) float64 { return 1e-9 * (math.Abs(cost) + p.cost) }

// newPart lists the weights of a part, frame by frame.
func (p *pairing) newPart(options []int32) *pairPart {
	q := &pairPart{p: p}
	for _, k := range options {
		p.spots[k] = q.add(&p.options[k], p.alone(k), k)
	}
	for _, k := range options {
		if next := p.options[k].next; next >= 0 {
			q.tie(p.spots[k], p.spots[next])
		}
	}
	return q
}

// add lists the weight of an option, of no earlier frame than those before, under a number.
func (q *pairPart) add(x *option, cost float64, number int32) spot {
	if n := len(q.frames); n == 0 || q.frames[n-1] != x.frame {
		q.frames = append(q.frames, x.frame)
		q.list = append(q.list, nil)
	}
	f := len(q.frames) - 1
	q.list[f] = append(q.list[f], weight{row: x.row, col: x.col, cost: cost, option: number, prev: none, next: none})
	return spot{int32(f), int32(len(q.list[f]) - 1)}
}

// tie couples two weights of a pair, and those between, which are passed over.
func (q *pairPart) tie(at, to spot) {
	x := q.list[at.frame][at.at]
	for at.frame+1 < to.frame {
		next := spot{at.frame + 1, int32(len(q.list[at.frame+1]))}
		q.list[next.frame] = append(q.list[next.frame], weight{row: x.row, col: x.col, option: none, prev: none, next: none})
		q.couple(at, next)
		at = next
	}
	q.couple(at, to)
}

// couple notes that two weights are of one pair in frames that follow each other.
func (q *pairPart) couple(a, b spot) {
	q.list[a.frame][a.at].next = b.at
	q.list[b.frame][b.at].prev = a.at
}

// node is what a weight is tied to at a boundary.
func (w *weight) node(boundary int) int32 {
	if boundary%2 == 0 {
		return w.row
	}
	return w.col
}

// instance poses the part. The weights of each frame are sorted: number a is arc a.
func (q *pairPart) instance(ctx context.Context) (*dualascent.Instance, error) {
	n := len(q.list)
	nodes := make([][]int32, n+1)
	for b := range nodes {
		for f := max(0, b-1); f <= min(n-1, b); f++ {
			for k := range q.list[f] {
				nodes[b] = append(nodes[b], q.list[f][k].node(b))
			}
		}
		slices.Sort(nodes[b])
		nodes[b] = slices.Compact(nodes[b])
	}
	for f := range q.list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q.sort(f, nodes[f], nodes[f+1])
	}
	inst := &dualascent.Instance{Pairs: make([]dualascent.FramePair, n)}
	for f, list := range q.list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g := &inst.Pairs[f]
		g.Rows, g.Cols = len(nodes[f]), len(nodes[f+1])
		g.Ptr, g.RowMiss, g.ColMiss = make([]int, g.Rows+1), make([]float64, g.Rows), make([]float64, g.Cols)
		for k := range list {
			g.Ptr[list[k].tail+1]++
			g.Col, g.Cost = append(g.Col, list[k].head), append(g.Cost, list[k].cost)
		}
		for i := range g.Rows {
			g.Ptr[i+1] += g.Ptr[i]
		}
		if f > 0 {
			inst.Blocks = append(inst.Blocks, q.block(f, g))
		}
	}
	return inst, nil
}

// sort orders the weights of frame f by tail and head.
func (q *pairPart) sort(f int, tails, heads []int32) {
	list := q.list[f]
	order := make([]int32, len(list)) // new place → old
	for k := range list {
		w := &list[k]
		i, _ := slices.BinarySearch(tails, w.node(f))
		j, _ := slices.BinarySearch(heads, w.node(f+1))
		w.tail, w.head = int32(i), int32(j)
		order[k] = int32(k)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(list[a].tail, list[b].tail), cmp.Compare(list[a].head, list[b].head))
	})
	sorted := make([]weight, len(list))
	for k, from := range order {
		w := list[from]
		sorted[k] = w
		if w.prev != none {
			q.list[f-1][w.prev].next = int32(k)
		}
		if w.next != none {
			q.list[f+1][w.next].prev = int32(k)
		}
	}
	q.list[f] = sorted
}

// change is what the end or the begin of a pair costs where its weight is coupled to the given one.
func (q *pairPart) change(coupled int32) float64 {
	if coupled == none {
		return 0
	}
	return q.p.cost
}

// block is the price of changing partners between frames f−1 and f.
func (q *pairPart) block(f int, g *dualascent.FramePair) dualascent.Block {
	left, right := q.list[f-1], q.list[f]
	in := make([][]int32, g.Rows)
	for k := range left {
		in[left[k].head] = append(in[left[k].head], int32(k))
	}
	b := dualascent.Block{Ptr: make([]int, 1, g.Rows+1)}
	size := 0
	for j := range g.Rows {
		size += (len(in[j]) + 1) * (g.Ptr[j+1] - g.Ptr[j] + 1)
	}
	b.D = make([]float64, 0, size)
	for j := range g.Rows {
		for r := 0; r <= len(in[j]); r++ {
			ends, follows := 0.0, int32(none)
			if r < len(in[j]) {
				follows = left[in[j][r]].next
				ends = q.change(follows)
			}
			for k := g.Ptr[j]; k < g.Ptr[j+1]; k++ {
				if int32(k) == follows {
					b.D = append(b.D, 0)
				} else {
					b.D = append(b.D, ends+q.change(right[k].prev))
				}
			}
			b.D = append(b.D, ends)
		}
		b.Ptr = append(b.Ptr, len(b.D))
	}
	return b
}

// relaxed is the optimum of the part's linear programme, by the simplex method; false
// where it is too large for that, or the method fails.
func (q *pairPart) relaxed() (least float64, ok bool) {
	const most = 160 // constraints: a step of gonum's dense method takes their third power
	type group struct {
		frame int
		row   bool
		of    int32
	}
	number := make(map[group]int) // of a constraint: at most one partner
	first := make([]int, len(q.list))
	weights, couplings := 0, 0
	for f, list := range q.list {
		first[f] = weights
		for k := range list {
			weights++
			for _, g := range [2]group{{f, true, list[k].row}, {f, false, list[k].col}} {
				if _, ok := number[g]; !ok {
					number[g] = len(number)
				}
			}
			if list[k].next != none {
				couplings++
			}
		}
	}
	m := len(number) + couplings
	if m > most {
		return 0, false
	}
	// Variables: weights, a slack for each group, a rise and a fall for each coupling.
	n := weights + len(number) + 2*couplings
	a, b, c := mat.NewDense(m, n, nil), make([]float64, m), make([]float64, n)
	basis := make([]int, m)
	at := len(number)
	for g, r := range number {
		a.Set(r, weights+r, 1)
		b[r], basis[r] = 1, weights+r
		for k := range q.list[g.frame] {
			if w := &q.list[g.frame][k]; g.row && w.row == g.of || !g.row && w.col == g.of {
				a.Set(r, first[g.frame]+k, 1)
			}
		}
	}
	for f, list := range q.list {
		for k := range list {
			c[first[f]+k] = list[k].cost
			if list[k].next == none {
				continue
			}
			up := weights + len(number) + 2*(at-len(number))
			a.Set(at, first[f]+k, 1)
			a.Set(at, first[f+1]+int(list[k].next), -1)
			a.Set(at, up, 1)
			a.Set(at, up+1, -1)
			c[up], c[up+1] = q.p.cost, q.p.cost
			basis[at] = up
			at++
		}
	}
	least, _, err := lp.Simplex(c, a, b, 1e-10, basis)
	return least, err == nil
}
