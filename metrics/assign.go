package metrics

import (
	"context"

	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// This file solves the one assignment problem that every score here poses:
// choose pairs, each row and each column at most once, of greatest total gain.

// An assigner collects the pairs of one problem and solves it. The zero value
// is ready; it keeps its workspace from problem to problem.
type assigner struct {
	solver  ssp.Solver
	problem mapsolver.Problem
	answer  mapsolver.Solution
	free    []float64 // zeros
}

// begin starts a problem with the given number of columns.
func (a *assigner) begin(cols int) {
	p := &a.problem
	p.Rows, p.Cols = 0, cols
	p.Ptr = append(p.Ptr[:0], 0)
	p.Col = p.Col[:0]
	p.Cost = p.Cost[:0]
}

// pair adds an entry to the current row; columns come in ascending order. A
// gain of 0 or less is never worth choosing and left out.
func (a *assigner) pair(col int32, gain float64) {
	if gain > 0 {
		a.problem.Col = append(a.problem.Col, col)
		a.problem.Cost = append(a.problem.Cost, -gain)
	}
}

// endRow ends the current row.
func (a *assigner) endRow() {
	a.problem.Rows++
	a.problem.Ptr = append(a.problem.Ptr, len(a.problem.Col))
}

// solve returns the column of each row, -1 for none, until the next solve.
func (a *assigner) solve(ctx context.Context) ([]int32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &a.problem
	for len(a.free) < p.Rows {
		a.free = append(a.free, 0)
	}
	p.RowMiss = a.free[:p.Rows]
	if err := a.solver.Solve(ctx, &a.answer, p, nil); err != nil {
		return nil, err
	}
	return a.answer.ColOf, nil
}
