package learn

import (
	"context"

	"mtt"
	"mtt/costgen"
)

// This file learns how many targets are replaced where all scans have equally many detections.
//
// Problem. Equal counts mostly say that nothing is missed, false, born or dead. In a periodic box
// they do not: who leaves on one side enters on another, and a flow that is simulated does the
// same. If nothing may begin or end, everything between has to move up by one place: the answer is
// wrong everywhere, and to find it takes ever longer ways through the scan.
//
// Idea. Price ends as if one target of all scans were replaced. An end that pays even so saves more
// than it would in any model that has more of them. Three in two steps, where fewer than one in
// five are expected, are no chance (p < .002).
//
// Cost. Two pilots of three scans.

// replaced returns how many targets are replaced from scan to scan, under levels that are otherwise
// right, of targets no faster than speed in m/s; 0: none.
func (l *learner) replaced(ctx context.Context, scans []mtt.Scan, levels *costgen.Levels, speed float64) (births float64, err error) {
	const few, least = 3, 3 // scans; targets
	if len(scans) <= few || l.Rates != nil {
		return 0, nil
	}
	g := *levels
	births = 1 / float64(len(scans)-1)
	for range 2 { // the second time at the price that they have
		replace(&g.Rates, births)
		tracks, _, err := l.run.Track(ctx, g.Told(scans[:few]), &Model{Cost: &costgen.Gaussian{Levels: g}, Levels: &g, Gate: l.gate(&g, speed), MaxSpeed: speed})
		if err != nil {
			return 0, err
		}
		n := float64(len(tracks)) - float64(scans[0].Len())
		if n < least {
			return 0, nil
		}
		births = n / (few - 1)
	}
	return births, nil
}

// replace sets rates to those of a scene where nothing is missed or false, and so many targets come
// for as many that go.
func replace(r *costgen.Rates, births float64) {
	r.Births, r.Survive = births, 1-births/r.Targets
}
