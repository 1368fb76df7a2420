package motion

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// This file tests the motion of accelerations that last.

// TestSinger: many small steps by Euler's rule are one of the whole, and two halves are, to rounding,
// whether elements are series or not; back leads from where it came.
func TestSinger(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	near := func(x, y, share float64) bool { return math.Abs(x-y) <= share*math.Abs(y)+1e-300 }
	compose := func(f, q []float64) (ff, qq [9]float64) { // f·f and f·q·fᵀ + q
		for i := range 3 {
			for j := range 3 {
				qq[3*i+j] = q[3*i+j]
				for k := range 3 {
					ff[3*i+j] += f[3*i+k] * f[3*k+j]
					for l := range 3 {
						qq[3*i+j] += f[3*i+k] * q[3*k+l] * f[3*j+l]
					}
				}
			}
		}
		return ff, qq
	}
	for range 300 {
		p := &Params{Model: Singer{}, Dim: 2, AccelStd: 0.1 + rng.Float64(), AccelRevert: math.Exp(-12 + 14*rng.Float64())}
		dt, accel := math.Exp(rng.NormFloat64()), 0.2*rng.Float64()
		var f, q, half, noise [9]float64
		Singer{}.Axis(p, f[:], q[:], dt, accel)
		Singer{}.Axis(p, half[:], noise[:], dt/2, accel)
		ff, qq := compose(half[:], noise[:])
		for k := range 9 {
			if !near(ff[k], f[k], 1e-12) || !near(qq[k], q[k], 1e-9) {
				t.Fatalf("rate %v, dt %v: element %d of two halves is %v, %v, of the whole %v, %v", p.AccelRevert, dt, k, ff[k], qq[k], f[k], q[k])
			}
		}
		x := []float64{1, 2, 0.3, -0.4, 0.5, 0.1}
		back := append([]float64(nil), x...)
		Singer{}.Move(p, back, nil, dt)
		Singer{}.Move(p, back, nil, -dt)
		for k := range x {
			if math.Abs(back[k]-x[k]) > 1e-9*math.Exp(p.AccelRevert*dt) {
				t.Fatalf("rate %v, dt %v: %v is %v there and back", p.AccelRevert, dt, x, back)
			}
		}
	}
	p := &Params{Model: Singer{}, Dim: 2, AccelStd: 0.7, AccelRevert: 0.4}
	for _, dt := range []float64{0.2, 2} { // either side of where series end
		const steps = 20_000
		h := dt / steps
		small := [9]float64{1, h, 0, 0, 1, h, 0, 0, 1 - h*p.AccelRevert}
		var q [9]float64
		for range steps {
			_, next := compose(small[:], q[:])
			for k := range q {
				next[k] -= q[k]
			}
			next[8] += 2 * p.AccelRevert * p.AccelStd * p.AccelStd * h
			q = next
		}
		var f, want [9]float64
		Singer{}.Axis(p, f[:], want[:], dt, 0)
		for k := range q {
			if !near(q[k], want[k], 1e-3) {
				t.Errorf("dt %v: element %d of the noise is %v, in small steps %v", dt, k, want[k], q[k])
			}
		}
	}
}

// TestLinear: what Full predicts of a linear motion, retreats over and joins is what the product of its
// matrices has: the likelihood of a track is the same by its beginning, by its end, and by both
// that meet in its middle.
func TestLinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, dim := range []int{2, 3} {
		p := &Params{Model: Singer{}, Dim: dim, Sigma: 0.2, Accel: 0.1, SpeedStd: 1, AccelStd: 0.3, AccelRevert: 0.2, PositionsOnly: true}
		s := &mtt.Scan{Dim: dim}
		const hits = 9
		for k := range hits {
			for range dim {
				s.Pos = append(s.Pos, float64(k)+rng.NormFloat64())
			}
		}
		f := NewFull(p)
		var ratios []float64
		for cut := 1; cut < hits; cut++ { // −2·log of one target over two that meet there
			var state FullState
			f.Start(&state, s, 0)
			for k := 1; k < cut; k++ {
				f.Predict(&state, 1+0.1*float64(k), Smooth)
				f.Update(&state, s, k)
			}
			f.Predict(&state, 1+0.1*float64(cut), Smooth)
			var e FullInformation
			f.Observe(&e, s, hits-1)
			for k := hits - 2; k >= cut; k-- {
				f.Retreat(&e, 1+0.1*float64(k+1), Smooth)
				f.Observe(&e, s, k)
			}
			joined, open := f.Join(&state, &e), f.Open(&e)
			one := joined.D2 + joined.Base - open
			two := follow(f, s, 0, cut) + follow(f, s, cut, hits)
			ratios = append(ratios, one+two)
		}
		whole := follow(f, s, 0, hits)
		for cut, r := range ratios {
			if math.Abs(r-whole) > 1e-8*math.Abs(whole) {
				t.Errorf("dim %d: cut before %d a track costs %v, from its beginning %v", dim, cut+1, r, whole)
			}
		}
	}
}

// follow is −2·log of the density of detections from … to−1 of s, each a scan, given the first.
func follow(f *Full, s *mtt.Scan, from, to int) (cost float64) {
	var state FullState
	f.Start(&state, s, from)
	for k := from + 1; k < to; k++ {
		f.Predict(&state, 1+0.1*float64(k), Smooth)
		fit := f.Innovation(&state, s, k)
		cost += fit.D2 + fit.Base
		f.Update(&state, s, k)
	}
	return cost
}
