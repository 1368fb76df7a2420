package task

import (
	"math"
	"testing"
)

// A probability is that of the margin, in the middle where that is not known exactly.
func TestLikelihood(t *testing.T) {
	inf := math.Inf(1)
	for _, x := range []struct{ least, most, want float64 }{
		{0, 0, 0.5}, {math.Log(3), math.Log(3), 0.75}, {0, inf, 0.75}, {inf, inf, 1}, {-1, 0, 0.5}, {0, math.Log(3), 0.625},
	} {
		if p := likelihood(x.least, x.most); math.Abs(p-x.want) > 1e-12 {
			t.Errorf("likelihood(%v, %v) = %v, want %v", x.least, x.most, p, x.want)
		}
	}
	if p := likelihood(math.NaN(), inf); !math.IsNaN(p) {
		t.Errorf("likelihood of an unknown margin is %v", p)
	}
}

// What tracks.csv shows of a lower bound is one.
func TestLessDigits(t *testing.T) {
	for _, x := range [][2]float64{{1.2345678, 1.23456}, {-1.2345601, -1.23457}, {701.999999, 701.999}, {0, 0}, {3, 3}, {1e-11, 1e-11}, {0.1, 0.1}} {
		if y := lessDigits(x[0]); y != x[1] {
			t.Errorf("lessDigits(%v) = %v, want %v", x[0], y, x[1])
		}
	}
	for k := range 10_000 {
		x := math.Exp(float64(k)/300 - 20)
		if y := lessDigits(x); y > x || y < x*(1-1.1e-5) || y != lessDigits(y) {
			t.Fatalf("lessDigits(%v) = %v", x, y)
		}
	}
}
