package learn

import (
	"math"
	"testing"

	"mtt"
	"mtt/scenario"
)

// heavy is a scene of five times as many false alarms as targets.
func heavy(t *testing.T, seed uint64) *scenario.Scene {
	t.Helper()
	s, err := scenario.Simulate(t.Context(), &scenario.Config{
		Scene: scenario.Drift, Targets: 30, Frames: 60, Spread: 20, Noise: 0.2, NoVelocity: true, Miss: 0.1, Clutter: 150, Seed: seed,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAmong: where most detections are false it shows without association how many have a
// successor, how far that is (targets go 1 to 2 m a step; half of all detections have none within
// ten times that) and so how many are false.
func TestAmong(t *testing.T) {
	for _, seed := range []uint64{3, 4} {
		l := newLearner(heavy(t, seed).Scans, &Options{Sigma: 0.2}, nil, false)
		if half := l.length() / 2; half < 10 {
			t.Errorf("half of the successors are within %.3g m of all detections", half)
		}
		a := l.short(*l, l.followed())
		if core := a.length() / 2; core < 1 || core > 2.5 {
			t.Errorf("seed %d: half of the successors that show are within %.3g m", seed, core)
		}
		if r := a.levels.Rates; math.Abs(r.Targets-30) > 6 || math.Abs(r.Clutter-150) > 8 {
			t.Errorf("seed %d: it begins with %.3g targets and %.3g false alarms", seed, r.Targets, r.Clutter)
		}
		if l.levels.Rates.Clutter > 20 {
			t.Error("the first beginning has changed")
		}
	}
}

// TestAmongFew: where most detections are followed by others, as many targets are there as before.
func TestAmongFew(t *testing.T) {
	s, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Drift, Targets: 30, Frames: 40, Spread: 20, Noise: 0.2, NoVelocity: true, Miss: 0.1, Clutter: 3, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	l := newLearner(s.Scans, &Options{Sigma: 0.2}, nil, false)
	if share := l.followed(); share < 0.6 || share > 0.9 { // .9² · 30 of 30
		t.Errorf("%.3g of the detections are followed", share)
	}
}

// TestSpeedStdSlow: particles that go some tenths of a micrometre in a second, in metres, are as fast as they are.
func TestSpeedStdSlow(t *testing.T) {
	scans := []mtt.Scan{{Dim: 2, Pos: make([]float64, 4), Vel: []float64{3e-7, -1e-7, -2e-7, 1e-7}}}
	if got, want := speedStd(scans, 0), math.Sqrt((9+1+4+1)/4.)*1e-7; math.Abs(got-want) > 1e-9*want {
		t.Errorf("speedStd = %v, want %v", got, want)
	}
}
