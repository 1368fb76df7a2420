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
		like, other := compared{t, trial}, NewFull(p)
		var kinds, steps = []int{Smooth, Manoeuvre, Jump}, make([]float64, len(path.scans))
		for k := 1; k < len(path.scans); k++ {
			path.kind[k] = kinds[rng.IntN(3)]
			steps[k] = path.scans[k].Time - path.scans[k-1].Time
		}
		a := NewWheel(p)
		wide, otherWide := a.Wide(), other.Wide()
		like.number("First", a.First(&path.scans[0], 0), other.First(&path.scans[0], 0))
		like.number("Noise", a.Noise(&path.scans[0], 0), other.Noise(&path.scans[0], 0))
		var s WheelState
		var o FullState
		states, others := make([]WheelState, len(path.scans)), make([]FullState, len(path.scans))
		for k := range path.scans {
			scan := &path.scans[k]
			if k == 0 {
				a.Start(&s, scan, 0)
				other.Start(&o, scan, 0)
			} else {
				a.Predict(&s, steps[k], path.kind[k])
				other.Predict(&o, steps[k], path.kind[k])
				like.fit("Innovation", a.Innovation(&s, scan, 0), other.Innovation(&o, scan, 0))
				like.number("Ratio", a.Ratio(&s), other.Ratio(&o))
				e, f := gather(a, path, k, len(path.scans)), gather(other, path, k, len(path.scans))
				like.fit("Join", a.Join(&s, &e), other.Join(&o, &f))
				like.number("Open", a.Open(&e), other.Open(&f))
				like.number("Peak", a.Peak(nil, &e), other.Peak(nil, &f))
				if join := a.Join(&s, &e); a.Peak(&s, &e) > join.D2+join.Base+1e-9*math.Abs(join.Base) {
					t.Errorf("trial %d: joining costs %v, less than its least, %v", trial, join, a.Peak(&s, &e))
				}
				first, join := a.Innovation(&s, scan, 0), a.Join(&s, &e)
				if least := first.D2 + first.Base + a.Rest(&e); least > join.D2+join.Base+1e-9*(1+math.Abs(least)) {
					t.Errorf("trial %d: joining costs %v, less than %v of its first detection with the rest", trial, join, least)
				}
				var x, y Estimate
				a.Estimate(&x, &s, &e)
				other.Estimate(&y, &o, &f)
				like.estimate("Estimate with information", &x, &y)
				if k%5 == 4 {
					wide.Update(&s, scan, 0)
					otherWide.Update(&o, scan, 0)
				} else {
					a.Update(&s, scan, 0)
					other.Update(&o, scan, 0)
				}
			}
			var x, y Estimate
			a.Estimate(&x, &s, nil)
			other.Estimate(&y, &o, nil)
			like.estimate("Estimate", &x, &y)
			pos, vel, variance := a.Position(&s)
			pos2, vel2, variance2 := other.Position(&o)
			like.number("Position", pos[0]+vel[1]+variance, pos2[0]+vel2[1]+variance2)
			states[k], others[k] = s, o
		}
		all := mtt.Scan{Dim: 2}
		for k := range path.scans {
			all.Pos = append(all.Pos, path.scans[k].At(0)...)
		}
		seen := func(int) bool { return true }
		a.SmoothTrack(states, steps[1:], path.kind[1:], &all, seen)
		other.SmoothTrack(others, steps[1:], path.kind[1:], &all, seen)
		for k := range states {
			var x, y Estimate
			a.Estimate(&x, &states[k], nil)
			other.Estimate(&y, &others[k], nil)
			like.estimate("SmoothTrack", &x, &y)
		}
	}
}
