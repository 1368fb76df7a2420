package learn

import (
	"testing"

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
		n := Worthwhile(&levels, 40)
		if n <= last {
			t.Errorf("with %v births %d misses are worthwhile, with more births %d", births, n, last)
		}
		last = n
	}
	if n := Worthwhile(&levels, 3); n != 3 {
		t.Errorf("%d misses, asked for at most 3", n)
	}
}
