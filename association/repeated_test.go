package association_test

import (
	"strings"
	"testing"

	"mtt/association"
	"mtt/scenario"
)

// TestRepeated: a frozen picture is told; targets that stand in whole pixels, at the same place in
// most scans, are no frozen picture.
func TestRepeated(t *testing.T) {
	for _, c := range []struct {
		name   string
		frozen bool
		spread float64
	}{{"moving", true, 8}, {"moving", false, 8}, {"pixels", false, 400}} {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{Seed: 5, Scene: scenario.Arena, Dim: 2, Targets: 8, Frames: 20, Noise: 0.1, Spread: c.spread, NoVelocity: true})
		if err != nil {
			t.Fatal(err)
		}
		scans := scene.Scans
		if c.name == "pixels" { // as all detections of the first scan stand
			for k := 1; k < len(scans); k++ {
				scans[k].Pos = append(scans[k].Pos[:0:0], scans[0].Pos...)
				if k%3 == 0 {
					scans[k].Pos[k%16]++
				}
			}
		}
		if c.frozen {
			for k := 5; k < len(scans); k += 6 {
				scans[k].Pos = scans[k-1].Pos
			}
		}
		res, err := association.Track(t.Context(), scans, &association.Options{Workers: 1, NoStates: true})
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Contains(strings.Join(res.Warnings, "\n"), "3 of the 20 scans repeat the one before to the last digit (frames 5, 11, 17)")
		if got := strings.Contains(strings.Join(res.Warnings, "\n"), "repeat the one before"); got != c.frozen || said != c.frozen {
			t.Errorf("%s, frozen %v: %q", c.name, c.frozen, res.Warnings)
		}
	}
}
