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

// TestLosing: tracks of some scans leave over what those of the others have.
func TestLosing(t *testing.T) {
	counted := func(numbers ...int) (scans []mtt.Scan) {
		for f, n := range numbers {
			scans = append(scans, mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: make([]float64, 2*n)})
		}
		return scans
	}
	all := counted(12, 11, 12, 13, 12, 11, 12, 14, 12, 12)
	for _, c := range []struct {
		name     string
		over     []mtt.Scan
		from, to int // from = to: none
	}{
		{"late", counted(2, 1, 2, 3, 12, 11, 12, 14, 12, 12), 4, 10},
		{"early", counted(12, 11, 12, 13, 12, 1, 2, 4, 2, 2), 0, 5},
		{"alike", counted(2, 1, 2, 3, 2, 1, 2, 4, 2, 2), 0, 0},
		{"nothing", counted(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 0, 0},
		{"everything", all, 0, 0},
		{"two scans", counted(2, 1, 2, 3, 2, 1, 2, 4, 12, 12), 0, 0},
		{"too few", counted(2, 1, 2, 3, 4, 4, 5, 4, 6, 5), 0, 0},
	} {
		lost := Losing(all, c.over)
		if len(lost) != c.to-c.from || len(lost) > 0 && lost[0].Frame != c.from {
			t.Errorf("%s: %d scans are lost, want frames %d to %d", c.name, len(lost), c.from, c.to)
		}
	}
	if lost := Losing(nil, nil); lost != nil {
		t.Errorf("of no scans %d are lost", len(lost))
	}
}
