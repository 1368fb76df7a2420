package learn

import (
	"math"
	"slices"

	"mtt"
)

// This file tells scans of a crowd that spreads from the others.
//
// Problem. Of targets that set out from one place the first scans say the least of what follows
// what, and take the longest to learn from: pilots weigh triplets, which grow with the square of
// the density.
//
// Idea. How far detections of a scan are from their nearest neighbours says how dense they are,
// without any association.
//
// Cost. [neighboured] distances for each detection of the scans that are looked at: the last ones,
// and the first ones up to one that is no crowd.

// thinner is how many times as dense as the last scans a crowd is: then as many detections may
// follow one, and there are eighty times as many triplets.
const thinner = 9

// neighboured is the number of detections of a scan whose nearest neighbours are looked for.
const neighboured = 50

// Crowded is the number of scans, the first ones, in which detections lie more than [thinner] times
// as densely as in the last scans, of which there are the given number; these are never counted.
// Measured velocities tell what follows what in a crowd, too: then there are none.
func Crowded(scans []mtt.Scan, last int) (first int) {
	if len(scans) <= last || Velocities(scans) {
		return 0
	}
	rest := len(scans) - last
	var far []float64
	for t := rest; t < len(scans); t++ {
		far = append(far, spacing(&scans[t]))
	}
	slices.Sort(far)
	least := far[len(far)/2] / math.Pow(thinner, 1/float64(dimension(scans)))
	if math.IsInf(least, 1) {
		return 0
	}
	for first < rest && spacing(&scans[first]) < least {
		first++
	}
	return first
}

// spacing is the median distance of some detections of a scan, evenly spread over it, from their
// nearest neighbours, m; +Inf where there are no two.
func spacing(s *mtt.Scan) float64 {
	n := s.Len()
	if n < 2 {
		return math.Inf(1)
	}
	var all []float64
	for i := 0; i < n; i += 1 + n/neighboured {
		least := math.Inf(1)
		for j := range n {
			if j != i {
				least = min(least, distance(s.Pos[i*s.Dim:(i+1)*s.Dim], s.Pos[j*s.Dim:(j+1)*s.Dim]))
			}
		}
		all = append(all, least)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
