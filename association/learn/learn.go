package learn

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/gating"
)

// This file learns levels and speed from pilot runs on part of the scans.

// Options say what is known. The zero value is nothing.
type Options struct {
	// Levels, from an earlier result, say everything about noise and rates; nil: the
	// fields below do, and what they leave open is learnt.
	Levels *costgen.Levels

	Sigma    float64 // m: standard deviation of a measured position, per axis; 0: unknown
	SigmaV   float64 // m/s: of a measured velocity; 0: unknown
	Accel    float64 // root of the spectral density of process noise, see costgen.Levels; 0: unknown
	MaxSpeed float64 // m/s: of the fastest target; 0: unknown
	Rates    *costgen.Rates

	// Gate is chosen from the levels when nil. A Mahalanobis gate without Sigma, and a
	// Disc without Margin, get theirs from them.
	Gate gating.Gate

	// Cost makes the model out of the prices of ends, for models in metres; nil: it is
	// costgen.Gaussian, and its levels are learnt.
	Cost func(ends costgen.Ends) costgen.Model

	NoMisses bool // no target is ever missed
}

// A Model is what tracking needs to know.
type Model struct {
	Cost     costgen.Model
	Levels   *costgen.Levels // of the cost; nil unless it is costgen.Gaussian
	Gate     gating.Gate
	MaxSpeed float64 // m/s: of the fastest target
	Coasts   bool    // whether misses are part of the model
}

// A Pilot tracks part of the scans, so that levels can be learnt from the tracks.
type Pilot interface {
	// Track tracks scans in a hurry.
	Track(ctx context.Context, scans []mtt.Scan, m *Model) ([]mtt.Track, error)

	// Fits reports whether a gate leaves at most so many triplets of scans.
	Fits(ctx context.Context, scans []mtt.Scan, gate gating.Gate, triplets int) (bool, error)
}

// A learner settles the levels of the model.
type learner struct {
	*Options
	run    Pilot
	part   []mtt.Scan     // what it learns from
	steady bool           // nothing is missed, false, born or dead
	vel    bool           // velocities are measured
	length float64        // m: how far most successors are, or are from where they are expected
	known  costgen.Levels // given, or measured directly; what is 0 is to be learnt
	levels *costgen.Levels
	speed  float64 // m/s: of the fastest target
	coasts bool    // whether detections may be missed
}

// Learn settles the model, the gate and the speed of the fastest target: given, or
// learnt. The scans must be valid.
func Learn(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot) (*Model, error) {
	l := newLearner(scans, opts, run)
	if l.Levels == nil && len(scans) > 2 && (l.Cost == nil || l.Gate == nil) {
		if err := l.learn(ctx); err != nil {
			return nil, err
		}
	}
	if l.Gate == nil && !l.vel && !l.fast() {
		var err error
		if l.speed, err = l.widen(ctx, scans); err != nil {
			return nil, err
		}
	}
	l.levels.MaxSpeed = l.speed
	m := &Model{MaxSpeed: l.speed, Gate: l.gate(l.levels, l.speed)}
	if l.Cost != nil {
		m.Cost = l.Cost(metric(l.steady, l.length))
	} else {
		m.Cost, m.Levels = &costgen.Gaussian{Levels: *l.levels}, l.levels
	}
	m.Coasts = l.coasts && m.Cost.Ends().Miss > 0
	return m, nil
}

// fast reports whether the speed of the fastest target is given.
func (l *learner) fast() bool { return l.MaxSpeed > 0 || l.Levels != nil && l.Levels.MaxSpeed > 0 }

// newLearner begins with what was given, and for the rest with what shows
// without any association.
func newLearner(scans []mtt.Scan, opts *Options, run Pilot) *learner {
	l := &learner{Options: opts, run: run, part: window(scans), steady: steady(scans), vel: Velocities(scans), speed: opts.MaxSpeed}
	if l.speed == 0 && opts.Levels != nil {
		l.speed = opts.Levels.MaxSpeed
	}
	l.coasts = !opts.NoMisses && !l.steady
	half, dt := tiny, interval(scans)
	if opts.Levels == nil || l.speed == 0 || opts.Cost != nil {
		half = max(reach(l.part), tiny)
	}
	l.length = 2 * half
	if l.speed == 0 {
		l.speed = 2 * l.length / dt
		if l.vel {
			l.speed += maxSpeed(scans)
		}
	}
	if opts.Levels != nil {
		g := *opts.Levels
		g.Dim = cmp.Or(g.Dim, dimension(scans))
		g.Interval = cmp.Or(g.Interval, 1)
		l.levels = &g
		return l
	}
	l.known = l.given(scans)
	fresh := l.known
	g := &fresh
	if opts.Rates == nil {
		g.Rates = guess(scans)
	}
	if l.vel {
		start(&g.Sigma, half/3)
		start(&g.SigmaV, half/3/dt)
	} else {
		g.SpeedStd = half / 1.18 / dt
		start(&g.Sigma, 0.1*half)
	}
	start(&g.Accel, 0.1*g.SpeedStd/math.Sqrt(dt))
	floors(g)
	l.levels = g
	return l
}

// given are the levels that were given or are measured directly; the others are 0.
func (l *learner) given(scans []mtt.Scan) costgen.Levels {
	g := costgen.Levels{
		Sigma: l.Sigma, SigmaV: l.SigmaV, Accel: l.Accel,
		Dim: dimension(scans), Interval: interval(scans), PositionsOnly: !l.vel,
	}
	if l.Rates != nil {
		g.Rates = *l.Rates
	}
	if l.vel {
		g.SpeedStd = speedStd(scans, g.SigmaV)
	}
	return g
}

// learn tracks part of the scans, first with a cost that needs no levels, then with
// the levels learnt so far, and learns from the tracks.
func (l *learner) learn(ctx context.Context) error {
	noise := l.Sigma > 0 && (!l.vel || l.SigmaV > 0)
	if !noise || !l.vel {
		gate := gating.Gate(gating.Ball{Radius: 1.25*l.length + 4*math.Sqrt2*l.Sigma})
		if l.vel {
			dt := l.levels.Interval
			gate = gating.Mahalanobis{Sigma: l.length / 2, SigmaV: l.length / 2 / dt, Noise: 0.2 * l.levels.SpeedStd / math.Sqrt(dt)}
		}
		tracks, err := l.pilot(ctx, &Model{Cost: &costgen.Trapezoid{Prices: metric(l.steady, l.length)}, Gate: gate})
		if err != nil {
			return err
		}
		l.fit(tracks)
	}
	if noise && l.Accel > 0 && l.Rates != nil {
		return nil
	}
	for range 2 {
		tracks, err := l.pilot(ctx, &Model{
			Cost: &costgen.Gaussian{Levels: *l.levels}, Levels: l.levels, Gate: l.gate(l.levels, l.speed), Coasts: l.coasts,
		})
		if err != nil {
			return err
		}
		l.fit(tracks)
		if l.Rates == nil && !l.steady {
			v := l.levels.Rates.Volume
			l.levels.Rates = rates(l.part, tracks)
			l.levels.Rates.Volume = v
		}
	}
	return nil
}

// pilot tracks part of the scans.
func (l *learner) pilot(ctx context.Context, m *Model) ([]mtt.Track, error) {
	m.MaxSpeed = l.speed
	return l.run.Track(ctx, l.part, m)
}

// fit learns noise levels and speed from tracks.
func (l *learner) fit(tracks []mtt.Track) {
	fresh := l.known
	fresh.Rates = l.levels.Rates
	if costgen.Fit(&fresh, tracks, times(l.part)) {
		floors(&fresh)
		l.levels = &fresh
	}
	if s := speed(l.part, tracks); l.MaxSpeed == 0 && s > 0 {
		l.speed = min(l.speed, s)
	}
}

// speed is the largest speed in tracks but for one link in two hundred, with a
// quarter on top.
func speed(scans []mtt.Scan, tracks []mtt.Track) float64 {
	time := times(scans)
	var all []float64
	for i := range tracks {
		tr := &tracks[i]
		for h := 1; h < len(tr.Hits); h++ {
			var d2 float64
			for k, x := range tr.At(h) {
				d := x - tr.At(h - 1)[k]
				d2 += d * d
			}
			all = append(all, math.Sqrt(d2)/(time(tr.Hits[h].Frame)-time(tr.Hits[h-1].Frame)))
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return 1.25 * all[(len(all)-1)*199/200]
}

// times maps frame numbers to times.
func times(scans []mtt.Scan) func(frame int) float64 {
	m := make(map[int]float64, len(scans))
	for t := range scans {
		m[scans[t].Frame] = scans[t].Time
	}
	return func(frame int) float64 { return m[frame] }
}

// floors keeps levels above what the data could ever tell, in units of the
// speed's: a sensor that is exact, a target that never turns, would make one
// rounding error a proof.
func floors(g *costgen.Levels) {
	g.Sigma = max(g.Sigma, 0.01*g.SpeedStd*g.Interval)
	if !g.PositionsOnly {
		g.SigmaV = max(g.SigmaV, 0.01*g.SpeedStd)
	}
	g.Accel = max(g.Accel, 0.03*g.SpeedStd/math.Sqrt(g.Interval))
	if g.ManoeuvreProb > 0 {
		g.ManoeuvreAccel = max(g.ManoeuvreAccel, g.Accel)
	}
}

const tiny = 1e-9

// start sets a level that is not known.
func start(level *float64, v float64) {
	if *level == 0 {
		*level = max(v, tiny)
	}
}

// metric are the prices of ends for costs in metres. In steady scans a track
// begins and ends only where a gate leaves no other way.
func metric(steady bool, most float64) costgen.Ends {
	if steady {
		b := 1e3 * most
		return costgen.Ends{Birth: b, Death: b, Clutter: 2 * b}
	}
	return costgen.Ends{Birth: most, Death: most, Clutter: 2 * most, Miss: most}
}
