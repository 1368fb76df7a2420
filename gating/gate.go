package gating

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"mtt"
)

// This file defines the gates and the one rule that all of them come down to.

// A Gate says which detections of a later scan can follow a detection. [Ball], [Disc]
// and [Mahalanobis] are gates; a gate of one's own implements these two methods, and is
// a pointer or can otherwise be compared with ==.
type Gate interface {
	fmt.Stringer

	// Between is the gate between the scans a and b, b later than a. It may be
	// called, and its Region used, from several goroutines at once. An error wraps
	// ErrGate.
	Between(a, b *mtt.Scan) (Region, error)
}

// A Region is a gate between two scans.
type Region interface {
	// Around is a ball, z = 0 in the plane, outside of which no detection can follow
	// detection i; a radius of 0 lets none follow.
	Around(i int) (centre [3]float64, radius float64)

	// Accepts says whether detection j of the later scan, inside the ball, can follow
	// i, and how far-fetched that is: of crowded rows the pairs of the smallest
	// statistics stay. Of detections j that are equal in all that the scan reports, one may be asked for all.
	Accepts(i, j int) (statistic float64, ok bool)
}

// A Bounded region bounds its statistics by distance, so that a crowd need not be looked at pair by pair.
type Bounded interface {
	Region

	// Least is a lower bound of the statistics of all pairs whose squared distance, from the centre
	// of Around to the position of the later detection, is at least d2, m². It is asked of scans
	// without covariances, and Accepts then depends on positions and velocities only.
	Least(d2 float64) float64
}

// A Renewer is a gate that makes a region in place of one that nobody needs any more: where scans
// are of a detection or two, new ones are most of the work.
type Renewer interface {
	Gate

	// Renew is Between. The old region, of any gate, may become the new one; nil: there is none.
	Renew(old Region, a, b *mtt.Scan) (Region, error)
}

// A sized gate is one of this package: a rule, and a size that can be changed.
type sized interface {
	Gate

	// rule specialises the gate to the detections of b as seen from those of a. The old region, if
	// there is one, is not needed any more.
	rule(a, b *mtt.Scan, old Region) (rule, error)

	// size is the parameter that makes the gate larger, the one that
	// Check changes when it looks for a gate that fits.
	size() float64
	resize(v float64) Gate

	// critical is the size from which on a pair is inside: the pair with the
	// given statistic is accepted when critical < size. speed is that of the
	// row, in m/s.
	critical(r *rule, statistic, speed float64) float64
}

// sizedOf is g, or what makes a gate of somebody else's look like one of this package's
// whose size nobody can change.
func sizedOf(g Gate) sized {
	if s, ok := g.(sized); ok {
		return s
	}
	return foreign{g}
}

type foreign struct{ Gate }

func (g foreign) rule(a, b *mtt.Scan, old Region) (rule, error) {
	var region Region
	var err error
	if r, ok := g.Gate.(Renewer); ok {
		region, err = r.Renew(old, a, b)
	} else {
		region, err = g.Between(a, b)
	}
	return rule{wPos: 1, limit: noLimit, region: region}, err
}
func (g foreign) size() float64       { return 1 }
func (g foreign) resize(float64) Gate { return g.Gate }
func (g foreign) critical(r *rule, statistic, _ float64) float64 {
	if math.IsInf(statistic, 1) { // not accepted
		return 1
	}
	return 0
}

// between is the Region of a gate of this package.
func between(g sized, a, b *mtt.Scan) (Region, error) {
	r, err := newRule(a, b, g, nil)
	if err != nil {
		return nil, err
	}
	return &region{r, a, b}, nil
}

type region struct {
	rule
	a, b *mtt.Scan
}

// Around implements [Region].
func (r *region) Around(i int) (centre [3]float64, radius float64) {
	return r.centre(r.a, i), r.radius(r.a, i)
}

// Accepts implements [Region].
func (r *region) Accepts(i, j int) (statistic float64, ok bool) {
	statistic = r.statistic(r.centre(r.a, i), r.a, r.b, i, j)
	return statistic, statistic < r.limitOf(r.radius(r.a, i))
}

// A rule is a gate for one pair of scans. The gate of row i is centred on
// z_i + lead·v_i and accepts j when its statistic
//
//	s = wPos·|p|² + wVel·|w − slope·p|²,   p = z_j − (z_i + lead·v_i),   w = v_j − v_i,
//
// is less than limit. Both terms are non-negative, so p alone bounds the
// search: nothing outside the row's radius, reach + stretch·|v_i|, can pass.
type rule struct {
	lead       float64 // s
	reach      float64 // m
	stretch    float64 // s
	wPos, wVel float64
	slope      float64 // 1/s: the w expected of a p
	limit      float64 // of the statistic; noLimit: the row's radius, squared
	region     Region  // in place of all that, of a gate that is not of this package
}

const noLimit = -1

// newRule specialises g to a and b, b later than a. An old region, nil where there is none, is not
// needed any more.
func newRule(a, b *mtt.Scan, g Gate, old Region) (rule, error) {
	if a.Len() > 0 && b.Len() > 0 && a.Dim != b.Dim {
		panic("gating: scans differ in dimension")
	}
	dt := b.Time - a.Time
	if !(dt > 0) || math.IsInf(dt, 0) {
		return rule{}, fmt.Errorf("gating: frame %d at %v s is not later than frame %d at %v s: %w; scans out of order, or two with one time stamp",
			b.Frame, b.Time, a.Frame, a.Time, ErrTime)
	}
	if s, ok := g.(sized); ok {
		return s.rule(a, b, old)
	}
	return foreign{g}.rule(a, b, old) // not by sizedOf, whose interface takes memory for each pair of scans
}

// centre is the centre of the gate of row i, z = 0 in the plane.
func (r *rule) centre(a *mtt.Scan, i int) [3]float64 {
	if r.region != nil {
		c, _ := r.region.Around(i)
		return c
	}
	c := vector(a.At(i))
	if r.lead > 0 {
		v := vector(a.VelAt(i))
		for d := range c {
			c[d] += float64(r.lead * v[d])
		}
	}
	return c
}

// radius is the radius of row i, m.
func (r *rule) radius(a *mtt.Scan, i int) float64 {
	if r.region != nil {
		_, radius := r.region.Around(i)
		return radius
	}
	if r.stretch == 0 {
		return r.reach
	}
	return r.reach + float64(r.stretch*speed(a, i))
}

// limitOf is the limit of a row with the given radius.
func (r *rule) limitOf(radius float64) float64 {
	if r.limit == noLimit {
		return radius * radius
	}
	return r.limit
}

// statistic is that of the pair i, j; centre is that of row i.
func (r *rule) statistic(centre [3]float64, a, b *mtt.Scan, i, j int) float64 {
	return r.upTo(math.Inf(1), centre, a, b, i, j)
}

// upTo is statistic, or, where that is above most, something that is, too: velocities are left
// unread where positions say so.
func (r *rule) upTo(most float64, centre [3]float64, a, b *mtt.Scan, i, j int) float64 {
	if r.region != nil {
		c, radius := r.region.Around(i)
		p := vector(b.At(j))
		if squares(p[0]-c[0], p[1]-c[1], p[2]-c[2]) < radius*radius {
			if s, ok := r.region.Accepts(i, j); ok {
				return s
			}
		}
		return math.Inf(1)
	}
	p := vector(b.At(j))
	for d := range p {
		p[d] -= centre[d]
	}
	s := r.wPos * squares(p[0], p[1], p[2])
	if r.wVel > 0 && s <= most { // what velocities add is at least 0
		w := vector(b.VelAt(j))
		var v [3]float64
		if a.Vel != nil {
			v = vector(a.VelAt(i))
		}
		for d := range w {
			w[d] -= v[d] + float64(r.slope*p[d])
		}
		s += float64(r.wVel * squares(w[0], w[1], w[2]))
	}
	return s
}

// moving keeps, in place, those of hits whose statistic, velocities being judged, is below limit.
func (r *rule) moving(hits []int32, centre [3]float64, a, b *mtt.Scan, i int, limit float64) []int32 {
	kept := hits[:0]
	if b.Dim != 2 || a.Vel == nil {
		for _, j := range hits {
			if r.statistic(centre, a, b, i, int(j)) < limit {
				kept = append(kept, j)
			}
		}
		return kept
	}
	// The same in the plane, without a look at which velocities there are.
	x, y, u, v := centre[0], centre[1], a.Vel[2*i], a.Vel[2*i+1]
	for _, j := range hits {
		px, py := b.Pos[2*j]-x, b.Pos[2*j+1]-y
		wx, wy := b.Vel[2*j]-(u+float64(r.slope*px)), b.Vel[2*j+1]-(v+float64(r.slope*py))
		if r.wPos*squares(px, py, 0)+float64(r.wVel*squares(wx, wy, 0)) < limit {
			kept = append(kept, j)
		}
	}
	return kept
}

// vector is x with a third coordinate, 0 in the plane.
func vector(x []float64) [3]float64 {
	v := [3]float64{x[0], x[1]}
	if len(x) == 3 {
		v[2] = x[2]
	}
	return v
}

// speed is the measured speed of detection i, m/s; 0 when not measured.
func speed(s *mtt.Scan, i int) float64 {
	if s.Vel == nil {
		return 0
	}
	v := vector(s.VelAt(i))
	return math.Sqrt(squares(v[0], v[1], v[2]))
}

// Errors of gates that do not suit their data.
var (
	ErrGate      = errors.New("unusable gate")
	ErrTime      = errors.New("time does not ascend")
	ErrNotFinite = errors.New("not a usable number")
)

// A Ball accepts |z_j − z_i| < Radius, at any time difference.
type Ball struct {
	Radius float64 // m; 0 accepts nothing
}

// Between implements [Gate].
func (g Ball) Between(a, b *mtt.Scan) (Region, error) { return between(g, a, b) }

func (g Ball) rule(a, b *mtt.Scan, _ Region) (rule, error) {
	if !nonNegative(g.Radius) {
		return rule{}, fmt.Errorf("gating: %w: Ball.Radius is %v, want a length of at least 0", ErrGate, g.Radius)
	}
	return rule{reach: g.Radius, wPos: 1, limit: noLimit}, nil
}

func (g Ball) size() float64         { return g.Radius }
func (g Ball) resize(v float64) Gate { g.Radius = v; return g }
func (g Ball) String() string        { return "ball:" + format(g.Radius) }
func (g Ball) critical(_ *rule, statistic, _ float64) float64 {
	return math.Sqrt(statistic)
}

// A Disc accepts what a target can reach at its speed: |z_j − z_i| < R with
//
//	R = |v_i|·dt·Epsilon + Margin,
//
// the gate of Kawtikwar and Nagi (2023, Algorithm 2) widened by a margin for the
// noise of the two positions. |v_i| is the measured speed; when velocities are
// not measured, or are too noisy to size a gate, MaxSpeed takes its place for
// every detection.
//
// Without a margin a disc loses true pairs: at Epsilon 1 half of them, because
// a target that flies straight on lands on the rim. A margin of 4·√2·σ, with σ
// the standard deviation of a position's coordinates, is enough for any
// Epsilon ≥ 1 that is honest about the speed.
type Disc struct {
	Epsilon  float64 // factor on the distance; 0 means 5, or 1 with MaxSpeed
	Margin   float64 // m, added to the radius; 0 means none
	MaxSpeed float64 // m/s, replaces every measured speed; 0 means the measured speed
}

// Between implements [Gate].
func (g Disc) Between(a, b *mtt.Scan) (Region, error) { return between(g, a, b) }

func (g Disc) rule(a, b *mtt.Scan, _ Region) (rule, error) {
	switch {
	case !nonNegative(g.Epsilon):
		return rule{}, fmt.Errorf("gating: %w: Disc.Epsilon is %v, want a factor above 0", ErrGate, g.Epsilon)
	case !nonNegative(g.Margin):
		return rule{}, fmt.Errorf("gating: %w: Disc.Margin is %v, want a length of at least 0", ErrGate, g.Margin)
	case !nonNegative(g.MaxSpeed):
		return rule{}, fmt.Errorf("gating: %w: Disc.MaxSpeed is %v, want a speed above 0", ErrGate, g.MaxSpeed)
	}
	r := rule{reach: g.Margin, wPos: 1, limit: noLimit}
	horizon := (b.Time - a.Time) * g.size()
	switch {
	case g.MaxSpeed > 0:
		r.reach += g.MaxSpeed * horizon
	case a.Vel != nil || a.Len() == 0:
		r.stretch = horizon
	default:
		return rule{}, fmt.Errorf("gating: %w: frame %d has no velocities, so Disc needs MaxSpeed", ErrGate, a.Frame)
	}
	return r, nil
}

func (g Disc) size() float64 {
	switch {
	case g.Epsilon > 0:
		return g.Epsilon
	case g.MaxSpeed > 0:
		return 1
	}
	return 5
}

func (g Disc) resize(v float64) Gate { g.Epsilon = v; return g }

func (g Disc) String() string {
	s := "disc:" + format(g.size())
	if g.MaxSpeed > 0 {
		s += " speed " + format(g.MaxSpeed)
	}
	if g.Margin > 0 {
		s += " margin " + format(g.Margin)
	}
	return s
}

func (g Disc) critical(r *rule, statistic, speed float64) float64 {
	// The radius is Margin + unit·Epsilon.
	unit := r.stretch * speed / g.size()
	if g.MaxSpeed > 0 {
		unit = (r.reach - g.Margin) / g.size()
	}
	d := math.Sqrt(statistic) - g.Margin
	if unit > 0 {
		return d / unit
	}
	if d < 0 {
		return math.Inf(-1)
	}
	return math.Inf(1)
}

// A Mahalanobis gate accepts what a target of nearly constant velocity can
// reach, judged by the innovation of position and velocity: for each axis
//
//	ν = [z_j − z_i − dt·v_i ; v_j − v_i],   S = F·P·Fᵀ + Q + R,
//	F = [1 dt; 0 1],   P = R = diag(Sigma², SigmaV²),   Q = Noise²·[dt³/3 dt²/2; dt²/2 dt],
//
// and j is accepted when Σ νᵀ·S⁻¹·ν over the axes is less than G (Bar-Shalom,
// Li and Kirubarajan 2001, §6.2 for Q). Where velocities are not measured in
// scan a, their prior is Gaussian with mean 0 and standard deviation SpeedStd
// for each axis; where they are not measured in scan b, only the position is
// judged.
//
// For a target that obeys the model the sum has a χ² distribution with [DOF]
// degrees of freedom, so the gate loses a true pair with probability
// TailProb(G, DOF(a, b)): the default, 25, loses 5·10⁻⁵ of them in the plane
// with velocities and 3.7·10⁻⁶ without.
type Mahalanobis struct {
	G        float64 // threshold, no unit; 0 means 25
	Sigma    float64 // m, standard deviation of a measured position's coordinates
	SigmaV   float64 // m/s, the same of a measured velocity
	Noise    float64 // m/s^1.5, square root of the acceleration's spectral density; 0 means straight flight
	SpeedStd float64 // m/s, standard deviation of the unknown velocity's coordinates
}

// Between implements [Gate].
func (g Mahalanobis) Between(a, b *mtt.Scan) (Region, error) { return between(g, a, b) }

func (g Mahalanobis) rule(a, b *mtt.Scan, _ Region) (rule, error) {
	for _, f := range [...]struct {
		name  string
		value float64
	}{{"G", g.G}, {"Sigma", g.Sigma}, {"SigmaV", g.SigmaV}, {"Noise", g.Noise}, {"SpeedStd", g.SpeedStd}} {
		if !nonNegative(f.value) {
			return rule{}, fmt.Errorf("gating: %w: Mahalanobis.%s is %v, want a finite number of at least 0", ErrGate, f.name, f.value)
		}
	}
	dt := b.Time - a.Time
	q := g.Noise * g.Noise
	pv := g.SpeedStd * g.SpeedStd
	var r rule
	if a.Vel != nil {
		pv = g.SigmaV * g.SigmaV
		r.lead = dt
	} else if g.SpeedStd == 0 && a.Len() > 0 {
		return rule{}, fmt.Errorf("gating: %w: frame %d has no velocities, so Mahalanobis needs SpeedStd", ErrGate, a.Frame)
	}
	s11 := 2*g.Sigma*g.Sigma + pv*dt*dt + q*dt*dt*dt/3
	r.wPos = 1 / s11
	if !(s11 > 0) || math.IsInf(r.wPos, 0) || math.IsInf(s11, 0) {
		return rule{}, fmt.Errorf("gating: %w: %v s ahead the position has variance %v; Mahalanobis.Sigma must be above 0", ErrGate, dt, s11)
	}
	if b.Vel != nil {
		// S⁻¹ by elimination: νᵀS⁻¹ν = ν₁²/s11 + (ν₂ − s12/s11·ν₁)²/(s22 − s12²/s11).
		s12 := pv*dt + q*dt*dt/2
		s22 := pv + q*dt + g.SigmaV*g.SigmaV
		r.slope = s12 / s11
		rest := s22 - s12*r.slope
		r.wVel = 1 / rest
		if !(rest > 1e-12*s22) || math.IsInf(r.wVel, 0) || math.IsInf(s22, 0) {
			return rule{}, fmt.Errorf("gating: %w: velocities are measured, so Mahalanobis.SigmaV or Noise must be above 0", ErrGate)
		}
	}
	r.limit = g.size()
	r.reach = math.Sqrt(r.limit * s11)
	return r, nil
}

func (g Mahalanobis) size() float64 {
	if g.G > 0 {
		return g.G
	}
	return 25
}

func (g Mahalanobis) resize(v float64) Gate { g.G = v; return g }
func (g Mahalanobis) String() string        { return "mahalanobis:" + format(g.size()) }
func (g Mahalanobis) critical(_ *rule, statistic, _ float64) float64 {
	return statistic
}

// DOF is the number of coordinates that a [Mahalanobis] gate judges: Dim
// positions, and as many velocities when b measures them.
func DOF(b *mtt.Scan) int {
	if b.Vel != nil {
		return 2 * b.Dim
	}
	return b.Dim
}

// nonNegative reports whether v is finite and not below zero.
func nonNegative(v float64) bool { return v >= 0 && v <= math.MaxFloat64 }

func format(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
