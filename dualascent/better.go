package dualascent

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// This file takes cheaper answers from the search for margins.
//
// Where the gap of a result is open, who looks for the best answer that decides otherwise may find
// one that is cheaper. Such answers that have no node in common go together: what they save adds
// up.

// SettledMargins is ExactMargins of a better answer than that of res, where the search for margins
// leads to one: res then has that answer, and margins are computed once more, until nothing cheaper
// is found. Each time takes as long as ExactMargins. When ctx ends it returns what is known, and an
// error that wraps ctx.Err().
func SettledMargins(ctx context.Context, inst *Instance, res *Result, opts *MarginOptions) (*Margins, error) {
	for {
		m, err := ExactMargins(ctx, inst, res, opts)
		if err != nil || !res.improve(inst, m.Variants) {
			return m, err
		}
	}
}

// improve takes over what is cheaper among other answers, and reports whether anything is.
func (r *Result) improve(inst *Instance, list []Variant) bool {
	tiny := optimalGap / 100 * math.Abs(r.UpperBound)
	list = slices.DeleteFunc(slices.Clone(list), func(v Variant) bool { return v.More >= -tiny })
	if len(list) == 0 {
		return false
	}
	slices.SortStableFunc(list, func(a, b Variant) int { return cmp.Compare(a.More, b.More) })
	next, taken := make([][]int32, len(r.Next)), make(map[[2]int32]bool) // taken nodes, by frame
	for p := range next {
		next[p] = slices.Clone(r.Next[p])
	}
	for _, v := range list {
		nodes := v.nodes(inst, r.Next)
		if slices.ContainsFunc(nodes, func(n [2]int32) bool { return taken[n] }) {
			continue
		}
		for _, n := range nodes {
			taken[n] = true
		}
		for _, c := range v.Changes {
			next[c.Pair][c.Row] = c.Arc
		}
	}
	cost := inst.Cost(next)
	if !(cost < r.UpperBound-tiny) { // rounding
		return false
	}
	r.Next, r.UpperBound = next, cost
	r.LowerBound = min(r.LowerBound, cost)
	r.Certified = min(r.Certified, cost)
	if r.Gap() <= optimalGap {
		r.Status = Optimal
	}
	return true
}

// nodes lists frame and number of all nodes at which a variant of an answer has another arc.
func (v *Variant) nodes(inst *Instance, next [][]int32) (list [][2]int32) {
	for _, c := range v.Changes {
		list = append(list, [2]int32{c.Pair, c.Row})
		for _, e := range [2]int32{next[c.Pair][c.Row], c.Arc} {
			if e >= 0 {
				list = append(list, [2]int32{c.Pair + 1, inst.Pairs[c.Pair].Col[e]})
			}
		}
	}
	return list
}
