package cuda

import (
	"context"
	"fmt"
	"math"

	"mtt/dualascent"
)

// This file holds the loops around the passes.

// Options steer [Ascent.Solve]. The zero value is the default; a nil *Options is too.
type Options struct {
	MaxPasses int // 0: 100
	Search    int // sweeps that improve the answer; 0: 50
}

// A Result is the best answer found and the bound that goes with it.
type Result struct {
	LowerBound float64 // what [Ascent.Prove] says of the multipliers at the end
	UpperBound float64 // cost of Next
	Next       [][]int32
	Passes     int
}

// momentum is the share of a pass's step that is repeated before the next. Without it
// the last percent of the bound takes hundreds of passes (TestMomentum).
const momentum = 0.8

// stall is how little the bound gains in eight passes, relative to itself, when it
// hardly rises any more.
const stall = 1e-4

// Solve raises the bound until it meets an answer or hardly rises any more. All of it
// is done on the card; the answer is read at the end. When ctx ends the error wraps
// ctx.Err().
func (a *Ascent) Solve(ctx context.Context, opts *Options) (*Result, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.MaxPasses == 0 {
		o.MaxPasses = 100
	}
	if o.Search == 0 {
		o.Search = 50
	}
	r := &Result{}
	_, passes, err := raise(ctx, a.visit, o.MaxPasses)
	if err != nil {
		return nil, err
	}
	r.Passes = passes
	if r.UpperBound, err = a.Answer(ctx, o.Search); err != nil {
		return nil, err
	}
	if r.Next, err = a.Next(); err != nil {
		return nil, err
	}
	if r.LowerBound, err = a.Prove(); err != nil {
		return nil, err
	}
	return r, nil
}

// Raise makes passes until the bound hardly rises any more, at most the number given. It
// returns the bound of the last.
func (a *Ascent) Raise(ctx context.Context, passes int) (bound float64, err error) {
	bound, _, err = raise(ctx, a.visit, passes)
	return bound, err
}

// raise visits again and again. It ends with passes without momentum, which prove as much as was
// proved before, and the last of them with every assignment problem solved.
func raise(ctx context.Context, visit func(ctx context.Context, share float64, few bool) (float64, error), most int) (bound float64, passes int, err error) {
	const patience, calm = 8, 4
	var history []float64
	best := math.Inf(-1)
	for passes < most-calm {
		share := momentum
		if passes < 2 {
			share = 0
		}
		if bound, err = visit(ctx, share, passes > 0); err != nil {
			return 0, passes, err
		}
		passes++
		best = max(best, bound)
		history = append(history, best)
		if n := len(history); n > patience && best-history[n-1-patience] < stall*magnitude(best) {
			break
		}
	}
	for calmed := 1; passes < most; calmed++ {
		last := passes == most-1 || calmed == calm || bound >= best
		if bound, err = visit(ctx, 0, passes > 0 && !last); err != nil {
			return 0, passes, err
		}
		passes++
		if last {
			break
		}
	}
	return bound, passes, nil
}

// Ascend returns a function for [dualascent.Options].Ascend: it raises the bound of an
// instance on the card, from where the engine on the host goes on. Without a card, or
// when it fails or is too small, warn is told why, once in a program, and the host
// begins from nothing.
func Ascend(warn func(error)) func(context.Context, *dualascent.Instance) ([]dualascent.Prices, error) {
	return func(ctx context.Context, inst *dualascent.Instance) ([]dualascent.Prices, error) {
		if len(inst.Pairs) == 0 {
			return nil, nil
		}
		prices, err := start(ctx, inst)
		if err == nil || ctx.Err() != nil {
			return prices, err
		}
		warned.Do(func() {
			if warn != nil {
				warn(fmt.Errorf("the host goes on without the card: %w", err))
			}
		})
		return nil, nil
	}
}

// manyNodes are from where several cards are faster than one (BenchmarkCards: with two a pass takes
// as long as with one at 100×100, 0.89 times at 200×100, and 0.57 times at 300×300).
const manyNodes = 20_000

// start raises the bound of an instance, on all cards where it is large.
func start(ctx context.Context, inst *dualascent.Instance) ([]dualascent.Prices, error) {
	cards, nodes := 1, 0
	for p := range inst.Pairs {
		nodes += inst.Pairs[p].Rows
	}
	if nodes >= manyNodes {
		cards = Cards()
	}
	s, err := NewSplit(inst, cards)
	if err != nil {
		return nil, err
	}
	defer s.Free()
	if _, err := s.Raise(ctx, 100); err != nil {
		return nil, err
	}
	return s.Prices(inst)
}
