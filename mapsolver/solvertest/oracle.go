package solvertest

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"mtt/mapsolver"
)

// This file holds two independent ways to the optimum of small problems.

// optimum is the optimum of p, +Inf when there is no assignment, by dynamic
// programming: best[set] is the least cost of the rows so far when they use
// exactly the columns of set. It takes O(2^Cols·(Rows+nnz)) time.
func optimum(p *mapsolver.Problem) float64 {
	best, next := constant(1<<p.Cols, inf), make([]float64, 1<<p.Cols)
	best[0] = 0
	for r := range p.Rows {
		for set := range next {
			next[set] = best[set] + p.RowBound(r)
			for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
				if bit := 1 << p.Col[e]; set&bit != 0 {
					next[set] = math.Min(next[set], best[set&^bit]+p.Cost[e])
				}
			}
		}
		best, next = next, best
	}
	least := inf
	for set, x := range best {
		for c := range p.Cols {
			if set>>c&1 == 0 {
				x += p.ColBound(c)
			}
		}
		least = math.Min(least, x)
	}
	return least
}

// simplex is the optimum of p by the simplex method on its linear programme,
// in the standard form with one variable for each entry, row and column. All
// miss costs are finite, so the constraints are independent.
func simplex(p *mapsolver.Problem) (float64, error) {
	nnz := len(p.Cost)
	cost := append(append(append([]float64(nil), p.Cost...), p.RowMiss...), p.ColMiss...)
	a := mat.NewDense(p.Rows+p.Cols, len(cost), nil)
	for r := range p.Rows {
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			a.Set(r, e, 1)
			a.Set(p.Rows+int(p.Col[e]), e, 1)
		}
	}
	for i := range p.Rows + p.Cols {
		a.Set(i, nnz+i, 1)
	}
	least, _, err := lp.Simplex(cost, a, constant(p.Rows+p.Cols, 1), 0, nil)
	return least, err
}
