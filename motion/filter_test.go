package motion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"mtt"
)

// This file tests both filters against joint Gaussian densities that are written
// down whole: no recursion, no information form.

// A path is the detections of one target, one in each scan.
type path struct {
	p     *Params
	scans []mtt.Scan
	kind  []int // of the step to each scan
}

// randomPath draws a path that has little to do with the motion: densities must agree
// anywhere. With covariances, each detection has its own.
func randomPath(rng *rand.Rand, p *Params, n int, covariances bool) *path {
	t := &path{p: p}
	now := 100 * rng.Float64()
	d := p.Dim
	x, v := make([]float64, d), make([]float64, d)
	for k := range d {
		x[k], v[k] = 1000*rng.NormFloat64(), rng.NormFloat64()
	}
	for k := range n {
		s := mtt.Scan{Frame: k, Time: now, Dim: d}
		dt := 0.3 + 2*rng.Float64()
		if rng.IntN(4) == 0 {
			dt *= 4 // missed detections
		}
		for k := range d {
			s.Pos = append(s.Pos, x[k]+0.5*rng.NormFloat64())
			s.Vel = append(s.Vel, v[k]+0.3*rng.NormFloat64())
			x[k] += dt * v[k]
			v[k] += 0.4 * math.Sqrt(dt) * rng.NormFloat64()
		}
		if covariances {
			s.Cov, s.VelCov = randomCov(rng, d), randomCov(rng, d)
		}
		if p.PositionsOnly {
			s.Vel, s.VelCov = nil, nil
		}
		t.scans, t.kind = append(t.scans, s), append(t.kind, rng.IntN(4)/3)
		now += dt
	}
	return t
}

func randomCov(rng *rand.Rand, dim int) []float64 {
	a := mat.NewDense(dim, dim, nil)
	for i := range dim {
		for j := range dim {
			a.Set(i, j, 0.3*rng.NormFloat64())
		}
	}
	var c mat.Dense
	c.Mul(a, a.T())
	var list []float64
	for i := range dim {
		for j := range i + 1 {
			v := c.At(i, j)
			if i == j {
				v += 0.05
			}
			list = append(list, v)
		}
	}
	return list
}

// width is the number of elements of a measurement, n that of a state.
func (t *path) width() int {
	if t.p.PositionsOnly {
		return t.p.Dim
	}
	return 2 * t.p.Dim
}

func (t *path) states() int { return 2 * t.p.Dim }

// transition is the matrix from the state at scan k to that at scan u ≥ k.
func (t *path) transition(k, u int) *mat.Dense {
	n, d := t.states(), t.p.Dim
	all := mat.NewDense(n, n, nil)
	for i := range n {
		all.Set(i, i, 1)
	}
	for s := k + 1; s <= u; s++ {
		step := t.p.Step(t.scans[s].Time-t.scans[s-1].Time, t.kind[s])
		f := mat.NewDense(n, n, nil)
		for i := range d {
			f.Set(i, i, 1)
			f.Set(i, d+i, step.A)
			f.Set(d+i, d+i, step.B)
		}
		var next mat.Dense
		next.Mul(f, all)
		all.Copy(&next)
	}
	return all
}

// noise is the covariance of the measurement in scan k.
func (t *path) noise(k int) *mat.SymDense {
	s, d := &t.scans[k], t.p.Dim
	r := mat.NewSymDense(t.width(), nil)
	for i := range t.width() {
		sigma, cov, at := t.p.Sigma, s.CovAt(0), i
		if i >= d {
			sigma, cov, at = t.p.SigmaV, s.VelCovAt(0), i-d
		}
		for j := range at + 1 {
			switch {
			case cov != nil:
				r.SetSym(i, i-at+j, cov[packed(at, j)])
			case at == j:
				r.SetSym(i, i, sigma*sigma)
			}
		}
	}
	return r
}

// joint is the covariance of all states at scans lo … hi−1, given the state at lo
// with covariance start.
func (t *path) joint(lo, hi int, start *mat.SymDense) *mat.Dense {
	n, d := t.states(), t.p.Dim
	size := n * (hi - lo)
	cov := mat.NewDense(size, size, nil)
	add := func(s int, q mat.Matrix) { // a kick that arrives at scan s
		for a := s; a < hi; a++ {
			for b := s; b < hi; b++ {
				var left, whole mat.Dense
				left.Mul(t.transition(s, a), q)
				whole.Mul(&left, t.transition(s, b).T())
				for i := range n {
					for j := range n {
						r, c := n*(a-lo)+i, n*(b-lo)+j
						cov.Set(r, c, cov.At(r, c)+whole.At(i, j))
					}
				}
			}
		}
	}
	add(lo, start)
	for s := lo + 1; s < hi; s++ {
		step := t.p.Step(t.scans[s].Time-t.scans[s-1].Time, t.kind[s])
		q := mat.NewDense(n, n, nil)
		for i := range d {
			q.Set(i, i, step.Q[0])
			q.Set(i, d+i, step.Q[1])
			q.Set(d+i, i, step.Q[1])
			q.Set(d+i, d+i, step.Q[2])
		}
		add(s, q)
	}
	return cov
}

// wide is the standard deviation of a position of which nothing is known: a flat prior
// is a Gaussian whose peak is taken out.
const wide = 1e4

// prior is the covariance of a state of which nothing is known.
func (t *path) prior() *mat.SymDense {
	p := mat.NewSymDense(t.states(), nil)
	for d := range t.p.Dim {
		p.SetSym(d, d, wide*wide)
		p.SetSym(t.p.Dim+d, t.p.Dim+d, t.p.SpeedStd*t.p.SpeedStd)
	}
	return p
}

// measured is the covariance of the measurements in scans lo … hi−1, and what was
// measured, positions counted from the first.
func (t *path) measured(lo, hi int, start *mat.SymDense) (cov *mat.SymDense, z []float64) {
	n, m, d := t.states(), t.width(), t.p.Dim
	states := t.joint(lo, hi, start)
	cov = mat.NewSymDense(m*(hi-lo), nil)
	for a := lo; a < hi; a++ {
		r := t.noise(a)
		for i := range m {
			for b := lo; b <= a; b++ {
				for j := range m {
					row, col := m*(a-lo)+i, m*(b-lo)+j
					if col > row {
						continue
					}
					v := states.At(n*(a-lo)+i, n*(b-lo)+j)
					if a == b {
						v += r.At(i, j)
					}
					cov.SetSym(row, col, v)
				}
			}
			if i < d {
				z = append(z, t.scans[a].Pos[i]-t.scans[lo].Pos[i])
			} else {
				z = append(z, t.scans[a].Vel[i-d])
			}
		}
	}
	return cov, z
}

// track is the log density of the detections in scans lo … hi−1 of one target, its
// first position flat with density 1.
func (t *path) track(lo, hi int) float64 {
	cov, z := t.measured(lo, hi, t.prior())
	return density(cov, z) + float64(t.p.Dim)*math.Log(wide*math.Sqrt(2*math.Pi))
}

func density(cov *mat.SymDense, z []float64) float64 {
	normal, ok := distmv.NewNormal(make([]float64, len(z)), cov, nil)
	if !ok {
		panic("covariance is not positive definite")
	}
	return normal.LogProb(z)
}

// run filters scans lo … hi−1.
func run[S, E any](f Filter[S, E], t *path, lo, hi int) (s S) {
	f.Start(&s, &t.scans[lo], 0)
	for k := lo + 1; k < hi; k++ {
		f.Predict(&s, t.scans[k].Time-t.scans[k-1].Time, t.kind[k])
		f.Update(&s, &t.scans[k], 0)
	}
	return s
}

// gather is the information of scans lo … hi−1 about the first of them.
func gather[S, E any](f Filter[S, E], t *path, lo, hi int) (e E) {
	for k := hi - 1; k >= lo; k-- {
		if k+1 < hi {
			f.Retreat(&e, t.scans[k+1].Time-t.scans[k].Time, t.kind[k+1])
		}
		f.Observe(&e, &t.scans[k], 0)
	}
	return e
}

// params draws parameters of a motion.
func params(rng *rand.Rand, m Model, dim int, positions bool) *Params {
	p := &Params{
		Model: m, Dim: dim, PositionsOnly: positions || m == Model(Walk{}),
		Sigma: 0.1 + rng.Float64(), SigmaV: 0.1 + rng.Float64(), Accel: 0.1 + rng.Float64(),
		SpeedStd: 0.5 + 2*rng.Float64(), Revert: math.Exp(3 * rng.NormFloat64()), Sway: rng.Float64(), ManoeuvreProb: 0.1, ManoeuvreAccel: 1 + rng.Float64(),
	}
	if m == Model(Walk{}) {
		p.SpeedStd = 0
	}
	return p
}

// TestFilters compares every method of both filters with the joint density.
func TestFilters(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, m := range []Model{Velocity{}, Walk{}, Reverting{}, Swaying{}} {
		for _, dim := range []int{2, 3} {
			for _, positions := range []bool{false, true} {
				for range 4 {
					p := params(rng, m, dim, positions)
					name := fmt.Sprintf("%s, dim %d, positions only %v", p.Name(), dim, p.PositionsOnly)
					plain := randomPath(rng, p, 5, false)
					checkFilter(t, name+", axes", NewAxes(p), plain)
					checkFilter(t, name+", full", NewFull(p), plain)
					checkFilter(t, name+", covariances", NewFull(p), randomPath(rng, p, 5, true))
				}
			}
		}
	}
}

func checkFilter[S, E any](t *testing.T, name string, f Filter[S, E], p *path) {
	t.Helper()
	n := len(p.scans)
	close := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 2e-5*(1+math.Abs(want))) {
			t.Errorf("%s: %s is %v, want %v", name, what, got, want)
		}
	}
	// The first detection alone: its velocity.
	close("density of a lone detection", -f.First(&p.scans[0], 0), p.track(0, 1))
	for cut := 1; cut < n; cut++ {
		whole, before, after := p.track(0, n), p.track(0, cut), p.track(cut, n)
		s, e := run(f, p, 0, cut), gather(f, p, cut, n)
		dt := p.scans[cut].Time - p.scans[cut-1].Time
		f.Predict(&s, dt, p.kind[cut])
		join := f.Join(&s, &e)
		close(fmt.Sprintf("likelihood ratio at %d", cut), (f.Open(&e)-join.D2-join.Base)/2, whole-before-after)
		next := f.Innovation(&s, &p.scans[cut], 0)
		close(fmt.Sprintf("innovation at %d", cut), -(next.D2+next.Base)/2, p.track(0, cut+1)-before)
		if a, ok := any(&s).(*State); ok { // the bound is one where the state tells of the velocity
			ratio, pv := -f.Ratio(&s), p.p.SpeedStd*p.p.SpeedStd
			if a.P[2] <= 0.9*pv && whole-before-after > ratio+1e-6 {
				t.Errorf("%s: likelihood ratio %v at %d is above its bound %v", name, whole-before-after, cut, ratio)
			}
			full := run(NewFull(p.p), p, 0, cut)
			other := NewFull(p.p)
			other.Predict(&full, dt, p.kind[cut])
			close("bound of the other filter", -other.Ratio(&full), ratio)
		}
		// Both sides together: the smoothed state at the cut.
		var got Estimate
		f.Estimate(&got, &s, &e)
		p.checkEstimate(t, name, &got, cut)
	}
	s := run(f, p, 0, n)
	var got Estimate
	f.Estimate(&got, &s, nil)
	p.checkEstimate(t, name, &got, n-1)
	x, _, variance := f.Position(&s)
	if math.Abs(x[0]-got.X[0]) > 1e-12*math.Abs(x[0]) || variance < got.Cov(0, 0)-1e-12 || variance < got.Cov(1, 1)-1e-12 {
		t.Errorf("%s: position %v with variance %v, estimate %v", name, x, variance, got)
	}
	for k := range p.scans {
		var eigen mat.EigenSym
		r := p.noise(k)
		d := p.p.Dim
		eigen.Factorize(r.SliceSym(0, d), false)
		close("noise", f.Noise(&p.scans[k], 0), eigen.Values(nil)[d-1])
	}
	if other := f.Fork(); true {
		again := run(other, p, 0, n)
		if !f.LikeState(&s, &again, Same) {
			t.Errorf("%s: a fork gives another state", name)
		}
	}
}

// checkEstimate compares with the state at scan k conditioned on all detections (or,
// at the last scan, on all up to it) in one go.
func (t *path) checkEstimate(test *testing.T, name string, got *Estimate, k int) {
	test.Helper()
	hi, n, m, d := len(t.scans), t.states(), t.width(), t.p.Dim
	states := t.joint(0, hi, t.prior())
	cov, z := t.measured(0, hi, t.prior())
	cross := mat.NewDense(n, m*hi, nil)
	for a := range hi {
		for i := range n {
			for j := range m {
				cross.Set(i, m*a+j, states.At(n*k+i, n*a+j))
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		panic("not positive definite")
	}
	var gain mat.Dense
	if err := chol.SolveTo(&gain, cross.T()); err != nil {
		panic(err)
	}
	var mean mat.VecDense
	mean.MulVec(gain.T(), mat.NewVecDense(len(z), z))
	var less mat.Dense
	less.Mul(cross, &gain)
	for i := range n {
		want := mean.AtVec(i)
		if i < d {
			want += t.scans[0].Pos[i]
		}
		if math.Abs(got.X[i]-want) > 1e-4*(1+math.Abs(want)) {
			test.Errorf("%s: element %d of the state at %d is %v, want %v", name, i, k, got.X[i], want)
		}
		for j := range i + 1 {
			want := states.At(n*k+i, n*k+j) - less.At(i, j)
			if have := got.Cov(i, j); math.Abs(have-want) > 2e-4*(1+math.Abs(want)) {
				test.Errorf("%s: covariance %d, %d at %d is %v, want %v", name, i, j, k, have, want)
			}
		}
	}
}

// TestPrice: the price of a step is −log of the weighted sum of a Gaussian and a
// Student t density, over the weight of the Gaussian.
func TestPrice(t *testing.T) {
	for _, dof := range []float64{4, 7.5, math.Inf(1)} {
		p := &Params{Sigma: 0.4, Accel: 0.5, ManoeuvreAccel: 3, ManoeuvreProb: 0.1, SpeedStd: 1.2, Dim: 2, PositionsOnly: true, TailDOF: dof}
		f := NewAxes(p)
		for _, far := range []float64{0, 0.5, 1, 2, 5, 20} {
			b := &mtt.Scan{Dim: 2, Pos: []float64{far, 0}}
			calm, wild := State{P: [3]float64{0.3, 0, 1}}, State{P: [3]float64{4, 0, 1}}
			got := f.Mixture().Price(f.Innovation(&calm, b, 0), f.Innovation(&wild, b, 0))
			gauss := func(s2 float64) float64 { return math.Exp(-far*far/(2*s2)) / (2 * math.Pi * s2) }
			student := func(s2 float64) float64 {
				if math.IsInf(dof, 1) {
					return gauss(s2)
				}
				return math.Pow(1+far*far/(dof*s2), -(dof+2)/2) / (2 * math.Pi * s2)
			}
			want := -math.Log(gauss(0.3+0.16) + 0.1/0.9*student(4+0.16))
			if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("dof %v: price at %v m = %v, want %v", dof, far, got, want)
			}
		}
	}
}
