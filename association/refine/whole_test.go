package refine

import (
	"math"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/motion"
)

// This file prices whole tracks, one after the other from the front, which is
// what refine does piece by piece from both sides.

// whole is the negative log likelihood of all detections, given the links: each
// track by a Kalman filter, its ends by the rates, the rest as false alarms.
// Positions of births and false alarms are uniform over the volume, their
// velocities Gaussian of the prior. Chains of one detection are false alarms
// where that is likelier.
func whole(c *chain.Links, scans []mtt.Scan, model *costgen.Levels) (sum float64) {
	comes, stays := local(model)
	m := motion.NewAxes(model.Params(dimension(scans)))
	mixture := m.Mixture()
	r := model.Rates
	last := len(scans) - 1
	for t := range scans {
		for i := range c.Prev[t] {
			if c.Prev[t][i] != chain.None {
				continue
			}
			at := chain.At(t, i)
			cost := math.Log(r.Volume) - math.Log(r.Births*r.Detect)
			if t == 0 {
				cost = math.Log(r.Volume) - math.Log(r.Targets*r.Detect)
			} else {
				cost -= comes(scans[t].At(i))
			}
			first := 0.0
			if !model.PositionsOnly {
				v := model.SpeedStd*model.SpeedStd + model.SigmaV*model.SigmaV
				for _, w := range scans[t].VelAt(i) {
					first += (w*w/v + math.Log(2*math.Pi*v)) / 2
				}
			}
			cost += first
			alarm := math.Log(r.Volume) - math.Log(r.Clutter) + first
			var s motion.State
			m.Start(&s, &scans[t], i)
			n := 1
			for to := c.Next[t][i]; to != chain.None; to = c.Next[to.T][to.Det] {
				dt := scans[to.T].Time - scans[at.T].Time
				wild := s
				m.Predict(&wild, dt, motion.Manoeuvre)
				calm := s
				m.Predict(&calm, dt, motion.Smooth)
				fc, fw := m.Innovation(&calm, &scans[to.T], int(to.Det)), m.Innovation(&wild, &scans[to.T], int(to.Det))
				cost += mixture.Price(fc, fw)
				for u, seen := at.T+1, true; u <= to.T; u++ { // a chain of two states: seen and hidden
					p := r.Detect
					if !seen && r.Hidden > 0 {
						p = 1 - r.Hidden
					}
					if seen = u == to.T; !seen {
						p = 1 - p
					}
					survive := r.Survive
					if u == at.T+1 {
						survive = stays(scans[at.T].At(int(at.Det)))
					}
					cost -= math.Log(survive * p)
				}
				s = calm
				if mixture.Any() && mixture.Gain(fc, fw) > 0 {
					s = wild
				}
				m.Update(&s, &scans[to.T], int(to.Det))
				at = to
				n++
			}
			// It dies in one of the scans that follow, or is missed in all.
			ends, unseen := 0.0, 1.0
			for u := int(at.T); u < last; u++ {
				survive := r.Survive
				if u == int(at.T) {
					survive = stays(scans[at.T].At(int(at.Det)))
				}
				ends += unseen * (1 - survive)
				p := 1 - r.Detect
				if u > int(at.T) && r.Hidden > 0 {
					p = r.Hidden
				}
				unseen *= survive * p
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

// dimension is that of the scans, 2 when all are empty.
func dimension(scans []mtt.Scan) int {
	for t := range scans {
		if scans[t].Len() > 0 {
			return scans[t].Dim
		}
	}
	return 2
}

// local are the log density of births at a place relative to an even one, and the
// probability that a target detected there is still alive one scan later.
func local(model *costgen.Levels) (comes, stays func(x []float64) float64) {
	comes, stays = func([]float64) float64 { return 0 }, func([]float64) float64 { return model.Rates.Survive }
	if p := model.Places; p != nil {
		comes = p.Births.At
		stays = func(x []float64) float64 {
			odds := (1 - model.Rates.Survive) / model.Rates.Survive * math.Exp(p.Deaths.At(x))
			return 1 / (1 + odds)
		}
	}
	return comes, stays
}
