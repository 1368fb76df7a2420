package association_test

import (
	"testing"

	"mtt/association"
	"mtt/scenario"
)

// TestGateSeconds: gates that learning made and tracking took over count as gates.
func TestGateSeconds(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Steer, Targets: 200, Frames: 100, Noise: 0.1, Seed: 1, NoVelocity: true})
	if err != nil {
		t.Fatal(err)
	}
	res, err := association.Build(t.Context(), scene.Scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	// The counts of what was gated before are looked at in microseconds.
	if s := res.Seconds; s.Gate < 0.002*s.Estimate || s.Estimate <= 0 {
		t.Errorf("%.6f s for gates beside %.3f s for learning", s.Gate, s.Estimate)
	}
}
