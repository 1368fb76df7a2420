package online_test

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/association/online"
	"mtt/metrics"
	"mtt/motion"
	"mtt/scenario"
)

// TestWhole: where a warm-up ends with the scans, and nobody waits, it is learnt how whole tracks turn.
func TestWhole(t *testing.T) {
	t.Parallel()
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Steer, Targets: 80, Frames: 30, Noise: 0.1, NoVelocity: true, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	learnt, with := wrong(t, scene, online.Of(&association.Options{}, 3))
	if learnt.Levels.Whole == nil {
		t.Fatal("nothing was learnt of whole tracks")
	}
	levels := *learnt.Levels
	levels.Whole = nil
	if _, without := wrong(t, scene, online.Of(&association.Options{Levels: &levels}, 3)); with > 0.8*without {
		t.Errorf("%.2f %% of the links are wrong, without what whole tracks tell %.2f", with, without)
	} else {
		t.Logf("%.2f and %.2f %%", with, without)
	}
}

// wrong tracks a scene, and says how many of the links are wrong or missing, in percent.
func wrong(t *testing.T, scene *scenario.Scene, o *online.Options) (*online.Result, float64) {
	t.Helper()
	res, err := online.Track(t.Context(), scene.Scans, o)
	if err != nil {
		t.Fatal(err)
	}
	score, err := metrics.Score(scene.Truth, res.Tracks, &metrics.Options{Only: metrics.Links})
	if err != nil {
		t.Fatal(err)
	}
	return res, score.MMEP
}

// TestWholeOutliers: what whole tracks tell may be that one position of twenty is far off. Links of
// targets on straight lines, a tenth of them missed, are settled after three more scans; most of those
// far off are false alarms, or end tracks, where nothing is known of them.
func TestWholeOutliers(t *testing.T) {
	t.Parallel()
	const n, frames, field, noise, share, times, miss = 20, 60, 40., 0.3, 0.05, 5, 0.1
	rng := rand.New(rand.NewPCG(1, 5))
	scans, truth := make([]mtt.Scan, frames), make([]mtt.Track, n)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
	}
	for i := range truth {
		truth[i] = mtt.Track{ID: i + 1, Dim: 2}
		x, v := [2]float64{field * rng.Float64(), field * rng.Float64()}, [2]float64{0.3 * rng.NormFloat64(), 0.3 * rng.NormFloat64()}
		for f := range scans {
			s, sigma := &scans[f], noise
			if rng.Float64() < share {
				sigma *= times
			}
			if rng.Float64() >= miss {
				for d := range x {
					s.Pos = append(s.Pos, x[d]+sigma*rng.NormFloat64())
				}
				truth[i].Append(s, s.Len()-1)
			}
			x[0], x[1] = x[0]+v[0], x[1]+v[1]
		}
	}
	missing := func(scans []mtt.Scan, o *association.Options) float64 {
		res, err := online.Track(t.Context(), scans, online.Of(o, 3))
		if err != nil {
			t.Fatal(err)
		}
		score, err := metrics.Score(truth, res.Tracks, &metrics.Options{Only: metrics.Links})
		if err != nil {
			t.Fatal(err)
		}
		return score.MMEP
	}
	all, err := association.Track(t.Context(), scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w := all.Levels.Whole; w == nil || w.OutlierProb == 0 {
		t.Fatalf("of whole tracks this was learnt: %+v", w)
	}
	levels := *all.Levels
	levels.Whole = nil
	with, without := missing(scans, &association.Options{Levels: all.Levels}), missing(scans, &association.Options{Levels: &levels})
	if with > 0.9*without {
		t.Errorf("%.2f %% of the links are missing, without outliers %.2f", with, without)
	}
	missing(scans[:30], &association.Options{}) // learnt as they come
}

// TestSteered: of a stream that goes on after the warm-up it is learnt how targets turn, then and
// later, with which fewer links are wrong.
func TestSteered(t *testing.T) {
	t.Parallel()
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Turn, Targets: 40, Frames: 90, Noise: 0.1, NoVelocity: true, Miss: 0.05, Clutter: 2, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	learnt, with := wrong(t, scene, &online.Options{Lag: 3, Sigma: 0.1})
	if w := learnt.Levels.Whole; w == nil || w.Motion != motion.Model(motion.Turn{}) || len(learnt.Latency) < 20 {
		t.Fatalf("in %d steps after the warm-up %+v was learnt", len(learnt.Latency), w)
	}
	levels := *learnt.Levels
	levels.Whole = nil
	if _, without := wrong(t, scene, &online.Options{Lag: 3, Levels: &levels}); with > 0.8*without {
		t.Errorf("%.2f %% of the links are wrong, without what tracks tell of turns %.2f", with, without)
	} else {
		t.Logf("%.2f and %.2f %%", with, without)
	}
}
