package motion

import (
	"math"

	"mtt"
)

// This file says what a filter does, whichever it is.

// A Filter runs forward and backward along tracks. S is what it keeps of the
// detections before a time, the filtered state; E what it keeps of those from a time
// on, their information about the state at that time: up to a factor that does not
// depend on the state x their joint density is exp(−½ xᵀLx + hᵀx).
//
// Scans must be those that the filter was made for. A filter keeps what it has
// computed and is not safe for concurrent use; Fork makes another. States and
// information are plain values: assignment copies them.
type Filter[S, E any] interface {
	// Start sets dst to the state after the first detection of a track.
	Start(dst *S, s *mtt.Scan, i int)

	// First is the negative log density of the measured velocity of a detection
	// that nothing else is known of; 0 where velocities are not read.
	First(s *mtt.Scan, i int) float64

	// Predict moves a state by dt seconds in a step of a kind, Smooth or Manoeuvre.
	Predict(s *S, dt float64, kind int)

	// Innovation says how well detection i of b fits a predicted state.
	Innovation(s *S, b *mtt.Scan, i int) Fit

	// Update conditions a predicted state on detection i of b.
	Update(s *S, b *mtt.Scan, i int)

	// Observe adds detection i of s to the information about its time.
	Observe(e *E, s *mtt.Scan, i int)

	// Retreat moves information back by dt seconds in a step of a kind.
	Retreat(e *E, dt float64, kind int)

	// Join says how well information goes on from a state predicted for its time.
	// Less half of Open it is the log likelihood ratio of one target to two.
	Join(s *S, e *E) Fit

	// Peak is no more than D2 + Base of Join with any state that has the covariance of s; nil: with
	// any state at all.
	Peak(s *S, e *E) float64

	// Rest is no more than by how much D2 + Base of Join with any state is more than that of the
	// Innovation of the first detection of e; −Inf: nobody knows.
	Rest(e *E) float64

	// Open is −2·log of the same for a target that is born at the time of e: its
	// position uniform with density 1, its velocity that of the prior.
	Open(e *E) float64

	// Ratio is the negative log of the largest value that the likelihood ratio of
	// detections to come could have, of going on from a predicted state over
	// belonging to a target that is born. Where the state tells less about the
	// velocity than the prior there is no such bound, and the position counts alone.
	Ratio(s *S) float64

	// Bounce sets dst to what s becomes in a step of dt seconds in which it bounces, for Update
	// with detection i of b, and says how well that fits. It is false where s cannot get there so.
	Bounce(dst, s *S, dt float64, b *mtt.Scan, i int) (Fit, bool)

	// BounceOnto is Join of s after such a step of dt seconds to the first detection of e, which
	// was observed last.
	BounceOnto(s *S, dt float64, e *E) (Fit, bool)

	// BouncePeak is no more than D2 + Base of BounceOnto of any state.
	BouncePeak(e *E) float64

	// Rebound is Retreat over a step of dt seconds in which the target of detection i of b, at its
	// beginning, bounces. It is false, and leaves e alone, where e does not tell how.
	Rebound(e *E, dt float64, b *mtt.Scan, i int) bool

	// Estimate sets dst to the mean and covariance of position and velocity given a
	// state, and, unless e is nil, information about the same time of what follows
	// that the state does not hold.
	Estimate(dst *Estimate, s *S, e *E)

	// SmoothTrack replaces the filtered states of a track, in order of time, by its smoothed ones.
	// Step k leads from state k to state k+1: it takes dt[k] seconds and is of kind kind[k], or
	// Smooth where kind is nil. Detection k of measured is that of state k, where seen says that
	// there is one: a curved motion is filtered again.
	SmoothTrack(s []S, dt []float64, kind []int, measured *mtt.Scan, seen func(k int) bool)

	// Position is the mean of position and velocity, and the variance of the position
	// in the direction where it is largest.
	Position(s *S) (x, v [3]float64, variance float64)

	// Noise is the variance of the measured position of detection i of s in the
	// direction where it is largest.
	Noise(s *mtt.Scan, i int) float64

	// LikeState and LikeInformation say whether two are the same but for that share of standard
	// deviations and covariances.
	LikeState(a, b *S, share float64) bool
	LikeInformation(a, b *E, share float64) bool

	// Mixture prices a step that may be smooth or a manoeuvre.
	Mixture() *Mixture

	// Wide is a filter like this one where all positions are outliers; nil where none is.
	Wide() Filter[S, E]

	// Fork makes a filter like this one for another goroutine.
	Fork() Filter[S, E]
}

// A Fit says how well something fits a state: −2·log of its density is D2 + Base,
// D2 being the squared Mahalanobis distance.
type Fit struct{ D2, Base float64 }

// A Mixture prices steps: smooth ones, or, with a small probability, manoeuvres
// with tails.
type Mixture struct {
	Odds float64 // log of a manoeuvre's probability over a smooth step's, peaks included; −Inf: there are none
	tail float64 // degrees of freedom
	dim  float64 // of an innovation
}

func newMixture(p *Params, dim float64) Mixture {
	m := Mixture{Odds: math.Inf(-1), tail: p.Tail(), dim: dim}
	if p.ManoeuvreProb > 0 {
		m.Odds = math.Log(p.ManoeuvreProb/(1-p.ManoeuvreProb)) + TailPeak(m.tail, dim)
	}
	return m
}

// Any reports whether there are manoeuvres at all.
func (m *Mixture) Any() bool { return m.Odds > math.Inf(-1) }

// Gain is the log of a manoeuvre's likelihood over a smooth step's, odds included.
func (m *Mixture) Gain(calm, wild Fit) float64 {
	return (calm.D2+calm.Base-Tail(m.tail, wild.D2, m.dim)-wild.Base)/2 + m.Odds
}

// Price is the negative log density of the mixture of a smooth step and a manoeuvre;
// its common factor 1−ManoeuvreProb is left out, as it is in package costgen.
func (m *Mixture) Price(calm, wild Fit) float64 {
	c := (calm.D2 + calm.Base) / 2
	if !m.Any() {
		return c
	}
	gain := m.Gain(calm, wild)
	if gain < 30 {
		gain = math.Log1p(math.Exp(gain))
	}
	return c - gain
}

// An Estimate is what is known of a target at a time.
type Estimate struct {
	Dim int
	X   [6]float64  // m, m/s: Dim positions, then Dim velocities
	P   [21]float64 // its covariance, packed: element (r, c), c ≤ r, is P[r(r+1)/2+c]
}

// Cov is element (r, c) of the covariance.
func (e *Estimate) Cov(r, c int) float64 { return e.P[packed(r, c)] }

// packed is the place of element (r, c) of a packed matrix.
func packed(r, c int) int {
	if r < c {
		r, c = c, r
	}
	return r*(r+1)/2 + c
}

// Same is the share of a standard deviation, or of a covariance, below which a
// difference is none for all purposes: it changes a price by hardly a hundredth.
const Same = 1e-3

// near reports whether a is b but for a share of it.
func near(a, b, share float64) bool { return math.Abs(a-b) <= share*math.Abs(b) }

// A steps remembers the steps that were asked for, each where its interval hashes to.
type steps [5][32]struct {
	dt   float64
	step Step
}

// of is the step of dt seconds of a kind.
func (m *steps) of(p *Params, dt float64, kind int) *Step {
	known := &m[kind][hash(dt)>>59]
	if known.dt != dt || dt == 0 { // a step of no time is what was never asked for looks like
		known.dt, known.step = dt, p.Step(dt, kind)
	}
	return &known.step
}

// logs are logarithms that were asked for, each where its argument hashes to.
// Covariances depend on when targets were detected, not on where, so the same
// determinants come again and again.
type logs [128]struct{ x, log float64 }

// of is the logarithm of x.
func (l *logs) of(x float64) float64 {
	known := &l[hash(x)>>57]
	if x != known.x || x == 0 {
		known.x, known.log = x, math.Log(x)
	}
	return known.log
}

// hash spreads the bits of x; the upper ones are best.
func hash(x float64) uint64 { return math.Float64bits(x) * 0x9e3779b97f4a7c15 } // 2⁶⁴ over the golden ratio
