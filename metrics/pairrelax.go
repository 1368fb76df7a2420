package metrics

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"mtt/internal/forest"
	"mtt/internal/workers"
)

// This file finds the relaxed form of a part with many options, where the ascent leaves it open.
//
// # The problem
//
// With weights w between 0 and 1 of options, whose cost is that of the pair against none, minimise
//
//	Σ over options cost·w + h · Σ over options that follow each other in a chain |w[k+1] − w[k]|
//
// where the weights of a target, or of a track, in a frame, a slot, add up to 1 at most. It is a
// saddle point in which nothing but bounds is left:
//
//	min over 0 ≤ w ≤ 1, max over p ≥ 0 and |y| ≤ h of Σ (cost + p + p)·w + Σ y[k]·(w[k] − w[k+1]) − Σ p
//
// # The method
//
// The ascent rests at prices that no price by itself, nor those of a thousand options together,
// make better, though all but tens of 200,000 chains agree with the answer: what is wrong is spread
// thinly over much. A step of the primal-dual hybrid gradient method moves all weights and prices
// at once, the prices against the weights that come next, twice extrapolated. Its steps are
// reflected and drawn back to where they began, by 1/(k+2) in step k (Halpern), and begin anew
// where they have come as far as promised, or after an eighth of all steps so far, without which
// prices near the best stand still for thousands of steps; how long steps of weights and of prices
// are against each other follows how far both have gone. From a vertex that is close this goes to
// the optimum at a linear rate.
//
// # What it works on
//
// Options in doubt are those of which the prices say that the other weight costs little more, or
// less, than the answer's; the others keep the answer's. Where neither chains nor slots join them
// they fall into clusters, each with steps, lengths and an end of its own: of 1,500 in a crowd of
// 1,000 targets all but one meet within a few hundred steps. Now and then all chains are priced
// (but for those of file pairwatch.go), which gives the bound, as in file pairprices.go, and tells
// which options have come into doubt; and those that are no longer, with fewer and fewer looks in
// between at first, leave it: prices of the ascent have ties all over, those of this method hardly
// any. A cluster that changes goes on from where its options were and had begun.
//
// The value is that of weights which fit: each slot's are brought to what it may have, targets and
// tracks by turns, and then down to that. So both are right whatever the steps have come to, and
// the form is found where they meet.
//
// References: A. Chambolle, T. Pock. A first-order primal-dual algorithm for convex problems with
// applications to imaging. Journal of Mathematical Imaging and Vision 40, 2011; D. Applegate et al.
// Practical large-scale linear programming using primal-dual hybrid gradient. NeurIPS 2021; H. Lu,
// J. Yang. Restarted Halpern PDHG for linear programming. 2024, arXiv:2407.16144.

// A relaxation is the relaxed form of a part. Its options go chain by chain, in order of frames;
// slots of tracks come after those of targets.
type relaxation struct {
	p      *pairing
	h      float64
	option []int32    // of each: its number in the pairing
	chain  []int32    // where each chain begins; one more
	cost   []float64  // of each option
	slot   [2][]int32 // likewise
	one    []bool     // likewise: the answer has it
	price  []float64  // of each slot, where a plain step led to

	differ []float64 // of each option: what its chain costs with the other weight above what it does with the answer's
	pass   []float64 // likewise: what the chain up to it costs with weight 1 above what it does with 0, as far as the next is told: −h to h
	doubt  []bool
	live   []int32     // the chains that the last survey looked at; others have no option in doubt, nor one near it
	less   [][]float64 // of each block of these: what its options added to the bound
	watch  *watch      // which chains a survey need not look at; nil: it looks at all
	looks  int         // at options in doubt, of all steps
	dear   float64     // more than an option can displace
	rings  []ring      // of options
	levy   []float64   // of each option: what rings add to its cost; nil: there are none
	width  []float64   // likewise: what they leave of the price of its tie to the next; nil: all
	doubts
}

// doubts are the options in doubt and their slots, cluster by cluster. A state is a triple of
// weights, ties and prices.
type doubts struct {
	clusters      []cluster
	at, slots     []int32    // options, slots
	place, placed []int32    // of all options and slots: their place in these; none: not in doubt
	of            [2][]int32 // of each of at: places of its slots
	within        []int32    // likewise: its cluster
	tied          []bool     // likewise: to the next of at
	wide          []float64  // likewise: the price of that tie; 0: there is none, or it is in a row
	own, step     []float64  // likewise: cost besides those in doubt, length of step of its weight
	right, fit    []float64  // likewise: weight of the answer; what loops need for themselves
	room, pace    []float64  // of each of slots: what weights may add up to, length of step of its price
	sum           []float64  // likewise: zeros between steps
	due           []float64  // of each ring: its price
	row           []int32    // likewise: its place in rows; none: nothing of it is in doubt
	rows          []ring     // of options, by their places; ties by those of their jumps
	strides       []float64  // likewise: length of step of its price
	jumps         []int32    // of each tie that is in a row: place of its first option
	jump          []int32    // of each of at: its tie in these, or none
	leaps         []float64  // of each of jumps: length of step
	toll          []float64  // of each of at: zeros between steps
	off           []float64  // of each of jumps: likewise
	next          []float64  // of each of at
	now, began    state
	ahead         state // where a plain step from the last place led to
	past          state // where a step began that is measured
}

// A state is weights, ties and prices, and where there are rows by how much their ties differ, the
// prices of its being no less than the rise and the fall of weights, whose difference stands for
// the tie, and the prices of rows.
type state struct{ weight, tie, price, jump, rise, fall, due []float64 }

// A cluster is a range of options in doubt and one of slots.
type cluster struct {
	from, to         int
	fromSlot, toSlot int
	fromJump, toJump int
	fromRow, toRow   int
	ratio            float64 // step of prices against that of weights
	since, steps     int     // since it began anew; in all
	first, last      float64 // how far a plain step went after it began anew, and when that was measured last
	answer, least    float64 // what the answer costs, and the cheapest weights so far
	met              bool
}

// relax looks for how much less than an answer of that cost both forms may be, and for a better
// answer. No answer costs less than least.
func (c *pricing) relax(ctx context.Context, chosen []bool, upper, least float64) (excess, error) {
	r := c.relaxation(chosen)
	rounding := c.p.rounding(upper) / 4
	more, most, err := r.solve(ctx, upper, rounding)
	if err != nil {
		return excess{}, err
	}
	value := upper
	if !c.p.proved(value, max(least, upper-most)) {
		less, err := r.improve(ctx, chosen)
		if err != nil {
			return excess{}, err
		}
		value -= less
	}
	if !c.p.proved(value, max(least, upper-most)) {
		proved, better, err := r.whole(ctx, chosen, value, rounding)
		if err != nil {
			return excess{}, err
		}
		value, least = value-better, max(least, proved)
	}
	if most-more <= rounding {
		most = more
	}
	x := excess{more: max(0, value-upper+more), most: max(0, value-upper+most)}
	if !c.p.proved(value, least) {
		x.exact = min(x.most, value-least)
	}
	return x, nil
}

// relaxLooks is after how many looks at options in doubt the relaxed form is left open: three
// seconds of a core. Where less is open than a pair's coming and going costs the steps are near the
// end, as a rule, and may take longer times as many. Tests make it less.
var relaxLooks = 250e6

// solve finds the relaxed form, to rounding: what weights show that it gains beyond the answer of
// that cost, and the most that it may gain.
func (r *relaxation) solve(ctx context.Context, upper, rounding float64) (more, most float64, err error) {
	const (
		often   = 400  // steps between two looks at all chains, twice as many where the last has changed nothing
		settled = 1600 // steps before options leave
		seldom  = 1.2  // by what the looks so far are multiplied until they do again
	)
	near := r.h / 4 // at first a tenth of the options of a crowd
	leave := math.Inf(1)
	for most = math.Inf(1); ; {
		r.watch.near = near
		bound := r.survey()
		more, most = max(more, r.gain()), min(most, upper-bound)
		enough := relaxLooks
		if most-more <= 3*r.h {
			enough *= longer
		}
		if most-more <= rounding || float64(r.looks) > enough {
			return min(more, most), most, nil
		}
		far := math.Inf(1)
		if float64(r.looks) > leave {
			leave, far = seldom*float64(r.looks), 1e-3*r.h
		}
		some, steps := r.enter(near, far), 2*often
		if some {
			r.list()
			steps = often
		}
		if math.IsInf(leave, 1) {
			near, leave = 1e-5*r.h, settled*float64(len(r.at))
		}
		if open := r.moves(steps, rounding/2); !open && !some {
			return min(more, most), most, nil
		}
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
	}
}

// relaxation begins with the prices of c and an answer.
func (c *pricing) relaxation(chosen []bool) *relaxation {
	n := len(c.options)
	r := &relaxation{
		p: c.p, h: c.p.cost, chain: make([]int32, 1, len(c.first)+1), option: make([]int32, 0, n), cost: make([]float64, 0, n), one: make([]bool, 0, n),
		price: slices.Concat(c.price[0], c.price[1]), dear: 4 * (c.p.cut + 2*c.p.cost),
	}
	r.slot[0], r.slot[1] = make([]int32, 0, n), make([]int32, 0, n)
	for _, first := range c.first {
		for x := first; x != none; x = c.next(x) {
			r.option = append(r.option, c.options[x])
			r.cost, r.one = append(r.cost, c.p.alone(c.options[x])), append(r.one, chosen[c.options[x]])
			r.slot[0] = append(r.slot[0], c.slot[0][x])
			r.slot[1] = append(r.slot[1], c.slot[1][x]+int32(len(c.price[0])))
		}
		r.chain = append(r.chain, int32(len(r.cost)))
	}
	r.place, r.placed = slices.Repeat([]int32{none}, n), slices.Repeat([]int32{none}, len(r.price))
	r.prepare()
	frame := make([]int32, n)
	for k, x := range r.option {
		frame[k] = c.p.options[x].frame
	}
	r.watch = newWatch(r, frame)
	return r
}

// prepare makes room for what a survey finds out.
func (r *relaxation) prepare() {
	n := len(r.option)
	r.differ, r.pass, r.doubt = make([]float64, n), make([]float64, n), make([]bool, n)
	r.levy, r.width, r.less = nil, nil, nil
	r.unwatched()
}

// clamp is x within ±h.
func clamp(x, h float64) float64 { return max(-h, min(h, x)) }

// survey prices all chains, and returns what the prices prove.
func (r *relaxation) survey() (bound float64) {
	if r.watch != nil {
		r.live = r.watch.live(r.price)
	}
	for _, x := range r.price {
		bound -= x
	}
	bound += r.charge()
	r.less = append(r.less[:min(r.blocks(), len(r.less))], make([][]float64, max(0, r.blocks()-len(r.less)))...)
	r.eachBlock(func(block int, chains []int32) {
		less := r.less[block][:0]
		for _, c := range chains {
			less = r.look(c, less)
		}
		r.less[block] = less
	})
	for _, less := range r.less {
		for _, x := range less {
			bound += x
		}
	}
	return bound
}

// inBlock is how many chains are looked at by one goroutine at a time. Tests make it less.
var inBlock = 4096

// blocks is the number of blocks of the chains that the last survey looked at.
func (r *relaxation) blocks() int { return (len(r.live) + inBlock - 1) / inBlock }

// eachBlock calls do for these, side by side.
func (r *relaxation) eachBlock(do func(block int, chains []int32)) {
	workers.Each(workers.Count(0), r.blocks(), func(_, k int) { do(k, r.live[k*inBlock:min((k+1)*inBlock, len(r.live))]) })
}

// look prices a chain. It appends what its options add to the bound.
func (r *relaxation) look(c int32, less []float64) []float64 {
	reduced := func(k int32) float64 {
		x := r.cost[k] + r.price[r.slot[0][k]] + r.price[r.slot[1][k]]
		if r.levy != nil {
			x += r.levy[k]
		}
		return x
	}
	clamp := func(x float64, k int32) float64 {
		if r.width != nil {
			return clamp(x, r.width[k])
		}
		return clamp(x, r.h)
	}
	from, to := r.chain[c], r.chain[c+1]
	before := 0.0
	for k := from; k < to; k++ {
		x := reduced(k) + before
		before = clamp(x, k)
		r.differ[k], r.pass[k] = x, before
		if k == to-1 {
			before = 0
		}
		if x < before {
			less = append(less, x-before)
		}
	}
	behind := 0.0
	for k := to - 1; k >= from; k-- {
		r.differ[k] += behind
		if k > from {
			behind = clamp(reduced(k)+behind, k-1)
		}
		if r.one[k] {
			r.differ[k] = -r.differ[k]
		}
	}
	if r.watch != nil {
		r.watch.look(r, c)
	}
	return less
}

// enter takes up the options whose other weight costs less than near above the answer's, and drops
// those whose costs more than far while they have the answer's. It reports whether there are any.
func (r *relaxation) enter(near, far float64) bool {
	const same = 1e-9
	var some atomic.Bool
	r.eachBlock(func(_ int, chains []int32) {
		for _, c := range chains {
			for k := r.chain[c]; k < r.chain[c+1]; k++ {
				x := r.differ[k]
				in := x < near
				if p := r.place[k]; p != none {
					in = x <= far || math.Abs(r.ahead.weight[p]-r.right[p]) > same
				}
				if in != r.doubt[k] {
					r.doubt[k] = in
					some.Store(true)
				}
			}
		}
	})
	return some.Load()
}

// A doubter is an option in doubt while lists are made.
type doubter struct {
	option, was int32 // was: its place so far
	own, ties   float64
	tied        bool
}

// list makes the lists of those in doubt. Those that were go on from where they were and had begun,
// new ones from the answer.
func (r *relaxation) list() {
	was := r.doubts
	taken := make([]bool, len(r.price)) // by options that are not in doubt
	all := r.doubters(taken)
	r.doubts = doubts{place: was.place, placed: slices.Repeat([]int32{none}, len(r.price)), due: was.due}
	r.reserve(len(all))
	for _, k := range was.at {
		r.place[k] = none
	}
	old := make([]int32, 0, len(all)) // of each of at: its place so far
	for _, members := range r.joined(all) {
		r.add(&was, all, members, taken)
		for _, i := range members {
			old = append(old, all[i].was)
		}
	}
	r.addRows(&was, old)
	for s, x := range r.placed {
		switch {
		case x != none:
			r.pace[x] = shorter / r.pace[x]
		case !taken[s]: // nobody asks for it
			r.price[s] = 0
		}
	}
	r.scratch()
}

// doubters lists the options in doubt, and notes which slots others have taken.
func (r *relaxation) doubters(taken []bool) []doubter {
	lists := make([][]doubter, r.blocks())
	r.eachBlock(func(block int, chains []int32) {
		var list []doubter
		for _, c := range chains {
			from, to := r.chain[c], r.chain[c+1]
			for k := from; k < to; k++ {
				if !r.doubt[k] {
					if r.one[k] { // the only one of its slots
						taken[r.slot[0][k]], taken[r.slot[1][k]] = true, true
					}
					continue
				}
				x := doubter{option: k, was: r.place[k], own: r.cost[k], tied: k+1 < to && r.doubt[k+1]}
				for _, beside := range [2]int32{k - 1, k + 1} {
					switch {
					case beside < from || beside >= to:
					case r.doubt[beside]:
						x.ties++
					case r.one[beside]:
						x.own -= r.h
					default:
						x.own += r.h
					}
				}
				list = append(list, x)
			}
		}
		lists[block] = list
	})
	return slices.Concat(lists...)
}

// reserve makes room for so many options, and as many slots: there are fewer in crowds.
func (x *doubts) reserve(n int) {
	for _, list := range []*[]float64{
		&x.wide, &x.own, &x.step, &x.right, &x.room, &x.pace,
		&x.now.weight, &x.now.tie, &x.now.price, &x.began.weight, &x.began.tie, &x.began.price, &x.ahead.weight, &x.ahead.tie, &x.ahead.price,
	} {
		*list = make([]float64, 0, n)
	}
	for _, list := range []*[]int32{&x.at, &x.slots, &x.of[0], &x.of[1], &x.within} {
		*list = make([]int32, 0, n)
	}
	x.tied = make([]bool, 0, n)
}

// scratch makes room for what steps need for themselves.
func (x *doubts) scratch() {
	x.sum, x.fit = make([]float64, len(x.slots)), make([]float64, len(x.at))
	x.past = state{weight: make([]float64, len(x.at)), tie: make([]float64, len(x.at)), price: make([]float64, len(x.slots))}
	x.toll, x.next, x.off = make([]float64, len(x.at)), make([]float64, len(x.at)), make([]float64, len(x.jumps))
}

// joined lists those of each cluster, in order.
func (r *relaxation) joined(all []doubter) [][]int32 {
	f := forest.New(len(all))
	last := slices.Repeat([]int32{none}, len(r.price)) // of each slot
	for i := range all {
		if all[i].tied {
			f.Join(int32(i), int32(i+1))
		}
		for side := range r.slot {
			at := &last[r.slot[side][all[i].option]]
			if *at != none {
				f.Join(*at, int32(i))
			}
			*at = int32(i)
		}
	}
	if len(r.rings) > 0 {
		number := slices.Repeat([]int32{none}, len(r.option))
		for i := range all {
			number[all[i].option] = int32(i)
		}
		for i := range r.rings {
			first := int32(none)
			r.rings[i].each(func(k int32) {
				if x := number[k]; first == none {
					first = x
				} else if x != none {
					f.Join(first, x)
				}
			})
		}
	}
	number := slices.Repeat([]int32{none}, len(all)) // label → cluster
	var lists [][]int32
	for i, label := range f.Labels() {
		if number[label] == none {
			number[label] = int32(len(lists))
			lists = append(lists, nil)
		}
		lists[number[label]] = append(lists[number[label]], int32(i))
	}
	return lists
}

// add lists a cluster. It has the length of steps, and all the rest if nobody came or went, of the
// largest that its options were in.
func (r *relaxation) add(was *doubts, all []doubter, members []int32, taken []bool) {
	const first = 5 // in h: after some thousand steps it is between 2 and 8 in crowds
	c := cluster{ratio: first * r.h}
	from, size, same := int32(none), 0, true
	for _, i := range members {
		if x := all[i].was; x != none {
			if o := &was.clusters[was.within[x]]; o.to-o.from > size {
				from, size = was.within[x], o.to-o.from
			}
		}
	}
	for _, i := range members {
		x := all[i].was
		same = same && x != none && was.within[x] == from
	}
	if same = same && size == len(members); from != none {
		c = was.clusters[from]
	}
	c.from, c.fromSlot = len(r.at), len(r.slots)
	for _, i := range members {
		x := &all[i]
		k := x.option
		one := 0.0
		if r.one[k] {
			one = 1
		}
		now, began, ahead, tie, tied, wide := one, one, one, 0.0, 0.0, 0.0
		if x.tied {
			tie, tied, wide = -r.pass[k], -r.pass[k], r.h
		}
		if w := x.was; w != none {
			now, began, ahead = was.now.weight[w], was.began.weight[w], was.ahead.weight[w]
			switch j := was.jump[w]; {
			case !was.tied[w] || !x.tied:
			case j == none:
				tie, tied = was.now.tie[w], was.began.tie[w]
			default:
				tie, tied = was.now.rise[j]-was.now.fall[j], was.began.rise[j]-was.began.fall[j]
			}
		}
		r.place[k] = int32(len(r.at))
		r.at, r.within, r.tied = append(r.at, k), append(r.within, int32(len(r.clusters))), append(r.tied, x.tied)
		r.wide, r.own, r.step, r.right = append(r.wide, wide), append(r.own, x.own), append(r.step, 2+x.ties), append(r.right, one) // step: for now how much it is in
		r.now.weight, r.now.tie = append(r.now.weight, now), append(r.now.tie, tie)
		r.began.weight, r.began.tie = append(r.began.weight, began), append(r.began.tie, tied)
		r.ahead.weight, r.ahead.tie = append(r.ahead.weight, ahead), append(r.ahead.tie, tie)
		for side := range r.of {
			s := r.slot[side][k]
			if r.placed[s] == none {
				r.placed[s] = int32(len(r.slots))
				now, began, room := r.price[s], r.price[s], 1.0
				if w := was.placed[s]; w != none {
					now, began = was.now.price[w], was.began.price[w]
				}
				if taken[s] {
					room = 0
				}
				r.slots, r.room, r.pace = append(r.slots, s), append(r.room, room), append(r.pace, 0)
				r.now.price, r.began.price, r.ahead.price = append(r.now.price, now), append(r.began.price, began), append(r.ahead.price, r.price[s])
			}
			r.pace[r.placed[s]]++ // for now their number
			r.of[side] = append(r.of[side], r.placed[s])
		}
	}
	c.to, c.toSlot = len(r.at), len(r.slots)
	if c.answer = r.spent(&c, r.right); !same {
		c.least, c.met = c.answer, false
	}
	r.clusters = append(r.clusters, c)
}

// addRows lists what rings say of those in doubt, whose places so far were old. Rings that are new
// begin at price 0, and their clusters anew.
func (r *relaxation) addRows(was *doubts, old []int32) {
	r.jump = slices.Repeat([]int32{none}, len(r.at))
	r.row = slices.Repeat([]int32{none}, len(r.rings))
	r.due = append(slices.Clone(r.due), make([]float64, len(r.rings)-len(r.due))...)
	all := make([]ring, len(r.rings))
	of := make([][]int32, len(r.clusters)) // rings
	for i := range r.rings {
		all[i] = r.rings[i].among(r.place, r.one)
		first := int32(none)
		all[i].each(func(x int32) { first = x })
		switch {
		case first != none:
			of[r.within[first]] = append(of[r.within[first]], int32(i))
		case all[i].most > 0:
			r.due[i] = 0
		}
	}
	for c := range r.clusters {
		c, list := &r.clusters[c], of[c]
		c.fromJump, c.fromRow = len(r.jumps), len(r.rows)
		for _, i := range list {
			for _, x := range all[i].ties {
				r.jump[x] = 0
			}
		}
		for x := int32(c.from); x < int32(c.to); x++ {
			if r.jump[x] == none {
				continue
			}
			r.jump[x] = int32(len(r.jumps))
			r.jumps, r.leaps = append(r.jumps, x), append(r.leaps, 2)
			r.step[x]++
			r.step[x+1]++
			w := int32(none)
			if old[x] != none {
				w = was.jump[old[x]]
			}
			for _, s := range [3]struct{ to, from *state }{{&r.now, &was.now}, {&r.began, &was.began}, {&r.ahead, &was.ahead}} {
				jump, rise, fall := math.Abs(s.to.weight[x+1]-s.to.weight[x]), max(0, s.to.tie[x]), max(0, -s.to.tie[x])
				if w != none {
					jump, rise, fall = s.from.jump[w], s.from.rise[w], s.from.fall[w]
				}
				s.to.jump, s.to.rise, s.to.fall = append(s.to.jump, jump), append(s.to.rise, rise), append(s.to.fall, fall)
				s.to.tie[x] = 0
			}
			r.wide[x] = 0
		}
		for _, i := range list {
			w, row := int32(none), &all[i]
			if int(i) < len(was.row) {
				w = was.row[i]
			} else {
				c.least, c.met = c.answer, false
			}
			for _, s := range [3]struct{ to, from *state }{{&r.now, &was.now}, {&r.began, &was.began}, {&r.ahead, &was.ahead}} {
				due := r.due[i]
				if w != none {
					due = s.from.due[w]
				}
				s.to.due = append(s.to.due, due)
			}
			stride := float64(len(row.ties))
			for _, f := range row.of {
				stride += math.Abs(f.times)
				r.step[f.option] += math.Abs(f.times)
			}
			for k, x := range row.ties {
				row.ties[k] = r.jump[x]
				r.leaps[r.jump[x]]++
			}
			r.row[i] = int32(len(r.rows))
			r.rows, r.strides = append(r.rows, *row), append(r.strides, shorter/stride)
		}
		c.toJump, c.toRow = len(r.jumps), len(r.rows)
	}
	for x := range r.step {
		r.step[x] = shorter / r.step[x]
	}
	for j := range r.leaps {
		r.leaps[j] = shorter / r.leaps[j]
	}
}

// spent is what weights cost in a cluster.
func (r *relaxation) spent(c *cluster, weight []float64) (sum float64) {
	for k := c.from; k < c.to; k++ {
		sum += r.own[k] * weight[k]
		if r.tied[k] {
			sum += r.h * math.Abs(weight[k+1]-weight[k])
		}
	}
	return sum
}

// gain is how much less weights that fit cost than the answer.
func (r *relaxation) gain() (sum float64) {
	for i := range r.clusters {
		sum += r.clusters[i].answer - r.clusters[i].least
	}
	return sum
}

// proved is what the prices of a cluster prove of it.
func (r *relaxation) proved(c *cluster) (bound float64) {
	for s := c.fromSlot; s < c.toSlot; s++ {
		bound -= r.room[s] * r.ahead.price[s]
	}
	r.demand(c, r.ahead.due)
	for i := c.fromRow; i < c.toRow; i++ {
		bound -= r.rows[i].most * r.ahead.due[i]
	}
	for j := c.fromJump; j < c.toJump; j++ {
		bound += min(0, r.h-r.off[j])
	}
	before := 0.0
	for k := c.from; k < c.to; k++ {
		x := r.own[k] + r.toll[k] + r.ahead.price[r.of[0][k]] + r.ahead.price[r.of[1][k]] + before
		if before = 0; r.tied[k] {
			h := r.h
			if j := r.jump[k]; j != none {
				h = max(0, h-r.off[j])
			}
			before = clamp(x, h)
		}
		bound += min(0, x-before)
	}
	r.release(c)
	return bound
}

// demand sums what prices of rows add to costs of options and take from those of ties, until release.
func (r *relaxation) demand(c *cluster, due []float64) {
	toll, off := r.toll, r.off
	for i := c.fromRow; i < c.toRow; i++ {
		z := due[i]
		if z == 0 {
			continue
		}
		for _, f := range r.rows[i].of {
			toll[f.option] += z * f.times
		}
		for _, j := range r.rows[i].ties {
			off[j] += z
		}
	}
}

func (r *relaxation) release(c *cluster) {
	if c.fromRow < c.toRow {
		clear(r.toll[c.from:c.to])
		clear(r.off[c.fromJump:c.toJump])
	}
}

// fits says whether weights of a cluster fit.
func (r *relaxation) fits(c *cluster, weight []float64) (fit bool) {
	for side := range r.of {
		for k := c.from; k < c.to; k++ {
			r.sum[r.of[side][k]] += weight[k]
		}
	}
	fit = true
	for s := c.fromSlot; s < c.toSlot; s++ {
		fit = fit && r.sum[s] <= r.room[s]
	}
	clear(r.sum[c.fromSlot:c.toSlot])
	return fit
}

// fitting makes weights of a cluster fit, and is what they cost.
func (r *relaxation) fitting(c *cluster) float64 {
	const rounds = 8
	w := r.fit
	copy(w[c.from:c.to], r.ahead.weight[c.from:c.to])
	for round := range rounds {
		for side := range r.of {
			of := r.of[side]
			for k := c.from; k < c.to; k++ {
				r.sum[of[k]] += w[k]
			}
			for k := c.from; k < c.to; k++ {
				s := of[k]
				if sum := r.sum[s]; sum > r.room[s] || round < rounds-1 && sum > 0 && r.ahead.price[s] > 0 {
					w[k] *= r.room[s] / sum
				}
			}
			clear(r.sum[c.fromSlot:c.toSlot])
		}
	}
	cost := r.spent(c, w)
	for i := c.fromRow; i < c.toRow; i++ { // ties that differ by more than they do
		over := -r.rows[i].most
		for _, f := range r.rows[i].of {
			over += f.times * w[f.option]
		}
		for _, j := range r.rows[i].ties {
			k := r.jumps[j]
			over -= math.Abs(w[k+1] - w[k])
		}
		cost += r.h * max(0, over)
	}
	return cost
}

// moves does so many steps of each cluster that has not met, and reports whether there is any. Each
// may keep its part of what is to stay open.
func (r *relaxation) moves(steps int, open float64) (some bool) {
	for i := range r.clusters {
		c := &r.clusters[i]
		if c.met {
			continue
		}
		some = true
		for range steps {
			r.move(c)
		}
		r.looks += steps * (c.to - c.from)
		c.least = min(c.least, r.fitting(c))
		if r.meets(c, open) {
			c.met = true
			r.now.copy(&r.ahead, c)
		}
		for s := c.fromSlot; s < c.toSlot; s++ {
			r.price[r.slots[s]] = r.ahead.price[s]
		}
		for i, row := range r.row {
			if int(row) >= c.fromRow && int(row) < c.toRow {
				r.due[i] = r.ahead.due[row]
			}
		}
	}
	return some
}

// meets says whether a cluster leaves no more open than its part of what may be.
func (r *relaxation) meets(c *cluster, open float64) bool {
	return c.least-r.proved(c) <= open*float64(c.to-c.from)/float64(len(r.at))
}

// reopen lets clusters go on that have met where more was left open.
func (r *relaxation) reopen(open float64) {
	for i := range r.clusters {
		c := &r.clusters[i]
		c.met = c.met && r.meets(c, open)
	}
}

// shorter makes steps a little less than those up to which the method is sure to converge.
const shorter = 0.99

// copy takes a cluster's part of another state.
func (s *state) copy(from *state, c *cluster) {
	copy(s.weight[c.from:c.to], from.weight[c.from:c.to])
	copy(s.tie[c.from:c.to], from.tie[c.from:c.to])
	copy(s.price[c.fromSlot:c.toSlot], from.price[c.fromSlot:c.toSlot])
	copy(s.jump[c.fromJump:c.toJump], from.jump[c.fromJump:c.toJump])
	copy(s.rise[c.fromJump:c.toJump], from.rise[c.fromJump:c.toJump])
	copy(s.fall[c.fromJump:c.toJump], from.fall[c.fromJump:c.toJump])
	copy(s.due[c.fromRow:c.toRow], from.due[c.fromRow:c.toRow])
}

// move does one step of a cluster.
func (r *relaxation) move(c *cluster) {
	const looks = 10 // steps between two at how far they go
	c.steps++
	measured := c.since%looks == 0
	far := r.plain(c, float64(c.since+1)/float64(c.since+2), measured)
	if c.since++; !measured {
		return
	}
	switch {
	case c.since == 1:
		c.first, c.last = far, math.Inf(1)
	case far <= 0.2*c.first || far <= 0.8*c.first && far > c.last || c.since > 100+c.steps/8:
		r.anew(c)
	default:
		c.last = far
	}
}

// plain takes a step of the method from now, doubles it and draws it back, and returns how far it went.
func (r *relaxation) plain(c *cluster, share float64, measure bool) (far float64) {
	weights, ties := 1/c.ratio, shorter/2*c.ratio
	p := pull{share, 1 - share}
	now, began, ahead := r.now.part(c), r.began.part(c), r.ahead.part(c)
	own, step, wide, next := r.own[c.from:c.to], r.step[c.from:c.to], r.wide[c.from:c.to], r.next[c.from:c.to]
	first, second := r.of[0][c.from:c.to], r.of[1][c.from:c.to]
	if c.fromRow < c.toRow {
		r.demand(c, r.now.due)
		paid := r.fit[c.from:c.to]
		for k, x := range own {
			paid[k] = x + r.toll[c.from+k]
		}
		own = paid
		for j := c.fromJump; j < c.toJump; j++ {
			r.now.tie[r.jumps[j]] = r.now.rise[j] - r.now.fall[j]
		}
	}
	past := r.past.part(c)
	if measure {
		copy(past.weight, now.weight)
		copy(past.tie, now.tie)
		copy(past.price, now.price)
	}
	stepWeights(now.weight, began.weight, ahead.weight, next, own, step, now.tie, first, second, r.now.price, weights, p)
	n := len(next) - 1 // the last has no tie
	stepTies(now.tie[:n], began.tie[:n], ahead.tie[:n], wide[:n], next, ties, p)
	for k, x := range next {
		r.sum[first[k]] += x
		r.sum[second[k]] += x
	}
	pace := r.pace[c.fromSlot:c.toSlot]
	stepPrices(now.price, began.price, ahead.price, pace, r.room[c.fromSlot:c.toSlot], r.sum[c.fromSlot:c.toSlot], c.ratio, p)
	if measure {
		for k, w := range past.weight {
			d := ahead.weight[k] - w
			far += d * d / (step[k] * weights)
			if wide[k] > 0 {
				d := ahead.tie[k] - past.tie[k]
				far += d * d / ties
			}
		}
		for s, x := range past.price {
			d := ahead.price[s] - x
			far += d * d / (pace[s] * c.ratio)
		}
	}
	if c.fromRow < c.toRow {
		far += r.plainRows(c, share, measure)
	}
	return math.Sqrt(far)
}

// part is what of a state without rows is of a cluster.
func (s *state) part(c *cluster) state {
	return state{weight: s.weight[c.from:c.to], tie: s.tie[c.from:c.to], price: s.price[c.fromSlot:c.toSlot]}
}

// plainRows is the part of plain for rows. It returns the square of how far it went, if that is measured.
func (r *relaxation) plainRows(c *cluster, share float64, measure bool) (far float64) {
	now, began, ahead := &r.now, &r.began, &r.ahead
	rest, ties := 1-share, shorter/3*c.ratio
	for j := c.fromJump; j < c.toJump; j++ {
		k := r.jumps[j]
		w, rise, fall, apart := now.jump[j], now.rise[j], now.fall[j], r.next[k]-r.next[k+1]
		d := r.leaps[j] / c.ratio
		to := max(0, min(1, w-d*(r.h-rise-fall-r.off[j])))
		next := 2*to - w
		up, down := max(0, rise+ties*(apart-next)), max(0, fall+ties*(-apart-next))
		ahead.jump[j], ahead.rise[j], ahead.fall[j] = to, up, down
		now.jump[j] = share*next + rest*began.jump[j]
		now.rise[j] = share*(2*up-rise) + rest*began.rise[j]
		now.fall[j] = share*(2*down-fall) + rest*began.fall[j]
		r.off[j] = next
		if measure {
			far += (to - w) * (to - w) / d
			far += (up - rise) * (up - rise) / ties
			far += (down - fall) * (down - fall) / ties
		}
	}
	for i := c.fromRow; i < c.toRow; i++ {
		row := &r.rows[i]
		over := -row.most
		for _, f := range row.of {
			over += f.times * r.next[f.option]
		}
		for _, j := range row.ties {
			over -= r.off[j]
		}
		z, d := now.due[i], r.strides[i]*c.ratio
		to := max(0, z+d*over)
		if measure {
			far += (to - z) * (to - z) / d
		}
		ahead.due[i] = to
		now.due[i] = share*(2*to-z) + rest*began.due[i]
	}
	r.release(c)
	return far
}

// anew begins anew where the last plain step led to.
func (r *relaxation) anew(c *cluster) {
	const slowly = 0.2
	apart := func(x, y []float64) (sum float64) {
		for k := range x {
			sum += (x[k] - y[k]) * (x[k] - y[k])
		}
		return sum
	}
	r.now.copy(&r.ahead, c)
	weights := math.Sqrt(apart(r.now.weight[c.from:c.to], r.began.weight[c.from:c.to]) +
		apart(r.now.jump[c.fromJump:c.toJump], r.began.jump[c.fromJump:c.toJump]))
	prices := math.Sqrt(apart(r.now.price[c.fromSlot:c.toSlot], r.began.price[c.fromSlot:c.toSlot]) +
		apart(r.now.tie[c.from:c.to], r.began.tie[c.from:c.to]) +
		apart(r.now.rise[c.fromJump:c.toJump], r.began.rise[c.fromJump:c.toJump]) +
		apart(r.now.fall[c.fromJump:c.toJump], r.began.fall[c.fromJump:c.toJump]) +
		apart(r.now.due[c.fromRow:c.toRow], r.began.due[c.fromRow:c.toRow]))
	if weights > 1e-10 && prices > 1e-10*r.h {
		c.ratio = math.Exp(slowly*math.Log(prices/weights) + (1-slowly)*math.Log(c.ratio))
	}
	r.began.copy(&r.now, c)
	c.since = 0
}
