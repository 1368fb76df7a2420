package online

import (
	"math"

	"mtt/costgen"
)

// This file lets targets stop and turn for the first time.
//
// Problem. Where no target has stopped, set out or turned in the scans that levels were learnt from, these have no manoeuvres, and the first target that does loses its
// track: a death and a birth at one place are cheaper than what never was. Where all scans are tracked at once such tracks are mended, and learnt from again.
//
// Idea. What has never been may be yet: half a manoeuvre more than there were, as for misses. It changes a velocity by about as much as velocities are.

// abrupt has what prices links know manoeuvres where those that were learnt from had none, and nobody said how targets move. What is told of the levels stays as it was learnt.
func (k *Tracker) abrupt() {
	g := k.model.Model.(costgen.Leveled).Noise()
	if k.fixed() || k.opts.Accel > 0 || !k.lesson.steady || g.ManoeuvreProb > 0 || g.SpeedStd == 0 {
		return
	}
	steps := max(1, float64(k.lesson.held)-g.Rates.Clutter*float64(len(k.recent)))
	g.ManoeuvreProb, g.ManoeuvreAccel = 0.5/(steps+1), max(g.Accel, g.SpeedStd/math.Sqrt(g.Interval))
}
