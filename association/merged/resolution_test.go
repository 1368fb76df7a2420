package merged

import (
	"math"
	"math/rand/v2"
	"testing"
)

// This file tests the probability that two targets are not resolved.

// TestUnresolved compares the integral with draws, and with the closed form around
// the middle of the plane.
func TestUnresolved(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{2, 3} {
		for _, c := range [][3]float64{{0, 1, 1}, {0.5, 0.1, 0.6}, {2, 1, 1}, {0.3, 1e-4, 0.31}, {0.1, 4, 0.5}} {
			apart, spread, within := c[0], c[1], c[2]
			const draws = 200000
			in := 0
			for range draws {
				d2 := 0.0
				for n := range dim {
					x := math.Sqrt(spread) * r.NormFloat64()
					if n == 0 {
						x += apart
					}
					d2 += x * x
				}
				if d2 < within*within {
					in++
				}
			}
			want := float64(in) / draws
			if got := unresolved(dim, apart, spread, within); math.Abs(got-want) > 0.002+4*math.Sqrt(want*(1-want)/draws) {
				t.Errorf("%d dimensions, %v: %v, drawn %v", dim, c, got, want)
			}
		}
	}
	for _, within := range []float64{0.1, 1, 3} {
		if got, want := unresolved(2, 0, 1, within), -math.Expm1(-within*within/2); math.Abs(got-want) > 1e-3*want {
			t.Errorf("Rayleigh: %v within %v, want %v", got, within, want)
		}
	}
}
