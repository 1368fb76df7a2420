package pmbm

import "math"

// This file holds the Kalman filter on arrays of fixed size.
//
// A state is (x, vx, y, vy, z, vz), cut after Dim axes, or (x, vx, y, vy, ω). A
// detection is the positions and, where they are read, the velocities: elements
// of the state, so that the measurement matrix only picks.

// maxStates is the most elements a state or a detection may have.
const maxStates = 6

// A gaussian is a state and its covariance, of which the first states() rows and
// columns count.
type gaussian struct {
	x [maxStates]float64
	p [maxStates][maxStates]float64
}

// pick is the element of the state that element k of a detection measures.
func (m *Model) pick(k int) int {
	if k < m.Dim {
		return 2 * k
	}
	return 2*(k-m.Dim) + 1
}

// noise is the variance of element k of a detection.
func (m *Model) noise(k int) float64 {
	if k < m.Dim {
		return m.Sigma * m.Sigma
	}
	return m.SigmaV * m.SigmaV
}

// predict moves g on by dt seconds.
func (m *Model) predict(g *gaussian, dt float64) {
	n := m.states()
	var f [maxStates][maxStates]float64
	m.transition(&f, g, dt)
	// F P Fᵀ, where F has few elements that are not 0.
	var fp [maxStates][maxStates]float64
	for i := range n {
		for k := range n {
			if x := f[i][k]; x != 0 {
				for j := range n {
					fp[i][j] += x * g.p[k][j]
				}
			}
		}
	}
	for i := range n {
		for j := i; j < n; j++ {
			sum := 0.0
			for k := range n {
				sum += fp[i][k] * f[j][k]
			}
			g.p[i][j], g.p[j][i] = sum, sum
		}
	}
	q := m.Accel * m.Accel
	for a := range m.Dim {
		i, j := 2*a, 2*a+1
		g.p[i][i] += q * dt * dt * dt / 3
		g.p[i][j] += q * dt * dt / 2
		g.p[j][i] += q * dt * dt / 2
		g.p[j][j] += q * dt
	}
	if m.Motion == CoordinatedTurn {
		g.p[4][4] += m.TurnAccel * m.TurnAccel * dt
	}
}

// transition moves the state of g on by dt seconds, and sets f to the derivative
// of the new state by the old one.
func (m *Model) transition(f *[maxStates][maxStates]float64, g *gaussian, dt float64) {
	if m.Motion == CoordinatedTurn {
		turn(f, &g.x, dt)
		return
	}
	for a := range m.Dim {
		i, j := 2*a, 2*a+1
		g.x[i] += dt * g.x[j]
		f[i][i], f[i][j], f[j][j] = 1, dt, 1
	}
}

// turn is transition for a turn at constant speed and rate: with s and c the sine
// and cosine of ω·dt, a = s/ω and b = (1−c)/ω,
//
//	x' = x + a·vx − b·vy,   vx' = c·vx − s·vy,
//	y' = y + b·vx + a·vy,   vy' = s·vx + c·vy   (Bar-Shalom, Li and Kirubarajan 2001, §11.7).
func turn(f *[maxStates][maxStates]float64, x *[maxStates]float64, dt float64) {
	w := x[4]
	s, c := math.Sincos(w * dt)
	var a, b, da, db float64 // da, db: derivatives by ω
	if angle := w * dt; math.Abs(angle) < 1e-4 {
		// Series: the terms left out are below 1e-16 of those kept.
		a, b = dt*(1-angle*angle/6), dt*angle/2*(1-angle*angle/12)
		da, db = -dt*dt*angle/3, dt*dt/2*(1-angle*angle/4)
	} else {
		a, b = s/w, (1-c)/w
		da, db = (dt*c-a)/w, (dt*s-b)/w
	}
	vx, vy := x[1], x[3]
	*f = [maxStates][maxStates]float64{
		{1, a, 0, -b, da*vx - db*vy},
		{0, c, 0, -s, -dt * (s*vx + c*vy)},
		{0, b, 1, a, db*vx + da*vy},
		{0, s, 0, c, dt * (c*vx - s*vy)},
		{0, 0, 0, 0, 1},
	}
	x[0] += a*vx - b*vy
	x[2] += b*vx + a*vy
	x[1], x[3] = c*vx-s*vy, s*vx+c*vy
}

// An innovation is what a Gaussian says about its detections: the Cholesky factor
// of their covariance S, and the logarithm of the density at the mean.
type innovation struct {
	l    [maxStates][maxStates]float64 // lower triangle
	peak float64                       // −½ log det(2πS)
}

// expect makes the innovation of g.
func (m *Model) expect(in *innovation, g *gaussian) {
	n := m.measured()
	in.peak = -0.5 * float64(n) * math.Log(2*math.Pi)
	for i := range n {
		for j := range i + 1 {
			sum := g.p[m.pick(i)][m.pick(j)]
			if i == j {
				sum += m.noise(i)
			}
			for k := range j {
				sum -= in.l[i][k] * in.l[j][k]
			}
			if i == j {
				in.l[i][i] = math.Sqrt(sum)
			} else {
				in.l[i][j] = sum / in.l[j][j]
			}
		}
		in.peak -= math.Log(in.l[i][i])
	}
}

// distance is νᵀS⁻¹ν of a detection z.
func (m *Model) distance(in *innovation, g *gaussian, z *[maxStates]float64) float64 {
	var y [maxStates]float64 // L⁻¹ν
	d := 0.0
	for i := range m.measured() {
		sum := z[i] - g.x[m.pick(i)]
		for k := range i {
			sum -= in.l[i][k] * y[k]
		}
		y[i] = sum / in.l[i][i]
		d += y[i] * y[i]
	}
	return d
}

// update conditions g on the detection z, given its innovation. With W = P·Hᵀ·L⁻ᵀ,
// the state moves by W·L⁻¹·ν and the covariance falls by W·Wᵀ, which keeps it
// symmetric.
func (m *Model) update(g *gaussian, in *innovation, z *[maxStates]float64) {
	n, states := m.measured(), m.states()
	var y [maxStates]float64
	var w [maxStates][maxStates]float64 // states×measured
	for i := range n {
		sum := z[i] - g.x[m.pick(i)]
		for k := range i {
			sum -= in.l[i][k] * y[k]
		}
		y[i] = sum / in.l[i][i]
	}
	for s := range states {
		for i := range n {
			sum := g.p[s][m.pick(i)]
			for k := range i {
				sum -= in.l[i][k] * w[s][k]
			}
			w[s][i] = sum / in.l[i][i]
		}
	}
	for s := range states {
		for i := range n {
			g.x[s] += w[s][i] * y[i]
		}
		for t := s; t < states; t++ {
			fall := 0.0
			for i := range n {
				fall += w[s][i] * w[t][i]
			}
			x := g.p[s][t] - fall
			g.p[s][t], g.p[t][s] = x, x
		}
	}
}

// A mixture collects weighted Gaussians for moment matching.
type mixture struct {
	weight float64
	mean   [maxStates]float64            // Σ w·(x−x₀)
	square [maxStates][maxStates]float64 // Σ w·(P + (x−x₀)(x−x₀)ᵀ)
	origin [maxStates]float64            // x₀, the mean of the first, against cancellation
}

// add adds w times g.
func (a *mixture) add(w float64, g *gaussian, n int) {
	if a.weight == 0 {
		a.origin = g.x
	}
	a.weight += w
	for i := range n {
		di := g.x[i] - a.origin[i]
		a.mean[i] += w * di
		for j := range n {
			a.square[i][j] += w * (g.p[i][j] + di*(g.x[j]-a.origin[j]))
		}
	}
}

// match is the Gaussian with the mean and covariance of the mixture.
func (a *mixture) match(n int) gaussian {
	var g gaussian
	for i := range n {
		g.x[i] = a.mean[i] / a.weight
	}
	for i := range n {
		for j := i; j < n; j++ {
			p := a.square[i][j]/a.weight - g.x[i]*g.x[j]
			g.p[i][j], g.p[j][i] = p, p
		}
	}
	for i := range n {
		g.x[i] += a.origin[i]
	}
	return g
}
