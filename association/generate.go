package association

import (
	"context"

	"mtt/dualascent"
)

// This file adds the links over missed detections that a leaper finds to the
// assignment problem, and solves it.

// deepest is the number of misses in a row that links of the assignment problem
// pass over at most, where nobody says. The refinement closes longer gaps.
const deepest = 5

// passed is the number of misses in a row that a link of the assignment problem
// may pass over.
func (k *tracker) passed(res *Result) int {
	switch {
	case !res.Coasts:
		return 0
	case k.pilot || res.Levels == nil:
		return 1
	case k.MaxMisses != auto:
		return k.MaxMisses
	}
	return max(1, worthwhile(res.Levels, deepest))
}

// generate adds links over misses to the instance until hardly one is found that
// could save something. The ascent is short: its prices need not be the best.
func (k *tracker) generate(ctx context.Context, res *Result) error {
	quick := k.quick()
	for rounds := 1; ; rounds++ {
		d, err := dualascent.Solve(ctx, &res.Instance.Dual, &quick)
		if err != nil {
			return err
		}
		solved := res.Instance
		n, err := k.add(ctx, res, d)
		if k.pilot && res.Instance == solved {
			k.done = d
		}
		if err != nil || n <= len(res.Instance.leaps)/100 || k.pilot && rounds == 2 {
			return err
		}
	}
}

// quick are the options of a short ascent.
func (k *tracker) quick() dualascent.Options {
	return dualascent.Options{MaxRounds: 2, Search: 2, Effort: -1, Workers: k.Workers}
}

// ascend solves the instance. Where its prices, which are better than those of
// generate, find more links, it does so again: twice, small instances more often, and
// as often as it takes where a proof is asked for.
func (k *tracker) ascend(ctx context.Context, res *Result, o *dualascent.Options) (*dualascent.Result, error) {
	const small = 100_000 // arcs, in all runs together
	if k.done != nil {
		return k.done, nil
	}
	for again := 0; ; again++ {
		if k.Start != nil && !k.pilot {
			o.Prices, o.Next = k.Start.carry(res.Instance)
		}
		d, err := dualascent.Solve(ctx, &res.Instance.Dual, o)
		if err != nil || k.leaper == nil || k.pilot {
			return d, err
		}
		solved := res.Instance
		if res.Left, err = k.add(ctx, res, d); err != nil || res.Left == 0 {
			return d, err
		}
		if k.Engine != DualExact && again >= 2+small/(solved.Dual.Arcs()+1) {
			res.Instance = solved
			return d, nil
		}
	}
}

// add adds to the instance what links over misses could save something under the
// prices of d, and reports how many there are.
func (k *tracker) add(ctx context.Context, res *Result, d *dualascent.Result) (int, error) {
	inst := res.Instance
	more, err := k.leaper.find(ctx, inst, d.Prices)
	if err != nil || len(more) == 0 {
		return 0, err
	}
	leaps := k.leaper.afford(inst, merged(inst.leaps, more))
	res.Instance = newInstance(inst.Scans, inst.Gates, leaps, inst.model)
	return len(leaps) - len(inst.leaps), nil
}
