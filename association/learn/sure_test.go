package learn

import (
	"math/rand/v2"
	"testing"

	"mtt"
)

// This file tests which detections are surely false by their confidence.

// persons are ten targets in rows, seen in nine of ten scans with noise, and false alarms between
// them, with confidences.
func persons(false int, right, wrong func(rng *rand.Rand) float64) (scans []mtt.Scan, targets int) {
	rng := rand.New(rand.NewPCG(2, 2))
	for f := range 40 {
		s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for k := range 10 {
			if rng.Float64() < 0.9 {
				s.Pos = append(s.Pos, float64(f)+rng.NormFloat64()/5, 10*float64(k)+rng.NormFloat64()/5)
				s.Conf = append(s.Conf, right(rng))
			}
		}
		targets += s.Len()
		for range false {
			s.Pos = append(s.Pos, 40*rng.Float64(), 100*rng.Float64())
			s.Conf = append(s.Conf, wrong(rng))
		}
		scans = append(scans, s)
	}
	return scans, targets
}

func TestSure(t *testing.T) {
	low := func(rng *rand.Rand) float64 { return 0.2 * rng.Float64() }
	some := func(rng *rand.Rand) float64 { return 0.1 + 0.9*rng.Float64() }
	high := func(rng *rand.Rand) float64 { return 0.5 + 0.5*rng.Float64() }
	any := func(rng *rand.Rand) float64 { return rng.Float64() }
	same := func(*rand.Rand) float64 { return 1 }
	tests := []struct {
		name         string
		false        int
		right, wrong func(rng *rand.Rand) float64
		least, most  float64 // share of the targets' detections that is left; 0: nothing is left out
	}{
		{"apart", 20, high, low, 0.98, 1.02},
		{"overlapping", 20, some, low, 0.9, 1.8},
		{"confidence tells nothing", 20, any, any, 0, 0},
		{"all alike", 20, same, same, 0, 0},
		{"few are false", 1, high, low, 0, 0},
		{"none is false", 0, any, low, 0, 0},
	}
	for _, tt := range tests {
		scans, targets := persons(tt.false, tt.right, tt.wrong)
		left, _ := sure(scans)
		if left == nil {
			if tt.most > 0 {
				t.Errorf("%s: nothing is left out", tt.name)
			}
			continue
		}
		if share := count(left) / float64(targets); share < tt.least || share > tt.most {
			t.Errorf("%s: %v of %v detections are left, of which %d are of targets", tt.name, count(left), count(scans), targets)
		}
	}
	scans, _ := persons(20, high, low)
	for t := range scans {
		scans[t].Conf = nil
	}
	if left, _ := sure(scans); left != nil {
		t.Error("detections without confidence are left out")
	}
}

// TestSureOfNothing: where nothing shows that there are targets, nothing is surely false. Formerly all
// but the most confident detection was.
func TestSureOfNothing(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		scans := make([]mtt.Scan, 6)
		for f := range scans {
			s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for range rng.IntN(4) {
				s.Pos = append(s.Pos, 100*rng.Float64(), 100*rng.Float64())
				s.Conf = append(s.Conf, rng.Float64())
			}
			scans[f] = s
		}
		if left, _ := sure(scans); left != nil && count(left) < 2 {
			t.Errorf("seed %d: %v of %v detections are left", seed, count(left), count(scans))
		}
	}
}
