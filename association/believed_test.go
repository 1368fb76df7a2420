package association_test

import (
	"strings"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/scenario"
)

// TestUnbelieved tells velocities in another unit, with axes exchanged or turned round, or of nothing, and does without them; right ones are read.
func TestUnbelieved(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Targets: 25, Frames: 30, Noise: 0.1, VelocityNoise: 0.1, Spread: 6, Seed: 11})
	if err != nil {
		t.Fatal(err)
	}
	track := func(change func(x, y float64) (float64, float64)) *association.Result {
		scans := make([]mtt.Scan, len(scene.Scans))
		for f, s := range scene.Scans {
			vel := make([]float64, len(s.Vel))
			for k := 0; k < len(vel); k += 2 {
				vel[k], vel[k+1] = change(s.Vel[k], s.Vel[k+1])
			}
			s.Vel = vel
			scans[f] = s
		}
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for _, tt := range []struct {
		name, word string
		change     func(x, y float64) (float64, float64)
	}{
		{"right", "", func(x, y float64) (float64, float64) { return x, y }},
		{"km/h", "km/h", func(x, y float64) (float64, float64) { return 3.6 * x, 3.6 * y }},
		{"turned round", "vy has the other sign", func(x, y float64) (float64, float64) { return x, -y }},
		{"exchanged", "vx and vy are exchanged", func(x, y float64) (float64, float64) { return y, x }},
		{"nothing", "all 0", func(x, y float64) (float64, float64) { return 0, 0 }},
	} {
		res := track(tt.change)
		said := strings.Join(res.Warnings, "\n")
		if unread := strings.Contains(said, "velocities are left unread"); unread != (tt.word != "") || unread != res.Levels.PositionsOnly || !strings.Contains(said, tt.word) {
			t.Errorf("%s: positions only %v, warnings %q", tt.name, res.Levels.PositionsOnly, said)
		}
		if len(res.Tracks) != 25 {
			t.Errorf("%s: 25 targets are %d tracks", tt.name, len(res.Tracks))
		}
	}
}
