package metrics

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt/internal/workers"
)

// This file finds the exact form of a part where the relaxed form is less than the best answer known.
//
// # The method
//
// The optimum of the linear programme has weights of 1/2, or of thirds and such, where pairs of
// some targets and tracks contend in a ring. They hang together: with one of them held at 0 or at 1
// most others are whole, or the bound is above the answer. So this is branch and bound over the
// relaxation of file pairrelax.go, which has been solved: of 1,000 targets that start near one
// point, with 510 such weights, it takes nine nodes.
//
// Options whose other weight would cost as much as lies between the bound and the answer are as in
// the answer in all better ones, and are left out: of two million, 40,000 to 150,000 stay, and
// those of the best weights that are not the answer's, some hundreds, are in doubt at first.
// Weights that lie between 0 and 1 are in runs, of one pair in frames that follow each other. A
// node holds the option in the middle of the run that lies farthest from both in all, at either
// value. It goes on from the weights and prices of the one before it. It ends where its prices
// prove no less than the best answer costs, where its weights and prices agree but for a small part
// of what there is to prove, and after some steps: prices near the best are still a long way from
// it. For the latter two there must be an option to hold. The last nodes made come first, a few at
// once, side by side: always as many, so that what is found does not depend on how many threads
// there are.
//
// Before, the relaxation is made tighter by the rings of file pairrings.go, which all nodes keep,
// and dives look for an answer near the bound. A dive holds a share of the runs at once, those
// surest of their value, solves, and so on until all are whole; that takes four to ten nodes. With
// rings, dives come much nearer to the bound, often to the best answer: of 1,000 targets that start
// near one point with much noise, whose relaxed form has 2,235 weights in thirteenths, without them
// to 4 h above it, with them to the best one, less than 2 h above it. An answer that leaves half as
// much open, or less, begins the search anew: less than half of the options stay then, the doubts
// are about that answer, and rings are looked for again, as far as they prove something of the less
// that is open; where little is, only when nodes have not closed it in as many looks as rings took,
// so that both together take little longer than the better of them. Rings take more than half of
// what the relaxed form lacks, and 60 nodes the rest; without them they are 400. A search that has
// less open than a pair's coming and going costs has an end, and may take longer.
//
// To hold an option at 1 is to let it cost less by more than all that it can displace, at 0 as much
// more: the relaxation needs not know. Answers are the weights of nodes, rounded, cluster by
// cluster where they fit.

// A branching is a search in a relaxation.
type branching struct {
	r        *relaxation
	best     []bool  // of each option: the best answer
	value    float64 // what it costs
	upper    float64 // what the answer of the relaxation costs
	rounding float64
	open     float64 // what was when rings were looked for last
	rung     float64 // looks that it took; 0: it has not been done
	tried    bool    // nodes have had as many since, in vain
	dived    bool    // with these rings, near that answer
	looks    int     // at options in doubt, of all nodes; those for rings are not counted
	most     float64 // after how many the search ends
	desks    []desk
}

// A holding is what an option in doubt costs more.
type holding struct {
	option int32
	more   float64
}

// A node is what is held, the last so many of it new, and where to go on from. No answer with all
// that is held before costs less than bound.
type node struct {
	held  []holding
	fresh int
	bound float64
	from  *standing
}

// A standing is what steps have come to.
type standing struct {
	price  []float64
	doubts // without places
}

// A desk is where a node is solved, in a relaxation of its own.
type desk struct {
	*branching
	relaxation
	held  []holding
	best  []bool  // as of the search when the node began, or better
	value float64 // what that costs
	bound float64 // what is proved of answers with all that is held
	runs  []run   // when it ended
	err   error
}

// A run is options of one pair in frames that follow each other, by their places, whose weights lie
// between 0 and 1.
type run struct {
	middle, surest int
	mass           float64 // how far they are from that, in all
}

const (
	mostLooks = 250e6 // after how many looks at options in doubt a search ends: two seconds on two cores
	longer    = 8     // times as many where less is open than a pair's coming and going costs
	few       = 3     // in h: what is hardly more than that
	atOnce    = 8     // nodes
	inDives   = 10    // rounds of steps of a node in a dive, and of others
	inNodes   = 20
	clearly   = 1e-4 // in h: what an option with the other weight costs less when it comes into doubt
	atAll     = 1e-5 // likewise, in dives, which find better answers so

	// How far from 0 and 1 weights are that are taken for these: at first, and where all are and
	// the bound is below the answer all the same.
	aboutWhole = 0.02
	allWhole   = 1e-4
)

// shares are those of the runs that dives hold at once.
var shares = [...]float64{0.01, 0.03}

// whole looks for the exact form, where the answer chosen costs so much: what is proved to be the
// least that any does, and by how much the best answer, which becomes chosen, is better.
func (r *relaxation) whole(ctx context.Context, chosen []bool, value, rounding float64) (least, better float64, err error) {
	upper, rest, looks := value, 0.0, 0
	open, dived := math.Inf(1), false
	rung, tried := 0.0, false
	least = math.Inf(-1)
	r.unwatched()
	for again := true; again; {
		for k, x := range r.option {
			r.one[k] = chosen[x]
		}
		now := r.survey() + rest // what else weights would cost goes with this
		if least = max(least, now); least >= value-rounding {
			break
		}
		o, more := r.open(value - now)
		rest += more
		b := &branching{
			r: o, best: slices.Clone(o.one), value: value - rest, upper: value - rest, rounding: rounding,
			open: open, rung: rung, tried: tried, dived: dived, looks: looks, most: mostLooks,
		}
		if value-least <= few*r.h {
			b.most *= longer
		}
		var bound float64
		if bound, again, err = b.search(ctx, least-rest); err != nil {
			return 0, 0, err
		}
		for k, x := range o.option {
			chosen[x] = b.best[k]
		}
		open, rung, tried, dived, looks = b.open, b.rung, b.tried, b.dived, b.looks
		least, value, r = max(least, bound+rest), b.value+rest, o
		r.looks = 0
	}
	return least, upper - value, nil
}

// open is the relaxation of options whose other weight costs less than most above the answer's,
// beside what the answer has of others, and what these cost. In doubt are those that have not the
// answer's.
func (r *relaxation) open(most float64) (o *relaxation, rest float64) {
	const same = 1e-6 // of weights
	taken := make([]bool, len(r.price))
	for k, x := range r.differ {
		if r.one[k] && x >= most {
			taken[r.slot[0][k]], taken[r.slot[1][k]] = true, true
		}
	}
	open := func(k int32) bool {
		return r.differ[k] < most && (r.one[k] || !taken[r.slot[0][k]] && !taken[r.slot[1][k]])
	}
	o = &relaxation{p: r.p, h: r.h, chain: []int32{0}, dear: r.dear, doubts: r.doubts}
	o.at, o.place, o.placed = nil, nil, nil
	number := slices.Repeat([]int32{none}, len(r.price))
	stays := slices.Repeat([]int32{none}, len(r.option))
	for c, from := range r.chain[:len(r.chain)-1] {
		to := r.chain[c+1]
		for k := from; k < to; k++ {
			if !open(k) {
				if r.one[k] {
					rest += r.cost[k]
				}
				if k > from && !open(k-1) && r.one[k] != r.one[k-1] {
					rest += r.h
				}
				continue
			}
			cost, last := r.cost[k], true
			for _, beside := range [2]int32{k - 1, k + 1} {
				switch {
				case beside < from || beside >= to:
				case open(beside):
					last = beside < k
				case r.one[beside]:
					cost -= r.h
					rest += r.h
				default:
					cost += r.h
				}
			}
			place := r.place[k]
			if place != none {
				right := 0.0
				if r.one[k] {
					right = 1
				}
				if math.Abs(r.ahead.weight[place]-right) < same {
					place = none
				} else {
					o.at = append(o.at, int32(len(o.option)))
				}
			}
			stays[k] = int32(len(o.option))
			o.option, o.cost, o.one, o.place = append(o.option, r.option[k]), append(o.cost, cost), append(o.one, r.one[k]), append(o.place, place)
			for side := range r.slot {
				s := r.slot[side][k]
				if number[s] == none {
					number[s] = int32(len(o.price))
					o.price, o.placed = append(o.price, r.price[s]), append(o.placed, r.placed[s])
				}
				o.slot[side] = append(o.slot[side], number[s])
			}
			if last {
				o.chain = append(o.chain, int32(len(o.option)))
			}
		}
	}
	o.due, o.row = nil, nil
	for i := range r.rings {
		if g := r.rings[i].among(stays, r.one); len(g.of)+len(g.ties) > 0 {
			o.rings, o.due, o.row = append(o.rings, g), append(o.due, r.due[i]), append(o.row, r.row[i])
		}
	}
	o.prepare()
	for _, k := range o.at {
		o.doubt[k] = true
	}
	o.survey()
	o.list()
	for i := range o.clusters { // what else weights would cost was counted beside another answer
		c := &o.clusters[i]
		c.least, c.met = c.answer, false
	}
	return o, rest
}

// search looks for better answers, given the bound of the relaxation, which is solved. It says what
// is proved, and whether to begin again.
func (b *branching) search(ctx context.Context, bound float64) (least float64, again bool, err error) {
	root := &node{bound: bound, from: &standing{b.r.price, b.r.doubts}}
	enough := bound + (b.value-bound)/2
	b.ready(1)
	d := &b.desks[0]
	d.begin(root)
	d.round()
	if d.listRuns(aboutWhole); len(d.runs) == 0 && !b.proved(bound) { // they are on their way
		d.solve(ctx, root, inNodes, clearly)
		bound = max(bound, d.bound)
		root = &node{bound: bound, from: d.standing()}
	}
	if err := b.gather(d); err != nil {
		return 0, false, err
	}
	if len(d.runs) == 0 || b.proved(bound) || float64(b.looks) > b.most {
		return bound, false, nil
	}
	first, middle := d.held, d.middle()
	less := b.value-bound <= b.open/2 // than when rings were looked for
	if less && (b.rung == 0 || b.tried || b.value-bound > few*b.r.h) {
		before := bound
		b.open, b.tried = b.value-bound, false
		if bound, err = b.tighten(ctx, bound); err != nil {
			return 0, false, err
		}
		b.rung = float64(b.r.looks)
		b.dived = b.dived && bound <= before
		return bound, true, nil
	}
	if !b.dived {
		b.dived = true
		if err := b.dive(ctx, root); err != nil {
			return 0, false, err
		}
		if b.value <= enough {
			b.dived = false
			return bound, true, nil
		}
	}
	least = math.Inf(1)
	began := b.looks
	b.ready(atOnce)
	open := b.below(nil, root, first, middle)
	for len(open) > 0 {
		var now []*node
		for len(now) < atOnce && len(open) > 0 {
			n := open[len(open)-1]
			if open = open[:len(open)-1]; b.proved(n.bound) {
				least = min(least, n.bound)
				continue
			}
			now = append(now, n)
		}
		if float64(b.looks) > b.most {
			for _, n := range slices.Concat(now, open) {
				least = min(least, n.bound)
			}
			break
		}
		workers.Each(workers.Count(0), len(now), func(_, i int) { b.desks[i].solve(ctx, now[i], inNodes, clearly) })
		for i := range now {
			if err := b.gather(&b.desks[i]); err != nil {
				return 0, false, err
			}
		}
		if b.value <= enough {
			return bound, true, nil
		}
		if less && float64(b.looks-began) > b.rung {
			b.tried = true
			return bound, true, nil
		}
		for i := len(now) - 1; i >= 0; i-- {
			if d := &b.desks[i]; len(d.runs) == 0 || b.proved(d.bound) {
				least = min(least, d.bound)
			} else {
				open = b.below(open, &node{bound: d.bound, from: d.standing()}, d.held, d.middle())
			}
		}
	}
	return max(bound, least), false, nil
}

// dive does a dive for each of shares, side by side.
func (b *branching) dive(ctx context.Context, root *node) error {
	b.ready(len(shares))
	workers.Each(workers.Count(0), len(shares), func(_, i int) {
		d := &b.desks[i]
		d.begin(root)
		d.listRuns(aboutWhole)
		looks := 0
		for n := root; len(d.runs) > 0; {
			n = &node{held: slices.Clone(n.held), bound: n.bound, from: n.from}
			for _, k := range d.surest(shares[i]) {
				n.held = append(n.held, d.holding(k, d.ahead.weight[k] > 0.5))
				n.fresh++
			}
			d.solve(ctx, n, inDives, atAll)
			looks += d.relaxation.looks
			if d.err != nil || d.proved(d.bound) || float64(looks) > b.most/2 {
				break
			}
			n.bound, n.from = d.bound, d.standing()
		}
		d.relaxation.looks = looks
	})
	for i := range shares {
		if err := b.gather(&b.desks[i]); err != nil {
			return err
		}
	}
	return nil
}

// ready makes room for so many nodes at once.
func (b *branching) ready(n int) {
	for len(b.desks) < n {
		d := desk{branching: b, relaxation: *b.r}
		d.cost, d.place, d.placed = slices.Clone(b.r.cost), slices.Clone(b.r.place), slices.Clone(b.r.placed)
		d.prepare()
		b.desks = append(b.desks, d)
	}
}

// gather takes what a desk has found.
func (b *branching) gather(d *desk) error {
	b.looks += d.relaxation.looks
	if d.relaxation.looks = 0; d.value < b.value {
		b.value, b.best = d.value, slices.Clone(d.best)
	}
	return d.err
}

// below adds the nodes below n, with an option at both values, the given one last.
func (b *branching) below(list []*node, n *node, held []holding, next holding) []*node {
	for _, h := range [2]holding{{next.option, -next.more}, next} {
		list = append(list, &node{held: append(slices.Clone(held), h), fresh: 1, bound: n.bound, from: n.from})
	}
	return list
}

// proved says whether a bound leaves no room for better answers.
func (b *branching) proved(bound float64) bool { return bound >= b.value-b.rounding }

// begin goes to where a node begins.
func (d *desk) begin(n *node) {
	for _, h := range d.held {
		d.cost[h.option] -= h.more
	}
	for _, k := range d.at {
		d.place[k], d.doubt[k] = none, false
	}
	place, placed := d.place, d.placed
	for s := range placed {
		placed[s] = none
	}
	d.price, d.doubts = slices.Clone(n.from.price), n.from.doubts.clone()
	for x, k := range d.at {
		place[k], d.doubt[k] = int32(x), true
	}
	for x, s := range d.slots {
		placed[s] = int32(x)
	}
	d.place, d.placed = place, placed
	d.best, d.value = append(d.best[:0], d.branching.best...), d.branching.value
	d.held, d.bound, d.err, d.relaxation.looks = n.held, n.bound, nil, 0
	for _, h := range d.held {
		d.cost[h.option] += h.more
	}
	for _, h := range d.held[len(d.held)-n.fresh:] { // their clusters go on from where they are
		x := d.place[h.option]
		d.own[x] += h.more
		c := &d.clusters[d.within[x]]
		c.answer = d.spent(c, d.right)
		c.least, c.met, c.since = c.answer, false, 0
		d.now.copy(&d.ahead, c)
		d.began.copy(&d.ahead, c)
	}
}

// clone copies what steps change.
func (x doubts) clone() doubts {
	x.clusters, x.own = slices.Clone(x.clusters), slices.Clone(x.own)
	for _, s := range []*state{&x.now, &x.began, &x.ahead} {
		*s = state{slices.Clone(s.weight), slices.Clone(s.tie), slices.Clone(s.price), slices.Clone(s.jump), slices.Clone(s.rise), slices.Clone(s.fall), slices.Clone(s.due)}
	}
	x.due = slices.Clone(x.due)
	x.scratch()
	return x
}

// standing is where a node has come to. The desk keeps nothing of it.
func (d *desk) standing() *standing {
	s := &standing{d.price, d.doubts}
	s.place, s.placed = nil, nil
	return s
}

// solve solves the relaxation with what is held as far as is of use, at most for so many rounds of
// steps if there is an option to hold.
func (d *desk) solve(ctx context.Context, n *node, rounds int, clearly float64) {
	const (
		steps  = 100  // between two looks at all chains
		little = 0.1  // of what there is to prove
		far    = 1e-3 // in h: what it costs more when it leaves, at first
	)
	d.begin(n)
	for round := 0; ; round++ {
		if d.err = ctx.Err(); d.err != nil {
			return
		}
		d.bound = max(d.bound, d.survey()+d.released())
		d.round()
		if d.runs = d.runs[:0]; d.proved(d.bound) {
			return
		}
		within := d.rounding
		if d.listRuns(aboutWhole); len(d.runs) > 0 {
			if within = max(within, little*(d.value-d.bound)); round >= rounds {
				return
			}
		}
		if d.relaxed() <= d.bound+within {
			if len(d.runs) == 0 {
				d.listRuns(allWhole)
			}
			return
		}
		d.reopen(within / 2)
		leave := math.Inf(1)
		if round == 0 {
			leave = far * d.h
		}
		some := d.enter(-clearly*d.h, leave)
		if some {
			d.list()
		}
		if !d.moves(steps, within/2) && !some {
			return
		}
	}
}

// relaxed is what weights that fit cost, with all that is held.
func (d *desk) relaxed() float64 {
	sum := d.upper - d.gain() + d.released()
	for _, h := range d.held {
		if d.one[h.option] {
			sum += h.more
		}
	}
	return sum
}

// proved says whether a bound leaves no room for better answers than that of the desk.
func (d *desk) proved(bound float64) bool { return bound >= d.value-d.rounding }

// released is how much less answers cost that have what is held at 1.
func (d *desk) released() (sum float64) {
	for _, h := range d.held {
		sum -= min(0, h.more)
	}
	return sum
}

// paid is what weights cost in a cluster, whatever is held.
func (d *desk) paid(c *cluster, weight []float64) float64 {
	sum := d.spent(c, weight)
	for _, h := range d.held {
		if x := int(d.place[h.option]); x >= c.from && x < c.to {
			sum -= h.more * weight[x]
		}
	}
	return sum
}

// holding holds the option at a place of the lists at 1 or at 0.
func (d *desk) holding(place int, one bool) holding {
	if one {
		return holding{d.at[place], -d.dear}
	}
	return holding{d.at[place], d.dear}
}

// listRuns lists the runs, which end at what is held, of weights that lie so far from 0 and 1 at least.
func (d *desk) listRuns(within float64) {
	held := make(map[int32]bool, len(d.held))
	for _, h := range d.held {
		held[h.option] = true
	}
	d.runs = d.runs[:0]
	for x := 0; x < len(d.at); x++ {
		r, from := run{surest: x}, x
		for ; x < len(d.at); x++ {
			w := d.ahead.weight[x]
			if min(w, 1-w) < within || held[d.at[x]] {
				break
			}
			if r.mass += min(w, 1-w); math.Abs(w-0.5) > math.Abs(d.ahead.weight[r.surest]-0.5) {
				r.surest = x
			}
			if !d.tied[x] {
				x++
				break
			}
		}
		if x > from {
			r.middle = (from + x - 1) / 2
			d.runs = append(d.runs, r)
			x-- // where the next begins
		}
	}
}

// middle holds the middle of the run that is farthest from 0 and from 1, at the nearer of them.
func (d *desk) middle() holding {
	most := slices.MaxFunc(d.runs, func(a, b run) int { return cmp.Compare(a.mass, b.mass) })
	return d.holding(most.middle, d.ahead.weight[most.middle] > 0.5)
}

// surest lists the surest places of that share of the runs whose values are surest, the long ones above all.
func (d *desk) surest(share float64) (places []int) {
	sure := func(r run) float64 { return r.mass * math.Abs(d.ahead.weight[r.surest]-0.5) }
	slices.SortStableFunc(d.runs, func(a, b run) int { return cmp.Compare(sure(b), sure(a)) })
	for _, r := range d.runs[:int(math.Ceil(share*float64(len(d.runs))))] {
		places = append(places, r.surest)
	}
	return places
}

// round looks for a better answer in the weights of a node: what clusters have rounded, where that
// fits and costs less, and what else the answer of the relaxation has.
func (d *desk) round() {
	rounded := make([]float64, len(d.at))
	for x, w := range d.ahead.weight {
		if w > 0.5 {
			rounded[x] = 1
		}
	}
	value := d.upper
	var better []*cluster
	for i := range d.clusters {
		c := &d.clusters[i]
		if less := d.paid(c, d.right) - d.paid(c, rounded); less > 0 && d.fits(c, rounded) {
			value -= less
			better = append(better, c)
		}
	}
	if value >= d.value {
		return
	}
	d.value = value
	copy(d.best, d.one)
	for _, c := range better {
		for x := c.from; x < c.to; x++ {
			d.best[d.at[x]] = rounded[x] > 0
		}
	}
}
