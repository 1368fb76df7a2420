package association

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file tests what tails manoeuvres have under a motion that lasts.

// TestSteeringTails: tails that are heavier than the default were found likelier for manoeuvres that
// are larger than other accelerations. Of what somebody annotated, splines between some frames, hardly
// anything is left where accelerations last, and with tails of one degree of freedom nine steps in ten
// of no size were learnt to be manoeuvres, of a distribution that has steps from one target to another.
func TestSteeringTails(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 77))
	var tracks []mtt.Track
	for i := range 12 {
		tr := mtt.Track{ID: i + 1, Dim: 2}
		x, y, v, w := 0.0, 0.0, 3.0, 0.0
		for f := 0; f < 60; {
			steps := 5 + rng.IntN(20)
			dv, dw := 0.5*rng.NormFloat64(), 0.5*rng.NormFloat64()
			for k := range steps {
				g := float64(k) / float64(steps)
				x, y = x+v+g*dv, y+w+g*dw
				tr.Hits, tr.Pos = append(tr.Hits, mtt.Hit{Frame: f}), append(tr.Pos, x, y)
				f++
			}
			v, w = v+dv, w+dw
		}
		tracks = append(tracks, tr)
	}
	known := &costgen.Levels{
		Sigma: 0.01, Accel: 0.01, SpeedStd: 3, ManoeuvreProb: 0.6, ManoeuvreAccel: 0.1, TailDOF: 1,
		Dim: 2, Interval: 1, PositionsOnly: true, Motion: motion.Velocity{},
	}
	time := func(frame int) float64 { return float64(frame) }
	learnt := (&run{}).steering(known, []motion.Model{motion.Singer{}}, anew, tracks, time)
	if learnt != nil && learnt.Params(2).Tail() < motion.DefaultTailDOF && learnt.ManoeuvreAccel < learnt.Accel {
		t.Fatalf("learnt %+v, want no heavy tails without manoeuvres", learnt)
	}
}
