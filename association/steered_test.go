package association_test

// This file tracks targets that turn or accelerate for some time.

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/internal/nightly"
	"mtt/metrics"
	"mtt/motion"
	"mtt/scenario"
)

// steeredScene is a dense scene of targets that go round, are pulled towards a point, or stand for half
// of the time and then go straight on.
func steeredScene(kind string, seed uint64) (scans []mtt.Scan, truth []mtt.Track) {
	const targets, frames, field, noise, fine = 20, 40, 9, 0.1, 20
	rng := rand.New(rand.NewPCG(seed, 21))
	scans, truth = make([]mtt.Scan, frames), make([]mtt.Track, targets)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
	}
	for i := range truth {
		truth[i] = mtt.Track{ID: i + 1, Dim: 2}
		x, y := field*(rng.Float64()-0.5), field*(rng.Float64()-0.5)
		s, c := math.Sincos(2 * math.Pi * rng.Float64())
		speed, rate := 0.5+rng.Float64(), (0.2+0.4*rng.Float64())*float64(1-2*rng.IntN(2))
		v, w := speed*c, speed*s
		for f := range frames {
			if rng.Float64() < 0.95 {
				truth[i].Hits = append(truth[i].Hits, mtt.Hit{Frame: f, Det: scans[f].Len()})
				px, py := x+noise*rng.NormFloat64(), y+noise*rng.NormFloat64()
				scans[f].Pos = append(scans[f].Pos, px, py)
				truth[i].Pos = append(truth[i].Pos, px, py)
			}
			for range fine {
				var ax, ay float64
				switch {
				case kind == "circles":
					ax, ay = -rate*w, rate*v
				case kind == "springs":
					ax, ay = -0.05*x, -0.05*y
				case f < frames/2:
					continue
				}
				x, y = x+v/fine, y+w/fine
				v, w = v+ax/fine, w+ay/fine
			}
		}
	}
	return scans, truth
}

// TestSteered: where turns or pulls last the motion that remembers them is found out. Of turns it saves a
// third of the wrong and false links at least. What is said stays, and targets that stood and go
// off keep their tracks.
func TestSteered(t *testing.T) {
	t.Parallel()
	const seeds = 2
	for _, kind := range []string{"circles", "springs", "standing"} {
		wrong, before, steered := 0, 0, 0
		for seed := range uint64(seeds) {
			scans, truth := steeredScene(kind, seed)
			count := func(opts *association.Options) *association.Result {
				res, err := association.Track(t.Context(), scans, opts)
				if err != nil {
					t.Fatal(err)
				}
				return res
			}
			errors := func(res *association.Result) int {
				s, err := metrics.Score(truth, res.Tracks, nil)
				if err != nil {
					t.Fatal(err)
				}
				return s.FalseLinks + s.WrongLinks + s.MissingLinks
			}
			res := count(&association.Options{})
			wrong += errors(res)
			if w := res.Levels.Whole; w != nil && (w.Motion == motion.Model(motion.Turn{}) || w.Motion == motion.Model(motion.Singer{})) {
				steered++
			}
			said := *res.Levels
			said.Whole = nil
			plain := count(&association.Options{Levels: &said})
			if plain.Levels.Whole != nil {
				t.Errorf("%s, seed %d: levels that were said are %+v", kind, seed, plain.Levels.Whole)
			}
			before += errors(plain)
		}
		t.Logf("%s: %d wrong or false links, %d without; steered %d", kind, wrong, before, steered)
		switch {
		case kind == "circles" && (steered < seeds || 3*wrong > 2*before):
			t.Errorf("%s: %d wrong or false links, %d without; want two thirds; steered %d of %d scenes", kind, wrong, before, steered, seeds)
		case kind == "springs" && (steered == 0 || 10*wrong > 11*before):
			t.Errorf("%s: %d wrong or false links, %d without; steered %d of %d scenes", kind, wrong, before, steered, seeds)
		case kind == "standing" && (steered > 0 || wrong != before):
			t.Errorf("%s: %d wrong or false links, %d without; steered %d scenes", kind, wrong, before, steered)
		}
	}
}

// TestPulled: along curves that bend by less than the noise in a step an acceleration that lasts is found
// out, and saves wrong links; where acceleration is white noise, or none, it is not.
func TestPulled(t *testing.T) {
	t.Parallel()
	seeds := nightly.Or(2, 4)
	for _, test := range []struct {
		config scenario.Config
		kept   int
	}{
		{scenario.Config{Scene: scenario.Burst, Dim: 3, Noise: 0.1, NoVelocity: true}, seeds},
		{scenario.Config{Scene: scenario.Drift, Noise: 0.1, VelocityNoise: 0.1}, 0},
		{scenario.Config{Scene: scenario.Drift, Noise: 0.1, VelocityNoise: 0.1, Accel: 1e-6}, 0},
	} {
		kept, lost, before := 0, 0, 0
		for seed := range uint64(seeds) {
			c := test.config
			c.Seed, c.Targets, c.Frames = seed+1, 60, 40
			scene, err := scenario.Simulate(t.Context(), &c)
			if err != nil {
				t.Fatal(err)
			}
			wrong := func(opts *association.Options) int {
				res, err := association.Track(t.Context(), scene.Scans, opts)
				if err != nil {
					t.Fatal(err)
				}
				s, err := metrics.Score(scene.Truth, res.Tracks, nil)
				if err != nil {
					t.Fatal(err)
				}
				if w := res.Levels.Whole; w != nil && w.Motion == motion.Model(motion.Singer{}) {
					kept++
				}
				return s.FalseLinks + s.WrongLinks + s.MissingLinks
			}
			lost += wrong(&association.Options{})
			before += wrong(&association.Options{Motion: motion.Velocity{}})
		}
		t.Logf("%s: %d wrong or false links, %d without; kept in %d scenes", test.config.Scene, lost, before, kept)
		if kept != test.kept || test.kept > 0 && 10*lost > 9*before || lost > before {
			t.Errorf("%s: %d wrong or false links, %d without; kept in %d of %d scenes, want %d", test.config.Scene, lost, before, kept, seeds, test.kept)
		}
	}
}

// TestLines: nothing is pulled that is where a straight line has it to the last digit, as in a
// recording that was annotated in its first and last picture: noise below what it is said to be at
// least is no sign of it.
func TestLines(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 1))
	const targets, frames = 20, 60
	scans := make([]mtt.Scan, frames)
	for i := range targets {
		x, y, v, w := 500*rng.Float64(), 500*rng.Float64(), 3*rng.NormFloat64(), 3*rng.NormFloat64()
		for f := range scans {
			if i == 0 {
				scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			}
			scans[f].Pos = append(scans[f].Pos, x+v*float64(f), y+w*float64(f))
		}
	}
	res, err := association.Track(t.Context(), scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w := res.Levels.Whole; w != nil && w.Motion != res.Levels.Motion {
		t.Errorf("whole tracks move as %s: accelerations of %g m/s² that fall back at %g 1/s", w.Motion.Name(), w.AccelStd, w.AccelRevert)
	}
	if len(res.Tracks) != targets {
		t.Errorf("%d tracks of %d targets", len(res.Tracks), targets)
	}
}
