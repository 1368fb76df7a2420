package association_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mtt"
	"mtt/association"
	"mtt/scenario"
)

// TestDarkEnds: a recording that begins before the sensor is on, or ends after it is off, says what it says
// without these scans.
func TestDarkEnds(t *testing.T) {
	for _, x := range []struct {
		name string
		c    scenario.Config
	}{
		{"all are always seen", scenario.Config{Scene: scenario.Steer, Targets: 12, Frames: 20, NoVelocity: true}},
		{"misses and false alarms", scenario.Config{Scene: scenario.Drift, Targets: 10, Frames: 20, Miss: 0.1, Clutter: 2, NoVelocity: true}},
		{"they come and go", scenario.Config{Scene: scenario.Arena, Targets: 15, Frames: 20, Births: 0.5, Miss: 0.05}},
	} {
		x.c.Seed, x.c.Noise, x.c.VelocityNoise = 7, 0.1, 0.1
		scene, err := scenario.Simulate(t.Context(), &x.c)
		if err != nil {
			t.Fatal(err)
		}
		scans := scene.Scans
		empty := func(frame int) mtt.Scan { return mtt.Scan{Frame: frame, Time: float64(frame), Dim: 2} }
		want, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, dark := range map[string][]mtt.Scan{
			"after":            append(slices.Clone(scans), empty(20)),
			"three after":      append(slices.Clone(scans), empty(20), empty(21), empty(22)),
			"before":           append([]mtt.Scan{empty(-1)}, scans...),
			"before and after": append(append([]mtt.Scan{empty(-2), empty(-1)}, scans...), empty(20)),
		} {
			got, err := association.Track(t.Context(), dark, nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want.Levels.Rates, got.Levels.Rates); d != "" {
				t.Errorf("%s, an empty scan %s: %s", x.name, name, d)
			}
			if !cmp.Equal(want.Tracks, got.Tracks) {
				t.Errorf("%s, an empty scan %s: other tracks", x.name, name)
			}
		}
	}
}
