package learn

import (
	"math"

	"mtt"
	"mtt/costgen"
)

// This file tells scans at either end of a recording that nobody looked at from those in which
// nothing was detected.
//
// Targets die, come and are missed one by one. Where a recording begins or ends with scans without
// detections, and the next one has many, it is likelier that the sensor was not on yet, or not any
// more, than that all targets were missed, or came or went, at once. What is learnt from such a scan
// says that targets die often, or come often, for the sake of one moment.

// lit are the first scan with a detection and the one after the last; 0 and 0 where there is none.
func lit(scans []mtt.Scan) (first, last int) {
	last = len(scans)
	for last > 0 && scans[last-1].Len() == 0 {
		last--
	}
	for first < last && scans[first].Len() == 0 {
		first++
	}
	return first, last
}

// watched are the scans but for those at either end that nobody looked at: of which that is likelier,
// as it begins in one of the scans, than what those from the first one with a detection to before last
// say of them, of levels g or nil. What went unseen in them counts as well.
func watched(scans []mtt.Scan, first, last int, g *costgen.Levels) []mtt.Scan {
	part := scans[first:last]
	r := costgen.Rates{Detect: 1, Survive: 1}
	if g != nil {
		r = g.Rates
	}
	seen, one := count(part), math.Log(float64(len(part)+1))
	dark := func(next *mtt.Scan, scans int, births float64) bool {
		n := max(0, float64(next.Len())-r.Clutter)
		all := -n * math.Log(min(1, (seen*(2-r.Detect-r.Survive)+n+0.5)/(seen+n+1))) // missed or gone
		if births > 0 {                                                              // or all came then
			more, _ := math.Lgamma(n + 1)
			all = min(all, births-n*math.Log(births)+more)
		}
		return scans > 0 && all+float64(scans)*r.Clutter > one
	}
	if !dark(&part[0], first, r.Births) {
		first = 0
	}
	if !dark(&part[len(part)-1], len(scans)-last, 0) {
		last = len(scans)
	}
	return scans[first:last]
}
