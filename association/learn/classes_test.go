package learn_test

import (
	"math"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/internal/nightly"
	"mtt/metrics"
	"mtt/scenario"
)

// This file tests what is learnt where a detector says what it takes targets for.

// TestClasses tracks crowds that a detector takes for three classes, wrongly now and then: how
// often is learnt, and there are less than half as many wrong links as without.
func TestClasses(t *testing.T) {
	t.Parallel()
	var with, without float64
	for _, seed := range nightly.Or([]uint64{3}, []uint64{3, 4}) { // few links are wrong without classes in other draws
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Steer, Targets: nightly.Or(40, 50), Frames: nightly.Or(24, 30), Spread: 1.2, Noise: 0.1, NoVelocity: true, Miss: 0.1, Clutter: 5, Seed: seed, Classes: 3, Confusion: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		track := func(scans []mtt.Scan) (*association.Result, float64) {
			t.Helper()
			res, err := association.Track(t.Context(), scans, &association.Options{Sigma: 0.1})
			if err != nil {
				t.Fatal(err)
			}
			report, err := metrics.Score(scene.Truth, res.Tracks, nil)
			if err != nil {
				t.Fatal(err)
			}
			return res, report.MMEP
		}
		res, wrong := track(scene.Scans)
		if c := res.Levels.Classes; c == nil || len(c.Kinds) != 3 || math.Abs(c.Confusion()-0.05) > 0.02 {
			t.Errorf("of classes %+v is learnt, want a confusion of 0.05", c)
		}
		with += wrong
		for i := range scene.Scans {
			scene.Scans[i].Class = nil
		}
		_, wrong = track(scene.Scans)
		without += wrong
	}
	if with > without/2 {
		t.Errorf("%.2f %% of the links are wrong, without classes %.2f", with, without)
	}
}
