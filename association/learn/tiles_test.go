package learn_test

import (
	"math"
	"sync/atomic"
	"testing"

	"mtt/association"
	"mtt/costgen"
	"mtt/internal/nightly"
	"mtt/scenario"
)

// This file tests what is learnt from parts of space.

// TestTiles learns from scans that are so large that tiles stand for them: the levels are those that
// were simulated, targets that leave a tile are not taken for dead, and numbers are those of the whole.
// Tolerances of rates are some four standard errors of the counts in the cores of the tiles.
// Targets that are seen once are among the false alarms.
func TestTiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("scenes of a hundred thousand detections")
	}
	const targets = 9000
	scene := func(c scenario.Config) *association.Result {
		t.Helper()
		c.Scene, c.Targets, c.Frames, c.Noise, c.VelocityNoise = scenario.Drift, targets, 14, 0.1, 0.1
		s, err := scenario.Simulate(t.Context(), &c)
		if err != nil {
			t.Fatal(err)
		}
		opts := &association.Options{}
		if c.Clutter > 0 {
			opts.Rates = &costgen.Rates{Clutter: c.Clutter}
		}
		res, err := association.Learn(t.Context(), s.Scans, opts)
		if err != nil {
			t.Fatal(err)
		}
		if g := res.Levels; math.Abs(g.Sigma-0.1) > 0.005 || math.Abs(g.SigmaV-0.1) > 0.005 {
			t.Errorf("noise %v and %v, want .1", g.Sigma, g.SigmaV)
		}
		return res
	}
	for _, clutter := range nightly.Or([]float64{900}, []float64{0, 900}) {
		res := scene(scenario.Config{Miss: 0.05, Births: 180, Clutter: clutter, ClutterRadius: 0, Seed: 3})
		r := res.Levels.Rates
		for _, v := range []struct {
			name           string
			got, want, tol float64
		}{
			{"detect", r.Detect, 0.95, 0.01}, {"survive", r.Survive, 0.98, 0.006}, {"births", r.Births, 180, 60}, {"targets", r.Targets, targets, 0.1 * targets},
			{"clutter", r.Clutter, clutter, 60},
		} {
			if math.Abs(v.got-v.want) > v.tol {
				t.Errorf("clutter %v: %s is learnt as %.4g, want %.4g", clutter, v.name, v.got, v.want)
			}
		}
		if clutter > 0 && math.Abs(r.Clutter-clutter) > 1e-9*clutter {
			t.Errorf("%v false alarms a scan, said were %v", r.Clutter, clutter)
		}
	}
	if res := scene(scenario.Config{Seed: 4}); res.Coasts || res.Levels.Rates.Births > 1e-9 {
		t.Errorf("where nothing is missed or born: misses %v, %v births", res.Coasts, res.Levels.Rates.Births)
	}
	// As many come as go in a box that is periodic.
	s, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Flow, Dim: 3, Step: 0.6, Targets: targets, Frames: 14, Noise: 0.1, VelocityNoise: 0.1, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	res, err := association.Learn(t.Context(), s.Scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	come := float64(len(s.Truth)-targets) / 13
	if r := res.Levels.Rates; math.Abs(r.Births-come) > 0.25*come || math.Abs(r.Targets*(1-r.Survive)-r.Births) > 1e-9*come {
		t.Errorf("%v births and %v ends are learnt, %v come and go in a scan", r.Births, r.Targets*(1-r.Survive), come)
	}
}

// TestTilesSpread learns from targets that fly apart: where they begin nearly all cross a tile of
// four hundred in a step, and what is learnt there, or that there is nothing to learn, is of others
// that came in. With tiles of the first scan these were learnt with accelerations of 1.6 m/s^1.5
// and velocities that fall back to zero; their velocities change by .008 to .05 m/s a step.
func TestTilesSpread(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a scene of three hundred thousand detections")
	}
	for _, seed := range nightly.Or([]uint64{1}, []uint64{1, 2, 3, 4, 5}) {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{Targets: 10_000, Frames: 30, Noise: 0.1, VelocityNoise: 0.1, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		res, err := association.Learn(t.Context(), scene.Scans, &association.Options{Sigma: 0.1, SigmaV: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		if g := res.Levels; g.Accel < 0.01 || g.Accel > 0.15 || g.ManoeuvreProb > 0 || g.Revert > 0 {
			t.Errorf("seed %d: motion is learnt as %v, acceleration %v, manoeuvres %v", seed, g.Motion, g.Accel, g.ManoeuvreProb)
		}
	}
}

// TestTilesEdges learns from targets that keep their course: one that leaves a tile and one that
// comes in beside it are not taken for one that turns, which took pilots with manoeuvres, and two
// thirds of the time.
func TestTilesEdges(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Arena, Targets: 9000, Frames: 14, Noise: 0.1, VelocityNoise: 0.1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var done association.Work
	_, err = association.Learn(t.Context(), scene.Scans, &association.Options{Sigma: 0.1, SigmaV: 0.1, Piloted: func(w association.Work) {
		done.Hits, done.Turning = done.Hits+w.Hits, done.Turning+w.Turning
	}})
	if err != nil {
		t.Fatal(err)
	}
	if done.Hits == 0 || done.Turning > 0 {
		t.Errorf("levels with manoeuvres are fitted to %d hits, and to %d without", done.Turning, done.Hits)
	}
}

// TestLarge learns from scans of which a dozen have more detections than are learnt from, but not so
// many that nothing but tiles stands for them: the levels are those that were simulated, numbers are
// counted in whole scans, and pilots track these twice. Learnt from whole, 77 pairs are weighed for each
// detection of a dozen scans where velocities are measured; where they are not, 541 from four tiles.
func TestLarge(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("scenes of sixty thousand detections")
	}
	const targets = 4000
	for _, test := range []struct {
		noVelocity      bool
		noise, velocity float64 // as far off as they may be
		pairs           float64
	}{
		{false, 0.003, 0.003, 50},
		{true, 0.006, 0.1, 250},
	} {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Drift, Targets: targets, Frames: 14, Noise: 0.1, VelocityNoise: 0.1, NoVelocity: test.noVelocity, Miss: 0.05, Births: 80, Clutter: 400, Seed: 3,
		})
		if err != nil {
			t.Fatal(err)
		}
		var piloted atomic.Int64
		res, err := association.Learn(t.Context(), scene.Scans, &association.Options{Piloted: func(w association.Work) { piloted.Add(int64(w.Pairs)) }})
		if err != nil {
			t.Fatal(err)
		}
		g := res.Levels
		for _, v := range []struct {
			name           string
			got, want, tol float64
		}{
			{"noise", g.Sigma, 0.1, test.noise}, {"velocity noise", g.SigmaV, 0.1, test.velocity}, {"detect", g.Rates.Detect, 0.95, 0.01}, {"survive", g.Rates.Survive, 0.98, 0.006},
			{"births", g.Rates.Births, 80, 30}, {"targets", g.Rates.Targets, targets, 0.03 * targets}, {"clutter", g.Rates.Clutter, 400, 40},
		} {
			if math.Abs(v.got-v.want) > v.tol {
				t.Errorf("no velocities %v: %s is learnt as %.4g, want %.4g", test.noVelocity, v.name, v.got, v.want)
			}
		}
		dozen := 0
		for _, s := range scene.Scans[:12] {
			dozen += s.Len()
		}
		if pairs := float64(piloted.Load()) / float64(dozen); pairs > test.pairs {
			t.Errorf("no velocities %v: pilots weighed %.0f pairs for each detection of a dozen scans, want %v at most", test.noVelocity, pairs, test.pairs)
		}
	}
}
