package sensing_test

// This file tracks targets of which some positions are far off.

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/internal/nightly"
)

// TestOutliers: targets on straight lines are seen with a noise that is five times as large in one
// detection of twenty, among false alarms. Of one Gaussian these detections are false alarms
// themselves, or tracks end at them. Without them all is as it was.
func TestOutliers(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{0.05, 0} {
		lost, links := 0, 0
		for seed := range nightly.Or[uint64](2, 3) {
			scans, targets := flawed(seed, share)
			res, err := association.Track(t.Context(), scans, nil)
			if err != nil {
				t.Fatal(err)
			}
			of, all := missing(res.Tracks, targets)
			lost, links = lost+of, links+all
			w := res.Levels.Whole
			if (w != nil) != (share > 0) {
				t.Errorf("seed %d: of %v outliers there is %+v", seed, share, w)
			}
			if w != nil && (w.OutlierProb < share/2 || w.OutlierProb > 2*share || w.OutlierTimes < 3 || w.OutlierTimes > 7) {
				t.Errorf("seed %d: %v of the positions have %v times the noise, want %v and 5", seed, w.OutlierProb, w.OutlierTimes, share)
			}
		}
		if most := 0.01; float64(lost) > most*float64(links) {
			t.Errorf("of %v outliers: %d of %d links are missing, want %v at most", share, lost, links, most)
		}
	}
}

// missing is how many links of targets, of which these are the hits, no track has, of how many.
func missing(tracks []mtt.Track, targets [][]mtt.Hit) (lost, links int) {
	got := make(map[[2]mtt.Hit]bool)
	for _, tr := range tracks {
		for k := range len(tr.Hits) - 1 {
			got[[2]mtt.Hit{tr.Hits[k], tr.Hits[k+1]}] = true
		}
	}
	for _, hits := range targets {
		for k := range len(hits) - 1 {
			if links++; !got[[2]mtt.Hit{hits[k], hits[k+1]}] {
				lost++
			}
		}
	}
	return lost, links
}

// flawed are scans of targets on straight lines, some positions of which are far off, and which
// hits are of which target.
func flawed(seed uint64, share float64) (scans []mtt.Scan, targets [][]mtt.Hit) {
	const n, frames, field, noise = 20, 60, 40., 0.3
	rng := rand.New(rand.NewPCG(seed, 5))
	scans, targets = make([]mtt.Scan, frames), make([][]mtt.Hit, n)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
	}
	for i := range n {
		x, v := [2]float64{field * rng.Float64(), field * rng.Float64()}, [2]float64{0.3 * rng.NormFloat64(), 0.3 * rng.NormFloat64()}
		for f := range scans {
			s, sigma := &scans[f], noise
			if rng.Float64() < share {
				sigma *= 5
			}
			targets[i] = append(targets[i], mtt.Hit{Frame: f, Det: s.Len()})
			for d := range x {
				x[d] += v[d]
				v[d] += 0.01 * rng.NormFloat64()
				s.Pos = append(s.Pos, x[d]+sigma*rng.NormFloat64())
			}
		}
	}
	for f := range scans {
		for range rng.IntN(5) {
			scans[f].Pos = append(scans[f].Pos, field*rng.Float64(), field*rng.Float64())
		}
	}
	return scans, targets
}
