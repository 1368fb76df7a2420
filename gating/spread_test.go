package gating

import (
	"math/rand/v2"
	"testing"
)

// TestSpread looks at every bit of numbers that are spread.
func TestSpread(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{2, 3} {
		bits := 32 / dim
		for range 1000 {
			x := rnd.Uint64() >> (64 - bits)
			want := uint64(0)
			for b := range bits {
				if x>>b&1 == 1 {
					want |= 1 << (b * dim)
				}
			}
			if got := spread(x, bits, dim); got != want {
				t.Fatalf("%b in %d dimensions: %b, not %b", x, dim, got, want)
			}
		}
	}
}
