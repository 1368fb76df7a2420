package costgen

import (
	"math"

	"mtt"
	"mtt/motion"
)

// This file prices links with the general filter: detections that have covariances of
// their own, and motions that couple the axes. The prices are those of file
// gaussian.go, with matrices over all axes in place of one axis.

// A pricer prices links for one goroutine at a time.
type pricer struct {
	levels  Levels
	dim     int
	filter  *motion.Full
	base    float64 // −2·log of the density of a perfect continuation
	entropy float64 // log determinant of the covariance of a measured velocity, as Ends has it
	typical float64 // −log of the density of a measured velocity, likewise

	from, calm, wild motion.FullState
}

// pricer is one for scans of dim dimensions, to be put back into m.pricers.
func (m *Gaussian) pricer(dim int) *pricer {
	if p, ok := m.pricers.Get().(*pricer); ok && p.levels == m.Levels && p.dim == dim {
		return p
	}
	levels := m.Levels
	levels.Dim = dim
	dof := dim
	if !m.PositionsOnly {
		dof *= 2
	}
	entropy := float64(dim) * math.Log(m.SpeedStd*m.SpeedStd+m.SigmaV*m.SigmaV)
	return &pricer{
		levels: m.Levels, dim: dim, filter: motion.NewFull(m.Params(dim)),
		base:    float64(dof)*math.Log(2*math.Pi) + float64(dim)*levels.reference(),
		entropy: entropy, typical: (float64(dim)*(math.Log(2*math.Pi)+1) + entropy) / 2,
	}
}

// starts is Gaussian.Starts.
func (p *pricer) starts(dst []float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32) {
	p.filter.Start(&p.from, a, i)
	p.ahead(dst, b.Time-a.Time, b, out)
}

// triplets is Gaussian.Triplets.
func (p *pricer) triplets(dst []float64, stride int, a *mtt.Scan, in []int32, b *mtt.Scan, j int, c *mtt.Scan, out []int32) {
	for r, i := range in {
		p.filter.Start(&p.from, a, int(i))
		p.filter.Predict(&p.from, b.Time-a.Time, motion.Smooth)
		p.filter.Update(&p.from, b, j)
		p.ahead(dst[r*stride:], c.Time-b.Time, c, out)
	}
}

// ahead prices the detections out of b, dt after the state at hand.
func (p *pricer) ahead(dst []float64, dt float64, b *mtt.Scan, out []int32) {
	f, mixture := p.filter, p.filter.Mixture()
	p.calm = p.from
	f.Predict(&p.calm, dt, motion.Smooth)
	if mixture.Any() {
		p.wild = p.from
		f.Predict(&p.wild, dt, motion.Manoeuvre)
	}
	for n, k := range out {
		calm := f.Innovation(&p.calm, b, int(k))
		c := calm.D2 / 2
		if mixture.Any() {
			c = mixture.Price(calm, f.Innovation(&p.wild, b, int(k))) - calm.Base/2
		}
		dst[n] = soften(c) + (calm.Base-p.base)/2
		switch {
		case b.VelCov == nil || p.levels.PositionsOnly:
		case p.levels.AlarmSpeed > 0:
			dst[n] -= f.First(b, int(k)) - p.typical
		default:
			dst[n] -= (logDet(p.levels.SpeedStd*p.levels.SpeedStd, b.VelCovAt(int(k))) - p.entropy) / 2
		}
	}
}

// logDet is log det(v·I + c) of a packed covariance c of 2 or 3 rows.
func logDet(v float64, c []float64) float64 {
	det := (v+c[0])*(v+c[2]) - c[1]*c[1]
	if len(c) > 3 {
		det = (v+c[5])*det - (v+c[0])*c[4]*c[4] - (v+c[2])*c[3]*c[3] + 2*c[1]*c[3]*c[4]
	}
	return math.Log(det)
}
