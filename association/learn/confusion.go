package learn

import (
	"math"

	"mtt"
	"mtt/costgen"
)

// This file says how far targets can be told from their neighbours.

// Confusion is the number of other detections that are expected nearer to where a target is
// expected, from all that was detected of it, than its own next one: normally distributed around
// there, among others that are as dense as on average over the field. Where velocities are measured
// they count, too, those of others being distributed as all are; without them there would be no fewer.
// Above 1 the next detection is rarely the nearest, and only what later scans say is left. Scans of
// several sensors are not told apart.
func Confusion(scans []mtt.Scan, g *costgen.Levels) float64 {
	filter, p := expected(g, g.PositionsOnly)
	s, det := filter.Innovated(p)
	// Balls of a radius as far away as the next detection is, on average.
	ball, all := 2*math.Pi*s[0], 12*math.Pi*math.Pi*det
	if g.Dim == 3 {
		ball, all = 4*math.Pi/3*8*math.Sqrt(2/math.Pi)*math.Pow(s[0], 1.5), 80*math.Pow(math.Pi, 3)*math.Pow(det, 1.5)
	}
	if spread := g.SpeedStd*g.SpeedStd + g.SigmaV*g.SigmaV; !g.PositionsOnly && spread > 0 {
		// Two velocities of the spread are as near to each other as this is dense.
		ball = min(ball, all/math.Pow(4*math.Pi*spread, float64(max(g.Dim, 2))/2))
	}
	return max(0, count(scans)/float64(max(1, len(scans)))-1) * ball / g.Rates.Volume
}
