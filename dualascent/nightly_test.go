package dualascent_test

// This file compares bounds and answers with enumeration, a million times, at night.

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"mtt/dualascent"
)

// TestNightlyBruteForce solves random small problems: no bound is above the optimum, no cost below
// it, and what is called optimal is. One search without limit in a thousand ends with a gap that it should have
// closed: see docs/reliability.md. MTT_TRIALS is their number, MTT_SEED says which.
func TestNightlyBruteForce(t *testing.T) {
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return otherwise
	}
	trials := 200
	if os.Getenv("MTT_NIGHTLY") != "" {
		trials = 1_000_000
	}
	trials = number("MTT_TRIALS", trials)
	seed := number("MTT_SEED", 15)
	rng := rand.New(rand.NewPCG(uint64(seed), 2))
	const tol = 1e-9
	feasible, optimal, open, wrong := 0, 0, 0, 0
	for trial := range trials {
		k := kinds[trial%len(kinds)]
		d := random(rng, k, sizes(rng, k)...)
		inst, want := d.instance(), d.optimum()
		if want < inf {
			feasible++
		}
		opts := &dualascent.Options{}
		if trial/len(kinds)%2 == 1 {
			opts = &dualascent.Options{MaxRounds: 1, Search: -1, Effort: inf} // to the end
		}
		res, err := dualascent.Solve(context.Background(), inst, opts)
		fault := ""
		switch {
		case errors.Is(err, dualascent.ErrInfeasible):
			if want < inf && opts.Search == -1 {
				fault = "called infeasible"
			}
		case err != nil:
			fault = err.Error()
		case want == inf:
			fault = "an infeasible problem has an answer"
		case res.LowerBound > want+tol:
			fault = "the bound is above the optimum"
		case dualascent.Bound(inst, res.Prices) > want+tol:
			fault = "the prices prove more than the optimum"
		case res.UpperBound < want-tol:
			fault = "the answer costs less than the optimum"
		case math.Abs(d.cost(heads(inst, res.Next))-res.UpperBound) > tol:
			fault = "the answer does not cost what it says"
		case res.Status == dualascent.Optimal && res.UpperBound > want+tol:
			fault = "called optimal, and it is not"
		case opts.Search == -1 && res.Status != dualascent.Optimal:
			open++ // right, but its search ended with a gap
		case res.Status == dualascent.Optimal:
			optimal++
		}
		if fault != "" {
			if wrong++; wrong <= 10 {
				t.Errorf("seed %d, trial %d, %s: %s; optimum %v, result %+v", seed, trial, k.name, fault, want, res)
			}
		}
	}
	t.Logf("seed %d: %d problems, %d of them feasible, %d proved optimal, %d left with a gap by a search without limit, %d wrong", seed, trials, feasible, optimal, open, wrong)
	if open > trials/500 {
		t.Errorf("%d searches without limit ended with a gap", open)
	}
}
