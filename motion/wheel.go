package motion

import (
	"math"

	"mtt"
)

// This file holds the filter of targets that turn in the plane.

// A Wheel is the filter of [Turn] in the plane, for measured positions whose noise is the same along
// all axes and in all detections. It says what [Full] says, a quarter as dear: matrices of five rows
// lie in place, and where one number is asked for no matrix is inverted. What is asked for seldom, or
// where rounding leaves little, Full answers. [NewWheel] makes one where [Params.Wheel] says that it does.
type Wheel struct {
	full  *Full
	r     float64 // variance of the noise
	steps steps
	ahead wheelAhead

	// Full, of that state and information.
	state       FullState
	information FullInformation
}

// spokes is the number of elements of a state: position, velocity, turn rate.
const spokes = 5

// rim is the number of elements of a packed matrix of as many rows.
const rim = spokes * (spokes + 1) / 2

// WheelState is the distribution of the state of Wheel.
type WheelState struct {
	X [spokes]float64
	P [rim]float64 // packed lower triangle
}

// WheelInformation is the information of Wheel; positions are counted from Ref.
type WheelInformation struct {
	L    [rim]float64 // packed lower triangle
	H    [spokes]float64
	Ref  [2]float64
	best float64 // as in Axes
	rest float64
}

// wheelAhead is [ahead].
type wheelAhead struct {
	from, to WheelState
	dt       float64
}

// Wheel reports whether the filter of that name is for the motion.
func (p *Params) Wheel() bool {
	return p.Model == Model(Turn{}) && p.Dim == 2 && p.PositionsOnly
}

// NewWheel makes a filter. It panics when the motion is not one for it.
func NewWheel(p *Params) *Wheel {
	if !p.Wheel() {
		panic("motion: the filter Wheel is for turns in the plane, of measured positions")
	}
	return &Wheel{full: NewFull(p), r: p.Sigma * p.Sigma}
}

// Fork implements [Filter].
func (a *Wheel) Fork() Filter[WheelState, WheelInformation] { return NewWheel(&a.full.params) }

// Wide implements [Filter].
func (a *Wheel) Wide() Filter[WheelState, WheelInformation] {
	if a.full.params.OutlierProb == 0 {
		return nil
	}
	wide := a.full.params
	wide.Sigma *= wide.OutlierTimes
	return NewWheel(&wide)
}

// Mixture implements [Filter].
func (a *Wheel) Mixture() *Mixture { return &a.full.mixture }

// general is a state as Full has it.
func (a *Wheel) general(s *WheelState) *FullState {
	copy(a.state.X[:], s.X[:])
	copy(a.state.P[:], s.P[:])
	return &a.state
}

// set sets s to a state of Full.
func (s *WheelState) set(f *FullState) {
	s.X, s.P = [spokes]float64(f.X[:]), [rim]float64(f.P[:])
}

// told is information as Full has it.
func (a *Wheel) told(e *WheelInformation) *FullInformation {
	f := &a.information
	copy(f.L[:], e.L[:])
	copy(f.H[:], e.H[:])
	copy(f.Ref[:], e.Ref[:])
	f.best = e.best
	return f
}

// Start implements [Filter].
func (a *Wheel) Start(dst *WheelState, s *mtt.Scan, i int) {
	*dst = WheelState{P: [rim]float64{0: a.r, 2: a.r, 5: a.full.prior[2], 9: a.full.prior[3], 14: a.full.prior[4]}}
	copy(dst.X[:2], s.At(i))
}

// First implements [Filter].
func (a *Wheel) First(*mtt.Scan, int) float64 { return 0 }

// Predict implements [Filter], by the points of [Full.curve].
func (a *Wheel) Predict(s *WheelState, dt float64, kind int) {
	if h := &a.ahead; h.dt != dt || h.from != *s {
		h.from, h.dt = *s, dt
		a.roll(&h.to, s, dt)
	}
	*s = a.ahead.to
	q := &a.steps.of(&a.full.params, dt, kind).Q
	s.P[0] += q[0]
	s.P[2] += q[0]
	s.P[3] += q[1]
	s.P[7] += q[1]
	s.P[5] += q[2]
	s.P[9] += q[2]
}

// roll sets dst to where s comes in dt seconds without the noise of the step.
func (a *Wheel) roll(dst, s *WheelState, dt float64) {
	own, l := a.own(dt), s.P
	l[14] += early * own
	var to fan
	to.send(&s.X, &l, dt)
	to.covariance(&dst.P)
	dst.P[14] += (1 - early) * own
	dst.X = [spokes]float64{s.X[0] + to.mean[0], s.X[1] + to.mean[1], to.mean[2], to.mean[3], s.X[4]}
}

// own is the variance that a step adds to a turn rate.
func (a *Wheel) own(dt float64) float64 {
	walk := a.full.params.TurnWalk
	return walk * walk * math.Abs(dt)
}

// A fan is [points] but for their turn rates, which stay, and the position of the state, which is taken off.
type fan struct {
	ends [2 * spokes][spokes - 1]float64
	mean [spokes - 1]float64
	l    [rim]float64 // √n times the factor
}

// send sends points of a mean and a covariance on their ways.
func (to *fan) send(mean *[spokes]float64, covariance *[rim]float64, dt float64) {
	to.l = *covariance
	pole(&to.l, 0)
	for k := range to.l {
		to.l[k] *= math.Sqrt(spokes)
	}
	to.mean = [spokes - 1]float64{}
	for k := range spokes {
		var d [spokes]float64
		for i := k; i < spokes; i++ {
			d[i] = to.l[packed(i, k)]
		}
		for side := range 2 {
			if side == 1 {
				d = [spokes]float64{-d[0], -d[1], -d[2], -d[3], -d[4]}
			}
			vx, vy := mean[2]+d[2], mean[3]+d[3]
			t := turned(mean[4]+d[4], dt)
			x := &to.ends[2*k+side]
			x[0], x[1] = d[0]+t.a*vx-t.b*vy, d[1]+t.b*vx+t.a*vy
			x[2], x[3] = t.c*vx-t.s*vy, t.s*vx+t.c*vy
			for i := range x {
				to.mean[i] += x[i]
			}
		}
	}
	for i := range to.mean {
		to.mean[i] /= 2 * spokes
	}
}

// covariance sets p to that of the points.
func (to *fan) covariance(p *[rim]float64) {
	var sum [rim]float64
	for k := range spokes {
		x, y := &to.ends[2*k], &to.ends[2*k+1]
		w := to.l[10+k]
		sum[10] += w * (x[0] - y[0])
		sum[11] += w * (x[1] - y[1])
		sum[12] += w * (x[2] - y[2])
		sum[13] += w * (x[3] - y[3])
		sum[14] += 2 * w * w
	}
	m := &to.mean
	for k := range to.ends {
		x := &to.ends[k]
		x0, x1, x2, x3 := x[0]-m[0], x[1]-m[1], x[2]-m[2], x[3]-m[3]
		sum[0] += x0 * x0
		sum[1] += x1 * x0
		sum[2] += x1 * x1
		sum[3] += x2 * x0
		sum[4] += x2 * x1
		sum[5] += x2 * x2
		sum[6] += x3 * x0
		sum[7] += x3 * x1
		sum[8] += x3 * x2
		sum[9] += x3 * x3
	}
	for k := range sum {
		p[k] = sum[k] / (2 * spokes)
	}
}

// pole replaces a packed matrix by its Cholesky factor, as [cholesky] does, and of least 0 as [root]: where
// it has no variance the factor has none.
func pole(l *[rim]float64, least float64) {
	for j := range spokes {
		whole := l[packed(j, j)]
		d := whole
		for k := range j {
			d -= l[packed(j, k)] * l[packed(j, k)]
		}
		d = math.Sqrt(max(d, least*whole))
		l[packed(j, j)] = d
		for i := j + 1; i < spokes; i++ {
			v := l[packed(i, j)]
			for k := range j {
				v -= l[packed(i, k)] * l[packed(j, k)]
			}
			if l[packed(i, j)] = 0; d > 0 {
				l[packed(i, j)] = v / d
			}
		}
	}
}

// Innovation implements [Filter].
func (a *Wheel) Innovation(s *WheelState, b *mtt.Scan, i int) Fit {
	z := b.At(i)
	x, share, y := a.innovated(s)
	dx := z[0] - s.X[0]
	dy := z[1] - s.X[1] - share*dx
	return Fit{D2: dx*dx/x + dy*dy/y, Base: math.Log(4 * math.Pi * math.Pi * x * y)}
}

// innovated says how a position is expected: the variance x of its first coordinate, of which a share is
// in the second one, and the variance y of the rest of that.
func (a *Wheel) innovated(s *WheelState) (x, share, y float64) {
	x, y = s.P[0]+a.r, s.P[2]+a.r
	share = s.P[1] / x
	if y -= share * s.P[1]; !(y > cancelled*(s.P[2]+a.r)) {
		y = (determinant([3]float64(s.P[:3]))+a.r*s.P[2])/x + a.r
	}
	return x, share, y
}

// Update implements [Filter].
func (a *Wheel) Update(s *WheelState, b *mtt.Scan, i int) {
	z, p := b.At(i), s.P
	x, share, y := a.innovated(s)
	dx := z[0] - s.X[0]
	dy := z[1] - s.X[1] - share*dx
	var c, k [spokes][2]float64 // with the one coordinate and the rest of the other, and as shares of their variances
	rounded := false
	for e := range spokes {
		c[e][0] = p[packed(e, 0)]
		c[e][1] = p[packed(e, 1)] - share*c[e][0]
		k[e] = [2]float64{c[e][0] / x, c[e][1] / y}
		s.X[e] += k[e][0]*dx + k[e][1]*dy
		for f := range e + 1 {
			s.P[packed(e, f)] -= k[e][0]*c[f][0] + k[e][1]*c[f][1]
		}
		before := p[packed(e, e)]
		rounded = rounded || !(s.P[packed(e, e)] > cancelled*before) && before > 0
	}
	if !rounded {
		return
	}
	for e := range spokes { // as in [Full.settle]
		if s.P[packed(e, 0)] = (k[e][0] - share*k[e][1]) * a.r; e > 0 {
			s.P[packed(e, 1)] = k[e][1] * a.r
		}
	}
	covariant(s.P[:], spokes, 2)
}

// Observe implements [Filter].
func (a *Wheel) Observe(e *WheelInformation, s *mtt.Scan, i int) {
	z := s.At(i)
	// Move the reference to the detection: h ← h − L·(shift, 0).
	x, y := z[0]-e.Ref[0], z[1]-e.Ref[1]
	l := &e.L
	e.H[0] -= l[0]*x + l[1]*y
	e.H[1] -= l[1]*x + l[2]*y
	e.H[2] -= l[3]*x + l[4]*y
	e.H[3] -= l[6]*x + l[7]*y
	e.H[4] -= l[10]*x + l[11]*y
	e.Ref = [2]float64{z[0], z[1]}
	e.rest = least(e) - 2*math.Log(2*math.Pi*a.r)
	l[0] += 1 / a.r
	l[2] += 1 / a.r
	e.best = least(e)
}

// least is −hᵀL⁻¹h, what L does not tell left out.
func least(e *WheelInformation) (c float64) {
	l, h := e.L, e.H
	for k := range spokes { // elimination, positions first
		pivot := l[packed(k, k)]
		if !(pivot > 1e-12*e.L[packed(k, k)]) {
			continue
		}
		c -= h[k] * h[k] / pivot
		for i := k + 1; i < spokes; i++ {
			share := l[packed(i, k)] / pivot
			h[i] -= share * h[k]
			for j := k + 1; j <= i; j++ {
				l[packed(i, j)] -= share * l[packed(j, k)]
			}
		}
	}
	return c
}

// Retreat implements [Filter], as [Full.Retreat] does.
func (a *Wheel) Retreat(e *WheelInformation, dt float64, kind int) {
	var F, q, l, m five
	var c [spokes]float64
	a.linearise(&F, &q, &c, e, dt)
	step := &a.steps.of(&a.full.params, dt, kind).Q
	for i := range 2 {
		q[i][i] += step[0]
		q[i][2+i] += step[1]
		q[2+i][i] += step[1]
		q[2+i][2+i] += step[2]
	}
	q[4][4] += a.own(dt)
	l.unpack(&e.L)
	m.product(&l, &q)
	h := e.H
	for i := range spokes {
		m[i][i]++
		for j := range spokes {
			h[i] -= l[i][j] * c[j]
		}
	}
	m.solve(&l, &h)
	m.product(&l, &F)
	for i := range spokes {
		v := 0.0
		for k := range spokes {
			v += F[k][i] * h[k]
		}
		e.H[i] = v
		for j := range i + 1 {
			v := 0.0
			for k := range spokes {
				v += F[k][i]*m[k][j] + F[k][j]*m[k][i]
			}
			e.L[packed(i, j)] = v / 2 // of both triangles, which rounding tells apart
		}
	}
	for k := range spokes {
		if l := e.L[packed(k, k)]; k < 2 && l < 0 || !(l < math.Inf(1)) { // as in [Full.Retreat]
			*e = WheelInformation{Ref: e.Ref}
			return
		}
	}
}

// linearise is [Full.linearise].
func (a *Wheel) linearise(F, q *five, c *[spokes]float64, e *WheelInformation, dt float64) {
	var about WheelState
	l := e.L
	for k := 2; k < spokes; k++ {
		l[packed(k, k)] += 1 / a.full.prior[k]
	}
	pole(&l, rounding)
	invert(&about.P, &l)
	var p five
	p.unpack(&about.P)
	for i := range spokes {
		for j := range spokes {
			about.X[i] += p[i][j] * e.H[j]
		}
	}
	var from fan
	from.send(&about.X, &about.P, -dt)
	// With y the ends of x, F = E[(x−x̄)(y−ȳ)ᵀ]·E[(y−ȳ)(y−ȳ)ᵀ]⁻¹ and q = P − F·E[(y−ȳ)(x−x̄)ᵀ].
	var packedYY [rim]float64
	from.covariance(&packedYY)
	var yy, yx, ft five
	yy.unpack(&packedYY)
	for k := range spokes {
		x, y := &from.ends[2*k], &from.ends[2*k+1]
		d := [spokes]float64{x[0] - y[0], x[1] - y[1], x[2] - y[2], x[3] - y[3], 2 * from.l[10+k]}
		for j := k; j < spokes; j++ {
			w := from.l[packed(j, k)] / (2 * spokes)
			for i := range d {
				yx[i][j] += w * d[i]
			}
		}
	}
	ft = yx
	yy.solve(&ft, new([spokes]float64))
	mean := [spokes]float64{about.X[0] + from.mean[0], about.X[1] + from.mean[1], from.mean[2], from.mean[3], about.X[4]}
	for i := range spokes {
		c[i] = about.X[i]
		for k := range spokes {
			F[i][k] = ft[k][i]
			c[i] -= F[i][k] * mean[k]
		}
	}
	for i := range spokes {
		for j := range i + 1 {
			v := p[i][j]
			for k := range spokes {
				v -= (F[i][k]*yx[k][j] + F[j][k]*yx[k][i]) / 2
			}
			if i == j {
				v = max(v, 0)
			}
			q[i][j], q[j][i] = v, v
		}
	}
}

// invert sets dst to the inverse of the matrix that has the factor l.
func invert(dst, l *[rim]float64) {
	var inv [rim]float64 // of l, lower
	for j := range spokes {
		inv[packed(j, j)] = 1 / l[packed(j, j)]
		for i := j + 1; i < spokes; i++ {
			v := 0.0
			for k := j; k < i; k++ {
				v -= l[packed(i, k)] * inv[packed(k, j)]
			}
			inv[packed(i, j)] = v / l[packed(i, i)]
		}
	}
	for i := range spokes {
		for j := range i + 1 {
			v := 0.0
			for k := i; k < spokes; k++ {
				v += inv[packed(k, i)] * inv[packed(k, j)]
			}
			dst[packed(i, j)] = v
		}
	}
}

// five is a matrix of as many rows as a state has elements.
type five [spokes][spokes]float64

// unpack sets m to a packed matrix.
func (m *five) unpack(p *[rim]float64) {
	*m = five{
		{p[0], p[1], p[3], p[6], p[10]},
		{p[1], p[2], p[4], p[7], p[11]},
		{p[3], p[4], p[5], p[8], p[12]},
		{p[6], p[7], p[8], p[9], p[13]},
		{p[10], p[11], p[12], p[13], p[14]},
	}
}

// product sets m to a·b.
func (m *five) product(a, b *five) {
	for i := range m {
		r := &a[i]
		for j := range m[i] {
			m[i][j] = r[0]*b[0][j] + r[1]*b[1][j] + r[2]*b[2][j] + r[3]*b[3][j] + r[4]*b[4][j]
		}
	}
}

// solve solves m·x = b and m·x = y in place, as [eliminate] does: where all of a column is 0 so are the rows of x.
func (m *five) solve(b *five, y *[spokes]float64) {
	for k := range spokes {
		if m.pivot(k, b, y); m[k][k] == 0 {
			continue
		}
		for i := k + 1; i < spokes; i++ {
			share := m[i][k] / m[k][k]
			y[i] -= share * y[k]
			for j := k + 1; j < spokes; j++ {
				m[i][j] -= share * m[k][j]
			}
			for j := range spokes {
				b[i][j] -= share * b[k][j]
			}
		}
	}
	for i := spokes - 1; i >= 0; i-- {
		for k := i + 1; k < spokes; k++ {
			y[i] -= m[i][k] * y[k]
			for j := range spokes {
				b[i][j] -= m[i][k] * b[k][j]
			}
		}
		if m[i][i] == 0 {
			b[i], y[i] = [spokes]float64{}, 0
			continue
		}
		y[i] /= m[i][i]
		for j := range spokes {
			b[i][j] /= m[i][i]
		}
	}
}

// solveOne is solve for y alone, and returns the determinant of m.
func (m *five) solveOne(y *[spokes]float64) (det float64) {
	det = 1
	for k := range spokes {
		if m.pivot(k, nil, y) {
			det = -det
		}
		det *= m[k][k]
		for i := k + 1; i < spokes; i++ {
			share := m[i][k] / m[k][k]
			y[i] -= share * y[k]
			for j := k + 1; j < spokes; j++ {
				m[i][j] -= share * m[k][j]
			}
		}
	}
	for i := spokes - 1; i >= 0; i-- {
		for k := i + 1; k < spokes; k++ {
			y[i] -= m[i][k] * y[k]
		}
		y[i] /= m[i][i]
	}
	return det
}

// pivot brings the row with the largest element of column k to row k, and reports whether that was another one.
func (m *five) pivot(k int, b *five, y *[spokes]float64) bool {
	top := k
	for i := k + 1; i < spokes; i++ {
		if math.Abs(m[i][k]) > math.Abs(m[top][k]) {
			top = i
		}
	}
	if top == k {
		return false
	}
	m[k], m[top] = m[top], m[k]
	y[k], y[top] = y[top], y[k]
	if b != nil {
		b[k], b[top] = b[top], b[k]
	}
	return true
}

// Join implements [Filter]: −2·log ∫ N(x; s) exp(−½ xᵀLx + hᵀx) dx, with (I+P·L)·y = P·(h − L·x).
func (a *Wheel) Join(s *WheelState, e *WheelInformation) Fit {
	var p, l, m five
	p.unpack(&s.P)
	l.unpack(&e.L)
	m.product(&p, &l)
	x := s.X
	x[0] -= e.Ref[0]
	x[1] -= e.Ref[1]
	var g, y [spokes]float64
	fit, most := Fit{D2: -e.best}, 1.0
	for i := range spokes {
		r := &l[i]
		lx := r[0]*x[0] + r[1]*x[1] + r[2]*x[2] + r[3]*x[3] + r[4]*x[4]
		g[i] = e.H[i] - lx
		fit.D2 += (lx - 2*e.H[i]) * x[i]
	}
	for i := range spokes {
		r := &p[i]
		y[i] = r[0]*g[0] + r[1]*g[1] + r[2]*g[2] + r[3]*g[3] + r[4]*g[4]
		m[i][i]++
		most *= m[i][i]
	}
	det := m.solveOne(&y)
	if !(det > cancelled*cancelled*most) {
		return a.full.Join(a.general(s), a.told(e))
	}
	for i := range spokes {
		fit.D2 -= g[i] * y[i]
	}
	fit.Base, fit.D2 = math.Log(det)+e.best, max(fit.D2, 0)
	return fit
}

// Peak implements [Filter]: the determinant of I+P·L is at least 1.
func (a *Wheel) Peak(_ *WheelState, e *WheelInformation) float64 { return e.best }

// Rest implements [Filter].
func (a *Wheel) Rest(e *WheelInformation) float64 { return e.rest }

// Open implements [Filter].
func (a *Wheel) Open(e *WheelInformation) float64 { return a.full.Open(a.told(e)) }

// Ratio implements [Filter].
func (a *Wheel) Ratio(s *WheelState) float64 { return a.full.Ratio(a.general(s)) }

// Estimate implements [Filter].
func (a *Wheel) Estimate(dst *Estimate, s *WheelState, e *WheelInformation) {
	if e == nil {
		a.full.Estimate(dst, a.general(s), nil)
		return
	}
	a.full.Estimate(dst, a.general(s), a.told(e))
}

// SmoothTrack implements [Filter].
func (a *Wheel) SmoothTrack(s []WheelState, dt []float64, kind []int, measured *mtt.Scan, seen func(k int) bool) {
	states := make([]FullState, len(s))
	for k := range s {
		states[k] = *a.general(&s[k])
	}
	a.full.SmoothTrack(states, dt, kind, measured, seen)
	for k := range s {
		s[k].set(&states[k])
	}
}

// Position implements [Filter].
func (a *Wheel) Position(s *WheelState) (x, v [3]float64, variance float64) {
	copy(x[:], s.X[:2])
	copy(v[:], s.X[2:4])
	return x, v, widest(s.P[:], 2)
}

// Noise implements [Filter].
func (a *Wheel) Noise(*mtt.Scan, int) float64 { return a.r }

// LikeState implements [Filter].
func (a *Wheel) LikeState(s, o *WheelState, share float64) bool {
	return a.full.like(s.P[:], o.P[:], s.X[:], o.X[:], share)
}

// LikeInformation implements [Filter]; both are counted from the same detection.
func (a *Wheel) LikeInformation(e, o *WheelInformation, share float64) bool {
	return a.full.like(e.L[:], o.L[:], e.H[:], o.H[:], share)
}

// Bounce implements [Filter].
func (a *Wheel) Bounce(_, _ *WheelState, _ float64, _ *mtt.Scan, _ int) (Fit, bool) {
	return Fit{}, false
}

// BounceOnto implements [Filter].
func (a *Wheel) BounceOnto(*WheelState, float64, *WheelInformation) (Fit, bool) {
	return Fit{}, false
}

// BouncePeak implements [Filter].
func (a *Wheel) BouncePeak(e *WheelInformation) float64 { return a.Peak(nil, e) }

// Rebound implements [Filter].
func (a *Wheel) Rebound(*WheelInformation, float64, *mtt.Scan, int) bool { return false }
