package costgen

import (
	"math"
	"testing"
)

// This file tests log against math.Log.

func TestLog(t *testing.T) {
	var worst float64
	check := func(x float64) {
		want := math.Log(x)
		worst = max(worst, (math.Abs(log(x)-want)-1e-15*math.Abs(want))/2e-15)
	}
	for x := 1.0; x < 2; x += 0.000037 {
		check(x)
		check(math.Nextafter(x, 0))
	}
	for x := 5e-308; x < 1e308; x *= 1.0037 {
		check(x)
	}
	if worst > 1 {
		t.Errorf("error %.2g times as large as it may be", worst)
	}
	for _, x := range []float64{0, 5e-324, 1e-310, math.Inf(1), math.MaxFloat64} {
		if got, want := log(x), math.Log(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("log(%v) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{-1, math.Inf(-1), math.NaN()} {
		if got := log(x); !math.IsNaN(got) {
			t.Errorf("log(%v) = %v, want NaN", x, got)
		}
	}
}

func BenchmarkLog(b *testing.B) {
	for _, bb := range []struct {
		name string
		f    func(float64) float64
	}{{"here", log}, {"math", math.Log}} {
		b.Run(bb.name, func(b *testing.B) {
			x, sum := 1.0, 0.0
			for b.Loop() {
				sum += bb.f(x)
				if x *= 0.987; x < 1e-9 {
					x = 1
				}
			}
			if math.IsNaN(sum) {
				b.Fatal("not a number")
			}
		})
	}
}
