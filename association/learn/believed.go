package learn

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mtt"
	"mtt/costgen"
)

// This file judges measured velocities by what targets do.
//
// Problem. Velocities in another unit than places and times, with axes exchanged or turned round,
// of a column that is filled with zeros or with something else, send each target where no detection
// is: its track ends after every scan, or goes on as another.
//
// Idea. Where velocities say where targets go, successors are nearer to where these take them than
// to where they were, which shows without tracks (see [selfPart]). Where they are not much nearer,
// all is learnt from positions too. Of tracks of these, let u be the velocity around a detection by
// the detections before and after it, w one by two detections later or earlier still, and v the one
// measured. Noise of u, v and w has nothing in common, so
//
//	M = E[v wᵀ] E[u wᵀ]⁻¹
//
// is the map from true velocities to measured ones [1], the identity of right ones, a multiple of
// it in another unit, and 0 of those that have nothing to do with targets. Right ones are kept.
// Others are read through M⁻¹ if that is clear, exact where the mistake has a name, and if what was
// detected is likelier then, by the density that measured ones have, than by positions alone with
// velocities that are normal whatever targets do. Else those of a mistake that has a name are left
// unread, and of others the evidence decides between these and velocities as they are.
//
// Invariant. Velocities that bring successors nearer by half cost one look more and are believed.
//
// [1] Reiersøl. Confluence analysis by means of instrumental sets of variables. Arkiv för
// Matematik, Astronomi och Fysik 32A(4), 1945.

// doubts reports whether measured velocities may be wrong: nobody says how good they are, and
// successors are not much nearer to where these take targets.
func (o *Options) doubts(scans []mtt.Scan) bool {
	const nearer = 0.5
	if o.Levels != nil || o.Cost != nil || o.SigmaV > 0 || len(o.alone().Sensors) > 0 || len(scans) < 5 || !Velocities(scans) || partial(scans) || vast(scans) {
		return false
	}
	part := window(scans, enough, dozen)
	return newSelfPart(part, 1).half() >= nearer*newSelfPart(WithoutVelocities(part), 1).half()
}

// believed is with, learnt from scans with velocities, or what is learnt from those that targets
// show, with Levels.VelMap, or without them, if that says more of what was detected: Unbelieved
// says why then.
func believed(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot, with *Model) (*Model, error) {
	if with.by == nil || with.Levels == nil || with.Levels.PositionsOnly || with.by.spent() {
		return with, nil
	}
	bare := WithoutVelocities(scans)
	without, err := reading(ctx, bare, opts, run)
	if err != nil || without.by == nil || without.Levels == nil {
		return with, err
	}
	tracks, err := without.by.tracked(ctx)
	if err != nil {
		return nil, err
	}
	m, doubt := velocityMap(scans, tracks)
	if m != nil && likes(m, doubt, identity(m.RawMatrix().Rows)) {
		return with, nil
	}
	what := mistake(scans, m, doubt)
	best := without
	nats, err := without.by.evidence(ctx)
	if err != nil {
		return nil, err
	}
	nats += byThemselves(with.by.part)
	if !what.known {
		most, err := with.by.evidence(ctx)
		if err != nil {
			return nil, err
		}
		if nats <= most {
			best, nats = with, most
		}
	}
	if inverse, narrower := what.inverse(m, doubt); inverse != nil {
		mended, more, err := through(ctx, scans, opts, run, inverse)
		if err != nil {
			return nil, err
		}
		if more += narrower * count(with.by.part); mended != nil && more > nats {
			if best = mended; what.exact == nil {
				what.why = askew
			}
		}
	}
	if best != with {
		best.Unbelieved = what.why
	}
	return best, nil
}

// through is what is learnt from velocities that the inverse of their map makes of those measured,
// with its evidence; nil: nothing that tells it.
func through(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot, inverse *mat.Dense) (*Model, float64, error) {
	levels := costgen.Levels{}
	copy(levels.VelMap[:], inverse.RawMatrix().Data)
	m, err := reading(ctx, levels.Told(scans), opts, run)
	if err != nil || m.by == nil || m.Levels == nil || m.Levels.PositionsOnly {
		return nil, 0, err
	}
	nats, err := m.by.evidence(ctx)
	made := *m.Levels
	made.VelMap = levels.VelMap
	m.Levels, m.Cost = &made, &costgen.Gaussian{Levels: made}
	return m, nats, err
}

// byThemselves is the log likelihood of velocities that are normal along each axis, whatever
// targets do; infinite where one of them never varies.
func byThemselves(scans []mtt.Scan) (nats float64) {
	var sum, squares [3]float64
	n, dim := 0.0, 0
	for t := range scans {
		for i := range scans[t].Len() {
			dim = scans[t].Dim
			for d, v := range scans[t].VelAt(i) {
				sum[d], squares[d] = sum[d]+v, squares[d]+v*v
			}
			n++
		}
	}
	for d := range dim {
		mean := sum[d] / n
		nats -= n / 2 * (1 + math.Log(2*math.Pi*max(squares[d]/n-mean*mean, 0)))
	}
	return nats
}

// velocityMap is the linear map from velocities of tracks to those measured, with the standard
// errors of its elements; nil where tracks do not tell it.
func velocityMap(scans []mtt.Scan, tracks []mtt.Track) (m, doubt *mat.Dense) {
	const groups = 16 // of tracks, each left out once
	dim, index := dimension(scans), mtt.ByFrame(scans)
	var measured, found [groups + 1]*mat.Dense // the last is of all
	for k := range measured {
		measured[k], found[k] = mat.NewDense(dim, dim, nil), mat.NewDense(dim, dim, nil)
	}
	for i := range tracks {
		tr := &tracks[i]
		when := func(h int) float64 { return scans[index[tr.Hits[h].Frame]].Time }
		between := func(a, b int) *mat.VecDense { // velocity
			v := mat.NewVecDense(dim, nil)
			v.SubVec(mat.NewVecDense(dim, tr.At(b)), mat.NewVecDense(dim, tr.At(a)))
			v.ScaleVec(1/(when(b)-when(a)), v)
			return v
		}
		for h := 1; h+1 < len(tr.Hits); h++ {
			v := mat.NewVecDense(dim, scans[index[tr.Hits[h].Frame]].VelAt(tr.Hits[h].Det))
			u := between(h-1, h+1)
			for _, other := range [2][2]int{{h + 2, h + 3}, {h - 3, h - 2}} {
				if other[0] < 0 || other[1] >= len(tr.Hits) {
					continue
				}
				w := between(other[0], other[1])
				for _, k := range [2]int{i % groups, groups} {
					measured[k].RankOne(measured[k], 1, v, w)
					found[k].RankOne(found[k], 1, u, w)
				}
			}
		}
	}
	solve := func(v, u mat.Matrix) *mat.Dense {
		var transposed, inverse mat.Dense
		if inverse.Inverse(u) != nil {
			return nil
		}
		transposed.Mul(v, &inverse)
		return &transposed
	}
	if m = solve(measured[groups], found[groups]); m == nil {
		return nil, nil
	}
	doubt = mat.NewDense(dim, dim, nil)
	for k := range groups {
		var v, u mat.Dense
		v.Sub(measured[groups], measured[k])
		u.Sub(found[groups], found[k])
		less := solve(&v, &u)
		if less == nil {
			return nil, nil
		}
		less.Sub(less, m)
		less.MulElem(less, less)
		doubt.Add(doubt, less)
	}
	doubt.Apply(func(_, _ int, v float64) float64 { return math.Sqrt(v * (groups - 1) / groups) }, doubt)
	return m, doubt
}

// likes reports whether m is want, as nearly as anybody would round it, and so far as doubt lets one tell.
func likes(m, doubt, want *mat.Dense) bool {
	const nearly, sure = 0.15, 0.25 // of the largest element of want
	size := 0.0
	for _, v := range want.RawMatrix().Data {
		size = max(size, math.Abs(v))
	}
	for k, v := range m.RawMatrix().Data {
		off := math.Abs(v - want.RawMatrix().Data[k])
		if e := doubt.RawMatrix().Data[k]; !(e < sure*size) || off > nearly*size+e {
			return false
		}
	}
	return true
}

// identity is the identity of so many rows.
func identity(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for d := range n {
		m.Set(d, d, 1)
	}
	return m
}

// A unit is the factor of a common mistake, with what it speaks for.
type unit struct {
	factor float64
	what   string
}

var units = []unit{
	{3.6, "they are in km/h where positions are in metres and times in seconds"},
	{1 / 3.6, "they are in m/s where positions are in kilometres and times in hours"},
	{3600. / 1852, "they are in knots where positions are in metres and times in seconds"},
	{3600. / 1609.344, "they are in miles an hour where positions are in metres and times in seconds"},
	{1 / 0.3048, "they are in feet a second where positions are in metres"},
	{1000, "they are in thousandths of the unit of positions a second"},
	{100, "they are in hundredths of the unit of positions a second"},
	{0.001, "they are in thousands of the unit of positions a second"},
	{-1, "they have the other sign"},
}

// What is said of velocities whose mistake has no name, if they show no map and if they do.
const (
	strange = "they do not say where targets go"
	askew   = "their axes are turned, or differ in scale, from those of positions"
)

// A fault is what is wrong with measured velocities.
type fault struct {
	why   string
	known bool       // whether it has a name
	exact *mat.Dense // the map from true velocities to measured ones, if that has a name
}

// inverse is the map from measured velocities to true ones, and the logarithm of its determinant,
// by which densities of velocities differ; nil where it is not clear. M is the map from true ones
// to those measured as it was found.
func (f *fault) inverse(m, doubt *mat.Dense) (inverse *mat.Dense, narrower float64) {
	const least = 0.1 // singular value of a map that keeps all axes, of the largest, which is told to a quarter of it
	if f.exact != nil {
		m = f.exact
	} else if m == nil || !likes(m, doubt, m) {
		return nil, 0
	}
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDNone) {
		return nil, 0
	}
	if v := svd.Values(nil); !(v[len(v)-1] > least*v[0]) {
		return nil, 0
	}
	inverse = new(mat.Dense)
	if inverse.Inverse(m) != nil {
		return nil, 0
	}
	inverse.Apply(func(_, _ int, v float64) float64 { return v + 0 }, inverse) // no -0
	narrower, _ = mat.LogDet(inverse)
	return inverse, narrower
}

// mistake is what is wrong with velocities whose map from true ones is m, nil where nobody knows.
func mistake(scans []mtt.Scan, m, doubt *mat.Dense) fault {
	if maxSpeed(scans) == 0 {
		return fault{"they are all 0", true, nil}
	}
	if m == nil {
		return fault{strange, false, nil}
	}
	dim, dt := m.RawMatrix().Rows, interval(scans)
	var want *mat.Dense
	like := func(change func(want *mat.Dense)) bool {
		want = identity(dim)
		change(want)
		return likes(m, doubt, want)
	}
	for d := range dim {
		if like(func(want *mat.Dense) { want.Set(d, d, -1) }) {
			return fault{fmt.Sprintf("v%c has the other sign", 'x'+d), true, want}
		}
		for e := range d {
			for _, sign := range [3][2]float64{{1, 1}, {1, -1}, {-1, 1}} {
				if like(func(want *mat.Dense) {
					want.Set(d, d, 0)
					want.Set(e, e, 0)
					want.Set(d, e, sign[0])
					want.Set(e, d, sign[1])
				}) {
					signs := ""
					if sign != [2]float64{1, 1} {
						signs = ", and one has the other sign"
					}
					return fault{fmt.Sprintf("v%c and v%c are exchanged%s", 'x'+e, 'x'+d, signs), true, want}
				}
			}
		}
	}
	mean := mat.Trace(m) / float64(dim)
	scaled := func(by float64) bool {
		return like(func(want *mat.Dense) { want.Scale(by, want) })
	}
	var found fault
	closest := 0.05 // half of what km/h and miles an hour differ by is more
	for _, u := range append(units[:len(units):len(units)], unit{dt, fmt.Sprintf("they are a frame of %.3g s, not a second", dt)}) {
		if off := math.Abs(mean/u.factor - 1); off < closest && scaled(u.factor) {
			closest = off
			found = fault{fmt.Sprintf("they are %.3g times as large as those of targets, as if %s", mean, u.what), true, want}
		}
	}
	switch {
	case found.known:
		return found
	case mean != 0 && scaled(mean):
		return fault{fmt.Sprintf("they are %.3g times as large as those of targets: their unit is another", mean), false, want}
	}
	return fault{strange, false, nil}
}
