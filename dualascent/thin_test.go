package dualascent_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"mtt/dualascent"
	"mtt/scenario"
)

// small solves the trial-th small problem with what limit sets, checks what is proved against its
// optimum, and says whether bounds met; not ok: it has no answer.
func small(t *testing.T, rng *rand.Rand, trial int, limit func() (restore func())) (inst *dualascent.Instance, met, ok bool) {
	k := kinds[trial%len(kinds)]
	d := random(rng, k, 3, 3, 3, 3)
	inst = d.instance()
	restore := limit()
	res, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{Effort: -1})
	restore()
	if errors.Is(err, dualascent.ErrInfeasible) {
		return inst, false, false
	}
	if err != nil {
		t.Fatalf("trial %d (%s): %v", trial, k.name, err)
	}
	check(t, inst, dualascent.Sequential, res)
	want := d.optimum()
	if res.LowerBound > want+1e-9 || res.UpperBound < want-1e-9 {
		t.Fatalf("trial %d (%s): bounds %v and %v, the optimum is %v", trial, k.name, res.LowerBound, res.UpperBound, want)
	}
	return inst, res.Status == dualascent.Optimal, true
}

// TestThin ascends among the cheapest arc or two of each port, and compares with everything: what
// is proved holds for all arcs.
func TestThin(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	met := 0
	for trial := range 240 {
		if _, optimal, _ := small(t, rng, trial, func() func() { return dualascent.ThinTo(1 + trial%2) }); optimal {
			met++
		}
	}
	if met < 120 {
		t.Errorf("bounds met in %d of 240", met)
	}
}

// TestThinScene: among few arcs a crowded scene comes as far as with all, whoever works on it.
func TestThinScene(t *testing.T) {
	inst := (&scene{kind: scenario.Burst, targets: 60, frames: 30, noise: .1, cost: "paper", seed: 4}).instance(t)
	solve := func(workers int) *dualascent.Result {
		res, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{Workers: workers, Effort: -1})
		if err != nil {
			t.Fatal(err)
		}
		check(t, inst, dualascent.Sequential, res)
		return res
	}
	all := solve(1)
	defer dualascent.ThinTo(8)()
	defer dualascent.SmallChunks(10)()
	few := solve(1)
	if few.LowerBound < all.LowerBound*(1-1e-4) || few.UpperBound > all.UpperBound*(1+1e-4) {
		t.Errorf("bounds %v and %v; without few arcs %v and %v", few.LowerBound, few.UpperBound, all.LowerBound, all.UpperBound)
	}
	if reflect.DeepEqual(few.Prices, all.Prices) {
		t.Error("prices are those of an ascent with all arcs")
	}
	if !reflect.DeepEqual(few, solve(3)) {
		t.Error("three workers find something else")
	}
}

// TestRest leaves what falls apart as it is where an ascent among few arcs has stalled on much of
// it: the bounds hold, and no part is looked at.
func TestRest(t *testing.T) {
	defer dualascent.LeaveRest()()
	defer dualascent.ThinTo(1)()
	rng := rand.New(rand.NewPCG(12, 1))
	open := 0
	for trial := range 400 {
		k := kinds[trial%2]
		one, two := random(rng, k, 3, 3, 3), random(rng, k, 3, 3, 3)
		inst := beside(one.instance(), two.instance())
		parts := 0
		res, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{MaxRounds: 5, Balance: -1, Search: -1,
			Progress: func(s dualascent.Step) { parts = max(parts, s.Parts) }})
		if err != nil {
			t.Fatalf("trial %d (%s): %v", trial, k.name, err)
		}
		check(t, inst, dualascent.Sequential, res)
		if want := one.optimum() + two.optimum(); res.LowerBound > want+1e-9 || res.UpperBound < want-1e-9 {
			t.Fatalf("trial %d (%s): bounds %v and %v, the optimum is %v", trial, k.name, res.LowerBound, res.UpperBound, want)
		}
		if res.Gap() > 1e-6 {
			open++
			if parts > 0 {
				t.Fatalf("trial %d (%s): %d parts were looked at", trial, k.name, parts)
			}
		}
	}
	if open < 5 {
		t.Errorf("the bounds of %d instances do not meet", open)
	}
}
