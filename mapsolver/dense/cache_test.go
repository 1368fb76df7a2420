package dense

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/lapgen"
)

// TestCacheSolves wants the bytes of a matrix from caches of every size, over
// costs that are computed, and over a matrix.
func TestCacheSolves(t *testing.T) {
	const n = 60
	for _, class := range lapgen.Classes() {
		m := NewMatrix(n, n, class.Cost(n, 1))
		var want mapsolver.Solution
		checkSolve(t, new(Solver), &want, m)
		computed := &Func{Rows: n, Cols: n, Fill: func(dst []float64, r, c int) { copy(dst, m.Row(nil, r)[c:]) }}
		for _, costs := range []Costs{m, computed} {
			for _, rows := range []int{0, 1, 2, 3, 10, 14, 15, 30, n - 1, n, 2 * n} {
				cache := NewCache(costs, rows*n*8)
				var got mapsolver.Solution
				if err := new(Solver).Solve(context.Background(), &got, cache, nil); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.ColOf, want.ColOf) || !slices.Equal(got.V, want.V) || got.Cost != want.Cost {
					t.Errorf("%s: a cache of %d rows gives another answer", class.Name, rows)
				}
				hits, misses := cache.Counts()
				if rows >= n && misses != n || rows == 0 && hits != 0 || misses < n {
					t.Errorf("%s: a cache of %d rows: %d hits, %d misses", class.Name, rows, hits, misses)
				}
			}
		}
	}
}

// TestCachePolicy compares both policies with what their comments say, done
// without lists and heaps.
func TestCachePolicy(t *testing.T) {
	const rows, cols = 40, 3
	m := NewMatrix(rows, cols, nil)
	for i := range m.Cost {
		m.Cost[i] = float64(i)
	}
	for _, slots := range []int{0, 1, 2, 3, 7, 16, 39, 40} {
		models := map[string]struct {
			policy policy
			model  func(r int) (hit bool)
		}{
			"recent":   {newRecent(slots), recentModel(slots)},
			"frequent": {newFrequent(rows, slots), frequentModel(rows, slots)},
		}
		for name, tt := range models {
			t.Run(fmt.Sprintf("%s/%d", name, slots), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, uint64(slots)))
				cache := newCache(m, slots, tt.policy)
				dst := make([]float64, cols)
				for step := range 5000 {
					r := min(rng.IntN(rows), rng.IntN(rows))
					if step%500 < rows { // a sweep
						r = step % 500
					}
					before, _ := cache.Counts()
					if row := cache.Row(dst, r); !slices.Equal(row, m.Row(nil, r)) {
						t.Fatalf("step %d: row %d is %v", step, r, row)
					}
					after, _ := cache.Counts()
					if hit := tt.model(r); hit != (after > before) {
						t.Fatalf("step %d, row %d: hit %v, want %v", step, r, !hit, hit)
					}
				}
			})
		}
	}
}

// recentModel keeps two slices, the row asked for last in front.
func recentModel(slots int) func(r int) bool {
	var trial, kept []int
	return func(r int) bool {
		if slots == 0 {
			return false
		}
		if i := slices.Index(kept, r); i >= 0 {
			kept = slices.Insert(slices.Delete(kept, i, i+1), 0, r)
			return true
		}
		if i := slices.Index(trial, r); i >= 0 {
			trial = slices.Delete(trial, i, i+1)
			kept = slices.Insert(kept, 0, r)
			if last := len(kept) - 1; last == slots/2 {
				trial = slices.Insert(trial, 0, kept[last])
				kept = kept[:last]
			}
			return true
		}
		if len(trial)+len(kept) == slots {
			trial = trial[:len(trial)-1]
		}
		trial = slices.Insert(trial, 0, r)
		return false
	}
}

// frequentModel keeps a count of each row and a slice.
func frequentModel(rows, slots int) func(r int) bool {
	count := make([]int, rows)
	var in []int
	return func(r int) bool {
		count[r]++
		if slices.Contains(in, r) {
			return true
		}
		if len(in) < slots {
			in = append(in, r)
			return false
		}
		if slots == 0 {
			return false
		}
		least := slices.MinFunc(in, func(a, b int) int { return cmp.Or(count[a]-count[b], b-a) })
		if count[r] > count[least] {
			in[slices.Index(in, least)] = r
		}
		return false
	}
}

func TestCachePanics(t *testing.T) {
	defer func() {
		if got := recover(); got != badCache {
			t.Errorf("panic %v, want %v", got, badCache)
		}
	}()
	NewCache(NewMatrix(1, 1, nil), -1)
}

// BenchmarkCache counts the rows computed with either policy, for each row of
// the matrix.
func BenchmarkCache(b *testing.B) {
	const n = 1000
	for _, class := range lapgen.Classes() {
		m := NewMatrix(n, n, class.Cost(n, 1))
		for _, share := range []int{50, 20, 8, 4, 2} {
			for name, p := range map[string]policy{"recent": newRecent(n / share), "frequent": newFrequent(n, n/share)} {
				b.Run(fmt.Sprintf("%s/1 of %d/%s", class.Name, share, name), func(b *testing.B) {
					var solver Solver
					var s mapsolver.Solution
					var misses int
					for b.Loop() {
						cache := newCache(m, n/share, p)
						if err := solver.Solve(context.Background(), &s, cache, nil); err != nil {
							b.Fatal(err)
						}
						_, misses = cache.Counts()
					}
					b.ReportMetric(float64(misses)/n, "misses/row")
				})
			}
		}
	}
}
