package costgen

import (
	"testing"

	"mtt"
)

// TestFitOutliers: how many outliers there are, and of what size, and the noise of the others, are told by tracks, beside manoeuvres; of tracks
// without outliers none are.
func TestFitOutliers(t *testing.T) {
	straight := Levels{Sigma: 0.1, Accel: 0.02, SpeedStd: 1, PositionsOnly: true}
	moving := Levels{Sigma: 0.1, SigmaV: 0.1, Accel: 0.05, SpeedStd: 1}
	turning := Levels{Sigma: 0.1, Accel: 0.02, SpeedStd: 1, PositionsOnly: true, ManoeuvreProb: 0.05, ManoeuvreAccel: 0.6}
	for _, tt := range []struct {
		name string
		Levels
		prob, times float64
	}{
		{"none", straight, 0, 0}, {"none of velocities", moving, 0, 0}, {"none among turns", turning, 0, 0},
		{"some", straight, 0.05, 5}, {"some of velocities", moving, 0.05, 5}, {"some among turns", turning, 0.05, 8},
	} {
		for _, told := range []bool{false, true} {
			p := population{Levels: tt.Levels, seed: 3, tracks: 40, hits: 50}
			p.OutlierProb, p.OutlierTimes = tt.prob, tt.times
			tracks := p.draw()
			if told { // by each detection: as much as by the levels
				tell(tracks, p.Sigma)
			}
			m := Levels{PositionsOnly: tt.PositionsOnly}
			if !Fit(&m, tracks, p.time) {
				t.Fatal("Fit found nothing to go by")
			}
			before := m
			got := FitOutliers(&m, tracks, p.time, true, true)
			if m != before {
				t.Errorf("%s, told %v: levels have changed", tt.name, told)
			}
			if (got != nil) != (tt.prob > 0) {
				t.Errorf("%s, told %v: %+v", tt.name, told, got)
			}
			if got == nil || tt.prob == 0 {
				continue
			}
			compare(t, 3, tt.name+": OutlierProb", got.OutlierProb, tt.prob, 0.6)
			compare(t, 3, tt.name+": OutlierTimes", got.OutlierTimes, tt.times, 0.45)
			compare(t, 3, tt.name+": Sigma", got.Sigma, tt.Sigma, 0.15)
			if fixed := FitOutliers(&m, tracks, p.time, false, false); fixed != nil && (fixed.Sigma != m.Sigma || fixed.Accel != m.Accel || fixed.ManoeuvreProb != m.ManoeuvreProb) {
				t.Errorf("%s, told %v: what was said has changed: %+v", tt.name, told, fixed)
			}
		}
	}
}

// tell has all detections of tracks in the plane tell their noise.
func tell(tracks []mtt.Track, sigma float64) {
	for i := range tracks {
		tracks[i].Cov = isotropic(nil, sigma, 2, len(tracks[i].Hits))
	}
}
