package merged

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"mtt"
	"mtt/motion"
)

// This file weighs one detection that may be the mean of two targets.

// gaussian is the workspace of densities.
type gaussian struct {
	chol  mat.Cholesky
	white mat.VecDense
	gain  mat.Dense
}

// blend weighs that a detection is the mean of a and b, the targets of e.tracks,
// against that it is that of a, or nobody's.
func (g *merger[S, E]) blend(a, b *motion.Estimate, s *mtt.Scan, e blend) blend {
	i, d := int(e.det), g.params.Dim
	noise, z := g.measurement(s, i)
	m := len(z)
	// The mean of two targets, and of two errors.
	nu := mat.NewVecDense(m, nil)
	sum := mat.NewSymDense(m, nil)
	for r := range m {
		nu.SetVec(r, z[r]-(a.X[r]+b.X[r])/2)
		for c := range r + 1 {
			sum.SetSym(r, c, (a.Cov(r, c)+b.Cov(r, c))/4+noise.At(r, c)/2)
		}
	}
	e.logOdds = g.prior + g.logDensity(sum, nu)
	// What the detection says of the distance: its covariance with the mean.
	cross := mat.NewDense(m, d, nil)
	for r := range m {
		for c := range d {
			cross.Set(r, c, (a.Cov(r, c)-b.Cov(r, c))/2)
		}
	}
	if g.chol.SolveTo(&g.gain, cross) != nil {
		e.logOdds = math.Inf(-1)
		return e
	}
	var d2 float64
	for n := range d {
		x, v := a.X[n]-b.X[n], a.Cov(n, n)+b.Cov(n, n)
		for r := range m {
			x += g.gain.At(r, n) * nu.AtVec(r)
			v -= g.gain.At(r, n) * cross.At(r, n)
		}
		d2 += x * x
		e.spread += v / float64(d)
	}
	e.apart = math.Sqrt(d2)

	if !e.held {
		e.logOdds += g.prior + g.clutter + g.filter.First(s, i)
		return e
	}
	for r := range m {
		nu.SetVec(r, z[r]-a.X[r])
		for c := range r + 1 {
			sum.SetSym(r, c, a.Cov(r, c)+noise.At(r, c))
		}
	}
	e.logOdds -= g.logDensity(sum, nu)
	return e
}

// measurement is detection i of s, the velocity after the position where it is read,
// and the covariance of its noise.
func (g *merger[S, E]) measurement(s *mtt.Scan, i int) (noise *mat.SymDense, z []float64) {
	d := g.params.Dim
	z = append(z, s.At(i)...)
	if !g.params.PositionsOnly {
		z = append(z, s.VelAt(i)...)
	}
	noise = mat.NewSymDense(len(z), nil)
	for at, part := range []struct {
		cov   []float64
		sigma float64
	}{{s.CovAt(i), g.params.Sigma}, {s.VelCovAt(i), g.params.SigmaV}}[:len(z)/d] {
		for r := range d {
			for c := range r + 1 {
				switch {
				case part.cov != nil:
					noise.SetSym(at*d+r, at*d+c, part.cov[r*(r+1)/2+c])
				case r == c:
					noise.SetSym(at*d+r, at*d+c, part.sigma*part.sigma)
				}
			}
		}
	}
	return noise, z
}

// logDensity is the log density of a Gaussian at nu away from its mean; −Inf where the
// covariance is none. It leaves its factors in g.chol.
func (g *gaussian) logDensity(cov *mat.SymDense, nu *mat.VecDense) float64 {
	if !g.chol.Factorize(cov) || g.chol.SolveVecTo(&g.white, nu) != nil {
		return math.Inf(-1)
	}
	return -(mat.Dot(&g.white, nu) + g.chol.LogDet() + float64(nu.Len())*math.Log(2*math.Pi)) / 2
}
