package costgen

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"mtt"
)

// This file holds the witness of Gaussian and Fit: a Kalman filter as it is in
// the textbooks, all axes in one state, matrices written out.

// A belief is the distribution of a state: dim positions, then dim velocities.
type belief struct {
	dim int
	x   *mat.VecDense
	p   *mat.Dense
}

// observation is the matrix H and the covariance R of what a scan measures.
func observation(m *Levels) (h, r *mat.Dense) {
	dim := m.dim()
	rows := 2 * dim
	if m.PositionsOnly {
		rows = dim
	}
	h, r = mat.NewDense(rows, 2*dim, nil), mat.NewDense(rows, rows, nil)
	for n := range rows {
		h.Set(n, n, 1)
		r.Set(n, n, m.Sigma*m.Sigma)
		if n >= dim {
			r.Set(n, n, m.SigmaV*m.SigmaV)
		}
	}
	return h, r
}

// measurement is what the model reads of point i: pos and, unless it is
// PositionsOnly, vel.
func measurement(m *Levels, pos, vel []float64, i int) *mat.VecDense {
	dim := m.dim()
	z := append([]float64(nil), pos[i*dim:(i+1)*dim]...)
	if !m.PositionsOnly {
		z = append(z, vel[i*dim:(i+1)*dim]...)
	}
	return mat.NewVecDense(len(z), z)
}

// begin is the belief after one detection: what was measured, with its noise;
// a velocity that was not measured is 0 with the standard deviation SpeedStd.
func begin(m *Levels, z *mat.VecDense) *belief {
	dim := m.dim()
	b := &belief{dim: dim, x: mat.NewVecDense(2*dim, nil), p: mat.NewDense(2*dim, 2*dim, nil)}
	for n := range z.Len() {
		b.x.SetVec(n, z.AtVec(n))
	}
	for n := range dim {
		b.p.Set(n, n, m.Sigma*m.Sigma)
		b.p.Set(dim+n, dim+n, m.SigmaV*m.SigmaV)
		if m.PositionsOnly {
			b.p.Set(dim+n, dim+n, m.SpeedStd*m.SpeedStd)
		}
	}
	return b
}

// predict moves b by dt. The transition and the covariance of the process noise
// come from the continuous model ẋ = v, v̇ = white noise of spectral density
// accel², by one matrix exponential [1].
//
// [1] Van Loan. Computing integrals involving the matrix exponential. IEEE
// Transactions on Automatic Control 23(3), 1978.
func (b *belief) predict(dt, accel float64) *belief {
	n := 2 * b.dim
	block := mat.NewDense(2*n, 2*n, nil)
	for i := range b.dim {
		block.Set(i, b.dim+i, -dt)                    // −A
		block.Set(b.dim+i, n+b.dim+i, accel*accel*dt) // G·Gᵀ
		block.Set(n+b.dim+i, n+i, dt)                 // Aᵀ
	}
	var e, q, fp, p mat.Dense
	e.Exp(block)
	f := e.Slice(n, 2*n, n, 2*n).T()
	q.Mul(f, e.Slice(0, n, n, 2*n))
	fp.Mul(f, b.p)
	p.Mul(&fp, f.T())
	p.Add(&p, &q)
	x := mat.NewVecDense(n, nil)
	x.MulVec(f, b.x)
	return &belief{b.dim, x, &p}
}

// innovation is the mean and the covariance of the next measurement.
func (b *belief) innovation(m *Levels) (mean []float64, cov *mat.SymDense) {
	h, r := observation(m)
	var hp, s mat.Dense
	hp.Mul(h, b.p)
	s.Mul(&hp, h.T())
	s.Add(&s, r)
	var z mat.VecDense
	z.MulVec(h, b.x)
	rows, _ := s.Dims()
	cov = mat.NewSymDense(rows, nil)
	for i := range rows {
		for j := range i + 1 {
			cov.SetSym(i, j, (s.At(i, j)+s.At(j, i))/2)
		}
	}
	return z.RawVector().Data, cov
}

// update conditions b on a measurement.
func (b *belief) update(m *Levels, z *mat.VecDense) *belief {
	h, _ := observation(m)
	mean, cov := b.innovation(m)
	var inverse, gain, ph, kh, p mat.Dense
	if err := inverse.Inverse(cov); err != nil {
		panic(err)
	}
	ph.Mul(b.p, h.T())
	gain.Mul(&ph, &inverse)
	kh.Mul(&gain, h)
	kh.Scale(-1, &kh)
	for i := range 2 * b.dim {
		kh.Set(i, i, 1+kh.At(i, i))
	}
	p.Mul(&kh, b.p)
	var nu, x mat.VecDense
	nu.SubVec(z, mat.NewVecDense(len(mean), mean))
	x.MulVec(&gain, &nu)
	x.AddVec(b.x, &x)
	return &belief{b.dim, &x, &p}
}

// densities are the log densities of a measurement after dt seconds: of a
// smooth step, and of a manoeuvre, which has the tails of Student's t.
func (b *belief) densities(m *Levels, dt float64, z *mat.VecDense) (calm, wild float64) {
	mean, cov := b.predict(dt, m.Accel).innovation(m)
	normal, ok := distmv.NewNormal(mean, cov, nil)
	if !ok {
		panic("covariance is not positive definite")
	}
	calm = normal.LogProb(z.RawVector().Data)
	if m.ManoeuvreProb == 0 {
		return calm, math.Inf(-1)
	}
	mean, cov = b.predict(dt, m.ManoeuvreAccel).innovation(m)
	student, ok := distmv.NewStudentsT(mean, cov, m.Params(m.dim()).Tail(), nil)
	if !ok {
		panic("covariance is not positive definite")
	}
	return calm, student.LogProb(z.RawVector().Data)
}

// peak is the log density of a perfect continuation after dt seconds.
func (b *belief) peak(m *Levels, dt float64) float64 {
	mean, cov := b.predict(dt, m.Accel).innovation(m)
	normal, ok := distmv.NewNormal(mean, cov, nil)
	if !ok {
		panic("covariance is not positive definite")
	}
	return normal.LogProb(mean)
}

// price is the cost of a measurement dt seconds after b, by the definition: the
// negative log of the mixture over the peak of a smooth step of this interval,
// bent above 40, and then the ratio of this peak to that of a triplet of the
// reference interval. The common factor 1−ManoeuvreProb is left out.
func (b *belief) price(m *Levels, dt float64, z *mat.VecDense) float64 {
	peak := b.peak(m, dt)
	calm, wild := b.densities(m, dt, z)
	hi := max(calm, wild)
	c := peak - hi - math.Log(math.Exp(calm-hi)+m.ManoeuvreProb/(1-m.ManoeuvreProb)*math.Exp(wild-hi))
	if c > 40 {
		c = 40 + math.Sqrt(c-40)
	}
	return c - peak + referencePeak(m)
}

// referencePeak is the log density of a perfect triplet of the reference
// interval.
func referencePeak(m *Levels) float64 {
	dt := m.Interval
	if dt == 0 {
		dt = 1
	}
	zero := mat.NewVecDense(m.dim(), nil)
	if !m.PositionsOnly {
		zero = mat.NewVecDense(2*m.dim(), nil)
	}
	return begin(m, zero).predict(dt, m.Accel).update(m, zero).peak(m, dt)
}

// startPrice and tripletPrice are what Starts and Triplets should return.
func startPrice(m *Levels, a *mtt.Scan, i int, b *mtt.Scan, j int) float64 {
	return begin(m, measurement(m, a.Pos, a.Vel, i)).price(m, b.Time-a.Time, measurement(m, b.Pos, b.Vel, j))
}

func tripletPrice(m *Levels, a *mtt.Scan, i int, b *mtt.Scan, j int, c *mtt.Scan, k int) float64 {
	state := begin(m, measurement(m, a.Pos, a.Vel, i)).
		predict(b.Time-a.Time, m.Accel).
		update(m, measurement(m, b.Pos, b.Vel, j))
	return state.price(m, c.Time-b.Time, measurement(m, c.Pos, c.Vel, k))
}
