package dense

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/mapsolver"
)

// TestDistances compares costs with distances one by one, whole rows and parts of them.
func TestDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, m, dim = 7, 9, 3
	a, b := make([]float64, n*dim), make([]float64, m*dim)
	for i := range a {
		a[i] = rng.NormFloat64()
	}
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	for metric, of := range map[Metric]func(sum, squares float64) float64{
		Euclidean: func(_, squares float64) float64 { return math.Sqrt(squares) },
		Squared:   func(_, squares float64) float64 { return squares },
		Manhattan: func(sum, _ float64) float64 { return sum },
	} {
		costs := Distances(a, b, dim, metric)
		if rows, cols := costs.Dims(); rows != n || cols != m {
			t.Fatalf("%v: %d×%d", metric, rows, cols)
		}
		for r := range n {
			row := slices.Clone(costs.Row(make([]float64, m), r))
			for c, x := range row {
				sum, squares := 0.0, 0.0
				for k := range dim {
					d := a[r*dim+k] - b[c*dim+k]
					sum += math.Abs(d)
					squares += d * d
				}
				if want := of(sum, squares); !(math.Abs(x-want) < 1e-12) {
					t.Errorf("%v: %d to %d is %v, want %v", metric, r, c, x, want)
				}
			}
			part := make([]float64, 4)
			if costs.Fill(part, r, 3); !slices.Equal(part, row[3:7]) {
				t.Errorf("%v: a part of row %d is %v, want %v", metric, r, part, row[3:7])
			}
		}
	}
}

// TestEvictions wants the answer of no cache from every rule, and the rule of the article for the
// default.
func TestEvictions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 50
	a, b := make([]float64, 2*n), make([]float64, 2*n)
	for i := range a {
		a[i], b[i] = rng.Float64(), rng.Float64()
	}
	costs := Distances(a, b, 2, Squared)
	solve := func(from Costs) float64 {
		var s mapsolver.Solution
		if err := new(Solver).Solve(context.Background(), &s, from, nil); err != nil {
			t.Fatal(err)
		}
		return s.Cost
	}
	want := solve(costs)
	for _, rows := range []int{0, 1, 5, 12, 13, 40, n} {
		hits := map[Eviction]int{}
		for _, rule := range []Eviction{ByShare, LFU, SLRU, Steady} {
			cache := NewCacheBy(costs, 8*n*rows, rule)
			if got := solve(cache); got != want {
				t.Errorf("%v with %d rows: cost %v, want %v", rule, rows, got, want)
			}
			hits[rule], _ = cache.Counts()
		}
		like := SLRU
		if 4*rows >= n {
			like = LFU
		}
		if hits[ByShare] != hits[like] {
			t.Errorf("%d rows: %d hits by share, %d by %v", rows, hits[ByShare], hits[like], like)
		}
	}
}
