package dualascent_test

import (
	"context"
	"testing"

	"mtt/dualascent"
)

// TestPublishedAlone wants nothing but the published scheme where it is asked for: the bound of
// the result is that of its last iteration and of its prices, whatever effort is allowed.
func TestPublishedAlone(t *testing.T) {
	stalled := 0
	for seed := range uint64(4) {
		s := scene{kind: "burst", targets: 15, frames: 10, noise: 0.2, spread: 1, cost: "paper", seed: seed + 1}
		inst := s.instance(t)
		for _, effort := range []float64{0, 50, -1} {
			res, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{Scheme: dualascent.Parallel, Effort: effort})
			if err != nil {
				t.Fatal(err)
			}
			last := res.Trace[len(res.Trace)-1]
			if len(res.Trace) != res.Rounds || last.Lower != res.LowerBound || last.Upper != res.UpperBound || last.Parts != 0 {
				t.Errorf("seed %d, effort %v: %d iterations, %v to %v; the trace ends with %+v after %d",
					seed, effort, res.Rounds, res.LowerBound, res.UpperBound, last, len(res.Trace))
			}
			if b := dualascent.Bound(inst, res.Prices); !near(b, res.LowerBound) || !near(b, res.Certified) {
				t.Errorf("seed %d, effort %v: prices prove %v, the result says %v and %v", seed, effort, b, res.LowerBound, res.Certified)
			}
			if res.Status == dualascent.Stalled && res.Gap() > 1e-3 {
				stalled++
			}
		}
	}
	if stalled < 3 {
		t.Errorf("the scheme stalls short of the answer in %d runs: too few to tell it from a proof", stalled)
	}
}
