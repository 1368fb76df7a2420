package costgen

import (
	"math"
	"slices"

	"mtt"
	"mtt/motion"
)

// This file computes the likelihood of tracks for given levels.

// A filter runs Kalman filters along tracks. Each innovation is that of a smooth
// step, or that of a manoeuvre, of an outlier or a jump, or, with probability 0.0002, that of a wrong
// link, which leads anywhere within six typical steps. The filter goes on with
// the likeliest of these; after a wrong link it begins afresh.
//
// The covariances of a Kalman filter do not depend on what is measured, only on
// the intervals and on which steps were manoeuvres. So the steps of all tracks
// lead from one covariance to another, each of which is computed once for all tracks
// that pass through it. The filter forgets: what steps lie further back makes ever less
// of a difference, and covariances that agree to 6e-8 are taken for one.
type filter struct {
	paths []path
	hits  int // of all paths
	dim   int
	vel   bool
	wrong float64 // density of the innovation of a wrong link, of velocities without noise
	among float64 // m²/s²: variance per axis of the velocity of a wrong link

	general bool // detections have covariances of their own

	intervals []float64 // the last few that were new
	moves     []move    // smooth steps of the levels, after the first few intervals

	axes  motion.Axes
	wide  motion.Axes // for outliers
	unit  float64     // density of innovation 0 with covariance 1
	tails float64     // the same of a manoeuvre, over unit
	dof   float64     // degrees of freedom of a manoeuvre
	steps []*step     // of which used are in use
	used  int
	after map[[3]uint64]*state // by the leading bits of the covariance
}

// A path is a track, or a part of one, as the filter reads it.
type path struct {
	dt  []float64 // s: from each hit to the next
	pos []float64 // m, row-major (len(dt)+1)×dim
	vel []float64 // m/s, row-major (len(dt)+1)×dim; nil: unread

	hits []mtt.Hit
	scan mtt.Scan // the same as detections of one scan, with their covariances: for other filters
}

// A move is a smooth step of dt seconds.
type move struct {
	dt   float64
	step motion.Step
}

// A state is a covariance after an update, and the steps that have followed.
type state struct {
	p    [3]float64
	next *step // nil: none so far
}

// A step is dt seconds after a state.
type step struct {
	dt           float64
	move         motion.Step // of either branch: what they do not share is its Q
	smooth, turn branch
	wide, off    branch // a smooth step to an outlier; a jump
	sibling      *step  // that follows the same state after another interval
}

// A branch is one way to take a step.
type branch struct {
	form  [3]float64 // coefficients of the quadratic form, as in mixture
	peak  float64    // probability times density of innovation 0
	ahead [3]float64 // covariance before the update
	gain  [2][2]float64
	after *state // the update; nil: it and gain are not known, as of most branches nobody asks
	own   state  // after, unless one that is as good was known
}

// add appends hits lo…hi−1 of a track.
func (f *filter) add(t *mtt.Track, lo, hi int, time func(frame int) float64) {
	p := path{pos: t.Pos[lo*f.dim : hi*f.dim], hits: t.Hits[lo:hi]}
	if f.vel {
		p.vel = t.Vel[lo*f.dim : hi*f.dim]
	}
	p.scan = mtt.Scan{Dim: f.dim, Pos: p.pos, Vel: p.vel}
	if w := mtt.Packed(f.dim); t.Cov != nil {
		p.scan.Cov = t.Cov[lo*w : hi*w]
	}
	if w := mtt.Packed(f.dim); t.VelCov != nil && f.vel {
		p.scan.VelCov = t.VelCov[lo*w : hi*w]
	}
	f.general = f.general || p.scan.Cov != nil || p.scan.VelCov != nil
	for h := lo + 1; h < hi; h++ {
		p.dt = append(p.dt, f.interval(time(t.Hits[h].Frame)-time(t.Hits[h-1].Frame)))
	}
	f.paths = append(f.paths, p)
	f.hits += hi - lo
}

// interval is dt, or one met before that differs by rounding only: steps after unequal
// intervals share no node.
func (f *filter) interval(dt float64) float64 {
	for _, known := range f.intervals {
		if math.Abs(dt-known) <= 1e-9*known {
			return known
		}
	}
	if len(f.intervals) == distinct { // there are too many to share much
		f.intervals = slices.Delete(f.intervals, 0, 1)
	}
	f.intervals = append(f.intervals, dt)
	return dt
}

// usable reports whether all numbers are finite and time goes on.
func (f *filter) usable() bool {
	for _, t := range f.paths {
		for _, dt := range t.dt {
			if !(dt > 0) {
				return false
			}
		}
		for _, numbers := range [][]float64{t.dt, t.pos, t.vel} {
			for _, x := range numbers {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return false
				}
			}
		}
	}
	return true
}

// scale returns the root mean square displacement per axis from one hit to the
// next, and the mean interval.
func (f *filter) scale() (length, interval float64) {
	var sum, time float64
	var links int
	for _, t := range f.paths {
		links += len(t.dt)
		for h, dt := range t.dt {
			time += dt
			for n := range f.dim {
				d := t.pos[(h+1)*f.dim+n] - t.pos[h*f.dim+n]
				sum += d * d
			}
		}
	}
	return math.Sqrt(sum / float64(links*f.dim)), time / float64(links)
}

// width is the number of dimensions of an innovation.
func (f *filter) width() int {
	if f.vel {
		return 2 * f.dim
	}
	return f.dim
}

// cost is the negative log likelihood of all paths.
func (f *filter) cost(m *Levels) float64 {
	params := m.Params(f.dim)
	params.PositionsOnly = !f.vel
	likelihood := product{factor: 1}
	switch {
	case !f.general && params.Triple():
		follow(f, &likelihood, motion.NewTriple(params), params)
		return -likelihood.log()
	case !f.general && params.Wheel():
		follow(f, &likelihood, motion.NewWheel(params), params)
		return -likelihood.log()
	case f.general || m.General():
		follow(f, &likelihood, motion.NewFull(params), params)
		return -likelihood.log()
	}
	f.used, f.moves = 0, f.moves[:0]
	clear(f.after)
	f.axes.Reset(params)
	if params.OutlierProb > 0 {
		far := *params
		far.Sigma *= far.OutlierTimes
		f.wide.Reset(&far)
	}
	f.unit = math.Pow(2*math.Pi, -float64(f.width())/2)
	f.dof = params.Tail()
	f.tails = math.Exp(motion.TailPeak(f.dof, float64(f.width())))
	begin := &state{p: [3]float64{m.Sigma * m.Sigma, 0, m.SpeedStd * m.SpeedStd}}
	if f.vel {
		begin.p[2] = m.SigmaV * m.SigmaV
	}
	for n := range f.paths {
		f.run(&likelihood, params, begin, &f.paths[n])
	}
	return -likelihood.log()
}

// follow is run of all paths with another filter.
func follow[S, E any](f *filter, likelihood *product, by motion.Filter[S, E], p *motion.Params) {
	far := by.Wide()
	for n := range f.paths {
		followPath(f, likelihood, by, far, p, &f.paths[n])
	}
}

// followPath is follow of one path; far is the filter of outliers.
func followPath[S, E any](f *filter, likelihood *product, by, far motion.Filter[S, E], p *motion.Params, t *path) {
	var s, wild, jumped S
	outlier, jump := math.Log(p.OutlierProb/(1-p.OutlierProb)), math.Log(p.JumpProb/(1-p.JumpProb))
	usual := math.Log1p(-p.ManoeuvreProb) + math.Log1p(-p.OutlierProb) + math.Log1p(-p.JumpProb)
	by.Start(&s, &t.scan, 0)
	mixture := by.Mixture()
	for h, dt := range t.dt {
		wild, jumped = s, s
		by.Predict(&s, dt, motion.Smooth)
		fit := by.Innovation(&s, &t.scan, h+1)
		level := usual - (fit.D2+fit.Base)/2
		smooth, turn, wide, off := math.Exp(level), 0.0, 0.0, 0.0
		if far != nil {
			x := far.Innovation(&s, &t.scan, h+1)
			wide = math.Exp(usual + outlier - (x.D2+x.Base)/2)
		}
		if mixture.Any() {
			by.Predict(&wild, dt, motion.Manoeuvre)
			turn = math.Exp(level + mixture.Gain(fit, by.Innovation(&wild, &t.scan, h+1)))
		}
		if p.JumpProb > 0 {
			by.Predict(&jumped, dt, motion.Jump)
			x := by.Innovation(&jumped, &t.scan, h+1)
			off = math.Exp(usual + jump - (x.D2+x.Base)/2)
		}
		wrong := f.wrong
		if c := t.scan.VelCovAt(h + 1); c != nil {
			wrong *= math.Exp((float64(f.dim)*math.Log(f.among) - logDet(f.among, c)) / 2)
		}
		likelihood.times(smooth + turn + wide + off + wrong)
		switch {
		case wrong > max(smooth, turn, wide, off):
			by.Start(&s, &t.scan, h+1)
			continue
		case off > max(smooth, turn, wide):
			s = jumped
		case wide > max(smooth, turn):
			far.Update(&s, &t.scan, h+1)
			continue
		case turn > smooth:
			s = wild
		}
		by.Update(&s, &t.scan, h+1)
	}
}

// run multiplies likelihood by that of one path.
func (f *filter) run(likelihood *product, p *motion.Params, begin *state, t *path) {
	dim, width := f.dim, f.width()
	var x, v [3]float64
	copy(x[:dim], t.pos)
	if f.vel {
		copy(v[:dim], t.vel)
	}
	from := begin
	for h, dt := range t.dt {
		s := from.next
		for n := 1; n < siblings && s != nil && s.dt != dt; n++ {
			s = s.sibling
		}
		if s == nil || s.dt != dt {
			s = f.grow(p, from, dt)
		}
		z := t.pos[(h+1)*dim:][:dim]
		var w []float64
		if f.vel {
			w = t.vel[(h+1)*dim:][:dim]
		}
		var d, e [3]float64    // innovation
		var pp, pv, vv float64 // its products
		for n := range dim {
			x[n] += s.move.A * v[n]
			v[n] *= s.move.B
			d[n] = z[n] - x[n]
			pp += d[n] * d[n]
			if f.vel {
				e[n] = w[n] - v[n]
				pv += d[n] * e[n]
				vv += e[n] * e[n]
			}
		}
		at := &s.smooth
		smooth := at.peak * exp(-at.form[0]*pp-at.form[1]*pv-at.form[2]*vv)
		turn := 0.0
		if b := &s.turn; b.peak > 0 {
			turn = b.peak * tail(1+b.form[0]*pp+b.form[1]*pv+b.form[2]*vv, f.dof, width)
		}
		wide := 0.0
		if b := &s.wide; b.peak > 0 {
			wide = b.peak * exp(-b.form[0]*pp-b.form[1]*pv-b.form[2]*vv)
		}
		off := 0.0
		if b := &s.off; b.peak > 0 {
			off = b.peak * exp(-b.form[0]*pp-b.form[1]*pv-b.form[2]*vv)
		}
		likelihood.times(smooth + turn + wide + off + f.wrong)
		if wrong := f.wrong; wrong > smooth && wrong > turn && wrong > wide && wrong > off { // the built-in max is slow
			from = begin
			copy(x[:dim], z)
			v = [3]float64{}
			copy(v[:dim], w)
			continue
		}
		switch {
		case off > smooth && off > turn && off > wide:
			at = &s.off
		case wide > smooth && wide > turn:
			at = &s.wide
		case turn > smooth:
			at = &s.turn
		}
		if from = at.after; from == nil {
			axes := &f.axes
			if at == &s.wide {
				axes = &f.wide
			}
			from = f.take(at, axes)
		}
		for n := range dim {
			x[n] += at.gain[0][0]*d[n] + at.gain[0][1]*e[n]
			v[n] += at.gain[1][0]*d[n] + at.gain[1][1]*e[n]
		}
	}
}

// siblings is the number of steps after a branch that are looked through: one
// for each interval where now and then a frame is missed, and not too many
// where no two intervals are equal.
const siblings = 4

// distinct intervals are told apart; where there are as many, hardly any two are equal.
const distinct = 4 * siblings

// grow adds the step that follows a state after dt seconds.
func (f *filter) grow(p *motion.Params, from *state, dt float64) *step {
	if f.used == len(f.steps) {
		f.steps = append(f.steps, new(step))
	}
	s := f.steps[f.used]
	f.used++
	s.dt, s.sibling, s.move = dt, from.next, f.smooth(p, dt)
	ahead, usual := f.axes.Spread(from.p, dt, motion.Smooth), (1-p.OutlierProb)*(1-p.JumpProb)
	f.set(&s.smooth, &f.axes, ahead, usual*(1-p.ManoeuvreProb))
	s.turn.peak, s.wide.peak, s.off.peak = 0, 0, 0
	if p.OutlierProb > 0 {
		f.set(&s.wide, &f.wide, ahead, (1-p.JumpProb)*p.OutlierProb*(1-p.ManoeuvreProb))
	}
	if p.JumpProb > 0 {
		f.set(&s.off, &f.axes, f.axes.Spread(from.p, dt, motion.Jump), (1-p.OutlierProb)*p.JumpProb*(1-p.ManoeuvreProb))
	}
	if p.ManoeuvreProb > 0 {
		f.set(&s.turn, &f.axes, f.axes.Spread(from.p, dt, motion.Manoeuvre), usual*p.ManoeuvreProb*f.tails)
		for n := range s.turn.form {
			s.turn.form[n] *= 2 / tailScale(f.dof)
		}
	}
	from.next = s
	return s
}

// smooth is the smooth step of dt seconds.
func (f *filter) smooth(p *motion.Params, dt float64) motion.Step {
	for k := range f.moves {
		if f.moves[k].dt == dt {
			return f.moves[k].step
		}
	}
	s := p.Step(dt, motion.Smooth)
	if len(f.moves) < siblings {
		f.moves = append(f.moves, move{dt, s})
	}
	return s
}

// set makes the branch of a predicted covariance, to a detection as axes have it, but for what
// [filter.take] makes; scale multiplies its density.
func (f *filter) set(b *branch, axes *motion.Axes, p [3]float64, scale float64) {
	s, _ := axes.Innovated(p)
	inv, det := invert(s, !f.vel)
	b.form = [3]float64{inv[0] / 2, inv[1], inv[2] / 2}
	b.peak, b.ahead, b.after = f.peak(scale, det), p, nil
}

// take makes the gain of a branch and what is after it. Where hardly any two intervals are equal
// nothing could follow a covariance twice, and none is looked for.
func (f *filter) take(b *branch, axes *motion.Axes) *state {
	const rest = 28 // bits of a number, of 52: 6e-8 of it
	b.own.next, b.after = nil, &b.own
	b.gain, b.own.p = axes.Gain(b.ahead)
	if len(f.intervals) < distinct {
		var leading [3]uint64
		for n, x := range b.own.p {
			leading[n] = math.Float64bits(x) >> rest
		}
		if known := f.after[leading]; known != nil {
			b.after = known
		} else {
			f.after[leading] = b.after
		}
	}
	return b.after
}

// peak is the density of innovation 0 for the determinant of an axis.
func (f *filter) peak(scale, det float64) float64 {
	switch f.dim {
	case 1:
		det = math.Sqrt(det)
	case 3:
		det *= math.Sqrt(det)
	}
	return scale * f.unit / det // det^dim/2
}

// A product multiplies many positive numbers and takes few logarithms.
type product struct{ factor, logs float64 }

// times multiplies by x, which is within 1e±200.
func (p *product) times(x float64) {
	p.factor *= x
	if p.factor < 1e-100 || p.factor > 1e100 {
		p.logs += math.Log(p.factor)
		p.factor = 1
	}
}

// log is the logarithm of the product.
func (p *product) log() float64 { return p.logs + math.Log(p.factor) }
