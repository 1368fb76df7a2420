package association

import (
	"math"

	"mtt"
)

// This file says whether targets that are said to wander go somewhere together.

// Drift matters from a share of a usual step on, of so many tracks and where it is so many standard
// errors from none.
const driftShare, driftTracks, driftErrors = 0.25, 8, 6

// drift is the mean velocity of all tracks, weighed by how long they are, nil where it does not
// matter. Of targets that wander each by itself it is none: it is the sensor, or what carries them,
// that moves. Its standard error comes of how tracks differ.
func drift(scans []mtt.Scan, tracks []mtt.Track) []float64 {
	index := mtt.ByFrame(scans)
	type mean struct {
		v    [3]float64
		time float64
	}
	var all []mean
	var sum [3]float64
	total, steps, n := 0.0, 0.0, 0.0
	for i := range tracks {
		tr := &tracks[i]
		last := len(tr.Hits) - 1
		if last < 2 {
			continue
		}
		at := func(h int) float64 { return scans[index[tr.Hits[h].Frame]].Time }
		m := mean{time: at(last) - at(0)}
		for c := range tr.Dim {
			m.v[c] = (tr.At(last)[c] - tr.At(0)[c]) / m.time
			sum[c] += m.v[c] * m.time
		}
		for h := 1; h <= last; h++ {
			for c := range tr.Dim {
				d := tr.At(h)[c] - tr.At(h - 1)[c]
				steps += d * d
			}
			n++
		}
		total += m.time
		all = append(all, m)
	}
	if len(all) < driftTracks {
		return nil
	}
	v := make([]float64, tracks[0].Dim)
	square, speed := 0.0, 0.0
	for c := range v {
		v[c] = sum[c] / total
		speed += v[c] * v[c]
		for _, m := range all {
			d := (m.v[c] - v[c]) * m.time / total
			square += d * d
		}
	}
	if speed < driftErrors*driftErrors*square || math.Sqrt(speed)*total/n < driftShare*math.Sqrt(steps/n) {
		return nil
	}
	return v
}
