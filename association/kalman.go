package association

import (
	"math"

	"mtt"
	"mtt/costgen"
	tails "mtt/motion"
)

// This file holds the Kalman filter of one track, forward in time, and its
// mirror image, the information filter backward in time. Axes share their
// covariances.

// A motion holds the parameters that both filters need, and what they remember: no two
// goroutines may share one.
type motion struct {
	r, rv, pv float64    // variances: position, velocity measured; prior velocity
	q         [2]float64 // spectral density of acceleration: smooth, in a manoeuvre
	odds      float64    // log of a manoeuvre's probability over a smooth step's; -Inf: there are none
	dof       float64    // dimensions of an innovation
	tail      float64    // degrees of freedom of a manoeuvre
	dim       int
	vel       bool

	logs logs // of determinants
}

func newMotion(m *costgen.Levels, dim int) motion {
	dof := float64(dim)
	if !m.PositionsOnly {
		dof *= 2
	}
	return motion{
		dof: dof,
		r:   m.Sigma * m.Sigma, rv: m.SigmaV * m.SigmaV, pv: m.SpeedStd * m.SpeedStd,
		q:    [2]float64{m.Accel * m.Accel, m.ManoeuvreAccel * m.ManoeuvreAccel},
		odds: math.Log(m.ManoeuvreProb/(1-m.ManoeuvreProb)) + tails.TailPeak(m.Params(dim).Tail(), dof),
		dim:  dim, vel: !m.PositionsOnly, tail: m.Params(dim).Tail(),
	}
}

// logs are logarithms that were asked for, each where its argument hashes to.
// Covariances depend on when targets were detected, not on where, so the same
// determinants come again and again.
type logs [128]struct{ x, log float64 }

// of is the logarithm of x.
func (l *logs) of(x float64) float64 {
	known := &l[math.Float64bits(x)*0x9e3779b97f4a7c15>>57] // 2⁶⁴ over the golden ratio
	if x != known.x || x == 0 {
		known.x, known.log = x, math.Log(x)
	}
	return known.log
}

// smooth and turn are the two kinds of step.
const smooth, turn = 0, 1

// A state is the distribution of position and velocity after some detections.
type state struct {
	x, v [3]float64
	p    [3]float64 // covariance on each axis: elements 00, 01, 11
}

// start is the state after the first detection of a track.
func (m *motion) start(s *mtt.Scan, i int) state {
	st := state{p: [3]float64{m.r, 0, m.pv}}
	copy(st.x[:], s.At(i))
	if m.vel {
		// the prior matters where velocities are hardly better than it
		k := m.pv / (m.pv + m.rv)
		for n, v := range s.VelAt(i) {
			st.v[n] = k * v
		}
		st.p[2] = k * m.rv
	}
	return st
}

// first is the negative log density of the measured velocity of a detection that
// nothing else is known of.
func (m *motion) first(s *mtt.Scan, i int) (c float64) {
	if !m.vel {
		return 0
	}
	v := m.pv + m.rv
	for _, w := range s.VelAt(i) {
		c += (w*w/v + math.Log(2*math.Pi*v)) / 2
	}
	return c
}

// predict moves a state by dt.
func (m *motion) predict(s *state, dt float64, kind int) {
	q := m.q[kind]
	for n := range m.dim {
		s.x[n] += dt * s.v[n]
	}
	p := s.p
	s.p = [3]float64{
		p[0] + 2*dt*p[1] + dt*dt*p[2] + q*dt*dt*dt/3,
		p[1] + dt*p[2] + q*dt*dt/2,
		p[2] + q*dt,
	}
}

// advance moves a state by dt to detection i of b, taking the step as smooth
// or as a manoeuvre, whichever is likelier.
func (m *motion) advance(s *state, dt float64, b *mtt.Scan, i int) (kind int) {
	if m.odds == math.Inf(-1) {
		m.predict(s, dt, smooth)
		return smooth
	}
	calm, wild := *s, *s
	m.predict(&calm, dt, smooth)
	m.predict(&wild, dt, turn)
	if m.gain(m.innovation(&calm, b, i), m.innovation(&wild, b, i)) > 0 {
		*s = wild
		return turn
	}
	*s = calm
	return smooth
}

// A fit says how well something fits a state: −2·log of its density is d2 +
// base, d2 being the squared Mahalanobis distance.
type fit struct {
	d2, base float64
}

// gain is the log of a manoeuvre's likelihood over a smooth step's, odds
// included.
func (m *motion) gain(calm, wild fit) float64 {
	return (calm.d2+calm.base-tails.Tail(m.tail, wild.d2, m.dof)-wild.base)/2 + m.odds
}

// price is the negative log density of the mixture of a smooth step and a
// manoeuvre; its common factor 1−ManoeuvreProb is left out, as it is in costgen.
func (m *motion) price(calm, wild fit) float64 {
	c := (calm.d2 + calm.base) / 2
	if m.odds == math.Inf(-1) {
		return c
	}
	gain := m.gain(calm, wild)
	if gain < 30 {
		gain = math.Log1p(math.Exp(gain))
	}
	return c - gain
}

// innovation says how well detection i fits a predicted state.
func (m *motion) innovation(s *state, b *mtt.Scan, i int) fit {
	var d2 float64
	z := b.At(i)
	if !m.vel {
		c := s.p[0] + m.r
		for n := range m.dim {
			d := z[n] - s.x[n]
			d2 += d * d / c
		}
		return fit{d2, float64(m.dim) * m.logs.of(2*math.Pi*c)}
	}
	s00, s01, s11 := s.p[0]+m.r, s.p[1], s.p[2]+m.rv
	det := s00*s11 - s01*s01
	w := b.VelAt(i)
	for n := range m.dim {
		d, e := z[n]-s.x[n], w[n]-s.v[n]
		d2 += (s11*d*d - 2*s01*d*e + s00*e*e) / det
	}
	return fit{d2, float64(m.dim) * m.logs.of(4*math.Pi*math.Pi*det)}
}

// update conditions a predicted state on detection i.
func (m *motion) update(s *state, b *mtt.Scan, i int) {
	p, z := s.p, b.At(i)
	if !m.vel {
		c := p[0] + m.r
		k0, k1 := p[0]/c, p[1]/c
		for n := range m.dim {
			d := z[n] - s.x[n]
			s.x[n] += k0 * d
			s.v[n] += k1 * d
		}
		s.p = [3]float64{p[0] - k0*p[0], p[1] - k0*p[1], p[2] - k1*p[1]}
		return
	}
	s00, s01, s11 := p[0]+m.r, p[1], p[2]+m.rv
	det := s00*s11 - s01*s01
	k00, k01 := (p[0]*s11-p[1]*s01)/det, (p[1]*s00-p[0]*s01)/det
	k10, k11 := (p[1]*s11-p[2]*s01)/det, (p[2]*s00-p[1]*s01)/det
	w := b.VelAt(i)
	for n := range m.dim {
		d, e := z[n]-s.x[n], w[n]-s.v[n]
		s.x[n] += k00*d + k01*e
		s.v[n] += k10*d + k11*e
	}
	s.p = [3]float64{p[0] - k00*p[0] - k01*p[1], p[1] - k00*p[1] - k01*p[2], p[2] - k10*p[1] - k11*p[2]}
}

// An evidence is what the detections from one time on say about the state at
// that time: their joint density is, up to a factor that does not depend on the state x,
//
//	exp(−½ xᵀ·L·x + hᵀx)
//
// on each axis, positions being counted from ref.
type evidence struct {
	l    [3]float64 // elements 00, 01, 11
	h    [3][2]float64
	ref  [3]float64
	best [3]float64 // −2·log of the largest value on each axis, once a detection is observed
}

// observe adds detection i.
func (m *motion) observe(e *evidence, s *mtt.Scan, i int) {
	z := s.At(i)
	// Move the reference to the detection: h ← h − L·(shift, 0).
	for n := range m.dim {
		shift := z[n] - e.ref[n]
		e.h[n][0] -= e.l[0] * shift
		e.h[n][1] -= e.l[1] * shift
		e.ref[n] = z[n]
	}
	e.l[0] += 1 / m.r
	if m.vel {
		e.l[2] += 1 / m.rv
		for n, w := range s.VelAt(i) {
			e.h[n][1] += w / m.rv
		}
	}
	// The best that any state could do is −hᵀL⁻¹h, or that of the position
	// alone where the evidence does not tell the velocity.
	l := e.l
	det := l[0]*l[2] - l[1]*l[1]
	known := det > 1e-12*l[0]*l[2]
	for n := range m.dim {
		h0, h1 := e.h[n][0], e.h[n][1]
		e.best[n] = -h0 * h0 / l[0]
		if known {
			e.best[n] = -(l[2]*h0*h0 - 2*l[1]*h0*h1 + l[0]*h1*h1) / det
		}
	}
}

// retreat moves the evidence back by dt:
// L ← Fᵀ(I+L·Q)⁻¹L·F, h ← Fᵀ(I+L·Q)⁻¹h.
func (m *motion) retreat(e *evidence, dt float64, kind int) {
	q := m.q[kind]
	q00, q01, q11 := q*dt*dt*dt/3, q*dt*dt/2, q*dt
	l := e.l
	// I + L·Q
	a := 1 + l[0]*q00 + l[1]*q01
	b := l[0]*q01 + l[1]*q11
	c := l[1]*q00 + l[2]*q01
	d := 1 + l[1]*q01 + l[2]*q11
	det := a*d - b*c
	// (I+L·Q)⁻¹
	i00, i01, i10, i11 := d/det, -b/det, -c/det, a/det
	m00 := i00*l[0] + i01*l[1]
	m01 := i00*l[1] + i01*l[2]
	m11 := i10*l[1] + i11*l[2]
	// Fᵀ·M·F with F = [1 dt; 0 1]
	e.l = [3]float64{m00, m01 + dt*m00, m11 + 2*dt*m01 + dt*dt*m00}
	for n := range m.dim {
		h0 := i00*e.h[n][0] + i01*e.h[n][1]
		h1 := i10*e.h[n][0] + i11*e.h[n][1]
		e.h[n] = [2]float64{h0, h1 + dt*h0}
	}
}

// join says how well the evidence goes on from a state predicted for its time:
// −2·log ∫ N(x; s) exp(−½xᵀLx + hᵀx) dx.
func (m *motion) join(s *state, e *evidence) fit {
	p, l := s.p, e.l
	// A = I + P·L
	a := 1 + p[0]*l[0] + p[1]*l[1]
	b := p[0]*l[1] + p[1]*l[2]
	c := p[1]*l[0] + p[2]*l[1]
	d := 1 + p[1]*l[1] + p[2]*l[2]
	det := a*d - b*c
	// C = A⁻¹·P
	c00 := (d*p[0] - b*p[1]) / det
	c01 := (d*p[1] - b*p[2]) / det
	c11 := (a*p[2] - c*p[1]) / det
	f := fit{base: float64(m.dim) * m.logs.of(det)}
	for n := range m.dim {
		x, v := s.x[n]-e.ref[n], s.v[n]
		h0, h1 := e.h[n][0], e.h[n][1]
		g0, g1 := h0-l[0]*x-l[1]*v, h1-l[1]*x-l[2]*v
		f.base += e.best[n]
		f.d2 += l[0]*x*x + 2*l[1]*x*v + l[2]*v*v - 2*(h0*x+h1*v) - (c00*g0*g0 + 2*c01*g0*g1 + c11*g1*g1) - e.best[n]
	}
	f.d2 = max(f.d2, 0)
	return f
}

// open is −2·log of the same integral for a target that is born: its position
// uniform with density 1, its velocity Gaussian of the prior. On each axis the
// integral over the position leaves, of the velocity v,
//
//	√(2π/L₀₀) exp(h₀²/2L₀₀) · exp(−½ mv² + gv),   m = L₁₁ − L₀₁²/L₀₀,   g = h₁ − h₀L₀₁/L₀₀.
func (m *motion) open(e *evidence) float64 {
	l := e.l
	rest := max(l[2]-l[1]*l[1]/l[0], 0)
	wide := 1 + m.pv*rest
	f := float64(m.dim) * m.logs.of(wide*l[0]/(2*math.Pi))
	for n := range m.dim {
		h0, h1 := e.h[n][0], e.h[n][1]
		g := h1 - h0*l[1]/l[0]
		f -= h0*h0/l[0] + m.pv*g*g/wide
	}
	return f
}

// same is the share of a standard deviation, or of a covariance, that makes no
// difference: it changes a price by hardly a hundredth.
const same = 1e-3

// like says whether two states are the same for all purposes.
func (s *state) like(o *state, dim int) bool {
	for k, p := range o.p {
		if !(math.Abs(s.p[k]-p) <= same*math.Abs(p)) {
			return false
		}
	}
	for n := range dim {
		if d := s.x[n] - o.x[n]; d*d > same*same*o.p[0] {
			return false
		}
		if d := s.v[n] - o.v[n]; d*d > same*same*o.p[2] {
			return false
		}
	}
	return true
}

// like says whether two evidences, counted from the same detection, are the same for
// all purposes.
func (e *evidence) like(o *evidence, dim int) bool {
	for k, l := range o.l {
		if !(math.Abs(e.l[k]-l) <= same*math.Abs(l)) {
			return false
		}
	}
	for n := range dim {
		for k := range 2 {
			if d := e.h[n][k] - o.h[n][k]; d*d > same*same*o.l[2*k] {
				return false
			}
		}
	}
	return true
}
