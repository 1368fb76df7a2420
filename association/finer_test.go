package association_test

// This file tracks a few targets that are seen a dozen times each among false alarms.

import (
	"math/rand/v2"
	"testing"

	"mtt"
)

// TestFiner: three targets that walk through a hall one after the other, a fifth of the detections
// missing, among one false alarm in each scan, are found. What chance made of the length that
// learning begins with left no track of these seeds, and of no other of the first sixty.
func TestFiner(t *testing.T) {
	t.Parallel()
	const frames, targets = 55, 3
	for _, seed := range []uint64{3, 50, 56} {
		rng := rand.New(rand.NewPCG(seed, 43))
		truth := make([]mtt.Track, targets)
		scans := make([]mtt.Scan, frames)
		for f := range scans {
			s := &scans[f]
			*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for i := range truth {
				begin := 12 * i
				if f >= begin && f < begin+12 && rng.IntN(5) > 0 {
					truth[i].ID, truth[i].Dim = i+1, 2
					s.Pos = append(s.Pos, 8*float64(f-begin)+.2*rng.NormFloat64(), 20+30*float64(i)+.2*rng.NormFloat64())
					truth[i].Append(s, s.Len()-1)
				}
			}
			for range rng.IntN(3) {
				s.Pos = append(s.Pos, 100*rng.Float64(), 100*rng.Float64())
			}
		}
		res, r := trackAndScore(t, scans, truth)
		if r.MMEP > 5 || r.FalseLinks > 2 || len(res.Tracks) != targets {
			t.Errorf("seed %d: %.1f %% of the links are wrong or missing, %d are false, in %d tracks of %d targets", seed, r.MMEP, r.FalseLinks, len(res.Tracks), targets)
		}
	}
}
