package mapsolver

import (
	"context"
	"errors"
	"slices"
	"strings"
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

	// Solver names the solver that did it, where the one that was asked hands problems on to
	// others; else it is empty.
	Solver string
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

// A BatchSolver also takes many problems at once. Devices implement it, and so does a [Batch] of
// any solver.
type BatchSolver interface {
	Solver

	// SolveBatch solves p[i] into dst[i] as Solve does, for all i: from warm[i] where warm is not
	// nil and warm[i].V is not, else from nothing. Lengths that differ panic. A problem
	// without an answer does not keep the others from theirs: the error is then a
	// [*BatchError].
	SolveBatch(ctx context.Context, dst []Solution, p []Problem, warm []Duals) error
}

// A PatternUser is a solver that saves time where it is told the pattern of a problem by column.
type PatternUser interface {
	Solver

	// UseColumns lists the entries of all problems that follow by column, as [ByColumn]
	// does, until it is called again; nil: the solver has to see for itself. The list is read
	// only. One of another pattern gives wrong answers.
	UseColumns(c *Columns)
}

// A Reporter is a solver that counts what it does besides solving, such as cycles of an
// accelerator.
type Reporter interface {
	Solver

	// Figures tells of all problems until now, by names that do not change; of is what the
	// figures are of. They add up over solvers.
	Figures() (of string, list []Figure)
}

// A Figure is a count with its name.
type Figure struct {
	Name  string
	Count int
}

// solverSeparator stands between names in Stats.Solver.
const solverSeparator = ", "

// ErrInfeasible is what an [*InfeasibleError] wraps.
var ErrInfeasible = errors.New("mapsolver: no assignment serves every row and column that must be served")

// Check panics where slices of p, or warm prices for it, differ in length, where pointers do not
// ascend from 0, and where the first column of a row or its last is out of range: solvers call it
// first. A nil warm is none. Numbers, and the columns in between, are the business of
// [Problem.Validate]. It runs in O(Rows) time.
func (p *Problem) Check(warm *Duals) {
	if len(p.Ptr) != p.Rows+1 || len(p.Col) != p.Ptr[p.Rows] || len(p.Cost) != len(p.Col) ||
		p.RowMiss != nil && len(p.RowMiss) != p.Rows ||
		p.ColMiss != nil && len(p.ColMiss) != p.Cols {
		panic(badShape)
	}
	for r := range p.Rows {
		lo, hi := p.Ptr[r], p.Ptr[r+1]
		switch {
		case lo > hi || r == 0 && lo != 0:
			panic(badPtr)
		case lo < hi && (p.Col[lo] < 0 || int(p.Col[hi-1]) >= p.Cols):
			panic(badCol)
		}
	}
	if warm != nil && len(warm.V) != p.Cols {
		panic(badWarm)
	}
}

const (
	badShape = "mapsolver: slices of the problem differ in length"
	badPtr   = "mapsolver: pointers of the problem do not ascend from 0"
	badCol   = "mapsolver: a column of the problem is out of range"
	badWarm  = "mapsolver: warm prices differ in length from the columns"
)

// Add adds the counts of t to s. Solver lists who did it, in alphabetical order.
func (s *Stats) Add(t Stats) {
	if t.Solver != s.Solver && t.Solver != "" {
		list := append(strings.Split(s.Solver, solverSeparator), strings.Split(t.Solver, solverSeparator)...)
		slices.Sort(list)
		list = slices.DeleteFunc(slices.Compact(list), func(name string) bool { return name == "" })
		s.Solver = strings.Join(list, solverSeparator)
	}
	s.RowsScanned += t.RowsScanned
	s.Augmented += t.Augmented
	s.Bids += t.Bids
}
