package learn

import (
	"testing"

	"mtt/scenario"
)

// TestWanders: a thousand targets wander in a random walk only. Of so many a look at some pairs
// sees two dozen, of which chance says either.
func TestWanders(t *testing.T) {
	const seeds = 6
	for scene, walks := range map[scenario.Kind]bool{scenario.Steer: false, scenario.Drift: false, scenario.Walk: true} {
		for seed := range uint64(seeds) {
			c := scenario.Config{Scene: scene, Targets: 1000, Frames: 12, Noise: 0.1, Seed: seed, NoVelocity: true}
			s, err := scenario.Simulate(t.Context(), &c)
			if err != nil {
				t.Fatal(err)
			}
			l := newLearner(s.Scans, &Options{}, nil, true)
			if got := l.wanders(); got != walks {
				t.Errorf("%s, seed %d: targets wander: %v, want %v", scene, seed, got, walks)
			}
		}
	}
}
