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
