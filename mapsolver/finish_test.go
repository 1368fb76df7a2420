package mapsolver_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"mtt/mapsolver"
)

// TestFinish makes optima of assignments that nobody has tried to make good, on costs of every
// class, and wants prices that prove them.
func TestFinish(t *testing.T) {
	problems := 20_000
	if testing.Short() {
		problems = 4000
	}
	var f mapsolver.Finisher
	for seed := range problems {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		k := &classes[rng.IntN(len(classes))]
		p := drawProblem(rng, 6, k)
		want := leastCost(p)
		if math.IsInf(want, 1) {
			continue
		}
		s := anyAssignment(rng, p)
		if err := f.Finish(context.Background(), p, s); err != nil {
			t.Fatal(err)
		}
		if proved, bad := judge(p, s, nil, want); bad != nil || !proved {
			t.Fatalf("seed %d, %s: %v, proved %t\n%+v\n%+v", seed, k.name, bad, proved, *p, *s)
		}
	}
}

// anyAssignment draws an assignment of p, which has one, by a random order of trials.
func anyAssignment(rng *rand.Rand, p *mapsolver.Problem) *mapsolver.Solution {
	s := &mapsolver.Solution{ColOf: make([]int32, p.Rows), RowOf: make([]int32, p.Cols), EntryOf: make([]int, p.Rows)}
	for c := range s.RowOf {
		s.RowOf[c] = -1
	}
	var try func(r int) bool
	try = func(r int) bool {
		if r == p.Rows {
			for c, x := range s.RowOf {
				if x < 0 && p.MustServeCol(c) {
					return false
				}
			}
			return true
		}
		n := p.Ptr[r+1] - p.Ptr[r]
		for _, k := range rng.Perm(n + 1) {
			if k == n {
				if s.ColOf[r], s.EntryOf[r] = -1, -1; !p.MustServeRow(r) && try(r+1) {
					return true
				}
				continue
			}
			e := p.Ptr[r] + k
			if c := p.Col[e]; s.RowOf[c] < 0 {
				s.ColOf[r], s.EntryOf[r], s.RowOf[c] = c, e, int32(r)
				if try(r + 1) {
					return true
				}
				s.RowOf[c] = -1
			}
		}
		return false
	}
	if !try(0) {
		panic("no assignment")
	}
	return s
}
