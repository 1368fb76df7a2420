package learn

import (
	"math/rand/v2"
	"testing"

	"mtt"
)

// TestRestPart looks at what tracks left over of scans that mostly have one detection left or none:
// false alarms alone have no successors, a target among them has those that it has.
func TestRestPart(t *testing.T) {
	const frames, field, step = 4000, 1000, 20
	byChance := 0 // twice its standard error is passed now and then
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 43))
		alarms := make([]mtt.Scan, frames)
		with := make([]mtt.Scan, frames)
		x, v := field/2., float64(step)
		for f := range alarms {
			s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			if rng.Float64() < .3 {
				s.Pos = []float64{field * rng.Float64(), field * rng.Float64()}
			}
			alarms[f] = s
			if x+v < 0 || x+v > field {
				v = -v
			}
			if x += v; f%50 < 3 { // of a target that was lost now and then
				s.Pos = append([]float64{x, field / 2}, s.Pos...)
			}
			with[f] = s
		}
		if restPart(alarms, 1).most() > step {
			byChance++
		}
		if r := restPart(with, 1).most(); r < .9*step || r > 3*step {
			t.Errorf("seed %d: a target that goes %d is followed to %.0f away", seed, step, r)
		}
	}
	if byChance > 2 {
		t.Errorf("false alarms are followed by each other in %d of 20 scenes", byChance)
	}
}
