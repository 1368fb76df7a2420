package motion

import (
	"math"

	"mtt"
)

// This file does the work of Full once for many detections: what a state expects of a
// detection depends on the noise alone, which detections often share.

// An Expectation is the Cholesky factor of a covariance, and what goes with it.
type Expectation struct {
	l [maxStates * maxStates]float64

	// Peak is the log of the density at the mean.
	Peak float64
}

// Expect sets dst to what a predicted state expects of detection i of b, and of all
// others whose noise is the same.
func (f *Full) Expect(dst *Expectation, s *FullState, b *mtt.Scan, i int) {
	m := f.m
	r := f.noise(b, i)
	for k := range m {
		for j := range k + 1 {
			dst.l[k*m+j] = s.P[packed(k, j)] + r[k*m+j]
		}
	}
	cholesky(dst.l[:m*m], m, rounding, 0)
	dst.Peak = peak(dst.l[:m*m], m)
}

// peak is the log density of a Gaussian at its mean, from the factor of its covariance.
func peak(l []float64, n int) float64 {
	det := 1.0
	for k := range n {
		det *= l[k*n+k]
	}
	return -float64(n)/2*math.Log(2*math.Pi) - math.Log(det)
}

// Distance is νᵀS⁻¹ν of detection i of b, which is as Expect was told.
func (f *Full) Distance(e *Expectation, s *FullState, b *mtt.Scan, i int) float64 {
	z := f.z[:f.m]
	copy(z, b.At(i))
	if f.vel {
		copy(z[f.dim:], b.VelAt(i))
	}
	return f.apart(e, z, s.X[:f.m])
}

// apart is the squared distance of two points under the covariance of e.
func (f *Full) apart(e *Expectation, a, b []float64) (d2 float64) {
	n := len(a)
	y := f.w[:n]
	for i := range n {
		row := e.l[i*n : i*n+n]
		v := a[i] - b[i]
		for k := range i {
			v -= row[k] * y[k]
		}
		v /= row[i]
		y[i] = v
		d2 += v * v
	}
	return d2
}

// Condition is Update for a detection that is as Expect was told.
func (f *Full) Condition(s *FullState, e *Expectation, b *mtt.Scan, i int) {
	f.measured(f.z[:f.m], b, i)
	if l := e.l[:f.m*f.m]; f.condition(s, l, 0, f.m, f.z[:f.m]) {
		f.settle(s, l, 0, f.m, f.noise(b, i))
	}
}

// Spread sets dst to the covariance of a state.
func (f *Full) Spread(dst *Expectation, s *FullState) {
	n := f.n
	for i := range n {
		for j := range i + 1 {
			dst.l[i*n+j] = s.P[packed(i, j)]
		}
	}
	cholesky(dst.l[:n*n], n, rounding, 0)
	dst.Peak = peak(dst.l[:n*n], n)
}

// Apart is the squared Mahalanobis distance of the means of two states under a
// covariance that Spread set.
func (f *Full) Apart(e *Expectation, a, b *FullState) float64 {
	return f.apart(e, a.X[:f.n], b.X[:f.n])
}

// States is the number of elements of a state that count: positions, velocities, and what
// the motion adds.
func (f *Full) States() int { return f.n }
