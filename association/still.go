package association

import (
	"math"

	"mtt"
)

// This file finds tracks that stand still and may be false alarms that come again and again at fixed places.
//
// Problem. A reflection or a lamp gives a false alarm in many scans, always at the same place.
// Levels take it for a target that does not move, and a target that does not move looks the same.
//
// Idea. A sensor sees all its targets about as often. Where tracks that stand still all along are
// seen far less often than those that move, they are hardly of the same kind. A track stands still
// where its detections scatter about their mean without order: the mean square of successive
// differences is twice their variance then [1], and next to nothing where it moves.
//
// Cost. In proportion to the detections in tracks.
//
// [1] J. von Neumann. Distribution of the ratio of the mean square successive difference to the
// variance. Ann. Math. Stat. 12 (1941).

// A standing says which tracks stand still.
type standing struct {
	tracks       int
	here, others float64 // share of the scans in which these are detected, from first to last, and in which the others are
}

// still are tracks of scans that stand still, of at least ten detections each, within so many m of
// their mean on average along an axis, where they are detected less often than the others by a
// tenth of the scans, and more than chance has it; else none.
func still(scans []mtt.Scan, tracks []mtt.Track, within float64) (found standing) {
	const least = 10 // detections
	at := mtt.ByFrame(scans)
	var seen, looked [2]float64 // of those that move, and of those that stand
	for i := range tracks {
		tr := &tracks[i]
		n := len(tr.Hits)
		if n < 2 {
			continue
		}
		kind := 0
		if n >= least && stands(tr, within) {
			kind = 1
			found.tracks++
		}
		seen[kind] += float64(n - 1)
		looked[kind] += float64(at[tr.Hits[n-1].Frame] - at[tr.Hits[0].Frame])
	}
	if found.tracks == 0 || looked[0] == 0 {
		return standing{}
	}
	found.others, found.here = seen[0]/looked[0], seen[1]/looked[1]
	all := (seen[0] + seen[1]) / (looked[0] + looked[1])
	deviation := math.Sqrt(all * (1 - all) * (1/looked[0] + 1/looked[1]))
	if less := found.others - found.here; less < 0.1 || less < following*deviation {
		return standing{}
	}
	return found
}

// stands reports whether the detections of a track scatter about their mean without order, within
// so many m along an axis: the ratio of their mean square successive difference to their variance
// is 2 then, with a standard deviation of 2 over the root of the number of coordinates.
func stands(tr *mtt.Track, within float64) bool {
	n := len(tr.Hits)
	var mean [3]float64
	for h := range n {
		for k, x := range tr.At(h) {
			mean[k] += x / float64(n)
		}
	}
	var squares, changes float64
	for h := range n {
		for k, x := range tr.At(h) {
			squares += (x - mean[k]) * (x - mean[k])
			if h > 0 {
				d := x - tr.At(h - 1)[k]
				changes += d * d
			}
		}
	}
	coordinates := float64(n * tr.Dim)
	return squares <= coordinates*within*within && changes >= squares*(2-3*2/math.Sqrt(coordinates))
}
