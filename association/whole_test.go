package association

import (
	"math"

	"mtt"
	"mtt/costgen"
)

// This file prices whole tracks, one after the other from the front, which is
// what refine does piece by piece from both sides.

// whole is the negative log likelihood of all detections, given the links: each
// track by a Kalman filter, its ends by the rates, the rest as false alarms.
// Positions of births and false alarms are uniform over the volume, their
// velocities Gaussian of the prior. Chains of one detection are false alarms
// where that is likelier.
func whole(c *chains, scans []mtt.Scan, model *costgen.Levels) (sum float64) {
	m := newMotion(model, dimension(scans))
	r := model.Rates
	last := len(scans) - 1
	for t := range scans {
		for i := range c.prev[t] {
			if c.prev[t][i] != none {
				continue
			}
			at := hit{int32(t), int32(i)}
			cost := math.Log(r.Volume) - math.Log(r.Births*r.Detect)
			if t == 0 {
				cost = math.Log(r.Volume) - math.Log(r.Targets*r.Detect)
			}
			first := 0.0
			if m.vel {
				v := model.SpeedStd*model.SpeedStd + model.SigmaV*model.SigmaV
				for _, w := range scans[t].VelAt(i) {
					first += (w*w/v + math.Log(2*math.Pi*v)) / 2
				}
			}
			cost += first
			alarm := math.Log(r.Volume) - math.Log(r.Clutter) + first
			s := m.start(&scans[t], i)
			n := 1
			for to := c.next[t][i]; to != none; to = c.next[to.t][to.det] {
				dt := scans[to.t].Time - scans[at.t].Time
				wild := s
				m.predict(&wild, dt, turn)
				calm := s
				m.predict(&calm, dt, smooth)
				fc, fw := m.innovation(&calm, &scans[to.t], int(to.det)), m.innovation(&wild, &scans[to.t], int(to.det))
				cost += m.price(fc, fw)
				for u, seen := at.t+1, true; u <= to.t; u++ { // a chain of two states: seen and hidden
					p := r.Detect
					if !seen && r.Hidden > 0 {
						p = 1 - r.Hidden
					}
					if seen = u == to.t; !seen {
						p = 1 - p
					}
					cost -= math.Log(r.Survive * p)
				}
				s = calm
				if m.odds > math.Inf(-1) && m.gain(fc, fw) > 0 {
					s = wild
				}
				m.update(&s, &scans[to.t], int(to.det))
				at = to
				n++
			}
			// It dies in one of the scans that follow, or is missed in all.
			ends, unseen := 0.0, 1.0
			for u := int(at.t); u < last; u++ {
				ends += unseen * (1 - r.Survive)
				p := 1 - r.Detect
				if u > int(at.t) && r.Hidden > 0 {
					p = r.Hidden
				}
				unseen *= r.Survive * p
			}
			cost -= math.Log(ends + unseen)
			if n == 1 {
				cost = min(cost, alarm)
			}
			sum += cost
		}
	}
	return sum
}
