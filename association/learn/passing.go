package learn

import (
	"context"
	"math"

	"mtt/costgen"
	"mtt/motion"
)

// This file learns anew with targets that cross the field in few scans.
//
// Problem. All other beginnings have targets stay, as a track that is broken where it could go on
// confirms itself (see [guess]). Where targets are in the field for a few scans only, tracks go on
// with whatever comes next, noise and turns are learnt from such links, and nearly everything is
// wrong.
//
// Idea. How many targets leave a field in a step needs no association: of such as are spread evenly
// over a box, whichever way they move, E|d|/L of them leave through the two sides that are L apart,
// d being how far they get across. With such lives, one coming as another goes, and as many false
// alarms as counts say (file fewer.go) a course begins anew, and is taken where all detections are
// likelier for it. Where walls hold the targets back they are not.
//
// Invariant. Where no more targets leave than was learnt, or hardly any other lies as near to a
// target as its next detection, nothing is tried.
//
// Cost. Another course, where targets go as far in a step as to their neighbours.

// passers are the other targets that lie no farther from one than it gets in a step, on average,
// from which on tracks may have gone on with these.
const passers = 0.2

// crossed takes what comes of targets that cross the field, where they may have been taken for each
// other, and all detections together are likelier for it.
func (l *learner) crossed(ctx context.Context, m motion.Model) error {
	if known := &l.known.Rates; l.Hasty || l.spent() || l.steady || l.vel || len(l.Sensors) > 0 || known.Survive > 0 || known.Births > 0 {
		return nil
	}
	levels := l.crossing()
	if levels.Rates.Survive >= l.levels.Rates.Survive || l.passers() < passers {
		return nil
	}
	other := *l
	_, err := l.yields(ctx, &other, levels, m, 0)
	return err
}

// step is how far targets get between two scans along an axis, m: root mean square.
func (l *learner) step() float64 {
	if g := l.levels; walks(g) {
		return g.Accel * math.Sqrt(g.Interval)
	}
	return l.levels.SpeedStd * l.levels.Interval
}

// passers is how many others are as near to a target as its next detection, on average, were they
// spread evenly.
func (l *learner) passers() float64 {
	dim := max(l.levels.Dim, 2)
	return unitBall(dim) * math.Pow(math.Sqrt(float64(dim))*l.step(), float64(dim)) / l.levels.Rates.Volume * count(l.part) / float64(len(l.part))
}

// unitBall is the volume of a ball of radius 1.
func unitBall(dim int) float64 {
	half := float64(dim) / 2
	return math.Pow(math.Pi, half) / math.Gamma(half+1)
}

// crossing are the levels with rates of targets that cross the field, a square or a cube, by steps
// that are normal.
func (l *learner) crossing() *costgen.Levels {
	g, r := *l.levels, guess(l.part, 0, false)
	r.Volume = g.Rates.Volume
	dim, mean := float64(max(g.Dim, 2)), r.Targets // detections in a scan
	r.Survive = 1 - min(dim*math.Sqrt(2/math.Pi)*l.step()/math.Pow(r.Volume, 1/dim), 0.5)
	least := r.Clutter
	_, varied := counts(l.part)
	r.Clutter = min(max(alarmsOf(&r, mean, varied), least), mean-least)
	r.Targets = (mean - r.Clutter) / r.Detect
	r.Births = r.Targets * (1 - r.Survive)
	g.Rates = l.said(r)
	return &g
}
