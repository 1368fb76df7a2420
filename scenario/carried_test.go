package scenario

import (
	"context"
	"math"
	"testing"
)

// TestCarried moves truth and detections of each frame alike, by as much as is said, and targets not at all.
func TestCarried(t *testing.T) {
	c := &Config{Scene: Arena, Targets: 5, Frames: 400, NoVelocity: true, Noise: 0.1, Miss: 0.2, Clutter: 1, Shake: 2, Carry: 3}
	still := *c
	still.Shake, still.Carry = 0, 0
	moved, err := Simulate(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := Simulate(context.Background(), &still)
	if err != nil {
		t.Fatal(err)
	}
	var path []float64 // along x
	for f, s := range moved.Scans {
		a, b := s.Pos, rest.Scans[f].Pos
		if len(a) != len(b) {
			t.Fatalf("frame %d has %d coordinates, at rest %d", f, len(a), len(b))
		}
		shift := [2]float64{moved.Truth[0].At(f)[0] - rest.Truth[0].At(f)[0], moved.Truth[0].At(f)[1] - rest.Truth[0].At(f)[1]}
		for k := range a {
			if d := a[k] - b[k] - shift[k%2]; math.Abs(d) > 1e-9 {
				t.Fatalf("frame %d: coordinate %d moves %v m more than truth", f, k, d)
			}
		}
		path = append(path, shift[0])
	}
	var steps float64 // two of shaking, one of being carried
	for f := 1; f < len(path); f++ {
		steps += (path[f] - path[f-1]) * (path[f] - path[f-1]) / float64(len(path)-1)
	}
	if want := 2*2*2.0 + 3*3; math.Abs(steps/want-1) > 0.25 {
		t.Errorf("steps have a mean square of %v, want %v", steps, want)
	}
	if c.NoVelocity = false; c.Validate() == nil {
		t.Error("a sensor that moves measures velocities")
	}
}
