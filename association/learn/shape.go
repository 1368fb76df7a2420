package learn

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mtt"
	"mtt/costgen"
)

// This file learns noise that is not the same along all directions: of a camera along its line of
// sight, of a radar across it, of a microscope along its axis, of blobs that are long.
//
// Problem. One number for the noise lets links along the short axis of the noise be far too long,
// and cuts those along the long one. The likelihood of a motion cannot tell which of the two it is
// that differs by axis, noise or what targets do.
//
// Idea. Moments can. Of detections z of a track at equal intervals, with covariance R, the second
// differences d have the covariances
//
//	C₀ = 6R + ⅔Q + A    C₁ = −4R + ⅙Q + A    C₂ = R + A
//
// zero, one and two steps apart, Q being that of a white acceleration in one interval (a velocity
// that jumps at any time has the same moments) and A that of one that lasts. So
//
//	R = (C₀ − 4C₁ + 3C₂)/25
//
// whatever the two are, and along each axis. Of a random walk, R = −C₁ of first differences.
// Differences farther out than one in a thousand normal ones are left out: they are wrong links,
// and manoeuvres.
//
// Invariant. The noise stays the same along all directions unless the moments say otherwise beyond
// doubt and, once all is learnt anew with detections that tell R, all that was detected is likelier
// by more than three numbers in place of one can buy.
//
// Cost. A pass over the tracks; where R differs by direction, all of learning once or twice more.

// noiseGroups are parts of the tracks, each left out once to tell how sure the noise is.
const noiseGroups = 32

// A scatter are sums of products of differences so many steps apart, of one group of tracks.
type scatter struct {
	sum [3][3][3]float64
	n   [3]float64
}

// differences are the second differences of detections of tracks at equal intervals, first ones of
// a walk, in runs of those that follow one another; a run is dim numbers a difference.
func differences(scans []mtt.Scan, tracks []mtt.Track, dim int, walk bool) (runs [][]float64) {
	const longest = 32 // differences of a run: groups need many
	index, usual := mtt.ByFrame(scans), interval(scans)
	for i := range tracks {
		tr := &tracks[i]
		even := func(h int) bool { // from hit h−1 to hit h
			dt := scans[index[tr.Hits[h].Frame]].Time - scans[index[tr.Hits[h-1].Frame]].Time
			return math.Abs(dt-usual) < 1e-3*usual
		}
		var run []float64
		end := func() {
			if len(run) > 0 {
				runs = append(runs, run)
			}
			run = nil
		}
		for h := 1; h < len(tr.Hits); h++ {
			if !even(h) || len(run) == longest*dim {
				end()
			}
			switch {
			case !even(h):
			case walk:
				for x := range dim {
					run = append(run, tr.At(h)[x]-tr.At(h - 1)[x])
				}
			case h > 1 && even(h-1):
				for x := range dim {
					run = append(run, tr.At(h)[x]-2*tr.At(h - 1)[x]+tr.At(h - 2)[x])
				}
			}
		}
		end()
	}
	return runs
}

// usualSpread says how far out differences lie, squared, by the covariance of all but those that
// lie farther out than one in a thousand normal ones, and how far these do, squared. False where
// the covariance is none.
func usualSpread(runs [][]float64, dim int) (far *squareForm, most float64, ok bool) {
	most = []float64{2: 13.8, 3: 16.3}[dim]       // 0.999 of χ²
	whole := []float64{2: 1.0070, 3: 1.0066}[dim] // the covariance of normal ones over that of those within
	spread := mat.NewSymDense(dim, nil)
	for x := range dim {
		var off []float64
		for _, run := range runs {
			for k := x; k < len(run); k += dim {
				off = append(off, math.Abs(run[k]))
			}
		}
		if len(off) == 0 {
			return nil, 0, false
		}
		s := 1.4826 * median(off)
		if s == 0 { // most are the same: of positions that are rounded
			s = floats.Norm(off, 2) / math.Sqrt(float64(len(off)))
		}
		spread.SetSym(x, x, s*s)
	}
	var last [3][3]float64
	for pass := 0; ; pass++ {
		var factor mat.Cholesky
		inverse := mat.NewSymDense(dim, nil)
		if !factor.Factorize(spread) || factor.Cond() > 1e12 || factor.InverseTo(inverse) != nil {
			return nil, 0, false
		}
		far = newSquareForm(inverse)
		if pass == 10 {
			return far, most, true
		}
		var sum [3][3]float64
		n := 0.0
		for _, run := range runs {
			for ; len(run) > 0; run = run[dim:] {
				if d := run[:dim]; far.of(d) <= most {
					for i, x := range d {
						for j, y := range d {
							sum[i][j] += x * y
						}
					}
					n++
				}
			}
		}
		if pass > 0 && sum == last { // of the same differences
			return far, most, true
		}
		last = sum
		for i := range dim {
			for j := range i + 1 {
				spread.SetSym(i, j, whole/max(n, 1)*sum[i][j])
			}
		}
	}
}

// A squareForm is a symmetric matrix A, for xᵀAx.
type squareForm [3][3]float64

func newSquareForm(a mat.Symmetric) *squareForm {
	var f squareForm
	for i := range a.SymmetricDim() {
		for j := range a.SymmetricDim() {
			f[i][j] = a.At(i, j)
		}
	}
	return &f
}

// of is xᵀAx.
func (f *squareForm) of(x []float64) (sum float64) {
	for i, xi := range x {
		for j, xj := range x {
			sum += f[i][j] * xi * xj
		}
	}
	return sum
}

// noise is [noiseOf] of the tracks of what it learns from, found with levels g, and no less along
// an axis than rounding makes it.
func (l *learner) noise(tracks []mtt.Track, g *costgen.Levels) (cov [6]float64, ok bool) {
	if cov, ok = noiseOf(l.part, tracks, g.Dim, walks(g), LeastNoise(g)); ok {
		least, k := costgen.Rounding(g, tracks, Times(l.part)), -1
		for d := range g.Dim {
			k += d + 1
			cov[k] = max(cov[k], least[d]*least[d])
		}
	}
	return cov, ok
}

// noiseOf is the covariance of detections that tracks speak for; false where they do not tell it
// from one that is the same along all directions, or where it is no larger than least along any, m.
func noiseOf(scans []mtt.Scan, tracks []mtt.Track, dim int, walk bool, least float64) (cov [6]float64, ok bool) {
	runs := differences(scans, tracks, dim, walk)
	far, most, ok := usualSpread(runs, dim)
	if !ok {
		return cov, false
	}
	var groups [noiseGroups]scatter
	for k, run := range runs {
		groups[k%noiseGroups].add(run, dim, far, most)
	}
	var all scatter
	for k := range groups {
		all.plus(&groups[k], 1)
	}
	noise := all.noise(dim, walk)
	var eigen mat.EigenSym
	if !(mat.Trace(noise) > 0) || !eigen.Factorize(noise, true) {
		return cov, false
	}
	var axes mat.Dense
	eigen.VectorsTo(&axes)
	// The jackknife: how much both hang on each group.
	const share = float64(noiseGroups-1) / noiseGroups
	centre := deviation(noise)
	n := centre.Len()
	doubt, errors := mat.NewSymDense(n, nil), make([]float64, dim)
	for k := range groups {
		rest := all
		rest.plus(&groups[k], -1)
		less := rest.noise(dim, walk)
		off := deviation(less)
		off.SubVec(off, centre)
		doubt.SymRankOne(doubt, share, off)
		for x := range dim {
			axis := axes.ColView(x)
			d := mat.Inner(axis, less, axis) - mat.Inner(axis, noise, axis)
			errors[x] += share * d * d
		}
	}
	const beyond = 10 // of Fisher's F: chance exceeds it once in thousands
	var factor mat.Cholesky
	var scaled mat.VecDense
	if !factor.Factorize(doubt) || factor.SolveVecTo(&scaled, centre) != nil ||
		!(mat.Dot(centre, &scaled)/float64(n)*float64(noiseGroups-n)/(noiseGroups-1) > beyond) {
		return cov, false
	}
	values := eigen.Values(nil)
	if values[dim-1] <= least*least {
		return cov, false
	}
	for x := range values { // no axis is known to be more exact than its error allows
		values[x] = max(values[x], math.Sqrt(errors[x]), least*least, 1e-4*values[dim-1])
	}
	k := 0
	for i := range dim {
		for j := range i + 1 {
			for x, v := range values {
				cov[k] += v * axes.At(i, x) * axes.At(j, x)
			}
			k++
		}
	}
	return cov, true
}

// deviation is what a covariance is more than its mean over directions, in units of that: two
// numbers in a plane, five in space. The last diagonal element follows from the others.
func deviation(r *mat.SymDense) *mat.VecDense {
	dim := r.SymmetricDim()
	mean := mat.Trace(r) / float64(dim)
	var v []float64
	for i := range dim {
		for j := range i {
			v = append(v, r.At(i, j)/mean)
		}
		if i < dim-1 {
			v = append(v, r.At(i, i)/mean-1)
		}
	}
	return mat.NewVecDense(len(v), v)
}

// add adds the products of a run, of differences that are not too far out.
func (s *scatter) add(run []float64, dim int, far *squareForm, most float64) {
	n := len(run) / dim
	in := make([]bool, n)
	for k := range n {
		in[k] = far.of(run[k*dim:(k+1)*dim]) <= most
		for lag := 0; lag < 3 && lag <= k; lag++ {
			if !in[k] || !in[k-lag] {
				continue
			}
			s.n[lag]++
			for i := range dim {
				for j := range dim {
					s.sum[lag][i][j] += run[k*dim+i] * run[(k-lag)*dim+j]
				}
			}
		}
	}
}

// plus adds so many times another.
func (s *scatter) plus(other *scatter, times float64) {
	for lag := range s.sum {
		s.n[lag] += times * other.n[lag]
		for i := range 3 {
			for j := range 3 {
				s.sum[lag][i][j] += times * other.sum[lag][i][j]
			}
		}
	}
}

// noise is R.
func (s *scatter) noise(dim int, walk bool) *mat.SymDense {
	weights := [3]float64{1. / 25, -4. / 25, 3. / 25}
	if walk {
		weights = [3]float64{0, -1, 0}
	}
	r := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := range i + 1 {
			v := 0.0
			for lag, w := range weights {
				v += w * (s.sum[lag][i][j] + s.sum[lag][j][i]) / 2 / max(s.n[lag], 1)
			}
			r.SetSym(i, j, v)
		}
	}
	return r
}

// round reports whether nothing could say that noise differs by direction: it is given, detections
// tell their own, or the scene is so large that only parts of it are learnt from.
func (o *Options) round(scans []mtt.Scan) bool {
	if o.Isotropic || o.Levels != nil || o.Cost != nil || o.Sigma > 0 || len(o.Sensors) > 0 || Velocities(scans) || large(scans) {
		return true
	}
	for t := range scans {
		if scans[t].Cov != nil {
			return true
		}
	}
	return false
}

// A teller says what noise detections have to tell by what tracks speak for, of what l has learnt
// with levels g where detections told what before does, nil at first: levels whose Told does. False
// where tracks do not speak for other noise than that.
type teller func(l *learner, tracks []mtt.Track, g, before *costgen.Levels) (told costgen.Levels, ok bool)

// shaped is m, learnt with noise that is the same along all directions, or what is learnt where
// each detection tells the covariance that tracks speak for, if all that was detected is likelier
// then: that of polar sensors at such places, or else one that is the same everywhere.
func shaped(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot, m *Model, places [][]float64) (*Model, error) {
	if m.by == nil || m.Levels == nil {
		return m, nil
	}
	if floored, _ := AtFloor(m.Levels); floored {
		return m, nil
	}
	if places != nil && m.Levels.Shifts == nil {
		if best, err := telling(ctx, scans, opts, run, m, polar(places)); err != nil || best != m {
			return best, err
		}
	}
	if opts.round(scans) {
		return m, nil
	}
	return telling(ctx, scans, opts, run, m, func(l *learner, tracks []mtt.Track, g, before *costgen.Levels) (told costgen.Levels, ok bool) {
		told.Cov, ok = l.noise(tracks, g)
		return told, ok && (before == nil || divergence(before.Cov, told.Cov, g.Dim) >= worth)
	})
}

// telling is m, or what is learnt where detections tell the noise that the teller finds, if all
// that was detected is likelier then.
func telling(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot, m *Model, noise teller) (*Model, error) {
	l := m.by
	tracks, err := l.tracked(ctx)
	if err != nil {
		return nil, err
	}
	told, ok := noise(l, tracks, m.Levels, nil)
	if !ok {
		return m, nil
	}
	round, err := l.evidence(ctx)
	if err != nil {
		return nil, err
	}
	const passes = 3
	best, most := m, round+worth*float64(hits(tracks))
	for range passes {
		next, err := still(ctx, told.Told(m.Levels.Shifts.Without(scans)), opts, run)
		if err != nil {
			return nil, err
		}
		nats, err := next.by.evidence(ctx)
		if err != nil {
			return nil, err
		}
		if !(nats > most) {
			break
		}
		best, most = next.with(m.Levels.Shifts), nats
		best.Levels.Cov, best.Levels.Blur, best.Levels.Polar = told.Cov, told.Blur, told.Polar
		best.Cost, best.Moved, best.Shaped = &costgen.Gaussian{Levels: *best.Levels}, m.Moved, nats-round
		before := told
		if told, ok = noise(next.by, next.by.tracks, next.Levels, &before); !ok {
			break
		}
	}
	return best, nil
}

// divergence is Kullback and Leibler's of a normal density from one of another covariance, nat;
// infinite where one is singular.
func divergence(cov, from [6]float64, dim int) float64 {
	p, q := costgen.Levels{Cov: cov, Dim: dim}, costgen.Levels{Cov: from, Dim: dim}
	var of, base mat.Cholesky
	var ratio mat.Dense
	if !of.Factorize(p.NoiseCov()) || !base.Factorize(q.NoiseCov()) || base.SolveTo(&ratio, p.NoiseCov()) != nil {
		return math.Inf(1)
	}
	return (mat.Trace(&ratio) - float64(dim) + base.LogDet() - of.LogDet()) / 2
}
