package learn_test

import (
	"testing"

	"mtt/association"
	"mtt/motion"
	"mtt/scenario"
)

// TestHastyTails: a hasty lesson looks for manoeuvres, but not for their tails, in which most of
// its work was spent.
func TestHastyTails(t *testing.T) {
	t.Parallel()
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Targets: 40, Frames: 10, Noise: 0.1, NoVelocity: true, Miss: 0.1, Clutter: 5, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	sought := [2]int{}
	for n, hasty := range []bool{false, true} {
		if _, err := association.Learn(t.Context(), scene.Scans, &association.Options{Hasty: hasty, Isotropic: true, Motion: motion.Velocity{}, Workers: 1, Piloted: func(w association.Work) {
			sought[n] = max(sought[n], w.Sought)
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if sought[1] > 400 || sought[0] <= 400 {
		t.Errorf("manoeuvres are sought in %d hits, by a hasty lesson in %d, of 400", sought[0], sought[1])
	}
}
