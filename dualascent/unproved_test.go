package dualascent_test

// This file checks what is said to be proved of an answer that is not the best.

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/dualascent"
)

// TestUnproved: an answer is as good as the best one once it does what that does where it is open,
// and nothing is open where it is proved. In some instances only a part of the nodes is open,
// though arcs join them to others.
func TestUnproved(t *testing.T) {
	partly, joined := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		inst := random(rng, answerable[rng.IntN(len(answerable))], 4, 4, 4, 4, 4).instance()
		if seed%2 == 0 {
			inst = beside(inst, random(rng, answerable[rng.IntN(len(answerable))], 3, 3, 3, 3, 3).instance())
		}
		res := solve(t, inst, &dualascent.Options{MaxRounds: 1, Search: -1, Effort: -1})
		best := solve(t, inst, &dualascent.Options{Effort: math.Inf(1)})
		open := dualascent.Unproved(inst, res)
		if open == nil {
			if !near(res.UpperBound, best.UpperBound) {
				t.Errorf("seed %d: an answer of %v is proved, and %v is better", seed, res.UpperBound, best.UpperBound)
			}
			continue
		}
		next, some, all := make([][]int32, len(inst.Pairs)), false, true
		for p := range next {
			next[p] = slices.Clone(res.Next[p])
			for i := range next[p] {
				if open[p][i] {
					next[p][i] = best.Next[p][i]
				}
				some, all = some || open[p][i], all && open[p][i]
			}
		}
		if cost := inst.Cost(next); !near(cost, best.UpperBound) {
			t.Errorf("seed %d: with what is open as in the best answer it costs %v, not %v", seed, cost, best.UpperBound)
		}
		if some && !all {
			partly++
			if seed%2 == 1 && inst.Parts() == 1 {
				joined++
			}
		}
	}
	if partly < 30 || joined < 5 {
		t.Errorf("a part is open in %d instances, %d of them in one piece", partly, joined)
	}
}
