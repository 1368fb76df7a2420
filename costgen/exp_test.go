package costgen

import (
	"math"
	"testing"
)

// This file tests exp against math.Exp.

func TestExp(t *testing.T) {
	var worst float64
	for x := 0.0; x > -700; x -= 0.00037 {
		worst = max(worst, math.Abs(exp(x)/math.Exp(x)-1))
	}
	if worst > 2e-13 {
		t.Errorf("relative error %.2g, want 2e-13 at most", worst)
	}
	for x, want := range map[float64]float64{0: 1, -1e-18: 1, 1e-18: 1, -701: 0, -1e300: 0, math.Inf(-1): 0} {
		if got := exp(x); got != want {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if got := exp(math.NaN()); !math.IsNaN(got) {
		t.Errorf("exp(NaN) = %v, want NaN", got)
	}
}

func BenchmarkExp(b *testing.B) {
	for _, bb := range []struct {
		name string
		f    func(float64) float64
	}{{"here", exp}, {"math", math.Exp}} {
		b.Run(bb.name, func(b *testing.B) {
			x, sum := 0.0, 0.0
			for b.Loop() {
				sum += bb.f(x)
				if x -= 0.01; x < -9 {
					x = 0
				}
			}
			if sum < 0 {
				b.Error("negative")
			}
		})
	}
}
