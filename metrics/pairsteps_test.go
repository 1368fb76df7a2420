//go:build amd64 && !noasm

package metrics

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The assembly of steps equals their Go to the bit, at all lengths.
func TestSteps(t *testing.T) {
	if !haveAVX2 {
		t.Skip("no AVX2")
	}
	defer func() { haveAVX2 = true }()
	rng := rand.New(rand.NewPCG(8, 2))
	list := func(n int, least, most float64) []float64 {
		x := make([]float64, n)
		for k := range x {
			x[k] = least + (most-least)*rng.Float64()
		}
		return x
	}
	for n := 1; n < 60; n++ {
		slots := 1 + rng.IntN(2*n)
		first, second := make([]int32, n), make([]int32, n)
		for k := range first {
			first[k], second[k] = int32(rng.IntN(slots)), int32(rng.IntN(slots))
		}
		const h = 0.5
		weight, tie, price := list(n, 0, 1), list(n, -h, h), list(slots, 0, 2)
		wide := list(n, 0, h)
		for k := range wide {
			if rng.IntN(3) == 0 {
				wide[k], tie[k] = 0, 0
			}
		}
		own, step, pace, sum := list(n, -3, 1), list(n, 0.1, 0.5), list(slots, 0.1, 0.5), list(slots, 0, 3)
		begunW, begunT, begunP := list(n, 0, 1), list(n, -h, h), list(slots, 0, 2)
		room := list(slots, 0, 1)
		p := pull{0.75, 0.25}
		var got [2][]float64
		for i, fast := range [2]bool{true, false} {
			haveAVX2 = fast
			w, y, x, s := slices.Clone(weight), slices.Clone(tie), slices.Clone(price), slices.Clone(sum)
			next, aheadW, aheadT, aheadP := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, slots)
			stepWeights(w, begunW, aheadW, next, own, step, y, first, second, x, 0.3, p)
			stepTies(y[:n-1], begunT[:n-1], aheadT[:n-1], wide[:n-1], next, 0.2, p)
			stepPrices(x, begunP, aheadP, pace, room, s, 0.7, p)
			got[i] = slices.Concat(w, y, x, s, next, aheadW, aheadT, aheadP)
		}
		if !slices.Equal(got[0], got[1]) {
			t.Fatalf("%d options, %d slots: the assembly differs", n, slots)
		}
	}
}
