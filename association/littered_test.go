package association

import (
	"math"
	"testing"

	"mtt/internal/nightly"
	"mtt/scenario"
)

// TestLittered: with five times as many false alarms as targets levels are not those of false
// alarms that are taken for targets which turn at every step. In both scenes the first beginnings
// end there; in the one nothing seems to be false then, in the other false alarms seem to lie as
// densely everywhere.
func TestLittered(t *testing.T) {
	if !nightly.Is() { // half a minute each; by day learn.TestAmong
		t.Skip("long")
	}
	for _, seed := range []uint64{3, 4} {
		s, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Drift, Targets: 30, Frames: 60, Spread: 20, Noise: 0.2, NoVelocity: true, Miss: 0.1, Clutter: 150, Seed: seed,
		})
		if err != nil {
			t.Fatal(err)
		}
		res, err := Learn(t.Context(), s.Scans, &Options{Sigma: 0.2})
		if err != nil {
			t.Fatal(err)
		}
		if g := res.Levels; g.ManoeuvreProb > 0.05 || math.Abs(g.Rates.Targets-30) > 3 || math.Abs(g.Rates.Clutter-150) > 5 || g.Rates.Births > 0.2 {
			t.Errorf("seed %d: %.2g manoeuvres, %.3g targets, %.3g births, %.3g false alarms", seed, g.ManoeuvreProb, g.Rates.Targets, g.Rates.Births, g.Rates.Clutter)
		}
	}
}
