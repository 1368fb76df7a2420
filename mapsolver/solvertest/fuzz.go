package solvertest

import (
	"testing"

	"mtt/mapsolver"
)

// This file makes problems of bytes, for fuzzing.

// Fuzz lets the fuzzer look for a small problem that the solver gets wrong. It
// is the whole body of a fuzz target.
func Fuzz(f *testing.F, newSolver func() mapsolver.Solver) {
	f.Add([]byte{})
	f.Add([]byte{0x33, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte{0x25, 0x0f, 9, 200, 1, 0, 255, 3, 7, 100, 30, 8, 5, 4, 66, 1, 2})
	f.Add([]byte{0x52, 0x35, 1, 0, 0, 1, 200, 0, 1, 201, 1, 0, 99, 202, 203, 5, 77, 8, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		p, v := decode(data)
		solver, s := newSolver(), new(mapsolver.Solution)
		checkSmall(t, solver, s, p, nil)
		checkSmall(t, solver, s, p, &mapsolver.Duals{V: v})
		checkSmall(t, solver, s, p, &s.Duals)
	})
}

// decode makes a problem of up to 7 by 7, and column prices, of any bytes: two
// bytes of shape, then one for each pair, miss cost and price.
func decode(data []byte) (p *mapsolver.Problem, v []float64) {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	shape, kinds := next(), next()
	p = dense(shape&7, shape>>4&7, func(int, int) float64 {
		if b := next(); b < 200 {
			return float64(b - 100)
		}
		return inf
	})
	miss := func(kind, n int) []float64 {
		if kind == 0 {
			return nil
		}
		return draw(n, func() float64 {
			if b := next(); kind == 1 || b < 200 {
				return float64(b - 100)
			}
			return inf
		})
	}
	p.RowMiss = miss(kinds&3, p.Rows)
	p.ColMiss = miss(kinds>>2&3, p.Cols)
	return p, draw(p.Cols, func() float64 { return float64(next() - 128) })
}
