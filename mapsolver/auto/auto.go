package auto

import (
	"context"

	"mtt/mapsolver"
	"mtt/mapsolver/dense"
	"mtt/mapsolver/ssp"
)

// This file holds the Solver and its rule.

// A Method is a solver that Choose names.
type Method int

const (
	Sparse Method = iota // package ssp
	Dense                // package dense
)

// String is the name of the package of m.
func (m Method) String() string { return []string{"ssp", "dense"}[m] }

// A Solver solves each problem with the solver that Choose names. The zero
// value is ready to use. It keeps the workspaces of both: solving problems of a
// size seen before allocates nothing. It is not safe for concurrent use.
type Solver struct {
	dense  dense.Sparse
	sparse ssp.Solver
}

// UseColumns implements [mapsolver.PatternUser], for the problems that ssp solves.
func (s *Solver) UseColumns(c *mapsolver.Columns) { s.sparse.UseColumns(c) }

// Solve implements [mapsolver.Solver]; Stats.Solver says what it chose.
func (s *Solver) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	p.Check(warm)
	if Choose(p) == Dense {
		return s.dense.Solve(ctx, dst, p, warm)
	}
	err := s.sparse.Solve(ctx, dst, p, warm)
	dst.Stats.Solver = Sparse.String()
	return err
}

// fewest is the least number of entries for which Choose returns Dense. On
// random, geometric, disjoint and integer costs and those of rank 8, square and
// one quarter wider, a different problem each time, Dense took 0.3 to 0.9 times
// the time of Sparse at 32 rows, 0.2 to 0.6 times at 64 and 0.1 to 0.45 times from
// 256 on. At 16 and 24 rows it took 0.5 to 1.6 times. BenchmarkMethods measures
// that again.
const fewest = 32 * 32

// Choose returns Dense for a problem that allows every pair, has no miss costs
// and at least 1024 entries, and Sparse for any other.
//
// One forbidden pair makes a problem Sparse: it would have to be copied into a
// matrix, and dense has no better start for it than prices 0. With a tenth to a
// quarter of the pairs forbidden that took 0.4 to 1.7 times the time of Sparse on
// 64 to 512 rows, less on costs of geometry and low rank, more on random ones;
// with half of them forbidden 0.7 to 2.6 times.
//
// It runs in O(1) time and assumes a valid p.
func Choose(p *mapsolver.Problem) Method {
	if p.RowMiss != nil || p.ColMiss != nil || len(p.Cost) < fewest || len(p.Cost) < p.Rows*p.Cols {
		return Sparse
	}
	return Dense
}
