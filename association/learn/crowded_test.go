package learn

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/scenario"
)

// TestCrowded: the first scans of targets that set out from one place are a crowd, but not where
// velocities are measured, nor are those of targets that stay as dense as they were; and the last
// scans are never counted.
func TestCrowded(t *testing.T) {
	const last = 12
	for _, test := range []struct {
		scenario.Config
		least, most int
	}{
		{scenario.Config{Scene: scenario.Burst, NoVelocity: true}, 5, 9},
		{scenario.Config{Scene: scenario.Burst, NoVelocity: true, Miss: 0.1, Clutter: 10}, 5, 9},
		{scenario.Config{Scene: scenario.Burst, NoVelocity: true, Dim: 3}, 3, 5},
		{scenario.Config{Scene: scenario.Burst}, 0, 0},
		{scenario.Config{Scene: scenario.Steer, NoVelocity: true}, 0, 0},
		{scenario.Config{Scene: scenario.Bounce, NoVelocity: true, Miss: 0.1, Clutter: 10}, 0, 0},
	} {
		test.Targets, test.Frames, test.Noise, test.Seed = 100, 21, 0.1, 1
		scene, err := scenario.Simulate(t.Context(), &test.Config)
		if err != nil {
			t.Fatal(err)
		}
		if n := Crowded(scene.Scans, last); n < test.least || n > test.most {
			t.Errorf("%+v: %d scans are of a crowd, want %d to %d", test.Config, n, test.least, test.most)
		}
		if n := Crowded(scene.Scans[:last], last); n != 0 {
			t.Errorf("%+v: of the last scans %d are of a crowd", test.Config, n)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1)) // no scan says anything of the next
	var chance []mtt.Scan
	for f := range 40 {
		s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for range 200 {
			s.Pos = append(s.Pos, rng.Float64())
		}
		chance = append(chance, s)
	}
	if n := Crowded(chance, last); n != 0 {
		t.Errorf("of scans by chance %d are of a crowd", n)
	}
	for _, detections := range []int{0, 1} { // of which no two are apart
		scans := make([]mtt.Scan, 20)
		for s := range scans {
			scans[s] = mtt.Scan{Frame: s, Time: float64(s), Dim: 2, Pos: make([]float64, 2*detections)}
		}
		scans[0].Pos = []float64{1, 1, 2, 2}
		if n := Crowded(scans, last); n != 0 {
			t.Errorf("%d detections a scan: %d scans are of a crowd", detections, n)
		}
	}
}

// TestCalm: levels are learnt from scans after a crowd, of which as many are left as are learnt
// from, and from the first ones where these are few.
func TestCalm(t *testing.T) {
	for _, test := range []struct{ targets, frames, least, most int }{
		{100, 60, 0, 0},
		{400, 60, 10, 30},
		{700, 14, 0, 0},
		{700, 20, 4, 5},
	} {
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{Targets: test.targets, Frames: test.frames, NoVelocity: true, Noise: 0.1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		rest := calm(scene.Scans, enough)
		if n := rest[0].Frame; n < test.least || n > test.most || rest[len(rest)-1].Frame != test.frames-1 {
			t.Errorf("%d targets in %d scans: scan %d is the first", test.targets, test.frames, n)
		}
		if l := newLearner(scene.Scans, &Options{}, nil, true); l.part[0].Frame != rest[0].Frame {
			t.Errorf("%d targets in %d scans: learns from scan %d on, want %d", test.targets, test.frames, l.part[0].Frame, rest[0].Frame)
		}
	}
}
