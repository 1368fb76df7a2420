package metrics

import (
	"context"
	"math"
	"slices"
)

// This file finds the exact form of a part where the relaxed form is less than the best answer known.
//
// # The method
//
// The optimum of the linear programme has weights of 1/2, or of thirds and such, where pairs of some targets and tracks contend in a ring. They hang
// together: with one of them held at 0 or at 1 most others are whole, or the bound is above the answer. So this is branch and bound
// over the relaxation of file pairrelax.go, which has been solved: of 1,000 targets that start near one point, with 510 such weights, it takes nine nodes.
//
// Options whose other weight would cost as much as lies between the bound and the answer are as in the answer in all better ones, and are left
// out: of two million, 40,000 to 150,000 stay, and those of the best weights that are not the answer's, some hundreds, are in doubt at first. The option
// to hold is in the middle of the run, of one pair in frames that follow each other, which lies farthest from 0 and from 1 in all; the value that is nearer
// comes first. A node goes on from the weights and prices of the one before. It ends where its prices prove no less than the best answer
// costs, where its weights and prices agree but for a small part of what there is to prove, and after some steps: prices near the best
// are still a long way from it. For the latter two there must be an option to hold.
//
// To hold an option at 1 is to let it cost less by more than all that it can displace, at 0 as much more: the relaxation needs not know.
// Answers are the weights of nodes, rounded, cluster by cluster where they fit.

// A branching is a search in a relaxation.
type branching struct {
	r        *relaxation
	best     []bool  // of each option: the best answer
	value    float64 // what it costs
	upper    float64 // what the answer of the relaxation costs, with what is held
	rounding float64
	held     []holding
}

// A holding is what an option in doubt costs more.
type holding struct {
	option int32
	more   float64
}

// mostLooks is after how many looks at options in doubt a search ends: one and a half seconds.
const mostLooks = 125e6

// whole looks for the exact form, where the answer chosen costs so much: what is proved to be the least that any does, and by how much the best
// answer, which becomes chosen, is better.
func (r *relaxation) whole(ctx context.Context, chosen []bool, value, rounding float64) (least, better float64, err error) {
	for k, x := range r.option {
		r.one[k] = chosen[x]
	}
	bound := r.survey()
	b := &branching{value: value, rounding: rounding}
	if b.proved(bound) {
		return bound, 0, nil
	}
	o, rest := r.open(value - bound)
	b.r, b.best = o, slices.Clone(o.one)
	b.value -= rest
	b.upper = b.value
	b.round()
	if least, err = b.branch(ctx, bound-rest); err != nil {
		return 0, 0, err
	}
	for k, x := range o.option {
		chosen[x] = b.best[k]
	}
	return least + rest, value - rest - b.value, nil
}

// open is the relaxation of options whose other weight costs less than most above the answer's, beside what the answer has of others, and what these
// cost. In doubt are those that have not the answer's.
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
	o = &relaxation{h: r.h, chain: []int32{0}, dear: r.dear, doubts: r.doubts}
	o.at, o.place, o.placed = nil, nil, nil
	number := slices.Repeat([]int32{none}, len(r.price))
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
	o.prepare()
	for _, k := range o.at {
		o.doubt[k] = true
	}
	o.survey()
	o.list()
	return o, rest
}

// branch is what is proved of the answers that agree with what is held, given the bound of the node, which is solved.
func (b *branching) branch(ctx context.Context, bound float64) (float64, error) {
	if b.proved(bound) || b.r.looks > mostLooks {
		return bound, nil
	}
	k, one := b.pick()
	if k == none {
		return bound, nil
	}
	least := math.Inf(1)
	for range 2 {
		b.hold(k, one)
		below, err := b.solve(ctx)
		if err != nil {
			return 0, err
		}
		if below, err = b.branch(ctx, max(bound, below)); err != nil {
			return 0, err
		}
		b.release()
		if b.r.looks > mostLooks {
			return bound, nil
		}
		least, one = min(least, below), !one
	}
	return least, nil
}

// proved says whether a bound leaves no room for better answers.
func (b *branching) proved(bound float64) bool { return bound >= b.value-b.rounding }

// solve solves the relaxation with what is held as far as is of use, and returns what it proves.
func (b *branching) solve(ctx context.Context) (bound float64, err error) {
	const (
		steps   = 100  // between two looks at all chains
		rounds  = 10   // of so many steps, before there may be another option to hold
		little  = 0.1  // of what there is to prove
		clearly = 1e-5 // in h: what an option with the other weight costs less when it enters
	)
	r := b.r
	released := b.released()
	bound = math.Inf(-1)
	for round := 0; ; round++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		bound = max(bound, r.survey()+released)
		b.round()
		if b.proved(bound) || r.looks > mostLooks {
			return bound, nil
		}
		within := b.rounding
		if k, _ := b.pick(); k != none {
			if within = max(within, little*(b.value-bound)); round >= rounds {
				return bound, nil
			}
		}
		if b.upper+released-r.gain() <= bound+within {
			return bound, nil
		}
		r.reopen(within / 2)
		some := r.enter(-clearly*r.h, math.Inf(1))
		if some {
			r.list()
		}
		if !r.moves(steps, within/2) && !some {
			return bound, nil
		}
	}
}

// hold holds an option at 1 or at 0.
func (b *branching) hold(k int32, one bool) {
	x := b.r.dear
	if one {
		x = -x
	}
	b.held = append(b.held, holding{k, x})
	b.charge(k, x)
}

// release lets the option go that was held last.
func (b *branching) release() {
	last := len(b.held) - 1
	b.charge(b.held[last].option, -b.held[last].more)
	b.held = b.held[:last]
}

// charge lets an option in doubt cost more. Its cluster goes on from where it is.
func (b *branching) charge(k int32, more float64) {
	r := b.r
	r.cost[k] += more
	r.own[r.place[k]] += more
	if r.one[k] {
		b.upper += more
	}
	c := &r.clusters[r.within[r.place[k]]]
	c.answer = r.spent(c, r.right)
	c.least, c.met, c.since = c.answer, false, 0
	r.now.copy(&r.ahead, c)
	r.began.copy(&r.ahead, c)
}

// released is how much less answers cost that have what is held at 1.
func (b *branching) released() (sum float64) {
	for _, h := range b.held {
		sum -= min(0, h.more)
	}
	return sum
}

// spent is what weights cost in a cluster, whatever is held.
func (b *branching) spent(c *cluster, weight []float64) float64 {
	sum := b.r.spent(c, weight)
	for _, h := range b.held {
		if x := int(b.r.place[h.option]); x >= c.from && x < c.to {
			sum -= h.more * weight[x]
		}
	}
	return sum
}

// pick is the option to hold next and whether at 1, or none.
func (b *branching) pick() (k int32, one bool) {
	const whole = 0.02
	r := b.r
	k = none
	most, run, from := 0.0, 0.0, 0
	for x, w := range r.ahead.weight {
		f := min(w, 1-w)
		if f < whole {
			run, from = 0, x+1
			continue
		}
		if run += f; run > most {
			middle := (from + x) / 2
			most, k, one = run, r.at[middle], r.ahead.weight[middle] > 0.5
		}
		if !r.tied[x] {
			run, from = 0, x+1
		}
	}
	return k, one
}

// round looks for a better answer in the weights of a node.
func (b *branching) round() {
	r := b.r
	now, rounded := make([]float64, len(r.at)), make([]float64, len(r.at))
	for x, k := range r.at {
		if b.best[k] {
			now[x] = 1
		}
		if r.ahead.weight[x] > 0.5 {
			rounded[x] = 1
		}
	}
	for i := range r.clusters {
		c := &r.clusters[i]
		less := b.spent(c, now) - b.spent(c, rounded)
		if less <= 0 || !r.fits(c, rounded) {
			continue
		}
		b.value -= less
		for x := c.from; x < c.to; x++ {
			b.best[r.at[x]] = rounded[x] > 0
		}
	}
}
