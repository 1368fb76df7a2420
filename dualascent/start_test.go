package dualascent_test

// This file tests ascents that begin where others ended.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"mtt/dualascent"
	"mtt/internal/nightly"
)

// TestStartKeepsBound starts from arbitrary prices: no later bound is below what
// they prove.
func TestStartKeepsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inst := drawDense(t, "instance", true, answerable).instance()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed of prices"), 0))
		if rapid.Bool().Draw(t, "values") {
			defer dualascent.NoFewPairs()()
			differing(rng, inst, 1<<20)
		}
		var prices []dualascent.Prices
		draw := func(n int) []float64 {
			s := make([]float64, n)
			for k := range s {
				s[k] = rng.NormFloat64()
			}
			return s
		}
		for p := range inst.Pairs {
			g := &inst.Pairs[p]
			prices = append(prices, dualascent.Prices{
				U: draw(len(g.Col)), V: draw(len(g.Col)), Birth: draw(g.Cols), Death: draw(g.Rows), Col: draw(g.Cols),
			})
		}
		opts := &dualascent.Options{
			Scheme:    rapid.SampledFrom([]dualascent.Scheme{dualascent.Sequential, dualascent.Parallel}).Draw(t, "scheme"),
			MaxRounds: rapid.IntRange(1, 4).Draw(t, "rounds"), Effort: -1, Prices: prices,
		}
		defer dualascent.SmallChunks(rapid.IntRange(1, 3).Draw(t, "gaps of a chunk"))()
		begun := dualascent.Bound(inst, prices)
		res := solve(t, inst, opts)
		check(t, inst, opts.Scheme, res)
		for k, s := range res.Trace {
			if s.Lower < begun && !near(s.Lower, begun) {
				t.Errorf("pass %d: bound %v, the start proves %v", k+1, s.Lower, begun)
			}
		}
		if res.Certified < begun && !near(res.Certified, begun) {
			t.Errorf("prices prove %v in the end, %v at the start", res.Certified, begun)
		}
	})
}

// TestStartGoesOn cuts an ascent in two: the second half begins where the first
// ended, and an answer that is proved takes no round.
func TestStartGoesOn(t *testing.T) {
	for seed := range uint64(5) {
		s := scene{kind: "burst", targets: 40, frames: 20, noise: 0.1, cost: "paper", seed: seed}
		inst := s.instance(t)
		opts := &dualascent.Options{MaxRounds: 3, Effort: -1}
		first, err := dualascent.Solve(t.Context(), inst, opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.Prices, opts.Next = first.Prices, first.Next
		second, err := dualascent.Solve(t.Context(), inst, opts)
		if err != nil {
			t.Fatal(err)
		}
		if second.LowerBound < first.LowerBound && !near(second.LowerBound, first.LowerBound) || second.UpperBound > first.UpperBound {
			t.Errorf("seed %d: bounds %v and %v after %v and %v", seed,
				second.LowerBound, second.UpperBound, first.LowerBound, first.UpperBound)
		}
		for k, s := range second.Trace {
			if s.Upper > first.UpperBound || s.Lower < first.LowerBound && !near(s.Lower, first.LowerBound) {
				t.Errorf("seed %d: pass %d has %v and %v, it began with %v and %v", seed, k+1, s.Lower, s.Upper, first.LowerBound, first.UpperBound)
			}
		}
	}
	easy := scene{kind: "arena", targets: 20, frames: 10, noise: 0.1, cost: "nll", seed: 1}
	inst := easy.instance(t)
	first, err := dualascent.Solve(t.Context(), inst, nil)
	if err != nil || first.Status != dualascent.Optimal || first.Certified < first.LowerBound {
		t.Fatalf("status %v, certified %v of %v; %v", first.Status, first.Certified, first.LowerBound, err)
	}
	second, err := dualascent.Solve(t.Context(), inst, &dualascent.Options{Prices: first.Prices, Next: first.Next})
	if err != nil {
		t.Fatal(err)
	}
	if second.Rounds != 0 || second.Status != dualascent.Optimal || math.Abs(second.Certified-first.Certified) > 1e-9*first.Certified {
		t.Errorf("%d rounds, status %v, certified %v; the start has %v", second.Rounds, second.Status, second.Certified, first.Certified)
	}
	check(t, inst, dualascent.Sequential, second)
}

// TestStartInterrupted ends before the first pass: what was known is kept.
func TestStartInterrupted(t *testing.T) {
	s := scene{kind: "burst", targets: 30, frames: 12, noise: 0.1, cost: "paper", seed: 1}
	inst := s.instance(t)
	first, err := dualascent.Solve(t.Context(), inst, &dualascent.Options{MaxRounds: 2, Effort: -1})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	second, err := dualascent.Solve(ended, inst, &dualascent.Options{Prices: first.Prices, Next: first.Next})
	if err == nil || second.Status != dualascent.Interrupted {
		t.Fatalf("status %v, error %v", second.Status, err)
	}
	if !near(second.LowerBound, first.Certified) || second.UpperBound != first.UpperBound {
		t.Errorf("bounds %v and %v, the start has %v and %v", second.LowerBound, second.UpperBound, first.Certified, first.UpperBound)
	}
}

func TestStartRefused(t *testing.T) {
	s := scene{kind: "arena", targets: 5, frames: 4, noise: 0.1, cost: "nll", seed: 1}
	inst := s.instance(t)
	first, err := dualascent.Solve(t.Context(), inst, nil)
	if err != nil {
		t.Fatal(err)
	}
	first.Prices[1].U[0] = inf
	if _, err := dualascent.Solve(t.Context(), inst, &dualascent.Options{Prices: first.Prices}); err == nil {
		t.Error("a price +Inf is taken")
	}
	defer func() {
		if recover() == nil {
			t.Error("prices of another shape are taken")
		}
	}()
	dualascent.Solve(t.Context(), inst, &dualascent.Options{Prices: first.Prices[1:]})
}

// TestSettled: what a start proves comes back the same to the last bit whether an engine says so or
// not, and a start that proves too little does not come back at all.
func TestSettled(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	settled := 0
	for k := range nightly.Or(600, 60_000) {
		inst := random(rng, kinds[k%len(kinds)], 1+rng.IntN(3), 1+rng.IntN(3), rng.IntN(3), 1+rng.IntN(3), 1+rng.IntN(2)).instance()
		from, err := dualascent.Solve(t.Context(), inst, nil)
		if err != nil {
			continue
		}
		o := &dualascent.Options{Prices: from.Prices, Next: from.Next, Gap: 1e-3 * float64(k%2), Workers: 1 + k%3}
		if k%4 == 3 { // as if the one of another problem
			o.Prices = scatter(rng, inst)
		}
		solve := func(arcs int) *dualascent.Result {
			defer dualascent.SettleUpTo(arcs)()
			res, err := dualascent.Solve(t.Context(), inst, o)
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		want, got := solve(-1), solve(1000)
		if got.Rounds == 0 {
			settled++
		}
		if w, g := fmt.Sprintf("%+v", *want), fmt.Sprintf("%+v", *got); w != g {
			t.Fatalf("instance %d:\n%s\nwant\n%s", k, g, w)
		}
	}
	if settled < 100 {
		t.Errorf("%d were settled by their start", settled)
	}
}
