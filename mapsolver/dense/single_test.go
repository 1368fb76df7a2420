package dense

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"mtt/internal/slab"
	"mtt/mapsolver"
	"mtt/mapsolver/lapgen"
)

// single makes matrices of the same numbers in both widths, the first with gaps
// between its rows.
func single(rows, cols int, cost []float64) (*Matrix32, *Matrix) {
	const gap = 3
	m32 := &Matrix32{Rows: rows, Cols: cols, Stride: cols + gap, Cost: make([]float32, rows*(cols+gap)-gap)}
	slab.Fill(m32.Cost, float32(math.NaN()))
	m := NewMatrix(rows, cols, nil)
	for r := range rows {
		for c := range cols {
			x := float32(cost[r*cols+c])
			m32.Cost[r*m32.Stride+c] = x
			m.Cost[r*cols+c] = float64(x)
		}
	}
	return m32, m
}

// TestSingle wants the bytes of a Matrix of the same numbers.
func TestSingle(t *testing.T) {
	const n = 70
	for _, class := range lapgen.Classes() {
		cost := class.Cost(n, 1)
		for _, dims := range [][2]int{{n, n}, {n - 13, n}, {n, n - 13}} {
			m32, m := single(dims[0], dims[1], cost)
			var got, want mapsolver.Solution
			checkSolve(t, new(Solver), &want, m)
			for _, solver := range []*Solver{{}, {Workers: 3, shareAny: true}} {
				if err := solver.Solve(context.Background(), &got, m32, nil); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.ColOf, want.ColOf) || !slices.Equal(got.U, want.U) || !slices.Equal(got.V, want.V) || got.Cost != want.Cost {
					t.Errorf("%s, %v: another answer than of a Matrix", class.Name, dims)
				}
			}
			if gap, err := Certify(m32, &got); err != nil || math.Abs(gap) > rounding(m) {
				t.Errorf("%s, %v: gap %v, %v", class.Name, dims, gap, err)
			}
		}
	}
}

// TestSingleForbidden solves with forbidden pairs, and integers exactly.
func TestSingleForbidden(t *testing.T) {
	const n = 30
	cost := lapgen.Integers(n, 1<<24, 1)
	for i := range cost {
		if i%7 == 1 {
			cost[i] = math.Inf(1)
		}
	}
	m32, m := single(n, n, cost)
	var got, want mapsolver.Solution
	checkSolve(t, new(Solver), &want, NewMatrix(n, n, cost))
	if err := new(Solver).Solve(context.Background(), &got, m32, nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Cost, cost) || got.Cost != want.Cost {
		t.Errorf("cost %v, want %v", got.Cost, want.Cost)
	}
}

// BenchmarkSingle solves in both widths.
func BenchmarkSingle(b *testing.B) {
	classes := lapgen.Classes()
	for _, k := range []int{0, 1} {
		for _, n := range []int{500, 1000, 2000, 4000} {
			m32, m := single(n, n, classes[k].Cost(n, 1))
			for name, costs := range map[string]Costs{"32": m32, "64": m} {
				b.Run(fmt.Sprintf("%s/n=%d/bits=%s", classes[k].Name, n, name), func(b *testing.B) {
					var solver Solver
					var s mapsolver.Solution
					for b.Loop() {
						if err := solver.Solve(context.Background(), &s, costs, nil); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
