package costgen

import (
	"fmt"
	"testing"
)

// TestFitJumps: how often positions jump, and how far, is told by tracks, beside manoeuvres and
// outliers; of tracks without jumps none are believed.
func TestFitJumps(t *testing.T) {
	straight := Levels{Sigma: 0.1, Accel: 0.02, SpeedStd: 1, PositionsOnly: true}
	moving := Levels{Sigma: 0.1, SigmaV: 0.1, Accel: 0.05, SpeedStd: 1}
	turning := Levels{Sigma: 0.1, Accel: 0.02, SpeedStd: 1, PositionsOnly: true, ManoeuvreProb: 0.05, ManoeuvreAccel: 0.6}
	flawed := Levels{Sigma: 0.1, Accel: 0.02, SpeedStd: 1, PositionsOnly: true, OutlierProb: 0.05, OutlierTimes: 5}
	for _, tt := range []struct {
		name string
		Levels
		prob, std float64
	}{
		{"none", straight, 0, 0}, {"none of velocities", moving, 0, 0}, {"none among turns", turning, 0, 0},
		{"some", straight, 0.05, 2}, {"some of velocities", moving, 0.05, 2}, {"some among turns", turning, 0.05, 4}, {"some among outliers", flawed, 0.05, 4},
	} {
		for _, told := range []bool{false, true} {
			p := population{Levels: tt.Levels, seed: 3, tracks: 40, hits: 50}
			p.JumpProb, p.JumpStd = tt.prob, tt.std
			tracks := p.draw()
			if told { // by each detection: as much as by the levels
				tell(tracks, p.Sigma)
			}
			m := tt.Levels
			name := fmt.Sprintf("%s, told %v", tt.name, told)
			if got := fitRarely(t, name, FitJumps, &m, tracks, &p, tt.prob > 0); got != nil {
				compare(t, 3, name+": JumpProb", got.JumpProb, tt.prob, 0.6)
				compare(t, 3, name+": JumpStd", got.JumpStd, tt.std, 0.3)
			}
		}
	}
}
