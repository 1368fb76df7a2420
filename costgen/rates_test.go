package costgen

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// This file tests what becomes of a target that is not detected.

// TestUneven: where targets are seen at rates that are Gamma distributed, runs of misses are what
// the mean over these says.
func TestUneven(t *testing.T) {
	for _, e := range []float64{0.25, 1, 3} {
		r := Rates{Detect: 0.1, Hidden: 0.8, Uneven: e, Survive: 0.99}
		gamma := distuv.Gamma{Alpha: 1 / e, Beta: 1 / (math.Pow(r.Hidden, -e) - 1)} // so that the mean of exp(−h) is Hidden
		const steps = 3000
		for _, n := range []int{0, 1, 2, 10, 300} {
			sum := 0.0
			for k := range steps {
				sum += math.Exp(-gamma.Quantile((float64(k)+0.5)/steps)*float64(n)) / steps
			}
			if got := r.StillMissed(n); math.Abs(got-sum) > 0.02*sum+1e-4 {
				t.Errorf("uneven %v: missed %d times more with probability %v, want %v", e, n, got, sum)
			}
		}
		gone, hidden := r.Fate(500)
		seen := 0.0 // after all runs of misses, or after none
		for k := range 500 {
			seen += math.Exp(-r.MissRun(k))
		}
		if total := seen + gone[500] + hidden[500]; math.Abs(total-1) > 1e-9 {
			t.Errorf("uneven %v: seen, gone or hidden with probability %v", e, total)
		}
	}
	even, nearly := Rates{Detect: 0.1, Hidden: 0.8, Survive: 0.99}, Rates{Detect: 0.1, Hidden: 0.8, Survive: 0.99, Uneven: 1e-6}
	for k := range 50 {
		if a, b := even.MissRun(k), nearly.MissRun(k); math.Abs(a-b) > 1e-3 {
			t.Errorf("%d misses cost %v, and %v where rates hardly differ", k, a, b)
		}
	}
	levels := Levels{Sigma: 1, SpeedStd: 1, Accel: 1, PositionsOnly: true, Rates: Rates{Detect: 0.1, Hidden: 0.8, Survive: 0.99, Births: 1, Targets: 1, Clutter: 1, Volume: 1}}
	want := levels.Ends()
	if levels.Rates.Uneven = 1; levels.Ends() != want {
		t.Error("the problem that misses cost a constant in depends on how uneven they are")
	}
}
