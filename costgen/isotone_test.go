package costgen

import (
	"math"
	"math/rand/v2"
	"testing"
)

// This file tests the likeliest function that nowhere falls.

// TestIsotone: what is learnt is the min-max formula, at each cover the largest over all that begin
// at or before it of the smallest share missed over all runs of trials that end at or after it, but
// for half an event for each step.
func TestIsotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		const covers = 6
		var missed, n [covers]float64
		trials := []trial{}
		for range rng.IntN(25) {
			c, miss := rng.IntN(covers), float64(rng.IntN(2))
			weight := 1000 * (0.1 + rng.Float64()) // half an event is nothing beside these
			trials = append(trials, trial{float64(c) / covers, miss, weight})
			missed[c], n[c] = missed[c]+miss*weight, n[c]+weight
		}
		f := isotone(trials)
		for c := range covers {
			if n[c] == 0 {
				continue
			}
			most := 0.0
			for from := range c + 1 {
				least := 1.0
				for to := c; to < covers; to++ {
					var m, all float64
					for k := from; k <= to; k++ {
						m, all = m+missed[k], all+n[k]
					}
					if all > 0 {
						least = min(least, m/all)
					}
				}
				most = max(most, least)
			}
			if got := rise(f, float64(c)/covers); math.Abs(got-most) > 0.005 {
				t.Fatalf("of %v, missed %v: at cover %d/%d missed with probability %v, want %v", n, missed, c, covers, got, most)
			}
		}
	}
}
