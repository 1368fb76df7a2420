package learn

// This file tests what kinds of targets make of tracks.

import (
	"math"
	"testing"

	"mtt"
	"mtt/costgen"
)

// TestOfKindsShort: a track of two detections, which tells no kind from another, leaves the others'
// likelihood as it is.
func TestOfKindsShort(t *testing.T) {
	scans := make([]mtt.Scan, 20)
	long, short := mtt.Track{ID: 1, Dim: 2}, mtt.Track{ID: 2, Dim: 2}
	for f := range scans {
		x := float64(f)
		scans[f] = mtt.Scan{Frame: f, Time: x, Dim: 2, Pos: []float64{9 * x, math.Sin(x), x, 50}}
		long.Append(&scans[f], 0)
		if f < 2 {
			short.Append(&scans[f], 1)
		}
	}
	levels := func(speed float64) *costgen.Levels {
		return &costgen.Levels{Sigma: 0.5, Accel: 0.3, SpeedStd: speed, Interval: 1, Dim: 2, PositionsOnly: true}
	}
	l := &learner{part: scans, levels: levels(1), kinds: []kind{{levels: levels(1), tracks: 3}, {levels: levels(9), tracks: 1}}}
	alone := l.ofKinds([]mtt.Track{long})
	if with := l.ofKinds([]mtt.Track{long, short}); !(alone > 1) || with != alone {
		t.Errorf("%v nat with a track of two detections, %v without", with, alone)
	}
}
