package learn_test

import (
	"testing"

	"mtt/association"
	"mtt/costgen"
	"mtt/scenario"
)

// This file tests that turns are learnt where targets turn.

// TestStraightAmongAlarms learns from targets that meet, among as many false alarms around them:
// nobody turns, but tracks with turns take false alarms for detections of targets, and fit these
// far better than tracks without. It was taken for turns in one of eight steps.
func TestStraightAmongAlarms(t *testing.T) {
	t.Parallel()
	g, alarms := learntFrom(t, &scenario.Config{
		Scene: scenario.Cross, Targets: 40, Frames: 60, Noise: 0.1, NoVelocity: true, Miss: 0.1, Clutter: 40, ClutterRadius: 4, Seed: 5,
	})
	if g.ManoeuvreProb > 0 || alarms < 36 {
		t.Errorf("turns in %v of the steps and %v false alarms are learnt", g.ManoeuvreProb, alarms)
	}
}

// learntFrom are the levels that are learnt from a scene by a sensor whose noise is known, and how many
// false alarms they have in a scan, anywhere and around targets.
func learntFrom(t *testing.T, cfg *scenario.Config) (levels *costgen.Levels, alarms float64) {
	t.Helper()
	scene, err := scenario.Simulate(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	res, err := association.Learn(t.Context(), scene.Scans, &association.Options{Sigma: cfg.Noise})
	if err != nil {
		t.Fatal(err)
	}
	return res.Levels, res.Levels.Rates.Clutter + res.Levels.Echoes.Expected(scene.Scans)/float64(cfg.Frames)
}

// TestTurnsOfCrowd learns from a thousand targets that start close together and never turn, with
// nothing missed or false: wrong links of the first scans passed for turns of one in 23, the gates
// that let these in took six times as long, and 868 of 99,000 links were wrong, not 815.
func TestTurnsOfCrowd(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a scene of fourteen thousand detections")
	}
	s, err := scenario.Simulate(t.Context(), &scenario.Config{Targets: 1000, Frames: 14, Noise: 0.1, VelocityNoise: 0.1, Seed: 901})
	if err != nil {
		t.Fatal(err)
	}
	res, err := association.Learn(t.Context(), s.Scans, &association.Options{Sigma: 0.1, SigmaV: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if g := res.Levels; g.ManoeuvreProb > 0 || g.Accel < 0.04 || g.Accel > 0.06 {
		t.Errorf("acceleration %v and turns of %v are learnt, want .047 and none", g.Accel, g.ManoeuvreProb)
	}
}
