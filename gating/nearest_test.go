package gating

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mtt/internal/nightly"
)

// TestNearest: the k-d trees keep the pairs that a look at all pairs keeps, of every layout and gate.
func TestNearest(t *testing.T) {
	for _, layout := range layouts {
		for dim := 2; dim <= 3; dim++ {
			for trial := range 12 {
				rng := rand.New(rand.NewPCG(uint64(trial), uint64(dim)))
				vel := func(i, d int) float64 { return float64(rng.IntN(3)) }
				if trial%3 == 0 {
					vel = nil
				}
				a := scanOf(rng.IntN(60), dim, 0, layout.pos(rng), vel)
				b := scanOf(1+rng.IntN(60), dim, 1, layout.pos(rng), vel)
				gates := []Gate{Ball{2}, Ball{1e10}, Disc{MaxSpeed: 3, Margin: 1}, Mahalanobis{Sigma: 1, SigmaV: 1, Noise: 1, SpeedStd: 2}}
				if vel != nil {
					gates = append(gates, Disc{})
				}
				for _, g := range gates {
					for _, k := range []int{1, 3, 12} {
						f := Finder{K: k}
						if err := f.prepare(a, b, g); err != nil {
							t.Fatal(err)
						}
						length := make([]int, a.Len())
						if err := f.collectNearest(length, work{}); err != nil {
							t.Fatal(err)
						}
						got := fmt.Sprint(f.found, length)
						f.most = math.MaxInt
						if err := f.collectCapped(length); err != nil {
							t.Fatal(err)
						}
						if want := fmt.Sprint(f.found, length); got != want {
							t.Fatalf("%s, %v, K = %d: %s, want %s", layout.name, g, k, got, want)
						}
					}
				}
			}
		}
	}
}

// TestNearestCrowds: thousands of detections at one place, and as many nearly there, a hundred
// thousand at night, take work in proportion to their number; all pairs would be 10⁸, and 10¹⁰.
func TestNearestCrowds(t *testing.T) {
	n := nightly.Or(10_000, 100_000)
	rng := rand.New(rand.NewPCG(1, 2))
	for name, pos := range map[string]func(i, d int) float64{
		"one place": func(i, d int) float64 { return 5 },
		"near":      func(i, d int) float64 { return rng.Float64() },
		"lattice":   func(i, d int) float64 { return float64(rng.IntN(10)) },
		"on a line": func(i, d int) float64 { return float64((1 - d) * i) },
	} {
		pairs := 0
		f := Finder{K: 12, tick: func(int) error { pairs++; return nil }}
		got, err := f.Neighbors(nil, scanOf(n, 2, 0, pos, nil), scanOf(n, 2, 1, pos, nil), Ball{1e6})
		if err != nil {
			t.Fatal(err)
		}
		if got.NNZ() < 12*n || got.NNZ() > 24*n {
			t.Errorf("%s: %d entries", name, got.NNZ())
		}
		if most := 20 + n/50; pairs > most {
			t.Errorf("%s: work of %d units, at most %d are wanted", name, pairs, most)
		}
	}
}

// TestPartedCrafted: no order of sites makes it slow to part them. Every pivot of this one is the
// least of what is left.
func TestPartedCrafted(t *testing.T) {
	const n = 50_000
	crafted, drawn := make([]site, n), make([]site, n)
	for i, k := range rand.New(rand.NewPCG(1, 1)).Perm(n) {
		crafted[i].at[1], drawn[i].at[1] = float64(i+1), float64(k)
	}
	crafted[n/2].at[1] = 0
	took := func(s []site) time.Duration {
		began := time.Now()
		parted(s, n/2, 1)
		if slices.ContainsFunc(s[:n/2], func(x site) bool { return x.at[1] > s[n/2].at[1] }) ||
			slices.ContainsFunc(s[n/2:], func(x site) bool { return x.at[1] < s[n/2].at[1] }) {
			t.Error("not parted")
		}
		return time.Since(began)
	}
	if random, sorted := took(drawn), took(crafted); sorted > 100*random+100*time.Millisecond { // formerly a thousand times
		t.Errorf("%v, and %v where the order is random", sorted, random)
	}
}
