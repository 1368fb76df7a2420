package learn

import (
	"cmp"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
)

// This file learns from two scans, of which no track shows more than one step.
//
// Problem. What tracks are made of two scans confirm whatever they were made by: without a third detection no link is wrong by itself. If steps are taken to be as
// long as from a detection to the nearest one, and some are missed or false, links reach as far as the field goes.
//
// Idea. How far the nearest detection of the other scan is says it without association [1]. A detection is in the other scan with probability q, at a distance whose
// coordinates are normal with standard deviation s, or one of two where that is clearly likelier, and others lie about it as densely as in its own scan, ρ, which is known as well
// as so many of these say: the likelihood is the mean over a gamma distribution. The nearest is farther
// than r if it is itself and none of the others is within: with probability (1-q·F(r))·exp(-ρ·V(r)). Its density is a mixture, of which the likeliest shares are found for all s of a grid.
//
// Invariant. Equal counts say that all are in both scans unless these distances clearly speak against it. Where they do not clearly speak for any, nothing is learnt.
//
// Cost. Up to a thousand detections of each scan against all of both, four million pairs at most; some hundred small mixtures: .1 s.
//
// [1] Diggle. Statistical analysis of spatial point patterns. Academic Press, 1983: distribution functions of nearest neighbour distances.

// clearly is by how many nat two scans say something clearly: as much as the best of many tries has by chance once in five times where there are no steps, and then finds few of
// them; twice as much for steps of two kinds.
const clearly = 4

// A stride is what two scans say of the steps between them.
type stride struct {
	std   float64 // m: of a coordinate of a step
	most  float64 // m: of those that go farthest, where some do
	links float64 // detections of a scan, on average, that are in the other, too
	gain  float64 // nat: by which that is likelier than no successors
	doubt float64 // nat: by which it is likelier than that all are, where counts are equal
}

// A nearness is how far, r, the nearest detection of another scan is from one, and how many others of its own scan, n, are in
// a ball about it of which so many of the other scan would be in one of volume v.
type nearness struct{ r, n, v float64 }

// around is how many others of its own scan tell how dense it is about a detection.
const around = 8

// nearest are those of up to a thousand detections of a to b, of fewer where there are very many.
func nearest(a, b *mtt.Scan) []nearness {
	n, m := a.Len(), b.Len()
	every := 1 + max(n/500, n*(n+m)/4_000_000)
	var list []nearness
	own := make([]float64, n)
	for i := 0; i < n; i += every {
		at := a.At(i)
		to := math.Inf(1)
		for j := range m {
			to = min(to, distance(at, b.At(j)))
		}
		for j := range n {
			own[j] = distance(at, a.At(j))
		}
		slices.Sort(own)
		k := min(max(around, n/40), n-1)
		if v := ball(a.Dim, own[k]); v > 0 && v < math.Inf(1) && to > 0 {
			list = append(list, nearness{to, float64(k), v * float64(n) / float64(m)})
		}
	}
	return list
}

// ball is the volume of a ball of radius r.
func ball(dim int, r float64) float64 {
	if dim == 3 {
		return 4 * math.Pi / 3 * r * r * r
	}
	return math.Pi * r * r
}

// stepped is the probability that a step of standard deviation s ends within r, and its density there.
func stepped(dim int, r, s float64) (within, density float64) {
	u := r / s
	e := math.Exp(-u * u / 2)
	if dim == 3 {
		return math.Erf(u/math.Sqrt2) - math.Sqrt(2/math.Pi)*u*e, math.Sqrt(2/math.Pi) * u * u * e / s
	}
	return 1 - e, u * e / s
}

// mix is the likeliest mixture, by expectation and maximisation [2], of which like[k] are the likelihoods for each nearness and like[0] those where there is no step, as is so for a
// share none; open: for any.
//
// [2] Dempster, Laird and Rubin. Maximum likelihood from incomplete data via the EM algorithm. Journal of the Royal Statistical Society B 39, 1977.
func mix(like [][]float64, none float64) (share []float64, nats float64) {
	const iterations = 20
	share, next := make([]float64, len(like)), make([]float64, len(like))
	for k := range share {
		share[k] = 1 / float64(len(like))
	}
	for at := range iterations {
		clear(next)
		for i := range like[0] {
			sum := 0.0
			for k := range like {
				sum += share[k] * like[k][i]
			}
			for k := range like {
				next[k] += share[k] * like[k][i] / sum
			}
			if at == iterations-1 {
				nats += math.Log(sum / like[0][i])
			}
		}
		n, without := float64(len(like[0])), next[0]
		if share[0] = none; none == open {
			share[0] = without / n
		}
		for k := 1; k < len(like); k++ {
			share[k] = (1 - share[0]) * next[k] / (n - without)
		}
	}
	return share, nats / 2 // each pair was seen from both ends
}

const open = -1

// alone is the standard deviation of steps of which half go so far that, in the middle of the detections, no other is nearer as often as not: what goes farther is seldom nearest.
func alone(near []nearness, dim int) float64 {
	var v []float64 // in which there is one
	for _, x := range near {
		v = append(v, x.v/x.n)
	}
	slices.Sort(v)
	return radius(dim, math.Ln2*v[len(v)/2]) / math.Sqrt(2*math.Ln2)
}

// radius is that of a ball.
func radius(dim int, volume float64) float64 { return math.Pow(volume/ball(dim, 1), 1/float64(dim)) }

// strideOf is what the nearest detections say of the stride from a to b; no: they are too few.
func strideOf(a, b *mtt.Scan) (best stride, ok bool) {
	const (
		sizes   = 20   // of steps that are tried
		finest  = 1.15 // of one to the one before
		outlier = 1e-3 // share of detections without a successor that is no proof that there are any
	)
	if min(a.Len(), b.Len()) < around+2 {
		return best, false
	}
	near := append(nearest(a, b), nearest(b, a)...)
	if len(near) < around {
		return best, false
	}
	slices.SortFunc(near, func(x, y nearness) int { return cmp.Compare(x.r, y.r) })
	none := make([]float64, len(near))
	for i, x := range near {
		none[i] = x.n / (x.v + ball(a.Dim, x.r)) * float64(a.Dim) * ball(a.Dim, x.r) / x.r
	}
	var std []float64
	like := [][]float64{none}
	lo, hi := near[len(near)/50].r/2, alone(near, a.Dim)
	for s := lo; s < hi; s *= max(finest, math.Pow(hi/lo, 1./sizes)) {
		of := make([]float64, len(near))
		for i, x := range near {
			within, density := stepped(a.Dim, x.r, s)
			of[i] = density + (1-within)*none[i]
		}
		std, like = append(std, s), append(like, of)
	}
	whole, most := 0.0, 0.0
	try := func(worse float64, of ...int) {
		some := [][]float64{none}
		for _, k := range of {
			some = append(some, like[1+k])
		}
		if share, nats := mix(some, open); nats-worse > most {
			most = nats - worse
			best = stride{links: (1 - share[0]) * float64(a.Len()+b.Len()) / 2, gain: nats}
			for i, k := range of {
				best.std += share[1+i] / (1 - share[0]) * std[k] * std[k]
				best.most = max(best.most, std[k])
			}
			best.std = math.Sqrt(best.std)
		}
		if a.Len() == b.Len() {
			_, nats := mix(some, outlier)
			whole = max(whole, nats)
		}
	}
	for k := range std {
		try(0, k)
		for j := range k {
			try(2*clearly, j, k)
		}
	}
	best.doubt = best.gain - whole
	return best, best.std > 0
}

// fromTwo learns from two scans, where they say so, what is not known.
func (l *learner) fromTwo(scans []mtt.Scan) {
	a, b := &scans[0], &scans[1]
	if l.vel || len(l.Sensors) > 0 || l.Cost != nil || walks(l.levels) {
		return
	}
	by, ok := strideOf(a, b)
	if !ok || by.gain < clearly {
		return
	}
	g := l.levels
	dt := b.Time - a.Time
	if l.known.Sigma == 0 {
		g.Sigma = 0.1 * by.std
	}
	g.SpeedStd = math.Sqrt(max(by.std*by.std-2*g.Sigma*g.Sigma, 0.01*by.std*by.std)) / dt
	if l.known.Accel == 0 {
		g.Accel = 0.1 * g.SpeedStd / math.Sqrt(dt)
	}
	l.floor(g)
	if !l.fast() {
		l.speed = by.most * math.Sqrt(2*math.Log(10*(1+by.links))) / dt // one of ten such scenes has a longer step
	}
	if l.steady && by.doubt < clearly {
		return
	}
	l.steady, l.coasts = false, !l.NoMisses
	n := count(scans) / 2
	share := by.links / n
	detect := max(0.9, math.Sqrt(share))
	g.Rates = l.said(among(&costgen.Rates{Volume: g.Rates.Volume, Targets: n, Detect: detect, Hidden: 1 - detect, Survive: 0.997, Clutter: 1e-3 * n}, share))
}
