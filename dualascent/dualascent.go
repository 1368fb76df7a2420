package dualascent

import (
	"context"
	"errors"
	"fmt"
	"math"

	"mtt/internal/workers"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// This file defines Solve, its options and its result.

// A Scheme is an order of the ascent's steps.
type Scheme int

const (
	// Sequential visits the gaps one after the other, forward and backward,
	// with balanced prices. It is the default.
	Sequential Scheme = iota
	// Parallel is the published scheme: all blocks, then all gaps, from the
	// values of the iteration before; reduced costs are pushed to the left.
	Parallel
)

// Options steer Solve. The zero value is the default; a nil *Options is too.
type Options struct {
	Scheme    Scheme
	MaxRounds int     // rounds of a forward and a backward pass; 0: 10 (Parallel: iterations; 0: 100)
	Gap       float64 // stop when upper−lower ≤ Gap·|upper|; 0: 1e-9, which counts as optimal
	Balance   int     // balancing sweeps in each X-LAP; 0: 2, negative: none
	Momentum  float64 // share of a round's step that is repeated before the next round, below 1; 0: 0.8, negative: none
	Search    int     // sweeps of local search on each rounded assignment; 0: 50, negative: none

	// NoAnswer leaves out the answers: the result has bounds and prices, no Next, and an
	// UpperBound of +Inf. There is nothing to search then, and Parallel does not know it.
	NoAnswer bool

	// Whole returns no result when the context ends, at once: to prove what is known then takes as
	// long as a look at every cost, or several.
	Whole bool

	// Effort is the work that may be done after the ascent to close what gap it
	// leaves, in looks at every cost (of more than ten million, a quarter counts);
	// 0: 50, negative: none, +Inf: until the answer is proved optimal.
	Effort float64

	// Prices and Next are where to start: multipliers and an assignment such as
	// those of an earlier Result for an instance with these arcs, of which the
	// costs may differ. The bound never falls below what the prices prove (see
	// [Bound]), nor does the answer become worse than Next. nil: from nothing.
	// They are not changed.
	Prices []Prices
	Next   [][]int32

	Workers int // goroutines; 0: one for each processor. It does not change the result

	// NewSolver makes the solver of the X-LAPs; nil: the sparse shortest
	// augmenting path solver of package ssp.
	NewSolver func() mapsolver.Solver

	// Ascend, when not nil, is asked for Prices where there are none, such as those
	// that package dualascent/cuda finds on a card. It may return nil. An error ends
	// Solve.
	Ascend func(ctx context.Context, inst *Instance) ([]Prices, error)

	// Progress, when not nil, is called after each pass, and after each part of
	// the search that follows the passes.
	Progress func(Step)
}

// A Status says why Solve stopped.
type Status int

const (
	Optimal        Status = iota // the bounds meet to within rounding (1e-9 relative)
	WithinGap                    // the gap asked for is reached
	Stalled                      // the bound no longer rises
	IterationLimit               // MaxRounds are done
	Interrupted                  // the context ended
)

func (s Status) String() string {
	switch s {
	case Optimal:
		return "optimal"
	case WithinGap:
		return "within-gap"
	case Stalled:
		return "stalled"
	case IterationLimit:
		return "iteration-limit"
	case Interrupted:
		return "interrupted"
	}
	return fmt.Sprintf("Status(%d)", int(s))
}

// A Step is the state after one pass.
type Step struct {
	Pass  int     // from 1
	Lower float64 // best lower bound so far
	Upper float64 // cost of the best assignment so far; +Inf before the first
	Parts int     // parts and halves searched so far; 0 until the passes are over
}

// A Result is the best assignment found and the bound that goes with it.
type Result struct {
	Status     Status
	LowerBound float64
	UpperBound float64   // cost of Next
	Next       [][]int32 // Next[p][i]: the arc of gap p chosen at node i; -1: none
	Prices     []Prices  // they prove Certified: see [Bound]
	Certified  float64   // at most LowerBound, which also counts what was ruled out case by case
	Rounds     int
	Trace      []Step
	Stats      mapsolver.Stats // of all X-LAPs
}

// Gap is the relative gap (UpperBound−LowerBound)/|UpperBound|; 0 when the
// bounds meet to within rounding.
func (r *Result) Gap() float64 { return relativeGap(r.LowerBound, r.UpperBound) }

func relativeGap(lower, upper float64) float64 {
	d := upper - lower
	if d <= 1e-12*math.Abs(upper) || d <= 0 {
		return 0
	}
	return d / math.Abs(upper)
}

// optimalGap is the relative gap that counts as proof of optimality: rounding
// in sums of a few million terms stays well below it.
const optimalGap = 1e-9

// Solve raises the lower bound of inst until it meets an assignment, the gap is
// small enough, nothing more is gained, or the rounds are used up.
//
// A start that meets all this already comes back as it is, after no round: the result may share its
// memory.
//
// When ctx ends it returns the best answer so far with status Interrupted, or none
// with Options.Whole, and an error that wraps ctx.Err(). When no assignment of finite cost can be
// built the error is ErrInfeasible. A round costs a few operations for each arc
// and triplet, and two warm-started X-LAPs for each gap.
func Solve(ctx context.Context, inst *Instance, opts *Options) (*Result, error) {
	if opts == nil {
		opts = &Options{}
	}
	o := *opts
	if o.MaxRounds == 0 {
		o.MaxRounds = 10
		if o.Scheme == Parallel {
			o.MaxRounds = 100
		}
	}
	o.MaxRounds = min(o.MaxRounds, math.MaxInt/2) // twice as many among few arcs
	o.Gap = max(o.Gap, optimalGap)
	switch {
	case o.Balance == 0:
		o.Balance = 2
	case o.Balance < 0:
		o.Balance = 0
	}
	switch {
	case o.Momentum == 0:
		o.Momentum = 0.8
	case o.Momentum < 0:
		o.Momentum = 0
	case o.Momentum >= 1:
		panic(badMomentum)
	}
	switch {
	case o.Search == 0:
		o.Search = 50
	case o.Search < 0:
		o.Search = 0
	}
	switch {
	case o.Effort < 0 || o.Scheme == Parallel || o.NoAnswer:
		o.Effort = 0
	case o.Effort == 0:
		o.Effort = 50
	}
	o.Workers = workers.Count(o.Workers)
	if o.NewSolver == nil {
		o.NewSolver = newSSP
	}
	if o.Ascend != nil && o.Prices == nil {
		var err error
		if o.Prices, err = o.Ascend(ctx, inst); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	return inst.solve(ctx, &o)
}

// solve is Solve, all options being set.
func (inst *Instance) solve(ctx context.Context, o *Options) (*Result, error) {
	if o.Scheme == Sequential {
		if s := inst.split(o.Workers); s != nil {
			return s.solve(ctx, o)
		}
	}
	return solveWhole(ctx, inst, o)
}

// solveWhole is Solve of an instance as it is, all options being set.
func solveWhole(ctx context.Context, inst *Instance, opts *Options) (*Result, error) {
	if res := inst.settled(opts); res != nil {
		return res, nil
	}
	o := *opts
	e := newEngine(inst, &o)
	err := e.start(o.Prices, o.Next)
	o.Prices, o.Next = nil, nil // they may be large, and are of no more use
	switch {
	case err != nil:
		return nil, err
	case e.proved():
	case o.Scheme == Parallel:
		err = e.parallel(ctx)
	default:
		err = e.sequential(ctx)
	}
	if err == nil && o.Effort > 0 && !e.proved() {
		err = e.exact(ctx, o.Effort)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		e.result.Status = Interrupted
		err = fmt.Errorf("dualascent: %w", err)
		if o.Whole {
			return nil, err
		}
	case errors.Is(err, mapsolver.ErrInfeasible):
		return nil, fmt.Errorf("%w: %w", ErrInfeasible, err)
	default:
		return nil, err
	}
	if math.IsInf(e.result.UpperBound, 1) && err == nil && !o.NoAnswer {
		return nil, ErrInfeasible
	}
	if broken := e.finish(); broken != nil {
		return nil, broken
	}
	res := e.result // and nothing else of the engine lives on
	return &res, err
}

func newSSP() mapsolver.Solver { return new(ssp.Solver) }
