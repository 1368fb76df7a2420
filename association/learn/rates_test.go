package learn

import (
	"slices"
	"testing"

	"mtt"

	"mtt/costgen"
)

// This file tests what rates make worth while.

// TestWorthwhile: the price of the longest gap that may be closed is below that of
// a death and a birth, and the longer the dearer those are.
func TestWorthwhile(t *testing.T) {
	levels := costgen.Levels{
		Sigma: 0.3, Accel: 0.3, SpeedStd: 0.7, Dim: 2, Interval: 1, PositionsOnly: true,
		Rates: costgen.Rates{Detect: 0.8, Survive: 0.9, Births: 0.5, Targets: 3, Clutter: 0.4, Volume: 30},
	}
	last := -1
	for _, births := range []float64{0.5, 0.05, 0.005} {
		levels.Rates.Births, levels.Rates.Survive = births, 1-births/5
		n := Worthwhile(&levels, 40, levels.LeastRun)
		if n <= last {
			t.Errorf("with %v births %d misses are worthwhile, with more births %d", births, n, last)
		}
		last = n
	}
	if n := Worthwhile(&levels, 3, levels.LeastRun); n != 3 {
		t.Errorf("%d misses, asked for at most 3", n)
	}
}

// TestLater: what is learnt from besides the first window comes after it, in order, spread over the
// scans; short recordings and those that nothing is missed in have none.
func TestLater(t *testing.T) {
	for _, c := range []struct {
		scans, detections int
		from              []int // scans with which parts begin
	}{
		{20, 30, nil},
		{50, 2000, []int{15, 28, 40}},
		{25, 2000, []int{12, 18}},
		{1000, 50, []int{494, 695, 896}},
	} {
		scans := make([]mtt.Scan, c.scans)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: make([]float64, 2*(c.detections+f%2))}
		}
		var from []int
		end := len(window(scans, enough, dozen))
		for _, part := range later(scans) {
			if first := part[0].Frame; first < end || len(part) < dozen/2 {
				t.Errorf("%d scans of %d: %d from %d on, after %d", c.scans, c.detections, len(part), first, end)
			}
			from, end = append(from, part[0].Frame), part[len(part)-1].Frame+1
		}
		if !slices.Equal(from, c.from) {
			t.Errorf("%d scans of %d: parts from %v on, want %v", c.scans, c.detections, from, c.from)
		}
		for f := range scans {
			scans[f].Pos = make([]float64, 2*c.detections)
		}
		if parts := later(scans); parts != nil {
			t.Errorf("%d equal scans: %d parts", c.scans, len(parts))
		}
	}
}
