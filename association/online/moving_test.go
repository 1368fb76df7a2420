package online

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/internal/nightly"
	"mtt/scenario"
)

// This file tests the tracker on a sensor that moves.

// TestMoving: targets go straight on before a camera that begins to shake, by a third of what lies
// between neighbours and many times the noise. Tracks stay whole but for those of the scans until
// that is learnt, and have the positions that were seen.
func TestMoving(t *testing.T) {
	t.Parallel()
	for _, from := range []int{0, 20} { // the scan in which it begins to
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Arena, Spread: 10, Targets: 20, Frames: 32, Noise: 0.2, NoVelocity: true, Miss: 0.05, Clutter: 2, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		r, scans := rand.New(rand.NewPCG(3, 0)), scene.Scans
		for s := from; s < len(scans); s++ {
			shift := [2]float64{4 * r.NormFloat64(), 4 * r.NormFloat64()}
			for n := range scans[s].Pos {
				scans[s].Pos[n] += shift[n%2]
			}
		}
		res, err := Track(t.Context(), scans, &Options{WarmUp: 14, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if wrong := wrongLinks(t, scene.Truth, res.Tracks); wrong > 3 || res.Levels.Shifts == nil { // 30 with FixedSensor
			t.Errorf("shaken from scan %d on: %.1f %% of the links are wrong, it moves: %t", from, wrong, res.Levels.Shifts != nil)
		}
		for _, tr := range res.Tracks {
			for h, hit := range tr.Hits {
				if !slices.Equal(tr.At(h), scans[hit.Frame].At(hit.Det)) {
					t.Fatalf("frame %d: %v was seen, at %v", hit.Frame, tr.At(h), scans[hit.Frame].At(hit.Det))
				}
			}
		}
	}
}

// TestShaken has a sensor that is shaken by a third of what lies between neighbours. In the first
// scene, which ends before it was learnt beside the scans how the sensor moves, most detections
// seem to be false, and the question must not count as asked; in the second, levels take one of its
// jumps for turns of the targets.
func TestShaken(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{45, 59}[:nightly.Or(1, 2)] {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Arena, Spread: 12, Targets: 40, Frames: 40, Noise: 0.2, NoVelocity: true, Miss: 0.05, Clutter: 2, Shake: 4, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		res, err := Track(t.Context(), scene.Scans, &Options{Lag: 3, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if wrong := wrongLinks(t, scene.Truth, res.Tracks); wrong > 1 || res.Levels.Shifts == nil {
			t.Errorf("seed %d: %.1f %% of the links are wrong, it moves: %t", seed, wrong, res.Levels.Shifts != nil)
		}
	}
}

// TestShakenSwerving has targets that are hard to foresee, which a scan after the warm-up must be
// matched with by more than what is known of where they were.
func TestShakenSwerving(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Reverting, Spread: 15, Targets: 6, Frames: 34, Noise: 0.03, NoVelocity: true, Shake: 2, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		res, err := Track(t.Context(), scene.Scans, &Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if wrong := wrongLinks(t, scene.Truth, res.Tracks); wrong > 2 || res.Levels.Shifts == nil {
			t.Errorf("seed %d: %.1f %% of the links are wrong, it moves: %t", seed, wrong, res.Levels.Shifts != nil)
		}
	}
}
