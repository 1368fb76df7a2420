package association

import (
	"context"
	"math"
	"slices"
	"testing"

	"mtt/costgen"
	"mtt/dualascent"
)

// This file tests the generation of links over misses: against instances that have
// them all.

// TestLeapsOptimum: on small scenes the generated instance has the optimum of the
// one with every link over misses, and prices prove it with none of the others.
func TestLeapsOptimum(t *testing.T) {
	ctx := context.Background()
	few, all, solved := 0, 0, 0
	for n := range 80 {
		vel := n%2 == 0
		m := testModels(vel)["gaussian"].(*costgen.Gaussian)
		scans := crowd(t, uint64(n), 3+n%4, 7, vel).Scans
		levels := m.Levels
		levels.Sigma, levels.SigmaV, levels.Rates.Hidden = 0.15, 0.15, 0.4
		levels.Rates.Survive, levels.Rates.Births = 0.98, 0.1
		model := &costgen.Gaussian{Levels: levels}
		gates := patterns(t, scans, everything)
		k := &tracker{leaper: &leaper{gate: everything, misses: 3, workers: 1 + n%3}}
		res := &Result{Instance: newInstance(scans, gates, nil, model)}
		if err := k.generate(ctx, res); err != nil {
			t.Fatal(err)
		}
		var got *dualascent.Result
		for {
			var err error
			if got, err = dualascent.Solve(ctx, &res.Instance.Dual, &dualascent.Options{MaxRounds: 50}); err != nil {
				t.Fatal(err)
			}
			more, err := k.add(ctx, res, got)
			if err != nil {
				t.Fatal(err)
			}
			if more == 0 {
				break
			}
		}
		complete := newInstance(scans, gates, allLeaps(scans, k.leaper.misses), model)
		want, err := dualascent.Solve(ctx, &complete.Dual, &dualascent.Options{MaxRounds: 50, Effort: math.Inf(1)})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(res.Instance.leaps, compareLeaps) {
			t.Fatal("leaps are out of order")
		}
		if got.Certified > want.UpperBound+1e-7 {
			t.Errorf("scene %d: prices claim %v, but an answer costs %v", n, got.Certified, want.UpperBound)
		}
		if got.UpperBound < want.UpperBound-1e-7 {
			t.Errorf("scene %d: found %v, below the optimum of the complete instance, %v", n, got.UpperBound, want.UpperBound)
		}
		if got.UpperBound <= want.UpperBound+1e-7 {
			solved++
		}
		few, all = few+len(res.Instance.leaps), all+len(complete.leaps)
	}
	t.Logf("%d of %d links, %d of 80 solved", few, all, solved)
}
