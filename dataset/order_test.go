package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOrder compares orders with those that sorting by comparisons gives: sorted and mixed
// frames, few and many rows in a frame, equal positions, and ranges that no whole number
// of 32 bits can tell apart.
func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 300 {
		n := 1 + rng.IntN(3000)
		r := &rows{n: n, dim: 2 + trial%2}
		frames := 1 + rng.IntN(1+n/(1+rng.IntN(1000)))
		spread := math.Pow10(rng.IntN(40) - 20)
		for i := range n {
			f := rng.IntN(frames)
			if trial%3 == 0 {
				f = i * frames / n
			}
			if trial%5 == 0 {
				f *= 1 << 40
			}
			r.frame = append(r.frame, f-frames/2)
			for range r.dim {
				x := spread * rng.NormFloat64()
				switch trial % 7 {
				case 1:
					x = float64(rng.IntN(3)) // ties
				case 2:
					x = 1e300 * rng.NormFloat64() // a range that overflows
				case 3:
					x = math.Copysign(0, rng.Float64()-0.5)
				case 4:
					if rng.IntN(10) == 0 {
						x *= 1e12 // one far off makes the others alike
					}
				}
				r.pos = append(r.pos, x)
			}
		}
		want := make([]int, n)
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(a, b int) int {
			if r.frame[a] != r.frame[b] {
				return r.frame[a] - r.frame[b]
			}
			return slices.Compare(r.pos[a*r.dim:(a+1)*r.dim], r.pos[b*r.dim:(b+1)*r.dim])
		})
		byFrame := r.frameOrder()
		sorted := *r
		sorted.frame, sorted.pos, sorted.from = slices.Clone(r.frame), slices.Clone(r.pos), ascending(n)
		sorted.sortByPlace()
		for k, i := range want {
			if int(sorted.from[k]) != i || sorted.frame[k] != r.frame[i] || !slices.Equal(sorted.pos[k*r.dim:(k+1)*r.dim], r.pos[i*r.dim:(i+1)*r.dim]) {
				t.Fatalf("trial %d: the order by place of %d rows in %d frames is not that of comparisons", trial, n, frames)
			}
		}
		slices.SortStableFunc(want, func(a, b int) int {
			if r.frame[a] != r.frame[b] {
				return r.frame[a] - r.frame[b]
			}
			return a - b
		})
		if !slices.Equal(byFrame, want) {
			t.Fatalf("trial %d: the order by frame of %d rows is not that of comparisons", trial, n)
		}
	}
}
