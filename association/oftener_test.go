package association_test

import (
	"testing"

	"mtt/association"
	"mtt/scenario"
)

// TestOftener: of targets that step half as far as they are apart one detection in five is missed.
// A first pilot finds pieces of tracks, and what counts say of these, that next to nothing is
// missed and a target in six leaves in each scan, is doubted.
func TestOftener(t *testing.T) {
	t.Parallel()
	s, err := scenario.Simulate(t.Context(), &scenario.Config{
		Scene: scenario.Flow, Targets: 6, Frames: 40, Dim: 2, Step: 0.51, Noise: 0.03, NoVelocity: true, Miss: 0.2, Clutter: 1.2, Seed: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	res, err := association.Track(t.Context(), s.Scans, &association.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r := &res.Levels.Rates; r.Detect > 0.97 || r.Survive < 0.85 {
		t.Errorf("of targets %.3f are detected and %.3f stay, of %.3f and %.3f", r.Detect, r.Survive, 0.8, 0.9)
	}
}
