package learn

import (
	"math"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file keeps possible what was never seen.
//
// Where all scans have equally many detections nothing is missed, false, born or dead in them, and prices that say so are those of all these scans. Of scans
// that are yet to come they say too much: a target that is missed once would be another from then on. Half an event more than there
// were is counted then, as where counts differ (rates). So it is where no target has stopped, set out or turned yet: the first one that does would
// lose its track, as a death and a birth at one place are cheaper than what never was. Such a manoeuvre changes a velocity by about as much as velocities are.

// never is less than any rate that is counted.
const never = 1e-9

// open lets happen in scans that follow what the levels say never does: half of it in as many links and scans as there are.
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
	// Of fewer scans half a manoeuvre is no rare thing, and crowds that begin become dear to track.
	if l := m.by; len(scans) >= dozen && l != nil && l.known.Accel == 0 && g.ManoeuvreProb == 0 && g.SpeedStd > 0 {
		g.ManoeuvreProb = 0.5 / (1 + max(0, found-steps*g.Rates.Clutter))
		g.ManoeuvreAccel = max(g.Accel, g.SpeedStd/math.Sqrt(g.Interval))
		smooth := g
		smooth.Accel, smooth.ManoeuvreProb = g.ManoeuvreAccel, 0
		m.Gate = l.gate(&smooth, m.MaxSpeed)
	}
	m.Levels, m.Cost = &g, &costgen.Gaussian{Levels: g}
	if len(scans) >= dozen && stand(&g) && g.PositionsOnly && m.by != nil && m.by.Motion == nil && m.by.Gate == nil {
		m.setOut(found - steps*g.Rates.Clutter)
	}
}

// stand reports whether targets walk less in a dozen steps than noise moves them in one.
func stand(g *costgen.Levels) bool { return walks(g) && g.Accel*math.Sqrt(dozen*g.Interval) < g.Sigma }

// setOut has targets that stand set out in half a link of as many as there are. Nothing tells how fast they get then: in a step, as far as half way to the next one,
// where all lie evenly. What is told of the levels stays a walk.
func (m *Model) setOut(links float64) {
	g := *m.Levels
	dim, most := float64(max(g.Dim, 2)), max(g.Rates.Targets+g.Rates.Clutter, 1)
	m.MaxSpeed = max(m.MaxSpeed, math.Pow(g.Rates.Volume/most, 1/dim)/2/g.Interval)
	g.Motion, g.Accel = motion.Velocity{}, math.Sqrt(3)*g.Accel/g.Interval
	g.SpeedStd = g.Accel * math.Sqrt(g.Interval)
	g.ManoeuvreProb, g.ManoeuvreAccel = 0.5/(1+max(0, links)), max(g.Accel, m.MaxSpeed/2/math.Sqrt(g.Interval))
	m.Gate, m.Cost = m.by.gate(&g, m.MaxSpeed), &costgen.Gaussian{Levels: g}
}
