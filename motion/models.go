package motion

import (
	"fmt"
	"math"
)

// This file defines what a motion is, and lists those that are built in.

// A Model is a kind of motion. Its axes are alike and independent (a [Curved] one
// excepted); on each the state is (position, velocity). Values must be comparable
// with ==; the parameters are in [Params].
type Model interface {
	// Name is the word for it in options and files.
	Name() string

	// Step is what happens in dt seconds, dt > 0, when the root of the process
	// noise's spectral density is noise.
	Step(p *Params, dt, noise float64) Step
}

// A Step is one step of a motion along an axis: position and velocity become
//
//	x + A·v,   B·v
//
// and gain the covariance Q.
type Step struct {
	A, B float64
	Q    [3]float64 // elements 00, 01, 11
}

// Params are the parameters of a motion and of the noise of measurements. What a
// model does not use is 0. Values can be compared with ==.
type Params struct {
	Model Model // nil: Velocity{}
	Dim   int   // of space, 2 or 3

	// The sensor, where scans do not tell covariances themselves.
	Sigma         float64 // m: standard deviation of a measured position, per axis
	SigmaV        float64 // m/s: of a measured velocity, per axis
	PositionsOnly bool    // velocities are not measured, or not read

	// The motion.
	Accel    float64 // root of the process noise's spectral density: m/s^1.5, of Walk m/s^0.5
	SpeedStd float64 // m/s: prior standard deviation of a velocity, per axis; of Walk 0
	Revert   float64 // 1/s: rate at which a velocity falls back to 0, of Reverting
	Sway     float64 // m/s^0.5: root of the spectral density of the walk on top of a velocity, of Swaying
	TurnStd  float64 // rad/s: standard deviation of a turn rate before it is seen, of Turn
	TurnWalk float64 // rad/s^1.5: root of the spectral density of its changes, of Turn

	AccelStd    float64 // m/s²: standard deviation of an acceleration that lasts, per axis, of Singer
	AccelRevert float64 // 1/s: rate at which it falls back to 0, of Singer

	// Manoeuvres: with this probability the process noise of a step has the root
	// spectral density ManoeuvreAccel, and tails of Student's t with TailDOF
	// degrees of freedom.
	ManoeuvreProb  float64
	ManoeuvreAccel float64
	TailDOF        float64 // 0: DefaultTailDOF; +Inf: Gaussian

	// Outliers: with this probability a measured position has OutlierTimes the usual
	// standard deviation, whoever says what that is. Those that go on with a track read
	// it, see [Runner].
	OutlierProb  float64
	OutlierTimes float64

	// Jumps: with this probability the position jumps in a step that is smooth otherwise, by
	// JumpStd on each axis, and stays there. The velocity goes on, but is known no better than by
	// SpeedStd: one that a jump was taken for, as in the first step, would make all steps that
	// follow jumps. Those that go on with a track read it, see [Runner].
	JumpProb float64
	JumpStd  float64 // m: standard deviation

	// Bounces: with this probability a mirror turns the velocity at some time within a step, and
	// the speed stays. Those that go on with a track read it, see [Runner], unless they need the
	// filter [Full] or [Triple].
	BounceProb float64
}

// DefaultTailDOF stands for a TailDOF of 0.
const DefaultTailDOF = 4

// Kinds of step.
const (
	Smooth    = 0
	Manoeuvre = 1
	Outlier   = 2 // a smooth step, to a detection that is one
	Jump      = 3
	Bounce    = 4 // for who does not know of mirrors a manoeuvre
)

// model is the model, never nil.
func (p *Params) model() Model {
	if p.Model == nil {
		return Velocity{}
	}
	return p.Model
}

// Name is the name of the motion.
func (p *Params) Name() string { return p.model().Name() }

// Step is a step of dt seconds of the given kind.
func (p *Params) Step(dt float64, kind int) Step {
	noise, position, velocity := p.of(kind)
	s := p.model().Step(p, dt, noise)
	s.Q[0] += position
	s.Q[2] += velocity
	return s
}

// of is the root of the spectral density of the process noise of a step of a kind, and what it adds to
// the variances of position and velocity.
func (p *Params) of(kind int) (noise, position, velocity float64) {
	switch kind {
	case Manoeuvre, Bounce:
		return p.ManoeuvreAccel, 0, 0
	case Jump:
		return p.Accel, p.JumpStd * p.JumpStd, p.SpeedStd * p.SpeedStd
	}
	return p.Accel, 0, 0
}

// Tail is the number of degrees of freedom of a manoeuvre's distribution.
func (p *Params) Tail() float64 {
	if p.TailDOF == 0 {
		return DefaultTailDOF
	}
	return p.TailDOF
}

// models are the motions that the command knows by name.
var models = []Model{Velocity{}, Walk{}, Reverting{}, Swaying{}, Turn{}, Singer{}}

// Models lists the motions that are built in; the first is the default.
func Models() []Model { return append([]Model(nil), models...) }

// Named is the built-in motion of a name.
func Named(name string) (Model, error) {
	for _, m := range models {
		if m.Name() == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("motion: no motion is called %q", name)
}

// Velocity is nearly constant velocity: white noise is what accelerates a target
// (Bar-Shalom, Li and Kirubarajan 2001, section 6.2.2).
type Velocity struct{}

// Name implements [Model].
func (Velocity) Name() string { return "velocity" }

// Step implements [Model].
func (Velocity) Step(_ *Params, dt, noise float64) Step {
	q := noise * noise
	return Step{A: dt, B: 1, Q: [3]float64{q * dt * dt * dt / 3, q * dt * dt / 2, q * dt}}
}

// Walk is a random walk, or Brownian motion: white noise is the velocity itself, and
// where a target goes next has nothing to do with where it came from. SpeedStd must
// be 0, and velocities are not read. Its diffusion coefficient is Accel²/2.
type Walk struct{}

// Name implements [Model].
func (Walk) Name() string { return "walk" }

// Step implements [Model].
func (Walk) Step(_ *Params, dt, noise float64) Step {
	return Step{B: 1, Q: [3]float64{noise * noise * dt}}
}

// Reverting is a velocity that falls back to zero at the rate Revert while white
// noise keeps it going: an Ornstein-Uhlenbeck process, whose integral is the position
// (Uhlenbeck and Ornstein 1930). For rates far below 1/dt it is Velocity, far above
// Walk. With θ = Revert, a = (1−e^{−θdt})/θ and q = Accel²
//
//	A = a,  B = e^{−θdt},  Q₁₁ = q(1−B²)/2θ,  Q₀₁ = q·a²/2,  Q₀₀ = q(dt − a − θa²/2)/θ².
type Reverting struct{}

// Name implements [Model].
func (Reverting) Name() string { return "reverting" }

// Step implements [Model].
func (Reverting) Step(p *Params, dt, noise float64) Step {
	theta, q := p.Revert, noise*noise
	u := theta * dt
	if u < 1e-8 {
		return Velocity{}.Step(p, dt, noise)
	}
	e := -math.Expm1(-u) // 1 − B
	a := e / theta
	// dt − a − θa²/2 loses digits for small u: it is dt·(u²/3 − u³/4 + …).
	rest := dt - a - theta*a*a/2
	if u < 0.01 {
		rest = dt * u * u * (1./3 - u*(1./4-u*(7./60-u*(1./24-u*31./2520))))
	}
	return Step{A: a, B: math.Exp(-u), Q: [3]float64{q * rest / (theta * theta), q * a * a / 2, q * e * (2 - e) / (2 * theta)}}
}

// Swaying is nearly constant velocity with a random walk on top of it: one white noise accelerates
// the target, another, independent of it, moves it, so that to the covariance of Velocity comes
//
//	Q₀₀ + Sway²·dt.
//
// So does what is seen of a target by a detector whose errors last: errors of standard deviation s
// that are forgotten at the rate r wander by 2rs²·dt while dt is well below 1/r. Filters that know
// white noise only take that for acceleration, and lose the velocity (Bar-Shalom, Li and
// Kirubarajan 2001, section 8.2).
type Swaying struct{}

// Name implements [Model].
func (Swaying) Name() string { return "swaying" }

// Step implements [Model].
func (Swaying) Step(p *Params, dt, noise float64) Step {
	s := Velocity{}.Step(p, dt, noise)
	s.Q[0] += p.Sway * p.Sway * dt
	return s
}

// Turn is a coordinated turn in the plane (in space, about the vertical): speed and
// turn rate stay nearly what they are (Bar-Shalom, Li and Kirubarajan 2001, section 11.7). It is
// nonlinear; [Full] predicts it by the cubature rule.
type Turn struct{}

// Name implements [Model].
func (Turn) Name() string { return "turn" }

// Step implements [Model]: that of a target whose turn rate is not known, and 0 in the mean.
func (Turn) Step(p *Params, dt, noise float64) Step { return Velocity{}.Step(p, dt, noise) }

// A Curved model is one whose axes are not independent: its state is longer, and its
// transition depends on it.
type Curved interface {
	Model

	// States is the number of elements of a state: Dim positions, Dim velocities,
	// then those of its own.
	States(p *Params) int

	// Move sets x to the state dt seconds later, without noise, and f, row-major
	// States×States, to its derivative by the state before; nil: nobody asks for it. dt may be negative.
	Move(p *Params, x, f []float64, dt float64)

	// Noise adds the covariance that dt seconds bring to q, row-major
	// States×States; what of it concerns position and velocity is that of Step.
	Noise(p *Params, q []float64, dt float64)

	// Prior sets variance to those of the elements of its own before anything is seen.
	Prior(p *Params, variance []float64)
}

// States implements [Curved].
func (Turn) States(p *Params) int { return 2*p.Dim + 1 }

// Prior implements [Curved].
func (Turn) Prior(p *Params, variance []float64) { variance[0] = p.TurnStd * p.TurnStd }

// Noise implements [Curved].
func (Turn) Noise(p *Params, q []float64, dt float64) {
	q[len(q)-1] += p.TurnWalk * p.TurnWalk * math.Abs(dt)
}

// A turning is s, c, a and b of [Turn.Move].
type turning struct {
	s, c, a, b float64
	series     bool // a and b are by theirs
}

// turned is that of dt seconds at the rate w.
func turned(w, dt float64) (t turning) {
	angle := w * dt
	t.s, t.c = math.Sincos(angle)
	if t.series = math.Abs(angle) < 1e-4; t.series { // the terms left out are below 1e-16 of those kept
		t.a, t.b = dt*(1-angle*angle/6), dt*angle/2*(1-angle*angle/12)
	} else {
		t.a, t.b = t.s/w, (1-t.c)/w
	}
	return t
}

// Move implements [Curved]. With s and c the sine and cosine of ω·dt, a = s/ω and
// b = (1−c)/ω,
//
//	x' = x + a·vx − b·vy,   vx' = c·vx − s·vy,
//	y' = y + b·vx + a·vy,   vy' = s·vx + c·vy.
func (Turn) Move(p *Params, x, f []float64, dt float64) {
	d := p.Dim
	n := 2*d + 1
	w := x[n-1]
	t := turned(w, dt)
	s, c, a, b := t.s, t.c, t.a, t.b
	vx, vy := x[d], x[d+1]
	if f != nil {
		angle := w * dt
		da, db := -dt*dt*angle/3, dt*dt/2*(1-angle*angle/4) // derivatives by ω
		if !t.series {
			da, db = (dt*c-a)/w, (dt*s-b)/w
		}
		clear(f)
		for k := range n {
			f[k*n+k] = 1
		}
		set := func(row, col int, v float64) { f[row*n+col] = v }
		set(0, d, a)
		set(0, d+1, -b)
		set(1, d, b)
		set(1, d+1, a)
		set(d, d, c)
		set(d, d+1, -s)
		set(d+1, d, s)
		set(d+1, d+1, c)
		set(0, n-1, da*vx-db*vy)
		set(1, n-1, db*vx+da*vy)
		set(d, n-1, -dt*(s*vx+c*vy))
		set(d+1, n-1, dt*(c*vx-s*vy))
		if d == 3 {
			set(2, 5, dt)
		}
	}
	x[0] += a*vx - b*vy
	x[1] += b*vx + a*vy
	x[d], x[d+1] = c*vx-s*vy, s*vx+c*vy
	if d == 3 {
		x[2] += dt * x[5]
	}
}
