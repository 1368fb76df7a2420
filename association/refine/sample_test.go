package refine

import (
	"math/rand/v2"
	"testing"
)

// Chains of few draws of a link that is in doubt do not agree, those of many do; links that are sure say nothing either way.
func TestAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	count := func(n int, p float64) tally {
		x := tally{tries: n, away: telling}
		for range n {
			if r.Float64() < p {
				x.after++
			}
		}
		return x
	}
	for _, tt := range []struct {
		draws int
		agree bool
	}{{10, false}, {100, false}, {2000, true}, {10_000, true}} { // the noise of two is a share 1/(2·draws) of the score
		var one, two []tally
		for range 400 {
			one, two = append(one, count(tt.draws, 0.3)), append(two, count(tt.draws, 0.3))
		}
		for range 4000 {
			one, two = append(one, tally{stays: tt.draws}), append(two, tally{stays: tt.draws})
		}
		if got := agree(one, two); got != tt.agree {
			t.Errorf("%d draws: agree %v, want %v", tt.draws, got, tt.agree)
		}
	}
	if !agree(nil, nil) {
		t.Error("chains without links do not agree")
	}
}
