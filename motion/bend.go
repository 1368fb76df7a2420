package motion

import (
	"math"
)

// This file predicts states of curved motions.
//
// Problem. Where a target that turns will be is not normally distributed: while its velocity and
// turn rate are hardly known, as they are when a track begins and a gap follows, the tangent of the
// curve is too sure of it.
//
// Idea. Mean and covariance are those of 2n points x ± √n·l with l the columns of P's Cholesky
// factor, each of which goes its own way: the cubature rule [1], exact where the curve is a
// polynomial of the third degree, and whose covariance is never negative. The changes of the
// state's own elements, of a turn rate, come all along the step: with a third of them before it and
// the others after it the direction of a velocity at the end has the variance that it should, ∫∫
// min(s,t) ds dt = dt³/3.
//
// The F of the best line through the points, E[(x'−x̄')(x−x̄)ᵀ]·P⁻¹, takes the place of the curve's
// derivative for smoothing [2]. When a track begins that line is one through all that a target
// could do, and not through what it did: so once a track was smoothed it is filtered and smoothed
// again, with the lines where its smoothed states are, and with how far the points lie from these
// as noise [3].
//
// [1] Arasaratnam, Haykin. Cubature Kalman filters. IEEE Transactions on Automatic Control 54(6), 2009.
// [2] Särkkä. Unscented Rauch-Tung-Striebel smoother. IEEE Transactions on Automatic Control 53(3), 2008.
// [3] García-Fernández, Svensson, Särkkä. Iterated posterior linearization smoother. IEEE
// Transactions on Automatic Control 62(4), 2017.

// early is the share of the changes of a state's own elements that comes before a step.
const early = 1. / 3

// points are where the points of a state go, and their mean.
type points struct {
	ends [2 * maxStates][maxStates]float64 // x' of x + √n·l and x − √n·l by turns
	mean [maxStates]float64
}

// spread sends the points of about on their ways. It sets own, row-major n×n, to what a step adds
// to a state's own elements and l to the factor.
func (f *Full) spread(to *points, about *FullState, own, l []float64, dt float64) {
	n := f.n
	clear(own)
	f.curved.Noise(&f.params, own, dt)
	unpack(l, about.P[:], n)
	for k := range l {
		l[k] += early * own[k]
	}
	f.send(to, about, l, dt)
}

// send sends points of the mean of about and the covariance l, which becomes its factor.
func (f *Full) send(to *points, about *FullState, l []float64, dt float64) {
	n := f.n
	root(l, n)
	to.mean = [maxStates]float64{}
	step := math.Sqrt(float64(n))
	for k := range n {
		for side := range 2 {
			x := to.ends[2*k+side][:n]
			copy(x, about.X[:n])
			for i := k; i < n; i++ {
				x[i] += float64(1-2*side) * step * l[i*n+k]
			}
			f.curved.Move(&f.params, x, nil, dt)
			for i := range n {
				to.mean[i] += x[i]
			}
		}
	}
	for i := range n {
		to.mean[i] /= float64(2 * n)
	}
}

// covariance is element i, j of that of the points.
func (p *points) covariance(i, j, n int) (v float64) {
	for k := range p.ends[:2*n] {
		v += (p.ends[k][i] - p.mean[i]) * (p.ends[k][j] - p.mean[j])
	}
	return v / float64(2*n)
}

// ahead is the last state that went ahead along a curve, and where it comes without the noise of
// the step: who asks for a smooth step asks for a manoeuvre next, and most of the work is the same.
type ahead struct {
	from, to FullState
	dt       float64
}

// curve is Predict of a curved motion.
func (f *Full) curve(s *FullState, t *Step, dt float64) {
	n, d := f.n, f.dim
	if a := &f.ahead; a.dt != dt || a.from != *s {
		a.from, a.dt = *s, dt
		own := f.a[:n*n]
		var p points
		f.spread(&p, s, own, f.b[:n*n], dt)
		a.to.X = p.mean
		for i := range n {
			for j := range i + 1 {
				a.to.P[packed(i, j)] = p.covariance(i, j, n) + (1-early)*own[i*n+j]
			}
		}
	}
	*s = f.ahead.to
	for i := range d {
		s.P[packed(i, i)] += t.Q[0]
		s.P[packed(d+i, i)] += t.Q[1]
		s.P[packed(d+i, d+i)] += t.Q[2]
	}
}

// bend is Predict of a curved motion along the line x' = F·x + c ± Ω that is nearest to the curve
// where a target is as about says; of s itself, the rule. It sets F, row-major n×n.
func (f *Full) bend(s, about *FullState, dt float64, kind int, F []float64) {
	n := f.n
	own, l := f.a[:n*n], f.b[:n*n]
	var p points
	f.spread(&p, about, own, l, dt)
	// F·l has the columns (x'₊ − x'₋)/2√n: solved from the last column on, as l is lower triangular.
	step := math.Sqrt(float64(n))
	for i := range n {
		for k := n - 1; k >= 0; k-- {
			v := (p.ends[2*k][i] - p.ends[2*k+1][i]) / (2 * step)
			for m := k + 1; m < n; m++ {
				v -= F[i*n+m] * l[m*n+k]
			}
			if F[i*n+k] = 0; l[k*n+k] > 0 {
				F[i*n+k] = v / l[k*n+k]
			}
		}
	}
	q := f.c[:n*n]
	f.process(q, dt, kind)
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
		s.X[i] = p.mean[i]
		for k := range n {
			s.X[i] += F[i*n+k] * off[k]
		}
		for j := range i + 1 {
			v := q[i*n+j] - early*own[i*n+j] + p.covariance(i, j, n)
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
