package association

import (
	"testing"

	"mtt/scenario"
)

// This file tests which tracks are dropped for lack of evidence.

// TestMinEvidence: tracks of less are dropped and counted, the others are what they were, numbered anew,
// and what was dropped is in no track.
func TestMinEvidence(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Drift, Targets: 6, Frames: 8, Noise: 0.1, NoVelocity: true, Clutter: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	track := func(least float64) *Result {
		t.Helper()
		res, err := Track(t.Context(), scene.Scans, &Options{MinEvidence: least})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	plain := track(0)
	if plain.Evidence != nil || plain.Weak != 0 {
		t.Errorf("nobody asked: evidence %v, %d weak", plain.Evidence, plain.Weak)
	}
	all := track(1e-9)
	if len(all.Tracks)+all.Weak != len(plain.Tracks) || len(all.Evidence) != len(all.Tracks) {
		t.Fatalf("%d tracks of %d and %d weak, evidence of %d", len(all.Tracks), len(plain.Tracks), all.Weak, len(all.Evidence))
	}
	const least = 20
	strong := track(least)
	k, left := 0, all.LeftOut
	for i, nats := range all.Evidence {
		hits := all.Tracks[i].Hits
		if nats < least {
			left += len(hits)
			continue
		}
		if k >= len(strong.Tracks) || strong.Evidence[k] != nats || strong.Tracks[k].ID != k+1 || &strong.Tracks[k].Hits[0] == &hits[0] || strong.Tracks[k].Hits[0] != hits[0] || len(strong.Tracks[k].Hits) != len(hits) {
			t.Fatalf("track %d of %v nat is not there", i, nats)
		}
		k++
	}
	if k == len(all.Tracks) || k == 0 || k != len(strong.Tracks) || strong.Weak != len(plain.Tracks)-k || strong.LeftOut != left {
		t.Errorf("%d tracks of %d, %d weak, %d detections left out, want %d", len(strong.Tracks), len(plain.Tracks), strong.Weak, strong.LeftOut, left)
	}
	if len(strong.States) != k {
		t.Errorf("states of %d tracks, want %d", len(strong.States), k)
	}
	if _, err := Track(t.Context(), scene.Scans, &Options{MinEvidence: 1, Cost: Trapezoid}); err == nil {
		t.Error("evidence of a cost in metres is not refused")
	}
}
