package smooth

import (
	"math"

	"mtt"
)

// This file smooths sizes of boxes.
//
// Problem. A detector's box is wider and narrower from frame to frame than what it shows, and where
// its target is missed there is none.
//
// Idea. The logarithms of width and height are random walks that are measured with noise, each axis
// by itself: what is near changes in proportion. Only how much of a step is walk tells how far to
// average: the ratio of the walk's variance in a second to that of the noise, the likeliest for all
// tracks together, of ratios a third apart. The variance itself is that of the innovations, so that
// nothing has to be known. Then a Kalman filter forward and the smoother of Rauch, Tung and
// Striebel back.
//
// Invariant. Sizes are between the least and the largest of the track's own.
//
// Cost. 64 passes over at most some twenty thousand detections, and two over all.

// A sizer smooths one axis of boxes: 0 is their width, 1 their height.
type sizer struct {
	axis int
	walk float64 // variance of a second's walk, of measurements that have 1
}

// mostSized is the number of detections from which walks are learnt.
const mostSized = 20000

// newSizer learns the walk of an axis from tracks of scans, whose boxes they have.
func newSizer(scans []mtt.Scan, tracks []mtt.Track, axis int) sizer {
	index := mtt.ByFrame(scans)
	var logs, dts []float64 // of each detection, dts to the one before; NaN for the first of a track
	span := 0.0
	for i := range tracks {
		tr, last := &tracks[i], math.NaN()
		for h := range tr.Hits {
			v := tr.Size[2*h+axis]
			if !(v > 0) {
				continue
			}
			now := scans[index[tr.Hits[h].Frame]].Time
			logs, dts = append(logs, math.Log(v)), append(dts, now-last)
			if now > last {
				span += now - last
			}
			last = now
		}
		if len(logs) >= mostSized {
			break
		}
	}
	best := sizer{axis, 0}
	if span == 0 {
		return best
	}
	unit := float64(len(logs)) / span // of a typical step
	most := math.Inf(-1)
	for k := range 64 {
		s := sizer{axis, unit * math.Pow(10, float64(k)/8-6)}
		if l := s.likelihood(logs, dts); l > most {
			best, most = s, l
		}
	}
	return best
}

// likelihood is the log density of all, but for a constant, where the noise is as large as makes
// them likeliest.
func (s sizer) likelihood(logs, dts []float64) float64 {
	n, dets, square := 0.0, 0.0, 0.0
	var mean, variance float64
	for i, z := range logs {
		if math.IsNaN(dts[i]) {
			mean, variance = z, 1
			continue
		}
		variance += s.walk * dts[i]
		e, of := z-mean, variance+1
		n, dets, square = n+1, dets+math.Log(of), square+e*e/of
		mean += variance / of * e
		variance /= of
	}
	return -(dets + n*math.Log(square/n+1e-30)) / 2
}

// smooth sets every second of sizes, from axis on, to that of the track at the times of scans, from
// its first detection to its last.
func (s sizer) smooth(sizes []float64, tr *mtt.Track, scans []mtt.Scan) {
	next, first := 0, -1                     // first is the scan of the first measurement
	variances := make([]float64, len(scans)) // of the filtered
	var mean, variance float64
	for k := range scans {
		if first >= 0 {
			variance += s.walk * (scans[k].Time - scans[k-1].Time)
		}
		if next < len(tr.Hits) && tr.Hits[next].Frame == scans[k].Frame {
			v := tr.Size[2*next+s.axis]
			next++
			switch {
			case !(v > 0): // no measurement
			case first < 0:
				first, mean, variance = k, math.Log(v), 1
			default:
				of := variance + 1
				mean += variance / of * (math.Log(v) - mean)
				variance /= of
			}
		}
		sizes[2*k+s.axis], variances[k] = mean, variance
	}
	if first < 0 {
		return // all are 0
	}
	for k := len(scans) - 2; k >= 0; k-- {
		x, after := &sizes[2*k+s.axis], sizes[2*k+2+s.axis]
		if k < first {
			*x = after
			continue
		}
		*x += variances[k] / (variances[k] + s.walk*(scans[k+1].Time-scans[k].Time)) * (after - *x)
	}
	for k := range scans {
		sizes[2*k+s.axis] = math.Exp(sizes[2*k+s.axis])
	}
}

// boxed reports whether all tracks are of boxes.
func boxed(tracks []mtt.Track) bool {
	for i := range tracks {
		if len(tracks[i].Size) < 2*len(tracks[i].Hits) {
			return false
		}
	}
	return true
}
