package costgen

import "testing"

// TestFitJumps: how often positions jump, and how far, is told by tracks, beside manoeuvres and outliers; of tracks without jumps none are believed.
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
			before := m
			got := FitJumps(&m, tracks, p.time, true, true)
			if m != before {
				t.Errorf("%s, told %v: levels have changed", tt.name, told)
			}
			if (got != nil) != (tt.prob > 0) {
				t.Errorf("%s, told %v: %+v", tt.name, told, got)
			}
			if got == nil || tt.prob == 0 {
				continue
			}
			compare(t, 3, tt.name+": JumpProb", got.JumpProb, tt.prob, 0.6)
			compare(t, 3, tt.name+": JumpStd", got.JumpStd, tt.std, 0.3)
			compare(t, 3, tt.name+": Sigma", got.Sigma, tt.Sigma, 0.15)
			if fixed := FitJumps(&m, tracks, p.time, false, false); fixed != nil && (fixed.Sigma != m.Sigma || fixed.Accel != m.Accel || fixed.ManoeuvreProb != m.ManoeuvreProb) {
				t.Errorf("%s, told %v: what was said has changed: %+v", tt.name, told, fixed)
			}
		}
	}
}
