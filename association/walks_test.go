package association_test

// This file tracks targets that walk at random, some of them much farther in a step than others.

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/gating"
	"mtt/internal/nightly"
	"mtt/motion"
)

// TestWalksOfTwoKinds: every third of sixty targets walks ten times as far as the others. A walk
// that begins with steps as long as targets are apart finds the slow ones, and the others pass for
// false alarms; one that begins with tracks of the default finds all: with these seeds 1.3, 1.2
// and .6 % of the links are wrong or missing. Without that the motion is nearly constant velocity,
// and they are 2.7, 4.2 and 1.8 %.
func TestWalksOfTwoKinds(t *testing.T) {
	t.Parallel()
	const targets, side = 60, 130.
	for _, seed := range []uint64{5, 6, 4}[:nightly.Or(1, 3)] {
		rng := rand.New(rand.NewPCG(seed, 10))
		var x [targets][2]float64
		truth := make([]mtt.Track, targets)
		for i := range x {
			x[i] = [2]float64{side * rng.Float64(), side * rng.Float64()}
			truth[i] = mtt.Track{ID: i + 1, Dim: 2}
		}
		scans := make([]mtt.Scan, 60)
		for f := range scans {
			s := &scans[f]
			*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for i := range x {
				step := .3
				if i%3 == 0 {
					step = 3
				}
				for k := range x[i] {
					x[i][k] += step * rng.NormFloat64()
				}
				if rng.IntN(20) > 0 {
					s.Pos = append(s.Pos, x[i][0]+.15*rng.NormFloat64(), x[i][1]+.15*rng.NormFloat64())
					truth[i].Append(s, s.Len()-1)
				}
			}
			s.Pos = append(s.Pos, side*rng.Float64(), side*rng.Float64())
		}
		res, r := trackAndScore(t, scans, truth)
		if res.Levels.Motion != motion.Model(motion.Walk{}) || r.MMEP > 1.5 || len(res.Tracks) > targets+1 {
			t.Errorf("seed %d: motion %T, %.2f %% of the links are wrong or missing, %d tracks", seed, res.Levels.Motion, r.MMEP, len(res.Tracks))
		}
	}
}

// TestWalksInsideMahalanobis: of targets that walk a squared distance in units of the variance is a
// gate, too, though no speed says how far they go; it keeps what the default does.
func TestWalksInsideMahalanobis(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	scans := make([]mtt.Scan, 12)
	var x [6][2]float64
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for i := range x {
			for k := range x[i] {
				x[i][k] += .3*rng.NormFloat64() + float64(10*i*(1-min(f, 1)))
			}
			scans[f].Pos = append(scans[f].Pos, x[i][0]+.1*rng.NormFloat64(), x[i][1]+.1*rng.NormFloat64())
		}
	}
	var tracks [2]int
	for k, gate := range []gating.Gate{nil, gating.Mahalanobis{G: 25}} {
		res, err := association.Track(t.Context(), scans, &association.Options{Motion: motion.Walk{}, Gate: gate})
		if err != nil {
			t.Fatal(err)
		}
		tracks[k] = len(res.Tracks)
	}
	if tracks != [2]int{len(x), len(x)} {
		t.Errorf("%v tracks of %d targets", tracks, len(x))
	}
}
