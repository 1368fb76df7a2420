package refine

import (
	"math"

	"mtt"
	"mtt/association/chain"
	"mtt/internal/workers"
	"mtt/motion"
)

// This file follows targets that may be out of view, from their last detection on, and back
// to the first scan from their first.
//
// A track that ended has died, or lives and was not detected since: each scan that sees where the
// target is makes the second less likely, a scan that does not leaves it as it was. Likewise a
// track that begins after the first scan may be of a target that was there from the first on. Where
// a target is, a detection tells without its neighbours, so that the price of a track is a sum over
// its detections: it is x + v·dt with v as the detection measures it, or 0 where it does not, and a
// deviation in which the prior of the motion has its part. The expectation is that of the unscented
// points of the plane or space, which have its mean and covariance [1].
//
// [1] Julier, Uhlmann. Unscented filtering and nonlinear estimation. Proceedings of the IEEE 92(3),
// 2004, eq. 12 with κ = 3 − n.

// faded is the number of scans after which what becomes of a target that was not detected again is
// left as it is then.
const faded = 32

// points is the most unscented points there are.
const points = 7

// A fading is what is known of a target by one of its detections and by its not being in scans around it.
type fading struct {
	gone   float64         // probability that it left since
	hidden [points]float64 // that it is there and was not detected in any of the scans, on the way of each point: sums to that of all
	scans  int32           // that these are about
	before float64         // that a target there in the first scan was not detected up to the detection
}

// fade sets dst to what a detection says by itself and, where the targets of scan origin, −1 for
// none, have not been passed for long, by the scans from there on.
func (m *mover[S, E]) fade(dst *fading, at chain.Node, origin int) {
	*dst = fading{}
	m.spread(&dst.hidden)
	if origin < 0 || int(at.T)-origin > faded {
		return
	}
	var before [points]float64
	m.spread(&before)
	v, std := m.drift(at)
	for t := int(at.T) - 1; t >= origin; t-- {
		m.pass(&before, at, t, &v, std)
	}
	for _, p := range before {
		dst.before += p
	}
}

// follow goes on to the scans after detection at.
func (m *mover[S, E]) follow(f *fading, at chain.Node) {
	v, std := m.drift(at)
	for last := min(len(m.scans)-1-int(at.T), faded); int(f.scans) < last; {
		f.scans++
		left := 0.0
		for _, p := range f.hidden {
			left += p
		}
		f.gone += left * (1 - m.levels.Rates.Survive)
		m.pass(&f.hidden, at, int(at.T+f.scans), &v, std)
	}
}

// fadeAll makes the fadings of all scans.
func (r *refiner[S, E]) fadeAll() {
	r.fades = make([][]fading, len(r.scans))
	workers.Each(len(r.movers), len(r.scans), func(w, t int) {
		r.fades[t] = make([]fading, r.scans[t].Len())
		for i := range r.fades[t] {
			at := chain.At(t, i)
			r.movers[w].fade(&r.fades[t][i], at, 0)
			r.movers[w].follow(&r.fades[t][i], at)
		}
	})
}

// spread sets dst to the weights of the unscented points.
func (r *refiner[S, E]) spread(dst *[points]float64) {
	n := r.params.Dim
	dst[0] = 1 - float64(n)/3
	for k := range 2 * n {
		dst[1+k] = 1. / 6
	}
}

// drift is the velocity of a detection, and its standard deviation per axis, as far as the
// detection tells by itself. One whose own covariance leaves some directions open is known along
// these by the prior.
func (m *mover[S, E]) drift(at chain.Node) (v [3]float64, std float64) {
	from := &m.scans[at.T]
	switch {
	case m.levels.PositionsOnly || from.Vel == nil:
		return v, m.levels.SpeedStd
	case from.VelCov == nil:
		copy(v[:], from.VelAt(int(at.Det)))
		return v, m.levels.SigmaV
	}
	var told motion.Estimate
	m.filter.Start(&m.state, from, int(at.Det))
	m.filter.Estimate(&told, &m.state, nil)
	n := m.params.Dim
	copy(v[:n], told.X[n:2*n])
	for k := n; k < 2*n; k++ {
		std += told.P[mtt.Packed(k+1)-1] / float64(n)
	}
	return v, math.Sqrt(std)
}

// pass multiplies each of p by the probability that a target there, which detection at is of and drifts with
// velocity v, known to std per axis, is not detected in scan t.
func (r *refiner[S, E]) pass(p *[points]float64, at chain.Node, t int, v *[3]float64, std float64) {
	from, to := &r.scans[at.T], &r.scans[t]
	dt, n := to.Time-from.Time, r.params.Dim
	deviation := math.Abs(dt) * std
	if r.levels.Motion == motion.Model(motion.Walk{}) {
		deviation = r.levels.Accel * math.Sqrt(math.Abs(dt))
	}
	var x [3]float64
	for d, y := range from.At(int(at.Det)) {
		x[d] = y + v[d]*dt
	}
	step := math.Sqrt(3) * deviation
	for k := range p {
		if p[k] == 0 {
			continue
		}
		y := x
		if k > 0 {
			y[(k-1)/2] += float64(1-2*(k&1)) * step
		}
		p[k] *= r.missed(to, y[:n])
	}
}

// missed is the probability that a target at x that was there before is there still and not detected in s.
func (r *refiner[S, E]) missed(s *mtt.Scan, x []float64) float64 {
	if price, differs := r.local.Passed(s, x); differs {
		return math.Exp(-price)
	}
	return r.levels.Rates.Survive * (1 - r.levels.Rates.Detect)
}

// fate lists the probabilities that the target of a track that ended with detection at has left since, and
// that it is there but was not detected.
func (r *refiner[S, E]) fate(at chain.Node) (gone, hidden float64) {
	if r.local == nil {
		left := len(r.scans) - 1 - int(at.T)
		return r.left[left], r.hidden[left]
	}
	f := &r.fades[at.T][at.Det]
	for _, p := range f.hidden {
		hidden += p
	}
	return f.gone, hidden
}
