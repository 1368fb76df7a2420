package association_test

import (
	"testing"

	"mtt/scenario"
)

// TestFewAmongMany: five precise targets, each amid a cloud of false alarms that goes with it, are
// found: noise as wide as the clouds made targets of all that is in them, and 71 of the 191 links
// were wrong or missing, 567 false.
func TestFewAmongMany(t *testing.T) {
	t.Parallel()
	s, err := scenario.Simulate(t.Context(), &scenario.Config{
		Scene: scenario.Drift, Targets: 5, Frames: 40, Spread: 4.54, Accel: 0.0618, Noise: 0.0246, NoVelocity: true,
		Miss: 0.03, Clutter: 22, ClutterRadius: 4, Seed: 13,
	})
	if err != nil {
		t.Fatal(err)
	}
	res, r := trackAndScore(t, s.Scans, s.Truth)
	if r.MMEP > 2 || r.FalseLinks > 5 {
		t.Errorf("%.1f %% of the links are wrong or missing, %d are false, in %d tracks", r.MMEP, r.FalseLinks, len(res.Tracks))
	}
}
