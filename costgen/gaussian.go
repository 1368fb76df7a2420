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
// A first link i→j is priced by N(z_j; F m_i, S₁) with m_i the measurement of
// i, P = F R Fᵀ + Q, S₁ = P + R. A triplet i→j→k is priced by N(z_k; F m_j, S₂) with
// m_j the Kalman update of F m_i by z_j and S₂ = F P_j Fᵀ + Q + R. So the price of a track is
// the likelihood of its detections under a filter with a memory of two.
//
// With PositionsOnly the measurement is the position alone, and the velocity at
// the first detection of a link has the prior N(0, SpeedStd²) on each axis.
//
// Real targets mostly move smoothly and now and then do not. With probability
// Turns the last step of a link is a manoeuvre, whose Q has TurnAccel in place of
// Accel; the likelihood is then the mixture of the two. Manoeuvres have the
// tails of Student's t with [TailDOF] degrees of freedom, since the sharpest
// one is never in the data that the levels come from.
//
// A price is ½ νᵀS⁻¹ν + ½ log(det S/det S₀), where S₀ is S₂ of the reference
// interval, so that a perfect continuation costs nothing; prices above 40 go
// on as their square root, which keeps one impossible link from drowning the
// rest of a sum in rounding.
//
// Boxes (scans with Size) are priced too: SizeStd is the standard deviation of
// the change of log width and log height from one frame to the next; 0 leaves sizes out.
type Gaussian struct {
	Levels

	last atomic.Pointer[kernel] // of the last intervals: usually of all
}

// Levels are the parameters of a Gaussian model.
type Levels struct {
	Sigma    float64 // m: standard deviation of a measured position, per axis
	SigmaV   float64 // m/s: of a measured velocity, per axis
	Accel    float64 // m/s^1.5: square root of the acceleration's spectral density
	SpeedStd float64 // m/s: prior standard deviation of a velocity, per axis

	// With probability Turns a target manoeuvres between two detections, and
	// then TurnAccel takes the place of Accel. 0 leaves manoeuvres out.
	Turns     float64
	TurnAccel float64 // m/s^1.5

	SizeStd  float64 // log units
	Interval float64 // s: the reference interval between frames; 0: 1
	Dim      int     // 2 or 3; 0: 2

	// PositionsOnly leaves measured velocities unread. Without it every scan
	// must have them.
	PositionsOnly bool

	Rates Rates
}

// Rates are the statistics of detections and targets. They make births, deaths,
// misses and false alarms commensurable with links.
type Rates struct {
	Detect  float64 // probability that a target is detected in a frame
	Survive float64 // probability that a target is still there one frame later
	Births  float64 // new targets in a frame
	Targets float64 // targets in the first frame
	Alarms  float64 // false alarms in a frame
	Volume  float64 // m² or m³: where births and false alarms may lie
}

// A kernel holds the constants of one axis for a pair of intervals. Without
// velocities only the first elements and the first column of k are used.
type kernel struct {
	dt1, dt2      float64
	k             [2][2]float64 // Kalman gain of the second detection
	first, second mixture       // of S₁ and S₂
}

// A mixture is the density of an innovation: smooth, or a manoeuvre.
type mixture struct {
	inv, turn [3]float64 // S⁻¹: elements 00, 01, 11
	logd      float64    // log det S of a smooth step
	ratio     float64    // log of the manoeuvre's peak over the smooth step's, for all axes
	dim       float64    // of the innovation
}

// TailDOF is the number of degrees of freedom of a manoeuvre's distribution.
const TailDOF = 4

// Tail is what takes the place of a quadratic form e2 in −2·log of the density
// of a manoeuvre whose innovation has dim dimensions.
func Tail(e2, dim float64) float64 { return (TailDOF + dim) * math.Log1p(e2/TailDOF) }

// TailPeak is log of the peak of Student's t over that of the Gaussian with the
// same scale matrix.
func TailPeak(dim float64) float64 {
	a, _ := math.Lgamma((TailDOF + dim) / 2)
	b, _ := math.Lgamma(TailDOF / 2.0)
	return a - b - dim/2*math.Log(TailDOF/2.0)
}

// cost is the price of an innovation with quadratic forms d2 when smooth and
// e2 as a manoeuvre.
func (m *mixture) cost(d2, e2 float64) float64 {
	c := d2 / 2
	if m.ratio > noTurn && c+m.ratio > -12 {
		if gain := c + m.ratio - Tail(e2, m.dim)/2; gain > -12 {
			if gain < 30 {
				gain = math.Log1p(math.Exp(gain))
			}
			c -= gain
		}
	}
	if c > 40 {
		c = 40 + math.Sqrt(c-40)
	}
	return c
}

// noTurn is the ratio of a mixture without manoeuvres.
const noTurn = -1e300

func newMixture(smooth, turn [3]float64, m *Levels) mixture {
	x := mixture{ratio: noTurn}
	x.inv, x.logd = invert(smooth, m.PositionsOnly)
	if m.Turns > 0 {
		var logd float64
		x.turn, logd = invert(turn, m.PositionsOnly)
		x.dim = float64(m.dim())
		x.ratio = math.Log(m.Turns/(1-m.Turns)) - x.dim/2*(logd-x.logd)
		if !m.PositionsOnly {
			x.dim *= 2
		}
		x.ratio += TailPeak(x.dim)
	}
	return x
}

// kernel returns the constants for two intervals, from the last call if they
// are the same.
func (m *Gaussian) kernel(dt1, dt2 float64) *kernel {
	if c := m.last.Load(); c != nil && c.dt1 == dt1 && c.dt2 == dt2 {
		return c
	}
	c := m.newKernel(dt1, dt2)
	m.last.Store(c)
	return c
}

func (m *Levels) newKernel(dt1, dt2 float64) *kernel {
	r, rv := m.Sigma*m.Sigma, m.SigmaV*m.SigmaV
	predict := func(p [3]float64, dt, accel float64) [3]float64 { // F P Fᵀ + Q
		q := accel * accel
		return [3]float64{
			p[0] + 2*dt*p[1] + dt*dt*p[2] + q*dt*dt*dt/3,
			p[1] + dt*p[2] + q*dt*dt/2,
			p[2] + q*dt,
		}
	}
	innovation := func(p [3]float64, dt float64) mixture {
		s, t := predict(p, dt, m.Accel), predict(p, dt, m.TurnAccel)
		return newMixture([3]float64{s[0] + r, s[1], s[2] + rv}, [3]float64{t[0] + r, t[1], t[2] + rv}, m)
	}
	c := &kernel{dt1: dt1, dt2: dt2}
	p := [3]float64{r, 0, rv}
	if m.PositionsOnly {
		p[2] = m.SpeedStd * m.SpeedStd
	}
	c.first = innovation(p, dt1)
	p = predict(p, dt1, m.Accel)
	inv := c.first.inv
	for n, row := range [2][2]float64{{p[0], p[1]}, {p[1], p[2]}} { // K = P S₁⁻¹
		c.k[n] = [2]float64{row[0]*inv[0] + row[1]*inv[1], row[0]*inv[1] + row[1]*inv[2]}
	}
	p = [3]float64{ // (I−K) P
		p[0] - c.k[0][0]*p[0] - c.k[0][1]*p[1],
		p[1] - c.k[0][0]*p[1] - c.k[0][1]*p[2],
		p[2] - c.k[1][0]*p[1] - c.k[1][1]*p[2],
	}
	c.second = innovation(p, dt2)
	return c
}

// invert inverts a symmetric 2×2 matrix and returns the log of its
// determinant; of its first element only, when scalar.
func invert(s [3]float64, scalar bool) (inv [3]float64, logdet float64) {
	if scalar {
		return [3]float64{1 / s[0]}, math.Log(s[0])
	}
	det := s[0]*s[2] - s[1]*s[1]
	return [3]float64{s[2] / det, -s[1] / det, s[0] / det}, math.Log(det)
}

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
	if m.SizeStd == 0 || a.Size == nil || b.Size == nil {
		clear(dst[:len(out)])
		return
	}
	dt := (b.Time - a.Time) / m.interval()
	c := 0.5 / (m.SizeStd * m.SizeStd * dt)
	for s, j := range out {
		w := math.Log(b.Size[2*j] / a.Size[2*i])
		h := math.Log(b.Size[2*j+1] / a.Size[2*i+1])
		dst[s] = min(c*(w*w+h*h), 20)
	}
}

// Starts implements [Model].
func (m *Gaussian) Starts(dst []float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32) {
	dt := b.Time - a.Time
	c := m.newKernel(dt, m.interval())
	level := float64(a.Dim) * (c.first.logd - m.reference().second.logd) / 2
	f := &c.first
	x, y, z := coords(a.Pos, a.Dim, i)
	var u, v, w float64
	if !m.PositionsOnly {
		u, v, w = coords(a.Vel, a.Dim, i)
		x, y, z = x+dt*u, y+dt*v, z+dt*w
	}
	for s, j := range out {
		xj, yj, zj := coords(b.Pos, b.Dim, int(j))
		xj, yj, zj = xj-x, yj-y, zj-z
		pp := xj*xj + yj*yj + zj*zj
		var pv, vv float64
		if !m.PositionsOnly {
			uj, vj, wj := coords(b.Vel, b.Dim, int(j))
			uj, vj, wj = uj-u, vj-v, wj-w
			pv, vv = xj*uj+yj*vj+zj*wj, uj*uj+vj*vj+wj*wj
		}
		dst[s] = f.cost(f.inv[0]*pp+2*f.inv[1]*pv+f.inv[2]*vv, f.turn[0]*pp+2*f.turn[1]*pv+f.turn[2]*vv) + level
	}
}

// reference is the kernel of the reference interval.
func (m *Levels) reference() *kernel { return m.newKernel(m.interval(), m.interval()) }

// Triplets implements [Model].
func (m *Gaussian) Triplets(dst []float64, stride int, a *mtt.Scan, in []int32, b *mtt.Scan, j int, c *mtt.Scan, out []int32) {
	dt1, dt2 := b.Time-a.Time, c.Time-b.Time
	f := m.kernel(dt1, dt2)
	level := 0.0
	if ref := m.interval(); dt1 != ref || dt2 != ref {
		level = float64(a.Dim) * (f.second.logd - m.reference().second.logd) / 2
	}
	switch {
	case m.PositionsOnly:
		m.positions(dst, stride, f, level, a, in, b, j, c, out)
	default:
		m.velocities(dst, stride, f, level, a, in, b, j, c, out)
	}
}

// positions is Triplets from positions alone.
func (m *Gaussian) positions(dst []float64, stride int, f *kernel, level float64, a *mtt.Scan, in []int32, b *mtt.Scan, j int, c *mtt.Scan, out []int32) {
	xj, yj, zj := coords(b.Pos, b.Dim, j)
	n := &f.second
	gain := f.k[0][0] + f.dt2*f.k[1][0]
	for r, i := range in {
		x, y, z := coords(a.Pos, a.Dim, int(i))
		x, y, z = x+gain*(xj-x), y+gain*(yj-y), z+gain*(zj-z) // predicted
		row := dst[r*stride:][:len(out)]
		for s, k := range out {
			xk, yk, zk := coords(c.Pos, c.Dim, int(k))
			d, e, g := xk-x, yk-y, zk-z
			pp := d*d + e*e + g*g
			row[s] = n.cost(n.inv[0]*pp, n.turn[0]*pp) + level
		}
	}
}

// velocities is Triplets from positions and velocities.
func (m *Gaussian) velocities(dst []float64, stride int, f *kernel, level float64, a *mtt.Scan, in []int32, b *mtt.Scan, j int, c *mtt.Scan, out []int32) {
	dim := b.Dim
	q := &f.second
	var position, velocity [3]float64 // predicted for the time of c
	for r, i := range in {
		for n := range dim {
			x, v := a.Pos[dim*int(i)+n], a.Vel[dim*int(i)+n]
			d, e := b.Pos[dim*j+n]-x-f.dt1*v, b.Vel[dim*j+n]-v
			velocity[n] = v + f.k[1][0]*d + f.k[1][1]*e
			position[n] = x + f.dt1*v + f.k[0][0]*d + f.k[0][1]*e + f.dt2*velocity[n]
		}
		row := dst[r*stride:][:len(out)]
		for s, k := range out {
			x, y, z := coords(c.Pos, dim, int(k))
			u, v, w := coords(c.Vel, dim, int(k))
			x, y, z = x-position[0], y-position[1], z-position[2]
			u, v, w = u-velocity[0], v-velocity[1], w-velocity[2]
			pp, pv, vv := x*x+y*y+z*z, x*u+y*v+z*w, u*u+v*v+w*w
			row[s] = q.cost(q.inv[0]*pp+2*q.inv[1]*pv+q.inv[2]*vv, q.turn[0]*pp+2*q.turn[1]*pv+q.turn[2]*vv) + level
		}
	}
}

// Ends implements [Model]. All prices are negative logarithms of a probability
// (density), relative to that of a target that survives, is detected, and
// continues perfectly:
//
//	Miss  = −log(Survive·(1−Detect))     Death = −log(1−Survive)
//	Birth = −log(Births/Volume·f·Detect)  + log(Survive·Detect·N(0; S₀))
//	Alarm = −log(Alarms/Volume·f)         + log(Survive·Detect·N(0; S₀))
//
// First is Birth with Targets in place of Births. f is the typical density of a
// measured velocity, that of N(0, SpeedStd²+SigmaV²) at its entropy; without
// velocities f is 1.
func (m *Levels) Ends() Ends {
	r, dim := m.Rates, float64(m.dim())
	level := -m.reference().second.logd - math.Log(2*math.Pi)
	if !m.PositionsOnly {
		level += math.Log(m.SpeedStd*m.SpeedStd+m.SigmaV*m.SigmaV) + 1
	}
	level = dim/2*level + math.Log(r.Volume) + math.Log(r.Survive)
	return Ends{
		Birth: level - math.Log(r.Births),
		First: level - math.Log(r.Targets),
		Death: -math.Log1p(-r.Survive),
		Miss:  -math.Log(r.Survive) - math.Log1p(-r.Detect),
		Alarm: level - math.Log(r.Alarms) + math.Log(r.Detect),
	}
}
