package costgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mtt"
	"mtt/motion"
)

// This file tests how noise along and across lines of sight is told and learnt.

// TestSightCov: covariances are those of errors of range, bearing and elevation, as a hundred
// thousand of them have it, and those of nobody where a detection is at the very place of the
// sensor are positive definite.
func TestSightCov(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	s := Sight{Place: [3]float64{100, -50, 20}, Range: 3, Bearing: 0.004, Elevation: 0.007}
	for dim := 2; dim <= 3; dim++ {
		const away, bearing, elevation = 800, 2.2, 0.6
		at := func(r, b, e float64) []float64 {
			if dim == 2 {
				e = 0
			}
			return []float64{s.Place[0] + r*math.Cos(b)*math.Cos(e), s.Place[1] + r*math.Sin(b)*math.Cos(e), s.Place[2] + r*math.Sin(e)}[:dim]
		}
		x := at(away, bearing, elevation)
		cov := s.appendCov(nil, x)
		sum := make([]float64, len(cov))
		const n = 100000
		for range n {
			z, k := at(away+s.Range*r.NormFloat64(), bearing+s.Bearing*r.NormFloat64(), elevation+s.Elevation*r.NormFloat64()), 0
			for i := range dim {
				for j := range i + 1 {
					sum[k] += (z[i] - x[i]) * (z[j] - x[j]) / n
					k++
				}
			}
		}
		for k := range cov {
			if math.Abs(cov[k]-sum[k]) > 0.02*(cov[0]+cov[2]) {
				t.Errorf("%d axes: %v, want %v", dim, cov, sum)
				break
			}
		}
		for _, x := range [][]float64{at(0, 0, 0), at(10, 0, math.Pi/2)} {
			cov, k := mat.NewSymDense(dim, nil), 0
			for i := range dim {
				for j := range i + 1 {
					cov.SetSym(i, j, s.appendCov(nil, x)[k])
					k++
				}
			}
			if new(mat.Cholesky).Factorize(cov) == false {
				t.Errorf("at %v: %v is not positive definite", x, mat.Formatted(cov))
			}
		}
	}
}

// TestPolarTold: detections of sensors whose noise is polar tell covariances of where they are;
// others, and those that tell their own, stay.
func TestPolarTold(t *testing.T) {
	of := Sight{Place: [3]float64{5, 5}, Range: 1, Bearing: 0.1}
	m := &Levels{Polar: &Polar{Sensors: []Sight{{}, of}}}
	pos := []float64{5, 25, 15, 5}
	scans := []mtt.Scan{{Dim: 2, Pos: pos}, {Sensor: 1, Dim: 2, Pos: pos}, {Sensor: 2, Dim: 2, Pos: pos}, {Sensor: 1, Dim: 2, Pos: pos, Cov: []float64{1, 0, 1, 1, 0, 1}}, {Sensor: 1}}
	told := m.Told(scans)
	if told[0].Cov != nil || told[2].Cov != nil || told[3].CovAt(0)[0] != 1 || told[4].Cov != nil || scans[1].Cov != nil {
		t.Fatal(told)
	}
	// 20 m and 10 m away, upwards and to the right.
	for k, want := range []float64{401 * 0.01, 0, 1, 1, 0, 101 * 0.01} {
		if math.Abs(told[1].Cov[k]-want) > 1e-12 {
			t.Errorf("%v is told", told[1].Cov)
			break
		}
	}
}

// seen are tracks of targets that pass two sensors which see them by turns: the noise of the first
// is that of s, of the other 4 m along all axes.
func seen(r *rand.Rand, s *Sight, dim int, round bool) (tracks []mtt.Track) {
	for i := range 40 {
		tr := mtt.Track{ID: i + 1, Dim: dim}
		var x, v [3]float64
		for k := range dim {
			x[k], v[k] = 2000*r.NormFloat64(), 10*r.NormFloat64()
		}
		for f := range 40 {
			scan := mtt.Scan{Frame: f, Time: float64(f), Sensor: f % 2, Dim: dim}
			var d [3]float64
			for k := range dim {
				step := r.NormFloat64()
				v[k] += step
				x[k] += v[k] - step/2 + r.NormFloat64()/math.Sqrt(12)
				d[k] = x[k] - s.Place[k]
			}
			switch {
			case f%2 == 1:
				scan.Cov = make([]float64, 0, 6)
				scan.Cov = isotropic(scan.Cov, 4, dim, 1)
				fallthrough
			case round:
				for k := range dim {
					scan.Pos = append(scan.Pos, x[k]+4*r.NormFloat64())
				}
			default:
				flat := math.Hypot(d[0], d[1])
				away := math.Hypot(flat, d[2]) + s.Range*r.NormFloat64()
				b, e := math.Atan2(d[1], d[0])+s.Bearing*r.NormFloat64(), math.Atan2(d[2], flat)+s.Elevation*r.NormFloat64()
				scan.Pos = []float64{s.Place[0] + away*math.Cos(b)*math.Cos(e), s.Place[1] + away*math.Sin(b)*math.Cos(e), s.Place[2] + away*math.Sin(e)}[:dim]
			}
			if scan.Cov == nil {
				scan.Cov = isotropic(nil, 10, dim, 1)
			}
			tr.Append(&scan, 0)
		}
		tracks = append(tracks, tr)
	}
	return tracks
}

// TestFitPolar: what a sensor errs by is learnt from tracks that it makes together with another
// one, in a plane and in space, and that noise which is the same along all directions is not polar.
// What is given stays.
func TestFitPolar(t *testing.T) {
	time, sensor := func(frame int) float64 { return float64(frame) }, func(frame int) int { return frame % 2 }
	for dim := 2; dim <= 3; dim++ {
		want := Sight{Place: [3]float64{500, -800}, Range: 4, Bearing: 0.01}
		if dim == 3 {
			want.Place[2], want.Elevation = 100, 0.02
		}
		places := [][]float64{want.Place[:dim], nil}
		for _, round := range []bool{false, true} {
			tracks := seen(rand.New(rand.NewPCG(uint64(dim), 9)), &want, dim, round)
			g := &Levels{Dim: dim, Motion: motion.Velocity{}, Sigma: 10, Accel: 2, SpeedStd: 10, PositionsOnly: true}
			if round { // the noise is known
				g.Accel = 1
				for i := range tracks {
					for h := range tracks[i].Hits {
						isotropic(tracks[i].Cov[h*mtt.Packed(dim):h*mtt.Packed(dim)], 4, dim, 1)
					}
				}
			}
			given, cov := *g, append([]float64{}, tracks[0].Cov...)
			p, nats, hits := FitPolar(g, places, tracks, time, sensor)
			if *g != given || tracks[0].Cov[0] != cov[0] || p == nil || hits < enough/4 {
				t.Fatalf("%d axes: %v of %d hits; what was given has become %v", dim, p, hits, g)
			}
			if likelier := nats > Worth*float64(hits); likelier == round {
				t.Errorf("%d axes, noise the same along all directions %v: %v nat", dim, round, nats)
			}
			got := p.Sensors[0]
			if p.Sensors[1].Range != 0 {
				t.Errorf("the other sensor has %v", p.Sensors[1])
			}
			for _, of := range [][2]float64{{got.Range, want.Range}, {got.Bearing, want.Bearing}, {got.Elevation, want.Elevation}} {
				if !round && of[1] > 0 && math.Abs(of[0]/of[1]-1) > 0.1 {
					t.Errorf("%d axes: %+v, want %+v", dim, got, want)
				}
			}
		}
	}
	if p, _, _ := FitPolar(&Levels{PositionsOnly: true}, [][]float64{{0, 0}}, nil, time, sensor); p != nil {
		t.Error("of nothing", p)
	}
}
