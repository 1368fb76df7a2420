package association_test

// This file tracks a few fast targets among many slow ones.

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/internal/nightly"
	"mtt/metrics"
	"mtt/scenario"
)

// TestFasterFew: two targets among fifty move sixty times as fast as the others, which say how far
// a successor is. They are found among what is left over. Without that all of their links are
// missing, 4 % of all, with these seeds and some others.
func TestFasterFew(t *testing.T) {
	t.Parallel()
	const targets, fast, side = 52, 2, 150.
	for _, seed := range []uint64{5, 0, 2}[:nightly.Or(1, 3)] {
		rng := rand.New(rand.NewPCG(seed, 9))
		var x, v [targets][2]float64
		truth := make([]mtt.Track, targets)
		for i := range x {
			speed, course := .2, 2*math.Pi*rng.Float64()
			if i < fast {
				speed = 12
			}
			x[i], v[i] = [2]float64{side * rng.Float64(), side * rng.Float64()}, [2]float64{speed * math.Cos(course), speed * math.Sin(course)}
			truth[i] = mtt.Track{ID: i + 1, Dim: 2}
		}
		scans := make([]mtt.Scan, 24)
		for f := range scans {
			s := &scans[f]
			*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for i := range x {
				for k := range v[i] {
					v[i][k] += .05 * math.Hypot(v[i][0], v[i][1]) * rng.NormFloat64()
					if x[i][k] += v[i][k]; x[i][k] < 0 || x[i][k] > side {
						v[i][k] = math.Copysign(v[i][k], side/2-x[i][k])
					}
				}
				if rng.IntN(20) > 0 {
					s.Pos = append(s.Pos, x[i][0]+.2*rng.NormFloat64(), x[i][1]+.2*rng.NormFloat64())
					truth[i].Append(s, s.Len()-1)
				}
			}
			for range 2 {
				s.Pos = append(s.Pos, side*rng.Float64(), side*rng.Float64())
			}
		}
		_, r := trackAndScore(t, scans, truth)
		if r.MMEP > 2 {
			t.Errorf("seed %d: %.1f %% of the links are wrong or missing", seed, r.MMEP)
		}
	}
}

// trackAndScore tracks scans with nothing told, and scores the links.
func trackAndScore(t *testing.T, scans []mtt.Scan, truth []mtt.Track) (*association.Result, *metrics.Report) {
	t.Helper()
	res, err := association.Track(t.Context(), scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := metrics.ScoreContext(t.Context(), truth, res.Tracks, &metrics.Options{Only: metrics.Links})
	if err != nil {
		t.Fatal(err)
	}
	return res, r
}

// TestFasterNone: one false alarm a scan makes a fast track now and then, which is no kind of targets.
func TestFasterNone(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	scans := make([]mtt.Scan, 40)
	for f := range scans {
		s := &scans[f]
		*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for i := range 24 { // in groups of three that stay together, far from others
			if r.Float64() < .02 {
				continue
			}
			x, y := float64(200*(i/3)+3*(i%3)), float64(f)*(1+.1*float64(i%3))
			s.Pos = append(s.Pos, x+.4*r.NormFloat64(), y+.4*r.NormFloat64())
		}
		s.Pos = append(s.Pos, 1600*r.Float64(), 40*r.Float64())
	}
	res, err := association.Track(t.Context(), scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.MaxSpeed > 50 {
		t.Errorf("targets go at 1.1 a scan at most, and %v is learnt", res.MaxSpeed)
	}
}

// TestFasterOne: one target crosses the field in fifteen scans, ten times as fast as all others, and
// nothing else is left over. All of its links were missing: what lies in one scan alone told
// nothing of the density of false alarms, three dozen lines were too few for a standard error, and
// one link in two hundred was no speed.
func TestFasterOne(t *testing.T) {
	t.Parallel()
	const targets, frames, side, noise = 13, 240, 80., .1
	for _, seed := range []uint64{0, 1, 2}[:nightly.Or(1, 3)] {
		rng := rand.New(rand.NewPCG(seed, 11))
		scans, truth := make([]mtt.Scan, frames), make([]mtt.Track, targets)
		var x, v [targets][2]float64
		for i := range x {
			course := 2 * math.Pi * rng.Float64()
			x[i], v[i] = [2]float64{side * rng.Float64(), side * rng.Float64()}, [2]float64{.15 * math.Cos(course), .15 * math.Sin(course)}
			truth[i] = mtt.Track{ID: i + 1, Dim: 2}
		}
		x[0], v[0] = [2]float64{side / 2, 0}, [2]float64{0, 4}
		for f := range scans {
			s := &scans[f]
			*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for i := range x {
				if i == 0 && (f < 30 || f >= 45) {
					continue
				}
				for k := range v[i] {
					if x[i][k] += v[i][k]; i > 0 && (x[i][k] < 0 || x[i][k] > side) {
						v[i][k] = math.Copysign(v[i][k], side/2-x[i][k])
					}
				}
				s.Pos = append(s.Pos, x[i][0]+noise*rng.NormFloat64(), x[i][1]+noise*rng.NormFloat64())
				truth[i].Append(s, s.Len()-1)
			}
		}
		res, r := trackAndScore(t, scans, truth)
		if r.MMEP > 0.2 || len(res.Tracks) != targets {
			t.Errorf("seed %d: %.2f %% of the links are wrong or missing, %d tracks of %d targets", seed, r.MMEP, len(res.Tracks), targets)
		}
	}
}

// TestFasterLater: targets stand in the first third, and then turn so far in each step, among false
// alarms, that no successors show. Levels are learnt from these scans by themselves. Without that
// seven links in ten are missing, all but those of targets that stand.
func TestFasterLater(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand detections, learnt twice")
	}
	t.Parallel()
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{
		Scene: scenario.Turn, Targets: 30, Frames: 30, Still: 10, Interval: 5, Noise: 0.02, NoVelocity: true, Miss: 0.1, Clutter: 15, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, r := trackAndScore(t, scene.Scans, scene.Truth); r.MMEP > 45 || r.FalseLinks > 300 {
		t.Errorf("%.1f %% of the links are wrong or missing, and %d false", r.MMEP, r.FalseLinks)
	}
}
