package gating

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var testGates = []Gate{
	Ball{Radius: 0},
	Ball{Radius: 2},
	Ball{Radius: math.MaxFloat64},
	Disc{Epsilon: 2, Margin: 0.4},
	Disc{},
	Disc{MaxSpeed: 1.5, Margin: 0.1},
	Mahalanobis{Sigma: 0.5, SigmaV: 0.4, Noise: 0.1, SpeedStd: 1},
	Mahalanobis{G: 4, Sigma: 0.1, SigmaV: 2, SpeedStd: 0.5},
}

// TestNeighborsBrute compares with all pairs: layouts × velocities × gates ×
// dimensions × caps.
func TestNeighborsBrute(t *testing.T) {
	speeds := []struct {
		name  string
		scale func(rng *rand.Rand) float64
	}{
		{"still", func(rng *rand.Rand) float64 { return 0 }},
		{"walking", func(rng *rand.Rand) float64 { return 1 }},
		{"from crawling to light", func(rng *rand.Rand) float64 { return math.Exp(8 * rng.NormFloat64()) }},
	}
	for _, dim := range []int{2, 3} {
		for _, lay := range layouts {
			for _, speed := range speeds {
				t.Run(fmt.Sprintf("%dD/%s/%s", dim, lay.name, speed.name), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(1, uint64(dim)))
					vel := func(i, d int) float64 { return speed.scale(rng) * rng.NormFloat64() }
					a := scanOf(70, dim, 2, lay.pos(rng), vel)
					b := scanOf(90, dim, 2.5, lay.pos(rng), vel)
					var f Finder
					for _, g := range testGates {
						for _, k := range []int{0, 1, 3} {
							f.K = k
							got, err := f.Neighbors(nil, a, b, g)
							if err != nil {
								t.Fatal(err)
							}
							if diff := cmp.Diff(brute(a, b, g, k), got, cmpopts.EquateEmpty()); diff != "" {
								t.Errorf("%v, K=%d: differs from all pairs (-want +got):\n%s", g, k, diff)
							}
						}
					}
				})
			}
		}
	}
}
