package association

import (
	"math"
	"slices"

	"mtt"
)

// This file notices scans that repeat the one before: frozen pictures, or rows written twice.

// repeated are the frames whose detections are, to the last digit, where those of the scan before are, two or more of them, and not by chance: targets that
// stand, seen in whole pixels, are often where they were. How often the tracks say that go between other scans.
func repeated(scans []mtt.Scan, tracks []mtt.Track) (frames []int) {
	const by = 0.01 // chance, of one such scan in all
	index := mtt.ByFrame(scans)
	same := make([]bool, len(scans))
	for t := 1; t < len(scans); t++ {
		same[t] = alike(&scans[t-1], &scans[t])
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

// alike reports whether the places of two scans are the same, in whatever order. It takes O(n) time where their sums are not.
func alike(a, b *mtt.Scan) bool {
	sum := func(s *mtt.Scan) (bits uint64) {
		for _, x := range s.Pos {
			bits += math.Float64bits(x)
		}
		return bits
	}
	return a.Len() == b.Len() && sum(a) == sum(b) && slices.Equal(ordered(a), ordered(b))
}

// ordered are the places of a scan, whatever order they came in.
func ordered(s *mtt.Scan) (places [][3]float64) {
	for i := range s.Len() {
		var p [3]float64
		copy(p[:], s.At(i))
		places = append(places, p)
	}
	slices.SortFunc(places, func(p, q [3]float64) int { return slices.Compare(p[:], q[:]) })
	return places
}
