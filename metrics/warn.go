package metrics

import (
	"fmt"
	"slices"
)

// This file notices input that can be scored but was probably not meant.

// warnFrames notices truth and tracks that share no frame.
func warnFrames(warnings []string, s *scene) []string {
	if s.truth.hits() == 0 || s.tracks.hits() == 0 {
		return warnings
	}
	for t := range s.frames {
		if len(s.truth.frame(t)) > 0 && len(s.tracks.frame(t)) > 0 {
			return warnings
		}
	}
	return append(warnings, "truth and tracks have no frame in common: are they of the same scene, "+
		"and do both count frames from the same number?")
}

// warnFar notices tracks that hold the right detections at positions that the
// threshold calls wrong: then the threshold is too small for the noise.
func warnFar(warnings []string, s *scene, own *ownership, o *Options) []string {
	var dist []float64
	far, limit := 0, o.limit()
	for hit, held := range own.truth {
		if held < 0 {
			continue
		}
		a, b := s.truth.place(int32(hit), 0, s.boxes), s.tracks.place(held, 0, s.boxes)
		d := s.distance(&a, &b)
		dist = append(dist, d)
		if d > limit {
			far++
		}
	}
	if 10*far <= len(dist) {
		return warnings
	}
	slices.Sort(dist)
	most := dist[len(dist)*99/100]
	advice := fmt.Sprintf("a MatchDistance of %.2g would accept 99 %%", 1.05*most)
	if s.boxes {
		advice = "lower MatchIoU, or compare Points"
	}
	return append(warnings, fmt.Sprintf("%.0f %% of the track hits that hold a detection of a target lie beyond "+
		"the match threshold from that target, so CLEAR MOT, IDF1 and HOTA count them as false: %s",
		percent(far, len(dist)), advice))
}

// warnFew notices points in common frames of which fewer than half match: then the threshold may be
// too small for them.
func warnFew(warnings []string, s *scene, matches int, o *Options) []string {
	if s.boxes || len(warnings) > 0 || 2*matches >= min(s.truth.hits(), s.tracks.hits()) {
		return warnings
	}
	return append(warnings, fmt.Sprintf("%d of %d track hits lie within the match distance %v of a true hit, and CLEAR MOT, IDF1 and HOTA count the others as false: "+
		"is the distance right, in the unit of the positions?", matches, s.tracks.hits(), o.MatchDistance))
}
