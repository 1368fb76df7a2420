package learn

import (
	"mtt"
	"mtt/costgen"
)

// This file keeps possible what was never seen.
//
// Where all scans have equally many detections nothing is missed, false, born or dead in them, and prices that say so are those of all these scans. Of scans
// that are yet to come they say too much: a target that is missed once would be another from then on. Half an event more than there
// were is counted then, as where counts differ (rates).

// never is less than any rate that is counted.
const never = 1e-9

// open lets happen in scans that follow what the levels say never does: half of it in as many links and scans as there are.
func (m *Model) open(scans []mtt.Scan, noMisses bool) {
	if m.Levels == nil || m.Levels.Sensing != nil || len(scans) < 2 {
		return
	}
	g, steps := *m.Levels, float64(len(scans)-1)
	r, seldom := &g.Rates, 0.5/(count(scans[1:])+1)
	if 1-r.Detect < never && !noMisses {
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
	m.Levels, m.Cost = &g, &costgen.Gaussian{Levels: g}
}
