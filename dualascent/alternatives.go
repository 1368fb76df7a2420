package dualascent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// This file prices everything that a node may do.

// An Alternative is something that a node may do on one side, and how much more than a given answer
// the best answer costs that does it.
type Alternative struct {
	Arc   int32   // -1: the node is born or dies
	Least float64 // a proved bound, at most Most
	Most  float64 // of an answer that was found; +Inf: none was
}

// Alternatives lists what row at of a frame pair may do, or where in is true column at, the
// cheapest first. next and prices are an answer of inst and prices such as those of a Result. What
// leads to no answer of finite cost is left out. Each takes a solve of inst from these prices; opts
// is as for Solve, and its Prices and Next are not read.
func Alternatives(ctx context.Context, inst *Instance, prices []Prices, next [][]int32, pair int, at int32, in bool, opts *Options) (list []Alternative, err error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Prices, o.Next, o.Ascend = prices, nil, nil
	cost := inst.Cost(next)
	inst = withMatrices(inst)
	g := &inst.Pairs[pair]
	var arcs []decision
	if in {
		c := transpose(g)
		for k, arc := range c.at(int(at)) {
			arcs = append(arcs, decision{int32(pair), c.Row[c.Ptr[at]+k], arc})
		}
	} else {
		for arc := g.Ptr[at]; arc < g.Ptr[at+1]; arc++ {
			arcs = append(arcs, decision{int32(pair), at, int32(arc)})
		}
	}
	try := func(arc int32, fixed, forbidden []decision) error {
		res, err := Solve(ctx, inst.restrict(fixed, forbidden), &o)
		if errors.Is(err, ErrInfeasible) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("dualascent: %w", err)
		}
		if res.LowerBound < unaffordable/2 {
			x := Alternative{arc, res.LowerBound - cost, res.UpperBound - cost}
			if res.UpperBound > unaffordable/2 {
				x.Most = math.Inf(1)
			}
			list = append(list, x)
		}
		return nil
	}
	for _, d := range arcs {
		if err := try(d.arc, []decision{d}, nil); err != nil {
			return list, err
		}
	}
	if err := try(-1, nil, arcs); err != nil {
		return list, err
	}
	slices.SortStableFunc(list, func(a, b Alternative) int { return cmp.Compare(a.Least, b.Least) })
	return list, nil
}
