package metrics

import (
	"fmt"
	"math"
	"slices"
)

// This file notices frames that are numbered otherwise, and distances that tell no targets apart,
// in a sample of the hits.

// A sample has so many frames, evenly spread, and hits of each that are compared with so many of
// the other side in all.
const sampleFrames, samplePairs = 100, 200_000

// sample calls visit with hits of truth, and with the number of their frame.
func (s *scene) sample(visit func(t int, hit int32)) {
	step := max(1, len(s.frames)/sampleFrames)
	for t := 0; t < len(s.frames); t += step {
		hits := s.truth.frame(t)
		most := max(1, samplePairs/max(1, len(hits), len(s.tracks.frame(t))))
		for i := 0; i < len(hits); i += max(1, (len(hits)+most-1)/most) {
			visit(t, hits[i])
		}
	}
}

// nearest is how far the nearest of other hits is from a hit of truth, but for the hit itself;
// +Inf: there is none.
func (s *scene) nearest(hit int32, other *side, hits []int32) float64 {
	near := math.Inf(1)
	a := s.truth.place(hit, 0, s.boxes)
	for _, h := range hits {
		if other == &s.truth && h == hit {
			continue
		}
		b := other.place(h, 0, s.boxes)
		near = min(near, s.distance(&a, &b))
	}
	return near
}

// median is the middle of a list, which it sorts.
func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// fewSampled are hits that tell nothing.
const fewSampled = 20

// warnShift notices tracks that lie half as far from the truth of the frame before or after as from
// that of their own: then one of the two counts frames from another number.
func warnShift(warnings []string, s *scene) []string {
	if len(warnings) > 0 {
		return warnings
	}
	for _, by := range []int{-1, 1} {
		var own, other []float64
		apart := 0
		s.sample(func(t int, hit int32) {
			if t+by < 0 || t+by >= len(s.frames) || len(s.tracks.frame(t)) == 0 || len(s.tracks.frame(t+by)) == 0 {
				return
			}
			apart = s.frames[t+by] - s.frames[t]
			own = append(own, s.nearest(hit, &s.tracks, s.tracks.frame(t)))
			other = append(other, s.nearest(hit, &s.tracks, s.tracks.frame(t+by)))
		})
		if len(own) < fewSampled {
			continue
		}
		if a, b := median(own), median(other); 2*b < a {
			return append(warnings, fmt.Sprintf("half of the true positions are within %.2g of a track of their own frame, but within %.2g of one of the frame numbered %+d: "+
				"do both count frames from the same number? Nothing was shifted", a, b, apart))
		}
	}
	return warnings
}

// warnWide notices a match distance that is twice that from a target to its nearest neighbour, or
// more: then a disc of that radius has three targets by chance, and whatever is said to be
// somewhere among them matches one.
func warnWide(warnings []string, s *scene, o *Options) []string {
	if s.boxes {
		return warnings
	}
	var near []float64
	s.sample(func(t int, hit int32) {
		if len(s.truth.frame(t)) > 1 {
			near = append(near, s.nearest(hit, &s.truth, s.truth.frame(t)))
		}
	})
	if len(near) < fewSampled {
		return warnings
	}
	m := median(near)
	if o.MatchDistance <= 2*m {
		return warnings
	}
	advice := "whatever lies among them matches"
	if m > 0 {
		advice = fmt.Sprintf("a MatchDistance of %.2g, half of that, tells them apart", m/2)
	}
	return append(warnings, fmt.Sprintf("half of the true targets have another within %.2g, and the match distance is %v: tracks anywhere among them count as right; %s",
		m, o.MatchDistance, advice))
}
