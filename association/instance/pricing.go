package instance

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/slab"
	"mtt/internal/workers"
	"mtt/mapsolver"
)

// This file finds the links over missed detections that matter.
//
// Every detection could be linked to its target's detections two, three, … frames
// on, and to those of others near by; as nodes and arcs these links would
// outweigh all the rest, and few are ever used. So they are generated (column
// generation): the problem is solved without them, and its prices say of each
// what it could save. Those that could save something enter the problem, which is
// solved again, until there are none.
//
// For a link over misses from detection i of scan s to detection k of scan u let
//
//	slack = V + price + U − α_i − β_k
//
// with V what the block of i can give to its first arc, U what the block of k
// can give to its last, α_i the row price of i in frame pair s and β_k the column
// price of k in frame pair u−1. With these V and U, and multipliers that hand
// what is left from one of its coast nodes to the next, the link enters the problem
// and leaves the bound what it was when slack ≥ 0. An answer that uses it then
// costs at least the bound plus the slack. Where V and U with the least that triplets cost for each
// ([costgen.Floored]) leave a slack that is too large, the triplets are not asked for.
//
// Two links that meet in a detection, one coming and one going, meet in its
// block too: D − U − V of the two must not be negative there, when half of the
// slack of either may be spent on it. Where it is, both enter the problem. D is not
// asked for where the least that triplets of the three scans cost, as far as the model knows
// it ([costgen.Floored]), is as much as U + V. The least one that is stored would not do: as a
// step of more time tells a velocity better, a triplet over misses may cost less.

// find lists the links that inst lacks, that leave scans before until, and that may save something,
// by the prices of an ascent, in order. Where few are wanted, they are those that save most of all
// at both of their ends, see foremost; if none does few becomes false.
func (k *Generator) find(ctx context.Context, inst *Instance, prices []dualascent.Prices, until int, few *bool) (entering []offer, err error) {
	n := len(inst.Scans)
	if n < 3 {
		return nil, nil
	}
	far := inst.price.Birth + inst.price.Death // what a link can save at most
	if k.Rough {
		far = 0
	}
	x := newDuals(inst, prices, k.Workers)
	if k.near == nil {
		if err := k.look(ctx, inst); err != nil {
			return nil, err
		}
	}
	all := make([]departures, n)
	have := inst.skips
	for s := range n {
		end := 0
		for end < len(have) && int(have[end].from.T) == s {
			end++
		}
		all[s].have, have = have[:end], have[end:]
	}
	err = k.each(ctx, min(until, n), func() func(s int) error {
		w := pricer{duals: x, ctx: ctx, far: far, misses: k.Misses}
		return func(s int) error {
			w.departures = &all[s]
			room := 0
			for m := range k.near[s] {
				room += k.near[s][m].NNZ()
			}
			w.offers = make([]offer, 0, room)
			for m := 1; m <= k.Passes() && s+m+1 < n; m++ {
				w.price(s, m, &k.near[s][m-1])
			}
			return ctx.Err()
		}
	})
	if err != nil {
		return nil, err
	}
	if *few = *few && inst.foremost(all); !*few && !k.Rough {
		if err := k.meet(ctx, x, all); err != nil {
			return nil, err
		}
	}
	for s := range all {
		first := len(entering)
		for _, o := range all[s].offers {
			if o.enters {
				entering = append(entering, o)
			}
		}
		slices.SortFunc(entering[first:], func(x, y offer) int { return compareSkips(x.skip, y.skip) })
	}
	return entering, nil
}

// foremost lets only those of the offers enter that save most of all that leave their first
// detection, and of all that lead to their last. Where a target is missed, prices that know no link
// over that scan speak for links over its neighbours as well; with the best in the problem they
// hardly do. The one that saves most of all enters, so none is left where none does: it says whether
// any is. all has the offers of each scan.
func (inst *Instance) foremost(all []departures) (some bool) {
	into := make([][]float64, len(all)) // of each scan, detection: the least slack of those that lead there
	var from []float64                  // the same of those that leave a detection of the scan at hand
	for s := range all {
		for _, o := range all[s].offers {
			if !o.enters {
				continue
			}
			some = true
			if u := o.to.T; into[u] == nil {
				into[u] = make([]float64, inst.Scans[u].Len())
			}
			least := &into[o.to.T][o.to.Det]
			*least = min(*least, o.slack)
		}
	}
	if !some {
		return false
	}
	for s := range all {
		offers := all[s].offers
		from = slab.Grow(from, inst.Scans[s].Len())
		clear(from)
		for _, o := range offers {
			if o.enters {
				from[o.from.Det] = min(from[o.from.Det], o.slack)
			}
		}
		for q := range offers {
			o := &offers[q]
			o.enters = o.enters && o.slack == from[o.from.Det] && o.slack == into[o.to.T][o.to.Det]
		}
	}
	return true
}

// each does the work on scans 0 … n−1 that start returns, which each worker calls once.
func (k *Generator) each(ctx context.Context, n int, start func() func(s int) error) error {
	work, errs := make([]func(s int) error, min(workers.Count(k.Workers), n)), make([]error, n)
	err := workers.Until(ctx, len(work), n, func(w, s int) {
		if work[w] == nil {
			work[w] = start()
		}
		errs[s] = work[w](s)
	})
	return cmp.Or(append(errs, err)...)
}

// sight is the number of links for each detection that may be looked at.
const sight = 50

// look gates scans with those after the next ones. Where that finds more links than can be
// looked at, fewer misses in a row are taken into account, for good, though never fewer than
// one.
func (k *Generator) look(ctx context.Context, inst *Instance) error {
	scans, first := inst.Scans, inst.opens()
	k.near = slab.Parts[gating.CSR](len(scans), func(s int) int { return max(0, min(k.Passes(), len(scans)-2-s)) })
	enough := sight * k.Spare
	for s := range scans {
		enough += sight * scans[s].Len()
	}
	links := make([]int, k.Misses+1) // by misses
	counts := slab.Parts[int](len(scans), func(int) int { return k.Misses + 1 })
	for m := 1; m <= k.Passes(); m++ {
		err := k.each(ctx, max(0, len(scans)-m-1), func() func(s int) error {
			f, near := gating.Finder{K: k.K}, gating.CSR{}
			f.Until(ctx)
			return func(s int) error {
				if s < first {
					return nil
				}
				_, err := f.Neighbors(&near, &scans[s], &scans[s+m+1], k.Gate)
				counts[s] = inst.sort(counts[s], &near, s, m, k.Misses)
				if near.NNZ() > 0 { // of scans of one detection each hardly any are
					k.near[s][m-1], near = near, gating.CSR{}
				}
				return err
			}
		})
		if err != nil {
			return err
		}
		for s := range max(0, len(scans)-m-1) {
			for v, n := range counts[s] {
				links[v] += n
			}
		}
		left := enough
		for v, n := range links[:k.Misses+1] {
			if left -= n; left < 0 && v > 1 {
				k.Misses = v - 1
				break
			}
		}
	}
	return nil
}

// sort counts the links of near, from scan s over m others, by misses, and leaves out those over
// more than the most.
func (inst *Instance) sort(counts []int, near *gating.CSR, s, m, most int) []int {
	counts = slab.Grow(counts, most+1)
	clear(counts)
	if inst.passed == nil && m <= most {
		counts[m] = near.NNZ()
		return counts
	}
	kept, lo := near.Col[:0], 0
	for i := range near.Rows {
		row := near.Col[lo:near.Ptr[i+1]]
		lo = near.Ptr[i+1]
		for _, j := range row {
			if v := inst.misses(&skip{chain.At(s, i), chain.At(s+m+1, j)}); v <= most {
				counts[v]++
				kept = append(kept, j)
			}
		}
		near.Ptr[i+1] = len(kept)
	}
	near.Col = kept
	return counts
}

// afford are those of offers, in order, that there is room for: all over one miss or none, and of the
// others those that save most, as long as the instance has no more nodes of links over misses than
// detections. Its own links stay. The time is that of sorting the offers.
func (k *Generator) afford(inst *Instance, offers []offer) (list []skip) {
	room := k.Spare // for nodes
	for t := range inst.Scans {
		room += inst.Scans[t].Len()
	}
	for i := range inst.skips {
		if l := &inst.skips[i]; int(l.from.T) >= inst.opens() {
			room -= l.passed()
		}
	}
	longer := make([]offer, 0, len(offers))
	for i := range offers {
		if o := &offers[i]; inst.misses(&o.skip) > 1 {
			longer = append(longer, *o)
		} else {
			list = append(list, o.skip)
			room -= o.passed()
		}
	}
	slices.SortStableFunc(longer, func(x, y offer) int { return cmp.Compare(x.slack, y.slack) })
	for i := range longer {
		if room -= longer[i].passed(); room < 0 {
			break
		}
		list = append(list, longer[i].skip)
	}
	slices.SortFunc(list, compareSkips)
	return list
}

// An offer is a link that the instance lacks.
type offer struct {
	skip
	slack, u, v float64
	enters      bool // the problem
}

// departures are the links over misses that leave one scan.
type departures struct {
	have   []skip // that the instance has
	offers []offer
}

// meet lets those pairs of offers enter the problem that are negative where they
// meet. all has the offers of each scan, by scan and detection that they lead to and leave.
func (k *Generator) meet(ctx context.Context, x *duals, all []departures) error {
	entering := make([][]*offer, len(all)) // by scan where they meet
	far := 0                               // scans that an offer leads on, at most
	for s := range all {
		if n := len(all[s].offers); n > 0 {
			far = max(far, int(all[s].offers[n-1].to.T)-s)
		}
	}
	err := k.each(ctx, len(all), func() func(s int) error {
		m := meeting{duals: x}
		var in, out byDetection
		var come, leave []*offer
		return func(s int) error {
			n := x.Scans[s].Len()
			come, leave = come[:0], leave[:0]
			for r := max(0, s-far); r < s; r++ {
				offers := all[r].offers
				from, _ := slices.BinarySearchFunc(offers, s, func(o offer, s int) int { return int(o.to.T) - s })
				for ; from < len(offers) && int(offers[from].to.T) == s; from++ {
					come = append(come, &offers[from])
				}
			}
			if len(come) == 0 {
				return nil
			}
			for i := range all[s].offers {
				leave = append(leave, &all[s].offers[i])
			}
			in.sort(n, come, func(o *offer) int32 { return o.to.Det })
			out.sort(n, leave, func(o *offer) int32 { return o.from.Det })
			m.entering = nil
			for j := range n {
				if j%64 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				for _, a := range in.of(j) {
					for all := out.of(j); len(all) > 0; {
						all = m.choose(a, all)
						m.price(a, s, j)
					}
				}
			}
			entering[s] = m.entering
			return nil
		}
	})
	for _, list := range entering {
		for _, o := range list {
			o.enters = true
		}
	}
	return err
}

// byDetection are offers by detection, in the order in which they were before.
type byDetection struct {
	ptr  []int
	list []*offer
}

func (d *byDetection) sort(n int, offers []*offer, det func(o *offer) int32) {
	d.ptr, d.list = append(d.ptr[:0], make([]int, n+2)...), slab.Grow(d.list, len(offers))
	ends := d.ptr[1:] // of the one before, until its offers are placed
	for _, o := range offers {
		ends[det(o)+1]++
	}
	for i := range n {
		ends[i+1] += ends[i]
	}
	for _, o := range offers {
		at := &ends[det(o)]
		d.list[*at] = o
		*at++
	}
}

func (d *byDetection) of(i int) []*offer { return d.list[d.ptr[i]:d.ptr[i+1]] }

// A meeting is of an offer that comes to a detection with those that go on from there
// to one scan, unless both have entered.
type meeting struct {
	*duals

	out         []*offer
	entering    []*offer // found so far
	tail, heads []int32
	spent, cost []float64
}

// choose makes the meeting of a with the first of all, as far as they lead to one
// scan and may be negative, and returns the others.
func (m *meeting) choose(a *offer, all []*offer) []*offer {
	m.out, m.spent, m.heads = m.out[:0], m.spent[:0], m.heads[:0]
	floor := math.Inf(-1)
	if m.floored != nil {
		floor = m.floored.Floor(&m.Scans[a.from.T], &m.Scans[a.to.T], &m.Scans[all[0].to.T])
	}
	for k, b := range all {
		if b.to.T != all[0].to.T {
			return all[k:]
		}
		spent := a.u + b.v - (max(a.slack, 0)+max(b.slack, 0))/2
		if !(a.enters && b.enters) && spent > floor {
			m.out, m.spent, m.heads = append(m.out, b), append(m.spent, spent), append(m.heads, b.to.Det)
		}
	}
	return nil
}

// price lets those of the meeting, at detection j of scan s, that are negative enter.
func (m *meeting) price(a *offer, s, j int) {
	if len(m.out) == 0 {
		return
	}
	m.tail, m.cost = append(m.tail[:0], a.from.Det), slab.Grow(m.cost, len(m.out))
	m.model.Triplets(m.cost, len(m.out), &m.Scans[a.from.T], m.tail, &m.Scans[s], j, &m.Scans[m.out[0].to.T], m.heads)
	for k, b := range m.out {
		if m.cost[k]-m.spent[k] < -slightest {
			m.entering = append(m.entering, a, b)
		}
	}
}

// duals are the prices of an instance.
type duals struct {
	*Instance
	prices   []dualascent.Prices
	in       []mapsolver.Columns // of each frame pair: its arcs by head
	row, col [][]float64         // of each frame pair: the prices of its assignment problem
	floored  costgen.Floored     // the model; nil: what triplets cost at least is not known
}

// newDuals completes prices by those of rows, as [dualascent.Bound] does.
func newDuals(inst *Instance, prices []dualascent.Prices, goroutines int) *duals {
	n := len(inst.Dual.Pairs)
	x := &duals{
		Instance: inst, prices: prices, in: make([]mapsolver.Columns, n),
		row: make([][]float64, n), col: make([][]float64, n),
	}
	x.floored, _ = inst.model.(costgen.Floored)
	stocks := make([]dualStock, workers.Count(goroutines))
	workers.Each(len(stocks), n, func(w, t int) { x.complete(t, &stocks[w]) })
	return x
}

// A dualStock is where the lists of a goroutine that completes prices come from.
type dualStock struct {
	ints   slab.Stock[int]
	words  slab.Stock[int32]
	floats slab.Stock[float64]
}

// complete completes the prices of frame pair t.
func (x *duals) complete(t int, from *dualStock) {
	g, m, last := &x.Dual.Pairs[t], &x.prices[t], t == len(x.Dual.Pairs)-1
	x.in[t] = mapsolver.Columns{Ptr: from.ints.Make(g.Cols + 1), Row: from.words.Make(len(g.Col)), Entry: from.words.Make(len(g.Col))}
	mapsolver.ByColumn(&x.in[t], &mapsolver.Problem{Rows: g.Rows, Cols: g.Cols, Ptr: g.Ptr, Col: g.Col})
	row, col := from.floats.Make(g.Rows), from.floats.Make(g.Cols)
	copy(row, g.RowMiss)
	copy(col, g.ColMiss)
	for j := range col {
		if !last {
			col[j] += m.Birth[j]
		}
		col[j] = min(col[j], m.Col[j])
	}
	for i := range row {
		if t > 0 {
			row[i] += m.Death[i]
		}
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			c := g.Cost[e] - col[g.Col[e]]
			if t > 0 {
				c += m.V[e]
			}
			if !last {
				c += m.U[e]
			}
			row[i] = min(row[i], c)
		}
	}
	x.row[t], x.col[t] = row, col
}

// A pricer prices the links that leave one scan.
type pricer struct {
	*duals
	ctx context.Context
	*departures
	far    float64 // links of that slack or more are left out of account
	misses int     // nor are those over more

	side             side
	least, pair, row []float64
	end              []float64 // of a detection of the later scan: no more than U of any link to it; NaN: not known yet
	open             []int32   // of the links of a detection those that may be promising
}

// price prices the links of near, from scan s over m misses, and leaves in near
// those that are promising: any, when ctx ends.
func (w *pricer) price(s, m int, near *gating.CSR) {
	if near.NNZ() == 0 {
		return
	}
	u := s + m + 1
	from, to := &w.Scans[s], &w.Scans[u]
	missed := w.missed(m)
	kept, lo := near.Col[:0], 0
	have := w.have
	w.end = slab.Grow(w.end, to.Len())
	for k := range w.end {
		w.end[k] = math.NaN()
	}
	for i := range near.Rows {
		if i%64 == 0 && w.ctx.Err() != nil {
			return
		}
		out := near.Col[lo:near.Ptr[i+1]]
		lo = near.Ptr[i+1]
		if len(out) == 0 {
			near.Ptr[i+1] = len(kept)
			continue
		}
		for len(have) > 0 && int(have[0].from.Det) < i {
			have = have[1:]
		}
		out = w.promising(s, i, u, from, to, out, missed)
		w.before(s, i, from, to, out)
		for n, k := range out {
			o := offer{skip: skip{chain.At(s, i), chain.At(u, k)}, v: w.least[n]}
			if w.passed != nil {
				if missed = w.passes(s, int32(i), u, k); w.worth(missed) > w.misses {
					continue
				}
			}
			if w.floored != nil && o.v+w.pair[n]+missed+w.ends(from, u, int(k))-w.duals.row[s][i]-w.col[u-1][k] >= w.far+slightest {
				continue
			}
			o.u = w.after(from, i, u, int(k))
			o.slack = o.v + w.pair[n] + missed + o.u - w.duals.row[s][i] - w.col[u-1][k]
			if o.slack >= w.far {
				continue
			}
			kept = append(kept, k)
			if !leads(have, o.skip) {
				o.enters = o.slack < -slightest
				w.offers = append(w.offers, o)
			}
		}
		near.Ptr[i+1] = len(kept)
	}
	if near.Col = kept; len(kept) < cap(kept)/2 {
		near.Col = slices.Clone(kept)
	}
}

// leads says whether a link is among those of a list, of which those that leave its detection come first.
func leads(list []skip, l skip) bool {
	for _, h := range list {
		if h.from != l.from {
			return false
		}
		if h.to == l.to {
			return true
		}
	}
	return false
}

// slightest is what a link must save, in the unit of the model, to be worth
// solving the problem again.
const slightest = 1e-6

// promising are the links of out, from detection i of scan s, whose slack may be less than far:
// with the least that triplets cost for each of them. It leaves least and pair to them as before
// begins with them.
func (w *pricer) promising(s, i, u int, from, to *mtt.Scan, out []int32, missed float64) []int32 {
	w.alone(s, i, from, to, out)
	if w.floored == nil || w.passed != nil {
		return out
	}
	begin := math.Inf(1) // no more than what triplets make of V
	if s > 0 {
		arcs, m := w.into(s, i), &w.prices[s-1]
		for _, g := range w.side.groups {
			begin = min(begin, w.floored.Floor(&w.Scans[g.scan], from, to)-most(m.U, arcs[g.lo:g.hi]))
		}
	}
	w.open = w.open[:0]
	for n, k := range out {
		least := min(w.least[n], begin) + w.pair[n] + missed + w.ends(from, u, int(k)) - w.duals.row[s][i] - w.col[u-1][k]
		if !(least >= w.far+slightest) { // or is no number
			w.least[len(w.open)], w.pair[len(w.open)] = w.least[n], w.pair[n]
			w.open = append(w.open, k)
		}
	}
	return w.open
}

// most is the largest of the prices of arcs.
func most(prices []float64, arcs []int32) float64 {
	largest := math.Inf(-1)
	for _, a := range arcs {
		largest = max(largest, prices[a])
	}
	return largest
}

// ends is no more than U of any link from scan from to detection k of scan u.
func (w *pricer) ends(from *mtt.Scan, u, k int) float64 {
	switch {
	case u == len(w.Scans)-1:
		return 0
	case !math.IsNaN(w.end[k]):
		return w.end[k]
	}
	arcs, m := w.outOf(u, k), &w.prices[u]
	least := -m.Death[k]
	for _, o := range w.side.groups {
		floor := w.floored.Floor(from, &w.Scans[u], &w.Scans[o.scan])
		for _, v := range arcs[o.lo:o.hi] {
			least = min(least, floor-v)
		}
	}
	w.end[k] = least
	return least
}

// into are the arcs to detection i of scan s, which has others before it, and sets side to theirs.
func (w *pricer) into(s, i int) (arcs []int32) {
	in := &w.in[s-1]
	w.side.left(w.Instance, s-1, in.Row[in.Ptr[i]:in.Ptr[i+1]])
	return in.Entry[in.Ptr[i]:in.Ptr[i+1]]
}

// outOf are the prices V of the arcs from detection k of scan u, which has others after it, and
// sets side to theirs.
func (w *pricer) outOf(u, k int) (prices []float64) {
	g := &w.Dual.Pairs[u]
	w.side.right(w.Instance, u+1, g.Col[g.Ptr[k]:g.Ptr[k+1]])
	return w.prices[u].V[g.Ptr[k]:g.Ptr[k+1]]
}

// alone sets least to what V of the links from detection i of scan s to those of out is where a
// track begins with it, and pair to their prices. In the first scan, which has no blocks, V is part
// of the price.
func (w *pricer) alone(s, i int, from, to *mtt.Scan, out []int32) {
	n := len(out)
	w.least, w.pair = slab.Grow(w.least, n), slab.Grow(w.pair, n)
	w.model.Starts(w.least, from, i, to, out)
	w.model.Pairs(w.pair, from, i, to, out)
	if s > 0 {
		for k := range w.least {
			w.least[k] -= w.prices[s-1].Birth[i]
		}
	}
}

// before sets least, which alone has set, to V of the links from detection i of scan s to those of
// out.
func (w *pricer) before(s, i int, from, to *mtt.Scan, out []int32) {
	if n := len(out); s > 0 && n > 0 {
		arcs, m := w.into(s, i), &w.prices[s-1]
		for _, g := range w.side.groups {
			w.row = slab.Grow(w.row, (g.hi-g.lo)*n)
			w.model.Triplets(w.row, n, &w.Scans[g.scan], w.side.dets[g.lo:g.hi], from, i, to, out)
			for r, a := range arcs[g.lo:g.hi] {
				for k, c := range w.row[r*n : (r+1)*n] {
					if c -= m.U[a]; c < w.least[k] {
						w.least[k] = c
					}
				}
			}
		}
	}
}

// after is U of the link from detection i of a scan to detection k of scan u.
func (w *pricer) after(from *mtt.Scan, i, u, k int) float64 {
	if u == len(w.Scans)-1 {
		return 0
	}
	arcs := w.outOf(u, k)
	least := -w.prices[u].Death[k]
	for _, o := range w.side.groups {
		n := o.hi - o.lo
		w.row = slab.Grow(w.row, n)
		w.model.Triplets(w.row, n, from, []int32{int32(i)}, &w.Scans[u], k, &w.Scans[o.scan], w.side.dets[o.lo:o.hi])
		for r, c := range w.row {
			if c -= arcs[o.lo+r]; c < least {
				least = c
			}
		}
	}
	return least
}
