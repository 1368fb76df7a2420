package learn

import (
	"cmp"
	"math"
	"math/rand/v2"
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
		for _, part := range later(scans, enough) {
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
		if parts := later(scans, enough); parts != nil {
			t.Errorf("%d equal scans: %d parts", c.scans, len(parts))
		}
	}
}

// TestCutOff: rates are those that tracks were drawn with, though windows are so short that of many
// targets one detection or none is seen.
func TestCutOff(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const windows, length = 200, 8
	truth := costgen.Rates{Targets: 40, Births: 9, Survive: 0.8, Detect: 0.9, Clutter: 30}
	var mean costgen.Rates
	for range windows {
		scans := make([]mtt.Scan, length)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: make([]float64, 2*int(truth.Clutter))}
		}
		var tracks []mtt.Track
		for born := range length {
			for range int(cmp.Or(float64(min(born, 1))*truth.Births, truth.Targets)) {
				tr := mtt.Track{ID: len(tracks) + 1, Dim: 2}
				for f := born; f < length; f++ {
					if rng.Float64() < truth.Detect {
						scans[f].Pos = append(scans[f].Pos, 0, 0)
						tr.Append(&scans[f], scans[f].Len()-1)
					}
					if rng.Float64() > truth.Survive {
						break
					}
				}
				if len(tr.Hits) > 1 {
					tracks = append(tracks, tr)
				}
			}
		}
		r := rates(nil, stretch{scans, tracks})
		mean.Targets += r.Targets / windows
		mean.Births += r.Births / windows
		mean.Survive += r.Survive / windows
		mean.Detect += r.Detect / windows
		mean.Clutter += r.Clutter / windows
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"targets", mean.Targets, truth.Targets}, {"births", mean.Births, truth.Births}, {"survive", mean.Survive, truth.Survive},
		{"detect", mean.Detect, truth.Detect}, {"clutter", mean.Clutter, truth.Clutter},
	} {
		t.Logf("%s: %.3g, want %.3g", c.name, c.got, c.want)
		if math.Abs(c.got-c.want) > 0.05*c.want {
			t.Errorf("%s: %.3g, want %.3g", c.name, c.got, c.want)
		}
	}
}
