package fsum

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestSum compares with sums of 3000 bits, over all magnitudes and with terms that cancel.
func TestSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		var s, u Sum
		want := new(big.Float).SetPrec(3000)
		scale := rng.IntN(290)
		var used []float64
		for range rng.IntN(200) {
			x := rng.NormFloat64() * math.Pow10(rng.IntN(2*scale+1)-scale)
			switch {
			case len(used) > 0 && rng.IntN(3) == 0:
				x = -used[rng.IntN(len(used))]
			case rng.IntN(20) == 0:
				x = 5e-324
			}
			used = append(used, x)
			if rng.IntN(2) == 0 {
				u.Add(-x)
			} else {
				s.Add(x)
			}
			want.Add(want, new(big.Float).SetFloat64(x))
		}
		s.Sub(&u)
		w, _ := want.Float64()
		if got := s.Value(); math.Abs(got-w) > 0x1p-52*math.Abs(w) {
			t.Fatalf("sum of %v is %v, want %v", used, got, w)
		}
	}
	if got := new(Sum).Value(); got != 0 {
		t.Errorf("no terms: %v", got)
	}
}

// TestSumNotFinite wants an end, and no number, of terms that are none.
func TestSumNotFinite(t *testing.T) {
	for _, x := range []float64{math.Inf(1), math.NaN()} {
		var s Sum
		for range 100 {
			s.Add(x)
			s.Add(1)
		}
		if got := s.Value(); got-got == 0 {
			t.Errorf("sum of %v is %v", x, got)
		}
	}
}
