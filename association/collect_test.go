package association

import (
	"runtime"
	"runtime/debug"
	"testing"

	"mtt/scenario"
)

// TestCollect: what a step has left is collected before the next one asks for as much, in scenes that are
// not small.
func TestCollect(t *testing.T) {
	collections := func(targets int) uint32 {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Arena, Targets: targets, Frames: 12, Noise: 0.1, VelocityNoise: 0.1, Seed: 2,
		})
		if err != nil {
			t.Fatal(err)
		}
		opts := &Options{Sigma: 0.1, SigmaV: 0.1}
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Track(t.Context(), scene.Scans, opts); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.NumGC - before.NumGC
	}
	if n := collections(500); n != 0 {
		t.Errorf("%d collections in a small scene", n)
	}
	if n := collections(1700); n < 2 {
		t.Errorf("%d collections in a larger scene", n)
	}
}
