package costgen

import (
	"fmt"
	"testing"

	"mtt"
)

// TestFitOutliers: how many outliers there are, and of what size, and the noise of the others, are
// told by tracks, beside manoeuvres; of tracks without outliers none are.
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
			name := fmt.Sprintf("%s, told %v", tt.name, told)
			if got := fitRarely(t, name, FitOutliers, &m, tracks, &p, tt.prob > 0); got != nil {
				compare(t, 3, name+": OutlierProb", got.OutlierProb, tt.prob, 0.6)
				compare(t, 3, name+": OutlierTimes", got.OutlierTimes, tt.times, 0.45)
			}
		}
	}
}

// TestFitOutliersExact: positions that are exact are likelier the less noise there is, which a
// search that begins with less of it finds sooner: that speaks for no outliers.
func TestFitOutliersExact(t *testing.T) {
	var tr mtt.Track
	tr.Dim = 2
	for k := range 1000 {
		tr.Hits, tr.Pos = append(tr.Hits, mtt.Hit{Frame: k}), append(tr.Pos, float64(k), float64(k))
	}
	m := Levels{Sigma: 0.003, Accel: 0.003, SpeedStd: 1, PositionsOnly: true}
	if got := FitOutliers(&m, []mtt.Track{tr}, func(frame int) float64 { return float64(frame) }, true, true); got != nil {
		t.Errorf("%v of the positions have %v times the noise, which is %v", got.OutlierProb, got.OutlierTimes, got.Sigma)
	}
}

// fitRarely is what fit makes of m and tracks of p, which are believed to have something rare just
// where there is some; else it is nil. It leaves m alone, Sigma is right, and what is said stays as
// it is.
func fitRarely(t *testing.T, name string, fit func(m *Levels, tracks []mtt.Track, time func(frame int) float64, noise, moves bool) *Levels, m *Levels, tracks []mtt.Track, p *population, some bool) *Levels {
	t.Helper()
	before := *m
	got := fit(m, tracks, p.time, true, true)
	if *m != before {
		t.Errorf("%s: levels have changed", name)
	}
	if (got != nil) != some {
		t.Errorf("%s: %+v", name, got)
	}
	if got == nil || !some {
		return nil
	}
	compare(t, 3, name+": Sigma", got.Sigma, p.Sigma, 0.15)
	if fixed := fit(m, tracks, p.time, false, false); fixed != nil && (fixed.Sigma != m.Sigma || fixed.Accel != m.Accel || fixed.ManoeuvreProb != m.ManoeuvreProb) {
		t.Errorf("%s: what was said has changed: %+v", name, fixed)
	}
	return got
}

// tell has all detections of tracks in the plane tell their noise.
func tell(tracks []mtt.Track, sigma float64) {
	for i := range tracks {
		tracks[i].Cov = isotropic(nil, sigma, 2, len(tracks[i].Hits))
	}
}
