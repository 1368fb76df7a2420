package learn

import (
	"testing"

	"mtt"
	"mtt/costgen"
)

// TestWatched: empty scans at either end are those that nobody looked at where that is likelier than
// that all who were there went unseen at once.
func TestWatched(t *testing.T) {
	steady := &costgen.Levels{Rates: costgen.Rates{Detect: 1, Survive: 1}}
	seldom := &costgen.Levels{Rates: costgen.Rates{Detect: 0.3, Survive: 0.98, Births: 0.1, Clutter: 0.01}}
	alarms := &costgen.Levels{Rates: costgen.Rates{Detect: 0.9, Survive: 0.98, Births: 0.1, Clutter: 9}}
	leaving := &costgen.Levels{Rates: costgen.Rates{Detect: 0.99, Survive: 0.75, Births: 0.1, Clutter: 0.01}}
	coming := &costgen.Levels{Rates: costgen.Rates{Detect: 0.95, Survive: 0.95, Births: 2, Clutter: 0.01}}
	for _, x := range []struct {
		name        string
		counts      []int
		g           *costgen.Levels
		first, last int
	}{
		{"five targets, no more", []int{5, 5, 5, 5, 5, 5, 0}, steady, 0, 6},
		{"for long", []int{5, 5, 5, 5, 5, 5, 0, 0, 0, 0, 0, 0, 0, 0}, steady, 0, 6},
		{"five targets, not yet", []int{0, 0, 5, 5, 5, 5, 5, 5}, steady, 2, 8},
		{"both", []int{0, 5, 5, 5, 5, 5, 5, 0}, steady, 1, 7},
		{"levels that are not known", []int{5, 5, 5, 5, 5, 5, 0}, nil, 0, 6},
		{"one target that leaves", []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0}, steady, 0, 13},
		{"the last of many", []int{9, 7, 6, 4, 3, 2, 1, 0, 0}, leaving, 0, 9},
		{"two that are seldom seen", []int{2, 2, 1, 3, 2, 1, 2, 0}, seldom, 0, 8},
		{"forty that are seldom seen", []int{40, 44, 38, 42, 40, 41, 0}, seldom, 0, 6},
		{"false alarms are missing", []int{9, 10, 8, 9, 12, 9, 0}, alarms, 0, 6},
		{"two that come as others do", []int{0, 0, 2, 4, 6, 8, 9, 9, 9}, coming, 0, 9},
		{"many at once", []int{0, 0, 20, 21, 19, 20, 20}, coming, 2, 7},
	} {
		scans := make([]mtt.Scan, len(x.counts))
		for k, n := range x.counts {
			scans[k] = mtt.Scan{Frame: k, Time: float64(k), Dim: 2, Pos: make([]float64, 2*n)}
		}
		from, to := lit(scans)
		kept := watched(scans, from, to, x.g)
		if first, last := kept[0].Frame, kept[len(kept)-1].Frame+1; first != x.first || last != x.last {
			t.Errorf("%s: scans %d to before %d, want %d and %d", x.name, first, last, x.first, x.last)
		}
	}
}
