package costgen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/motion"
	"mtt/sensor"
)

// This file tests how the noise of several sensors is learnt.

// TestFitNoise: the noise of three sensors is learnt from tracks that all three make, one of which
// tells its own, and the levels of motion from tracks that then tell theirs, whatever the motion;
// with velocities too.
func TestFitNoise(t *testing.T) {
	sigma, sigmaV := [3]float64{0.1, 1, 0.4}, [3]float64{0.5, 0.1, 0.2}
	const dt, accel, told = 0.4, 0.5, 2
	of := func(frame int) int { return (frame * 7 / 3) % 3 }
	time := func(frame int) float64 { return dt * float64(frame) }
	for _, velocities := range []bool{false, true} {
		r := rand.New(rand.NewPCG(3, 1))
		var tracks []mtt.Track
		for range 30 {
			var x, v [2]float64
			tr := mtt.Track{Dim: 2}
			for f := range 60 {
				k := of(f)
				s := mtt.Scan{Frame: f, Time: time(f), Sensor: k, Dim: 2, Cov: []float64{0.25, 0, 0.25}}
				if k == told {
					s.Cov = []float64{sigma[k] * sigma[k], 0, sigma[k] * sigma[k]}
				}
				for d := range 2 {
					s.Pos = append(s.Pos, x[d]+sigma[k]*r.NormFloat64())
					if velocities {
						s.Vel = append(s.Vel, v[d]+sigmaV[k]*r.NormFloat64())
					}
					a, b := r.NormFloat64(), r.NormFloat64() // Q = q²·(dt³/3 dt²/2; dt²/2 dt)
					dv := accel * math.Sqrt(dt) * a
					x[d] += v[d]*dt + dv*dt/2 + accel*math.Sqrt(dt*dt*dt/12)*b
					v[d] += dv
				}
				if velocities {
					s.VelCov = []float64{0.04, 0, 0.04}
				}
				tr.Append(&s, 0)
			}
			tracks = append(tracks, tr)
		}
		m := &Levels{
			Dim: 2, Motion: motion.Velocity{}, Accel: 2, SpeedStd: 2, PositionsOnly: !velocities,
			Sensing: &Sensing{Sensors: make([]sensor.Sensor, 3), Sigma: []float64{0.5, 0.5, 0}, SigmaV: []float64{0.2, 0.2, 0}},
		}
		given := m.Sensing
		FitNoise(m, tracks, time, of)
		for k := range told {
			if got := m.Sensing.Sigma[k]; math.Abs(got/sigma[k]-1) > 0.15 {
				t.Errorf("velocities %v: noise %v of sensor %d, want %v", velocities, got, k, sigma[k])
			}
			if got := m.Sensing.SigmaV[k]; velocities && math.Abs(got/sigmaV[k]-1) > 0.25 {
				t.Errorf("velocity noise %v of sensor %d, want %v", got, k, sigmaV[k])
			}
		}
		if m.Sensing.Sigma[told] != 0 || given.Sigma[0] != 0.5 {
			t.Errorf("a sensor that tells its noise has %v, what was given has become %v", m.Sensing.Sigma[told], given.Sigma[0])
		}
		for h, hit := range tracks[0].Hits {
			want := m.Sensing.Sigma[of(hit.Frame)]
			if of(hit.Frame) == told {
				want = sigma[told]
			}
			if cov := tracks[0].Cov[3*h : 3*h+3]; math.Abs(math.Sqrt(cov[0])-want) > 1e-12 || cov[1] != 0 || cov[2] != cov[0] {
				t.Fatalf("hit %d of sensor %d tells %v, want a noise of %v", h, of(hit.Frame), cov, want)
			}
		}
		described := *m
		described.Sensing = &Sensing{Sensors: []sensor.Sensor{{Noise: map[string]float64{"position": 0.1}}, {}, {}}, Sigma: []float64{0.1, 0.5, 0}, SigmaV: []float64{0.2, 0.2, 0}}
		FitNoise(&described, tracks, time, of)
		if sigma := described.Sensing.Sigma; sigma[0] != 0.1 || math.Abs(sigma[1]-1) > 0.15 {
			t.Errorf("noise %v where that of the first is described as 0.1, want 1 of the second", sigma)
		}
		g := &Levels{Dim: 2, SpeedStd: 2, PositionsOnly: !velocities}
		if !Fit(g, tracks, time) || math.Abs(g.Accel/accel-1) > 0.15 || g.ManoeuvreProb > 0 {
			t.Errorf("of these tracks Fit makes %+v, want an acceleration of %v", g, accel)
		}
	}
}

// TestTold: detections of a sensor whose noise was learnt tell it, others stay as they are, and so
// do the scans that were given.
func TestTold(t *testing.T) {
	scans := []mtt.Scan{
		{Sensor: 1, Dim: 2, Pos: []float64{1, 2, 3, 4}},
		{Sensor: 0, Dim: 2, Pos: []float64{1, 2}, Cov: []float64{3, 1, 2}},
		{Sensor: 5, Dim: 2, Pos: []float64{1, 2}}, {Sensor: 1, Dim: 2},
	}
	m := &Levels{PositionsOnly: true, Sensing: &Sensing{Sigma: []float64{0, 2}, SigmaV: []float64{0, 0}}}
	told := m.Told(scans)
	if want := []float64{4, 0, 4, 4, 0, 4}; !slices.Equal(told[0].Cov, want) || scans[0].Cov != nil {
		t.Errorf("two detections of noise 2 tell %v, want %v", told[0].Cov, want)
	}
	if told[1].Cov[1] != 1 || told[2].Cov != nil || told[3].Cov != nil {
		t.Errorf("scans of other sensors, or empty ones, tell %v, %v, %v", told[1].Cov, told[2].Cov, told[3].Cov)
	}
	for _, none := range []*Levels{nil, {}, {Sensing: &Sensing{}}} {
		if again := none.Told(scans); &again[0] != &scans[0] || none.ToldOne(&scans[0]).Cov != nil {
			t.Errorf("%+v: other scans, though no noise was learnt", none)
		}
	}
}
