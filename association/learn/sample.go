package learn

import (
	"cmp"
	"slices"

	"mtt"
)

// This file chooses what of many scans is learnt from.
//
// Problem. Pilots track what levels are learnt from some thirty times over, while all scans are
// tracked once: learnt from twenty thousand detections, levels of a hundred thousand took longer
// than the tracks. And the first scans need not be like the others: targets set out from one place,
// or stand, or come by and by.
//
// Idea. How many detections it takes follows from how exact levels have to be. Each of k levels that
// n detections tell costs half a nat of what these are likelier for, spread over n, for every
// detection that is tracked with it [1]: k/2n in all. What is less than [worth], learning does not
// take for real anyway; a tenth of that is lost beside it. Whether levels under which each
// detection is likelier by w nat are likelier by n·w then, is sure as well: the variance of such a
// difference is about 2n·w [2], and it is n·w/√(2n·w) = 5 standard errors from none for w = worth.
//
// So there is one window to learn from, and four smaller ones, as large together, over all the time
// that there is. The large one is where detections lie neither most densely nor most sparsely. All
// that is fitted to tracks, and all that is counted in them, is of all five.
//
// Invariant. Nothing changes for scans with no more detections than are learnt from whole and in
// windows, nor where all scans have equally many, as there next to nothing is tried; nor where few
// detections are followed in the next scan, as then targets are seen in few scans of a window.
//
// Cost. A few passes over the detections.
//
// [1] S. S. Wilks. The large-sample distribution of the likelihood ratio for testing composite
// hypotheses. Ann. Math. Stat. 9, 1938.
//
// [2] Of densities p and q that differ little the mean of log p/q is half its variance.

// learntLevels are the levels and rates that a typical lesson learns: noise of positions and of
// velocities, acceleration, spread and loss of velocities, and how often targets are missed, missed
// again, stay, come, and how often nothing is there.
const learntLevels = 10

// precise is the number of detections from which levels are learnt as exactly as answers need them.
const precise = learntLevels / 2 * 10 / worth

// sampled is the number of detections beyond which a sample stands for all: those that are learnt from
// where it does not, in the first window and in later ones. The sample is as large as they are there, and
// becomes smaller as fast as the square of their number, until it is as small as precise.
const sampled = 3 * enough / 2

// laterWindows is the number of windows beside the large one.
const laterWindows = 4

// A sample says which scans are learnt from, of so many.
type sample struct {
	scans int
	size  int    // detections of the large window
	part  span   // the large window
	later []span // the others, in order of time; they share no scan with it
}

// A span is the scans from ≤ t < to.
type span struct{ from, to int }

// of are the scans of a span.
func (s span) of(scans []mtt.Scan) []mtt.Scan { return scans[s.from:s.to] }

// sampleOf is what is learnt from of scans; nil: windows from the first scan on, see [window].
func sampleOf(scans []mtt.Scan, opts *Options) *sample {
	const places = 8 // that the large window may be at
	all := count(scans)
	if all <= sampled || opts.Levels != nil || opts.Cost != nil || len(opts.alone().Sensors) > 0 || large(scans) || steady(scans) {
		return nil
	}
	s := &sample{scans: len(scans), size: max(int(enough*(sampled/all)*(sampled/all)), precise)}
	at := make([]span, places)
	before, t := 0.0, 0
	for k := range at {
		for ; before < float64(2*k+1)/(2*places)*all-float64(s.size)/2; t++ {
			before += float64(scans[t].Len())
		}
		at[k] = spanAt(scans, t, s.size, 2*dozen)
	}
	dense := func(w span) float64 { return density(w.of(scans)) }
	slices.SortStableFunc(at, func(v, w span) int { return cmp.Compare(dense(v), dense(w)) })
	s.part = at[(places-1)/2]
	if followedNext(s.part.of(scans)) < oftenEnough {
		return nil
	}
	left := count(s.part.of(scans))
	for k := range laterWindows {
		w := spanAt(scans, k*(len(scans)-1)/(laterWindows-1), s.size/laterWindows, dozen/2)
		if n := count(w.of(scans)); n <= 2*left && !w.overlaps(s.part) && (len(s.later) == 0 || !w.overlaps(s.later[len(s.later)-1])) {
			s.later = append(s.later, w)
			left -= n
		}
	}
	return s
}

// spanAt is a window from a scan on, or before it where too few follow, with more than so many
// detections and so many scans; with a dozen where these have as many as are enough anyway.
func spanAt(scans []mtt.Scan, from, detections, least int) span {
	w, n := span{from, from}, 0
	for n <= detections || w.to-w.from < least && (n <= enough || w.to-w.from < dozen) {
		switch {
		case w.to < len(scans):
			n += scans[w.to].Len()
			w.to++
		case w.from > 0:
			w.from--
			n += scans[w.from].Len()
		default:
			return w
		}
	}
	return w
}

// overlaps reports whether two spans share a scan.
func (s span) overlaps(o span) bool { return s.from < o.to && o.from < s.to }

// windows are the large window and the later ones of scans.
func (s *sample) windows(scans []mtt.Scan) (part []mtt.Scan, later [][]mtt.Scan) {
	for _, w := range s.later {
		later = append(later, w.of(scans))
	}
	return s.part.of(scans), later
}

// density is how many detections a scan has for the middle half of the detections of all along each axis.
func density(scans []mtt.Scan) float64 {
	n := count(scans) / float64(len(scans))
	for d := range dimension(scans) {
		var x []float64
		for t := range scans {
			for i := range scans[t].Len() {
				x = append(x, scans[t].At(i)[d])
			}
		}
		if slices.Sort(x); len(x) > 0 {
			n /= max(x[len(x)*3/4]-x[len(x)/4], tiny)
		}
	}
	return n
}
