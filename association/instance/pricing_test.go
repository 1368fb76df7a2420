package instance

import (
	"context"
	"math"
	"slices"
	"testing"

	"mtt/association/chain/chaintest"
	"mtt/costgen"
	"mtt/dualascent"
)

// This file tests the generation of links over misses: against instances that have
// them all.

// TestLeapsOptimum: on small scenes the generated instance has the optimum of the
// one with every link over misses, and prices prove it with chain.None of the others.
func TestLeapsOptimum(t *testing.T) {
	ctx := context.Background()
	few, all, solved := 0, 0, 0
	for n := range 80 {
		vel := n%2 == 0
		m := testModels(vel)["gaussian"].(*costgen.Gaussian)
		scans := chaintest.Crowd(t, uint64(n), 3+n%4, 7, vel).Scans
		levels := m.Levels
		levels.Sigma, levels.SigmaV, levels.Rates.Hidden = 0.15, 0.15, 0.4
		levels.Rates.Survive, levels.Rates.Births = 0.98, 0.1
		model := &costgen.Gaussian{Levels: levels}
		gates := chaintest.Gate(t, scans, chaintest.Everything)
		k := &Generator{Gate: chaintest.Everything, Misses: 3, Workers: 1 + n%3}
		inst, err := k.Build(ctx, scans, gates, model)
		if err != nil {
			t.Fatal(err)
		}
		var got *dualascent.Result
		for {
			if got, err = dualascent.Solve(ctx, &inst.Dual, &dualascent.Options{MaxRounds: 50}); err != nil {
				t.Fatal(err)
			}
			more, left, err := k.add(ctx, inst, got)
			if err != nil {
				t.Fatal(err)
			}
			if left == 0 {
				break
			}
			inst = more
		}
		complete := build(scans, gates, allSkips(scans, k.Misses), model, nil, 2)
		want, err := dualascent.Solve(ctx, &complete.Dual, &dualascent.Options{MaxRounds: 50, Effort: math.Inf(1)})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(inst.skips, compareSkips) {
			t.Fatal("links are out of order")
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
		few, all = few+len(inst.skips), all+len(complete.skips)
	}
	t.Logf("%d of %d links, %d of 80 solved", few, all, solved)
}
