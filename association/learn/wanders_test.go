package learn

import (
	"testing"

	"mtt/scenario"
)

// TestWanders: a thousand targets wander in a random walk only. Of so many a look at some pairs
// sees two dozen, of which chance says either. With a quarter missed, and as many false, half of
// all do not have successors, and of those of a walk half would say that they keep their course.
func TestWanders(t *testing.T) {
	t.Parallel()
	const seeds = 12
	for scene, walks := range map[scenario.Kind]bool{scenario.Steer: false, scenario.Drift: false, scenario.Walk: true} {
		for seed := range uint64(seeds) {
			c := scenario.Config{Scene: scene, Targets: 1000, Frames: 12, Noise: 0.1, Seed: seed, NoVelocity: true}
			if seed%2 == 1 {
				c.Frames, c.Miss, c.Clutter, c.Seed = 30, 0.25, 250, 900+seed/2
			}
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
