package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// TestLinesFew: a target that goes straight, alone in each of its scans, shows among all that is
// left over of a long recording; as many detections anywhere in as many scans in a row show none.
func TestLinesFew(t *testing.T) {
	for _, dim := range []int{2, 3} {
		found := 0
		for seed := range uint64(40) {
			r := rand.New(rand.NewPCG(seed, 7))
			for _, straight := range []bool{true, false} {
				scans := make([]mtt.Scan, 200)
				for f := range scans {
					scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: dim}
					if f < 50 || f >= 65 {
						continue
					}
					for k := range dim {
						x := 80 * r.Float64()
						if straight {
							x = 4*float64(f-50)/math.Sqrt(float64(k+1)) + .2*r.NormFloat64()
						}
						scans[f].Pos = append(scans[f].Pos, x)
					}
				}
				switch tracks := lines(scans); {
				case straight && (len(tracks) != 1 || len(tracks[0].Hits) != 15):
					t.Errorf("%d axes, seed %d: %d tracks, want one of 15 detections", dim, seed, len(tracks))
				case !straight && len(tracks) > 0:
					found++
				}
			}
		}
		if found > 0 {
			t.Errorf("%d axes: tracks of chance in %d of 40 scenes", dim, found)
		}
	}
}

// TestAtLeast compares with sums of all outcomes of few trials.
func TestAtLeast(t *testing.T) {
	const n, p = 9, 1 / 3.
	for k := range n + 1 {
		sum := 0.0
		for outcome := range 1 << n {
			chance, hits := 1.0, 0
			for b := range n {
				if outcome>>b&1 == 1 {
					chance, hits = chance*p, hits+1
				} else {
					chance *= 1 - p
				}
			}
			if hits >= k {
				sum += chance
			}
		}
		if got := atLeast(k, n, p); math.Abs(got-sum) > 1e-12 {
			t.Errorf("%d or more of %d: %v, want %v", k, n, got, sum)
		}
	}
}
