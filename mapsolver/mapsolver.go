package mapsolver

import (
	"context"
	"errors"
)

// This file defines the problem, its solution and the seam between them.

// A Problem is a sparse linear assignment problem, to be minimised: choose
// entries, at most one in each row and each column, and pay the cost of each
// chosen entry, RowMiss of each row left free and ColMiss of each column left
// free.
//
// A forbidden pairing is an absent entry. The miss costs say who may stay free:
//
//   - both nil: the smaller side is assigned completely and the rest of the
//     larger side stays free at no cost (a square problem is assigned
//     completely);
//   - RowMiss nil, ColMiss given: every row is assigned;
//   - RowMiss given, ColMiss nil: columns stay free at no cost;
//   - an element +Inf: this row or column must be assigned.
//
// Costs are finite; a zero or negative cost is a cost like any other.
type Problem struct {
	Rows, Cols int
	Ptr        []int     // len Rows+1: row r holds the entries Ptr[r]..Ptr[r+1]-1
	Col        []int32   // len nnz, strictly ascending in each row
	Cost       []float64 // len nnz, finite
	RowMiss    []float64 // len Rows or nil
	ColMiss    []float64 // len Cols or nil
}

// Duals are prices. With U[r]+V[c] ≤ Cost at every entry, U ≤ RowMiss and
// V ≤ ColMiss, the sum of all prices is a lower bound on the optimum.
type Duals struct {
	U []float64 // len Rows
	V []float64 // len Cols
}

// A Solution is an assignment with the prices that prove it.
type Solution struct {
	ColOf   []int32 // len Rows: the column of each row, -1 when free
	RowOf   []int32 // len Cols: the row of each column, -1 when free
	EntryOf []int   // len Rows: the entry of each row, -1 when free
	Cost    float64 // objective, miss costs included
	Duals
	Stats Stats
}

// Stats counts the work of one solve.
type Stats struct {
	RowsScanned int // rows whose entries were looked at, initialisation included
	Augmented   int // augmenting paths
	Bids        int // auction bids
}

// A Solver finds a minimum-cost assignment. It is not safe for concurrent use;
// make one for each goroutine, they are cheap.
//
// Solve overwrites dst, reusing its slices. A non-nil warm holds column prices
// of a similar problem (warm.V, len Cols; warm.U is not read) and may alias
// dst.Duals; if dst.ColOf then has length Rows, its pairs are kept where they
// are still tight. Any prices are allowed: they change the time, never the
// answer. When no assignment exists the error is an [*InfeasibleError]; when
// ctx ends it wraps ctx.Err().
type Solver interface {
	Solve(ctx context.Context, dst *Solution, p *Problem, warm *Duals) error
}

// A BatchSolver also takes many problems at once; devices implement it.
type BatchSolver interface {
	Solver
	SolveBatch(ctx context.Context, dst []Solution, p []Problem) error
}

// A Chooser hands problems to other solvers, as it sees fit.
type Chooser interface {
	Solver

	// Used names the solver that the last Solve took, as 'mtt solvers' does.
	Used() string
}

// ErrInfeasible is what an [*InfeasibleError] wraps.
var ErrInfeasible = errors.New("mapsolver: no assignment serves every row and column that must be served")

// Add adds the counts of t to s.
func (s *Stats) Add(t Stats) {
	s.RowsScanned += t.RowsScanned
	s.Augmented += t.Augmented
	s.Bids += t.Bids
}
