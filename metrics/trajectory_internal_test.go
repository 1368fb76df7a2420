package metrics

import (
	"math/rand/v2"
	"testing"

	"mtt"
)

// The frames that two lists of hits have in common are counted whether there are gaps in both, in
// one or in none.
func TestCommon(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 2))
	draw := func() (hits []mtt.Hit, in map[int]bool) {
		in = map[int]bool{}
		missed := []float64{0, 0.1, 0.7}[rng.IntN(3)]
		from, n := rng.IntN(12), rng.IntN(15)
		for f := from; f < from+n; f++ {
			if rng.Float64() >= missed {
				hits, in[f] = append(hits, mtt.Hit{Frame: f}), true
			}
		}
		return hits, in
	}
	gaps := [4]int{}
	for range 20_000 {
		a, inA := draw()
		b, inB := draw()
		want := 0
		for f := range inA {
			if inB[f] {
				want++
			}
		}
		if got := common(a, b); got != want {
			t.Fatalf("%v and %v have %d frames in common, said to be %d", a, b, want, got)
		}
		k := 0
		if !everyFrame(a) {
			k++
		}
		if !everyFrame(b) {
			k += 2
		}
		gaps[k]++
	}
	for k, n := range gaps {
		if n < 1000 {
			t.Errorf("%d of kind %d: this tests little", n, k)
		}
	}
}
