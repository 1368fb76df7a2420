package solvertest

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"mtt/mapsolver"
)

// This file holds what must stay true when a problem is rewritten.

// testProperties rewrites problems with integer costs, whose optimum is exact.
func testProperties(t *testing.T, newSolver func() mapsolver.Solver) {
	value := func(t *rapid.T, p *mapsolver.Problem) float64 {
		var s mapsolver.Solution
		checkSmall(t, newSolver(), &s, p, nil)
		if len(s.ColOf) == 0 && len(s.RowOf) == 0 {
			return 0
		}
		return s.Cost
	}
	feasible := func(t *rapid.T) *mapsolver.Problem {
		p := drawProblem(t)
		if math.IsInf(optimum(p), 1) {
			t.Skip("no assignment")
		}
		return p
	}

	t.Run("permute", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p := feasible(t)
			rows := rapid.Permutation(identity(p.Rows)).Draw(t, "rows")
			cols := rapid.Permutation(identity(p.Cols)).Draw(t, "cols")
			if a, b := value(t, p), value(t, permute(p, rows, cols)); a != b {
				t.Errorf("cost %v, permuted %v", a, b)
			}
		})
	})
	t.Run("shift a row", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p := feasible(t)
			if p.Rows == 0 {
				t.Skip("no rows")
			}
			before := value(t, p)
			r := rapid.IntRange(0, p.Rows-1).Draw(t, "r")
			by := float64(rapid.IntRange(-100, 100).Draw(t, "by"))
			p.RowMiss, p.ColMiss = allBounds(p)
			for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
				p.Cost[e] += by
			}
			p.RowMiss[r] += by
			if after := value(t, p); after != before+by {
				t.Errorf("cost %v, with a row dearer by %v: %v", before, by, after)
			}
		})
	})
	t.Run("scale", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p := feasible(t)
			before := value(t, p)
			by := math.Ldexp(1, rapid.IntRange(-30, 10).Draw(t, "exponent"))
			for _, list := range [][]float64{p.Cost, p.RowMiss, p.ColMiss} {
				for i := range list {
					list[i] *= by
				}
			}
			if after := value(t, p); after != before*by {
				t.Errorf("cost %v, scaled by %v: %v", before, by, after)
			}
		})
	})
	t.Run("transpose", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p := feasible(t)
			if a, b := value(t, p), value(t, mapsolver.Transpose(nil, p)); a != b {
				t.Errorf("cost %v, transposed %v", a, b)
			}
		})
	})
	t.Run("make an entry dearer", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p := feasible(t)
			if len(p.Col) == 0 {
				t.Skip("no entries")
			}
			before := value(t, p)
			e := rapid.IntRange(0, len(p.Col)-1).Draw(t, "e")
			p.Cost[e] += 50
			if after := value(t, p); after < before || after > before+50 {
				t.Errorf("cost %v, with an entry dearer by 50: %v", before, after)
			}
		})
	})
}

// drawProblem draws a problem of up to 8 by 8 with integer costs.
func drawProblem(t *rapid.T) *mapsolver.Problem {
	rows := rapid.IntRange(0, 8).Draw(t, "rows")
	cols := rapid.IntRange(0, 8).Draw(t, "cols")
	most := rapid.SampledFrom([]int{1, 10, 1000}).Draw(t, "largest cost")
	number := rapid.IntRange(-most, most)
	p := &mapsolver.Problem{Rows: rows, Cols: cols, Ptr: []int{0}}
	for range rows {
		for c := range cols {
			if rapid.Bool().Draw(t, "entry") {
				p.Col = append(p.Col, int32(c))
				p.Cost = append(p.Cost, float64(number.Draw(t, "cost")))
			}
		}
		p.Ptr = append(p.Ptr, len(p.Col))
	}
	miss := func(n int) []float64 {
		if rapid.Bool().Draw(t, "nil") {
			return nil
		}
		return draw(n, func() float64 {
			if rapid.IntRange(0, 3).Draw(t, "must") == 0 {
				return inf
			}
			return float64(number.Draw(t, "miss"))
		})
	}
	p.RowMiss, p.ColMiss = miss(rows), miss(cols)
	return p
}

// allBounds writes the miss costs of p out.
func allBounds(p *mapsolver.Problem) (rowMiss, colMiss []float64) {
	r, c := -1, -1
	rowMiss = draw(p.Rows, func() float64 { r++; return p.RowBound(r) })
	colMiss = draw(p.Cols, func() float64 { c++; return p.ColBound(c) })
	return rowMiss, colMiss
}

// permute moves row r of p to rows[r] and column c to cols[c].
func permute(p *mapsolver.Problem, rows, cols []int) *mapsolver.Problem {
	cost := constant(p.Rows*p.Cols, inf)
	for r := range p.Rows {
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			cost[rows[r]*p.Cols+cols[p.Col[e]]] = p.Cost[e]
		}
	}
	q := dense(p.Rows, p.Cols, func(r, c int) float64 { return cost[r*p.Cols+c] })
	if p.RowMiss != nil {
		q.RowMiss = make([]float64, p.Rows)
		for r, x := range p.RowMiss {
			q.RowMiss[rows[r]] = x
		}
	}
	if p.ColMiss != nil {
		q.ColMiss = make([]float64, p.Cols)
		for c, x := range p.ColMiss {
			q.ColMiss[cols[c]] = x
		}
	}
	return q
}

// identity is 0 … n-1.
func identity(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
}
