package fpga

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"mtt/mapsolver"
	"mtt/mapsolver/fpga/cycle"
	"mtt/mapsolver/ssp"
)

// This file holds the Solver: problems one at a time, from nothing.

// A Solver solves assignment problems on an accelerator. The zero value drives a
// model of the default [Design]. It keeps its workspace, is not safe for concurrent
// use, and closes no bus.
type Solver struct {
	// Bus leads to the accelerator; nil: a model of the default design whose memory
	// answers after 32 cycles.
	Bus Bus

	// DeviceOnly leaves out the finish: the answer is the accelerator's matching,
	// with prices that are feasible, so that [mapsolver.Certify] says how far it
	// may be from the optimum. When somebody who must be served is not, the error is
	// an [*UnservedError].
	DeviceOnly bool

	// Limit is the number of cycles of the core after which a run is given up, and
	// what it knows goes to the finish: agents with equal choices, one object
	// short, raise prices by 1 for as long as the rewards last. 0: 1,000 for each
	// row and column and 10 for each entry, ten times what random problems take.
	Limit int

	device *Device
	report Report
	finish ssp.Solver

	block  reduction
	q, t   cycle.Problem // the problem in the hardware's form, and transposed
	state  cycle.State
	blocks []reduction
	rows   cycle.State // of the transposed problem
	at     []int       // workspace of the transposition
	v      []float64
	free   []bool
}

// A Report says what the accelerator did for a Solver.
type Report struct {
	Usage
	Problems int // problems solved
	Starts   int // runs of the accelerator
	Skipped  int // problems that needed none: the start was the answer
	Optimal  int // problems whose pairs were optimal as they came, no run skipped
}

// Report is what all problems until now have taken.
func (s *Solver) Report() Report { return s.report }

// Figures implements [mapsolver.Reporter].
func (s *Solver) Figures() (of string, list []mapsolver.Figure) {
	r := &s.report
	return "accelerator", []mapsolver.Figure{
		{Name: "cycles", Count: r.Total}, {Name: "core_cycles", Count: r.Core.Cycles},
		{Name: "iterations", Count: r.Core.Iterations}, {Name: "misses", Count: r.Core.Misses},
		{Name: "problems", Count: r.Problems}, {Name: "starts", Count: r.Starts},
		{Name: "unchanged", Count: r.Skipped}, {Name: "optimal", Count: r.Optimal},
	}
}

// Add adds q to r.
func (r *Report) Add(q Report) {
	r.Usage.Add(q.Usage)
	r.Problems += q.Problems
	r.Starts += q.Starts
	r.Skipped += q.Skipped
	r.Optimal += q.Optimal
}

// An UnservedError is the end of a [Solver] with DeviceOnly when the accelerator
// leaves somebody free who must be served. That is no proof that it has to be so.
type UnservedError struct{ Rows, Cols int }

// Error says how many.
func (e *UnservedError) Error() string {
	return fmt.Sprintf("fpga: the accelerator leaves %d rows and %d columns free that must be served", e.Rows, e.Cols)
}

// margins are how many times the range of savings somebody who must be served is
// worth, one after the other until all are.
var margins = []float64{1, 16, 256}

// Solve implements [mapsolver.Solver]. Stats.Bids are the iterations of the
// accelerator; the other counts are those of the finish. A problem that does not fit
// into the accelerator is a [*CapacityError]; one with numbers that are not finite
// goes to the finish as it is.
//
// The slices of p must agree in length, else Solve panics.
func (s *Solver) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	p.Check(warm)
	if err := s.open(); err != nil {
		return err
	}
	s.report.Problems++
	s.v = slices.Grow(s.v[:0], p.Cols)[:p.Cols]
	if warm != nil {
		copy(s.v, warm.V)
	}
	before := s.report.Core.Iterations
	start := &mapsolver.Duals{V: s.v}
	run := true
	var err error
	switch {
	case !s.block.begin(p) || p.Rows == 0 || p.Cols == 0:
		run, start = false, nil
		dst.ColOf = slices.Repeat([]int32{-1}, p.Rows)
		clear(s.v)
	case warm != nil && p.ClampPrices(s.v):
		if run, err = s.solveWarm(ctx, dst, p); !run {
			start = warm
		}
	default:
		err = s.solveCold(ctx, dst, p)
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err != nil { // the context ended: nothing is known
		run, start = false, nil
		dst.ColOf = slices.Repeat([]int32{-1}, p.Rows)
		clear(s.v)
	}
	if !run {
		s.report.Skipped++
		if s.DeviceOnly && start != nil {
			dst.ColOf = slices.Grow(dst.ColOf[:0], p.Rows)[:p.Rows]
			s.block.finish(dst.ColOf, s.v, &s.state)
		}
	}
	err = s.settle(ctx, dst, p, start, run)
	dst.Stats.Bids = s.report.Core.Iterations - before
	return err
}

// settle makes the answer of the pairs in dst.ColOf and the prices of start, or with
// DeviceOnly those in s.v.
func (s *Solver) settle(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, start *mapsolver.Duals, run bool) error {
	if s.DeviceOnly {
		err := answer(dst, p, s.v)
		dst.Stats = mapsolver.Stats{}
		return errors.Join(err, ctx.Err())
	}
	cost := math.Inf(1)
	if run {
		cost = s.pairCost(p, dst.ColOf)
	}
	err := s.finish.Solve(ctx, dst, p, start)
	if err == nil && cost <= dst.Cost+0x1p-40*math.Abs(dst.Cost) {
		s.report.Optimal++
	}
	return err
}

// open finds the accelerator.
func (s *Solver) open() (err error) {
	if s.Bus == nil {
		s.Bus = NewModel(Design{}, 32)
	}
	if s.device == nil || s.device.bus != s.Bus {
		s.device, err = OpenDevice(s.Bus)
	}
	return err
}

// rewards is the largest reward.
func (s *Solver) rewards() uint32 { return 1<<s.device.design.RewardBits - 1 }

// clearProblem makes q empty.
func clearProblem(q *cycle.Problem) {
	*q = cycle.Problem{Ptr: append(q.Ptr[:0], 0), Object: q.Object[:0], Reward: q.Reward[:0], Idle: q.Idle[:0]}
}

// solveCold leaves the pairs in dst.ColOf and the prices in s.v.
func (s *Solver) solveCold(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem) error {
	s.block.flip()
	for _, margin := range margins {
		clearProblem(&s.q)
		s.q.Idle = nil
		s.block.bound(margin)
		s.block.append(&s.q, s.rewards())
		s.state.Reset(0)
		ended, err := s.run(ctx, &s.state, &s.q)
		if err != nil {
			return err
		}
		dst.ColOf = slices.Grow(dst.ColOf[:0], p.Rows)[:p.Rows]
		s.block.exact = s.block.exact && ended
		if s.block.finish(dst.ColOf, s.v, &s.state) || !ended {
			break
		}
	}
	return nil
}

// run starts the accelerator and reports whether it came to its end within the limit.
func (s *Solver) run(ctx context.Context, state *cycle.State, q *cycle.Problem) (ended bool, err error) {
	if err := s.device.check(q); err != nil {
		return false, err
	}
	limit := s.Limit
	if limit == 0 {
		limit = 1000*(q.Agents()+q.Objects) + 10*len(q.Object)
	}
	u, err := s.device.Run(ctx, state, q, Options{Limit: limit})
	s.report.Usage.Add(u)
	s.report.Starts++
	if bad, ok := errors.AsType[*DeviceError](err); ok && bad.Code == ErrorLimit {
		return false, nil
	}
	return err == nil, err
}

// pairCost is the cost of an assignment: infinite where it is none.
func (s *Solver) pairCost(p *mapsolver.Problem, colOf []int32) float64 {
	if len(colOf) != p.Rows {
		return math.Inf(1)
	}
	s.free = slices.Grow(s.free[:0], p.Cols)[:p.Cols]
	free := s.free
	for c := range free {
		free[c] = true
	}
	sum := 0.0
	for r, c := range colOf {
		if c < 0 {
			sum += p.RowBound(r)
			continue
		}
		free[c] = false
		k, _ := slices.BinarySearch(p.Col[p.Ptr[r]:p.Ptr[r+1]], c)
		sum += p.Cost[p.Ptr[r]+k]
	}
	for c := range free {
		if free[c] {
			sum += p.ColBound(c)
		}
	}
	return sum
}

// answer makes a solution of pairs and column prices.
func answer(dst *mapsolver.Solution, p *mapsolver.Problem, v []float64) error {
	if len(dst.ColOf) != p.Rows {
		dst.ColOf = slices.Repeat([]int32{-1}, p.Rows)
	}
	dst.U = slices.Grow(dst.U[:0], p.Rows)[:p.Rows]
	dst.V = append(dst.V[:0], v...)
	dst.EntryOf = slices.Grow(dst.EntryOf[:0], p.Rows)[:p.Rows]
	dst.RowOf = slices.Grow(dst.RowOf[:0], p.Cols)[:p.Cols]
	for c := range dst.RowOf {
		dst.RowOf[c] = -1
		dst.V[c] = min(dst.V[c], p.ColBound(c))
	}
	var unserved UnservedError
	dst.Cost = 0
	for r, c := range dst.ColOf {
		lo, hi := p.Ptr[r], p.Ptr[r+1]
		u := p.RowBound(r)
		for e := lo; e < hi; e++ {
			u = min(u, p.Cost[e]-dst.V[p.Col[e]])
		}
		dst.U[r], dst.EntryOf[r] = u, -1
		if c >= 0 {
			k, _ := slices.BinarySearch(p.Col[lo:hi], c)
			dst.EntryOf[r], dst.RowOf[c] = lo+k, int32(r)
			dst.Cost += p.Cost[lo+k]
			continue
		}
		dst.Cost += p.RowBound(r)
		if p.MustServeRow(r) {
			unserved.Rows++
		}
	}
	for c, r := range dst.RowOf {
		if r < 0 {
			dst.Cost += p.ColBound(c)
			if p.MustServeCol(c) {
				unserved.Cols++
			}
		}
	}
	if unserved != (UnservedError{}) {
		return &unserved
	}
	return nil
}
