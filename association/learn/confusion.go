package learn

import (
	"math"

	"mtt"
	"mtt/costgen"
)

// This file says how far targets can be told from their neighbours.

// Confusion is the number of other detections that are expected nearer to where a target is
// expected, from all that was detected of it, than its own next one: normally distributed around
// there, among others that are as dense as on average over the field. Above 1 the next detection is
// rarely the nearest, and only what later scans say is left. Scans of several sensors are not told
// apart.
func Confusion(scans []mtt.Scan, g *costgen.Levels) float64 {
	filter, p := expected(g, g.PositionsOnly)
	_, variance := filter.Innovated(p)
	ball := 2 * math.Pi * variance // of a radius as far away as the next detection is, on average
	if g.Dim == 3 {
		ball = 4 * math.Pi / 3 * 8 * math.Sqrt(2/math.Pi) * math.Pow(variance, 1.5)
	}
	return max(0, count(scans)/float64(max(1, len(scans)))-1) * ball / g.Rates.Volume
}
