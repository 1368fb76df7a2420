package dense

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/lapgen"
)

// TestWorkers wants the same bytes of any number of workers, for matrices and
// for costs that are computed, with a cache and without. Rows are shared from
// shareFrom columns on, so the matrices are wide; of a class, the first rows.
func TestWorkers(t *testing.T) {
	const rows = 40
	cols := shareFrom + 5
	for _, class := range lapgen.Classes() {
		small := class.Cost(rows, 1)
		fillRow := func(dst []float64, r, c int) {
			for j := range dst {
				dst[j] = small[r*rows+(c+j)%rows] + float64((c+j)*(r+7)%97)/97
			}
		}
		m := NewMatrix(rows, cols, nil)
		for r := range rows {
			fillRow(m.Row(nil, r), r, 0)
		}
		computed := &Func{Rows: rows, Cols: cols, Fill: fillRow}
		var want mapsolver.Solution
		checkSolve(t, new(Solver), &want, m)
		for _, workers := range []int{0, 2, 3, 7} {
			for name, costs := range map[string]Costs{
				"matrix": m, "computed": computed, "cached": NewCache(computed, rows/2*cols*8),
			} {
				var got mapsolver.Solution
				solver := Solver{Workers: workers}
				if err := solver.Solve(context.Background(), &got, costs, nil); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.ColOf, want.ColOf) || !slices.Equal(got.U, want.U) || !slices.Equal(got.V, want.V) || got.Cost != want.Cost || got.Stats != want.Stats {
					t.Errorf("%s, %s: %d workers give another answer than one", class.Name, name, workers)
				}
			}
		}
	}
}

// TestTeam wants of each loop what one goroutine finds, in every way to start a
// square problem.
func TestTeam(t *testing.T) {
	const n = 120
	for _, class := range lapgen.Classes() {
		m := NewMatrix(n, n, class.Cost(n, 1))
		for name, start := range starts {
			var want mapsolver.Solution
			one := Solver{Start: start}
			checkSolve(t, &one, &want, m)
			for _, workers := range []int{2, 5} {
				shared := Solver{Start: start, Workers: workers, shareAny: true}
				var got mapsolver.Solution
				checkSolve(t, &shared, &got, m)
				if !slices.Equal(got.ColOf, want.ColOf) || !slices.Equal(got.V, want.V) || got.Cost != want.Cost || one.Work() != shared.Work() {
					t.Errorf("%s, %s: %d workers give another answer than one", class.Name, name, workers)
				}
			}
		}
	}
}

// TestTeamParts wants every column in one part.
func TestTeamParts(t *testing.T) {
	for cols := range 70 {
		for size := 2; size <= 5; size++ {
			team := newTeam(size, cols)
			d := make([]float64, cols)
			team.do(job{op: opFill, d: d, row: 3, fill: func(dst []float64, r, c int) {
				for j := range dst {
					dst[j] += float64(r*1000 + c + j)
				}
			}})
			least, second := team.do(job{op: opTwoLeast, d: d, c: slices.Clone(d), v: make([]float64, cols)})
			team.stop()
			wantLeast, wantSecond := math.Inf(1), math.Inf(1)
			for j, x := range d {
				if x != float64(3000+j) {
					t.Fatalf("%d columns, %d parts: column %d is %v", cols, size, j, x)
				}
			}
			if cols > 0 {
				wantLeast = 3000
			}
			if cols > 1 {
				wantSecond = 3001
			}
			if least != wantLeast || second != wantSecond {
				t.Errorf("%d columns, %d parts: %v and %v", cols, size, least, second)
			}
		}
	}
}

// BenchmarkWorkers solves problems of random and of computed costs by one and by
// two goroutines.
func BenchmarkWorkers(b *testing.B) {
	for _, n := range []int{2000, 4000, 8000} {
		random := NewMatrix(n, n, lapgen.Classes()[0].Cost(n, 1))
		x, y := random.Cost[:n], random.Cost[n:2*n]
		points := &Func{Rows: n, Cols: n, Fill: func(dst []float64, r, c int) {
			px, py := y[r], x[n-1-r]
			x, y := x[c:][:len(dst)], y[c:][:len(dst)]
			for j := range dst {
				dx, dy := x[j]-px, y[j]-py
				dst[j] = dx*dx + dy*dy
			}
		}}
		for name, costs := range map[string]Costs{"random": random, "computed": points} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/n=%d/workers=%d", name, n, workers), func(b *testing.B) {
					solver := Solver{Workers: workers, shareAny: true}
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
