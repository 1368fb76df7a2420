package motion

import "math"

// This file holds the motion of targets whose acceleration lasts.

// A Linear model is a [Curved] one without curves: its axes are alike and independent, and each has
// as many elements, position and velocity first, then those of its own. Its state holds the
// positions of all axes, then their velocities, and so on; [Full] predicts it exactly, and so does
// [Triple] where an axis has three elements.
type Linear interface {
	Curved

	// Axis sets f and q, row-major, to the transition and to the process noise of an axis over dt
	// seconds, as Step has noise. dt may be negative, and q is not asked for then: nil.
	Axis(p *Params, f, q []float64, dt, noise float64)
}

// Singer is an acceleration that lasts: it falls back to zero at the rate AccelRevert while white
// noise keeps it at the standard deviation AccelStd (Singer 1970; Bar-Shalom, Li and Kirubarajan
// 2001, section 8.3.2). To that comes the white acceleration of Velocity. So move targets that are
// pulled, that steer for a while, or that go round about something. With β = AccelRevert, u = βdt
// and e = exp(−u) an axis has
//
//	    ⎡1  dt  (u−1+e)/β²⎤
//	F = ⎢0  1   (1−e)/β   ⎥,   Q = 2β·AccelStd²·∫₀^dt g(s)·g(s)ᵀ ds,   g the last column of F.
//	    ⎣0  0   e         ⎦
type Singer struct{}

// Name implements [Model].
func (Singer) Name() string { return "singer" }

// Step implements [Model]: that of a target whose acceleration is not known, and 0 in the mean.
func (Singer) Step(p *Params, dt, noise float64) Step {
	s := Velocity{}.Step(p, dt, noise)
	var f, q [9]float64
	Singer{}.Axis(p, f[:], q[:], dt, 0)
	a := p.AccelStd * p.AccelStd
	s.Q[0] += q[0] + a*f[2]*f[2]
	s.Q[1] += q[1] + a*f[2]*f[5]
	s.Q[2] += q[4] + a*f[5]*f[5]
	return s
}

// States implements [Curved].
func (Singer) States(p *Params) int { return 3 * p.Dim }

// Prior implements [Curved].
func (Singer) Prior(p *Params, variance []float64) {
	for k := range variance {
		variance[k] = p.AccelStd * p.AccelStd
	}
}

// Move implements [Curved].
func (m Singer) Move(p *Params, x, f []float64, dt float64) {
	var axis [9]float64
	m.Axis(p, axis[:], nil, dt, 0)
	d := p.Dim
	n := 3 * d
	if f != nil {
		clear(f)
		for a := range d {
			for r := range 3 {
				for c := r; c < 3; c++ {
					f[(r*d+a)*n+c*d+a] = axis[3*r+c]
				}
			}
		}
	}
	for a := range d {
		x[a] += axis[1]*x[d+a] + axis[2]*x[2*d+a]
		x[d+a] += axis[5] * x[2*d+a]
		x[2*d+a] *= axis[8]
	}
}

// Noise implements [Curved].
func (m Singer) Noise(p *Params, q []float64, dt float64) {
	var f, axis [9]float64
	m.Axis(p, f[:], axis[:], math.Abs(dt), 0)
	d := p.Dim
	for a := range d {
		for r := range 3 {
			for c := range 3 {
				q[(r*d+a)*3*d+c*d+a] += axis[3*r+c]
			}
		}
	}
}

// Series in u of the elements of Q in units of AccelStd, of dt and of u: 2u·∫₀¹ of products of
// (us−1+exp(−us))/u², (1−exp(−us))/u and exp(−us).
var (
	seriesXX = [8]float64{1. / 10, -1. / 18, 5. / 252, -1. / 180, 17. / 12960, -41. / 151200, 167. / 3326400, -23. / 2721600}
	seriesXV = [8]float64{1. / 4, -1. / 6, 5. / 72, -1. / 45, 17. / 2880, -41. / 30240, 167. / 604800, -23. / 453600}
	seriesXA = [8]float64{1. / 3, -1. / 3, 11. / 60, -13. / 180, 19. / 840, -1. / 168, 247. / 181440, -251. / 907200}
	seriesVV = [8]float64{2. / 3, -1. / 2, 7. / 30, -1. / 12, 31. / 1260, -1. / 160, 127. / 90720, -17. / 60480}
	seriesVA = [8]float64{1, -1, 7. / 12, -1. / 4, 31. / 360, -1. / 40, 127. / 20160, -17. / 12096}
)

// Axis implements [Linear]. The elements of Q lose digits where u is small: there they are their
// series.
func (Singer) Axis(p *Params, f, q []float64, dt, noise float64) {
	b := p.AccelRevert
	u := b * dt
	e := math.Exp(-u)
	g1, g0 := -math.Expm1(-u), u+math.Expm1(-u) // β(1−e)/β, β²(u−1+e)/β²
	if math.Abs(u) < 1e-2 {
		g0 = u * u / 2 * (1 - u/3*(1-u/4*(1-u/5*(1-u/6*(1-u/7)))))
	}
	if b == 0 {
		g1, g0 = dt, dt*dt/2
	} else {
		g1, g0 = g1/b, g0/(b*b)
	}
	f[0], f[1], f[2] = 1, dt, g0
	f[3], f[4], f[5] = 0, 1, g1
	f[6], f[7], f[8] = 0, 0, e
	if q == nil {
		return
	}
	s := Velocity{}.Step(p, dt, noise)
	a := p.AccelStd * p.AccelStd
	var xx, xv, xa, vv, va, aa float64
	if u < 0.15 {
		series := func(c *[8]float64) (sum float64) {
			for k := len(c) - 1; k >= 0; k-- {
				sum = sum*u + c[k]
			}
			return u * sum
		}
		xx, xv, xa, vv, va = series(&seriesXX), series(&seriesXV), series(&seriesXA), series(&seriesVV), series(&seriesVA)
	} else {
		ee := e * e
		xx = (1 - ee + 2*u + 2*u*u*u/3 - 2*u*u - 4*u*e) / (u * u * u * u)
		xv = (ee + 1 - 2*e + 2*u*e - 2*u + u*u) / (u * u * u)
		xa = (1 - ee - 2*u*e) / (u * u)
		vv = (4*e - 3 - ee + 2*u) / (u * u)
		va = (ee + 1 - 2*e) / u
	}
	aa = -math.Expm1(-2 * u)
	d2 := dt * dt
	q[0], q[1], q[2] = s.Q[0]+a*d2*d2*xx, s.Q[1]+a*d2*dt*xv, a*d2*xa
	q[3], q[4], q[5] = q[1], s.Q[2]+a*d2*vv, a*dt*va
	q[6], q[7], q[8] = q[2], q[5], a*aa
}
