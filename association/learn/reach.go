package learn

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"mtt"
	"mtt/gating"
	"mtt/motion"
)

// This file holds the gates of motions and sensors that those of package gating do not
// know: random walks, and detections with covariances of their own.

// A reachGate accepts positions that a target can reach: that lie at most 4 standard
// deviations of both measurements farther away than the fastest target gets, or, of a
// random walk, at most 5 of both and of the walk.
type reachGate struct {
	params motion.Params
	speed  float64      // m/s
	filter *motion.Full // for its Noise, which changes nothing
	last   atomic.Pointer[walked]
}

// A walked is how far a random walk spreads in some time: that of most pairs of scans is the same.
type walked struct{ dt, variance float64 } // s, m²

func newReachGate(params *motion.Params, speed float64) *reachGate {
	return &reachGate{params: *params, speed: speed, filter: motion.NewFull(params)}
}

// walks reports whether the gate is that of a random walk.
func (g *reachGate) walks() bool { return g.params.Name() == (motion.Walk{}).Name() }

// String names the gate as options do.
func (g *reachGate) String() string {
	if g.walks() {
		return "reach:5"
	}
	return fmt.Sprintf("reach:4 speed %v", g.speed)
}

// spread is the variance in m² of where a random walk gets to in dt seconds.
func (g *reachGate) spread(dt float64) float64 {
	if s := g.last.Load(); s != nil && s.dt == dt {
		return s.variance
	}
	s := &walked{dt, g.params.Step(dt, motion.Smooth).Q[0]}
	if g.params.ManoeuvreProb > 0 {
		s.variance = 9 * g.params.Step(dt, motion.Manoeuvre).Q[0] // for the tails
	}
	g.last.Store(s)
	return s.variance
}

// Between implements [gating.Gate].
func (g *reachGate) Between(a, b *mtt.Scan) (gating.Region, error) { return g.Renew(nil, a, b) }

// Renew implements [gating.Renewer].
func (g *reachGate) Renew(old gating.Region, a, b *mtt.Scan) (gating.Region, error) {
	dt := b.Time - a.Time
	r, ok := old.(*reachRegion)
	if !ok {
		r = new(reachRegion)
	}
	*r = reachRegion{a: a, b: b, filter: g.filter, lead: g.speed * dt, sigmas: 4}
	if g.walks() {
		r.lead, r.sigmas, r.variance = 0, 5, g.spread(dt)
	}
	for j := range b.Len() {
		r.widest = max(r.widest, r.filter.Noise(b, j))
	}
	for i := range a.Len() {
		r.noise = max(r.noise, r.filter.Noise(a, i))
	}
	return r, nil
}

type reachRegion struct {
	a, b     *mtt.Scan
	filter   *motion.Full // of the gate
	lead     float64      // m
	sigmas   float64
	variance float64 // m², of where the target goes
	widest   float64 // m², of the noise in b
	noise    float64 // m², in a
}

// Around implements [gating.Region].
func (r *reachRegion) Around(i int) (centre [3]float64, radius float64) {
	copy(centre[:], r.a.At(i))
	return centre, r.lead + r.sigmas*math.Sqrt(r.variance+r.filter.Noise(r.a, i)+r.widest)
}

// Accepts implements [gating.Region].
func (r *reachRegion) Accepts(i, j int) (statistic float64, ok bool) {
	var u [3]float64
	p, q := r.a.At(i), r.b.At(j)
	for d := range p {
		u[d] = q[d] - p[d]
		statistic += u[d] * u[d]
	}
	if statistic == 0 {
		return 0, true
	}
	// The noise along the line between them.
	variance := r.variance + along(r.a, i, &u, r.filter)/statistic + along(r.b, j, &u, r.filter)/statistic
	far := max(0, math.Sqrt(statistic)-r.lead)
	return far * far / variance, far <= r.sigmas*math.Sqrt(variance)
}

// Least implements [gating.Bounded]: without covariances of their own all detections of a scan have
// one noise. It is lower by more than roundings are.
func (r *reachRegion) Least(d2 float64) float64 {
	far := max(0, math.Sqrt(d2)-r.lead) * (1 - 1e-9)
	return far * far / (r.variance + r.noise + r.widest)
}

// along is uᵀCu, C being the covariance of detection i of s.
func along(s *mtt.Scan, i int, u *[3]float64, f *motion.Full) float64 {
	c := s.CovAt(i)
	if c == nil {
		return f.Noise(s, i) * (u[0]*u[0] + u[1]*u[1] + u[2]*u[2])
	}
	v := c[0]*u[0]*u[0] + 2*c[1]*u[0]*u[1] + c[2]*u[1]*u[1]
	if s.Dim == 3 {
		v += 2*c[3]*u[0]*u[2] + 2*c[4]*u[1]*u[2] + c[5]*u[2]*u[2]
	}
	return v
}

// An innovationGate accepts detections whose innovation, by the general filter from the
// detection before alone, lies within the squared Mahalanobis distance G; with manoeuvres,
// whose process noise is three times theirs, for the tails.
type innovationGate struct {
	params motion.Params
	g      float64
}

// String names the gate as options do.
func (g *innovationGate) String() string { return fmt.Sprintf("innovation:%v", g.g) }

// Between implements [gating.Gate].
func (g *innovationGate) Between(a, b *mtt.Scan) (gating.Region, error) {
	p := g.params
	if p.ManoeuvreProb > 0 {
		p.Accel = 3 * p.ManoeuvreAccel
	}
	r := &innovationRegion{b: b, g: g.g, filters: sync.Pool{New: func() any { return motion.NewFull(&p) }}}
	f := motion.NewFull(&p)
	for j := range b.Len() {
		r.widest = max(r.widest, f.Noise(b, j))
	}
	r.states = make([]motion.FullState, a.Len())
	for i := range r.states {
		f.Start(&r.states[i], a, i)
		f.Predict(&r.states[i], b.Time-a.Time, motion.Smooth)
	}
	return r, nil
}

type innovationRegion struct {
	b       *mtt.Scan
	g       float64
	filters sync.Pool
	widest  float64            // m², of the noise in b
	states  []motion.FullState // of the detections of a, predicted
}

// Around implements [gating.Region].
func (r *innovationRegion) Around(i int) (centre [3]float64, radius float64) {
	f := r.filters.Get().(*motion.Full)
	x, _, variance := f.Position(&r.states[i])
	r.filters.Put(f)
	return x, math.Sqrt(r.g * (variance + r.widest))
}

// Accepts implements [gating.Region].
func (r *innovationRegion) Accepts(i, j int) (statistic float64, ok bool) {
	f := r.filters.Get().(*motion.Full)
	fit := f.Innovation(&r.states[i], r.b, j)
	r.filters.Put(f)
	return fit.D2, fit.D2 < r.g
}
