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
// A track that ended has died, or lives and was not detected since: each scan that sees where the target
// is makes the second less likely, a scan that does not leaves it as it was. Likewise a
// track that begins after the first scan may be of a target that was there from the first on. Where a
// target is, a detection tells without its neighbours, so that the price of a track is a sum over its
// detections: it is x + v·dt with v as the detection measures it, or 0, and a deviation in which the prior
// of the motion has its part. The expectation is that of the unscented points of the plane or space, which have its mean and
// covariance [1].
//
// [1] Julier, Uhlmann. Unscented filtering and nonlinear estimation. Proceedings of the IEEE 92(3), 2004, eq. 12 with κ = 3 − n.

// faded is the number of scans after which what becomes of a target that was not detected again is left as it is then.
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

// fade sets dst to what a detection says by itself and, where the targets of scan origin, −1 for none, have not
// been passed for long, by the scans from there on.
func (r *refiner[S, E]) fade(dst *fading, at chain.Node, origin int) {
	*dst = fading{}
	r.spread(&dst.hidden)
	if origin < 0 || int(at.T)-origin > faded {
		return
	}
	var before [points]float64
	r.spread(&before)
	for t := int(at.T) - 1; t >= origin; t-- {
		r.pass(&before, at, t)
	}
	for _, p := range before {
		dst.before += p
	}
}

// follow goes on to the scans after detection at.
func (r *refiner[S, E]) follow(f *fading, at chain.Node) {
	for last := min(len(r.scans)-1-int(at.T), faded); int(f.scans) < last; {
		f.scans++
		left := 0.0
		for _, p := range f.hidden {
			left += p
		}
		f.gone += left * (1 - r.levels.Rates.Survive)
		r.pass(&f.hidden, at, int(at.T+f.scans))
	}
}

// fadeAll makes the fadings of all scans.
func (r *refiner[S, E]) fadeAll() {
	r.fades = make([][]fading, len(r.scans))
	workers.Each(len(r.movers), len(r.scans), func(_, t int) {
		r.fades[t] = make([]fading, r.scans[t].Len())
		for i := range r.fades[t] {
			at := chain.At(t, i)
			r.fade(&r.fades[t][i], at, 0)
			r.follow(&r.fades[t][i], at)
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

// pass multiplies each of p by the probability that a target there, which detection at is of, is not detected in scan t.
func (r *refiner[S, E]) pass(p *[points]float64, at chain.Node, t int) {
	from, to := &r.scans[at.T], &r.scans[t]
	dt, n := to.Time-from.Time, r.params.Dim
	centre, deviation := from.At(int(at.Det)), math.Abs(dt)*r.levels.SpeedStd
	if r.levels.Motion == motion.Model(motion.Walk{}) {
		deviation = r.levels.Accel * math.Sqrt(math.Abs(dt))
	}
	var x [3]float64
	copy(x[:], centre)
	if from.Vel != nil && !r.levels.PositionsOnly {
		for d, v := range from.VelAt(int(at.Det)) {
			x[d] += v * dt
		}
		deviation = math.Abs(dt) * r.levels.SigmaV
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
