package association_test

import (
	"math"
	"reflect"
	"slices"
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
	t.Parallel()
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

// TestDerived tells velocities that are differences of positions: nothing is known but by positions,
// so tracks are those of positions alone. Measured ones are read, however precise.
func TestDerived(t *testing.T) {
	t.Parallel()
	simulate := func(noise float64) *scenario.Scene {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Steer, Targets: 25, Frames: 30, Noise: noise, VelocityNoise: noise, Spread: 4, Seed: 5, Miss: 0.05, Clutter: 1})
		if err != nil {
			t.Fatal(err)
		}
		return scene
	}
	track := func(scans []mtt.Scan, opts *association.Options) *association.Result {
		res, err := association.Track(t.Context(), scans, opts)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for _, noise := range []float64{0.1, 0.003} {
		if res := track(simulate(noise).Scans, nil); res.Levels.PositionsOnly || res.Unbelieved != "" {
			t.Errorf("measured, with noise of %g: %q", noise, res.Unbelieved)
		}
	}
	scene := simulate(0.1)
	positions := track(scene.Scans, &association.Options{IgnoreVelocity: true})
	round := func(x float64) float64 { return math.Round(1e4*x) / 1e4 }
	for _, tt := range []struct {
		name     string
		from, to int // of a track, relative to the hit
		written  func(x float64) float64
	}{
		{"to the next", 0, 1, round},
		{"from the last", -1, 0, round},
		{"from the last to the next", -1, 1, func(x float64) float64 { return x }},
	} {
		scans := make([]mtt.Scan, len(scene.Scans))
		for f, s := range scene.Scans {
			s.Vel = make([]float64, len(s.Vel))
			scans[f] = s
		}
		for i := range scene.Truth {
			tr := scene.Truth[i]
			tr.Hits = slices.DeleteFunc(slices.Clone(tr.Hits), func(h mtt.Hit) bool { return h.Det < 0 })
			for k, h := range tr.Hits {
				a, b := tr.Hits[max(k+tt.from, 0)], tr.Hits[min(k+tt.to, len(tr.Hits)-1)]
				if a == b {
					continue
				}
				from, to := &scans[a.Frame], &scans[b.Frame]
				for d, x := range to.At(b.Det) {
					scans[h.Frame].VelAt(h.Det)[d] = tt.written((x - from.At(a.Det)[d]) / (to.Time - from.Time))
				}
			}
		}
		res := track(scans, nil)
		if !res.Levels.PositionsOnly || !strings.Contains(strings.Join(res.Warnings, "\n"), "differences of positions") {
			t.Errorf("%s: positions only %v, warnings %q", tt.name, res.Levels.PositionsOnly, res.Warnings)
		}
		if !reflect.DeepEqual(res.Tracks, positions.Tracks) {
			t.Errorf("%s: %d tracks are not the %d of positions alone", tt.name, len(res.Tracks), len(positions.Tracks))
		}
	}
}
