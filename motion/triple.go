package motion

import (
	"math"

	"mtt"
)

// This file holds the filter of targets whose axes know nothing of each other and have an
// acceleration.

// A Triple is the filter of a [Linear] motion whose axes have three elements, for noise that is the
// same along all axes and in all detections. As in [Axes] all axes share one covariance, of position,
// velocity and the third, and covariances and what follows from them come again and again, as they
// do not depend on what is measured: they are remembered. It says what [Full] says, a tenth as dear.
// [NewTriple] makes one where [Params.Triple] says that it does.
type Triple struct {
	params  Params
	r, rv   float64    // variances of the noise
	prior   [3]float64 // variances before anything is seen; of positions 0
	dim     int
	vel     bool
	mixture Mixture
	long    longAxes
	logs    logs
	gains   [32]tripleGain
	met     [64]tripleMeeting
	back    [64]tripleReturn
}

// TripleState is the distribution of the state of Triple.
type TripleState struct {
	X [3][3]float64 // by element and axis
	P triangle      // covariance on each axis
}

// TripleInformation is the information of Triple, on each axis; positions are counted from Ref.
type TripleInformation struct {
	L    triangle
	H    [3][3]float64 // by element and axis
	Ref  [3]float64
	best float64 // as in Axes
	rest float64
}

// Triple reports whether the filter of that name is for the motion: it is [Linear], and its axes have
// three elements.
func (p *Params) Triple() bool {
	linear, ok := p.Model.(Linear)
	return ok && linear.States(p) == 3*p.Dim
}

// NewTriple makes a filter. It panics when the motion is not one for it.
func NewTriple(p *Params) *Triple {
	if !p.Triple() {
		panic("motion: the filter Triple is for linear motions with three elements")
	}
	model := p.Model.(Linear)
	a := &Triple{params: *p, dim: p.Dim, vel: !p.PositionsOnly, r: p.Sigma * p.Sigma, rv: p.SigmaV * p.SigmaV, long: longAxes{model: model}}
	var third [3]float64
	model.Prior(p, third[:p.Dim])
	a.prior = [3]float64{0, p.SpeedStd * p.SpeedStd, third[0]}
	dim := float64(p.Dim)
	if a.vel {
		dim *= 2
	}
	a.mixture = newMixture(p, dim)
	return a
}

// Fork implements [Filter].
func (a *Triple) Fork() Filter[TripleState, TripleInformation] { return NewTriple(&a.params) }

// Wide implements [Filter].
func (a *Triple) Wide() Filter[TripleState, TripleInformation] {
	if a.params.OutlierProb == 0 {
		return nil
	}
	wide := a.params
	wide.Sigma *= wide.OutlierTimes
	return NewTriple(&wide)
}

// Mixture implements [Filter].
func (a *Triple) Mixture() *Mixture { return &a.mixture }

// Start implements [Filter].
func (a *Triple) Start(dst *TripleState, s *mtt.Scan, i int) {
	*dst = TripleState{P: triangle{0: a.r, 2: a.prior[1], 5: a.prior[2]}}
	copy(dst.X[0][:], s.At(i))
	if a.vel {
		// the prior matters where velocities are hardly better than it
		k := a.prior[1] / (a.prior[1] + a.rv)
		for n, v := range s.VelAt(i) {
			dst.X[1][n] = k * v
		}
		dst.P[2] = k * a.rv
	}
}

// First implements [Filter].
func (a *Triple) First(s *mtt.Scan, i int) (c float64) {
	if !a.vel {
		return 0
	}
	v := a.prior[1] + a.rv
	for _, w := range s.VelAt(i) {
		c += (w*w/v + a.logs.of(2*math.Pi*v)) / 2
	}
	return c
}

// Predict implements [Filter].
func (a *Triple) Predict(s *TripleState, dt float64, kind int) {
	t := a.long.of(&a.params, dt, kind)
	f, q := (*square)(&t.f.v), &t.q.v
	for n := range a.dim {
		s.X[0][n], s.X[1][n], s.X[2][n] = f.times(s.X[0][n], s.X[1][n], s.X[2][n])
	}
	p := f.spread(&s.P)
	s.P = triangle{p[0] + q[0], p[1] + q[3], p[2] + q[4], p[3] + q[6], p[4] + q[7], p[5] + q[8]}
}

// Innovation implements [Filter].
func (a *Triple) Innovation(s *TripleState, b *mtt.Scan, i int) Fit {
	var d2 float64
	z, c := b.At(i), s.P[0]+a.r
	if !a.vel {
		for n := range a.dim {
			d := z[n] - s.X[0][n]
			d2 += d * d
		}
		return Fit{d2 / c, float64(a.dim) * a.logs.of(2*math.Pi*c)}
	}
	w, cv := b.VelAt(i), s.P[2]+a.rv
	det := c*cv - s.P[1]*s.P[1]
	if !(det > cancelled*c*cv) {
		det = determinant([3]float64(s.P[:3])) + s.P[0]*a.rv + s.P[2]*a.r + a.r*a.rv
	}
	for n := range a.dim {
		d, e := z[n]-s.X[0][n], w[n]-s.X[1][n]
		d2 += (cv*d*d - 2*s.P[1]*d*e + c*e*e) / det
	}
	return Fit{d2, float64(a.dim) * a.logs.of(4*math.Pi*math.Pi*det)}
}

// A tripleGain is the Kalman gain of a state with the covariance p, by element, of a measured position
// and velocity, and the covariance after the update.
type tripleGain struct {
	p, after triangle
	k        [3][2]float64
}

// gain is that of a covariance, remembered where it hashes to.
func (a *Triple) gain(p *triangle) *tripleGain {
	known := &a.gains[hash(p[0])>>59]
	if known.p == *p && *p != (triangle{}) {
		return known
	}
	known.p = *p
	c := [3][2]float64{{p[0], p[1]}, {p[1], p[2]}, {p[3], p[4]}} // with position and velocity
	if s := p[0] + a.r; !a.vel {
		for e := range known.k {
			known.k[e] = [2]float64{c[e][0] / s, 0}
		}
	} else {
		v := p[2] + a.rv
		det := s*v - p[1]*p[1]
		for e := range known.k {
			known.k[e] = [2]float64{(c[e][0]*v - c[e][1]*p[1]) / det, (c[e][1]*s - c[e][0]*p[1]) / det}
		}
	}
	for e := range 3 {
		for f := range e + 1 {
			known.after[packed(e, f)] = p[packed(e, f)] - known.k[e][0]*c[f][0] - known.k[e][1]*c[f][1]
		}
	}
	if !(known.after[0] > cancelled*p[0] && (!a.vel || known.after[2] > cancelled*p[2])) && a.r > 0 {
		a.settle(known)
	}
	return known
}

// settle is what [Full] does for a covariance that rounding leaves little of.
func (a *Triple) settle(g *tripleGain) {
	measured := 1
	if a.vel && a.rv > 0 {
		measured = 2
		p := [3]float64(g.p[:3])
		d := determinant(p)
		det := d + p[0]*a.rv + p[2]*a.r + a.r*a.rv
		g.k[0] = [2]float64{(d + p[0]*a.rv) / det, p[1] * a.r / det}
		g.k[1] = [2]float64{p[1] * a.rv / det, (d + p[2]*a.r) / det}
		g.after[2], g.after[4] = g.k[1][1]*a.rv, g.k[2][1]*a.rv
	}
	g.after[0], g.after[1], g.after[3] = g.k[0][0]*a.r, g.k[1][0]*a.r, g.k[2][0]*a.r
	covariant(g.after[:], 3, measured)
}

// Update implements [Filter].
func (a *Triple) Update(s *TripleState, b *mtt.Scan, i int) {
	known := a.gain(&s.P)
	k, z := &known.k, b.At(i)
	s.P = known.after
	var w []float64
	if a.vel {
		w = b.VelAt(i)
	}
	for n := range a.dim {
		d := z[n] - s.X[0][n]
		var e float64
		if a.vel {
			e = w[n] - s.X[1][n]
		}
		s.X[0][n] += k[0][0]*d + k[0][1]*e
		s.X[1][n] += k[1][0]*d + k[1][1]*e
		s.X[2][n] += k[2][0]*d + k[2][1]*e
	}
}

// Observe implements [Filter].
func (a *Triple) Observe(e *TripleInformation, s *mtt.Scan, i int) {
	z := s.At(i)
	// Move the reference to the detection: h ← h − L·(shift, 0, 0).
	for n := range a.dim {
		shift := z[n] - e.Ref[n]
		e.H[0][n] -= e.L[0] * shift
		e.H[1][n] -= e.L[1] * shift
		e.H[2][n] -= e.L[3] * shift
		e.Ref[n] = z[n]
	}
	e.rest = a.least(e) - float64(a.dim)*a.logs.of(2*math.Pi*a.r)
	e.L[0] += 1 / a.r
	if a.vel {
		e.rest -= float64(a.dim) * a.logs.of(2*math.Pi*a.rv)
		e.L[2] += 1 / a.rv
		for n, w := range s.VelAt(i) {
			e.H[1][n] += w / a.rv
			e.rest -= w * w / a.rv
		}
	}
	e.best = a.least(e)
}

// least is −hᵀL⁻¹h, what L does not tell left out.
func (a *Triple) least(e *TripleInformation) (sum float64) {
	const told = 1e-12
	l := &e.L
	if l[0] == 0 {
		return 0
	}
	c1, c2 := l[1]/l[0], l[3]/l[0]
	p1, r, p2 := l[2]-c1*l[1], l[4]-c1*l[3], l[5]-c2*l[3] // elimination, positions first
	var i1, i2, c3 float64
	if p1 > told*l[2] {
		i1, c3 = 1/p1, r/p1
		p2 -= c3 * r
	}
	if p2 > told*l[5] {
		i2 = 1 / p2
	}
	for n := range a.dim {
		h0 := e.H[0][n]
		h1 := e.H[1][n] - c1*h0
		h2 := e.H[2][n] - c2*h0 - c3*h1
		sum -= h0*h0/l[0] + h1*h1*i1 + h2*h2*i2
	}
	return sum
}

// A tripleReturn is what a step of dt seconds of a kind makes of information backward: L becomes after,
// h becomes gᵀ·h.
type tripleReturn struct {
	l, after triangle
	dt       float64
	kind     int
	g        square
}

// Retreat implements [Filter]: L ← Fᵀ(I+L·Q)⁻¹L·F, h ← Fᵀ(I+L·Q)⁻¹h.
func (a *Triple) Retreat(e *TripleInformation, dt float64, kind int) {
	known := &a.back[hash(e.L[0]+dt)>>58]
	if known.l != e.L || known.dt != dt || known.kind != kind {
		t := a.long.of(&a.params, dt, kind)
		f, q := (*square)(&t.f.v), &t.q.v
		inv, det := meeting3(&triangle{q[0], q[3], q[4], q[6], q[7], q[8]}, &e.L) // (I+Q·L)⁻¹
		back := inv.transposed()
		m := back.onto(&e.L)
		if !(det > cancelled*(1+q[0]*e.L[0])*(1+q[4]*e.L[2])*(1+q[8]*e.L[5])) {
			var c square
			l := e.L.square()
			meetRoot(c[:], l[:], q[:], 3)
			m = triangle{c[0], c[3], c[4], c[6], c[7], c[8]}
			inv = (*square)(q).product(&c) // I − Q·M
			for k := range inv {
				inv[k] = -inv[k]
			}
			for k := 0; k < len(inv); k += 4 {
				inv[k]++
			}
		}
		transposed := f.transposed()
		*known = tripleReturn{l: e.L, dt: dt, kind: kind, g: inv.product(f), after: transposed.spread(&m)}
	}
	e.L = known.after
	g := known.g.transposed()
	for n := range a.dim {
		e.H[0][n], e.H[1][n], e.H[2][n] = g.times(e.H[0][n], e.H[1][n], e.H[2][n])
	}
}

// A tripleMeeting is that of a covariance with information: C = (I+P·L)⁻¹·P, and the logarithm of the
// determinant of I+P·L.
type tripleMeeting struct {
	p, l, c triangle
	log     float64
}

// meet is the meeting of p and l, remembered where it hashes to. The zero meeting is that of no
// covariance with no information.
func (a *Triple) meet(p, l *triangle) *tripleMeeting {
	known := &a.met[hash(p[0]+l[0])>>58]
	if known.p != *p || known.l != *l {
		inv, det := meeting3(p, l)
		*known = tripleMeeting{*p, *l, inv.onto(p), math.Log(det)}
		if most := (1 + p[0]*l[0]) * (1 + p[2]*l[2]) * (1 + p[5]*l[5]); !(det > cancelled*most) {
			var c [9]float64
			ps, ls := p.square(), l.square()
			known.log = math.Log(meetRoot(c[:], ps[:], ls[:], 3))
			known.c = triangle{c[0], c[3], c[4], c[6], c[7], c[8]}
		}
	}
	return known
}

// Join implements [Filter]: −2·log ∫ N(x; s) exp(−½ xᵀLx + hᵀx) dx.
func (a *Triple) Join(s *TripleState, e *TripleInformation) Fit {
	met := a.meet(&s.P, &e.L)
	f := Fit{D2: -e.best, Base: float64(a.dim)*met.log + e.best}
	for n := range a.dim {
		x, v, w := s.X[0][n]-e.Ref[n], s.X[1][n], s.X[2][n]
		h0, h1, h2 := e.H[0][n], e.H[1][n], e.H[2][n]
		l0, l1, l2 := e.L.times(x, v, w)
		g0, g1, g2 := h0-l0, h1-l1, h2-l2
		c0, c1, c2 := met.c.times(g0, g1, g2)
		f.D2 += (l0-2*h0)*x + (l1-2*h1)*v + (l2-2*h2)*w - c0*g0 - c1*g1 - c2*g2
	}
	f.D2 = max(f.D2, 0)
	return f
}

// Peak implements [Filter].
func (a *Triple) Peak(s *TripleState, e *TripleInformation) float64 {
	if s == nil {
		return e.best // the determinant of I+P·L is at least 1
	}
	return float64(a.dim)*a.meet(&s.P, &e.L).log + e.best
}

// Rest implements [Filter].
func (a *Triple) Rest(e *TripleInformation) float64 { return e.rest }

// Open implements [Filter]. On each axis the integral over the position leaves, of velocity and
// acceleration u with the prior N(0, D),
//
//	√(2π/L₀₀) exp(h₀²/2L₀₀) · exp(−½ uᵀMu + gᵀu),   M = L_uu − L_u0·L_0u/L₀₀,   g = h_u − L_u0·h₀/L₀₀.
func (a *Triple) Open(e *TripleInformation) float64 {
	l, d1, d2 := &e.L, a.prior[1], a.prior[2]
	c1, c2 := l[1]/l[0], l[3]/l[0]
	m11, m12, m22 := max(l[2]-c1*l[1], 0), l[4]-c1*l[3], max(l[5]-c2*l[3], 0)
	// (I+D·M)⁻¹·D
	det := (1+d1*m11)*(1+d2*m22) - d1*d2*m12*m12
	if !(det > cancelled*(1+d1*m11)*(1+d2*m22)) {
		det = 1 + d1*m11 + d2*m22 + d1*d2*determinant([3]float64{m11, m12, m22})
	}
	i11, i12, i22 := (1+d2*m22)*d1/det, -d1*d2*m12/det, (1+d1*m11)*d2/det
	f := float64(a.dim) * a.logs.of(det*l[0]/(2*math.Pi))
	for n := range a.dim {
		h0 := e.H[0][n]
		g1, g2 := e.H[1][n]-c1*h0, e.H[2][n]-c2*h0
		f -= h0*h0/l[0] + i11*g1*g1 + 2*i12*g1*g2 + i22*g2*g2
	}
	return f
}

// Ratio implements [Filter], of position and velocity, as that of [Axes].
func (a *Triple) Ratio(s *TripleState) float64 {
	v2 := 0.0
	for n := range a.dim {
		v2 += s.X[1][n] * s.X[1][n]
	}
	return ratio([3]float64(s.P[:3]), a.prior[1], v2, a.dim, &a.logs)
}

// Estimate implements [Filter].
func (a *Triple) Estimate(dst *Estimate, s *TripleState, e *TripleInformation) {
	*dst = Estimate{Dim: a.dim}
	p := s.P
	if e != nil {
		p = a.meet(&s.P, &e.L).c
	}
	for n := range a.dim {
		x, v := s.X[0][n], s.X[1][n]
		if e != nil {
			l0, l1, l2 := e.L.times(x-e.Ref[n], v, s.X[2][n])
			c0, c1, _ := p.times(e.H[0][n]-l0, e.H[1][n]-l1, e.H[2][n]-l2)
			x, v = x+c0, v+c1
		}
		dst.X[n], dst.X[a.dim+n] = x, v
		dst.P[packed(n, n)], dst.P[packed(a.dim+n, n)], dst.P[packed(a.dim+n, a.dim+n)] = p[0], p[1], p[2]
	}
}

// SmoothTrack implements [Filter].
func (a *Triple) SmoothTrack(s []TripleState, dt []float64, kind []int, _ *mtt.Scan, _ func(k int) bool) {
	for k := len(s) - 2; k >= 0; k-- {
		at, next := &s[k], &s[k+1]
		before := *at
		a.Predict(&before, dt[k], of(kind, k))
		F := a.long.of(&a.params, dt[k], of(kind, k)).f.v
		// (P⁻)·Gᵀ = F·P. What has no variance, before or after, takes no part.
		p, q := at.P.square(), before.P.square()
		for e := range 3 {
			if q[4*e] == 0 {
				q[4*e] = 1
			}
		}
		gt := (*square)(&F).product(&p)
		eliminate(q[:], gt[:], 3, 3)
		g := gt.transposed()
		var change triangle // P' − P⁻
		for e := range change {
			change[e] = next.P[e] - before.P[e]
		}
		for e, v := range g.spread(&change) {
			at.P[e] += v
		}
		for n := range a.dim {
			x, v, w := g.times(next.X[0][n]-before.X[0][n], next.X[1][n]-before.X[1][n], next.X[2][n]-before.X[2][n])
			at.X[0][n], at.X[1][n], at.X[2][n] = at.X[0][n]+x, at.X[1][n]+v, at.X[2][n]+w
		}
	}
}

// Position implements [Filter].
func (a *Triple) Position(s *TripleState) (x, v [3]float64, variance float64) {
	return s.X[0], s.X[1], s.P[0]
}

// Noise implements [Filter].
func (a *Triple) Noise(*mtt.Scan, int) float64 { return a.r }

// LikeState implements [Filter].
func (a *Triple) LikeState(s, o *TripleState, share float64) bool {
	return a.like(&s.P, &o.P, &s.X, &o.X, share)
}

// LikeInformation implements [Filter]; both are counted from the same detection.
func (a *Triple) LikeInformation(e, o *TripleInformation, share float64) bool {
	return a.like(&e.L, &o.L, &e.H, &o.H, share)
}

// like compares matrices by their diagonals, and vectors by these.
func (a *Triple) like(p, q *triangle, x, y *[3][3]float64, share float64) bool {
	for r := range 3 {
		v := q[packed(r, r)]
		if !near(p[packed(r, r)], v, share) {
			return false
		}
		for c := range r {
			if d := p[packed(r, c)] - q[packed(r, c)]; d*d > share*share*v*q[packed(c, c)] {
				return false
			}
		}
		for n := range a.dim {
			if d := x[r][n] - y[r][n]; d*d > share*share*v {
				return false
			}
		}
	}
	return true
}

// Bounce implements [Filter].
func (a *Triple) Bounce(_, _ *TripleState, _ float64, _ *mtt.Scan, _ int) (Fit, bool) {
	return Fit{}, false
}

// BounceOnto implements [Filter].
func (a *Triple) BounceOnto(*TripleState, float64, *TripleInformation) (Fit, bool) {
	return Fit{}, false
}

// BouncePeak implements [Filter].
func (a *Triple) BouncePeak(e *TripleInformation) float64 { return a.Peak(nil, e) }

// Rebound implements [Filter].
func (a *Triple) Rebound(*TripleInformation, float64, *mtt.Scan, int) bool { return false }

// A triangle is a symmetric matrix of three rows, packed: elements 00, 10, 11, 20, 21, 22.
type triangle [6]float64

// A square is a matrix of three rows, row-major.
type square [9]float64

// square is t, whole.
func (t *triangle) square() square {
	return square{t[0], t[1], t[3], t[1], t[2], t[4], t[3], t[4], t[5]}
}

// times is t·x.
func (t *triangle) times(x, y, z float64) (a, b, c float64) {
	return t[0]*x + t[1]*y + t[3]*z, t[1]*x + t[2]*y + t[4]*z, t[3]*x + t[4]*y + t[5]*z
}

// times is m·x.
func (m *square) times(x, y, z float64) (a, b, c float64) {
	return m[0]*x + m[1]*y + m[2]*z, m[3]*x + m[4]*y + m[5]*z, m[6]*x + m[7]*y + m[8]*z
}

func (m *square) transposed() square {
	return square{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}
}

// product is m·o.
func (m *square) product(o *square) (p square) {
	for c := range 3 {
		p[c], p[3+c], p[6+c] = m.times(o[c], o[3+c], o[6+c])
	}
	return p
}

// onto is m·t, where that is symmetric.
func (m *square) onto(t *triangle) triangle {
	return triangle{
		m[0]*t[0] + m[1]*t[1] + m[2]*t[3],
		m[3]*t[0] + m[4]*t[1] + m[5]*t[3],
		m[3]*t[1] + m[4]*t[2] + m[5]*t[4],
		m[6]*t[0] + m[7]*t[1] + m[8]*t[3],
		m[6]*t[1] + m[7]*t[2] + m[8]*t[4],
		m[6]*t[3] + m[7]*t[4] + m[8]*t[5],
	}
}

// spread is m·t·mᵀ.
func (m *square) spread(t *triangle) (s triangle) {
	a, b, c := t.times(m[0], m[1], m[2])
	s[0] = a*m[0] + b*m[1] + c*m[2]
	a, b, c = t.times(m[3], m[4], m[5])
	s[1], s[2] = a*m[0]+b*m[1]+c*m[2], a*m[3]+b*m[4]+c*m[5]
	a, b, c = t.times(m[6], m[7], m[8])
	s[3], s[4], s[5] = a*m[0]+b*m[1]+c*m[2], a*m[3]+b*m[4]+c*m[5], a*m[6]+b*m[7]+c*m[8]
	return s
}

// meeting3 is (I+P·L)⁻¹, and the determinant of I+P·L.
func meeting3(p, l *triangle) (inv square, det float64) {
	var m square
	m[0], m[3], m[6] = p.times(l[0], l[1], l[3])
	m[1], m[4], m[7] = p.times(l[1], l[2], l[4])
	m[2], m[5], m[8] = p.times(l[3], l[4], l[5])
	m[0]++
	m[4]++
	m[8]++
	c0, c1, c2 := m[4]*m[8]-m[5]*m[7], m[5]*m[6]-m[3]*m[8], m[3]*m[7]-m[4]*m[6]
	det = m[0]*c0 + m[1]*c1 + m[2]*c2
	return square{
		c0 / det, (m[2]*m[7] - m[1]*m[8]) / det, (m[1]*m[5] - m[2]*m[4]) / det,
		c1 / det, (m[0]*m[8] - m[2]*m[6]) / det, (m[2]*m[3] - m[0]*m[5]) / det,
		c2 / det, (m[1]*m[6] - m[0]*m[7]) / det, (m[0]*m[4] - m[1]*m[3]) / det,
	}, det
}
