package association

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"mtt"
	"mtt/costgen"
)

// This file tests the filters of kalman.go against joint Gaussian densities
// that are written down whole: no recursion, no information form.

// A path is the detections of one target, one in each scan, all axes.
type path struct {
	time     []float64
	pos, vel [][]float64 // [hit][axis]
}

func (p *path) scans(dim int, vel bool) []mtt.Scan {
	scans := make([]mtt.Scan, len(p.time))
	for t := range scans {
		scans[t] = mtt.Scan{Frame: t, Time: p.time[t], Dim: dim, Pos: p.pos[t]}
		if vel {
			scans[t].Vel = p.vel[t]
		}
	}
	return scans
}

func randomPath(rng *rand.Rand, n, dim int) *path {
	p := &path{}
	now := 100 * rng.Float64()
	x, v := make([]float64, dim), make([]float64, dim)
	for d := range dim {
		x[d], v[d] = 1000*rng.NormFloat64(), rng.NormFloat64()
	}
	for range n {
		p.time = append(p.time, now)
		z, w := make([]float64, dim), make([]float64, dim)
		dt := 0.3 + 2*rng.Float64()
		if rng.IntN(4) == 0 {
			dt *= 4 // missed detections
		}
		for d := range dim {
			z[d], w[d] = x[d]+0.5*rng.NormFloat64(), v[d]+0.3*rng.NormFloat64()
			x[d] += dt * v[d]
			v[d] += 0.4 * math.Sqrt(dt) * rng.NormFloat64()
		}
		p.pos, p.vel = append(p.pos, z), append(p.vel, w)
		now += dt
	}
	return p
}

// density returns the log of the joint density of hits lo to hi−1 on one axis,
// as a function of x and v, the state at hit lo: the state at hit k is a sum of
// that state and of independent kicks, so mean and covariance of all
// measurements are sums over the kicks.
func (p *path) density(m *costgen.Levels, axis, lo, hi int) func(x, v float64) float64 {
	zero, cov, z := p.joint(m, axis, lo, hi, nil)
	normal := newNormal(zero, cov)
	rest := make([]float64, len(z))
	return func(x, v float64) float64 {
		for k, mean := range p.mean(m, lo, hi, x, v) {
			rest[k] = z[k] - mean
		}
		return normal.LogProb(rest)
	}
}

// mean is the expected measurements of hits lo to hi−1 given the state at lo.
func (p *path) mean(m *costgen.Levels, lo, hi int, x, v float64) []float64 {
	var mean []float64
	for k := lo; k < hi; k++ {
		mean = append(mean, x+(p.time[k]-p.time[lo])*v)
		if !m.PositionsOnly {
			mean = append(mean, v)
		}
	}
	return mean
}

// joint returns zeros, the covariance of the measurements of hits lo to hi−1
// given the state at lo, and the measurements. turn[k] makes the step to hit k
// a manoeuvre.
func (p *path) joint(m *costgen.Levels, axis, lo, hi int, turn []bool) (zero []float64, cov *mat.SymDense, z []float64) {
	width := 2
	if m.PositionsOnly {
		width = 1
	}
	n := width * (hi - lo)
	cov = mat.NewSymDense(n, nil)
	// effect[k] maps the state kick that arrives at hit s to the measurements of hit k.
	for s := lo + 1; s < hi; s++ {
		dt := p.time[s] - p.time[s-1]
		q := m.Accel * m.Accel
		if turn != nil && turn[s] {
			q = m.ManoeuvreAccel * m.ManoeuvreAccel
		}
		kick := mat.NewDense(2, 2, []float64{q * dt * dt * dt / 3, q * dt * dt / 2, q * dt * dt / 2, q * dt})
		effect := mat.NewDense(n, 2, nil)
		for k := s; k < hi; k++ {
			effect.Set(width*(k-lo), 0, 1)
			effect.Set(width*(k-lo), 1, p.time[k]-p.time[s])
			if width == 2 {
				effect.Set(width*(k-lo)+1, 1, 1)
			}
		}
		var half, whole mat.Dense
		half.Mul(effect, kick)
		whole.Mul(&half, effect.T())
		for i := range n {
			for j := i; j < n; j++ {
				cov.SetSym(i, j, cov.At(i, j)+whole.At(i, j))
			}
		}
	}
	for k := lo; k < hi; k++ {
		at := width * (k - lo)
		cov.SetSym(at, at, cov.At(at, at)+m.Sigma*m.Sigma)
		z = append(z, p.pos[k][axis])
		if width == 2 {
			cov.SetSym(at+1, at+1, cov.At(at+1, at+1)+m.SigmaV*m.SigmaV)
			z = append(z, p.vel[k][axis])
		}
	}
	return make([]float64, n), cov, z
}

func newNormal(mean []float64, cov *mat.SymDense) *distmv.Normal {
	n, ok := distmv.NewNormal(mean, cov, nil)
	if !ok {
		panic("covariance is not positive definite")
	}
	return n
}

// track is the log density of hits lo to hi−1 of a target that is born at hit
// lo: of all but the position of the first, which is given and flat.
func (p *path) track(m *costgen.Levels, dim, lo, hi int, turn []bool) float64 {
	var sum float64
	for axis := range dim {
		_, cov, z := p.joint(m, axis, lo, hi, turn)
		// A flat prior on the position is a Gaussian one of great width whose
		// peak is taken out; the velocity's prior is added likewise.
		const wide = 1e3
		n := len(z)
		prior := mat.NewDense(n, 2, nil)
		for k := lo; k < hi; k++ {
			at := (k - lo) * n / (hi - lo)
			prior.Set(at, 0, 1)
			prior.Set(at, 1, p.time[k]-p.time[lo])
			if !m.PositionsOnly {
				prior.Set(at+1, 1, 1)
			}
		}
		var half, whole mat.Dense
		half.Mul(prior, mat.NewDense(2, 2, []float64{wide * wide, 0, 0, m.SpeedStd * m.SpeedStd}))
		whole.Mul(&half, prior.T())
		for i := range n {
			for j := i; j < n; j++ {
				cov.SetSym(i, j, cov.At(i, j)+whole.At(i, j))
			}
		}
		mean := make([]float64, n)
		for k := range mean {
			if m.PositionsOnly || k%2 == 0 {
				mean[k] = p.pos[lo][axis]
			}
		}
		sum += newNormal(mean, cov).LogProb(z) + math.Log(wide*math.Sqrt(2*math.Pi))
	}
	return sum
}

// filtered runs the filter of the package over hits 0 to cut−1.
func filtered(m *motion, scans []mtt.Scan, cut int, turn []bool) state {
	s := m.start(&scans[0], 0)
	for t := 1; t < cut; t++ {
		m.predict(&s, scans[t].Time-scans[t-1].Time, kindOf(turn, t))
		m.update(&s, &scans[t], 0)
	}
	return s
}

// gathered is the evidence of hits cut to the last.
func gathered(m *motion, scans []mtt.Scan, cut int, turn []bool) evidence {
	var e evidence
	for t := len(scans) - 1; t >= cut; t-- {
		if t+1 < len(scans) {
			m.retreat(&e, scans[t+1].Time-scans[t].Time, kindOf(turn, t+1))
		}
		m.observe(&e, &scans[t], 0)
	}
	return e
}

func kindOf(turn []bool, t int) int {
	if turn[t] {
		return 1
	}
	return 0
}

// TestJoinIsTheJointLikelihood: a join minus a birth is the log likelihood
// ratio of "one target" against "two targets", to rounding, wherever the
// detections are cut, with manoeuvres at known places.
func TestJoinIsTheJointLikelihood(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, dim := range []int{2, 3} {
		for _, positions := range []bool{false, true} {
			for _, hits := range []int{2, 3, 7, 12} {
				name := fmt.Sprintf("dim %d, positions only %v, %d hits", dim, positions, hits)
				for range 5 {
					levels := &costgen.Levels{
						Sigma: 0.1 + rng.Float64(), SigmaV: 0.1 + rng.Float64(), Accel: 0.1 + rng.Float64(), ManoeuvreAccel: 1 + rng.Float64(),
						SpeedStd: 0.5 + 2*rng.Float64(), ManoeuvreProb: 0.1, Dim: dim, PositionsOnly: positions,
					}
					p := randomPath(rng, hits, dim)
					scans := p.scans(dim, !positions)
					m := newMotion(levels, dim)
					turn := make([]bool, hits)
					for k := range turn {
						turn[k] = rng.IntN(3) == 0
					}
					for cut := 1; cut < hits; cut++ {
						whole := p.track(levels, dim, 0, hits, turn)
						apart := p.track(levels, dim, 0, cut, turn) + p.track(levels, dim, cut, hits, turn)
						s, e := filtered(&m, scans, cut, turn), gathered(&m, scans, cut, turn)
						m.predict(&s, scans[cut].Time-scans[cut-1].Time, kindOf(turn, cut))
						f := m.join(&s, &e)
						got := (m.open(&e) - f.d2 - f.base) / 2
						if want := whole - apart; math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
							t.Errorf("%s, cut before hit %d: log likelihood ratio %v, want %v", name, cut, got, want)
						}
					}
				}
			}
		}
	}
}

// TestOpen integrates the density of a birth numerically: position flat,
// velocity from its prior. Evidence drops a factor that does not depend on the
// state, so two states are compared: the birth, and one that is known exactly.
func TestOpen(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, positions := range []bool{false, true} {
		levels := &costgen.Levels{Sigma: 0.4, SigmaV: 0.3, Accel: 0.5, SpeedStd: 1.2, Dim: 2, PositionsOnly: positions}
		p := randomPath(rng, 4, 2)
		scans := p.scans(2, !positions)
		m := newMotion(levels, 2)
		e := gathered(&m, scans, 0, make([]bool, 4))

		var born, known float64
		var at state
		for axis := range 2 {
			// Simpson's rule around the first detection.
			const n, wide = 240, 8.0
			density := p.density(levels, axis, 0, 4)
			var sum float64
			for i := 0; i <= n; i++ {
				for k := 0; k <= n; k++ {
					x := p.pos[0][axis] + wide*(2*float64(i)/n-1)*levels.Sigma
					v := wide * (2*float64(k)/n - 1) * levels.SpeedStd
					weight := simpson(i, n) * simpson(k, n) * (2 * wide * levels.Sigma / n) * (2 * wide * levels.SpeedStd / n)
					prior := -v*v/(2*levels.SpeedStd*levels.SpeedStd) - math.Log(levels.SpeedStd*math.Sqrt(2*math.Pi))
					sum += weight * math.Exp(prior+density(x, v))
				}
			}
			born += math.Log(sum)
			at.x[axis], at.v[axis] = p.pos[0][axis]+0.2, 0.7
			known += density(at.x[axis], at.v[axis])
		}
		f := m.join(&at, &e) // no uncertainty: the density at the state itself
		if got, want := (f.d2+f.base-m.open(&e))/2, born-known; math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("positions only %v: log of birth over known state %v, want %v", positions, got, want)
		}
	}
}

func simpson(i, n int) float64 {
	switch {
	case i == 0 || i == n:
		return 1. / 3
	case i%2 == 1:
		return 4. / 3
	}
	return 2. / 3
}

// TestFilter compares mean and covariance after several detections with those
// of the joint Gaussian of everything, conditioned in one go.
func TestFilter(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, positions := range []bool{false, true} {
		for range 10 {
			levels := &costgen.Levels{Sigma: 0.4, SigmaV: 0.3, Accel: 0.5, SpeedStd: 1.2, Dim: 2, PositionsOnly: positions}
			p := randomPath(rng, 6, 2)
			m := newMotion(levels, 2)
			got := filtered(&m, p.scans(2, !positions), 6, make([]bool, 6))
			for axis := range 2 {
				x, v, cov := p.posterior(levels, axis, 6)
				want := []float64{x, v, cov[0], cov[1], cov[2]}
				have := []float64{got.x[axis], got.v[axis], got.p[0], got.p[1], got.p[2]}
				for k := range want {
					if math.Abs(have[k]-want[k]) > 1e-5*(1+math.Abs(want[k])) {
						t.Errorf("positions only %v, axis %d: state %v, want %v", positions, axis, have, want)
						break
					}
				}
			}
		}
	}
}

// posterior is the mean and covariance of the state at hit n−1 given hits
// 0 to n−1, by least squares over the states at all hits: each kick, each
// measurement and the prior of the first velocity is one weighted equation.
func (p *path) posterior(m *costgen.Levels, axis, n int) (x, v float64, cov [3]float64) {
	info := mat.NewDense(2*n, 2*n, nil)
	rhs := mat.NewVecDense(2*n, nil)
	add := func(row map[int]float64, value, weight float64) {
		for i, a := range row {
			for j, b := range row {
				info.Set(i, j, info.At(i, j)+weight*a*b)
			}
			rhs.SetVec(i, rhs.AtVec(i)+weight*a*value)
		}
	}
	add(map[int]float64{1: 1}, 0, 1/(m.SpeedStd*m.SpeedStd))
	origin := p.pos[0][axis]
	for k := range n {
		add(map[int]float64{2 * k: 1}, p.pos[k][axis]-origin, 1/(m.Sigma*m.Sigma))
		if !m.PositionsOnly {
			add(map[int]float64{2*k + 1: 1}, p.vel[k][axis], 1/(m.SigmaV*m.SigmaV))
		}
		if k == 0 {
			continue
		}
		// The kick, whitened: its velocity part, and its position part less
		// what the velocity part tells of it, dt/2 of it.
		dt, q := p.time[k]-p.time[k-1], m.Accel*m.Accel
		dv := map[int]float64{2*k + 1: 1, 2*k - 1: -1}
		add(dv, 0, 1/(q*dt))
		add(map[int]float64{2 * k: 1, 2*k - 2: -1, 2*k - 1: -dt + dt/2, 2*k + 1: -dt / 2}, 0, 12/(q*dt*dt*dt))
	}
	var inverse mat.Dense
	if err := inverse.Inverse(info); err != nil {
		panic(err)
	}
	var mean mat.VecDense
	mean.MulVec(&inverse, rhs)
	at := 2 * (n - 1)
	return mean.AtVec(at) + origin, mean.AtVec(at + 1), [3]float64{inverse.At(at, at), inverse.At(at, at+1), inverse.At(at+1, at+1)}
}

// TestInnovation compares with the density of the next detection given all
// before it: the ratio of two joint densities.
func TestInnovation(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, positions := range []bool{false, true} {
		levels := &costgen.Levels{Sigma: 0.4, SigmaV: 0.3, Accel: 0.5, SpeedStd: 1.2, Dim: 3, PositionsOnly: positions}
		p := randomPath(rng, 5, 3)
		scans := p.scans(3, !positions)
		m := newMotion(levels, 3)
		s := filtered(&m, scans, 4, make([]bool, 5))
		m.predict(&s, scans[4].Time-scans[3].Time, smooth)
		f := m.innovation(&s, &scans[4], 0)
		want := p.track(levels, 3, 0, 5, nil) - p.track(levels, 3, 0, 4, nil)
		if got := -(f.d2 + f.base) / 2; math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("positions only %v: log density %v, want %v", positions, got, want)
		}
	}
}

// TestPriceIsAMixture: the price of a step is −log of the weighted sum of a
// Gaussian and a Student t density, over the weight of the Gaussian.
func TestPriceIsAMixture(t *testing.T) {
	levels := &costgen.Levels{Sigma: 0.4, Accel: 0.5, ManoeuvreAccel: 3, ManoeuvreProb: 0.1, SpeedStd: 1.2, Dim: 2, PositionsOnly: true}
	m := newMotion(levels, 2)
	for _, far := range []float64{0, 0.5, 1, 2, 5, 20, 200} {
		b := &mtt.Scan{Dim: 2, Pos: []float64{far, 0}}
		calm := state{p: [3]float64{0.3, 0, 1}}
		wild := state{p: [3]float64{4, 0, 1}}
		got := m.price(m.innovation(&calm, b, 0), m.innovation(&wild, b, 0))
		gauss := func(s2 float64) float64 { return math.Exp(-far*far/(2*s2)) / (2 * math.Pi * s2) }
		// Bivariate t with 4 degrees of freedom and scale s2·I.
		student := func(s2 float64) float64 { return math.Pow(1+far*far/(4*s2), -3) / (2 * math.Pi * s2) }
		want := -math.Log(gauss(0.3+0.16) + 0.1/0.9*student(4+0.16))
		if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("price at %v m = %v, want %v", far, got, want)
		}
	}
}
