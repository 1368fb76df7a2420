package learn

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"mtt"
	"mtt/costgen"
)

// This file tells velocities that were worked out from positions.
//
// Problem. Many files give each position a velocity that is the difference of two positions of its
// track. It repeats what positions say, and so precisely that what targets do from scan to scan looks
// like a sharp turn each time: twenty times as many links of seq_eth are wrong as without.
//
// Idea. A difference leads from a detection to another exactly: from this one to the next, from the
// last one to this one, or from the last one to the next. What is measured does so by chance only.
//
// Cost. A pass over as many scans as levels are learnt from, and a look around every detection, or
// around some of so many.

// repeated says what is wrong with velocities that are differences of positions.
const repeated = "they are differences of positions, and say nothing that these do not"

// derived reports whether most of the velocities, where targets move, are differences of positions.
func (o *Options) derived(scans []mtt.Scan) bool {
	if o.Levels != nil || o.Cost != nil || o.SigmaV > 0 || len(o.alone().Sensors) > 0 || len(scans) < 3 || !Velocities(scans) || partial(scans) {
		return false
	}
	scans = window(scans, enough, dozen)
	sorted := costgen.AllSorted(scans)
	// leads reports whether a velocity leads from x within so much of a detection of scan t.
	leads := func(t int, x, v []float64, time, within float64) bool {
		var at [3]float64
		for d := range x {
			at[d] = x[d] + time*v[d]
		}
		for range sorted[t].Near(at[:], within) {
			return true
		}
		return false
	}
	var moving float64
	var led [3]float64 // to the next, from the last, between both
	each := max(1, int(count(scans))/enough)
	for t := 1; t+1 < len(scans); t++ {
		last, s, next := &scans[t-1], &scans[t], &scans[t+1]
		before, after := s.Time-last.Time, next.Time-s.Time
		for i := 0; i < s.Len(); i += each {
			x, v := s.At(i), s.VelAt(i)
			step := floats.Norm(v, 2) * min(before, after)
			if step == 0 {
				continue
			}
			const exact = 0.003 // of a step, as the least noise is
			moving++
			if leads(t+1, x, v, after, exact*step) {
				led[0]++
			}
			if leads(t-1, x, v, -before, exact*step) {
				led[1]++
			}
			for j := range sorted[t-1].Near(x, 3*step) {
				if leads(t+1, last.At(j), v, before+after, exact*step) {
					led[2]++
					break
				}
			}
		}
	}
	return 2*slices.Max(led[:]) > moving
}
