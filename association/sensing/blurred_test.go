package sensing_test

// This file tracks targets that are seen less precisely in some scans.

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/association"
)

// TestBlurred: in seven of forty scans, the last of them included, noise is twelve times as large as
// in the others. Of one noise for all, with outliers, 36 of 918 links are missing; of seeds 1 to 6
// 251 of 5,562, where 77 are now.
func TestBlurred(t *testing.T) {
	t.Parallel()
	for _, frames := range [][]int{{4, 13, 14, 22, 30, 31, 39}, nil} {
		scans, targets := blurry(1, frames)
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		var found []int
		if b := res.Levels.Blur; b != nil {
			found = b.Frames
			for k, times := range b.Times {
				if times < 6 || times > 24 {
					t.Errorf("noise is %v times as large in frame %d, want 12", times, b.Frames[k])
				}
			}
		}
		if !slices.Equal(found, frames) {
			t.Errorf("scans %v are blurred, want %v", found, frames)
		}
		if lost, links := missing(res.Tracks, targets); 50*lost > links {
			t.Errorf("blurred in %v: %d of %d links are missing, want one in fifty at most", frames, lost, links)
		}
	}
}

// blurry are scans of targets that hardly turn, of which some are blurred, and which hits are of
// which target.
func blurry(seed uint64, frames []int) (scans []mtt.Scan, targets [][]mtt.Hit) {
	const n, count, field, noise = 25, 40, 100., 0.2
	rng := rand.New(rand.NewPCG(seed, 9))
	scans, targets = make([]mtt.Scan, count), make([][]mtt.Hit, n)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
	}
	for i := range n {
		x, v := [2]float64{field * rng.Float64(), field * rng.Float64()}, [2]float64{rng.NormFloat64(), rng.NormFloat64()}
		for f := range scans {
			s, sigma := &scans[f], noise
			if slices.Contains(frames, f) {
				sigma *= 12
			}
			seen := rng.Float64() < 0.95
			if seen {
				targets[i] = append(targets[i], mtt.Hit{Frame: f, Det: s.Len()})
			}
			for d := range x {
				x[d] += v[d]
				v[d] += 0.1 * rng.NormFloat64()
				if e := sigma * rng.NormFloat64(); seen {
					s.Pos = append(s.Pos, x[d]+e)
				}
			}
		}
	}
	for f := range scans {
		for range rng.IntN(3) {
			scans[f].Pos = append(scans[f].Pos, field*rng.Float64(), field*rng.Float64())
		}
	}
	return scans, targets
}
