package dualascent_test

// This file checks that an instance that falls apart has the answer, the bounds and the certificate
// of the whole.

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mtt/dualascent"
)

// scattered are instances side by side, whose nodes are mixed.
func scattered(t *rapid.T) (inst *dualascent.Instance) {
	frames := rapid.IntRange(2, 5).Draw(t, "frames")
	seed := rapid.Uint64().Draw(t, "seed")
	rng := rand.New(rand.NewPCG(seed, 0))
	n := rapid.IntRange(3, 6).Draw(t, "instances")
	for k := range n {
		nodes := make([]int, frames)
		for f := range nodes {
			nodes[f] = rng.IntN(4)
		}
		d := random(rng, answerable[rng.IntN(len(answerable))], nodes...).instance()
		if inst == nil {
			inst = d
		} else {
			inst = beside(inst, d)
		}
		if k == n-1 && rng.IntN(3) == 0 {
			differing(rng, inst, 5)
		}
	}
	names := make([][]int32, frames)
	for f := range names {
		count := inst.Pairs[max(0, f-1)].Cols
		if f == 0 {
			count = inst.Pairs[0].Rows
		}
		for _, i := range rng.Perm(count) {
			names[f] = append(names[f], int32(i))
		}
	}
	none := make([][]int32, len(inst.Pairs))
	for p := range none {
		none[p] = slices.Repeat([]int32{-1}, inst.Pairs[p].Rows)
	}
	inst, _, _ = renumbered(inst, names, scatter(rng, inst), none)
	return inst
}

// TestApartInTime: parts that follow each other in a long scene are cut out of the gaps that they
// are in, and have its answer.
func TestApartInTime(t *testing.T) {
	defer dualascent.SmallParts(1)()
	for seed := range uint64(50) {
		const parts, each = 12, 5 // frames of a part and those to the next
		rng := rand.New(rand.NewPCG(seed, 1))
		var inst *dualascent.Instance
		for k := range parts {
			nodes := make([]int, parts*each)
			for f := k * each; f < k*each+3; f++ {
				nodes[f] = 2
			}
			if d := random(rng, answerable[rng.IntN(len(answerable))], nodes...).instance(); inst == nil {
				inst = d
			} else {
				inst = beside(inst, d)
			}
		}
		if inst.Parts() < parts {
			t.Fatalf("seed %d: %d parts", seed, inst.Parts())
		}
		if n := inst.Gaps(); n > 6*inst.Parts() {
			t.Errorf("seed %d: %d parts have %d gaps", seed, inst.Parts(), n)
		}
		apart := solve(t, inst, &dualascent.Options{Effort: math.Inf(1)})
		check(t, inst, dualascent.Sequential, apart)
		restore := dualascent.SmallParts(math.MaxInt)
		whole := solve(t, inst, &dualascent.Options{Effort: math.Inf(1)})
		restore()
		if !near(whole.UpperBound, apart.UpperBound) || !near(apart.LowerBound, apart.UpperBound) {
			t.Errorf("seed %d: whole %v, apart %v to %v", seed, whole.UpperBound, apart.LowerBound, apart.UpperBound)
		}
	}
}

func TestApart(t *testing.T) {
	split, met := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		inst := scattered(t)
		opts := &dualascent.Options{Effort: math.Inf(1)}
		whole := solve(t, inst, opts)
		defer dualascent.SmallParts(rapid.IntRange(1, 40).Draw(t, "costs of a part"))()
		if inst.Parts() > 1 {
			split++
		}
		o := *opts
		o.Workers = 1
		var last dualascent.Step
		o.Progress = func(s dualascent.Step) { last = s }
		apart := solve(t, inst, &o)
		check(t, inst, dualascent.Sequential, apart)
		if !near(whole.UpperBound, apart.UpperBound) || !near(apart.LowerBound, apart.UpperBound) {
			t.Fatalf("whole %v, apart %v to %v", whole.UpperBound, apart.LowerBound, apart.UpperBound)
		}
		if !near(last.Upper, apart.UpperBound) || last.Upper < last.Lower-1e-9 {
			t.Errorf("progress ends with %v, result %v", last, apart.UpperBound)
		}
		o.Progress, o.Workers = nil, 3
		if many := solve(t, inst, &o); !bytes.Equal(encoded(t, many), encoded(t, apart)) {
			t.Error("three workers find something else")
		}

		// It goes on where it was, and from prices alone.
		o.Prices, o.Next = apart.Prices, apart.Next
		again := solve(t, inst, &o)
		n, wrong := dualascent.Met(inst, o)
		if met += n; wrong >= 0 {
			t.Fatalf("part %d is said to be proved, or not, otherwise than by solving it", wrong)
		}
		if n == inst.Parts() && again.Rounds > 0 {
			t.Errorf("all parts are proved, and there were %d rounds", again.Rounds)
		}
		check(t, inst, dualascent.Sequential, again)
		if !near(again.UpperBound, apart.UpperBound) {
			t.Errorf("from %v on to %v", apart.UpperBound, again.UpperBound)
		}
		o.Next, o.NoAnswer = nil, true
		bound := solve(t, inst, &o)
		if b := dualascent.Bound(inst, bound.Prices); bound.Next != nil || bound.Certified < apart.Certified && !near(bound.Certified, apart.Certified) || !near(b, bound.Certified) {
			t.Errorf("prices that proved %v prove %v, computed anew %v", apart.Certified, bound.Certified, b)
		}
	})
	if split < 20 {
		t.Errorf("%d instances fell apart", split)
	}
	if met < 20 {
		t.Errorf("%d parts were proved already", met)
	}
}

// TestApartFew: where one of many components has other costs than those that prices and answer were
// found for, the others keep both, though they are in a part with it.
func TestApartFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	kept := 0
	for range 100 {
		changes := random(rng, answerable[0], 3, 3, 3, 3).instance()
		inst := changes
		for range 7 {
			inst = beside(inst, random(rng, answerable[rng.IntN(len(answerable))], 2, 3, 3, 2).instance())
		}
		restore := dualascent.SmallParts(inst.Pairs[0].Rows * 40)
		opts := &dualascent.Options{Effort: math.Inf(1)}
		before, err := dualascent.Solve(t.Context(), inst, opts)
		if err != nil {
			t.Fatal(err)
		}
		if inst.Parts() == 1 || !near(before.Certified, before.UpperBound) {
			restore()
			continue // prices do not prove it
		}
		own := len(changes.Pairs[0].Col) // its arcs come first
		for e := range inst.Pairs[0].Cost[:own] {
			inst.Pairs[0].Cost[e] += rng.NormFloat64()
		}
		o := *opts
		o.Prices, o.Next = before.Prices, before.Next
		after, err := dualascent.Solve(t.Context(), inst, &o)
		if err != nil {
			t.Fatal(err)
		}
		restore()
		whole, err := dualascent.Solve(t.Context(), inst, opts)
		if err != nil {
			t.Fatal(err)
		}
		if !near(after.UpperBound, whole.UpperBound) || !near(after.LowerBound, whole.UpperBound) {
			t.Errorf("%v to %v, want %v", after.LowerBound, after.UpperBound, whole.UpperBound)
		}
		if b := dualascent.Bound(inst, after.Prices); !near(b, after.Certified) {
			t.Errorf("prices prove %v, not %v", b, after.Certified)
		}
		if after.Rounds == 0 {
			continue // the answer is still the best
		}
		kept++
		for p := range inst.Pairs {
			n, rows := len(changes.Pairs[p].Col), changes.Pairs[p].Rows
			if !slices.Equal(after.Prices[p].U[n:], before.Prices[p].U[n:]) || !slices.Equal(after.Next[p][rows:], before.Next[p][rows:]) {
				t.Fatal("components of the same costs have other prices than before")
			}
		}
	}
	if kept < 10 {
		t.Errorf("%d instances had to be solved again", kept)
	}
}

func encoded(t *rapid.T, res *dualascent.Result) []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(res); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestApartEnds: a part without an answer leaves none to the whole; with a context that has ended
// there is a result that holds.
func TestApartEnds(t *testing.T) {
	defer dualascent.SmallParts(1)()
	rng := rand.New(rand.NewPCG(1, 0))
	good := random(rng, answerable[0], 3, 3, 3).instance()
	bad := random(rng, answerable[0], 1, 1, 1).instance()
	inst := beside(beside(beside(good, good), beside(good, good)), bad)
	if inst.Parts() < 2 {
		t.Fatal("does not fall apart")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	res, err := dualascent.Solve(ended, inst, nil)
	if !errors.Is(err, context.Canceled) || res.Status != dualascent.Interrupted {
		t.Fatal(res, err)
	}
	check(t, inst, dualascent.Sequential, res)
	if res, err := dualascent.Solve(ended, inst, &dualascent.Options{Whole: true}); res != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v; want no result and context.Canceled", res, err)
	}
	last := &inst.Pairs[0]
	row, col := last.Rows-1, last.Cols-1 // each must be linked, and both cannot be
	last.RowMiss[row] = inf
	for e := last.Ptr[row]; e < last.Ptr[row+1]; e++ {
		b := &inst.Blocks[0]
		for k := b.Ptr[col]; k < b.Ptr[col+1]; k++ {
			b.D[k] = inf
		}
	}
	if res, err = dualascent.Solve(t.Context(), inst, nil); !errors.Is(err, dualascent.ErrInfeasible) || res != nil {
		t.Error(res, err)
	}
}
