package learn_test

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/internal/nightly"
	"mtt/metrics"
	"mtt/motion"
	"mtt/scenario"
)

// This file tests that a motion is not chosen for tracks that it has made itself.

// corridor is a crowd that walks through a corridor of 4 m × 14 m both ways, in files: two
// each way, one person every .65 to .85 s, seen every .75 s. So in the next scan about
// everybody is where the person in front was before.
func corridor(seed uint64, people int) (scans []mtt.Scan, truth []mtt.Track) {
	rng := rand.New(rand.NewPCG(seed, 1))
	const length, dt = 14.0, 0.75
	type walker struct {
		x, y, vx, vy float64
		track        int
	}
	var inside []walker
	var next [4]float64 // s: when the next one enters, of each file
	for f := range nightly.Or(50, 100) {
		s := mtt.Scan{Frame: f, Time: float64(f) * dt, Dim: 2}
		kept := inside[:0]
		for _, w := range inside {
			w.vx += 0.05 * rng.NormFloat64() * dt
			w.x, w.y = w.x+w.vx*dt, w.y+w.vy*dt
			if w.y > 0 && w.y < length {
				kept = append(kept, w)
			}
		}
		inside = kept
		for file := range next {
			for ; len(truth) < people && next[file] <= s.Time; next[file] += 0.65 + 0.2*rng.Float64() {
				w := walker{x: 0.5 + float64(file) + 0.1*rng.NormFloat64(), vy: 1.2 + 0.05*rng.NormFloat64(), track: len(truth)}
				w.y = w.vy * (s.Time - next[file])
				if file%2 == 1 {
					w.y, w.vy = length-w.y, -w.vy
				}
				inside = append(inside, w)
				truth = append(truth, mtt.Track{ID: len(truth) + 1, Dim: 2})
			}
		}
		for _, w := range inside {
			tr := &truth[w.track]
			x, y := w.x+0.02*rng.NormFloat64(), w.y+0.02*rng.NormFloat64()
			tr.Hits, tr.Pos = append(tr.Hits, mtt.Hit{Frame: f, Det: s.Len()}), append(tr.Pos, x, y)
			s.Pos = append(s.Pos, x, y)
		}
		scans = append(scans, s)
	}
	return scans, truth
}

// TestMotionOfACrowd: people in files, who arrive where others were, are not taken for
// particles that wander, though a random walk makes tracks that look like one.
func TestMotionOfACrowd(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a dense crowd takes a second")
	}
	for seed := range nightly.Or[uint64](1, 2) {
		scans, truth := corridor(seed, 300)
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		report, err := metrics.Score(truth, res.Tracks, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m := res.Levels.Motion; m != motion.Model(motion.Velocity{}) || report.MMEP > 1 {
			t.Errorf("seed %d: motion %v, %.2f %% of the links wrong", seed, res.Motions, report.MMEP)
		}
	}
}

// TestLittered: where most detections are false, the noise does not swallow them.
func TestLittered(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 1))
	const people, junk = 5, 12
	var x, v [people][2]float64
	for k := range people {
		x[k] = [2]float64{640 * rng.Float64(), 480 * rng.Float64()}
		v[k] = [2]float64{8 * rng.NormFloat64(), 2 * rng.NormFloat64()}
	}
	var scans []mtt.Scan
	for f := range nightly.Or(36, 60) {
		s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for k := range people {
			for d, side := range [2]float64{640, 480} {
				v[k][d] += 0.5 * rng.NormFloat64()
				if x[k][d] += v[k][d]; x[k][d] < 0 || x[k][d] > side {
					v[k][d] = -v[k][d]
				}
			}
			if rng.Float64() < 0.8 {
				s.Pos = append(s.Pos, x[k][0]+4*rng.NormFloat64(), x[k][1]+4*rng.NormFloat64())
			}
		}
		for left := rng.ExpFloat64(); left < junk; left += rng.ExpFloat64() { // a Poisson number
			s.Pos = append(s.Pos, 640*rng.Float64(), 480*rng.Float64())
		}
		scans = append(scans, s)
	}
	res, err := association.Learn(t.Context(), scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	if g := res.Levels; g.Rates.Clutter < 10 || g.Rates.Clutter > 14 || g.Sigma > 10 {
		t.Errorf("of %d false alarms a scan and noise 4, learnt %.1f and %.1f", junk, g.Rates.Clutter, g.Sigma)
	}
}

// TestMotionGiven: where a motion is given none are compared.
func TestMotionGiven(t *testing.T) {
	t.Parallel()
	scans, _ := corridor(1, 30)
	for _, c := range []struct {
		given    motion.Model
		compared bool
	}{{nil, true}, {motion.Velocity{}, false}} {
		res, err := association.Learn(t.Context(), scans, &association.Options{Motion: c.given})
		if err != nil {
			t.Fatal(err)
		}
		if (res.Motions != nil) != c.compared {
			t.Errorf("motion %v: %d were compared", c.given, len(res.Motions))
		}
	}
}

// TestTurns: targets that turn have a model that says so, though their tracks break where it does
// not yet; where nobody turns, false alarms make no turns.
func TestTurns(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("two crowded scenes take seconds")
	}
	cases := []struct {
		name  string
		scene scenario.Config
		turns bool
		most  float64 // percentage of targets that are not perfect
	}{
		{"off walls", scenario.Config{
			Scene: scenario.Bounce, Targets: nightly.Or(40, 60), Frames: nightly.Or(40, 50), Seed: 2, Spread: 12, Births: 0.6, Noise: 0.1, VelocityNoise: 0.1, Miss: 0.05, Clutter: 6}, true, 5},
		{"straight", scenario.Config{ // both seeds show turns where these need not be worth more than chance
			Scene: scenario.Steer, Targets: nightly.Or(30, 56), Frames: nightly.Or(24, 40), Seed: nightly.Or[uint64](3, 2), Noise: 0.1, NoVelocity: true, Miss: 0.2, Clutter: nightly.Or(16., 20)}, false, 70},
	}
	for _, c := range cases {
		scene, err := scenario.Simulate(t.Context(), &c.scene)
		if err != nil {
			t.Fatal(err)
		}
		res, err := association.Track(t.Context(), scene.Scans, &association.Options{Sigma: c.scene.Noise, SigmaV: c.scene.VelocityNoise})
		if err != nil {
			t.Fatal(err)
		}
		report, err := metrics.Score(scene.Truth, res.Tracks, nil)
		if err != nil {
			t.Fatal(err)
		}
		if g := res.Levels; (g.ManoeuvreProb > 0) != c.turns || report.ITCP > c.most {
			t.Errorf("%s: manoeuvres with probability %.3g, %.3g %% of the targets not perfect", c.name, g.ManoeuvreProb, report.ITCP)
		}
	}
}
