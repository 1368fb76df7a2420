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
// Idea. How far detections of a scan are from their nearest neighbours says how dense they are, and
// how far from their nearest in the next scan, where they are not dense, how far targets go, both
// without any association. Where neighbours are nearer than where a target is next, what is nearest
// says nothing.
//
// Cost. [looked] detections of each scan that is looked at, the last ones, and the first ones up to
// one that is no crowd, times those of a scan.

// thinner is how many times as far apart as in a crowd detections of the last scans are: where
// chance alone says what follows what, successors are as far as neighbours in all scans.
const thinner = 2

// looked is the number of detections of a scan whose nearest neighbours are looked for.
const looked = 50

// Crowded is the number of scans, the first ones, in which detections are nearer to each other than
// those of the last scans, of which there are the given number, are to the next, and more than
// [thinner] times as near as these are to each other; the last ones are never counted.
// Measured velocities tell what follows what in a crowd, too: then there are none.
func Crowded(scans []mtt.Scan, last int) (first int) {
	if len(scans) <= last || Velocities(scans) {
		return 0
	}
	rest := len(scans) - last
	var apart, steps []float64
	for t := rest; t < len(scans); t++ {
		apart = append(apart, spacing(&scans[t], &scans[t]))
		if t > rest {
			steps = append(steps, spacing(&scans[t-1], &scans[t]))
		}
	}
	slices.Sort(apart)
	slices.Sort(steps)
	least := apart[len(apart)/2] / thinner
	if len(steps) > 0 {
		least = min(least, steps[len(steps)/2])
	}
	if math.IsInf(least, 1) {
		return 0
	}
	for first < rest && spacing(&scans[first], &scans[first]) < least {
		first++
	}
	return first
}

// spacing is the median distance of some detections of a scan, evenly spread over it, from their
// nearest ones of another, or, of the same scan, from their nearest neighbours, m; +Inf where there
// are none.
func spacing(s, other *mtt.Scan) float64 {
	n := s.Len()
	var all []float64
	for i := 0; i < n; i += 1 + n/looked {
		least := math.Inf(1)
		for j := range other.Len() {
			if s != other || j != i {
				least = min(least, distance(s.At(i), other.At(j)))
			}
		}
		all = append(all, least)
	}
	if len(all) == 0 {
		return math.Inf(1)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
