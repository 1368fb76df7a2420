package online_test

import (
	"testing"

	"mtt/association"
	"mtt/association/online"
	"mtt/metrics"
	"mtt/scenario"
)

// TestWhole: where a warm-up ends with the scans, and nobody waits, it is learnt how whole tracks turn.
func TestWhole(t *testing.T) {
	t.Parallel()
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Steer, Targets: 80, Frames: 30, Noise: 0.1, NoVelocity: true, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	wrong := func(o *association.Options) (*online.Result, float64) {
		res, err := online.Track(t.Context(), scene.Scans, online.Of(o, 3))
		if err != nil {
			t.Fatal(err)
		}
		score, err := metrics.Score(scene.Truth, res.Tracks, &metrics.Options{Only: metrics.Links})
		if err != nil {
			t.Fatal(err)
		}
		return res, score.MMEP
	}
	learnt, with := wrong(&association.Options{})
	if learnt.Levels.Whole == nil {
		t.Fatal("nothing was learnt of whole tracks")
	}
	levels := *learnt.Levels
	levels.Whole = nil
	if _, without := wrong(&association.Options{Levels: &levels}); with > 0.8*without {
		t.Errorf("%.2f %% of the links are wrong, without what whole tracks tell %.2f", with, without)
	} else {
		t.Logf("%.2f and %.2f %%", with, without)
	}
}
