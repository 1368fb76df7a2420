package association_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/internal/nightly"
)

// TestReplaced: of nineteen targets, of which half bounce and half rest and jump, each that leaves
// the field is replaced by another, so that all scans have equally many: none is a false alarm. As
// few seemed to be followed by others, a beginning with short links took the rest for false alarms
// all the same: of these seeds 96, 70 and 58 % of the links were wrong or missing; now 24, 29 and 37.
func TestReplaced(t *testing.T) {
	t.Parallel()
	const (
		targets, frames = 19, 16
		side            = 9.
		step            = 1.5
	)
	for _, seed := range []uint64{10, 5, 7}[:nightly.Or(1, 3)] {
		rng := rand.New(rand.NewPCG(seed, 41))
		var x, v [targets][2]float64
		var ids [targets]int
		var truth []mtt.Track
		begin := func(i int) {
			a := 2 * math.Pi * rng.Float64()
			x[i], v[i] = [2]float64{side * rng.Float64(), side * rng.Float64()}, [2]float64{step * math.Cos(a), step * math.Sin(a)}
			ids[i] = len(truth)
			truth = append(truth, mtt.Track{ID: len(truth) + 1, Dim: 2})
		}
		for i := range x {
			begin(i)
		}
		scans := make([]mtt.Scan, frames)
		for f := range scans {
			s := &scans[f]
			*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for i := range x {
				s.Pos = append(s.Pos, x[i][0]+.03*rng.NormFloat64(), x[i][1]+.03*rng.NormFloat64())
				truth[ids[i]].Append(s, s.Len()-1)
				a, jumps := 2*math.Pi*rng.Float64(), rng.Float64()
				switch {
				case i%2 == 0 && jumps < .1:
					v[i] = [2]float64{step * math.Cos(a), step * math.Sin(a)}
				case i%2 == 1 && jumps < .4:
					far := step * (1 + rng.Float64())
					v[i] = [2]float64{far * math.Cos(a), far * math.Sin(a)}
				case i%2 == 1:
					v[i] = [2]float64{}
				}
				x[i][0], x[i][1] = x[i][0]+v[i][0], x[i][1]+v[i][1]
				if min(x[i][0], x[i][1]) < 0 || max(x[i][0], x[i][1]) > side {
					begin(i)
				}
			}
		}
		res, r := trackAndScore(t, scans, truth)
		if r.MMEP > 45 || r.FalseLinks > 60 {
			t.Errorf("seed %d: %.1f %% of the links are wrong or missing, %d are false, in %d tracks of %d targets", seed, r.MMEP, r.FalseLinks, len(res.Tracks), len(truth))
		}
	}
}
