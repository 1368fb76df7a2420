package learn

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mtt"
	"mtt/costgen"
)

// This file learns from two scans, of which no track shows more than one step, and from three or
// four, of which tracks show few.
//
// Problem. What tracks are made of two scans confirm whatever they were made by: without a third
// detection no link is wrong by itself. If steps are taken to be as long as from a detection to the
// nearest one, and some are missed or false, links reach as far as the field goes.
//
// Idea. How far the nearest detection of the other scan is says it without association [1]. A
// detection is in the other scan with probability q, at a distance whose coordinates are normal
// with standard deviation s, or one of two where that is clearly likelier, and others lie about it
// as densely as in its own scan, ρ, which is known as well as so many of these say: the likelihood
// is the mean over a gamma distribution. The nearest is farther than r if it is itself and none of
// the others is within: with probability (1-q·F(r))·exp(-ρ·V(r)). Its density is a mixture, of
// which the likeliest shares are found for all s of a grid.
//
// Invariant. Equal counts say that all are in both scans unless these distances clearly speak
// against it. Where they do not clearly speak for any, nothing is learnt.
//
// Cost. Up to a thousand detections of each scan against all of both, four million pairs at most;
// some hundred small mixtures: .1 s.
//
// [1] Diggle. Statistical analysis of spatial point patterns. Academic Press, 1983: distribution
// functions of nearest neighbour distances.

// clearly is by how many nat two scans say something clearly: as much as the best of many tries has
// by chance once in five times where there are no steps, and then finds few of them; twice as much
// for steps of two kinds.
const clearly = 4

// A stride is what two scans say of the steps between them.
type stride struct {
	std   float64 // m: of a coordinate of a step
	most  float64 // m: of those that go farthest, where some do
	links float64 // detections of a scan, on average, that are in the other, too
	gain  float64 // nat: by which that is likelier than no successors
	doubt float64 // nat: by which it is likelier than that all are, where counts are equal
}

// A nearness is how far, r, the nearest detection of another scan is from one, and how many others
// of its own scan, n, are in a ball about it of which so many of the other scan would be in one of
// volume v.
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

// mix is the likeliest mixture, by expectation and maximisation [2], of which like[k] are the
// likelihoods for each nearness and like[0] those where there is no step, as is so for a share
// none; open: for any.
//
// [2] Dempster, Laird and Rubin. Maximum likelihood from incomplete data via the EM algorithm.
// Journal of the Royal Statistical Society B 39, 1977.
func mix(like [][]float64, none float64) (share []float64, nats float64) {
	const iterations = 20
	share, next := make([]float64, len(like)), make([]float64, len(like))
	for k := range share {
		share[k] = 1 / float64(len(like))
	}
	likes := make([]float64, len(like[0]))
	for at := range iterations {
		clear(likes)
		for k := range like {
			floats.AddScaled(likes, share[k], like[k])
		}
		if at == iterations-1 {
			for i, of := range likes {
				nats += math.Log(of / like[0][i])
			}
		}
		for i, of := range likes {
			likes[i] = 1 / of
		}
		for k := range like {
			next[k] = share[k] * dot(likes, like[k])
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

// dot is Σ a_i b_i, in four sums at once and in the same order on all machines, that of a browser included.
func dot(a, b []float64) float64 {
	var sums [4]float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		for k := range sums {
			sums[k] += a[i+k] * b[i+k]
		}
	}
	for ; i < len(a); i++ {
		sums[0] += a[i] * b[i]
	}
	return sums[0] + sums[1] + (sums[2] + sums[3])
}

const open = -1

// alone is the standard deviation of steps of which half go so far that, in the middle of the
// detections, no other is nearer as often as not: what goes farther is seldom nearest.
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

// neighbours is what the nearest detections of consecutive scans say of steps.
type neighbours struct {
	dim  int
	mean float64    // detections in a scan
	even bool       // whether all scans have as many
	near []nearness // ascending
	none []float64  // the likelihood of each where it has no successor
}

// neighboursOf are those of the scans, in steps of the mean time between these; nil: they are too few.
func neighboursOf(scans []mtt.Scan) *neighbours {
	n := &neighbours{dim: scans[0].Dim, mean: count(scans) / float64(len(scans)), even: steady(scans)}
	for t := range len(scans) - 1 {
		a, b := &scans[t], &scans[t+1]
		if min(a.Len(), b.Len()) < around+2 {
			return nil
		}
		longer := interval(scans) / (b.Time - a.Time)
		for _, x := range append(nearest(a, b), nearest(b, a)...) {
			n.near = append(n.near, nearness{x.r * longer, x.n, x.v * math.Pow(longer, float64(n.dim))})
		}
	}
	if len(n.near) < around {
		return nil
	}
	slices.SortFunc(n.near, func(x, y nearness) int { return cmp.Compare(x.r, y.r) })
	for _, x := range n.near {
		n.none = append(n.none, x.n/(x.v+ball(n.dim, x.r))*float64(n.dim)*ball(n.dim, x.r)/x.r)
	}
	return n
}

// like are the likelihoods of a successor by a step of standard deviation s.
func (n *neighbours) like(s float64) []float64 {
	of := make([]float64, len(n.near))
	for i, x := range n.near {
		within, density := stepped(n.dim, x.r, s)
		of[i] = density + (1-within)*n.none[i]
	}
	return of
}

// stride is what they say of the stride from scan to scan; no: nothing.
func (n *neighbours) stride() (best stride, ok bool) {
	const (
		sizes   = 20   // of steps that are tried
		finest  = 1.15 // of one to the one before
		outlier = 1e-3 // share of detections without a successor that is no proof that there are any
	)
	var std []float64
	like := [][]float64{n.none}
	lo, hi := n.near[len(n.near)/50].r/2, alone(n.near, n.dim)
	for s := lo; s < hi; s *= max(finest, math.Pow(hi/lo, 1./sizes)) {
		std, like = append(std, s), append(like, n.like(s))
	}
	whole, most := 0.0, 0.0
	try := func(worse float64, of ...int) {
		some := [][]float64{n.none}
		for _, k := range of {
			some = append(some, like[1+k])
		}
		if share, nats := mix(some, open); nats-worse > most {
			most = nats - worse
			best = stride{links: (1 - share[0]) * n.mean, gain: nats}
			for i, k := range of {
				best.std += share[1+i] / (1 - share[0]) * std[k] * std[k]
				best.most = max(best.most, std[k])
			}
			best.std = math.Sqrt(best.std)
		}
		if n.even {
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
	if n := neighboursOf(scans); n != nil && l.strides() {
		if by, ok := n.stride(); ok && by.gain >= clearly {
			l.begin(scans, by)
		}
	}
}

// strides reports whether nearest detections may say how far steps are.
func (l *learner) strides() bool {
	return !l.vel && len(l.Sensors) == 0 && l.Cost == nil && !walks(&l.known)
}

// begin has levels be those of a stride, as far as they are not known.
func (l *learner) begin(scans []mtt.Scan, by stride) {
	g := l.levels
	dt := interval(scans)
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
	n := count(scans) / float64(len(scans))
	share := by.links / n
	detect := max(0.9, math.Sqrt(share))
	g.Rates = l.said(among(&costgen.Rates{Volume: g.Rates.Volume, Targets: n, Detect: detect, Hidden: 1 - detect, Survive: 0.997, Clutter: 1e-3 * n}, share))
}

// fewScans is how many scans are few: tracks of more tell steps and misses by themselves.
const fewScans = 4

// fromFew learns anew, beginning with the stride of three or four scans, and takes what comes of it
// where all that was detected is clearly likelier: tracks of few scans, most of them of two
// detections, confirm steps as far as the field goes, and that nobody is missed.
//
// Of those who are in two scans in turn, a share d is in the next one as well: how often a target
// is detected. Tracks of the new levels tell it, as where three detections of a track are seldom
// goes by chance. Who is missed in the first scan is as one born, and in the last as one who dies:
// in so few scans that is what most births and deaths are. Counting rates in tracks would confirm
// what made these.
func (l *learner) fromFew(ctx context.Context, scans []mtt.Scan) error {
	near := neighboursOf(scans)
	if near == nil || l.spent() || !l.strides() {
		return nil
	}
	by, ok := near.stride()
	if !ok || by.gain < clearly || l.steady && by.doubt < clearly {
		return nil
	}
	o := newLearner(scans, l.Options, l.run, l.steady)
	o.begin(scans, by)
	if err := o.again(ctx, o.levels, o.candidates()[0]); err != nil || len(o.tracks) == 0 {
		return err
	}
	if nats, err := o.over(ctx, l); err != nil || nats < clearly {
		return err
	}
	d := o.known.Rates.Detect
	if d == 0 {
		d = max(0.5, min(lasting(o.tracks, scans)/by.links, 0.99))
	}
	late, steps := 0.0, float64(len(scans)-1)
	for k := range len(scans) - 1 {
		late += math.Pow(1-d, float64(k+1)) / steps
	}
	targets := by.links / (d * d)
	detect := min(0.99, d/(1-late))
	levels := *o.levels
	levels.Rates = o.said(costgen.Rates{Volume: levels.Rates.Volume, Targets: targets, Detect: detect, Hidden: 1 - detect, Survive: 0.997 * (1 - late), Births: (0.003 + late) * targets,
		Clutter: max(near.mean-targets*d, 1e-3*near.mean)})
	o.levels, o.nats = &levels, math.NaN()
	*l = *o
	return nil
}

// lasting is how many detections of a scan, on average, are in the next two scans as well by the tracks.
func lasting(tracks []mtt.Track, scans []mtt.Scan) float64 {
	index := mtt.ByFrame(scans)
	n := 0
	for i := range tracks {
		for h, hit := range tracks[i].Hits[:max(0, len(tracks[i].Hits)-2)] {
			if index[tracks[i].Hits[h+2].Frame] == index[hit.Frame]+2 {
				n++
			}
		}
	}
	return float64(n) / float64(len(scans)-2)
}
