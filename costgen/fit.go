package costgen

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"mtt"
	"mtt/motion"
)

// This file estimates the levels of a Gaussian model from tracks.

// Fit estimates the levels of m that are 0, of noise (Sigma, SigmaV), of its motion
// (Accel; Revert of motion.Reverting, TurnStd and TurnWalk of motion.Turn, AccelStd and AccelRevert
// of motion.Singer) and, where Accel and ManoeuvreProb both are 0, of manoeuvres, the degrees of
// freedom of their tails included, and leaves the others alone. Tracks hold measured positions;
// velocities are used where all tracks have them and m is not PositionsOnly. Where tracks
// tell covariances of their detections, Sigma and SigmaV become what is typical of these ([Typical]).
// time says when a frame was, in s, ascending.
//
// The estimate is the most likely one, the likelihood being that of a Kalman filter along each
// track with an allowance for a few wrong links. It is sought by the method of Nelder and Mead [1]
// over the logarithms of the levels, and stops at a thousandth of what targets move in an interval,
// and noise at the error of rounding ([Rounding]). Manoeuvres become part of the model where they
// add 0.02 to the log likelihood of each hit. A SpeedStd of 0 becomes the root mean square
// displacement per axis over the mean interval; that of motion.Reverting without manoeuvres, where
// velocities are not measured, follows from its other levels, as its velocity is stationary, and
// motion.Walk has none.
//
// Long data are thinned to 3000 hits, a quarter of that where the general filter is
// needed. 2500 hits take some 10 ms, or 60 ms with manoeuvres (BenchmarkFit), and tell a
// level to a few per cent (TestFit).
//
// Fit reports whether there was enough to go by: at least one track of three
// hits, with finite numbers at ascending times. If not it leaves m alone. It
// keeps nothing.
//
// [1] Nelder, Mead. A simplex method for function minimization. The Computer
// Journal 7(4), 1965.
func Fit(m *Levels, tracks []mtt.Track, time func(frame int) float64) bool {
	return fitTurning(m, tracks, time, rarest, Worth)
}

// FitRare is Fit with manoeuvres however rare they are and however little they add: for who
// decides otherwise whether they are worth it. Tracks that were found without manoeuvres often
// break at them.
func FitRare(m *Levels, tracks []mtt.Track, time func(frame int) float64) bool {
	return fitTurning(m, tracks, time, 0, 0)
}

// fitTurning is Fit with manoeuvres that have at least a probability and add at least so much
// for each hit.
func fitTurning(m *Levels, tracks []mtt.Track, time func(frame int) float64, rarest, worth float64) bool {
	turns := m.Accel == 0 && m.ManoeuvreProb == 0
	s := fit(m, tracks, time)
	if s != nil && turns {
		s.manoeuvres(rarest, worth)
	}
	return s != nil
}

// FitSmooth is Fit without manoeuvres.
func FitSmooth(m *Levels, tracks []mtt.Track, time func(frame int) float64) bool {
	return fit(m, tracks, time) != nil
}

// fit estimates levels but those of manoeuvres, and returns the search; nil where there
// was nothing to go by.
func fit(m *Levels, tracks []mtt.Track, time func(frame int) float64) *search {
	hits := enough
	if m.General() || len(tracks) > 0 && tracks[0].Cov != nil {
		hits /= 4
	}
	s := newSearch(m, tracks, time, hits)
	if s == nil {
		return nil
	}
	told := *m
	walks := m.motion() == motion.Model(motion.Walk{})
	switch {
	case walks:
		m.SpeedStd = 0
		s.accel = s.length / math.Sqrt(s.length/s.speed)
	case m.SpeedStd == 0:
		m.SpeedStd = s.speed
	}
	if s.general {
		s.typical(tracks)
	}
	if m.Sigma == 0 {
		s.free(&m.Sigma, 0.1*s.length)
		s.rounded(func(p *path) []float64 { return p.pos })
	}
	if s.vel && m.SigmaV == 0 {
		s.free(&m.SigmaV, 0.1*s.speed)
		s.rounded(func(p *path) []float64 { return p.vel })
	}
	if m.Accel == 0 {
		start := 0.1 * s.accel
		if walks {
			start = s.accel / 2
		}
		s.free(&m.Accel, start)
	}
	interval := s.length / s.speed
	switch m.motion() {
	case motion.Model(motion.Reverting{}):
		if m.Revert == 0 {
			s.free(&m.Revert, 0.3/interval)
		}
	case motion.Model(motion.Swaying{}):
		if m.Sway == 0 {
			s.free(&m.Sway, 0.1*s.length/math.Sqrt(interval))
		}
	case motion.Model(motion.Turn{}):
		if m.TurnStd == 0 {
			s.free(&m.TurnStd, 0.1/interval)
		}
		if m.TurnWalk == 0 {
			s.free(&m.TurnWalk, 0.03/interval/math.Sqrt(interval))
		}
	case motion.Model(motion.Singer{}):
		if m.AccelStd == 0 {
			s.free(&m.AccelStd, 0.03*s.speed/interval)
		}
		if m.AccelRevert == 0 {
			s.free(&m.AccelRevert, 0.1/interval)
		}
	}
	if len(s.level) > 0 {
		s.run()
	}
	s.blur(&told)
	return s
}

// blur gives the motion of turns more noise than it may have. Curves are taken for lines, so what the
// first steps of a track have wrong would stay where a filter is as sure as nearly constant rates have
// it. What was told stays.
func (s *search) blur(told *Levels) {
	const walk, accel = 0.1, 0.3
	m, root := s.levels, math.Sqrt(s.length/s.speed) // of the interval
	if m.motion() != motion.Model(motion.Turn{}) {
		return
	}
	if told.TurnWalk == 0 {
		m.TurnWalk = max(m.TurnWalk, walk*m.TurnStd/root)
	}
	if told.Accel == 0 {
		m.Accel = max(m.Accel, accel*m.Sigma/(root*root*root))
	}
}

// motion is the motion, never nil.
func (m *Levels) motion() motion.Model {
	if m.Motion == nil {
		return motion.Velocity{}
	}
	return m.Motion
}

// Likelihood is the log likelihood of tracks under m, each given its first hit, as [Fit]
// maximises it but in 1500 hits at most, and the number of hits that it took into
// account: the same for all levels of a given dimension, so that motions can be compared.
// It is NaN where there is nothing to go by.
func Likelihood(m *Levels, tracks []mtt.Track, time func(frame int) float64) (nats float64, hits int) {
	s := newSearch(m, tracks, time, enough/2)
	if s == nil {
		return math.NaN(), 0
	}
	return -s.cost(m), s.hits
}

// typical sets the levels of noise to what is typical of what tracks tell.
func (s *search) typical(tracks []mtt.Track) {
	var position, velocity Typical
	for i := range tracks {
		position.Add(s.dim, tracks[i].Cov)
		velocity.Add(s.dim, tracks[i].VelCov)
	}
	if v := position.Sigma(); v > 0 {
		s.levels.Sigma = v
	}
	if v := velocity.SigmaV(); v > 0 && s.vel {
		s.levels.SigmaV = v
	}
}

// Typical is what is typical of covariances that detections tell.
type Typical struct{ variance, information, n float64 }

// Add adds packed covariances of dim rows.
func (t *Typical) Add(dim int, covs []float64) {
	n := mtt.Packed(dim) // 0 of a scan without detections
	for c := covs; len(c) > 0; c = c[n:] {
		sum, minors, det := c[0]+c[2], c[0]+c[2], c[0]*c[2]-c[1]*c[1]
		if dim == 3 {
			sum += c[5]
			minors = det + c[0]*c[5] - c[3]*c[3] + c[2]*c[5] - c[4]*c[4]
			det = c[5]*det - c[0]*c[4]*c[4] - c[2]*c[3]*c[3] + 2*c[1]*c[3]*c[4]
		}
		t.variance, t.information, t.n = t.variance+sum, t.information+minors/det, t.n+float64(dim)
	}
}

// Sigma is the root mean square of the standard deviations, 0 where there are none.
func (t *Typical) Sigma() float64 { return math.Sqrt(t.variance / max(t.n, 1)) }

// SigmaV is the standard deviation whose information, the inverse of its square, is the mean of
// theirs: a range rate leaves the velocity open along all directions but one, and what it leaves
// open must not count. 0 where there are none.
func (t *Typical) SigmaV() float64 {
	if t.n == 0 {
		return 0
	}
	return math.Sqrt(t.n / t.information)
}

// Worth is the log likelihood for each hit that manoeuvres must add to be part of the model, and
// another motion to be taken.
const Worth = 0.02

const (
	enough     = 3000  // hits that tell the levels
	wrongLinks = 2e-4  // probability of a wrong link
	rarest     = 0.002 // probability of a manoeuvre that is worth a model

	// tiny keeps levels positive where nothing moves.
	tiny = 1e-9
)

// A search looks for the most likely levels.
type search struct {
	*filter
	levels *Levels
	level  []*float64 // those that are free
	least  []float64  // where they stop
	more   []float64  // what rounding adds to them, root of the sum of squares
	turns  bool       // whether manoeuvres are free too
	noise  func()     // makes the covariances of the paths follow the levels; nil: they do not depend on them

	length, speed, accel float64 // m, m/s, m/s^1.5: what is typical of the tracks
}

// newSearch returns a search without free levels, nil when there is nothing to
// go by.
func newSearch(m *Levels, tracks []mtt.Track, time func(frame int) float64, most int) *search {
	f := gather(m, tracks, time, most)
	if f.hits == 0 || !f.usable() {
		return nil
	}
	f.measured()
	length, interval := f.scale()
	s := &search{filter: f, levels: m}
	s.length = max(length, tiny)
	s.speed = max(length/interval, tiny)
	s.accel = s.speed / math.Sqrt(interval)
	f.wrong = wrongLinks / math.Pow(12*s.length, float64(f.dim))
	if f.vel {
		f.wrong /= math.Pow(12*s.speed, float64(f.dim))
		f.among = 144 * s.speed * s.speed / (2 * math.Pi * math.E) // of as much entropy
	}
	return s
}

// Hits is the number of hits of tracks that [Fit] goes by where the general filter is not needed.
func Hits(tracks []mtt.Track) (hits int) {
	for i := range tracks {
		if n := len(tracks[i].Hits); n >= 3 {
			hits += n
		}
	}
	return min(hits, enough)
}

// CurvedHits is the number of hits of tracks that [Fit] goes by where motions are curved.
func CurvedHits(tracks []mtt.Track) int { return min(Hits(tracks), enough/4) }

// gather collects what Fit goes by: the tracks of three hits and more, or, where there are more
// than most hits, stretches of a hundred evenly chosen among all. An axis along which no detection
// of any differs, as of positions on a line, tells nothing of noise: there it would be 0, and the
// level, one for all axes, too small.
func gather(m *Levels, tracks []mtt.Track, time func(frame int) float64, most int) *filter {
	f := &filter{vel: !m.PositionsOnly, after: make(map[[3]uint64]*state)}
	total := 0
	for i := range tracks {
		if t := &tracks[i]; len(t.Hits) >= 3 {
			f.dim = t.Dim
			f.vel = f.vel && t.Vel != nil
			total += len(t.Hits)
		}
	}
	if !m.General() && !slices.ContainsFunc(tracks, func(t mtt.Track) bool { return t.Cov != nil || t.VelCov != nil }) {
		if axes := varying(tracks, f); len(axes) < f.dim {
			tracks, f.dim = Along(tracks, axes), len(axes)
		}
	}
	stretch := total
	if total > most {
		stretch = 100
	}
	seen := 0
	for i := range tracks {
		t := &tracks[i]
		for lo := 0; lo+3 <= len(t.Hits); lo += stretch {
			hi := min(lo+stretch, len(t.Hits))
			seen += hi - lo
			if f.hits*total < seen*min(most, total) {
				f.add(t, lo, hi, time)
			}
		}
	}
	return f
}

// varying are the axes along which detections of the tracks of three hits and more differ; all
// where there is none.
func varying(tracks []mtt.Track, f *filter) (axes []int) {
	differs := func(values func(t *mtt.Track) []float64, axis int) bool {
		var first *float64
		for i := range tracks {
			if len(tracks[i].Hits) < 3 {
				continue
			}
			of := values(&tracks[i])
			for k := axis; k < len(of); k += f.dim {
				if first == nil {
					first = &of[k]
				} else if of[k] != *first {
					return true
				}
			}
		}
		return false
	}
	for axis := range f.dim {
		if differs(func(t *mtt.Track) []float64 { return t.Pos }, axis) || f.vel && differs(func(t *mtt.Track) []float64 { return t.Vel }, axis) {
			axes = append(axes, axis)
		}
	}
	if axes == nil {
		for axis := range f.dim {
			axes = append(axes, axis)
		}
	}
	return axes
}

// Along are tracks by some of their axes, without covariances.
func Along(tracks []mtt.Track, axes []int) []mtt.Track {
	pick := func(of []float64, dim int) (picked []float64) {
		for ; len(of) > 0; of = of[dim:] {
			for _, axis := range axes {
				picked = append(picked, of[axis])
			}
		}
		return picked
	}
	list := make([]mtt.Track, len(tracks))
	for i := range tracks {
		t := &tracks[i]
		list[i] = mtt.Track{ID: t.ID, Dim: len(axes), Hits: t.Hits, Pos: pick(t.Pos, t.Dim), Vel: pick(t.Vel, t.Dim)}
	}
	return list
}

// free lets the search change a level, from start.
func (s *search) free(level *float64, start float64) {
	*level = max(start, tiny)
	s.level = append(s.level, level)
	s.least = append(s.least, *level/100)
	s.more = append(s.more, 0)
}

// rounded adds the error of rounding to the level that was freed last, of rows of paths, in the
// root mean square over the axes.
func (s *search) rounded(rows func(p *path) []float64) {
	axes, last := s.rounding(rows), len(s.level)-1
	s.more[last] = floats.Norm(axes[:s.dim], 2) / math.Sqrt(float64(s.dim))
	*s.level[last] = max(*s.level[last], s.more[last])
}

// run searches from where the levels are, and leaves them where the cost is
// least.
func (s *search) run() {
	x := make([]float64, len(s.level))
	for i, level := range s.level {
		more := s.more[i]
		x[i] = math.Log(max(math.Sqrt(max(*level**level-more*more, 0)), s.least[i]))
	}
	problem := optimize.Problem{Func: func(x []float64) float64 {
		s.set(x)
		return s.cost(s.levels)
	}}
	result, _ := optimize.Minimize(problem, x, &optimize.Settings{
		FuncEvaluations: 60 * len(x),
		Converger:       &optimize.FunctionConverge{Absolute: 2e-5 * float64(s.hits), Iterations: 8 * len(x)},
	}, &optimize.NelderMead{SimplexSize: 0.7})
	s.set(result.X)
}

// set sets the levels to the exponentials of x, within bounds.
func (s *search) set(x []float64) {
	for i, level := range s.level {
		*level = math.Hypot(max(math.Exp(x[i]), s.least[i]), s.more[i])
	}
	if m := s.levels; s.turns {
		m.ManoeuvreProb = min(m.ManoeuvreProb, 0.9)
		m.ManoeuvreAccel = max(m.ManoeuvreAccel, m.Accel)
	}
	if m := s.levels; m.OutlierProb > 0 {
		m.OutlierProb = min(m.OutlierProb, 0.3) // else it is the others that are few
		m.OutlierTimes = max(m.OutlierTimes, 1)
	}
	if m := s.levels; m.JumpProb > 0 {
		m.JumpProb = min(m.JumpProb, 0.3)
	}
	if m := s.levels; !s.vel && m.motion() == motion.Model(motion.Reverting{}) && m.ManoeuvreProb == 0 && m.Revert > 0 {
		m.SpeedStd = m.Accel / math.Sqrt(2*m.Revert)
	}
	if s.noise != nil {
		s.noise()
	}
}

// manoeuvres adds manoeuvres to the model if they are worth it.
func (s *search) manoeuvres(rarest, worth float64) {
	m := s.levels
	without := s.cost(m)
	plain, start, least := *m, *m, without
	try := func(accel, turnAccel, turns float64) {
		l := plain
		l.Accel, l.ManoeuvreAccel, l.ManoeuvreProb = accel, turnAccel, turns
		if c := s.cost(&l); c < least {
			start, least = l, c
		}
	}
	for _, p := range probes {
		try(p.accel*plain.Accel, p.turnAccel*plain.Accel, p.turns)
	}
	for _, share := range []float64{0.3, 1, 3} { // bounces: what a target turns round with
		try(plain.Accel, share*s.accel, 0.02)
		if rarest == 0 { // one in ten targets, once
			try(plain.Accel, share*s.accel, 0.002)
		}
	}
	if start == plain {
		return // no need for a search
	}
	*m = start
	s.free(&m.ManoeuvreAccel, m.ManoeuvreAccel)
	s.free(&m.ManoeuvreProb, m.ManoeuvreProb)
	s.turns = true
	s.run()
	if m.TailDOF == 0 {
		s.tails()
	}
	if m.ManoeuvreProb < rarest || without-s.cost(m) < worth*float64(s.hits) {
		*m = plain
	}
}

// tails finds the degrees of freedom of manoeuvres, up a ladder from the default as long
// as the likelihood grows. Heavier tails than the default are not for targets: a pilot's
// wrong links look like them.
func (s *search) tails() {
	m := s.levels
	best, least := *m, s.cost(m)
	for _, dof := range ladder {
		*m = best
		m.TailDOF = dof
		s.run()
		c := s.cost(m)
		if c >= least {
			break
		}
		best, least = *m, c
	}
	*m = best
}

// ladder are the degrees of freedom of tails that are tried, after the default.
var ladder = [...]float64{6, 10, 20, math.Inf(1)}

// TailSearches is in how many searches [Fit] finds out that manoeuvres have such tails.
func (m *Levels) TailSearches() int {
	return min(slices.Index(ladder[:], m.TailDOF)+2, len(ladder))
}

// probes are where a search for manoeuvres may begin: rare ones much above a
// plain model's Accel, and frequent ones that share it out. Where none of them
// is likelier than the plain model, no search has found manoeuvres worth their
// while (simulated scenes, pedestrians, ships).
var probes = []struct{ accel, turnAccel, turns float64 }{
	{1, 3, 0.02}, {1, 10, 0.02}, {1, 30, 0.02},
	{0.7, 1.75, 0.3}, {0.3, 1.5, 0.3}, {0.1, 2, 0.3},
}
