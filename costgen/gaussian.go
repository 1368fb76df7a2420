package costgen

import (
	"math"
	"sync/atomic"

	"mtt"
)

// This file defines the default model, the two-step Gaussian likelihood.

// Gaussian prices links by the negative log likelihood of nearly constant
// velocity motion (white-noise acceleration) seen through Gaussian noise. Axes
// are independent; on each the state is (position, velocity) and
//
//	F = [1 dt; 0 1]    Q = Accel²·[dt³/3 dt²/2; dt²/2 dt]    R = diag(Sigma², SigmaV²)
//
// Starts prices a first link i→j by N(z_j; F m_i, S₁), with m_i the measurement
// of i, P = F R Fᵀ + Q and S₁ = P + R. Triplets prices i→j→k by N(z_k; F m_j, S₂),
// with m_j the Kalman update of F m_i by z_j and S₂ = F P_j Fᵀ + Q + R. So the
// price of a track is the likelihood of its detections under a filter with a
// memory of two.
//
// With PositionsOnly the measurement is the position alone, and the velocity at
// detection i has the prior N(0, SpeedStd²) on each axis.
//
// Real targets mostly move smoothly and now and then do not. With probability
// ManoeuvreProb the last step is a manoeuvre, whose Q has ManoeuvreAccel in place of Accel;
// the likelihood is then the mixture of the two. Manoeuvres have the tails of
// Student's t with [TailDOF] degrees of freedom, since the sharpest one is never
// in the data that the levels come from.
//
// Prices are in nats and relative: that of innovation ν is ½ νᵀS⁻¹ν +
// ½ log(det S/det S₀), where S₀ is the S₂ of two reference intervals, so that a
// perfect continuation costs nothing. With manoeuvres ½ νᵀS⁻¹ν becomes
//
//	−log(exp(−½ νᵀS⁻¹ν) + ManoeuvreProb/(1−ManoeuvreProb)·t(ν)/N(0; S))
//
// which leaves out the factor 1−ManoeuvreProb that all links share, and makes the
// perfect continuation slightly cheaper than nothing. Where this part is above
// 40 it goes on as 40 plus the root of the excess, which keeps one impossible
// link from drowning the rest of a sum in rounding.
//
// Boxes (scans with Size) are priced too, by Pairs: ½ Δ²/(SizeStd²·n) for the
// changes Δ of log width and of log height over n reference intervals, at most
// 20 in all. Without sizes, or with SizeStd 0, Pairs costs nothing.
//
// A triplet takes some thirty flops, and an exponential and a logarithm with
// manoeuvres. Constants of some two hundred pairs of intervals are kept, others computed
// anew, with an allocation, as all are when levels change.
type Gaussian struct {
	Levels

	starts, triplets atomic.Pointer[kernels]
}

// Levels are the parameters of a Gaussian model. None may be negative, and ManoeuvreProb
// must be below 1. Accel may be 0 where Sigma and, unless PositionsOnly, SigmaV
// are not. [Fit] estimates the first six from tracks.
type Levels struct {
	Sigma    float64 // m: standard deviation of a measured position, per axis
	SigmaV   float64 // m/s: of a measured velocity, per axis
	Accel    float64 // m/s^1.5: square root of the acceleration's spectral density
	SpeedStd float64 // m/s: prior standard deviation of a velocity, per axis; where it is measured, for Ends only

	// With probability ManoeuvreProb a target manoeuvres between two detections, and
	// then ManoeuvreAccel takes the place of Accel. 0 leaves manoeuvres out.
	ManoeuvreProb  float64
	ManoeuvreAccel float64 // m/s^1.5

	SizeStd  float64 // log units, from one frame to the next; 0 leaves sizes out
	Interval float64 // s: the reference interval between frames; 0: 1
	Dim      int     // of the scans, 2 or 3; 0: what they have, and 2 for Ends

	// PositionsOnly leaves measured velocities unread. Without it every scan
	// must have them.
	PositionsOnly bool

	Rates Rates // for Ends only
}

// Rates are the statistics of detections and targets. They make births, deaths,
// misses and false alarms commensurable with links. All must be above 0, and
// probabilities below 1: what is impossible has an infinite price.
type Rates struct {
	Detect  float64 // probability that a target is detected in the frame after one in which it was
	Hidden  float64 // probability that a target is missed in the frame after one in which it was; 0: 1−Detect
	Survive float64 // probability that a target is still there one frame later
	Births  float64 // new targets in a frame
	Targets float64 // targets in the first frame
	Clutter float64 // false alarms in a frame
	Volume  float64 // m² or m³: where births and false alarms may lie
}

// Gap is the price of a link over so many missed detections: the negative log
// probability that a detected target survives, is missed so often, and is then
// detected.
func (r *Rates) Gap(misses int) float64 {
	hidden := r.Again()
	c := -float64(misses+1) * math.Log(r.Survive)
	if misses == 0 {
		return c - math.Log(r.Detect)
	}
	return c - math.Log1p(-r.Detect) - float64(misses-1)*math.Log(hidden) - math.Log1p(-hidden)
}

// Again is Hidden, or what it stands for when it is 0.
func (r *Rates) Again() float64 {
	if r.Hidden == 0 {
		return 1 - r.Detect
	}
	return r.Hidden
}

// A kernel holds the constants of one axis for a pair of intervals.
type kernel struct {
	levels        Levels // what it was made from
	dim           int
	dt1, dt2      float64
	k             gain    // of the second detection
	first, second mixture // of S₁ and S₂
}

// A mixture is the density of an innovation ν: smooth, or a manoeuvre. Its
// quadratic forms are sums over the axes of products of positions and velocities,
// here called pp, pv and vv; without velocities only pp is not 0.
type mixture struct {
	smooth [3]float64 // coefficients of pp, pv, vv in ½ νᵀS⁻¹ν
	turn   [3]float64 // the same in νᵀS⁻¹ν/TailDOF, S being that of a manoeuvre
	peak   float64    // of a manoeuvre's density over the smooth step's; 0: there are none
	dim    int        // of ν
	logd   float64    // log det S of a smooth step, on each axis
	level  float64    // ½ log(det S/det S₀) over all axes
}

// TailDOF is the number of degrees of freedom of a manoeuvre's distribution.
const TailDOF = 4

// Tail is −2·log of the density of a manoeuvre over its peak: what e2, the
// quadratic form νᵀS⁻¹ν of an innovation ν of dim dimensions, is for a Gaussian.
func Tail(e2, dim float64) float64 { return (TailDOF + dim) * math.Log1p(e2/TailDOF) }

// TailPeak is log of the peak of a manoeuvre's density (Student's t) over that of
// the Gaussian with the same matrix, in dim dimensions.
func TailPeak(dim float64) float64 {
	a, _ := math.Lgamma((TailDOF + dim) / 2)
	b, _ := math.Lgamma(TailDOF / 2.0)
	return a - b - dim/2*math.Log(TailDOF/2.0)
}

// tail is q^−(TailDOF+dim)/2, the density of a manoeuvre over its peak where
// the quadratic form is TailDOF·(q−1). It costs no logarithm.
func tail(q float64, dim int) float64 {
	q = 1 / q
	t := q * q * q
	switch dim {
	case 3:
		t *= math.Sqrt(q)
	case 4:
		t *= q
	case 6:
		t *= q * q
	}
	return t
}

// newMixture returns the density of an innovation with covariance smooth or
// turn on each axis.
func newMixture(smooth, turn cov, m *Levels) mixture {
	inv, det := smooth.invert(m.PositionsOnly)
	x := mixture{smooth: [3]float64{inv[0] / 2, inv[1], inv[2] / 2}, logd: math.Log(det), dim: m.dim()}
	if !m.PositionsOnly {
		x.dim *= 2
	}
	worst := det
	if m.ManoeuvreProb > 0 {
		inv, wide := turn.invert(m.PositionsOnly)
		x.turn = [3]float64{inv[0] / TailDOF, 2 * inv[1] / TailDOF, inv[2] / TailDOF}
		x.peak = m.ManoeuvreProb / (1 - m.ManoeuvreProb) * math.Exp(TailPeak(float64(x.dim))) * math.Pow(det/wide, float64(m.dim())/2)
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
		turn := m.peak * tail(1+m.turn[0]*pp+m.turn[1]*pv+m.turn[2]*vv, m.dim)
		c = -math.Log(exp(-c) + turn + math.SmallestNonzeroFloat64) // at most 745
	}
	if c > 40 {
		c = 40 + math.Sqrt(c-40)
	}
	return c + m.level
}

// kernels are constants of calls before, each where its intervals hash to.
type kernels [256]atomic.Pointer[kernel]

// at is the place of two intervals.
func (k *kernels) at(dt1, dt2 float64) *atomic.Pointer[kernel] {
	const odd = 0x9e3779b97f4a7c15 // 2⁶⁴ over the golden ratio
	h := (math.Float64bits(dt1)*odd ^ math.Float64bits(dt2)) * odd
	return &k[h>>56]
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
	at := list.at(dt1, dt2)
	if c := at.Load(); c != nil && c.dt1 == dt1 && c.dt2 == dt2 && c.dim == dim && c.levels == m.Levels {
		return c
	}
	levels := m.Levels
	levels.Dim = dim
	c := levels.newKernel(dt1, dt2)
	c.levels, c.dim = m.Levels, dim
	reference := levels.reference()
	for _, x := range []*mixture{&c.first, &c.second} {
		x.level = float64(dim) / 2 * (x.logd - reference)
	}
	at.Store(c)
	return c
}

// newKernel computes the constants for two intervals, but for the levels of its
// mixtures and for what it was made from.
func (m *Levels) newKernel(dt1, dt2 float64) *kernel {
	r, rv := m.Sigma*m.Sigma, m.SigmaV*m.SigmaV
	innovation := func(p cov, dt float64) mixture {
		return newMixture(p.predict(dt, m.Accel).plus(r, rv), p.predict(dt, m.ManoeuvreAccel).plus(r, rv), m)
	}
	c := &kernel{dt1: dt1, dt2: dt2}
	p := cov{r, 0, rv}
	if m.PositionsOnly {
		p[2] = m.SpeedStd * m.SpeedStd
	}
	c.first = innovation(p, dt1)
	p = p.predict(dt1, m.Accel)
	inv, _ := p.plus(r, rv).invert(m.PositionsOnly)
	c.k = p.gain(inv)
	c.second = innovation(p.update(c.k), dt2)
	return c
}

// reference is log det S₀ on each axis.
func (m *Levels) reference() float64 { return m.newKernel(m.interval(), m.interval()).second.logd }

func (m *Levels) interval() float64 {
	if m.Interval == 0 {
		return 1
	}
	return m.Interval
}

func (m *Levels) dim() int {
	if m.Dim == 0 {
		return 2
	}
	return m.Dim
}

// Pairs implements [Model]: a link costs nothing by itself but the change of
// box size; motion is priced by Starts and Triplets.
func (m *Gaussian) Pairs(dst []float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32) {
	checkPairs(dst, a, b, out)
	if m.SizeStd == 0 || a.Size == nil || b.Size == nil {
		clear(dst[:len(out)])
		return
	}
	const most = 20
	dt := (b.Time - a.Time) / m.interval()
	c := 0.5 / (m.SizeStd * m.SizeStd * dt)
	for s, j := range out {
		w := math.Log(b.Size[2*j] / a.Size[2*i])
		h := math.Log(b.Size[2*j+1] / a.Size[2*i+1])
		dst[s] = most
		if d := c * (w*w + h*h); d < most { // not so for a box without size either
			dst[s] = d
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
	f := &m.kernel(&m.starts, a.Dim, dt, m.interval()).first
	x, y, z := coords(a.Pos, a.Dim, i)
	if m.PositionsOnly {
		f.positions(dst[:len(out)], x, y, z, b, out)
		return
	}
	u, v, w := coords(a.Vel, a.Dim, i)
	f.velocities(dst[:len(out)], x+dt*u, y+dt*v, z+dt*w, u, v, w, b, out)
}

// Triplets implements [Model].
func (m *Gaussian) Triplets(dst []float64, stride int, a *mtt.Scan, in []int32, b *mtt.Scan, j int, c *mtt.Scan, out []int32) {
	checkTriplets(dst, stride, a, in, b, c, out)
	if len(in) == 0 || len(out) == 0 {
		return
	}
	m.checkScans(a, b, c)
	dt1, dt2 := b.Time-a.Time, c.Time-b.Time
	f := m.kernel(&m.triplets, a.Dim, dt1, dt2)
	x, y, z := coords(b.Pos, b.Dim, j)
	if m.PositionsOnly {
		gain := f.k[0][0] + dt2*f.k[1][0]
		for r, i := range in {
			xi, yi, zi := coords(a.Pos, a.Dim, int(i))
			f.second.positions(dst[r*stride:][:len(out)], xi+gain*(x-xi), yi+gain*(y-yi), zi+gain*(z-zi), c, out)
		}
		return
	}
	u, v, w := coords(b.Vel, b.Dim, j)
	predict := func(x, v, xj, vj float64) (position, velocity float64) {
		x += dt1 * v
		d, e := xj-x, vj-v
		velocity = v + f.k[1][0]*d + f.k[1][1]*e
		return x + f.k[0][0]*d + f.k[0][1]*e + dt2*velocity, velocity
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

// checkScans panics when the levels are not for such scans.
func (m *Levels) checkScans(scans ...*mtt.Scan) {
	for _, s := range scans {
		if m.Dim != 0 && s.Dim != m.Dim {
			panic(badLevels)
		}
		if s.Vel == nil && !m.PositionsOnly {
			panic(noVelocity)
		}
	}
}

// positions prices the detections out of s where position (x, y, z) is predicted.
func (m *mixture) positions(dst []float64, x, y, z float64, s *mtt.Scan, out []int32) {
	for n, k := range out {
		xk, yk, zk := coords(s.Pos, s.Dim, int(k))
		xk, yk, zk = xk-x, yk-y, zk-z
		dst[n] = m.cost(xk*xk+yk*yk+zk*zk, 0, 0)
	}
}

// velocities prices the detections out of s where position (x, y, z) and
// velocity (u, v, w) are predicted.
func (m *mixture) velocities(dst []float64, x, y, z, u, v, w float64, s *mtt.Scan, out []int32) {
	for n, k := range out {
		xk, yk, zk := coords(s.Pos, s.Dim, int(k))
		uk, vk, wk := coords(s.Vel, s.Dim, int(k))
		xk, yk, zk = xk-x, yk-y, zk-z
		uk, vk, wk = uk-u, vk-v, wk-w
		dst[n] = m.cost(xk*xk+yk*yk+zk*zk, xk*uk+yk*vk+zk*wk, uk*uk+vk*vk+wk*wk)
	}
}

// Ends implements [Model]. All prices are negative logarithms of a probability
// (density), relative to that of a target that survives, is detected, and
// continues perfectly:
//
//	Miss  = −log(Survive·(1−Detect)·(1−Hidden)/Detect)   Death = −log(1−Survive)
//	Birth = −log(Births/Volume·f·Detect)  + log(Survive·Detect·N(0; S₀))
//	Clutter = −log(Clutter/Volume·f)         + log(Survive·Detect·N(0; S₀))
//	Again = −log(Survive·Hidden)
//
// First is Birth with Targets in place of Births. f is the typical density of a
// measured velocity, that of N(0, SpeedStd²+SigmaV²) at its entropy; without
// velocities f is 1.
func (m *Levels) Ends() Ends {
	r, dim := m.Rates, float64(m.dim())
	level := -m.reference() - math.Log(2*math.Pi)
	if !m.PositionsOnly {
		level += math.Log(m.SpeedStd*m.SpeedStd+m.SigmaV*m.SigmaV) + 1
	}
	level = dim/2*level + math.Log(r.Volume) + math.Log(r.Survive)
	return Ends{
		Birth:   level - math.Log(r.Births),
		First:   level - math.Log(r.Targets),
		Death:   -math.Log1p(-r.Survive),
		Miss:    r.Gap(1) - r.Gap(0),
		Again:   r.Gap(2) - r.Gap(1),
		Clutter: level - math.Log(r.Clutter) + math.Log(r.Detect),
	}
}
