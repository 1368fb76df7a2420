package learn

import (
	"math"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file keeps possible what was never seen.
//
// Where all scans have equally many detections nothing is missed, false, born or dead in them, and
// prices that say so are those of all these scans. Of scans that are yet to come they say too much:
// a target that is missed once would be another from then on. Half an event more than there were is
// counted then, as where counts differ (rates). So it is where no target has stopped, set out or
// turned yet: the first one that does would lose its track, as a death and a birth at one place are
// cheaper than what never was. Such a manoeuvre changes a velocity by about as much as velocities
// are.

// never is less than any rate that is counted.
const never = 1e-9

// open lets happen in scans that follow what the levels say never does: half of it in as many links
// and scans as there are.
func (m *Model) open(scans []mtt.Scan, opts *Options) {
	if m.Levels == nil || len(scans) < 2 {
		return
	}
	g, steps, found := *m.Levels, float64(len(scans)-1), count(scans[1:])
	if r, seldom := &g.Rates, 0.5/(found+1); opts.Rates == nil && g.Sensing == nil {
		if 1-r.Detect < never && !opts.NoMisses {
			r.Detect, r.Hidden = 1-seldom, 0.5
			m.Coasts = true
		}
		if 1-r.Survive < never {
			r.Survive = 1 - seldom
		}
		if r.Births < never*seldom {
			r.Births = 0.5 / steps
		}
		if r.Clutter < never*seldom {
			r.Clutter = 0.5 / (steps + 1)
		}
	}
	m.Levels, m.Cost = &g, &costgen.Gaussian{Levels: g}
	if l := m.by; len(scans) >= dozen && l != nil && l.known.Accel == 0 && g.ManoeuvreProb == 0 { // of fewer scans half of one is no rare thing, and crowds that begin become dear to track
		m.turn(0.5 / (1 + max(0, found-steps*g.Rates.Clutter)))
	}
}

// turn gives targets manoeuvres of a probability. Of those that stand what is told stays a walk,
// but it prices links as velocities that were 0 so far. Nothing tells how fast they get when they
// set out: in a step, as far as half way to the next one, were all spread evenly.
func (m *Model) turn(p float64) {
	g, l := *m.Levels, m.by
	if stands := walks(&g) && g.Accel*math.Sqrt(dozen*g.Interval) < g.Sigma; stands && l.Motion == nil && l.Gate == nil && !l.fast() && !l.vel && g.Sensing == nil {
		spread := math.Pow(g.Rates.Volume/(g.Rates.Targets+g.Rates.Clutter), 1/float64(max(g.Dim, 2)))
		m.MaxSpeed = max(m.MaxSpeed, spread/2/g.Interval)
		g.Motion, g.Accel = motion.Velocity{}, math.Sqrt(3)*g.Accel/g.Interval
		g.SpeedStd = g.Accel * math.Sqrt(g.Interval)
		g.ManoeuvreProb, g.ManoeuvreAccel = p, m.MaxSpeed/2/math.Sqrt(g.Interval)
		m.Gate, m.Cost = l.gate(&g, m.MaxSpeed), &costgen.Gaussian{Levels: g}
	} else if g.SpeedStd > 0 {
		m.Gate = l.gate(maySlow(&g), m.MaxSpeed)
		g.ManoeuvreProb, g.ManoeuvreAccel = p, possible(&g)
		m.Levels, m.Cost = &g, &costgen.Gaussian{Levels: g}
	}
}

// maySlow are levels without manoeuvres by which who goes no faster than is usual may stop.
func maySlow(g *costgen.Levels) *costgen.Levels {
	smooth := *g
	smooth.Accel, smooth.ManoeuvreProb, smooth.ManoeuvreAccel = max(g.Accel, g.SpeedStd/2/math.Sqrt(g.Interval)), 0, 0
	return &smooth
}

// possible is the ManoeuvreAccel of manoeuvres that nobody has seen yet: of a speed that is usual,
// to any other.
func possible(g *costgen.Levels) float64 { return max(g.Accel, g.SpeedStd/math.Sqrt(g.Interval)) }

// opened reports whether nobody saw the manoeuvres of g: it was learnt before, and turn made them possible.
func opened(g *costgen.Levels) bool {
	return g.ManoeuvreProb > 0 && g.ManoeuvreAccel > g.Accel && g.ManoeuvreAccel == possible(g)
}
