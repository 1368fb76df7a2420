package sensing_test

// This file tests the warning of tracks that stand still.

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/internal/nightly"
)

// TestStill: of twenty targets that walk between walls three places that give a false alarm in
// every second scan are told, and three targets that stand, or all of them, are not where they are
// detected as often as those that walk.
func TestStill(t *testing.T) {
	t.Parallel()
	const frames, targets, places, side = 40, 20, 3, 100.
	for _, test := range []struct {
		name    string
		seen    float64 // share of the scans in which what stands is detected
		walkers int
		want    bool
	}{
		{"false alarms at fixed places", .5, targets, true},
		{"standing targets", .95, targets, false},
		{"all stand", .5, 0, false},
	} {
		for seed := range nightly.Or[uint64](1, 2) {
			rng := rand.New(rand.NewPCG(seed, 47))
			var x, v [targets + places][2]float64
			for i := range x {
				a := 2 * math.Pi * rng.Float64()
				if x[i] = [2]float64{side * rng.Float64(), side * rng.Float64()}; i < test.walkers {
					v[i] = [2]float64{2 * math.Cos(a), 2 * math.Sin(a)}
				}
			}
			scans := make([]mtt.Scan, frames)
			for f := range scans {
				s := &scans[f]
				*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
				for i := range x {
					seen := .95
					if i >= test.walkers {
						seen = test.seen
					}
					if rng.Float64() < seen {
						s.Pos = append(s.Pos, x[i][0]+.2*rng.NormFloat64(), x[i][1]+.2*rng.NormFloat64())
					}
					for k := range 2 {
						if x[i][k] += v[i][k]; x[i][k] < 0 || x[i][k] > side {
							v[i][k] = -v[i][k]
						}
					}
				}
			}
			res, err := association.Track(t.Context(), scans, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(strings.Join(res.Warnings, "\n"), "stand still all along"); got != test.want {
				t.Errorf("%s, seed %d: told %v, want %v, in %d tracks: %q", test.name, seed, got, test.want, len(res.Tracks), res.Warnings)
			}
		}
	}
}
