package costgen

import (
	"math"
	"slices"

	"mtt"
	"mtt/motion"
)

// This file defines the levels of the Gaussian model, and the prices of ends that
// follow from them.

// Levels are the parameters of a Gaussian model. None may be negative, and ManoeuvreProb
// must be below 1. Accel may be 0 where Sigma and, unless PositionsOnly, SigmaV
// are not. [Fit] estimates those of noise and motion from tracks. Values can be compared
// with ==.
type Levels struct {
	// Noise of the sensor. Where scans tell the covariance of each detection, these
	// are what is typical of them (Typical), and used for reference only.
	Sigma  float64 // m: standard deviation of a measured position, per axis
	SigmaV float64 // m/s: of a measured velocity, per axis

	// Cov is the covariance of a measured position where it was learnt that noise is not the same
	// along all directions, packed as mtt.Scan.Cov has it: m². Told has detections tell it, and
	// Sigma is what is typical of it. All 0: it is the same.
	Cov [6]float64

	// Blur says in which scans noise is larger than Cov, which is then the same along all directions;
	// nil: in none.
	Blur *Blur

	// Polar is the noise along and across the lines of sight of sensors where it was learnt that
	// theirs is such: Told has detections tell it, each where it is, and Sigma is what is typical
	// of it. nil: it is not.
	Polar *Polar

	Motion   motion.Model // how targets move; nil: motion.Velocity{}
	Accel    float64      // root of the spectral density of process noise: m/s^1.5; of motion.Walk m/s^0.5
	SpeedStd float64      // m/s: prior standard deviation of a velocity, per axis; where it is measured, for Ends only; 0 of motion.Walk
	Revert   float64      // 1/s: rate at which velocities fall back to 0, of motion.Reverting
	Sway     float64      // m/s^0.5: root of the spectral density of the walk on top of a velocity, of motion.Swaying
	TurnStd  float64      // rad/s: prior standard deviation of a turn rate, of motion.Turn
	TurnWalk float64      // rad/s^1.5: root of the spectral density of its changes, of motion.Turn

	AccelStd    float64 // m/s²: standard deviation of an acceleration that lasts, per axis, of motion.Singer
	AccelRevert float64 // 1/s: rate at which it falls back to 0, of motion.Singer

	// With probability ManoeuvreProb a target manoeuvres between two detections, and
	// then ManoeuvreAccel takes the place of Accel. 0 leaves manoeuvres out.
	ManoeuvreProb  float64
	ManoeuvreAccel float64 // as Accel
	TailDOF        float64 // degrees of freedom of its distribution, Student's t; 0: motion.DefaultTailDOF

	// Outliers: with probability OutlierProb a measured position has OutlierTimes the usual
	// standard deviation. Prices of links leave them out, as two links in a row tell them from
	// manoeuvres hardly; whole tracks do, as their targets come back.
	OutlierProb  float64
	OutlierTimes float64

	// Jumps: with probability JumpProb a position jumps in a step by JumpStd on each axis, m, and
	// stays there while its velocity goes on. Prices of links leave them out, as these know no
	// velocity from before a jump; whole tracks do.
	JumpProb float64
	JumpStd  float64

	// Bounces: with probability BounceProb the velocity is turned as by a mirror, at some time
	// within a step, and the speed stays. Prices of links take such a step for a manoeuvre, or for
	// two, as they know the velocity of one step only; whole tracks have BounceProb and, in place
	// of ManoeuvreProb, OtherProb, that of other manoeuvres, both 0 where none bounces.
	BounceProb, OtherProb float64

	// Whole are levels that were learnt of whole tracks, with outliers or jumps: refinement and
	// states have them in place of these. nil: they have these.
	Whole *Levels

	Appearance *Appearance // of features; nil leaves them out
	Classes    *Classes    // of what detections are taken for; nil leaves it out
	Sensing    *Sensing    // of several sensors, or of one that does not see everything; nil: one that does
	Confidence *Map        // of a detection, as mtt.Scan.Conf has it → log odds of its being false, relative to all; nil leaves it out
	Places     *Places     // where targets come and go; nil: anywhere
	Echoes     *Echoes     // second detections of targets; nil: there are none
	Shifts     *Shifts     // how the sensor moved; nil: it stood still, or moved on a straight line
	Occlusion  *Occlusion  // of boxes: how often targets behind others are missed; nil: as often as anywhere. Refinement reads it, not Ends
	Lasting    Lasting     // kinds of runs of misses; the zero value: there is one. Refinement reads it, not Ends

	// AlarmSpeed is SpeedStd of false alarms, m/s, where detections tell the covariance of their velocity;
	// 0: SpeedStd.
	AlarmSpeed float64

	SizeStd  float64 // log units, from one frame to the next; 0 leaves sizes out
	Interval float64 // s: the reference interval between frames; 0: 1
	Dim      int     // of the scans, 2 or 3; 0: what they have, and 2 for Ends

	// PositionsOnly leaves measured velocities unread. Without it every scan
	// must have them.
	PositionsOnly bool

	// VelMap, row-major Dim×Dim, makes velocities of measured ones, which may be in another unit or
	// have other axes; all 0: they are as measured.
	VelMap [9]float64

	MaxSpeed float64 // m/s: of the fastest target, for gates only; 0: unknown

	Rates Rates // for Ends only
}

// Rates are the statistics of detections and targets. They make births, deaths,
// misses and false alarms commensurable with links. All but Uneven must be above 0, and
// probabilities below 1: what is impossible has an infinite price.
type Rates struct {
	Detect  float64 // probability that a target is detected in the frame after one in which it was
	Hidden  float64 // probability that a target is missed in the frame after one in which it was; 0: 1−Detect
	Uneven  float64 // variance of the rates at which targets are seen again, relative to the square of their mean: they are Gamma distributed; Hidden is then of the frame after the first miss. 0: all are alike
	Survive float64 // probability that a target is still there one frame later
	Births  float64 // new targets in a frame
	Targets float64 // targets in the first frame
	Clutter float64 // false alarms in a frame
	Volume  float64 // m² or m³: where births and false alarms may lie
}

// MissRun is the price of a link over a run of misses: the negative log
// probability that a detected target survives, is missed so often, and is then
// detected.
func (r *Rates) MissRun(misses int) float64 {
	hidden := r.Again()
	c := -float64(misses+1) * math.Log(r.Survive)
	if misses == 0 {
		return c - math.Log(r.Detect)
	}
	if r.Uneven > 0 {
		return c - math.Log1p(-r.Detect) - math.Log(r.StillMissed(misses-1)-r.StillMissed(misses))
	}
	return c - math.Log1p(-r.Detect) - float64(misses-1)*math.Log(hidden) - math.Log1p(-hidden)
}

// StillMissed is the probability that a target that was missed is missed in so many frames that
// follow, too, as long as it is there. Where rates h at which it is seen are Gamma distributed, the
// mean of exp(−h·n) is a power of n, not of a constant (Lomax).
func (r *Rates) StillMissed(n int) float64 {
	if r.Uneven > 0 {
		return math.Pow(1+(math.Pow(r.Again(), -r.Uneven)-1)*float64(n), -1/r.Uneven)
	}
	return math.Pow(r.Again(), float64(n))
}

// LeftOver is the greatest number of detections that follow nothing in a scan of so many, on average of
// so many scans, which does not surprise: in all of these together three more than false alarms, echoes
// and births, and three standard errors of a Poisson count.
func (m *Levels) LeftOver(detections, scans float64) float64 {
	expected := m.Rates.Clutter + m.Rates.Births
	if m.Echoes != nil {
		expected += m.Echoes.Share * detections
	}
	return expected + 3/scans + 3*math.Sqrt(expected/scans)
}

// Again is Hidden, or what it stands for when it is 0.
func (r *Rates) Again() float64 {
	if r.Hidden == 0 {
		return 1 - r.Detect
	}
	return r.Hidden
}

func (m *Levels) interval() float64 {
	if m.Interval == 0 {
		return 1
	}
	return m.Interval
}

func (m *Levels) dim() int {
	if m.Dim == 0 {
		return 2
	}
	return m.Dim
}

// Params are the parameters of motion and noise for scans of dim dimensions.
func (m *Levels) Params(dim int) *motion.Params {
	return &motion.Params{
		Model: m.Motion, Dim: dim,
		Sigma: m.Sigma, SigmaV: m.SigmaV, PositionsOnly: m.PositionsOnly,
		Accel: m.Accel, SpeedStd: m.SpeedStd, Revert: m.Revert, Sway: m.Sway, TurnStd: m.TurnStd, TurnWalk: m.TurnWalk,
		AccelStd: m.AccelStd, AccelRevert: m.AccelRevert,
		ManoeuvreProb: m.ManoeuvreProb, ManoeuvreAccel: m.ManoeuvreAccel, TailDOF: m.TailDOF,
		OutlierProb: m.OutlierProb, OutlierTimes: m.OutlierTimes, JumpProb: m.JumpProb, JumpStd: m.JumpStd,
	}
}

// TrackParams are Params of whole tracks, which know a bounce from other manoeuvres.
func (m *Levels) TrackParams(dim int) *motion.Params {
	p := m.Params(dim)
	if m.BounceProb > 0 {
		p.BounceProb, p.ManoeuvreProb = m.BounceProb, m.OtherProb
	}
	return p
}

// OfTracks are the levels of whole tracks: Whole, or m where that is nil.
func (m *Levels) OfTracks() *Levels {
	if m.Whole != nil {
		return m.Whole
	}
	return m
}

// Forgets reports whether what the motion has beside a position is forgotten within a step: the
// velocity of [motion.Reverting], which then is a random walk, and the acceleration of
// [motion.Singer], which then does not last.
func (m *Levels) Forgets() bool {
	const forgotten = 3 // e⁻³ of it is left
	switch m.Motion {
	case motion.Model(motion.Reverting{}):
		return m.Revert*m.Interval > forgotten
	case motion.Model(motion.Singer{}):
		return m.AccelRevert*m.Interval > forgotten
	}
	return false
}

// Usual is the log of the probability that a link of a whole track is no manoeuvre, no bounce, no
// outlier and no jump, which prices of links leave out.
func (m *Levels) Usual() float64 {
	turns := m.ManoeuvreProb
	if m.BounceProb > 0 {
		turns = m.OtherProb
	}
	return math.Log1p(-turns) + math.Log1p(-m.BounceProb) + math.Log1p(-m.OutlierProb) + math.Log1p(-m.JumpProb)
}

// Paired reports whether links may cost something by themselves, whatever the motion: Pairs of the model.
func (m *Levels) Paired() bool { return m.SizeStd > 0 || m.Appearance != nil || m.Classes != nil }

// General reports whether the levels ask for the general filter, motion.Full, for such
// scans: detections have covariances of their own, or the motion couples the axes.
func (m *Levels) General(scans ...*mtt.Scan) bool {
	_, curved := m.Motion.(motion.Curved)
	return curved || slices.ContainsFunc(scans, m.told)
}

// told reports whether detections of s have covariances of their own.
func (m *Levels) told(s *mtt.Scan) bool { return s.Cov != nil || s.VelCov != nil && !m.PositionsOnly }

// AnyGeneral is General of a list of scans.
func (m *Levels) AnyGeneral(scans []mtt.Scan) bool {
	return m.General() || slices.ContainsFunc(scans, func(s mtt.Scan) bool { return m.told(&s) })
}

// Triple reports whether of such scans motion.Triple says all that the general filter would.
func (m *Levels) Triple(scans []mtt.Scan) bool {
	return m.Params(max(m.Dim, 2)).Triple() && !slices.ContainsFunc(scans, func(s mtt.Scan) bool { return m.told(&s) })
}

// Wheel reports whether of such scans motion.Wheel says all that the general filter would.
func (m *Levels) Wheel(scans []mtt.Scan) bool {
	return m.Params(max(m.Dim, 2)).Wheel() && !slices.ContainsFunc(scans, func(s mtt.Scan) bool { return s.Dim != 2 || m.told(&s) })
}

// checkScans panics when the levels are not for such scans.
func (m *Levels) checkScans(scans ...*mtt.Scan) {
	for _, s := range scans {
		if m.Dim != 0 && s.Dim != m.Dim {
			panic(badLevels)
		}
		if s.Vel == nil && !m.PositionsOnly {
			panic(noVelocity)
		}
	}
}

// Ends implements [Model]. All prices are negative logarithms of a probability
// (density), relative to that of a target that survives, is detected, and
// continues perfectly:
//
//	Miss  = −log(Survive·(1−Detect)·(1−Hidden)/Detect)   Death = −log(1−Survive)
//	Birth = −log(Births/Volume·f·Detect)  + log(Survive·Detect·N(0; S₀))
//	Clutter = −log(Clutter/Volume·f)         + log(Survive·Detect·N(0; S₀))
//	Again = −log(Survive·Hidden)
//
// First is Birth with Targets in place of Births. f is the typical density of a
// measured velocity, that of N(0, SpeedStd²+SigmaV²) at its entropy; without
// velocities f is 1. Prices of links make up for detections that tell another covariance, and EndsAt for
// AlarmSpeed.
func (m *Levels) Ends() Ends {
	r, dim := m.Rates, float64(m.dim())
	r.Uneven = 0 // Again is a constant
	level := -m.reference() - math.Log(2*math.Pi)
	if !m.PositionsOnly {
		level += math.Log(m.SpeedStd*m.SpeedStd+m.SigmaV*m.SigmaV) + 1
	}
	level = dim/2*level + math.Log(r.Volume) + math.Log(r.Survive)
	return Ends{
		Birth:   level - math.Log(r.Births),
		First:   level - math.Log(r.Targets),
		Death:   -math.Log1p(-r.Survive),
		Miss:    r.MissRun(1) - r.MissRun(0),
		Again:   r.MissRun(2) - r.MissRun(1),
		Clutter: level - math.Log(r.Clutter) + math.Log(r.Detect),
	}
}
