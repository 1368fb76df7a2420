package motion

import (
	"math"
	"testing"

	"mtt"
)

// This file asks for steps of no time.

// TestNoTime: a step of no time leaves what is known of a target as it is, of all filters and
// motions that know a velocity.
func TestNoTime(t *testing.T) {
	scan := &mtt.Scan{Dim: 2, Pos: []float64{3, 4}, Vel: []float64{1, -2}}
	for _, m := range []Model{Velocity{}, Reverting{}, Swaying{}, Turn{}, Singer{}} {
		p := &Params{
			Model: m, Dim: 2, Sigma: 0.1, SigmaV: 0.1, Accel: 0.1, SpeedStd: 2, Revert: 0.1, Sway: 0.1,
			TurnStd: 0.1, TurnWalk: 0.1, AccelStd: 0.1, AccelRevert: 0.1,
		}
		unmoved(t, m.Name(), NewFull(p), scan)
		switch m {
		case Model(Velocity{}):
			unmoved(t, "axes", NewAxes(p), scan)
			unmoved(t, "plane", NewPlane(p), scan)
		case Model(Singer{}):
			unmoved(t, "triple", NewTriple(p), scan)
		}
	}
}

// unmoved checks that position, velocity and their covariance stay.
func unmoved[S, E any](t *testing.T, name string, f Filter[S, E], scan *mtt.Scan) {
	var s S
	var before, after Estimate
	f.Start(&s, scan, 0)
	f.Estimate(&before, &s, nil)
	f.Predict(&s, 0, Smooth)
	f.Estimate(&after, &s, nil)
	for k := range before.X {
		if math.Abs(before.X[k]-after.X[k]) > 1e-12 {
			t.Errorf("%s: after no time %v is %v", name, before.X, after.X)
		}
	}
	for k := range before.P {
		if math.Abs(before.P[k]-after.P[k]) > 1e-12 {
			t.Errorf("%s: after no time the covariance %v is %v", name, before.P, after.P)
		}
	}
}
