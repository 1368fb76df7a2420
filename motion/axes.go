package motion

import (
	"math"

	"mtt"
)

// This file holds the filter of targets whose axes know nothing of each other.

// Axes is the filter for motions without curves and for noise that is the same along
// all axes and in all detections. The axes are then independent and share one
// covariance of two elements, position and velocity, which a step
//
//	F = [1 A; 0 B]   P ← F P Fᵀ + Q
//
// and a measurement change in some twenty flops. [NewAxes] makes one, and [NewPlane] one whose states take a
// third less memory.
type Axes = axes[[3]float64]

// State is the distribution of position and velocity of Axes, Information its information.
type (
	State       = state[[3]float64]
	Information = information[[3]float64]
)

// A Plane is the filter of Axes in the plane; PlaneState and PlaneInformation are its values.
type (
	Plane            = axes[[2]float64]
	PlaneState       = state[[2]float64]
	PlaneInformation = information[[2]float64]
)

// A vector has an element for each axis, and perhaps more.
type vector interface{ [2]float64 | [3]float64 }

// An axes is Axes for vectors of one size.
type axes[V vector] struct {
	params  Params
	r, rv   float64 // variances of the noise
	pv      float64 // prior variance of a velocity
	dim     int
	vel     bool
	mixture Mixture
	steps   steps
	logs    logs
	gains   gains
	met     meetings
}

// A state is the distribution of position and velocity.
type state[W vector] struct {
	X, V W
	P    [3]float64 // covariance on each axis: elements 00, 01, 11
}

// An information is that about a state, on each axis; positions are counted from Ref.
type information[W vector] struct {
	L      [3]float64 // elements 00, 01, 11
	H0, H1 W
	Ref    W
	best   float64 // −2·log of the largest value, all axes together, once a detection is observed
	rest   float64 // the same of what follows on that detection, less what is left out of the density of it
}

// NewAxes makes a filter. It panics when the motion is [Curved].
func NewAxes(p *Params) *Axes { return newAxes[[3]float64](p) }

// NewPlane is NewAxes for two dimensions.
func NewPlane(p *Params) *Plane { return newAxes[[2]float64](p) }

func newAxes[V vector](p *Params) *axes[V] {
	a := new(axes[V])
	a.Reset(p)
	return a
}

// Reset makes a what NewAxes would make, without memory of its own. It panics when the motion is [Curved].
func (a *axes[V]) Reset(p *Params) {
	if _, curved := p.model().(Curved); curved {
		panic("motion: a curved motion needs the filter Full")
	}
	a.params, a.dim, a.vel = *p, p.Dim, !p.PositionsOnly
	a.r, a.rv, a.pv = p.Sigma*p.Sigma, p.SigmaV*p.SigmaV, p.SpeedStd*p.SpeedStd
	dim := float64(p.Dim)
	if a.vel {
		dim *= 2
	}
	a.mixture = newMixture(p, dim)
	a.steps, a.gains = steps{}, gains{}
}

// Fork implements [Filter].
func (a *axes[V]) Fork() Filter[state[V], information[V]] { return newAxes[V](&a.params) }

// Wide implements [Filter].
func (a *axes[V]) Wide() Filter[state[V], information[V]] {
	if a.params.OutlierProb == 0 {
		return nil
	}
	wide := a.params
	wide.Sigma *= wide.OutlierTimes
	return newAxes[V](&wide)
}

// Mixture implements [Filter].
func (a *axes[V]) Mixture() *Mixture { return &a.mixture }

// Start implements [Filter].
func (a *axes[V]) Start(dst *state[V], s *mtt.Scan, i int) {
	*dst = state[V]{P: [3]float64{a.r, 0, a.pv}}
	for n, x := range s.At(i) {
		dst.X[n] = x
	}
	if a.vel {
		// the prior matters where velocities are hardly better than it
		k := a.pv / (a.pv + a.rv)
		for n, v := range s.VelAt(i) {
			dst.V[n] = k * v
		}
		dst.P[2] = k * a.rv
	}
}

// First implements [Filter].
func (a *axes[V]) First(s *mtt.Scan, i int) (c float64) {
	if !a.vel {
		return 0
	}
	v := a.pv + a.rv
	for _, w := range s.VelAt(i) {
		c += (w*w/v + a.logs.of(2*math.Pi*v)) / 2
	}
	return c
}

// Predict implements [Filter].
func (a *axes[V]) Predict(s *state[V], dt float64, kind int) {
	t := a.steps.of(&a.params, dt, kind)
	for n := range a.dim {
		s.X[n] += t.A * s.V[n]
		s.V[n] *= t.B
	}
	s.P = t.spread(s.P)
}

// spread is F P Fᵀ + Q.
func (t *Step) spread(p [3]float64) [3]float64 {
	return [3]float64{
		p[0] + 2*t.A*p[1] + t.A*t.A*p[2] + t.Q[0],
		t.B*(p[1]+t.A*p[2]) + t.Q[1],
		t.B*t.B*p[2] + t.Q[2],
	}
}

// Spread is what Predict makes of the covariance p: covariances do not depend on what
// is measured.
func (a *axes[V]) Spread(p [3]float64, dt float64, kind int) [3]float64 {
	return a.steps.of(&a.params, dt, kind).spread(p)
}

// Innovated is the covariance of the innovation of a state with the covariance p, and
// its determinant, which without velocities are those of the position.
func (a *axes[V]) Innovated(p [3]float64) (s [3]float64, det float64) {
	if !a.vel {
		return [3]float64{p[0] + a.r}, p[0] + a.r
	}
	s = [3]float64{p[0] + a.r, p[1], p[2] + a.rv}
	det = s[0]*s[2] - s[1]*s[1]
	if !(det > cancelled*s[0]*s[2]) {
		det = determinant(p) + p[0]*a.rv + p[2]*a.r + a.r*a.rv
	}
	return s, det
}

// Gain is the Kalman gain k of a state with the covariance p, P·S⁻¹, and the
// covariance after the update, (I−K)·P. Without velocities the second column of the
// gain is 0.
func (a *axes[V]) Gain(p [3]float64) (k [2][2]float64, after [3]float64) {
	s, det := a.Innovated(p)
	if !a.vel {
		k[0][0], k[1][0] = p[0]/det, p[1]/det
		after = [3]float64{p[0] - k[0][0]*p[0], p[1] - k[0][0]*p[1], p[2] - k[1][0]*p[1]}
		if !(after[0] > cancelled*p[0]) && a.r > 0 { // K·R, and no less than what makes it a covariance
			after = [3]float64{k[0][0] * a.r, k[1][0] * a.r, after[2]}
			if after[0] > 0 {
				after[2] = max(after[2], after[1]*after[1]/after[0])
			}
		}
		return k, after
	}
	k = [2][2]float64{
		{(p[0]*s[2] - p[1]*s[1]) / det, (p[1]*s[0] - p[0]*s[1]) / det},
		{(p[1]*s[2] - p[2]*s[1]) / det, (p[2]*s[0] - p[1]*s[1]) / det},
	}
	after = [3]float64{
		p[0] - k[0][0]*p[0] - k[0][1]*p[1],
		p[1] - k[0][0]*p[1] - k[0][1]*p[2],
		p[2] - k[1][0]*p[1] - k[1][1]*p[2],
	}
	if !(after[0] > cancelled*p[0] && after[2] > cancelled*p[2]) && a.r > 0 && a.rv > 0 {
		d := determinant(p)
		k = [2][2]float64{{(d + p[0]*a.rv) / det, p[1] * a.r / det}, {p[1] * a.rv / det, (d + p[2]*a.r) / det}}
		after = [3]float64{k[0][0] * a.r, k[1][0] * a.r, k[1][1] * a.rv}
	}
	return k, after
}

// cancelled is the share of its parts below which a difference is left to rounding: a sum that is
// the same takes its place, or the least that it can be.
const cancelled = 1e-8

// rounding is that of a number, as a share of it.
const rounding = 1. / (1 << 53)

// determinant is that of a covariance, p₀p₂ − p₁², which is not negative.
func determinant(p [3]float64) float64 { return max(p[0]*p[2]-p[1]*p[1], 0) }

// gains are those that were asked for, and covariances after them, each where its covariance hashes
// to: these come again and again, as determinants do in logs.
type gains [32]struct {
	p     [3]float64
	k     [2][2]float64
	after [3]float64
}

// Innovation implements [Filter].
func (a *axes[V]) Innovation(s *state[V], b *mtt.Scan, i int) Fit {
	var d2 float64
	z := b.At(i)
	c, det := a.Innovated(s.P)
	if !a.vel {
		for n := range a.dim {
			d := z[n] - s.X[n]
			d2 += d * d / det
		}
		return Fit{d2, float64(a.dim) * a.logs.of(2*math.Pi*det)}
	}
	w := b.VelAt(i)
	for n := range a.dim {
		d, e := z[n]-s.X[n], w[n]-s.V[n]
		d2 += (c[2]*d*d - 2*c[1]*d*e + c[0]*e*e) / det
	}
	return Fit{d2, float64(a.dim) * a.logs.of(4*math.Pi*math.Pi*det)}
}

// Update implements [Filter].
func (a *axes[V]) Update(s *state[V], b *mtt.Scan, i int) {
	known := &a.gains[hash(s.P[0])>>59]
	if known.p != s.P || s.P == ([3]float64{}) {
		known.p = s.P
		known.k, known.after = a.Gain(s.P)
	}
	k := &known.k
	s.P = known.after
	z := b.At(i)
	if !a.vel {
		for n := range a.dim {
			d := z[n] - s.X[n]
			s.X[n] += k[0][0] * d
			s.V[n] += k[1][0] * d
		}
		return
	}
	w := b.VelAt(i)
	for n := range a.dim {
		d, e := z[n]-s.X[n], w[n]-s.V[n]
		s.X[n] += k[0][0]*d + k[0][1]*e
		s.V[n] += k[1][0]*d + k[1][1]*e
	}
}

// Observe implements [Filter].
func (a *axes[V]) Observe(e *information[V], s *mtt.Scan, i int) {
	z := s.At(i)
	// Move the reference to the detection: h ← h − L·(shift, 0).
	for n := range a.dim {
		shift := z[n] - e.Ref[n]
		e.H0[n] -= e.L[0] * shift
		e.H1[n] -= e.L[1] * shift
		e.Ref[n] = z[n]
	}
	e.rest = a.least(e) - float64(a.dim)*a.logs.of(2*math.Pi*a.r)
	e.L[0] += 1 / a.r
	if a.vel {
		e.rest -= float64(a.dim) * a.logs.of(2*math.Pi*a.rv)
		e.L[2] += 1 / a.rv
		for n, w := range s.VelAt(i) {
			e.H1[n] += w / a.rv
			e.rest -= w * w / a.rv
		}
	}
	e.best = a.least(e)
}

// least is −2·log of the best that any state could do: −hᵀL⁻¹h, or that of the position
// alone where the velocity is not told.
func (a *axes[V]) least(e *information[V]) (sum float64) {
	l := e.L
	if l[0] == 0 {
		return 0
	}
	det := l[0]*l[2] - l[1]*l[1]
	known := det > 1e-12*l[0]*l[2]
	for n := range a.dim {
		h0, h1 := e.H0[n], e.H1[n]
		if known {
			sum -= (l[2]*h0*h0 - 2*l[1]*h0*h1 + l[0]*h1*h1) / det
		} else {
			sum -= h0 * h0 / l[0]
		}
	}
	return sum
}

// Retreat implements [Filter]: L ← Fᵀ(I+L·Q)⁻¹L·F, h ← Fᵀ(I+L·Q)⁻¹h.
func (a *axes[V]) Retreat(e *information[V], dt float64, kind int) {
	t := a.steps.of(&a.params, dt, kind)
	l := e.L
	// I + L·Q
	m := 1 + l[0]*t.Q[0] + l[1]*t.Q[1]
	b := l[0]*t.Q[1] + l[1]*t.Q[2]
	c := l[1]*t.Q[0] + l[2]*t.Q[1]
	d := 1 + l[1]*t.Q[1] + l[2]*t.Q[2]
	det := m*d - b*c
	var m00, m01, m11 float64
	clear := det > cancelled*m*d
	if !clear {
		var met [3]float64
		met, det = meet(l, t.Q)
		m00, m01, m11 = met[0], met[1], met[2]
	}
	// (I+L·Q)⁻¹
	i00, i01, i10, i11 := d/det, -b/det, -c/det, m/det
	if clear {
		m00 = i00*l[0] + i01*l[1]
		m01 = i00*l[1] + i01*l[2]
		m11 = i10*l[1] + i11*l[2]
	}
	// Fᵀ·M·F with F = [1 A; 0 B]
	e.L = [3]float64{m00, t.A*m00 + t.B*m01, t.A*t.A*m00 + 2*t.A*t.B*m01 + t.B*t.B*m11}
	for n := range a.dim {
		h0 := i00*e.H0[n] + i01*e.H1[n]
		h1 := i10*e.H0[n] + i11*e.H1[n]
		e.H0[n], e.H1[n] = h0, t.A*h0+t.B*h1
	}
}

// meet is C = (I+P·L)⁻¹·P, the covariance of a state that information is added to,
// and the determinant of I+P·L.
func meet(p, l [3]float64) (c [3]float64, det float64) {
	m00 := 1 + p[0]*l[0] + p[1]*l[1]
	m01 := p[0]*l[1] + p[1]*l[2]
	m10 := p[1]*l[0] + p[2]*l[1]
	m11 := 1 + p[1]*l[1] + p[2]*l[2]
	det = m00*m11 - m01*m10
	if !(det > cancelled*m00*m11) {
		d, e := determinant(p), determinant(l)
		det = 1 + max(p[0]*l[0]+2*p[1]*l[1]+p[2]*l[2], 0) + d*e
		return [3]float64{(p[0] + l[2]*d) / det, (p[1] - l[1]*d) / det, (p[2] + l[0]*d) / det}, det
	}
	return [3]float64{(m11*p[0] - m01*p[1]) / det, (m11*p[1] - m01*p[2]) / det, (m00*p[2] - m10*p[1]) / det}, det
}

// meetings are those of covariances with information that were asked for, and logarithms of their
// determinants, each where it hashes to: they come again and again, as gains do.
type meetings [64]meeting

type meeting struct {
	p, l, c [3]float64
	log     float64
}

// of is what meet says of p and l. The zero meeting is that of no covariance with no information.
func (m *meetings) of(p, l [3]float64) *meeting {
	known := &m[hash(p[0]+l[0])>>58]
	if known.p != p || known.l != l {
		c, det := meet(p, l)
		*known = meeting{p, l, c, math.Log(det)}
	}
	return known
}

// Join implements [Filter]: −2·log ∫ N(x; s) exp(−½xᵀLx + hᵀx) dx.
func (a *axes[V]) Join(s *state[V], e *information[V]) Fit {
	l, met := e.L, a.met.of(s.P, e.L)
	c := met.c
	f := Fit{D2: -e.best, Base: float64(a.dim)*met.log + e.best}
	for n := range a.dim {
		x, v := s.X[n]-e.Ref[n], s.V[n]
		h0, h1 := e.H0[n], e.H1[n]
		g0, g1 := h0-l[0]*x-l[1]*v, h1-l[1]*x-l[2]*v
		f.D2 += l[0]*x*x + 2*l[1]*x*v + l[2]*v*v - 2*(h0*x+h1*v) - (c[0]*g0*g0 + 2*c[1]*g0*g1 + c[2]*g1*g1)
	}
	f.D2 = max(f.D2, 0)
	return f
}

// Peak implements [Filter].
func (a *axes[V]) Peak(s *state[V], e *information[V]) float64 {
	if s == nil {
		return e.best // the determinant of I+P·L is at least 1
	}
	return float64(a.dim)*a.met.of(s.P, e.L).log + e.best
}

// Rest implements [Filter].
func (a *axes[V]) Rest(e *information[V]) float64 { return e.rest }

// Open implements [Filter]. On each axis the integral over the position leaves, of the
// velocity v,
//
//	√(2π/L₀₀) exp(h₀²/2L₀₀) · exp(−½ mv² + gv),   m = L₁₁ − L₀₁²/L₀₀,   g = h₁ − h₀L₀₁/L₀₀.
func (a *axes[V]) Open(e *information[V]) float64 {
	l := e.L
	rest := max(l[2]-l[1]*l[1]/l[0], 0)
	wide := 1 + a.pv*rest
	f := float64(a.dim) * a.logs.of(wide*l[0]/(2*math.Pi))
	for n := range a.dim {
		h0, h1 := e.H0[n], e.H1[n]
		g := h1 - h0*l[1]/l[0]
		f -= h0*h0/l[0] + a.pv*g*g/wide
	}
	return f
}

// Ratio implements [Filter].
func (a *axes[V]) Ratio(s *state[V]) float64 {
	v2 := 0.0
	for n := range a.dim {
		v2 += s.V[n] * s.V[n]
	}
	return ratio(s.P, a.pv, v2, a.dim, &a.logs)
}

// ratio is Ratio of a state with the covariance p on each of dim axes, of position and velocity, and
// the squared mean velocity v2. Detections that tell position x and velocity v exactly are
// the best on each axis where they maximise N(x, v; state)/N(v; 0, prior), which is
//
//	√(prior/(2π·det P)) exp(½ m²/(prior−P₁₁))
//
// for a state with mean velocity m and covariance P. Where the prior tells as much
// about the velocity as the state does, the position is what counts.
func ratio(p [3]float64, prior, v2 float64, dim int, logs *logs) float64 {
	det, half := p[0]*p[2]-p[1]*p[1], float64(dim)/2
	det = max(det, rounding*p[0]*p[2])
	if p[2] > 0.9*prior || prior == 0 {
		if p[2] == 0 {
			return half * logs.of(2*math.Pi*p[0])
		}
		return half * logs.of(2*math.Pi*det/p[2])
	}
	return half*logs.of(2*math.Pi*det/prior) - v2/(2*(prior-p[2]))
}

// Estimate implements [Filter].
func (a *axes[V]) Estimate(dst *Estimate, s *state[V], e *information[V]) {
	*dst = Estimate{Dim: a.dim}
	p := s.P
	if e != nil {
		p, _ = meet(s.P, e.L)
	}
	for n := range a.dim {
		x, v := s.X[n], s.V[n]
		if e != nil {
			y := x - e.Ref[n]
			g0, g1 := e.H0[n]-e.L[0]*y-e.L[1]*v, e.H1[n]-e.L[1]*y-e.L[2]*v
			x, v = x+p[0]*g0+p[1]*g1, v+p[1]*g0+p[2]*g1
		}
		dst.X[n], dst.X[a.dim+n] = x, v
		dst.P[packed(n, n)], dst.P[packed(a.dim+n, n)], dst.P[packed(a.dim+n, a.dim+n)] = p[0], p[1], p[2]
	}
}

// Position implements [Filter].
func (a *axes[V]) Position(s *state[V]) (x, v [3]float64, variance float64) {
	for n := range a.dim {
		x[n], v[n] = s.X[n], s.V[n]
	}
	return x, v, s.P[0]
}

// Noise implements [Filter].
func (a *axes[V]) Noise(*mtt.Scan, int) float64 { return a.r }

// LikeState implements [Filter].
func (a *axes[V]) LikeState(s, o *state[V], share float64) bool {
	for k, p := range o.P {
		if !near(s.P[k], p, share) {
			return false
		}
	}
	for n := range a.dim {
		if d := s.X[n] - o.X[n]; d*d > share*share*o.P[0] {
			return false
		}
		if d := s.V[n] - o.V[n]; d*d > share*share*o.P[2] {
			return false
		}
	}
	return true
}

// LikeInformation implements [Filter]; both are counted from the same detection.
func (a *axes[V]) LikeInformation(e, o *information[V], share float64) bool {
	for k, l := range o.L {
		if !near(e.L[k], l, share) {
			return false
		}
	}
	for n := range a.dim {
		if d := e.H0[n] - o.H0[n]; d*d > share*share*o.L[0] {
			return false
		}
		if d := e.H1[n] - o.H1[n]; d*d > share*share*o.L[2] {
			return false
		}
	}
	return true
}
