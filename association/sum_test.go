package association

import (
	"math"
	"testing"

	"mtt/association/learn"
	"mtt/costgen"
	"mtt/scenario"
)

// TestSum: all ways to join detections together cost as much as the best one where there is no
// doubt, and less by nats where they move as far as to the next target.
func TestSum(t *testing.T) {
	for _, tt := range []struct {
		step        float64 // of the distance between targets
		least, most float64 // nat that the other ways add, for each detection
	}{{0.02, 0, 0.01}, {0.6, 0.05, 1}} {
		s, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Walk, Targets: 20, Frames: 10, Seed: 1, Step: tt.step, NoVelocity: true, Noise: 0.01, Miss: 0.1, Clutter: 4})
		if err != nil {
			t.Fatal(err)
		}
		found, err := Track(t.Context(), s.Scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := &run{}
		if err := r.complete(); err != nil {
			t.Fatal(err)
		}
		m := &learn.Model{Cost: &costgen.Gaussian{Levels: *found.Levels}, Levels: found.Levels, Gate: found.Gate, MaxSpeed: found.MaxSpeed, Coasts: found.Coasts}
		_, best, err := r.Track(t.Context(), s.Scans, m)
		if err != nil {
			t.Fatal(err)
		}
		_, all, err := r.Sum(t.Context(), s.Scans, m)
		if err != nil {
			t.Fatal(err)
		}
		if added := (best - all) / 200; math.IsNaN(added) || added < tt.least-1e-9 || added > tt.most {
			t.Errorf("steps of %v: %v nat for each detection, want %v to %v", tt.step, added, tt.least, tt.most)
		}
	}
}
