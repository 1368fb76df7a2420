package motion

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// This file checks the filter of turns in the plane against the general one.

// TestWheel: whatever Full says of a track, forward, backward, of both together, of its ends and
// smoothed, Wheel says to rounding: after odd intervals and long gaps, of every kind of step, along
// tracks that the motion expects and others.
func TestWheel(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for trial := range 400 {
		p := &Params{
			Model: Turn{}, Dim: 2, PositionsOnly: true, Sigma: math.Exp(rng.NormFloat64() - 2),
			Accel: math.Exp(rng.NormFloat64() - 3), SpeedStd: math.Exp(rng.NormFloat64()),
			TurnStd: math.Exp(rng.NormFloat64() - 2), TurnWalk: math.Exp(rng.NormFloat64() - 3),
			ManoeuvreProb: 0.05, ManoeuvreAccel: 1, JumpProb: 0.01, JumpStd: 3, OutlierProb: 0.05, OutlierTimes: 4,
		}
		if trial%7 == 0 {
			p.Accel = 0
		}
		path := randomPath(rng, p, 12, false)
		all := mtt.Scan{Dim: 2}
		for k := range path.scans {
			all.Pos = append(all.Pos, path.scans[k].At(0)...)
		}
		likeFull(compared{t, trial}, NewWheel(p), p, path, rng, &all, func(int) bool { return true })
	}
}
