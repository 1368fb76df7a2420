package costgen

import (
	"math"
	"sync"
	"sync/atomic"

	"mtt"
	"mtt/motion"
)

// This file defines the default model, the two-step Gaussian likelihood.

// Gaussian prices links by the negative log likelihood of a motion (package motion;
// nearly constant velocity unless Levels say otherwise) seen through Gaussian noise.
// Where axes are independent, on each the state is (position, velocity) and
//
//	F = [1 A; 0 B]    Q of the motion    R = diag(Sigma², SigmaV²)
//
// Starts prices a first link i→j by N(z_j; F m_i, S₁), with m_i the measurement
// of i, P = F R Fᵀ + Q and S₁ = P + R. Triplets prices i→j→k by N(z_k; F m_j, S₂),
// with m_j the Kalman update of F m_i by z_j and S₂ = F P_j Fᵀ + Q + R. So the
// price of a track is the likelihood of its detections under a filter with a
// memory of two, and the noise of j, which both steps share, counts once.
//
// With PositionsOnly the measurement is the position alone, and the velocity at
// detection i has the prior N(0, SpeedStd²) on each axis.
//
// Scans that tell the covariance of each detection are priced with these, and a motion that couples
// the axes is linearised, by the general filter: file general.go. A link to a detection that tells
// the covariance C of its velocity costs ½ log(det(SpeedStd²·I + C)/(SpeedStd²+SigmaV²)^dim) less,
// by which a false alarm is less likely there than Ends has it; with AlarmSpeed that of the
// measured velocity itself, not of a typical one. So what C leaves open along some direction
// cancels.
//
// Real targets mostly move smoothly and now and then do not. With probability
// ManoeuvreProb the last step is a manoeuvre, whose Q has ManoeuvreAccel in place of
// Accel; the likelihood is then the mixture of the two. Manoeuvres have the tails of
// Student's t with TailDOF degrees of freedom, since the sharpest one is never
// in the data that the levels come from.
//
// Prices are in nats and relative: that of innovation ν is ½ νᵀS⁻¹ν +
// ½ log(det S/det S₀), where S₀ is the S₂ of two reference intervals, so that a
// perfect continuation costs nothing. With manoeuvres ½ νᵀS⁻¹ν becomes
//
//	−log(exp(−½ νᵀS⁻¹ν) + p/(1−p)·t(ν)/N(0; S)),   p = ManoeuvreProb,
//
// which leaves out the factor 1−p that all links share, and makes the
// perfect continuation slightly cheaper than nothing. Where this part is above
// 40 it goes on as 40 plus the root of the excess, which keeps one impossible
// link from drowning the rest of a sum in rounding.
//
// Boxes (scans with Size) are priced too, by Pairs: ½ Δ²/(SizeStd²·n) for the changes Δ of log
// width and of log height over n reference intervals, at most 20 in all; and features, see
// [Appearance], and classes, see [Classes]. Without any of them Pairs costs nothing.
//
// A triplet takes some thirty flops, and an exponential and a logarithm with
// manoeuvres; some five hundred where the general filter is needed. Constants of some
// two hundred pairs of intervals are kept, others computed
// anew, with an allocation, as all are when levels change.
type Gaussian struct {
	Levels

	starts, triplets atomic.Pointer[kernels]
	known            atomic.Pointer[knownEnds]
	level            atomic.Pointer[knownReference]
	pricers          sync.Pool // of *pricer
}

// Noise are the levels: what a model that embeds a Gaussian is known to be made of.
func (m *Gaussian) Noise() *Levels { return &m.Levels }

// A Leveled model is one whose links are priced by levels, plus what its Pairs adds.
// Types that embed a [Gaussian] are: they are refined, learnt and linked over misses as
// it is.
type Leveled interface {
	Model
	Noise() *Levels
}

// A kernel holds the constants of one axis for a pair of intervals.
type kernel struct {
	levels        Levels // what it was made from
	dim           int
	dt1, dt2      float64
	k             [2][2]float64 // gain of the second detection
	step1, step2  motion.Step
	first, second mixture // of S₁ and S₂
	floor         float64 // what triplets cost at least
}

// A mixture is the density of an innovation ν: smooth, or a manoeuvre. Its
// quadratic forms are sums over the axes of products of positions and velocities,
// here called pp, pv and vv; without velocities only pp is not 0.
type mixture struct {
	smooth [3]float64 // coefficients of pp, pv, vv in ½ νᵀS⁻¹ν
	turn   [3]float64 // the same in νᵀS⁻¹ν/dof, S being that of a manoeuvre; in ½ νᵀS⁻¹ν where dof is infinite
	dof    float64    // degrees of freedom of a manoeuvre
	peak   float64    // of a manoeuvre's density over the smooth step's; 0: there are none
	dim    int        // of ν
	logd   float64    // log det S of a smooth step, on each axis
	level  float64    // ½ log(det S/det S₀) over all axes
}

// tail is the density of a manoeuvre over its peak where its quadratic form is
// dof·(q−1): q^−(dof+dim)/2; e^(1−q), q−1 being half the form, where dof is infinite.
// With whole numbers it costs no logarithm.
func tail(q, dof float64, dim int) float64 {
	if dof > 64 {
		if math.IsInf(dof, 1) {
			return exp(1 - q)
		}
		return math.Pow(q, -(dof+float64(dim))/2)
	}
	n := int(dof)
	if float64(n) != dof {
		return math.Pow(q, -(dof+float64(dim))/2)
	}
	n += dim
	x, t := 1/q, 1.0
	if n%2 == 1 {
		t = math.Sqrt(x)
	}
	for n /= 2; n > 0; n /= 2 {
		if n%2 == 1 {
			t *= x
		}
		x *= x
	}
	return t
}

// tailScale is what a quadratic form is divided by for tail.
func tailScale(dof float64) float64 {
	if math.IsInf(dof, 1) {
		return 2
	}
	return dof
}

// invert returns the inverse and the determinant of a symmetric matrix; with scalar,
// those of the first element alone, the rest of the inverse being 0.
func invert(p [3]float64, scalar bool) (inv [3]float64, det float64) {
	if scalar {
		return [3]float64{1 / p[0]}, p[0]
	}
	det = p[0]*p[2] - p[1]*p[1]
	f := 1 / det
	return [3]float64{f * p[2], -f * p[1], f * p[0]}, det
}

// newMixture returns the density of an innovation with covariance smooth or
// turn on each axis.
func newMixture(smooth, turn [3]float64, m *Levels) mixture {
	inv, det := invert(smooth, m.PositionsOnly)
	x := mixture{smooth: [3]float64{inv[0] / 2, inv[1], inv[2] / 2}, logd: math.Log(det), dim: m.dim()}
	if !m.PositionsOnly {
		x.dim *= 2
	}
	worst := det
	if m.ManoeuvreProb > 0 {
		inv, wide := invert(turn, m.PositionsOnly)
		x.dof = m.Params(x.dim).Tail()
		scale := tailScale(x.dof)
		x.turn = [3]float64{inv[0] / scale, 2 * inv[1] / scale, inv[2] / scale}
		x.peak = m.ManoeuvreProb / (1 - m.ManoeuvreProb) * math.Exp(motion.TailPeak(x.dof, float64(x.dim))) * math.Pow(det/wide, float64(m.dim())/2)
		worst = min(worst, wide)
	}
	if !(worst > 0) { // not so for NaN either
		panic(noVariance)
	}
	return x
}

// cost is the price of an innovation.
func (m *mixture) cost(pp, pv, vv float64) float64 {
	c := m.smooth[0]*pp + m.smooth[1]*pv + m.smooth[2]*vv
	if m.peak > 0 {
		c = m.turned(c, pp, pv, vv)
	}
	return soften(c) + m.level
}

// turned is c, the price of a smooth step, of one that may be a manoeuvre.
func (m *mixture) turned(c, pp, pv, vv float64) float64 {
	turn := m.peak * tail(1+m.turn[0]*pp+m.turn[1]*pv+m.turn[2]*vv, m.dof, m.dim)
	return -log(exp(-c) + turn + math.SmallestNonzeroFloat64) // at most 745
}

// soften is c, beyond 40 less and less of it.
func soften(c float64) float64 {
	if c > 40 {
		c = 40 + math.Sqrt(c-40)
	}
	return c
}

// kernels are constants of calls before, each where its intervals hash to or a few places on: two
// that are asked for in turn must not drive each other out.
type kernels [256]atomic.Pointer[kernel]

// find returns the constants for two intervals that of accepts, or nil and the place for them.
func (k *kernels) find(dt1, dt2 float64, of func(c *kernel) bool) (*kernel, *atomic.Pointer[kernel]) {
	const odd, places = 0x9e3779b97f4a7c15, 8 // 2⁶⁴ over the golden ratio
	h := (math.Float64bits(dt1)*odd ^ math.Float64bits(dt2)) * odd >> 56
	at := &k[h]
	for n := range uint64(places) {
		here := &k[(h+n)%uint64(len(k))]
		c := here.Load()
		if c == nil {
			return nil, here
		}
		if c.dt1 == dt1 && c.dt2 == dt2 {
			if of(c) {
				return c, here
			}
			at = here // of levels that were changed since
		}
	}
	return nil, at
}

// kernel returns the constants for two intervals and scans of a dimension, those
// of a call before if nothing has changed.
func (m *Gaussian) kernel(known *atomic.Pointer[kernels], dim int, dt1, dt2 float64) *kernel {
	list := known.Load()
	if list == nil {
		list = new(kernels)
		if !known.CompareAndSwap(nil, list) {
			list = known.Load()
		}
	}
	c, at := list.find(dt1, dt2, func(c *kernel) bool { return c.dim == dim && c.levels.sameSteps(&m.Levels) })
	if c != nil {
		return c
	}
	levels := m.Levels
	levels.Dim = dim
	c = levels.newKernel(dt1, dt2)
	c.levels, c.dim = m.Levels, dim
	reference := m.referenceIn(dim)
	for _, x := range []*mixture{&c.first, &c.second} {
		x.level = float64(dim) / 2 * (x.logd - reference)
	}
	c.floor = c.second.cost(0, 0, 0)
	at.Store(c)
	return c
}

// knownReference is the reference of levels in a dimension.
type knownReference struct {
	levels Levels
	dim    int
	logd   float64
}

// referenceIn is the reference of m in a dimension, that of a call before if nothing has changed:
// at odd times each pair of intervals has a kernel of its own.
func (m *Gaussian) referenceIn(dim int) float64 {
	if r := m.level.Load(); r != nil && r.dim == dim && r.levels.sameSteps(&m.Levels) {
		return r.logd
	}
	levels := m.Levels
	levels.Dim = dim
	r := &knownReference{m.Levels, dim, levels.reference()}
	m.level.Store(r)
	return r.logd
}

// sameSteps reports whether motion and noise are those of o, so that steps are priced alike: the
// levels that Params and the reference read. All levels are many times as many.
func (m *Levels) sameSteps(o *Levels) bool {
	return m.Sigma == o.Sigma && m.SigmaV == o.SigmaV && m.Accel == o.Accel && m.SpeedStd == o.SpeedStd &&
		m.Interval == o.Interval && m.PositionsOnly == o.PositionsOnly && m.ManoeuvreProb == o.ManoeuvreProb &&
		m.ManoeuvreAccel == o.ManoeuvreAccel && m.TailDOF == o.TailDOF && m.Revert == o.Revert && m.Sway == o.Sway &&
		m.TurnStd == o.TurnStd && m.TurnWalk == o.TurnWalk && m.AccelStd == o.AccelStd && m.AccelRevert == o.AccelRevert && m.Dim == o.Dim && m.Motion == o.Motion
}

// knownEnds are the prices of ends of the levels that they were made from.
type knownEnds struct {
	levels Levels
	ends   Ends
}

// Ends implements [Model], as that of Levels does; asked again of the same levels it allocates nothing.
func (m *Gaussian) Ends() Ends {
	if k := m.known.Load(); k != nil && k.levels == m.Levels {
		return k.ends
	}
	k := &knownEnds{m.Levels, m.Levels.Ends()}
	m.known.Store(k)
	return k.ends
}

// filters are those that kernels were made by.
var filters = sync.Pool{New: func() any { return new(motion.Axes) }}

// newKernel computes the constants for two intervals, but for the levels of its
// mixtures and for what it was made from.
func (m *Levels) newKernel(dt1, dt2 float64) *kernel {
	params := m.Params(m.dim())
	f := filters.Get().(*motion.Axes)
	defer filters.Put(f)
	f.Reset(params)
	innovation := func(p [3]float64, dt float64) mixture {
		smooth, _ := f.Innovated(f.Spread(p, dt, motion.Smooth))
		turn, _ := f.Innovated(f.Spread(p, dt, motion.Manoeuvre))
		return newMixture(smooth, turn, m)
	}
	c := &kernel{dt1: dt1, dt2: dt2, step1: params.Step(dt1, motion.Smooth), step2: params.Step(dt2, motion.Smooth)}
	p := [3]float64{m.Sigma * m.Sigma, 0, m.SigmaV * m.SigmaV}
	if m.PositionsOnly {
		p[2] = m.SpeedStd * m.SpeedStd
	}
	c.first = innovation(p, dt1)
	c.k, p = f.Gain(f.Spread(p, dt1, motion.Smooth))
	c.second = innovation(p, dt2)
	return c
}

// reference is log det S₀ on each axis.
func (m *Levels) reference() float64 {
	straight := *m
	if _, curved := m.Motion.(motion.Curved); curved {
		straight.Motion = nil
	}
	return straight.newKernel(m.interval(), m.interval()).second.logd
}

// Pairs implements [Model]: a link costs nothing by itself but the change of
// box size, of features and of class; motion is priced by Starts and Triplets.
func (m *Gaussian) Pairs(dst []float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32) {
	checkPairs(dst, a, b, out)
	clear(dst[:len(out)])
	if m.Appearance != nil && a.Feat != nil && b.Feat != nil {
		m.Appearance.pairs(dst, a.FeatAt(i), b, out)
	}
	if m.Classes != nil && a.Class != nil && b.Class != nil {
		m.Classes.pairs(dst, a.Class[i], b, out)
	}
	if m.SizeStd == 0 || a.Size == nil || b.Size == nil {
		return
	}
	const most = 20
	dt := (b.Time - a.Time) / m.interval()
	c := 0.5 / (m.SizeStd * m.SizeStd * dt)
	for s, j := range out {
		w := math.Log(b.Size[2*j] / a.Size[2*i])
		h := math.Log(b.Size[2*j+1] / a.Size[2*i+1])
		if d := c * (w*w + h*h); d < most {
			dst[s] += d
		} else { // for a box without size too
			dst[s] += most
		}
	}
}

// Starts implements [Model].
func (m *Gaussian) Starts(dst []float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32) {
	checkPairs(dst, a, b, out)
	if len(out) == 0 {
		return
	}
	m.checkScans(a, b)
	dt := b.Time - a.Time
	if m.General(a, b) {
		p := m.pricer(a.Dim)
		p.starts(dst, a, i, b, out)
		m.pricers.Put(p)
		return
	}
	known := m.kernel(&m.starts, a.Dim, dt, m.interval())
	f, step := &known.first, &known.step1
	x, y, z := coords(a.Pos, a.Dim, i)
	if m.PositionsOnly {
		f.positions(dst[:len(out)], x, y, z, b, out)
		return
	}
	u, v, w := coords(a.Vel, a.Dim, i)
	f.velocities(dst[:len(out)], x+step.A*u, y+step.A*v, z+step.A*w, step.B*u, step.B*v, step.B*w, b, out)
}

// Triplets implements [Model].
func (m *Gaussian) Triplets(dst []float64, stride int, a *mtt.Scan, in []int32, b *mtt.Scan, j int, c *mtt.Scan, out []int32) {
	checkTriplets(dst, stride, a, in, b, c, out)
	if len(in) == 0 || len(out) == 0 {
		return
	}
	m.checkScans(a, b, c)
	if m.General(a, b, c) {
		p := m.pricer(a.Dim)
		p.triplets(dst, stride, a, in, b, j, c, out)
		m.pricers.Put(p)
		return
	}
	dt1, dt2 := b.Time-a.Time, c.Time-b.Time
	f := m.kernel(&m.triplets, a.Dim, dt1, dt2)
	x, y, z := coords(b.Pos, b.Dim, j)
	if m.PositionsOnly {
		gain := f.k[0][0] + f.step2.A*f.k[1][0]
		for r, i := range in {
			xi, yi, zi := coords(a.Pos, a.Dim, int(i))
			f.second.positions(dst[r*stride:][:len(out)], xi+gain*(x-xi), yi+gain*(y-yi), zi+gain*(z-zi), c, out)
		}
		return
	}
	u, v, w := coords(b.Vel, b.Dim, j)
	predict := func(x, v, xj, vj float64) (position, velocity float64) {
		x += f.step1.A * v
		v *= f.step1.B
		d, e := xj-x, vj-v
		velocity = v + f.k[1][0]*d + f.k[1][1]*e
		return x + f.k[0][0]*d + f.k[0][1]*e + f.step2.A*velocity, f.step2.B * velocity
	}
	for r, i := range in {
		xi, yi, zi := coords(a.Pos, a.Dim, int(i))
		ui, vi, wi := coords(a.Vel, a.Dim, int(i))
		xi, ui = predict(xi, ui, x, u)
		yi, vi = predict(yi, vi, y, v)
		zi, wi = predict(zi, wi, z, w)
		f.second.velocities(dst[r*stride:][:len(out)], xi, yi, zi, ui, vi, wi, c, out)
	}
}

// Floor implements [Floored]: the price of innovation 0. Quadratic forms of a covariance are not
// negative and tails of manoeuvres fall with theirs, so no other innovation is cheaper. Not known
// where the general filter is needed. A type that has Triplets of its own needs a Floor of its own.
func (m *Gaussian) Floor(a, b, c *mtt.Scan) float64 {
	if m.General(a, b, c) {
		return math.Inf(-1)
	}
	return m.kernel(&m.triplets, a.Dim, b.Time-a.Time, c.Time-b.Time).floor
}

// positions prices the detections out of s where position (x, y, z) is predicted.
func (m *mixture) positions(dst []float64, x, y, z float64, s *mtt.Scan, out []int32) {
	if dst = dst[:len(out)]; s.Dim == 2 { // most scans are: the same without what is 0
		for n, k := range out {
			p := s.Pos[2*int(k):][:2]
			xk, yk := p[0]-x, p[1]-y
			pp := xk*xk + yk*yk
			c := m.smooth[0] * pp
			if m.peak > 0 {
				c = m.turned(c, pp, 0, 0)
			}
			dst[n] = soften(c) + m.level
		}
		return
	}
	for n, k := range out {
		xk, yk, zk := coords(s.Pos, s.Dim, int(k))
		xk, yk, zk = xk-x, yk-y, zk-z
		dst[n] = m.cost(xk*xk+yk*yk+zk*zk, 0, 0)
	}
}

// velocities prices the detections out of s where position (x, y, z) and
// velocity (u, v, w) are predicted.
func (m *mixture) velocities(dst []float64, x, y, z, u, v, w float64, s *mtt.Scan, out []int32) {
	if dst = dst[:len(out)]; s.Dim == 2 { // most scans are: the same without what is 0
		for n, k := range out {
			p, q := s.Pos[2*int(k):][:2], s.Vel[2*int(k):][:2]
			xk, yk, uk, vk := p[0]-x, p[1]-y, q[0]-u, q[1]-v
			pp, pv, vv := xk*xk+yk*yk, xk*uk+yk*vk, uk*uk+vk*vk
			c := m.smooth[0]*pp + m.smooth[1]*pv + m.smooth[2]*vv
			if m.peak > 0 {
				c = m.turned(c, pp, pv, vv)
			}
			dst[n] = soften(c) + m.level
		}
		return
	}
	for n, k := range out {
		xk, yk, zk := coords(s.Pos, s.Dim, int(k))
		uk, vk, wk := coords(s.Vel, s.Dim, int(k))
		xk, yk, zk = xk-x, yk-y, zk-z
		uk, vk, wk = uk-u, vk-v, wk-w
		dst[n] = m.cost(xk*xk+yk*yk+zk*zk, xk*uk+yk*vk+zk*wk, uk*uk+vk*vk+wk*wk)
	}
}
