package auto

import (
	"context"
	"slices"

	"mtt/mapsolver"
	"mtt/mapsolver/dense"
	"mtt/mapsolver/ssp"
)

// This file holds the Solver and its rule.

// A Method says which solver to take.
type Method int

const (
	Auto   Method = iota // as Choose says
	Sparse               // package ssp
	Dense                // package dense, except where there are miss costs
)

// String is the name of the package of m.
func (m Method) String() string { return []string{"auto", "ssp", "dense"}[m] }

// A Solver solves each problem with the solver that Choose names. The zero
// value is ready to use. It keeps the workspaces of both: solving problems of a
// size seen before allocates nothing. It is not safe for concurrent use.
type Solver struct {
	// Method overrules the choice. Dense then also takes problems with forbidden
	// pairs, of which it makes a matrix of Rows×Cols costs.
	Method Method

	dense  dense.Solver
	sparse ssp.Solver
	view   dense.Matrix // of the problem at hand
	copied dense.Matrix // of one with forbidden pairs
	used   Method
}

// Used is the solver that the last Solve took: Sparse or Dense.
func (s *Solver) Used() Method { return s.used }

// Solve implements [mapsolver.Solver].
func (s *Solver) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	s.used = s.Method
	if s.used == Auto || hasMisses(p) {
		s.used = Choose(p)
	}
	switch {
	case s.used == Sparse:
		return s.sparse.Solve(ctx, dst, p, warm)
	case full(p):
		// Entries are sorted, so those of a full problem are the matrix, row by
		// row, and the entry of a pair is the one that dense names.
		s.view = dense.Matrix{Rows: p.Rows, Cols: p.Cols, Stride: p.Cols, Cost: p.Cost}
		err := s.dense.Solve(ctx, dst, &s.view, warm)
		s.view.Cost = nil
		return err
	}
	err := s.dense.Solve(ctx, dst, dense.Expand(&s.copied, p), warm)
	for r, c := range dst.ColOf {
		if c >= 0 {
			k, _ := slices.BinarySearch(p.Col[p.Ptr[r]:p.Ptr[r+1]], c)
			dst.EntryOf[r] = p.Ptr[r] + k
		}
	}
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
	if hasMisses(p) || len(p.Cost) < fewest || !full(p) {
		return Sparse
	}
	return Dense
}

// hasMisses says whether p has miss costs.
func hasMisses(p *mapsolver.Problem) bool { return p.RowMiss != nil || p.ColMiss != nil }

// full says whether p allows every pair.
func full(p *mapsolver.Problem) bool { return len(p.Cost) == p.Rows*p.Cols }
