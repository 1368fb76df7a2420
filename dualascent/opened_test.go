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

// TestOpened goes on with what is open alone, up to edges that answers cross, and compares with
// everything: what is proved holds for the whole.
func TestOpened(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	met, plain := 0, 0
	for trial := range 240 {
		chunks := func() {}
		if trial%2 == 0 {
			chunks = dualascent.SmallChunks(1)
		}
		inst, optimal, ok := small(t, rng, trial, func() func() { return dualascent.OpenAll(trial % 3) })
		if !ok {
			chunks()
			continue
		}
		all, _ := dualascent.Solve(context.Background(), inst, &dualascent.Options{Effort: -1})
		chunks()
		if optimal {
			met++
		}
		if all.Status == dualascent.Optimal {
			plain++
		}
	}
	if met < plain-12 {
		t.Errorf("bounds met in %d of 240, with all of the problem in %d", met, plain)
	}
}

// TestOpenedScene: a long scene whose bounds differ in few places after a round has no more than
// one round after it, and the same answer, whoever works on it.
func TestOpenedScene(t *testing.T) {
	inst := (&scene{kind: scenario.Arena, targets: 400, frames: 100, noise: .3, cost: "nll", seed: 3}).instance(t)
	solve := func(workers int) *dualascent.Result {
		res, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{Workers: workers, Effort: -1})
		if err != nil {
			t.Fatal(err)
		}
		check(t, inst, dualascent.Sequential, res)
		return res
	}
	all := solve(1)
	defer dualascent.OpenAll(4)()
	one := solve(1)
	defer dualascent.SmallChunks(40)()
	cut, three := solve(1), solve(3)
	if one.Rounds > 2 || one.Rounds >= all.Rounds || one.Status != dualascent.Optimal {
		t.Errorf("%d rounds, %v; %d with all of the scene", one.Rounds, one.Status, all.Rounds)
	}
	if !reflect.DeepEqual(one.Next, all.Next) || !reflect.DeepEqual(cut.Next, all.Next) {
		t.Error("another answer than with all of the scene")
	}
	if !reflect.DeepEqual(cut, three) {
		t.Error("three workers come to another result than one")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	res, err := dualascent.Solve(ctx, inst, &dualascent.Options{Effort: -1, Progress: func(s dualascent.Step) {
		if s.Pass == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || res == nil || res.Status != dualascent.Interrupted || res.UpperBound < one.UpperBound-1e-6 {
		t.Fatalf("interrupted where it goes on with what is open: %v", err)
	}
	check(t, inst, dualascent.Sequential, res)
}

// TestOpenedStalls: where what is open has stalled and its gap is that of the whole, no round after
// that would gain anything, and none follows.
func TestOpenedStalls(t *testing.T) {
	defer dualascent.OpenAll(2)()
	inst := (&scene{kind: scenario.Burst, targets: 100, frames: 60, noise: .3, cost: "nll", seed: 4}).instance(t)
	res, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{Effort: -1})
	if err != nil {
		t.Fatal(err)
	}
	check(t, inst, dualascent.Sequential, res)
	if res.Status != dualascent.Stalled || res.Rounds > 6 { // three more without looking at that gap
		t.Errorf("%d rounds, %v, gap %v", res.Rounds, res.Status, res.Gap())
	}
}
