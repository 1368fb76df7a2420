package costgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// This file tests velocities that are known along a line of sight only, however vague they are across.

// sight gives the detections of s velocities that are known along lines of sight, u, only: to
// along, and across to across, m/s.
func sight(s *mtt.Scan, u, rate []float64, along, across float64) {
	s.Vel, s.VelCov = nil, nil
	for i, v := range rate {
		x, y, vague := u[2*i], u[2*i+1], across*across
		s.Vel = append(s.Vel, v*x, v*y)
		s.VelCov = append(s.VelCov, vague+(along*along-vague)*x*x, (along*along-vague)*x*y, vague+(along*along-vague)*y*y)
	}
}

// TestAcrossCancels: the price of a first link, less that of a false alarm, is the log likelihood
// ratio of position and speed along the line of sight, which knows of no speed across: a normal
// distribution of three numbers. That of a link after it does not depend on how vague the speed
// across is either.
func TestAcrossCancels(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	const dt, along = 3.0, 0.8
	m := &Gaussian{Levels: Levels{
		Sigma: 40, SigmaV: 1.1, Accel: 3, SpeedStd: 70, Interval: 4, Dim: 2,
		Rates: Rates{Detect: 0.9, Survive: 0.98, Births: 0.1, Targets: 9, Clutter: 3, Volume: 1e9},
	}}
	var scans [3]mtt.Scan
	var u, rate [3][]float64
	for k := range scans {
		scans[k] = randomScan(r, 2, 3, dt*float64(k), false)
		for i := range 3 {
			s, c := math.Sincos(7 * r.Float64())
			u[k], rate[k] = append(u[k], c, s), append(rate[k], 70*r.NormFloat64())
			scans[k].Pos[2*i] *= 30
			scans[k].Cov = append(scans[k].Cov, 1600, 0, 1600)
		}
	}
	var before []float64
	for _, across := range []float64{1e4, 1e5, 1e6} {
		for k := range scans {
			sight(&scans[k], u[k], rate[k], along, across)
		}
		now := prices(m, &scans[0], &scans[1], &scans[2])
		for k := range now {
			if before != nil && math.Abs(now[k]-before[k]) > 1e-3 {
				t.Errorf("price %d is %v, and %v where the speed across is known to %g m/s", k, before[k], now[k], across)
			}
		}
		before = now
	}
	for k := range scans {
		sight(&scans[k], u[k], rate[k], along, 1e5)
	}
	compared := 0
	now, ends := prices(m, &scans[0], &scans[1], &scans[2]), m.Ends()
	for i := range 3 {
		for j := range 3 {
			// Of a: the speed along its line of sight corrects N(0, SpeedStd²). Of b: position and
			// speed given that.
			const d, q, n = 70.0 * 70, 9.0, along * along
			a, b := u[0][2*i:][:2], u[1][2*j:][:2]
			gain := d / (d + n)
			var p [2][2]float64 // of the velocity of a
			var x [3]float64
			for k := range 2 {
				for l := range 2 {
					p[k][l] = -gain * d * a[k] * a[l]
				}
				p[k][k] += d
				v := gain * rate[0][i] * a[k]
				x[k] = scans[1].At(j)[k] - scans[0].At(i)[k] - dt*v
				x[2] -= b[k] * v
			}
			x[2] += rate[1][j]
			var c [3][3]float64
			for k := range 2 {
				for l := range 2 {
					c[k][l] = dt * dt * p[k][l]
					c[k][2] += dt * p[k][l] * b[l]
					c[2][2] += b[k] * p[k][l] * b[l]
				}
				c[k][k] += 2*1600 + q*dt*dt*dt/3
				c[k][2] += q * dt * dt / 2 * b[k]
				c[2][k] = c[k][2]
			}
			c[2][2] += q*dt + n
			want := -(3*math.Log(2*math.Pi) + math.Log(minor(c, 0, 1, 2)) + form(c, x)) / 2 // log density
			want += (math.Log(2*math.Pi*(d+n)) + 2) / 2                                     // of the speed alone, at the entropy of two
			want += math.Log(m.Rates.Survive*m.Rates.Detect) - math.Log(m.Rates.Clutter/m.Rates.Volume)
			if form(c, x) > 80 {
				continue // where a price goes on as a root
			}
			compared++
			if got := ends.Clutter - now[3*i+j]; math.Abs(got-want) > 1e-4 {
				t.Errorf("%d and %d: %v nat speak for a link, want %v", i, j, got, want)
			}
		}
	}
	if compared < 4 {
		t.Errorf("%d links are near enough to be compared", compared)
	}
}

// minor is the determinant of a symmetric matrix of three.
func minor(c [3][3]float64, i, j, k int) float64 {
	return c[i][i]*(c[j][j]*c[k][k]-c[j][k]*c[k][j]) - c[i][j]*(c[j][i]*c[k][k]-c[j][k]*c[k][i]) + c[i][k]*(c[j][i]*c[k][j]-c[j][j]*c[k][i])
}

// form is xᵀc⁻¹x, by Cramer's rule.
func form(c [3][3]float64, x [3]float64) (sum float64) {
	for k := range 3 {
		column := c
		for i := range 3 {
			column[i][k] = x[i]
		}
		sum += x[k] * minor(column, 0, 1, 2) / minor(c, 0, 1, 2)
	}
	return sum
}

// TestFitRangeRates: how targets move is learnt from speeds along lines of sight, better than from
// positions alone; how vague they are across changes nothing, nor what is told of the noise: √2 of
// that along.
func TestFitRangeRates(t *testing.T) {
	const accel, fine = 0.3, 20
	time := func(frame int) float64 { return float64(frame) }
	var first float64
	for _, across := range []float64{2e4, 2e5, 2e6} {
		r := rand.New(rand.NewPCG(14, 1))
		var tracks []mtt.Track
		for i := range 30 {
			tr := mtt.Track{ID: i + 1, Dim: 2}
			var x, v [2]float64
			for d := range x {
				x[d], v[d] = 100*r.NormFloat64(), 20*r.NormFloat64()
			}
			for h := range 30 {
				for range fine {
					for d := range x {
						x[d] += v[d] / fine
						v[d] += accel / math.Sqrt(fine) * r.NormFloat64()
					}
				}
				s := mtt.Scan{Frame: h, Dim: 2, Pos: []float64{x[0] + 2*r.NormFloat64(), x[1] + 2*r.NormFloat64()}, Cov: []float64{4, 0, 4}}
				far := math.Hypot(x[0], x[1])
				u := []float64{x[0] / far, x[1] / far}
				sight(&s, u, []float64{u[0]*v[0] + u[1]*v[1] + 0.3*r.NormFloat64()}, 0.3, across)
				tr.Append(&s, 0)
			}
			tracks = append(tracks, tr)
		}
		got := Levels{Dim: 2}
		if !Fit(&got, tracks, time) {
			t.Fatal("nothing to go by")
		}
		if math.Abs(got.SigmaV-0.3*math.Sqrt2) > 1e-3 || math.Abs(math.Log(got.Accel/accel)) > 0.1 || got.ManoeuvreProb != 0 {
			t.Errorf("across %g m/s: %+v, want Accel %v and SigmaV %v", across, got, accel, 0.3*math.Sqrt2)
		}
		if first == 0 {
			first = got.Accel
		}
		if math.Abs(got.Accel/first-1) > 0.01 {
			t.Errorf("across %g m/s: Accel is %v, and was %v", across, got.Accel, first)
		}
	}
}
