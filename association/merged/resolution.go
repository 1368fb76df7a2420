package merged

import (
	"cmp"
	"math"
	"slices"

	"mtt/costgen"
)

// This file estimates the resolution of the sensor: the distance below which two
// targets cause one detection.

// unresolved is the probability that two targets are closer than r when their
// difference is Gaussian, its mean apart long and its variance spread on each of two
// or three axes: the integral, over the axis of the mean, of its density times the
// probability that the other axes stay in the disc. It takes 64 exponentials.
func unresolved(dim int, apart, spread, r float64) float64 {
	const steps = 64
	sd := math.Sqrt(spread)
	lo, hi := max(-r, apart-8*sd), min(r, apart+8*sd)
	if !(lo < hi) {
		return 0
	}
	var sum float64
	width := (hi - lo) / steps
	for n := range steps {
		x := lo + (float64(n)+0.5)*width
		rest := max(0, r*r-x*x) / (2 * spread)
		across := math.Erf(math.Sqrt(rest))
		if dim == 3 {
			across = -math.Expm1(-rest)
		}
		u := (x - apart) / sd
		sum += math.Exp(-u*u/2) * across
	}
	return min(1, sum*width/(sd*math.Sqrt(2*math.Pi)))
}

// spacing is the mean distance between neighbours, were targets spread evenly; 0
// when there is none.
func spacing(levels *costgen.Levels, dim int) float64 {
	r := &levels.Rates
	if !(r.Volume > 0 && r.Targets > 0) {
		return 0
	}
	return math.Pow(r.Volume/r.Targets, 1/float64(dim))
}

// merges is the probability that targets closer than the resolution merge, so that
// one stray detection rules nothing out.
const merges = 0.99

// resolution is the greatest-likelihood estimate, out of sixty between zero and reach;
// 0 when none is likelier than a sensor that resolves everything by more than
// six nats. Two kinds of things tell: the misses, by what they could be merged with,
// and the pairs of tracks with a detection each, which are resolved. Scans are left
// out evenly until some twenty thousand detections remain.
func (g *merger[S, E]) resolution(misses map[int][]missed, reach float64) float64 {
	const grid, bins, enough = 60, 120, 20000
	dets := 0
	for _, list := range g.owners {
		dets += len(list)
	}
	stride := 1 + dets/enough

	var pairs [bins]float64 // by distance, up to twice the reach
	var blends [][]blend    // of one detection each
	for t := 0; t < len(g.scans); t += stride {
		list := g.blends(misses[t], t, reach)
		slices.SortStableFunc(list, func(a, b blend) int { return cmp.Compare(a.det, b.det) })
		for len(list) > 0 {
			n := 1
			for n < len(list) && list[n].det == list[0].det {
				n++
			}
			blends, list = append(blends, list[:n]), list[n:]
		}
		for i, p := range g.owners[t] {
			if i%64 == 0 && g.ctx.Err() != nil {
				return 0
			}
			if p.track < 0 {
				continue
			}
			for j, d2 := range g.sorted[t].Near(g.scans[t].At(i), 2*reach) {
				if bin := int(math.Sqrt(d2) / (2 * reach) * bins); j < i && g.owners[t][j].track >= 0 && bin < bins {
					pairs[bin]++
				}
			}
		}
	}

	best, most := 0.0, 6.0
	for n := range grid {
		r := reach * float64(n+1) / grid
		var gain float64
		for bin, count := range pairs {
			if count > 0 {
				apart := (float64(bin) + 0.5) * 2 * reach / bins
				gain += count * math.Log1p(-merges*unresolved(g.params.Dim, apart, 2*g.params.Sigma*g.params.Sigma, r))
			}
		}
		for _, list := range blends {
			odds := 1.0
			for _, b := range list {
				odds += math.Exp(min(b.logOdds, 300)) * unresolved(g.params.Dim, b.apart, b.spread, r)
			}
			gain += math.Log(odds)
		}
		if g.ctx.Err() != nil {
			return 0
		}
		if gain > most {
			best, most = r, gain
		}
	}
	return best
}
