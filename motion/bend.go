package motion

import (
	"math"
)

// This file predicts states of curved motions.
//
// Problem. Where a target that turns will be is not normally distributed: while its velocity and turn rate are
// hardly known, as they are when a track begins and a gap follows, the tangent of the curve is too sure of it.
//
// Idea. Mean and covariance are those of 2n points x ± √n·l with l the columns of P's Cholesky factor, each of
// which goes its own way: the cubature rule [1], exact where the curve is a polynomial of the third degree, and whose
// covariance is never negative. The changes of the state's own elements, of a turn rate, come all along the step: with a third of
// them before it and the others after it the direction of a velocity at the end has the variance that it should,
// ∫∫ min(s,t) ds dt = dt³/3.
//
// The F of the best line through the points, E[(x'−x̄')(x−x̄)ᵀ]·P⁻¹, takes the place of the curve's
// derivative for smoothing [2]. When a track begins that line is one through all that a target could do, and not
// through what it did: so once a track was smoothed it is filtered and smoothed again, with the lines where its
// smoothed states are, and with how far the points lie from these as noise [3].
//
// [1] Arasaratnam, Haykin. Cubature Kalman filters. IEEE Transactions on Automatic Control 54(6), 2009.
// [2] Särkkä. Unscented Rauch-Tung-Striebel smoother. IEEE Transactions on Automatic Control 53(3), 2008.
// [3] García-Fernández, Svensson, Särkkä. Iterated posterior linearization smoother. IEEE Transactions on Automatic Control 62(4), 2017.

// early is the share of the changes of a state's own elements that comes before a step.
const early = 1. / 3

// bend is Predict of a curved motion along the line x' = F·x + c ± Ω that is nearest to the curve where a target is
// as about says; of s itself, the rule. It sets F, row-major n×n.
func (f *Full) bend(s, about *FullState, t *Step, dt float64, F []float64) {
	n := f.n
	own, l := f.a[:n*n], f.b[:n*n]
	clear(own)
	f.curved.Noise(&f.params, own, dt)
	unpack(l, about.P[:], n)
	for k := range l {
		l[k] += early * own[k]
	}
	root(l, n)
	var ends [2 * maxStates][maxStates]float64
	var mean [maxStates]float64
	step := math.Sqrt(float64(n))
	for k := range n {
		for side := range 2 {
			x := ends[2*k+side][:n]
			for i := range n {
				x[i] = about.X[i] + float64(1-2*side)*step*l[i*n+k]
			}
			f.curved.Move(&f.params, x, F, dt)
			for i := range n {
				mean[i] += x[i] / float64(2*n)
			}
		}
	}
	// F·l has the columns (x'₊ − x'₋)/2√n: solved from the last column on, as l is lower triangular.
	for i := range n {
		for k := n - 1; k >= 0; k-- {
			v := (ends[2*k][i] - ends[2*k+1][i]) / (2 * step)
			for m := k + 1; m < n; m++ {
				v -= F[i*n+m] * l[m*n+k]
			}
			if F[i*n+k] = 0; l[k*n+k] > 0 {
				F[i*n+k] = v / l[k*n+k]
			}
		}
	}
	q := f.c[:n*n]
	f.process(q, t, dt)
	var apart [maxStates * maxStates]float64 // covariance of s less that of about
	var off [maxStates]float64
	for i := range n {
		off[i] = s.X[i] - about.X[i]
		for j := range i + 1 {
			v := s.P[packed(i, j)] - about.P[packed(i, j)]
			apart[i*n+j], apart[j*n+i] = v, v
		}
	}
	fp := l
	multiply(fp, F, apart[:n*n], n)
	for i := range n {
		s.X[i] = mean[i]
		for k := range n {
			s.X[i] += F[i*n+k] * off[k]
		}
		for j := range i + 1 {
			v := q[i*n+j] - early*own[i*n+j]
			for k := range 2 * n {
				v += (ends[k][i] - mean[i]) * (ends[k][j] - mean[j]) / float64(2*n)
			}
			for k := range n {
				v += fp[i*n+k] * F[j*n+k]
			}
			s.P[packed(i, j)] = v
		}
	}
}

// root replaces a, row-major n×n, by its lower Cholesky factor; where it has no variance the factor has none.
func root(a []float64, n int) {
	for j := range n {
		d := a[j*n+j]
		for k := range j {
			d -= a[j*n+k] * a[j*n+k]
		}
		d = math.Sqrt(max(0, d))
		for i := range n {
			switch {
			case i < j:
				a[i*n+j] = 0
			case i == j:
				a[i*n+j] = d
			default:
				v := a[i*n+j]
				for k := range j {
					v -= a[i*n+k] * a[j*n+k]
				}
				if a[i*n+j] = 0; d > 0 {
					a[i*n+j] = v / d
				}
			}
		}
	}
}
