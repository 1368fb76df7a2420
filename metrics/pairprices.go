package metrics

import (
	"context"
	"math"
	"slices"

	"mtt/dualascent"
)

// This file solves parts of a pairing in which nearly everything is near everything, by the few
// pairs that matter.
//
// Options of one pair that follow each other are a chain. Given prices u ≥ 0 and v ≥ 0 of being
// taken, of each target and track in each frame, let m be the least that a chain's weights cost,
// prices and changes included, where not all of them are 0. Whatever the prices are,
//
//	−Σu − Σv + Σ over chains min(0, m)
//
// is no more than the relaxed form costs: this is its Lagrangian without the exclusions, and the
// relaxed form of a chain by itself is integral. So a few chains are solved, and the others
// priced with what the assignment problems of the few say that targets and tracks are worth. Those that
// cost little come in (column generation), until the bound meets the answer. Where it
// does not, since the relaxed form is less or the ascent has ended early, and only a few more chains cost
// no more than what lies between, these come in and are searched: no better answer has others.
//
// What stays open then is of two kinds: prices short of the best, and a relaxed form that is less
// than the answer. File pairrelax.go closes the first, file pairwhole.go the second.
//
// A look at all chains takes a few operations for each option. An instance of all of them would have
// a cost for each two options of one target, or track, in frames that follow each other.

// How the ascent goes on: over how many sweeps prices are balanced, in crowds, and of what was
// open, what may be left for it to begin again.
const (
	balance  = 50
	inCrowds = 3
	pays     = 0.9
)

// manyOptions is the size of a part from which on chains are let in one by one, and nearestFew how
// many of the nearest partners are at first, of each target and track in each frame. The frames of
// 1,000 targets that start near one point take 2 rounds with 3, more with fewer. Tests make both
// less.
var manyOptions, nearestFew = 10_000, 3

// A pricing is a part and the chains of it that are let in. Options go by their place in the part.
type pricing struct {
	p       *pairing
	options []int32      // of the part, in order of frames
	place   []int32      // of options of the pairing in the part
	of      []int32      // of each of options: its chain
	slot    [2][]int32   // likewise: a number for its target, its track, in its frame
	price   [2][]float64 // of each slot
	first   []int32      // of each chain: its first option
	least   []float64    // of each chain: m
	in      []bool       // of each chain
}

// solvePriced is solvePart, for many options.
//
// An ascent from nothing rests where neighbouring frames are at peace with each other. In a crowd
// prices pass from target to target over tens of pairs, and two sweeps of balancing do not carry
// them that far: with 50, and begun again where it came to rest, it leaves open a quarter as much
// of 1,000 targets that start near one point, in twice the time. Where too many are in for a
// search, prices are hardly balanced and the ascent is one round: file pairrelax.go goes on from
// wherever that ends, in as many steps as from where the ascent would rest, and prices the chains
// that are not in itself.
func (p *pairing) solvePriced(ctx context.Context, options []int32, chosen []bool) (excess, error) {
	const soon = 100_000 // options that are searched in a few seconds
	c := p.newPricing(options)
	if err := ctx.Err(); err != nil {
		return excess{}, err
	}
	c.begin()
	for searched := false; ; {
		if err := ctx.Err(); err != nil {
			return excess{}, err
		}
		in := c.admitted()
		q := p.newPart(in)
		inst, err := q.instance(ctx)
		if err != nil {
			return excess{}, err
		}
		opts := &dualascent.Options{Balance: balance, Effort: -1, Whole: true}
		if len(in) > soon {
			opts.Balance, opts.MaxRounds = inCrowds, 1
		}
		if searched {
			opts.Effort = effort(inst)
		}
		var res *dualascent.Result
		var bound, open float64
		proved, crowd := false, false
		little := 0.05 // of what is open: what chains that are not in may take
		for before := math.Inf(1); ; before = open {
			if res, err = dualascent.Solve(ctx, inst, opts); err != nil {
				return excess{}, err
			}
			c.look(q, inst, res.Prices)
			if err := ctx.Err(); err != nil {
				return excess{}, err
			}
			bound = c.bound()
			if err := ctx.Err(); err != nil {
				return excess{}, err
			}
			if crowd = c.below(0) > soon; crowd {
				little = 0.5
			}
			proved = p.proved(res.UpperBound, bound)
			if open = res.UpperBound - bound; proved || crowd || res.Certified-bound > little*open || open > pays*before {
				break
			}
			opts.Prices, opts.Next = res.Prices, res.Next
		}
		switch {
		case proved:
		case res.Certified-bound > little*open && c.admit(2*p.cost):
			continue
		case c.below(open) <= soon && (c.admit(open) || !searched):
			searched = true
			continue
		}
		q.choose(res, chosen)
		if proved {
			return excess{}, nil
		}
		if !slices.Contains(c.in, false) {
			if x, ok := q.open(res, bound); ok {
				return x, nil
			}
		}
		return c.relax(ctx, chosen, res.UpperBound, math.Inf(-1))
	}
}

func (p *pairing) newPricing(options []int32) *pricing {
	n := len(options)
	c := &pricing{p: p, options: options, place: make([]int32, len(p.options)), of: make([]int32, n)}
	for k, x := range options {
		c.place[x] = int32(k)
	}
	for k, x := range options {
		if prev := p.options[x].prev; prev >= 0 {
			c.of[k] = c.of[c.place[prev]]
		} else {
			c.of[k] = int32(len(c.first))
			c.first = append(c.first, int32(k))
		}
	}
	c.least, c.in = make([]float64, len(c.first)), make([]bool, len(c.first))
	for k, of := range [2]*side{&p.s.truth, &p.s.tracks} {
		c.slot[k] = c.slots(len(of.of), func(x *option) int32 { return [2]int32{x.row, x.col}[k] })
		c.price[k] = make([]float64, slices.Max(c.slot[k])+1)
	}
	return c
}

// slots numbers the trajectories of the options, n on their side, in each frame anew.
func (c *pricing) slots(n int, trajectory func(x *option) int32) []int32 {
	slot := make([]int32, len(c.options))
	last := slices.Repeat([]int32{none}, n) // option of each trajectory
	fresh := int32(0)
	for k, x := range c.options {
		o := &c.p.options[x]
		at := &last[trajectory(o)]
		if *at != none && c.p.options[c.options[*at]].frame == o.frame {
			slot[k] = slot[*at]
		} else {
			slot[k] = fresh
			fresh++
		}
		*at = int32(k)
	}
	return slot
}

// begin lets in the chains of the nearest partners.
func (c *pricing) begin() {
	gain := make([]float64, len(c.options))
	for k, x := range c.options {
		gain[k] = c.p.worth(&c.p.options[x])
	}
	for k := range c.slot {
		best := slices.Repeat([]int32{none}, nearestFew*len(c.price[k])) // options, of each slot by descending gain
		for option, slot := range c.slot[k] {
			x := int32(option)
			of := best[int(slot)*nearestFew : (int(slot)+1)*nearestFew]
			for i, y := range of {
				if x != none && (y == none || gain[x] > gain[y]) {
					of[i], x = x, y
				}
			}
		}
		for _, x := range best {
			if x != none {
				c.in[c.of[x]] = true
			}
		}
	}
}

// admitted lists the options that are let in.
func (c *pricing) admitted() (list []int32) {
	for k, x := range c.options {
		if c.in[c.of[k]] {
			list = append(list, x)
		}
	}
	return list
}

// next is the option that follows one of the part in its chain, or none.
func (c *pricing) next(x int32) int32 {
	if next := c.p.options[c.options[x]].next; next >= 0 {
		return c.place[next]
	}
	return none
}

// admit lets in the chains that cost less than most, and says whether there were any.
func (c *pricing) admit(most float64) (some bool) {
	for k, m := range c.least {
		if !c.in[k] && m < most {
			c.in[k], some = true, true
		}
	}
	return some
}

// below counts the options that are let in, and of chains that cost less than most.
func (c *pricing) below(most float64) (n int) {
	for _, k := range c.of {
		if c.in[k] || c.least[k] < most {
			n++
		}
	}
	return n
}

// bound prices all chains, and is what the prices prove.
func (c *pricing) bound() (bound float64) {
	for _, list := range c.price {
		for _, x := range list {
			bound -= x
		}
	}
	for k, x := range c.first {
		c.least[k] = c.chain(x)
		bound += min(0, c.least[k])
	}
	return bound
}

// chain is m of the chain with the given first option.
func (c *pricing) chain(first int32) float64 {
	h := c.p.cost
	on, off := math.Inf(1), math.Inf(1) // the last weight is 1; it is 0, and one before it was 1
	for x, begin := first, 0.0; x != none; x, begin = c.next(x), h {
		cost := c.p.alone(c.options[x]) + c.price[0][c.slot[0][x]] + c.price[1][c.slot[1][x]]
		on, off = min(on, off+h, begin)+cost, min(off, on+h)
	}
	return min(on, off)
}

// look takes what targets and tracks are worth from multipliers of the instance of q.
//
// In the assignment problem of a frame a node is worth what it costs more where it stays free: the
// price of that less its own. A block of the engine can tell a node that stays free in both frames
// from one that does not, the weights of pairs cannot. So what is charged to node j for being taken
// in the frame before is charged by x less than there, and by x more in the frame behind, where the
// multipliers of arcs U[a] − x and V[b] + x of both frames, against 0 for none, must not exceed
// what the end or the begin of a pair costs, and those of none must not be below 0. As no entry of
// a block is below 0, there is such an x, and what is proved does not become less. It is the middle
// of all.
func (c *pricing) look(q *pairPart, inst *dualascent.Instance, prices []dualascent.Prices) {
	for k := range c.price {
		clear(c.price[k])
	}
	n := len(inst.Pairs)
	before := make([]float64, inst.Pairs[0].Rows) // x of the nodes at the boundary before the frame
	for f := range inst.Pairs {
		g, m := &inst.Pairs[f], &prices[f]
		list := q.list[f]
		var v, death, u, birth []float64
		if v, death = m.V, m.Death; f == 0 {
			v, death = make([]float64, len(list)), make([]float64, g.Rows)
		}
		if u, birth = m.U, m.Birth; f == n-1 {
			u, birth = make([]float64, len(list)), make([]float64, g.Cols)
		}
		// Both sides' prices of the assignment problem, and x of the boundary behind.
		tails, heads, behind := slices.Clone(death), make([]float64, g.Cols), make([]float64, g.Cols)
		for j := range heads {
			heads[j] = min(m.Col[j], birth[j])
		}
		for a := range list {
			w := &list[a]
			tails[w.tail] = min(tails[w.tail], w.cost+u[a]+v[a]-heads[w.head])
		}
		if f < n-1 {
			right := &prices[f+1]
			copy(behind, birth)
			most := make([]float64, g.Cols)
			for j := range most {
				most[j] = -right.Death[j]
			}
			for a := range list {
				w := &list[a]
				behind[w.head] = max(behind[w.head], u[a]-q.change(w.next))
			}
			for b := range q.list[f+1] {
				w := &q.list[f+1][b]
				most[w.tail] = min(most[w.tail], q.change(w.prev)-right.V[b])
			}
			for j := range behind {
				behind[j] = (behind[j] + most[j]) / 2
			}
		}
		for a := range list {
			w := &list[a]
			if w.option == none {
				continue
			}
			x := c.place[w.option]
			worth := [2]float64{max(0, -tails[w.tail]-before[w.tail]), max(0, behind[w.head]-heads[w.head])}
			for k := range worth { // at even boundaries nodes are targets
				c.price[k][c.slot[k][x]] = worth[(k+f)%2]
			}
		}
		before = behind
	}
}
