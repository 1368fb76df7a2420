package motion

import (
	"math"

	"mtt"
)

// This file holds the general filter.

// Full is the filter for any motion and any noise: detections have covariances of
// their own where their scans tell them (mtt.Scan.Cov, VelCov), and a [Curved] motion
// couples the axes. Its state is Dim positions, Dim velocities and what the motion
// adds, with one covariance for all. Without curves it is exact; along a curve go points of
// the filtered state, and backward of what the information to come and the prior say together
// (cubature rule, file bend.go).
//
// A step takes some thousand flops in the plane. [NewFull] makes one.
type Full struct {
	params  Params
	curved  Curved    // nil: a straight motion
	long    *longAxes // of a Linear motion; nil: of another
	dim     int
	n, m    int // elements of a state, of a measurement
	vel     bool
	prior   [maxStates]float64 // variances before anything is seen; of positions 0
	mixture Mixture
	widen   float64 // times the covariance of a measured position
	steps   steps
	ahead   ahead

	// Workspace.
	a, b, c, f [maxStates * maxStates]float64
	s, g       [maxStates * (maxStates + 1)]float64
	r          [6 * 6]float64
	z, w       [maxStates]float64
}

// maxStates is the most elements of a state: three positions, velocities and accelerations.
const maxStates = 9

// FullState is the distribution of the state of Full.
type FullState struct {
	X [maxStates]float64
	P [maxStates * (maxStates + 1) / 2]float64 // packed lower triangle
}

// FullInformation is the information of Full; positions are counted from Ref.
type FullInformation struct {
	L    [maxStates * (maxStates + 1) / 2]float64 // packed lower triangle
	H    [maxStates]float64
	Ref  [3]float64
	best float64 // −2·log of the largest value, once a detection is observed
}

// NewFull makes a filter.
func NewFull(p *Params) *Full {
	f := &Full{params: *p, dim: p.Dim, n: 2 * p.Dim, m: p.Dim, vel: !p.PositionsOnly, widen: 1}
	for d := range f.dim {
		f.prior[f.dim+d] = p.SpeedStd * p.SpeedStd
	}
	if curved, ok := p.model().(Curved); ok {
		if linear, ok := curved.(Linear); ok {
			f.long = &longAxes{model: linear}
		} else {
			f.curved = curved
		}
		f.n = curved.States(&f.params)
		if f.n > maxStates {
			panic("motion: a curved motion has too many states")
		}
		curved.Prior(&f.params, f.prior[2*f.dim:f.n])
	}
	if f.vel {
		f.m *= 2
	}
	f.mixture = newMixture(p, float64(f.m))
	return f
}

// Fork implements [Filter].
func (f *Full) Fork() Filter[FullState, FullInformation] { return NewFull(&f.params) }

// Wide implements [Filter].
func (f *Full) Wide() Filter[FullState, FullInformation] {
	if f.params.OutlierProb == 0 {
		return nil
	}
	wide := NewFull(&f.params)
	wide.widen = f.params.OutlierTimes * f.params.OutlierTimes
	return wide
}

// Mixture implements [Filter].
func (f *Full) Mixture() *Mixture { return &f.mixture }

// noise sets f.r, row-major m×m, to the covariance of detection i of s.
func (f *Full) noise(s *mtt.Scan, i int) []float64 {
	m := f.m
	r := f.r[:m*m]
	clear(r)
	f.block(r, 0, s.CovAt(i), f.params.Sigma, f.widen)
	if f.vel {
		f.block(r, f.dim, s.VelCovAt(i), f.params.SigmaV, 1)
	}
	return r
}

// block sets the block of r that begins at element at to a packed covariance, or
// where that is nil to one of standard deviation sigma, so many times.
func (f *Full) block(r []float64, at int, cov []float64, sigma, times float64) {
	for d := range f.dim {
		for e := range f.dim {
			switch {
			case cov != nil:
				r[(at+d)*f.m+at+e] = times * cov[packed(d, e)]
			case d == e:
				r[(at+d)*f.m+at+e] = times * sigma * sigma
			}
		}
	}
}

// measured sets z to detection i of s.
func (f *Full) measured(z []float64, s *mtt.Scan, i int) {
	copy(z, s.At(i))
	if f.vel {
		copy(z[f.dim:], s.VelAt(i))
	}
}

// Start implements [Filter]: the position is the measured one, the velocity what the
// measurement and the prior say together.
func (f *Full) Start(dst *FullState, s *mtt.Scan, i int) {
	*dst = FullState{}
	for k := range f.n {
		dst.P[packed(k, k)] = f.prior[k]
	}
	f.measured(f.z[:f.m], s, i)
	copy(dst.X[:f.dim], f.z[:f.dim])
	r := f.noise(s, i)
	for d := range f.dim {
		for e := range d + 1 {
			dst.P[packed(d, e)] = r[d*f.m+e]
		}
	}
	if !f.vel {
		return
	}
	// Condition the velocity, which is independent of the position.
	d := f.dim
	if l := f.velocity(r); f.condition(dst, l, d, d, f.z[d:2*d]) {
		f.settle(dst, l, d, d, r)
	}
}

// velocity is the Cholesky factor of the covariance of a measured velocity of which the
// prior is all that is known, r being the noise of the measurement.
func (f *Full) velocity(r []float64) []float64 {
	d := f.dim
	sq := f.s[:d*d]
	for i := range d {
		for j := range d {
			sq[i*d+j] = r[(d+i)*f.m+d+j]
			if i == j {
				sq[i*d+j] += f.prior[d+i]
			}
		}
	}
	cholesky(sq, d, rounding, 0)
	return sq
}

// condition conditions s on elements at … at+m−1 of its state being z with noise, l
// being the Cholesky factor of the covariance of the innovation. It reports whether the covariance
// that is left is one that settle has to look at.
func (f *Full) condition(s *FullState, l []float64, at, m int, z []float64) (rounded bool) {
	n := f.n
	// W = L⁻¹ P[at…, :], y = L⁻¹ ν.
	w, y := f.g[:m*n], f.w[:m]
	for i := range m {
		v := z[i] - s.X[at+i]
		for k := range i {
			v -= l[i*m+k] * y[k]
		}
		y[i] = v / l[i*m+i]
		for j := range n {
			v := s.P[packed(at+i, j)]
			for k := range i {
				v -= l[i*m+k] * w[k*n+j]
			}
			w[i*n+j] = v / l[i*m+i]
		}
	}
	for i := range n {
		for k := range m {
			s.X[i] += w[k*n+i] * y[k]
		}
		before := s.P[packed(i, i)]
		for j := range i + 1 {
			p := packed(i, j)
			for k := range m {
				s.P[p] -= w[k*n+i] * w[k*n+j]
			}
		}
		rounded = rounded || !(s.P[packed(i, i)] > cancelled*before) && before > 0
	}
	return rounded
}

// settle is for a state that condition has left to rounding: a sum that is the same, the gain
// times the noise r, takes the place of what was measured, and of the rest at least what makes it a covariance.
func (f *Full) settle(s *FullState, l []float64, at, m int, r []float64) {
	n := f.n
	w := f.g[:m*n] // of condition
	for i := range n {
		for k := m - 1; k >= 0; k-- { // the gain, L⁻ᵀ·W
			for c := k + 1; c < m; c++ {
				w[k*n+i] -= l[c*m+k] * w[c*n+i]
			}
			w[k*n+i] /= l[k*m+k]
		}
	}
	for i := range n {
		for j := range m {
			if i >= at && i < at+m && i < at+j {
				continue // the other triangle
			}
			v := 0.0
			for k := range m {
				v += w[k*n+i] * r[(at+k)*f.m+at+j]
			}
			s.P[packed(i, at+j)] = v
		}
	}
	if at == 0 {
		covariant(s.P[:], n, m)
	}
}

// covariant raises the variances of a packed symmetric matrix, from element m on, to the least with which
// it has no negative one in any direction.
func covariant(p []float64, n, m int) {
	var work [maxStates * maxStates]float64
	a := work[:n*n]
	unpack(a, p, n)
	for k := range n {
		pivot := a[k*n+k]
		if k >= m && !(pivot > 0) {
			p[packed(k, k)] -= pivot
			for j := k + 1; j < n; j++ {
				p[packed(j, k)] -= a[j*n+k]
			}
		}
		if !(pivot > 0) {
			continue
		}
		for i := k + 1; i < n; i++ {
			share := a[i*n+k] / pivot
			for j := k + 1; j < n; j++ {
				a[i*n+j] -= share * a[k*n+j]
			}
		}
	}
}

// cholesky replaces a symmetric matrix, row-major n×n, by its Cholesky factor, in the
// lower triangle. What is left of an element of the diagonal is no less than a share of it, of a
// covariance its rounding, nor than least; of 0 and 0 the last element of the factor is not positive where the matrix is not.
func cholesky(a []float64, n int, share, least float64) {
	for i := range n {
		whole := a[i*n+i]
		for j := range i + 1 {
			v := a[i*n+j]
			for k := range j {
				v -= a[i*n+k] * a[j*n+k]
			}
			if i == j {
				a[i*n+i] = math.Sqrt(max(v, share*whole, least))
			} else {
				a[i*n+j] = v / a[j*n+j]
			}
		}
	}
}

// First implements [Filter].
func (f *Full) First(s *mtt.Scan, i int) float64 {
	if !f.vel {
		return 0
	}
	fit := gauge(f.velocity(f.noise(s, i)), f.w[:f.dim], s.VelAt(i))
	return (fit.D2 + fit.Base) / 2
}

// gauge says how well an innovation v fits a covariance with the Cholesky factor l; y
// is workspace.
func gauge(l, y, v []float64) Fit {
	n := len(v)
	fit := Fit{Base: float64(n) * math.Log(2*math.Pi)}
	det := 1.0
	for i := range n {
		x := v[i]
		for k := range i {
			x -= l[i*n+k] * y[k]
		}
		y[i] = x / l[i*n+i]
		fit.D2 += y[i] * y[i]
		det *= l[i*n+i]
	}
	fit.Base += 2 * math.Log(det)
	return fit
}

// Predict implements [Filter].
func (f *Full) Predict(s *FullState, dt float64, kind int) {
	switch {
	case f.long != nil:
		f.advance(s, f.long.of(&f.params, dt, kind))
	case f.curved == nil:
		f.straight(s, f.steps.of(&f.params, dt, kind))
	default:
		f.curve(s, f.steps.of(&f.params, dt, kind), dt)
	}
}

// straight is Predict for a motion without curves.
func (f *Full) straight(s *FullState, t *Step) {
	d := f.dim
	for i := range d {
		s.X[i] += t.A * s.X[d+i]
		s.X[d+i] *= t.B
	}
	old := s.P
	for i := range d {
		for j := range d {
			pv, vv := old[packed(i, d+j)], old[packed(d+i, d+j)] // position i with velocity j
			q0, q1, q2 := 0.0, 0.0, 0.0
			if i == j {
				q0, q1, q2 = t.Q[0], t.Q[1], t.Q[2]
			}
			if j <= i {
				s.P[packed(i, j)] = old[packed(i, j)] + t.A*(pv+old[packed(j, d+i)]) + t.A*t.A*vv + q0
				s.P[packed(d+i, d+j)] = t.B*t.B*vv + q2
			}
			s.P[packed(i, d+j)] = t.B*(pv+t.A*vv) + q1
		}
	}
}

// process sets q, row-major n×n, to the process noise of a step of dt seconds.
func (f *Full) process(q []float64, dt float64, kind int) {
	n, d := f.n, f.dim
	clear(q)
	if f.long != nil {
		f.long.of(&f.params, dt, kind).q.spread(q, n, d)
		return
	}
	t := f.steps.of(&f.params, dt, kind)
	for i := range d {
		q[i*n+i], q[i*n+d+i], q[(d+i)*n+i], q[(d+i)*n+d+i] = t.Q[0], t.Q[1], t.Q[1], t.Q[2]
	}
	if f.curved != nil {
		f.curved.Noise(&f.params, q, dt)
	}
}

// transition sets F, row-major n×n, to that of a step of a motion without curves.
func (f *Full) transition(F []float64, dt float64, kind int) {
	n, d := f.n, f.dim
	clear(F)
	if f.long != nil {
		f.long.of(&f.params, dt, kind).f.spread(F, n, d)
		return
	}
	t := f.steps.of(&f.params, dt, kind)
	for i := range d {
		F[i*n+i], F[i*n+d+i], F[(d+i)*n+d+i] = 1, t.A, t.B
	}
}

// Innovation implements [Filter].
func (f *Full) Innovation(s *FullState, b *mtt.Scan, i int) Fit {
	f.innovate(s, b, i)
	m := f.m
	for k := range m {
		f.z[k] -= s.X[k]
	}
	return gauge(f.s[:m*m], f.w[:m], f.z[:m])
}

// innovate sets f.s to the Cholesky factor of the innovation's covariance and f.z to
// detection i.
func (f *Full) innovate(s *FullState, b *mtt.Scan, i int) {
	m := f.m
	r := f.noise(b, i)
	for k := range m {
		for j := range k + 1 {
			f.s[k*m+j] = s.P[packed(k, j)] + r[k*m+j]
		}
	}
	cholesky(f.s[:m*m], m, rounding, 0)
	f.measured(f.z[:m], b, i)
}

// Update implements [Filter].
func (f *Full) Update(s *FullState, b *mtt.Scan, i int) {
	f.innovate(s, b, i)
	if l := f.s[:f.m*f.m]; f.condition(s, l, 0, f.m, f.z[:f.m]) {
		f.settle(s, l, 0, f.m, f.noise(b, i))
	}
}

// Observe implements [Filter].
func (f *Full) Observe(e *FullInformation, s *mtt.Scan, i int) {
	n, m := f.n, f.m
	z := f.z[:m]
	f.measured(z, s, i)
	// Move the reference to the detection: h ← h − L·(shift, 0).
	for d := range f.dim {
		shift := z[d] - e.Ref[d]
		for k := range n {
			e.H[k] -= e.L[packed(k, d)] * shift
		}
		e.Ref[d] = z[d]
		z[d] = 0
	}
	r := f.noise(s, i)
	inv := f.s[:m*m]
	inverse(inv, r, m, 0)
	for k := range m {
		for j := range m {
			if j <= k {
				e.L[packed(k, j)] += inv[k*m+j]
			}
			e.H[k] += inv[k*m+j] * z[j]
		}
	}
	e.best = f.least(e)
}

// inverse sets dst to the inverse of a symmetric positive definite matrix, which it
// replaces by its Cholesky factor, whose diagonal squared is least at least.
func inverse(dst, a []float64, n int, least float64) {
	cholesky(a, n, rounding, least)
	for c := range n {
		for i := range n {
			v := 0.0
			if i == c {
				v = 1
			}
			for k := range i {
				v -= a[i*n+k] * dst[k*n+c]
			}
			dst[i*n+c] = v / a[i*n+i]
		}
		for i := n - 1; i >= 0; i-- {
			v := dst[i*n+c]
			for k := i + 1; k < n; k++ {
				v -= a[k*n+i] * dst[k*n+c]
			}
			dst[i*n+c] = v / a[i*n+i]
		}
	}
}

// least is −hᵀL⁻¹h, what L does not tell left out.
func (f *Full) least(e *FullInformation) (c float64) {
	n := f.n
	l := f.a[:n*n]
	unpack(l, e.L[:], n)
	h := e.H
	for k := range n { // elimination, positions first
		pivot := l[k*n+k]
		if !(pivot > 1e-12*e.L[packed(k, k)]) {
			continue
		}
		c -= h[k] * h[k] / pivot
		for i := k + 1; i < n; i++ {
			share := l[i*n+k] / pivot
			h[i] -= share * h[k]
			for j := k + 1; j < n; j++ {
				l[i*n+j] -= share * l[k*n+j]
			}
		}
	}
	return c
}

// Retreat implements [Filter]: L ← Fᵀ(I+L·Q)⁻¹L·F, h ← Fᵀ(I+L·Q)⁻¹(h − L·c), where a
// curve is taken as x' = F·x + c.
func (f *Full) Retreat(e *FullInformation, dt float64, kind int) {
	n := f.n
	F := f.f[:n*n]
	var c [maxStates]float64
	l, q, m := f.a[:n*n], f.b[:n*n], f.c[:n*n]
	if f.curved == nil {
		f.transition(F, dt, kind)
		f.process(q, dt, kind)
	} else {
		f.linearise(F, q, &c, e, dt)
		f.process(m, dt, kind)
		for k := range q {
			q[k] += m[k]
		}
	}
	unpack(l, e.L[:], n)
	multiply(m, l, q, n)
	rhs := f.s[:n*(n+1)] // L, and h − L·c
	for i := range n {
		m[i*n+i]++
		v := e.H[i]
		for j := range n {
			rhs[i*(n+1)+j] = l[i*n+j]
			v -= l[i*n+j] * c[j]
		}
		rhs[i*(n+1)+n] = v
	}
	eliminate(m, rhs, n, n+1)
	// Fᵀ·M·F
	mf := f.b[:n*n]
	for i := range n {
		for j := range n {
			v := 0.0
			for k := range n {
				v += rhs[i*(n+1)+k] * F[k*n+j]
			}
			mf[i*n+j] = v
		}
	}
	for i := range n {
		v := 0.0
		for k := range n {
			v += F[k*n+i] * rhs[k*(n+1)+n]
		}
		e.H[i] = v
		for j := range i + 1 {
			v := 0.0
			for k := range n {
				v += F[k*n+i]*mf[k*n+j] + F[k*n+j]*mf[k*n+i]
			}
			e.L[packed(i, j)] = v / 2 // of both triangles, which rounding tells apart
		}
	}
	if f.curved == nil {
		return
	}
	for k := range n {
		if l := e.L[packed(k, k)]; k < f.dim && l < 0 || !(l < math.Inf(1)) { // a curve so long that no line is near it tells nothing
			*e = FullInformation{Ref: e.Ref}
			return
		}
	}
}

// linearise sets F, c and q to the line x' = F·x + c ± q that is nearest, in dt seconds, to the curve
// of a target that comes to where the information and the prior say that it is: q is what the
// points of that distribution (file bend.go) are away from the line, and 0 without curves. A tangent
// would be too sure of it: what is learnt of turn rates since stays, and is not corrected.
func (f *Full) linearise(F, q []float64, c *[maxStates]float64, e *FullInformation, dt float64) {
	n := f.n
	var about FullState
	p := f.a[:n*n]
	unpack(p, e.L[:], n)
	for k := f.dim; k < n; k++ {
		p[k*n+k] += 1 / f.prior[k]
	}
	inv := f.c[:n*n]
	inverse(inv, p, n, 0)
	for i := range n {
		for j := range n {
			about.X[i] += inv[i*n+j] * e.H[j]
		}
		for j := range i + 1 {
			about.P[packed(i, j)] = (inv[i*n+j] + inv[j*n+i]) / 2
		}
	}
	root := f.b[:n*n]
	unpack(root, about.P[:], n)
	var from points
	f.send(&from, &about, root, -dt)
	// With y the ends of x, F = E[(x−x̄)(y−ȳ)ᵀ]·E[(y−ȳ)(y−ȳ)ᵀ]⁻¹ and q = P − F·E[(y−ȳ)(x−x̄)ᵀ].
	yy, yx := f.a[:n*n], f.c[:n*n]
	step := math.Sqrt(float64(n))
	for i := range n {
		for j := range n {
			yy[i*n+j] = from.covariance(i, j, n)
			v := 0.0
			for k := range j + 1 {
				v += root[j*n+k] * (from.ends[2*k][i] - from.ends[2*k+1][i])
			}
			yx[i*n+j] = v * step / float64(2*n)
		}
	}
	ft := f.s[:n*n]
	copy(ft, yx)
	eliminate(yy, ft, n, n)
	for i := range n {
		c[i] = about.X[i]
		for k := range n {
			F[i*n+k] = ft[k*n+i]
			c[i] -= F[i*n+k] * from.mean[k]
		}
	}
	for i := range n {
		for j := range i + 1 {
			v := about.P[packed(i, j)]
			for k := range n {
				v -= (F[i*n+k]*yx[k*n+j] + F[j*n+k]*yx[k*n+i]) / 2
			}
			if i == j {
				v = max(v, 0)
			}
			q[i*n+j], q[j*n+i] = v, v
		}
	}
}

// eliminate solves a·x = b, a row-major n×n and b row-major n×cols, in place by
// Gaussian elimination with the largest pivot of each column, and returns the
// determinant of a. Where all of a column is 0 so is the row of x.
func eliminate(a, b []float64, n, cols int) (det float64) {
	det = 1
	for k := range n {
		top := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i*n+k]) > math.Abs(a[top*n+k]) {
				top = i
			}
		}
		if top != k {
			det = -det
			for j := range n {
				a[k*n+j], a[top*n+j] = a[top*n+j], a[k*n+j]
			}
			for j := range cols {
				b[k*cols+j], b[top*cols+j] = b[top*cols+j], b[k*cols+j]
			}
		}
		pivot := a[k*n+k]
		det *= pivot
		if pivot == 0 {
			continue
		}
		for i := k + 1; i < n; i++ {
			share := a[i*n+k] / pivot
			if share == 0 {
				continue
			}
			for j := k; j < n; j++ {
				a[i*n+j] -= share * a[k*n+j]
			}
			for j := range cols {
				b[i*cols+j] -= share * b[k*cols+j]
			}
		}
	}
	for i := n - 1; i >= 0; i-- {
		for j := range cols {
			v := b[i*cols+j]
			for k := i + 1; k < n; k++ {
				v -= a[i*n+k] * b[k*cols+j]
			}
			if b[i*cols+j] = 0; a[i*n+i] != 0 {
				b[i*cols+j] = v / a[i*n+i]
			}
		}
	}
	return det
}

// multiply sets dst to a·b, all row-major n×n.
func multiply(dst, a, b []float64, n int) {
	for i := range n {
		for j := range n {
			v := 0.0
			for k := range n {
				v += a[i*n+k] * b[k*n+j]
			}
			dst[i*n+j] = v
		}
	}
}

// unpack sets dst, row-major n×n, to a packed matrix.
func unpack(dst, a []float64, n int) {
	for i := range n {
		for j := range i + 1 {
			dst[i*n+j] = a[packed(i, j)]
			dst[j*n+i] = dst[i*n+j]
		}
	}
}

// meet sets f.c to C = (I+P·L)⁻¹·P, row-major, and returns the determinant of I+P·L,
// and in f.g what C adds to the state in means: g = h − L·x.
func (f *Full) meet(s *FullState, e *FullInformation) (det float64) {
	n := f.n
	p, l, m, c := f.a[:n*n], f.b[:n*n], f.f[:n*n], f.c[:n*n]
	unpack(p, s.P[:], n)
	unpack(l, e.L[:], n)
	multiply(m, p, l, n)
	most := 1.0
	for i := range n {
		m[i*n+i]++
		if most *= m[i*n+i]; i < f.dim {
			most *= cancelled
		}
	}
	copy(c, p)
	if det = eliminate(m, c, n, n); !(det > most) {
		det = meetRoot(c, p, l, n)
	}
	x := f.away(s, e)
	for i := range n {
		v := e.H[i]
		for j := range n {
			v -= l[i*n+j] * x[j]
		}
		f.g[i] = v
	}
	return det
}

// meetRoot sets c to (I+P·L)⁻¹·P and returns the determinant of I+P·L, all row-major n×n, where rounding
// leaves little of it: with P = G·Gᵀ they are G·(I+Gᵀ·L·G)⁻¹·Gᵀ and the determinant of what is inverted,
// none of whose parts is below 1.
func meetRoot(c, p, l []float64, n int) (det float64) {
	var w [5][maxStates * maxStates]float64
	g, gt, lg, m, inv := w[0][:n*n], w[1][:n*n], w[2][:n*n], w[3][:n*n], w[4][:n*n]
	copy(g, p)
	root(g, n)
	for i := range n {
		for j := range n {
			gt[i*n+j] = g[j*n+i]
		}
	}
	multiply(lg, l, g, n)
	multiply(m, gt, lg, n)
	for i := range n {
		m[i*n+i]++
	}
	inverse(inv, m, n, 1)
	det = 1
	for i := range n {
		det *= m[i*n+i] * m[i*n+i]
	}
	multiply(lg, g, inv, n)
	multiply(c, lg, gt, n)
	return max(det, 1)
}

// away sets f.z to the mean of s, positions counted from those of e.
func (f *Full) away(s *FullState, e *FullInformation) []float64 {
	x := f.z[:f.n]
	copy(x, s.X[:])
	for d := range f.dim {
		x[d] -= e.Ref[d]
	}
	return x
}

// Join implements [Filter]: −2·log ∫ N(x; s) exp(−½xᵀLx + hᵀx) dx.
func (f *Full) Join(s *FullState, e *FullInformation) Fit {
	n := f.n
	det := f.meet(s, e)
	fit := Fit{Base: math.Log(det) + e.best}
	v := 0.0
	x, l, c, g := f.z[:n], f.b[:n*n], f.c[:n*n], f.g[:n]
	for i := range n {
		for j := range n {
			v += l[i*n+j]*x[i]*x[j] - c[i*n+j]*g[i]*g[j]
		}
		v -= 2 * e.H[i] * x[i]
	}
	fit.D2 = max(v-e.best, 0)
	return fit
}

// Peak implements [Filter]: the determinant of I+P·L is at least 1.
func (f *Full) Peak(_ *FullState, e *FullInformation) float64 { return e.best }

// Rest implements [Filter].
func (f *Full) Rest(*FullInformation) float64 { return math.Inf(-1) }

// Open implements [Filter]. The velocity u, and what the motion adds, has the prior
// N(0, D); for a position x the integral over it leaves, with C = (I+D·L_uu)⁻¹·D,
//
//	|I+D·L_uu|^−½ exp(½ h_uᵀC h_u) · exp(−½ xᵀMx + gᵀx),
//	M = L_xx − L_xu·C·L_ux,   g = h_x − L_xu·C·h_u,
//
// which is integrated over the plane or space.
func (f *Full) Open(e *FullInformation) float64 {
	n, d := f.n, f.dim
	k := n - d
	m, c := f.a[:k*k], f.c[:k*k]
	clear(c)
	for i := range k {
		c[i*k+i] = f.prior[d+i]
		for j := range k {
			m[i*k+j] = f.prior[d+i] * e.L[packed(d+i, d+j)]
		}
		m[i*k+i]++
	}
	det := eliminate(m, c, k, k)
	if !(det > 0.5) { // it is at least 1
		var prior, l [maxStates * maxStates]float64
		for i := range k {
			prior[i*k+i] = f.prior[d+i]
			for j := range k {
				l[i*k+j] = e.L[packed(d+i, d+j)]
			}
		}
		det = meetRoot(c, prior[:k*k], l[:k*k], k)
	}
	value := math.Log(det)
	// cl = C·L_ux, ch = C·h_u
	cl, ch := f.b[:k*d], f.w[:k]
	for i := range k {
		ch[i] = 0
		for j := range k {
			ch[i] += c[i*k+j] * e.H[d+j]
		}
		value -= ch[i] * e.H[d+i]
		for x := range d {
			v := 0.0
			for j := range k {
				v += c[i*k+j] * e.L[packed(d+j, x)]
			}
			cl[i*d+x] = v
		}
	}
	sq, g := f.s[:d*d], f.z[:d]
	for x := range d {
		g[x] = e.H[x]
		for i := range k {
			g[x] -= e.L[packed(d+i, x)] * ch[i]
		}
		for y := range x + 1 {
			v := e.L[packed(x, y)]
			for i := range k {
				v -= e.L[packed(d+i, x)] * cl[i*d+y]
			}
			sq[x*d+y] = v
		}
	}
	least := 0.0 // of what rounding leaves of it
	for x := range d {
		least = max(least, rounding*e.L[packed(x, x)])
	}
	cholesky(sq, d, rounding, least)
	fit := gauge(sq, f.g[:d], g)
	// The base is d·log 2π + log|M|, the integral (2π)^(d/2)·|M|^−½·exp(½ gᵀM⁻¹g).
	return value + fit.Base - 2*float64(d)*math.Log(2*math.Pi) - fit.D2
}

// Ratio implements [Filter], with the matrices of what Axes has numbers for: the density
// of the position given the velocity at its peak, and, where the prior D tells less than
// the state about the velocity along all axes, √(|D|/|P_vv|)·exp(½ mᵀ(D−P_vv)⁻¹m).
func (f *Full) Ratio(s *FullState) float64 {
	d := f.dim
	told := true // the state tells more of the velocity than the prior
	for k := d; k < 2*d; k++ {
		told = told && s.P[packed(k, k)] <= 0.9*f.prior[k] && s.P[packed(k, k)] > 0
	}
	first, k := 0, d // of the elements that count, and how many there are
	if s.P[packed(d, d)] > 0 {
		first, k = d, 2*d // velocities first: what follows is given them
	}
	l := f.s[:k*k]
	for i := range k {
		for j := range i + 1 {
			l[i*k+j] = s.P[packed((first+i)%(2*d), (first+j)%(2*d))]
		}
	}
	cholesky(l, k, rounding, 0)
	c := float64(d) / 2 * math.Log(2*math.Pi)
	for i := k - d; i < k; i++ {
		c += math.Log(l[i*k+i])
	}
	if !told {
		return c
	}
	rest := f.g[:d*d]
	for i := range d {
		for j := range i + 1 {
			rest[i*d+j] = -s.P[packed(d+i, d+j)]
		}
		rest[i*d+i] += f.prior[d+i]
	}
	cholesky(rest, d, 0, 0)
	if !(rest[d*d-1] > 0) { // not along some direction between the axes
		return c
	}
	for i := range d {
		c += math.Log(l[i*k+i]) - math.Log(f.prior[d+i])/2
	}
	return c - gauge(rest, f.w[:d], s.X[d:2*d]).D2/2
}

// Estimate implements [Filter].
func (f *Full) Estimate(dst *Estimate, s *FullState, e *FullInformation) {
	n, k := f.n, 2*f.dim
	*dst = Estimate{Dim: f.dim}
	copy(dst.X[:k], s.X[:k])
	if e == nil {
		copy(dst.P[:], s.P[:k*(k+1)/2])
		return
	}
	f.meet(s, e)
	for i := range k {
		for j := range n {
			dst.X[i] += f.c[i*n+j] * f.g[j]
		}
		for j := range i + 1 {
			dst.P[packed(i, j)] = (f.c[i*n+j] + f.c[j*n+i]) / 2
		}
	}
}

// Position implements [Filter].
func (f *Full) Position(s *FullState) (x, v [3]float64, variance float64) {
	copy(x[:f.dim], s.X[:f.dim])
	copy(v[:f.dim], s.X[f.dim:2*f.dim])
	return x, v, widest(s.P[:], f.dim)
}

// Noise implements [Filter].
func (f *Full) Noise(s *mtt.Scan, i int) float64 {
	if c := s.CovAt(i); c != nil {
		return widest(c, f.dim)
	}
	return f.params.Sigma * f.params.Sigma
}

// widest is the largest eigenvalue of a packed matrix of dim 2 or 3 rows.
func widest(c []float64, dim int) float64 {
	if dim == 2 {
		half := (c[0] - c[2]) / 2
		return (c[0]+c[2])/2 + math.Sqrt(half*half+c[1]*c[1])
	}
	// Smith (1961): the roots of the characteristic polynomial by an angle.
	off := c[1]*c[1] + c[3]*c[3] + c[4]*c[4]
	mean := (c[0] + c[2] + c[5]) / 3
	x, y, z := c[0]-mean, c[2]-mean, c[5]-mean
	p := math.Sqrt((x*x + y*y + z*z + 2*off) / 6)
	if p == 0 {
		return mean
	}
	det := x*(y*z-c[4]*c[4]) - c[1]*(c[1]*z-c[4]*c[3]) + c[3]*(c[1]*c[4]-y*c[3])
	angle := math.Acos(max(-1, min(1, det/(2*p*p*p)))) / 3
	return mean + 2*p*math.Cos(angle)
}

// LikeState implements [Filter].
func (f *Full) LikeState(a, b *FullState, share float64) bool {
	return f.like(a.P[:], b.P[:], a.X[:], b.X[:], share)
}

// LikeInformation implements [Filter]; both are counted from the same detection.
func (f *Full) LikeInformation(a, b *FullInformation, share float64) bool {
	return f.like(a.L[:], b.L[:], a.H[:], b.H[:], share)
}

// like compares packed matrices by their diagonals, and vectors by these.
func (f *Full) like(p, q, x, y []float64, share float64) bool {
	for i := range f.n {
		v := q[packed(i, i)]
		if !near(p[packed(i, i)], v, share) {
			return false
		}
		if d := x[i] - y[i]; d*d > share*share*v {
			return false
		}
		for j := range i {
			if d := p[packed(i, j)] - q[packed(i, j)]; d*d > share*share*v*q[packed(j, j)] {
				return false
			}
		}
	}
	return true
}
