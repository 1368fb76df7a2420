package learn_test

import (
	"testing"

	"mtt/association"
	"mtt/costgen"
	"mtt/scenario"
)

// This file tests that turns are learnt where targets turn.

// TestStraightAmongAlarms learns from targets that meet, among as many false alarms around them: nobody turns, but tracks with turns take false alarms for detections of
// targets, and fit these far better than tracks without. It was taken for turns in one of eight steps.
func TestStraightAmongAlarms(t *testing.T) {
	g := learntFrom(t, &scenario.Config{
		Scene: scenario.Cross, Targets: 40, Frames: 60, Noise: 0.1, NoVelocity: true, Miss: 0.1, Clutter: 40, ClutterRadius: 4, Seed: 5,
	})
	if g.ManoeuvreProb > 0 || g.Rates.Clutter < 36 {
		t.Errorf("turns in %v of the steps and %v false alarms are learnt", g.ManoeuvreProb, g.Rates.Clutter)
	}
}

// learntFrom are the levels that are learnt from a scene by a sensor whose noise is known.
func learntFrom(t *testing.T, cfg *scenario.Config) *costgen.Levels {
	t.Helper()
	scene, err := scenario.Simulate(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	res, err := association.Learn(t.Context(), scene.Scans, &association.Options{Sigma: cfg.Noise})
	if err != nil {
		t.Fatal(err)
	}
	return res.Levels
}
