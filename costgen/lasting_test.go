package costgen

// This file tests how misses that last are learnt and priced.

import (
	"math"
	"math/rand/v2"
	"testing"
)

// run draws the number of misses in a row, at least one, of a target that may be missed for long.
func run(r *rand.Rand, l *Lasting) int {
	again := l.Brief
	if r.Float64() < l.Share {
		again = l.Long
	}
	misses := 1
	for r.Float64() < again {
		misses++
	}
	return misses
}

// TestLastingPrices: a target that is missed, briefly or for long, is followed by drawing.
func TestLastingPrices(t *testing.T) {
	m := Levels{Rates: someRates, Lasting: Lasting{Share: 0.2, Brief: 0.1, Long: 0.8}}
	const n, most = 400_000, 6
	var missed [most + 1]float64       // it was, so often, and then detected
	var hidden, gone [most + 1]float64 // so many frames later
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		misses := 0
		if rng.Float64() >= m.Rates.Detect {
			misses = run(rng, &m.Lasting)
		}
		dies := 1
		for rng.Float64() < m.Rates.Survive {
			dies++
		}
		if misses <= most && dies > misses+1 {
			missed[misses]++
		}
		for k := 1; k <= most; k++ {
			if dies <= min(k, misses+1) {
				gone[k]++
			} else if misses >= k {
				hidden[k]++
			}
		}
	}
	left, lives := m.Fate(most)
	for k := range most + 1 {
		for _, p := range []struct {
			what      string
			got, want float64
		}{
			{"missed and then detected", math.Exp(-m.MissRun(k)), missed[k] / n}, {"hidden", lives[k], hidden[k] / n}, {"gone", left[k], gone[k] / n},
		} {
			if k == 0 && p.what != "missed and then detected" {
				continue
			}
			if math.Abs(p.got-p.want) > 5*math.Sqrt(p.want/n)+1e-5 {
				t.Errorf("%s after %d: probability %.5f, drawn %.5f", p.what, k, p.got, p.want)
			}
		}
	}
}

// TestFitLasting learns the kinds of runs from runs.
func TestFitLasting(t *testing.T) {
	for _, want := range []Lasting{{Share: 0.2, Brief: 0.05, Long: 0.9}, {Share: 0.6, Brief: 0.2, Long: 0.95}, {Share: 1, Long: 0.6}, {Share: 1, Long: 0.02}} {
		rng := rand.New(rand.NewPCG(3, 4))
		var runs []int
		for range 3000 {
			k := run(rng, &want) - 1
			for len(runs) <= k {
				runs = append(runs, 0)
			}
			runs[k]++
		}
		got, n := FitLasting(runs)
		if n != 3000 || math.Abs(got.Share-want.Share) > 0.05 || math.Abs(got.Brief-want.Brief) > 0.05 || math.Abs(got.Long-want.Long) > 0.02 {
			t.Errorf("of %v runs as %+v: %+v", n, want, got)
		}
	}
	// No run tells nothing, and one nothing of two kinds.
	for _, runs := range [][]int{nil, {1}, {0, 0, 0, 1}} {
		if got, _ := FitLasting(runs); got.Share != 1 || got.Long <= 0 || got.Long >= 1 {
			t.Errorf("%v: %+v", runs, got)
		}
	}
}
