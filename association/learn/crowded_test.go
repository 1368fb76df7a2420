package learn

import (
	"testing"

	"mtt"
	"mtt/scenario"
)

// TestCrowded: the first scans of targets that set out from one place are a crowd, but not where
// velocities are measured, nor are those of targets that stay as dense as they were; and the last
// scans are never counted.
func TestCrowded(t *testing.T) {
	const last = 12
	for _, test := range []struct {
		scenario.Config
		least, most int
	}{
		{scenario.Config{Scene: scenario.Burst, NoVelocity: true}, 5, 9},
		{scenario.Config{Scene: scenario.Burst, NoVelocity: true, Miss: 0.1, Clutter: 10}, 5, 9},
		{scenario.Config{Scene: scenario.Burst, NoVelocity: true, Dim: 3}, 5, 9},
		{scenario.Config{Scene: scenario.Burst}, 0, 0},
		{scenario.Config{Scene: scenario.Steer, NoVelocity: true}, 0, 0},
		{scenario.Config{Scene: scenario.Bounce, NoVelocity: true, Miss: 0.1, Clutter: 10}, 0, 0},
	} {
		test.Targets, test.Frames, test.Noise, test.Seed = 100, 21, 0.1, 1
		scene, err := scenario.Simulate(t.Context(), &test.Config)
		if err != nil {
			t.Fatal(err)
		}
		if n := Crowded(scene.Scans, last); n < test.least || n > test.most {
			t.Errorf("%+v: %d scans are of a crowd, want %d to %d", test.Config, n, test.least, test.most)
		}
		if n := Crowded(scene.Scans[:last], last); n != 0 {
			t.Errorf("%+v: of the last scans %d are of a crowd", test.Config, n)
		}
	}
	for _, detections := range []int{0, 1} { // of which no two are apart
		scans := make([]mtt.Scan, 20)
		for s := range scans {
			scans[s] = mtt.Scan{Frame: s, Time: float64(s), Dim: 2, Pos: make([]float64, 2*detections)}
		}
		scans[0].Pos = []float64{1, 1, 2, 2}
		if n := Crowded(scans, last); n != 0 {
			t.Errorf("%d detections a scan: %d scans are of a crowd", detections, n)
		}
	}
}
