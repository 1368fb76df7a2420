package costgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// This file tests how fast false alarms seem to be.

// TestFitAlarms: the spread of the velocities of what is in no track is found where they are known
// along lines of sight only, of noise that is told; detections in tracks count for nothing, and
// where nothing is known it is as given.
func TestFitAlarms(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 1))
	const speed, alarms = 20.0, 300
	for _, across := range []float64{1e4, 1e6} {
		scans, tracks := make([]mtt.Scan, 2), make([]mtt.Track, 1)
		for k := range scans {
			s := &scans[k]
			*s = randomScan(r, 2, alarms+1, float64(k), false)
			var u, rate []float64
			for i := range s.Len() {
				sin, cos := math.Sincos(7 * r.Float64())
				if u = append(u, cos, sin); i == alarms {
					rate = append(rate, 1e4)
				} else {
					rate = append(rate, math.Hypot(120, 50)*r.NormFloat64())
				}
			}
			sight(s, u, rate, 50, across)
			tracks[0].Append(s, alarms)
		}
		if got := FitAlarms(scans, tracks, speed); math.Abs(got/120-1) > 0.1 {
			t.Errorf("across %g m/s: false alarms have %v m/s, want 120", across, got)
		}
		for k := range scans {
			for i := range scans[k].VelCov {
				scans[k].VelCov[i] *= 1e12
			}
		}
		if got := FitAlarms(scans, tracks, speed); math.Abs(got/speed-1) > 1e-3 {
			t.Errorf("across %g m/s: where nothing is known false alarms have %v m/s, want %v", across, got, speed)
		}
	}
}

// TestAlarmSpeed: the prices of a link to a detection and of its being false, of which a known
// spread of false alarms is part, make the log likelihood ratio of the two in numbers along the
// line of sight.
func TestAlarmSpeed(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 1))
	m := &Gaussian{Levels: Levels{
		Sigma: 40, SigmaV: 1.1, Accel: 3, SpeedStd: 70, AlarmSpeed: 300, Interval: 4, Dim: 2,
		Rates: Rates{Detect: 0.9, Survive: 0.98, Births: 0.1, Targets: 9, Clutter: 3, Volume: 1e9},
	}}
	plain := &Gaussian{Levels: m.Levels}
	plain.AlarmSpeed = 0
	const along = 0.8
	a, b := randomScan(r, 2, 1, 0, false), randomScan(r, 2, 6, 4, false)
	a.Cov, b.Cov = spread(&a, 40), spread(&b, 40)
	var u, rate []float64
	for range b.Len() {
		sin, cos := math.Sincos(7 * r.Float64())
		u, rate = append(u, cos, sin), append(rate, 100*r.NormFloat64())
	}
	sight(&a, u, rate[:1], along, 1e5)
	sight(&b, u, rate, along, 1e5)
	ends := make([]Ends, b.Len())
	if !m.EndsAt(ends, &b) || plain.EndsAt(ends, &b) {
		t.Fatal("false alarms that are faster than targets are as likely as anywhere")
	}
	m.EndsAt(ends, &b)
	dst, was := make([]float64, 6), make([]float64, 6)
	m.Starts(dst, &a, 0, &b, []int32{0, 1, 2, 3, 4, 5})
	plain.Starts(was, &a, 0, &b, []int32{0, 1, 2, 3, 4, 5})
	for i, v := range rate {
		d, c := 70.0*70+along*along, 300.0*300+along*along
		// Without it false alarms are as N(0, SpeedStd²) at the entropy of two axes.
		want := (math.Log(c/d)+v*v/c)/2 - 1
		got := ends[i].Clutter - dst[i] - (plain.Ends().Clutter - was[i])
		if math.Abs(got-want) > 1e-4 {
			t.Errorf("range rate %v: %v nat more speak for a link, want %v", v, got, want)
		}
		if birth := ends[i].Birth - plain.Ends().Birth; birth != 0 {
			t.Errorf("a birth costs %v more", birth)
		}
	}
}
