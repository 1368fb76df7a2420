package association

import (
	"math"
	"slices"

	"mtt"
)

// This file notices scans that repeat the one before: frozen pictures, or rows written twice.

// repeated are the frames whose detections are, to the last digit, where those of the scan before
// are, two or more of them, and not by chance: targets that stand, seen in whole pixels, are often
// where they were. How often the tracks say that go between other scans. It takes O(n) time.
func repeated(scans []mtt.Scan, tracks []mtt.Track) (frames []int) {
	const by = 0.01 // chance, of one such scan in all
	index := mtt.ByFrame(scans)
	same := make([]bool, len(scans))
	for t := 1; t < len(scans); t++ {
		same[t] = scans[t].Len() == scans[t-1].Len() && places(&scans[t]) == places(&scans[t-1])
	}
	equal, steps := 0.5, 1.0 // half an event each way
	for i := range tracks {
		for k, h := range tracks[i].Hits {
			if t := index[h.Frame]; k > 0 && tracks[i].Hits[k-1].Frame == scans[max(t-1, 0)].Frame && !same[t] {
				if steps++; slices.Equal(tracks[i].At(k-1), tracks[i].At(k)) {
					equal++
				}
			}
		}
	}
	for t := range scans {
		if n := scans[t].Len(); same[t] && n > 1 && float64(len(scans))*math.Pow(equal/steps, float64(n)) < by {
			frames = append(frames, scans[t].Frame)
		}
	}
	return frames
}

// places is a number that two scans share if their detections are at the same places, in whatever
// order, and else next to never: a sum of hashes.
func places(s *mtt.Scan) (sum uint64) {
	for i := range s.Len() {
		var h uint64
		for _, x := range s.At(i) {
			h = (h ^ math.Float64bits(x+0)) * 0x9e3779b97f4a7c15 // + 0: of −0, too
			h ^= h >> 29
		}
		sum += h * 0xbf58476d1ce4e5b9
	}
	return sum
}
