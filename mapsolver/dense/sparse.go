package dense

import (
	"context"
	"slices"

	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// This file makes a mapsolver.Solver of the Solver of matrices.

// A Sparse solves a [mapsolver.Problem] as a matrix: as it lies in memory where the problem allows
// every pair, else as a copy in which a pair without an entry costs +Inf. Problems with miss costs,
// which a matrix has no place for, it leaves to [mtt/mapsolver/ssp]. The zero value is ready to
// use. It keeps its workspace: solving problems of a size seen before allocates nothing. It
// is not safe for concurrent use.
type Sparse struct {
	Solver // of the matrices

	view   Matrix // of the problem at hand
	copied Matrix // of one with forbidden pairs
	other  ssp.Solver
}

// UseColumns implements [mapsolver.PatternUser]; matrices have no use for the list.
func (s *Sparse) UseColumns(c *mapsolver.Columns) { s.other.UseColumns(c) }

// Solve implements [mapsolver.Solver]; Stats.Solver says which of the two it was. When ctx ends
// before all costs were looked at, dst is empty.
func (s *Sparse) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	p.Check(warm)
	if p.RowMiss != nil || p.ColMiss != nil {
		err := s.other.Solve(ctx, dst, p, warm)
		dst.Stats.Solver = "ssp"
		return err
	}
	s.problem = p
	defer func() { s.problem = nil }()
	if len(p.Cost) == p.Rows*p.Cols {
		// Entries are sorted, so those of a full problem are the matrix, row by row,
		// and the entry of a pair is the one that the Solver names.
		s.view = Matrix{Rows: p.Rows, Cols: p.Cols, Stride: p.Cols, Cost: p.Cost}
		err := s.Solver.Solve(ctx, dst, &s.view, warm)
		s.view.Cost = nil
		dst.Stats.Solver = "dense"
		return err
	}
	err := s.Solver.Solve(ctx, dst, Expand(&s.copied, p), warm)
	for r, c := range dst.ColOf {
		if c >= 0 {
			k, _ := slices.BinarySearch(p.Col[p.Ptr[r]:p.Ptr[r+1]], c)
			dst.EntryOf[r] = p.Ptr[r] + k
		}
	}
	dst.Stats.Solver = "dense"
	return err
}
