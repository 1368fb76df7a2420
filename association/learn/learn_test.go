package learn_test

import (
	"context"
	"math"
	"testing"

	"mtt/association"
	"mtt/costgen"
	"mtt/internal/nightly"
	"mtt/scenario"
)

// This file tests what is estimated against what was simulated.

// TestRates: a target that is missed often does not pass for many that come and
// go. The tolerances are some three standard errors of the counts.
func TestRates(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many scenes take seconds")
	}
	cases := []struct {
		miss, births, clutter float64
	}{
		{miss: 0.25}, {miss: 0.1, births: 1, clutter: 10}, {miss: 0.05}, {miss: 0.3, clutter: 10},
	}
	for _, tt := range cases[:nightly.Or(2, len(cases))] {
		scene, err := scenario.Simulate(context.Background(), &scenario.Config{
			Scene: scenario.Steer, Targets: 60, Frames: nightly.Or(36, 50), Seed: 4, Spread: 3, Noise: 0.1, VelocityNoise: 0.1,
			Miss: tt.miss, Births: tt.births, Clutter: tt.clutter, ClutterRadius: 4,
		})
		if err != nil {
			t.Fatal(err)
		}
		res, err := association.Build(context.Background(), scene.Scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := res.Levels.Rates
		for _, v := range []struct {
			name           string
			got, want, tol float64
		}{
			{"detect", r.Detect, 1 - tt.miss, 0.02}, {"hidden", r.Hidden, tt.miss, 0.06},
			{"survive", r.Survive, 1 - tt.births/60, 0.01}, {"births", r.Births, tt.births, 0.4},
			{"alarms", r.Clutter, tt.clutter, 1.5},
		} {
			if math.Abs(v.got-v.want) > v.tol {
				t.Errorf("miss %v, births %v, clutter %v: %s is estimated as %.3f, want %.3f", tt.miss, tt.births, tt.clutter, v.name, v.got, v.want)
			}
		}
	}
}

// TestSaidRates: rates that are said are kept, each alone; the others are learnt.
func TestSaidRates(t *testing.T) {
	t.Parallel()
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Targets: 15, Frames: 20, Seed: 3, Noise: 0.1, VelocityNoise: 0.1, Miss: 0.2, Clutter: 3})
	if err != nil {
		t.Fatal(err)
	}
	rates := func(said *costgen.Rates) costgen.Rates {
		res, err := association.Learn(t.Context(), scene.Scans, &association.Options{Rates: said})
		if err != nil {
			t.Fatal(err)
		}
		return res.Levels.Rates
	}
	learnt := rates(nil)
	if r := rates(&costgen.Rates{}); r != learnt {
		t.Errorf("nothing said gives %v, want %v", r, learnt)
	}
	if r := rates(&costgen.Rates{Detect: 0.6}); r.Detect != 0.6 || math.Abs(r.Hidden-learnt.Hidden) > 0.1 || r.Clutter == 0 || r.Births == 0 || r.Volume == 0 {
		t.Errorf("said to be detected in 60 %%: %v, want missed again in %v", r, learnt.Hidden)
	}
	if r := rates(&costgen.Rates{Detect: 0.6, Hidden: 0.4}); r.Detect != 0.6 || r.Hidden != 0.4 {
		t.Errorf("said to be detected in 60 %%, missed again in 40 %%: %v", r)
	}
	if r := rates(&costgen.Rates{Clutter: 2.5, Survive: 0.97, Births: 0.4}); r.Clutter != 2.5 || r.Survive != 0.97 || r.Births != 0.4 || r.Detect < 0.7 || r.Detect > 0.9 {
		t.Errorf("said clutter, survival, births: %v", r)
	}
	all := costgen.Rates{Detect: 0.8, Hidden: 0.3, Survive: 0.99, Births: 0.1, Targets: 15, Clutter: 3, Volume: 400}
	if r := rates(&all); r != all {
		t.Errorf("all said: %v, want %v", r, all)
	}
}

// TestStraight: targets that keep their velocity are learnt to do so, as far as a good sensor tells.
func TestStraight(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{
		Scene: scenario.Drift, Accel: 1e-4, SpeedMin: 3, SpeedMax: 3, Targets: 20, Frames: 40, Seed: 1, Spread: 20, Noise: 0.02, NoVelocity: true, Miss: 0.1,
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := association.Learn(t.Context(), scene.Scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	if g := m.Levels; g.Accel > 0.01 || math.Abs(g.Sigma-0.02) > 0.002 {
		t.Errorf("a noise of %.3g and an acceleration of %.3g, want 0.02 and at most 0.01", g.Sigma, g.Accel)
	}
}

// TestUnsteady: particles that leave a field as others come in are as many in each scan, but none
// is followed from one side of the field to the other: neither where tracks break when nothing may
// come or go, nor where they jump, nor where steps are so long that false alarms would explain them
// all.
func TestUnsteady(t *testing.T) {
	t.Parallel()
	for _, c := range []scenario.Config{
		{Scene: scenario.Flow, Targets: 20, Frames: 24, Seed: 688, Step: 0.5, Noise: 0.05, NoVelocity: true},
		{Scene: scenario.Flow, Targets: 8, Frames: 23, Dim: 3, Seed: 3215, Step: 0.5242643019370461, Noise: 0.005725499014166464, NoVelocity: true}, // jumps
		{Scene: scenario.Flow, Targets: 25, Frames: 10, Dim: 3, Seed: 2, Step: 1, Noise: 0.1, NoVelocity: true},                                     // as far as to the next
	} {
		scene, err := scenario.Simulate(t.Context(), &c)
		if err != nil {
			t.Fatal(err)
		}
		m, err := association.Learn(t.Context(), scene.Scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r := m.Levels.Rates; r.Births < 0.1 || r.Survive > 0.999 || r.Clutter > 1e-9 || m.Coasts {
			t.Errorf("of %d, %.3g come in a scan and %.4f of them stay, %.3g are false, missed are some: %v; want some to come and go", c.Targets, r.Births, r.Survive, r.Clutter, m.Coasts)
		}
	}
}

// TestFastest: false alarms that tracks leave over, a few in a scan, do not make targets fast; a
// target that is faster than all others does.
func TestFastest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		scene       scenario.Config
		least, most float64 // m/s
	}{
		{scenario.Config{Scene: scenario.Steer, Targets: 11, Frames: 60, Seed: 2244, Noise: 0.024, NoVelocity: true, Miss: 0.22, MissRun: 4, Clutter: 3.5}, 2.6, 8},
		{scenario.Config{Scene: scenario.Cross, Targets: 9, Frames: 21, Seed: 2158, Noise: 0.045, NoVelocity: true, Fast: 0.2, FastMin: 4, FastMax: 8}, 4, 20},
	} {
		s, err := scenario.Simulate(t.Context(), &tt.scene)
		if err != nil {
			t.Fatal(err)
		}
		res, err := association.Learn(t.Context(), s.Scans, &association.Options{Sigma: tt.scene.Noise})
		if err != nil {
			t.Fatal(err)
		}
		if res.MaxSpeed < tt.least || res.MaxSpeed > tt.most {
			t.Errorf("%s: the fastest is said to be of %v m/s, want %v to %v", tt.scene.Scene, res.MaxSpeed, tt.least, tt.most)
		}
	}
}
