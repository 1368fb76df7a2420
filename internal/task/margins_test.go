package task

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mtt"
	"mtt/association"
	"mtt/internal/nightly"
	"mtt/scenario"
)

// A margin that is the rounding of what an answer costs is 0.
func TestOrZero(t *testing.T) {
	for _, x := range [][3]float64{{-5.55e-17, 3, 0}, {5.55e-17, -3, 0}, {1e-9, 3, 1e-9}, {-1e-9, 3, -1e-9}, {-5.55e-17, 1e-6, -5.55e-17}} {
		if y := orZero(x[0], x[1]); y != x[2] {
			t.Errorf("orZero(%v, %v) = %v, want %v", x[0], x[1], y, x[2])
		}
	}
	if y := orZero(math.NaN(), 1); y == y {
		t.Error("a margin that is not known has become", y)
	}
}

// What tracks.csv shows of a lower bound is one.
func TestLessDigits(t *testing.T) {
	for _, x := range [][2]float64{{1.2345678, 1.23456}, {-1.2345601, -1.23457}, {701.999999, 701.999}, {0, 0}, {3, 3}, {1e-11, 1e-11}, {0.1, 0.1}} {
		if y := lessDigits(x[0]); y != x[1] {
			t.Errorf("lessDigits(%v) = %v, want %v", x[0], y, x[1])
		}
	}
	for k := range 10_000 {
		x := math.Exp(float64(k)/300 - 20)
		if y := lessDigits(x); y > x || y < x*(1-1.1e-5) || y != lessDigits(y) {
			t.Fatalf("lessDigits(%v) = %v", x, y)
		}
	}
}

// Links are as often right as they are said to be, whatever the number of workers.
func TestProbabilities(t *testing.T) {
	if testing.Short() {
		t.Skip("a burst with margins takes seconds")
	}
	var sum, right [3]float64 // below 0.75, 0.95, and above
	var n [3]int
	for seed := range uint64(nightly.Or(1, 10)) {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Burst, Targets: 100, Frames: 30, Noise: 0.2, VelocityNoise: 0.2, Seed: seed + 1})
		if err != nil {
			t.Fatal(err)
		}
		follows := make(map[mtt.Hit]mtt.Hit)
		for i := range scene.Truth {
			hits := scene.Truth[i].Hits
			for h := 1; h < len(hits); h++ {
				follows[hits[h]] = hits[h-1]
			}
		}
		opts := &association.Options{Sigma: 0.2, SigmaV: 0.2, Workers: 1}
		res, err := association.Track(t.Context(), scene.Scans, opts)
		if err != nil {
			t.Fatal(err)
		}
		o := NewTrackOptions()
		o.margins = exactMargins
		m, err := o.marginsOf(t.Context(), res, nil, opts)
		if err != nil {
			t.Fatal(err)
		}
		if seed == 0 {
			opts.Workers = 3
			again, err := o.marginsOf(t.Context(), res, nil, opts)
			if diff := cmp.Diff(m.odds, again.odds, cmpopts.EquateNaNs()); err != nil || diff != "" {
				t.Errorf("other probabilities with three workers: %v\n%s", err, diff)
			}
		}
		for k := range res.Tracks {
			hits := res.Tracks[k].Hits
			for h := 1; h < len(hits); h++ {
				p := probability(m.odds[k][h])
				if !(p >= 0 && p <= 1) {
					t.Fatalf("track %d, hit %d has the probability %v", k, h, p)
				}
				bin := 2
				if p < 0.75 {
					bin = 0
				} else if p < 0.95 {
					bin = 1
				}
				n[bin]++
				sum[bin] += p
				if follows[hits[h]] == hits[h-1] {
					right[bin]++
				}
			}
		}
	}
	const together = 4 // links that are right or wrong together: those of two tracks that trade, at both ends of the trade
	for bin := range n {
		said, is := sum[bin]/float64(n[bin]), right[bin]/float64(n[bin])
		t.Logf("%d links: said %.3f, right %.3f", n[bin], said, is)
		if tolerance := 0.02 + 3*math.Sqrt(together*said*(1-said)/float64(n[bin])); n[bin] < 20 || math.Abs(said-is) > tolerance {
			t.Errorf("%d links are said to be right with %.3f on average, %.3f are", n[bin], said, is)
		}
	}
}
