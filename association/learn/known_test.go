package learn_test

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
)

// TestKnownStay: levels that are given are those of the answer, also where no track is found and
// where detections lie so far apart that what is begun with would put them down to the rounding of
// what is learnt.
func TestKnownStay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	scans := make([]mtt.Scan, 40)
	for k := range scans {
		scans[k] = mtt.Scan{Frame: k, Time: float64(k), Dim: 2, Pos: []float64{1e5 * r.Float64(), 1e5 * r.Float64(), 1e5 * r.Float64(), 1e5 * r.Float64()}}
	}
	got, err := association.Learn(t.Context(), scans, &association.Options{Sigma: 0.5, Accel: 0.02, MaxSpeed: 15})
	if err != nil {
		t.Fatal(err)
	}
	if g := got.Levels; g.Sigma != 0.5 || g.Accel != 0.02 {
		t.Errorf("noise %v and acceleration %v are said to be 0.5 and 0.02", g.Sigma, g.Accel)
	}
	if s := got.Levels.SpeedStd; s > 50 {
		t.Errorf("targets no faster than 15 m/s are begun with at %v m/s", s)
	}
}
