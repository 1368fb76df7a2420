package association_test

import (
	"math"
	"strings"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/scenario"
)

// TestUnbelieved tells velocities in another unit, with axes exchanged or turned round, or of
// nothing, and reads them through what targets show of that, or does without; right ones are read
// as they are.
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
		name, done, word string
		change           func(x, y float64) (float64, float64)
		by               [4]float64 // of measured velocities, true ones
	}{
		{"right", "", "", func(x, y float64) (float64, float64) { return x, y }, [4]float64{}},
		{"km/h", "read through", "km/h", func(x, y float64) (float64, float64) { return 3.6 * x, 3.6 * y }, [4]float64{1 / 3.6, 0, 0, 1 / 3.6}},
		{"turned round", "read through", "vy has the other sign", func(x, y float64) (float64, float64) { return x, -y }, [4]float64{1, 0, 0, -1}},
		{"exchanged", "read through", "vx and vy are exchanged", func(x, y float64) (float64, float64) { return y, x }, [4]float64{0, 1, 1, 0}},
		{"turned by 60 degrees", "read through", "axes are turned", func(x, y float64) (float64, float64) { return x/2 - y*math.Sqrt(.75), x*math.Sqrt(.75) + y/2 },
			[4]float64{.5, math.Sqrt(.75), -math.Sqrt(.75), .5}},
		{"nothing", "left unread", "all 0", func(x, y float64) (float64, float64) { return 0, 0 }, [4]float64{}},
	} {
		res := track(tt.change)
		said := strings.Join(res.Warnings, "\n")
		if tt.done == "" && strings.Contains(said, "measured velocities") || !strings.Contains(said, tt.done) || !strings.Contains(said, tt.word) || res.Levels.PositionsOnly != (tt.done == "left unread") {
			t.Errorf("%s: positions only %v, warnings %q", tt.name, res.Levels.PositionsOnly, said)
		}
		for k, want := range tt.by {
			if got := res.Levels.VelMap[k]; math.Abs(got-want) > 0.03 {
				t.Errorf("%s: the map of velocities is %.3g, want %.3g", tt.name, res.Levels.VelMap[:4], tt.by)
				break
			}
		}
		if len(res.Tracks) != 25 {
			t.Errorf("%s: 25 targets are %d tracks", tt.name, len(res.Tracks))
		}
	}
}
