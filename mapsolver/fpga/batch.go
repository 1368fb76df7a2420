package fpga

import (
	"context"
	"slices"

	"mtt/mapsolver"
	"mtt/mapsolver/fpga/cycle"
)

// This file solves many problems in one start.
//
// Agents and objects of each problem get numbers of their own, so the whole is one
// problem whose blocks do not touch: its matching is that of every block. The
// hardware needs no change for it, only indices and storage. What it gains is the
// end of each auction, in which one agent at a time is on its way through the
// pipeline: in a batch others are on theirs meanwhile.

// SolveBatch implements [mapsolver.BatchSolver]: it fills the accelerator with as many
// of the problems as fit, in their order, and solves what somebody was left out of
// again on its own. So it does with problems that start from warm prices. Each answer is that of
// the problem; prices may differ from those of Solve.
func (s *Solver) SolveBatch(ctx context.Context, dst []mapsolver.Solution, p []mapsolver.Problem, warm []mapsolver.Duals) error {
	mapsolver.CheckBatch(dst, p, warm)
	if err := s.open(); err != nil {
		return err
	}
	errs := make([]error, len(p))
	for first := 0; first < len(p); {
		clearProblem(&s.q)
		s.q.Idle = nil
		n := 0
		if end := s.cold(warm, first, len(p)); end > first {
			n = s.fill(p[first:end])
		}
		if n == 0 { // on its own for one reason or another
			errs[first] = s.Solve(ctx, &dst[first], &p[first], mapsolver.Warm(warm, first))
			first++
			continue
		}
		s.state.Reset(0)
		before := s.report.Core.Iterations
		ended, err := s.run(ctx, &s.state, &s.q)
		if err != nil && ctx.Err() == nil {
			return err
		}
		bids := s.report.Core.Iterations - before
		for i := range n {
			errs[first+i] = s.unpack(ctx, &dst[first+i], &p[first+i], &s.blocks[i], ended && err == nil)
			dst[first+i].Stats.Bids += bids / n
		}
		first += n
	}
	return mapsolver.BatchErrors(errs)
}

// cold is the first of the problems from lo on that starts from warm prices, or hi.
func (s *Solver) cold(warm []mapsolver.Duals, lo, hi int) int {
	for i := lo; i < hi; i++ {
		if mapsolver.Warm(warm, i) != nil {
			return i
		}
	}
	return hi
}

// fill appends as many problems to s.q as fit and returns their number.
func (s *Solver) fill(p []mapsolver.Problem) int {
	most := 1<<s.device.design.IndexBits - 1
	words, room := 0, 1<<s.device.design.StorageBits
	n := 0
	for i := range p {
		p[i].Check(nil)
		if p[i].Rows == 0 || p[i].Cols == 0 || s.q.Agents()+min(p[i].Rows, p[i].Cols) > most || s.q.Objects+max(p[i].Rows, p[i].Cols) > most {
			break
		}
		if n == len(s.blocks) {
			s.blocks = append(s.blocks, reduction{})
		}
		d := &s.blocks[n]
		if !d.begin(&p[i]) {
			break
		}
		agents, objects := s.q.Agents(), s.q.Objects
		d.flip()
		d.bound(margins[0])
		d.append(&s.q, s.rewards())
		for a := agents; a < s.q.Agents(); a++ {
			words += (s.q.Ptr[a+1] - s.q.Ptr[a] + s.device.design.PE - 1) / s.device.design.PE
		}
		if words > room {
			s.q.Ptr, s.q.Objects = s.q.Ptr[:agents+1], objects
			s.q.Object, s.q.Reward = s.q.Object[:s.q.Ptr[agents]], s.q.Reward[:s.q.Ptr[agents]]
			break
		}
		n++
	}
	return n
}

// unpack makes the answer of one block.
func (s *Solver) unpack(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, d *reduction, ended bool) error {
	dst.ColOf = slices.Grow(dst.ColOf[:0], p.Rows)[:p.Rows]
	s.v = slices.Grow(s.v[:0], p.Cols)[:p.Cols]
	if n := d.objects + d.p.Cols; len(s.state.Owner) < n { // the context ended
		s.state.Reset(n)
	}
	if !d.finish(dst.ColOf, s.v, &s.state) && ended {
		state := s.state
		s.state = cycle.State{}
		s.block.begin(p)
		err := s.solveCold(ctx, dst, p)
		s.state = state
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	s.report.Problems++
	return s.settle(ctx, dst, p, &mapsolver.Duals{V: s.v}, true)
}
