package refine

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"mtt"
	"mtt/association/chain"
	"mtt/internal/rng"
	"mtt/internal/workers"
	"mtt/motion"
)

// This file finds out how sharp the noise of the model is.
//
// Prices are log likelihoods of a motion model: Gaussian, its steps independent. Targets that turn
// smoothly, or stop and go back, are neither, and where the noise of the model is as large as their
// deviations it still has the wrong shape. What that does to the odds of trades the tracks
// themselves can tell, without truth: two pieces of tracks that are sure, as no other track
// competes with them, are brought together, on paper, so that they meet between two scans. Which of
// them goes on with what is known there, and the model says by how many nats that is cheaper than a
// trade. The factor by which such differences predict best which is right, the likeliest one of a
// logistic regression without a constant, is the sharpness: odds are those of a model with
// variances that many times smaller. That multiplies the differences, as either way has as many
// links, and leaves alone what births, deaths, misses and false alarms cost.
//
// What is sure is chosen by the odds of trades. Those of leaving out a detection for a false alarm
// would not do: what lies far from where it is expected would be left out, and noise would seem
// sharper by a half where alarms are many. Likewise pieces meet where they do not manoeuvre, so a
// trade is not given the chance either: the kinds of their steps are known.
//
// Nothing but the model may tell which of both ways is the true one: how pieces are chosen and
// brought together must be as likely either way. A trade exchanges half of what their steps differ
// by with how far apart the midpoints of these steps are. So the former is at most near where
// pieces are taken for alike, and the latter is drawn evenly among all vectors that are no longer
// than near.
//
// What pieces from elsewhere cannot tell is what neighbours have in common. In a flow their
// velocities change together, so that which of them is which is clearer than noise that is
// independent has it, and pieces from all over the flow say 1.0 to 1.1. The nearest of the pieces
// that are sure say more there, and too much in a burst, maybe as both are sure though they are
// near, for which noise has to be kind. Nor is a sharpness one number where targets have levels of
// their own, as those whose speeds differ have.

// sharper are parameters whose noise has variances that many times smaller.
func sharper(p *motion.Params, times float64) *motion.Params {
	q, by := *p, 1/math.Sqrt(times)
	for _, x := range [...]*float64{&q.Sigma, &q.SigmaV, &q.Accel, &q.Sway, &q.TurnWalk, &q.AccelStd} {
		*x *= by
	}
	return &q
}

// sharperScans are scans that tell such covariances.
func sharperScans(scans []mtt.Scan, times float64) []mtt.Scan {
	list := slices.Clone(scans)
	for t := range list {
		for _, cov := range [2]*[]float64{&list[t].Cov, &list[t].VelCov} {
			*cov = slices.Clone(*cov)
			for k := range *cov {
				(*cov)[k] /= times
			}
		}
	}
	return list
}

// Pieces have at most reachOfPiece links on either side of where they meet. One that is alike is
// looked for in so many tries among the others; near is within times the root mean square, on an
// axis, of what predictions are off by: a trade of such steps alone costs up to some within² nats.
// Of tries decoys those count that leave a doubt: prices differ by less than open nats. Sharpness
// is 1 within a factor of e^loose, as a prior: with no decoys it is 1.
const reachOfPiece, among, within, tries, open, loose = 12, 32, 2, 1500, 8, 0.25

// A piece is what is sure about a link: detections up to it, the last at index at, and after it.
type piece struct {
	path  []chain.Node
	kinds []uint8 // of the step to each
	at    int
}

// A decoy is two pieces that meet, and the way in which they do not go on: they trade what comes after the
// meeting, but for that from index back on where back > 0.
type decoy struct {
	one, two piece
	shift    [3]float64 // of two
	back     int        // detections that are traded; 0: all
}

// learn estimates the sharpness, where the odds are those of trades as if it was 1, and those
// without are of tracks that are cut or leave out a detection.
func (w *weighing[S, E]) learn(ctx context.Context, without [][]float64) float64 {
	m := w.mover
	const sure, there = -7, -1 // log odds against it
	random := rng.Stream(1, "refine/decoys", 0)
	links := make([][]int32, len(m.scans)) // of each scan: detections whose link onward can meet another one
	var meet []int                         // scans with some of these
	var doubt []float64                    // up to and with each of them
	sum := 0.0
	is := func(n chain.Node) bool { return w.against[n.T][n.Det] < sure && without[n.T][n.Det] < there } // what comes before it is sure
	for t := range m.scans {
		for i, next := range m.Next[t] {
			if next == chain.None || int(next.T) != t+1 || !is(next) || m.Prev[t][i] == chain.None || !is(chain.At(t, i)) || m.kinds[next.T][next.Det] != motion.Smooth {
				continue
			}
			if after := m.Next[next.T][next.Det]; after != chain.None && is(after) {
				links[t] = append(links[t], int32(i))
			}
		}
		if len(links[t]) < 2 {
			continue
		}
		for _, odds := range w.against[t+1] {
			sum += math.Exp(min(odds, 0))
		}
		meet, doubt = append(meet, t), append(doubt, sum)
	}
	if len(meet) == 0 {
		return 1
	}
	near := within * m.missed(links)
	var decoys []decoy
	for k := range tries {
		at := random.IntN(len(meet))
		if k%2 == 0 { // where it is of use
			at, _ = slices.BinarySearch(doubt, sum*random.Float64())
		}
		t := meet[at]
		i := links[t][random.IntN(len(links[t]))]
		if d, ok := m.decoy(chain.At(t, int(i)), links[t], near, is, random); ok {
			decoys = append(decoys, d)
		}
	}
	return likeliestFactor(m.compare(ctx, decoys))
}

// stepOf is by how far a detection and its successor are apart.
func (r *refiner[S, E]) stepOf(a chain.Node) (d [3]float64) {
	b := r.Next[a.T][a.Det]
	from, to := r.scans[a.T].At(int(a.Det)), r.scans[b.T].At(int(b.Det))
	for n := range to {
		d[n] = to[n] - from[n]
	}
	return d
}

// square is the square of the length of a vector.
func square(x [3]float64) float64 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] }

// evenly draws a vector of so many numbers with a length of 1 at most, each as likely as any other.
func evenly(random *rand.Rand, dim int) (x [3]float64) {
	for {
		for n := range dim {
			x[n] = 2*random.Float64() - 1
		}
		if square(x) <= 1 {
			return x
		}
	}
}

// missed is the root mean square of what predictions are off by on an axis, for links of these detections.
func (m *mover[S, E]) missed(links [][]int32) float64 {
	sum, n := 0.0, 0
	var e motion.Estimate
	for t := range links {
		for _, i := range links[t] {
			next := m.Next[t][i]
			m.state = m.states[t][i]
			m.filter.Predict(&m.state, m.scans[next.T].Time-m.scans[t].Time, motion.Smooth)
			m.filter.Estimate(&e, &m.state, nil)
			for k, x := range m.scans[next.T].At(int(next.Det)) {
				sum += (x - e.X[k]) * (x - e.X[k])
				n++
			}
		}
	}
	return math.Sqrt(sum / float64(n))
}

// decoy brings the piece of a together with that of one of some others whose step is alike.
func (m *mover[S, E]) decoy(a chain.Node, others []int32, near float64, is func(chain.Node) bool, random *rand.Rand) (d decoy, ok bool) {
	mine := m.stepOf(a)
	var theirs [3]float64
	b := chain.None
	for n := 0; n < among && b == chain.None; n++ {
		o := chain.At(a.T, others[random.IntN(len(others))])
		if o == a {
			continue
		}
		theirs = m.stepOf(o)
		apart := theirs
		for n, x := range mine {
			apart[n] -= x
		}
		if square(apart) <= 4*near*near {
			b = o
		}
	}
	if b == chain.None {
		return d, false
	}
	d = decoy{one: m.pieceOf(a, is), two: m.pieceOf(b, is), back: random.IntN(3)}
	if d.back >= min(len(d.one.path)-d.one.at, len(d.two.path)-d.two.at)-1 {
		d.back = 0
	}
	from, to := m.scans[a.T].At(int(a.Det)), m.scans[b.T].At(int(b.Det))
	off := evenly(random, len(from))
	for n := range from {
		d.shift[n] = from[n] + mine[n]/2 - to[n] - theirs[n]/2 + near*off[n]
	}
	return d, true
}

// pieceOf is what is sure around the link after a.
func (m *mover[S, E]) pieceOf(a chain.Node, is func(chain.Node) bool) (p piece) {
	for n := a; ; n = m.Prev[n.T][n.Det] {
		p.path = append(p.path, n)
		if len(p.path) > reachOfPiece || m.Prev[n.T][n.Det] == chain.None || !is(n) {
			break
		}
	}
	slices.Reverse(p.path)
	p.at = len(p.path) - 1
	for n := m.Next[a.T][a.Det]; n != chain.None && is(n) && len(p.path)-p.at <= reachOfPiece; n = m.Next[n.T][n.Det] {
		p.path = append(p.path, n)
	}
	for _, n := range p.path {
		p.kinds = append(p.kinds, m.kinds[n.T][n.Det])
	}
	return p
}

// compare prices decoys: by how much they are dearer than the pieces that they are made of.
func (m *mover[S, E]) compare(ctx context.Context, decoys []decoy) []float64 {
	dets := make([][]int32, len(m.scans))
	var shifts []func(scans []mtt.Scan)
	copied := func(p piece, shift [3]float64) piece {
		q := piece{make([]chain.Node, len(p.path)), p.kinds, p.at}
		for k, n := range p.path {
			q.path[k] = chain.At(n.T, int32(len(dets[n.T])))
			dets[n.T] = append(dets[n.T], n.Det)
		}
		shifts = append(shifts, func(scans []mtt.Scan) {
			for _, n := range q.path {
				x := scans[n.T].At(int(n.Det))
				for k := range x {
					x[k] += shift[k]
				}
			}
		})
		return q
	}
	for k := range decoys {
		d := &decoys[k]
		d.one, d.two = copied(d.one, [3]float64{}), copied(d.two, d.shift)
	}
	scans := make([]mtt.Scan, len(m.scans))
	for t := range scans {
		scans[t] = m.scans[t].Pick(dets[t])
	}
	for _, shift := range shifts {
		shift(scans)
	}
	r := newRefiner(ctx, m.filter.Fork(), m.params, chain.New(scans), scans, nil, m.model, &Options{Workers: len(m.movers)})
	more := make([]float64, len(decoys))
	workers.Each(len(r.movers), len(decoys), func(w, k int) {
		if ctx.Err() == nil {
			more[k] = r.movers[w].trade(&decoys[k])
		}
	})
	return more
}

// trade is what a decoy costs more than its pieces.
func (m *mover[S, E]) trade(d *decoy) float64 {
	one, two := d.one.path, d.two.path
	i, j := d.one.at+1, d.two.at+1
	u, v := len(one), len(two)
	if d.back > 0 {
		u, v = i+d.back, j+d.back
		if one[u-1].T != two[v-1].T { // something was missed
			u, v = len(one), len(two)
		}
	}
	traded := func(p, q piece, i, j, u, v int) piece {
		if u == len(p.path) || v == len(q.path) {
			return piece{path: slices.Concat(p.path[:i], q.path[j:]), kinds: slices.Concat(p.kinds[:i], q.kinds[j:])}
		}
		return piece{path: slices.Concat(p.path[:i], q.path[j:v], p.path[u:]), kinds: slices.Concat(p.kinds[:i], q.kinds[j:v], p.kinds[u:])}
	}
	return m.known(traded(d.one, d.two, i, j, u, v)) + m.known(traded(d.two, d.one, j, i, v, u)) - m.known(d.one) - m.known(d.two)
}

// known is the price of a piece by motion, the kinds of its steps being known.
func (m *mover[S, E]) known(p piece) (c float64) {
	f := &m.filter
	f.Start(&m.state, &m.scans[p.path[0].T], int(p.path[0].Det))
	for n, b := range p.path[1:] {
		a, kind := p.path[n], int(p.kinds[n+1])
		scan := &m.scans[b.T]
		f.Predict(&m.state, scan.Time-m.scans[a.T].Time, kind)
		fit := f.Innovation(&m.state, scan, int(b.Det))
		if kind == motion.Manoeuvre {
			fit.D2 = motion.Tail(m.params.Tail(), fit.D2, float64(m.params.Dim))
		}
		c += (fit.D2 + fit.Base) / 2
		f.Take(&m.state, scan, int(b.Det), kind)
	}
	return c
}

// likeliestFactor is the b of greatest likelihood where each of more is by how much something wrong
// is dearer than what is right, and it would be taken for right with the odds exp(−b·more).
func likeliestFactor(more []float64) float64 {
	const low, high, golden = -2, 2, 0.6180339887498949 // of the log
	cost := func(l float64) (c float64) {
		b := math.Exp(l)
		for _, x := range more {
			if math.Abs(x) < open {
				c += math.Max(0, -b*x) + math.Log1p(math.Exp(-math.Abs(b*x)))
			}
		}
		return c + l*l/(2*loose*loose)
	}
	lo, hi := float64(low), float64(high)
	for hi-lo > 1e-3 {
		x, y := hi-golden*(hi-lo), lo+golden*(hi-lo)
		if cost(x) < cost(y) {
			hi = y
		} else {
			lo = x
		}
	}
	return math.Exp((lo + hi) / 2)
}
