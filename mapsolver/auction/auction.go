package auction

import (
	"context"
	"math"
	"slices"

	"mtt/internal/slab"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// This file holds the Solver: the phases of ε and the exact finish.

// A Solver finds minimum-cost assignments by a forward auction that an exact
// solver finishes. The zero value is ready to use. It keeps its workspace:
// solving problems of a size seen before allocates nothing.
type Solver struct {
	// Jacobi lets all free rows bid at once, at the same prices, and each column
	// take its best bid. By default, Gauss-Seidel, one row bids at a time and
	// the next one sees the new price.
	Jacobi bool

	// Epsilon is the least raise of the first phase, in the unit of the costs; 0:
	// a quarter of the range of the costs.
	Epsilon float64

	// Last is the least raise of the last phase; 0: just below 1/(Rows+1) where
	// all numbers are integers, else the range of the costs over 8·(Rows+1).
	Last float64

	// Factor is what the least raise is divided by from phase to phase; 0: 5.
	Factor float64

	// MaxBids bounds the bids of one solve; 0: 100 for each row and column.
	MaxBids int

	p          *mapsolver.Problem
	bound      []float64 // of rows
	v          []float64 // column prices
	colOf      []int32
	rowOf      []int32
	queue      []int32 // free rows that are to bid
	bids, most int
	integral   bool // all finite numbers of the problem are integers

	next   []int32   // Jacobi: those who bid in the next round
	asked  []int32   // Jacobi: columns with a bid in this round
	bidder []int32   // Jacobi: of each column, -1: none
	offer  []float64 // Jacobi: the price that the bid leads to

	finish ssp.Solver
}

// Solve implements [mapsolver.Solver]. Stats.Bids are the bids of the auction;
// the other counts are those of the finish. When ctx ends, or the problem is
// infeasible, dst holds what is known so far: prices that are feasible, and an
// assignment that leaves some rows and columns free.
//
// The slices of p must agree in length, else Solve panics. Its numbers are not
// checked: see [mapsolver.Problem.Validate]. Numbers that are not finite make
// the answer meaningless, not endless.
func (s *Solver) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	p.Check(warm)
	s.begin(p)
	if warm != nil && s.usePrices(warm.V) {
		eps := s.lastEpsilon()
		s.keepPairs(dst.ColOf, eps)
		s.auction(ctx, eps)
	} else {
		s.phases(ctx)
	}
	s.freeColumns()
	if s.integral {
		// Some best prices are integers, and so close to these that rounding
		// leaves nearly every pair tight; sums are exact again.
		for c, v := range s.v {
			s.v[c] = math.Floor(v)
		}
	}

	if cap(dst.ColOf) < p.Rows {
		dst.ColOf = make([]int32, p.Rows)
	}
	dst.ColOf = dst.ColOf[:p.Rows]
	copy(dst.ColOf, s.colOf)
	err := s.finish.Solve(ctx, dst, p, &mapsolver.Duals{V: s.v})
	dst.Stats.Bids = s.bids
	s.p = nil
	return err
}

// begin sizes the workspace.
func (s *Solver) begin(p *mapsolver.Problem) {
	s.p, s.bids = p, 0
	s.integral = p.Integral()
	s.most = s.MaxBids
	if s.most == 0 {
		s.most = 100 * (p.Rows + p.Cols)
	}
	s.bound = slices.Grow(s.bound[:0], p.Rows)[:p.Rows]
	for r := range s.bound {
		s.bound[r] = p.RowBound(r)
	}
	s.v = slices.Grow(s.v[:0], p.Cols)[:p.Cols]
	s.offer = slices.Grow(s.offer[:0], p.Cols)[:p.Cols]
	s.colOf = slices.Grow(s.colOf[:0], p.Rows)[:p.Rows]
	s.rowOf = slices.Grow(s.rowOf[:0], p.Cols)[:p.Cols]
	s.bidder = slices.Grow(s.bidder[:0], p.Cols)[:p.Cols]
	slab.Fill(s.bidder, -1)
	slab.Fill(s.rowOf, -1)
	s.queue = s.queue[:0]
}

// usePrices starts from given prices and reports whether they are any good.
func (s *Solver) usePrices(v []float64) bool {
	copy(s.v, v)
	return s.p.ClampPrices(s.v)
}

// keepPairs keeps the hinted pairs that are within eps of the best of their row
// at the prices at hand. Other rows take their best column where that is free,
// or else are to bid; those that gain no more than eps by it stay free.
func (s *Solver) keepPairs(hint []int32, eps float64) {
	slab.Fill(s.colOf, -1)
	if len(hint) == len(s.colOf) {
		for r, c := range hint {
			if c < 0 || int(c) >= len(s.rowOf) || s.rowOf[c] >= 0 {
				continue
			}
			if _, least, _ := s.best(int32(r)); s.costAt(r, c)-s.v[c] <= least+eps {
				s.colOf[r], s.rowOf[c] = c, int32(r)
			}
		}
	}
	for r, c := range s.colOf {
		if c >= 0 {
			continue
		}
		c, least, _ := s.best(int32(r))
		switch {
		case c < 0 || least+eps >= s.bound[r]:
		case s.rowOf[c] < 0:
			s.colOf[r], s.rowOf[c] = c, int32(r)
		default:
			s.queue = append(s.queue, int32(r))
		}
	}
}

// costAt is the cost of a pair, +Inf where it is forbidden.
func (s *Solver) costAt(r int, c int32) float64 {
	lo, hi := s.p.Ptr[r], s.p.Ptr[r+1]
	if k, ok := slices.BinarySearch(s.p.Col[lo:hi], c); ok {
		return s.p.Cost[lo+k]
	}
	return math.Inf(1)
}

// phases holds auctions with falling ε, each from the prices of the one before.
func (s *Solver) phases(ctx context.Context) {
	for c := range s.v {
		s.v[c] = 0
		if b := s.p.ColBound(c); b <= math.MaxFloat64 {
			s.v[c] = b
		}
	}
	eps, last, factor := s.Epsilon, s.lastEpsilon(), s.Factor
	if eps == 0 {
		eps = s.spread() / 4
	}
	if !(factor > 1) {
		factor = 5
	}
	for {
		eps = max(eps, last)
		slab.Fill(s.colOf, -1)
		slab.Fill(s.rowOf, -1)
		s.queue = s.queue[:0]
		for r := range s.p.Rows {
			s.queue = append(s.queue, int32(r))
		}
		s.auction(ctx, eps)
		if !(eps > last) || s.bids >= s.most || ctx.Err() != nil {
			return
		}
		s.freeColumns()
		eps /= factor
	}
}

// freeColumns gives the free columns that may stay free their bound as price:
// a phase that has no use for a column forgets what an earlier one bid for it.
func (s *Solver) freeColumns() {
	for c, r := range s.rowOf {
		if b := s.p.ColBound(c); r < 0 && b <= math.MaxFloat64 {
			s.v[c] = b
		}
	}
}

// spread is the range of the finite costs, or 1 when it is 0.
func (s *Solver) spread() float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range s.p.Cost {
		if math.Abs(x) <= math.MaxFloat64/2 {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	if hi > lo {
		return hi - lo
	}
	return 1
}

// lastEpsilon is ε of the last phase.
func (s *Solver) lastEpsilon() float64 {
	n := float64(s.p.Rows + 1)
	switch {
	case s.Last > 0:
		return s.Last
	case s.integral:
		return 0.999 / n
	}
	return s.spread() / (8 * n)
}
