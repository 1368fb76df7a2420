package online

import (
	"testing"

	"mtt/costgen"
	"mtt/motion"
	"mtt/scenario"
)

// TestWarmUpWhole: of a warm-up all scans are known when the first of them are settled. Where a fifth
// of the targets is missed and a fourth of what is detected false, a third of the links that are
// wrong by six scans alone are right with it.
func TestWarmUpWhole(t *testing.T) {
	t.Parallel()
	wrong := 0.0
	for seed := range uint64(6) {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Steer, Targets: 30, Frames: 14, Dim: 3, Noise: 0.1, NoVelocity: true, Miss: 0.2, Clutter: 10, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		levels := &costgen.Levels{Sigma: 0.1, Accel: 0.18, SpeedStd: 0.95, MaxSpeed: 4, Interval: 1, Dim: 3, PositionsOnly: true, Motion: motion.Velocity{},
			Rates: costgen.Rates{Detect: 0.8, Hidden: 0.2, Survive: 0.99, Births: 0.05, Targets: 30, Clutter: 10, Volume: 20_000}}
		res, err := Track(t.Context(), scene.Scans, &Options{Levels: levels, WarmUp: 12, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		wrong += wrongLinks(t, scene.Truth, res.Tracks) / 6
	}
	if t.Logf("%.2f %%", wrong); wrong > 0.75 {
		t.Errorf("%.2f %% of the links are wrong", wrong)
	}
}
