package online

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/scenario"
)

// TestWarmUpEnds: where a warm-up ends with the scans, the links are those that the engine of all scans
// finds, though a third of what is there is missed, and as much is false.
func TestWarmUpEnds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Steer, Targets: 20, Frames: 20, Spread: 12, Noise: 0.1, NoVelocity: true, Miss: 0.3, Clutter: 8, Seed: 1 + seed})
		if err != nil {
			t.Fatal(err)
		}
		all, err := association.Track(t.Context(), scene.Scans, &association.Options{Sigma: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		along, err := Track(t.Context(), scene.Scans, &Options{Sigma: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := wrongLinks(t, scene.Truth, along.Tracks), wrongLinks(t, scene.Truth, all.Tracks); a > b {
			t.Errorf("seed %d: %.2f %% of the links are wrong, of all scans %.2f", 1+seed, a, b)
		}
	}
}

// TestGoesOn: nobody was missed in a warm-up that ended, and a target that is missed in the scans that
// follow all the same stays one.
func TestGoesOn(t *testing.T) {
	const targets = 80
	rng := rand.New(rand.NewPCG(1, 28))
	k, err := NewTracker(nil)
	if err != nil {
		t.Fatal(err)
	}
	scan := func(f, missed int) {
		s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for n := range targets {
			if n != missed {
				s.Pos = append(s.Pos, float64(f)+0.1*rng.NormFloat64(), 20*float64(n)+0.1*rng.NormFloat64())
			}
		}
		if err := k.Step(t.Context(), &s); err != nil {
			t.Fatal(err)
		}
	}
	flush := func() int {
		if err := k.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		return len(slices.Collect(k.Tracks()))
	}
	for f := range 12 {
		scan(f, -1)
	}
	if n := flush(); n != targets {
		t.Fatalf("%d tracks of %d targets", n, targets)
	}
	for f := 12; f < 26; f++ {
		scan(f, f-12)
	}
	if n := flush(); n != 2*targets {
		t.Errorf("%d tracks, want %d of each part", n, targets)
	}
}
