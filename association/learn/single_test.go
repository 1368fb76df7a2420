package learn_test

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
)

// TestAlone: a target that is alone and missed now and then is one track, whatever the unit of
// length. No scan has two detections, so none says by itself how wide the field is.
func TestAlone(t *testing.T) {
	t.Parallel()
	for _, unit := range []float64{1e-3, 1, 1e3} {
		for _, seen := range []float64{0.5, 0.8} {
			rng := rand.New(rand.NewPCG(1, 2))
			scans, hits := make([]mtt.Scan, 300), 0
			for k := range scans {
				at := float64(k)
				scans[k] = mtt.Scan{Frame: k, Time: at, Dim: 2}
				if rng.Float64() < seen {
					scans[k].Pos = []float64{unit * (0.7*at + 0.3*rng.NormFloat64()), unit * (0.3*at + 0.3*rng.NormFloat64())}
					hits++
				}
			}
			res, err := association.Track(t.Context(), scans, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Tracks) != 1 || len(res.Tracks[0].Hits) != hits {
				t.Errorf("unit %v, seen in %v: %d tracks, want one of %d detections", unit, seen, len(res.Tracks), hits)
			}
		}
	}
}
