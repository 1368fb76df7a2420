package dualascent_test

// This file compares bounds and answers with enumeration, a million times, at night.

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/dualascent"
	"mtt/internal/nightly"
)

// TestNightlyBruteForce solves random small problems: no bound is above the optimum, no cost below
// it, what is called optimal is, and a search without limit closes the gap. A quarter has costs of
// another unit, from 2⁻⁵⁰ to 2⁵⁰. MTT_TRIALS is their number, MTT_TIME for how long, MTT_SEED says which.
func TestNightlyBruteForce(t *testing.T) {
	trials := nightly.Trials(nightly.Or(2000, 1_000_000))
	seed := nightly.Seed(15)
	rng := rand.New(rand.NewPCG(uint64(seed), 2))
	solved, feasible, optimal, wrong := 0, 0, 0, 0
	for trial := range nightly.Start().Rounds(trials, 0, 1) {
		solved++
		k := kinds[trial%len(kinds)]
		nodes := sizes(rng, k)
		if trial%16 == 15 { // longer
			nodes = append(nodes, sizes(rng, k)...)
		}
		d := random(rng, k, nodes...)
		unit := 1.0
		if rng.IntN(4) == 0 {
			unit = math.Ldexp(1, rng.IntN(101)-50)
			d.scale(unit)
		}
		tol := 1e-9 * unit
		inst, want := d.instance(), d.shortest()
		if trial%50 == 0 && len(nodes) < 5 && math.Abs(want-d.optimum()) > tol { // false where both are +Inf
			t.Fatalf("seed %d, trial %d: the optimum is %v by trying everything, %v by matchings", seed, trial, d.optimum(), want)
		}
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
			fault = "a search without limit ended with a gap"
		case res.Status == dualascent.Optimal:
			optimal++
		}
		if fault != "" {
			if wrong++; wrong <= 10 {
				t.Errorf("seed %d, trial %d, %s, unit %v: %s; optimum %v, %v with bounds %v and %v",
					seed, trial, k.name, unit, fault, want, res.Status, res.LowerBound, res.UpperBound)
			}
		}
	}
	t.Logf("seed %d: %d problems, %d of them feasible, %d proved optimal, %d wrong", seed, solved, feasible, optimal, wrong)
}

// scale multiplies all costs by unit, a power of two.
func (d *dense) scale(unit float64) {
	times := func(costs []float64) {
		for k := range costs {
			costs[k] *= unit
		}
	}
	for p := range d.arc {
		for _, row := range d.arc[p] {
			times(row)
		}
		times(d.death[p])
		times(d.birth[p])
		for _, node := range d.block[p] {
			for _, row := range node {
				times(row)
			}
		}
	}
}

// shortest is the optimum as a shortest path: a step of it is one of all matchings of a gap, and
// two that follow each other cost what their nodes do. It is optimum, which tries all chains of
// matchings, in less time.
func (d *dense) shortest() float64 {
	best := []float64{0}   // of each matching of the gap before
	before := [][]int{nil} // these: the node that each node of the frame comes from, -1 for none
	for p := range len(d.nodes) - 1 {
		n, m := d.nodes[p], d.nodes[p+1]
		var now []float64
		var from [][]int
		to, source := make([]int, n), slices.Repeat([]int{-1}, m)
		var try func(i int, cost float64)
		try = func(i int, cost float64) {
			if i < n {
				to[i] = -1
				try(i+1, cost+d.death[p][i])
				for j := range m {
					if source[j] < 0 {
						to[i], source[j] = j, i
						try(i+1, cost+d.arc[p][i][j])
						source[j] = -1
					}
				}
				return
			}
			for j, i := range source {
				if i < 0 {
					cost += d.birth[p][j]
				}
			}
			least := inf
			for k, in := range before {
				c := best[k]
				for j := 0; p > 0 && j < n; j++ {
					i, out := in[j], to[j]
					if i < 0 {
						i = d.nodes[p-1]
					}
					if out < 0 {
						out = m
					}
					c += d.block[p][j][i][out]
				}
				least = min(least, c)
			}
			now, from = append(now, cost+least), append(from, slices.Clone(source))
		}
		try(0, 0)
		best, before = now, from
	}
	return slices.Min(best)
}
