package association

import (
	"cmp"
	"context"
	"math"
	"time"

	"mtt"
	"mtt/costgen"
	"mtt/gating"
)

// This file settles the model before the tracking: levels and rates, given or
// learnt from pilot runs on part of the scans.

// A learner settles the levels of the model.
type learner struct {
	*tracker
	part   []mtt.Scan     // what it learns from
	steady bool           // nothing is missed, false, born or dead
	vel    bool           // velocities are measured
	length float64        // m: how far most successors are, or are from where they are expected
	known  costgen.Levels // given, or measured directly; what is 0 is to be learnt
	levels *costgen.Levels
	speed  float64 // m/s: of the fastest target
	coasts bool    // whether detections may be missed
}

// prepare settles the model, the gate and the speed: given, or learnt.
func (k *tracker) prepare(ctx context.Context, scans []mtt.Scan) (*Result, error) {
	began := time.Now()
	if err := k.foresee(ctx, scans); err != nil {
		return nil, err
	}
	l := k.newLearner(scans)
	user := k.Engine != GNN && (k.Model != nil || k.Cost != NLL)
	if k.Levels == nil && len(scans) > 2 && !(user && k.Gate != nil) {
		if err := l.learn(ctx, scans); err != nil {
			return nil, err
		}
	}
	if k.Gate == nil && !l.vel && k.MaxSpeed == 0 {
		var err error
		if l.speed, err = k.widen(ctx, scans, l.levels, l.speed, l.coasts); err != nil {
			return nil, err
		}
	}
	res := &Result{MaxSpeed: l.speed, Gate: k.gate(l.levels, l.speed)}
	switch {
	case user && k.Model != nil:
		res.Model = k.Model
	case user && k.Cost == Trapezoid:
		res.Model = &costgen.Trapezoid{Prices: metric(scans, l.length)}
	case user:
		res.Model = &costgen.Paper{Prices: metric(scans, l.length)}
	default: // the only one that GNN knows
		res.Model, res.Levels = &costgen.Gaussian{Levels: *l.levels}, l.levels
	}
	res.Coasts = l.coasts && res.Model.Ends().Miss > 0
	res.Seconds.Estimate = time.Since(began).Seconds()
	return res, nil
}

// newLearner begins with what was given, and for the rest with what shows
// without any association.
func (k *tracker) newLearner(scans []mtt.Scan) *learner {
	l := &learner{tracker: k, part: window(scans), steady: steady(scans), vel: measured(scans), speed: k.MaxSpeed}
	l.coasts = k.MaxMisses != 0 && !l.steady
	half, dt := tiny, interval(scans)
	if k.Levels == nil || k.MaxSpeed == 0 || k.Cost != NLL || k.Model != nil {
		half = max(reach(l.part), tiny)
	}
	l.length = 2 * half
	if k.MaxSpeed == 0 {
		l.speed = 2 * l.length / dt
		if l.vel {
			l.speed += maxSpeed(scans)
		}
	}
	if k.Levels != nil {
		g := *k.Levels
		g.Dim = cmp.Or(g.Dim, dimension(scans))
		g.Interval = cmp.Or(g.Interval, 1)
		l.levels = &g
		return l
	}
	l.known = l.given(scans)
	fresh := l.known
	g := &fresh
	if k.Rates == nil {
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
func (l *learner) learn(ctx context.Context, scans []mtt.Scan) error {
	noise := l.Sigma > 0 && (!l.vel || l.SigmaV > 0)
	if !noise || !l.vel {
		gate := gating.Gate(gating.Ball{Radius: 1.25*l.length + 4*math.Sqrt2*l.Sigma})
		if l.vel {
			dt := l.levels.Interval
			gate = gating.Mahalanobis{Sigma: l.length / 2, SigmaV: l.length / 2 / dt, Noise: 0.2 * l.levels.SpeedStd / math.Sqrt(dt)}
		}
		tracks, err := l.pilot(ctx, &Result{Model: &costgen.Trapezoid{Prices: metric(scans, l.length)}, Gate: gate})
		if err != nil {
			return err
		}
		l.fit(tracks)
	}
	if noise && l.Accel > 0 && l.Rates != nil {
		return nil
	}
	for range 2 {
		tracks, err := l.pilot(ctx, &Result{
			Model: &costgen.Gaussian{Levels: *l.levels}, Levels: l.levels, Gate: l.gate(l.levels, l.speed), Coasts: l.coasts,
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

// pilot tracks part of the scans as res says.
func (l *learner) pilot(ctx context.Context, res *Result) ([]mtt.Track, error) {
	p := &tracker{Options: l.Options, pilot: true}
	p.Engine, p.NoRefine = Dual, res.Levels == nil
	res.MaxSpeed = l.speed
	err := p.run(ctx, l.part, res)
	return res.Tracks, err
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
func metric(scans []mtt.Scan, most float64) costgen.Ends {
	if steady(scans) {
		b := 1e3 * most
		return costgen.Ends{Birth: b, Death: b, Clutter: 2 * b}
	}
	return costgen.Ends{Birth: most, Death: most, Clutter: 2 * most, Miss: most}
}

// window is the part of the scans that estimates are made from: some twenty
// thousand detections from the beginning, half as many where there are no rates
// to learn, and at least a dozen scans.
func window(scans []mtt.Scan) []mtt.Scan {
	const least = 12
	enough := 20000
	if steady(scans) {
		enough /= 2
	}
	n := 0
	for t := range scans {
		if n += scans[t].Len(); n > enough && t+1 >= least {
			return scans[:t+1]
		}
	}
	return scans
}

// speedStd is the standard deviation of a velocity's coordinate, less noise.
func speedStd(scans []mtt.Scan, sigmaV float64) float64 {
	var sum, n float64
	for t := range scans {
		for _, v := range scans[t].Vel {
			sum += v * v
			n++
		}
	}
	if n == 0 {
		return 1
	}
	return math.Sqrt(max(sum/n-sigmaV*sigmaV, 0.01*sum/n, tiny))
}

// maxSpeed is the largest measured speed.
func maxSpeed(scans []mtt.Scan) float64 {
	var most float64
	for t := range scans {
		for i := range scans[t].Len() {
			var s float64
			for _, v := range scans[t].VelAt(i) {
				s += v * v
			}
			most = max(most, s)
		}
	}
	return math.Sqrt(most)
}
