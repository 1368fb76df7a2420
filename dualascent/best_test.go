package dualascent_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/dualascent"
	"mtt/internal/nightly"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
	"mtt/scenario"
)

// all lists the costs of all assignments of finite cost.
func (d *dense) all() (costs []float64) {
	d.each(func(to [][]int) {
		if c := d.cost(to); c < inf {
			costs = append(costs, c)
		}
	})
	slices.Sort(costs)
	return costs
}

// The ranked answers are those that enumeration finds, in order, each once.
func TestBestBruteForce(t *testing.T) { rankedAll(t) }

// TestBestSearch finds them with margins that are searched for wherever that can be.
func TestBestSearch(t *testing.T) {
	t.Cleanup(dualascent.SearchMargins(0)) // not before all parts are done
	rankedAll(t)
}

func rankedAll(t *testing.T) {
	inParts(t, nightly.Or(25, 27_000), func(t *testing.T, k kind, part uint64, trials int) {
		rng := rand.New(rand.NewPCG(21, 1+part))
		ranked, instances := 0, 0
		for trial := range trials {
			d := random3(rng, k)
			if len(d.nodes) < 2 {
				continue
			}
			inst := d.instance()
			want := d.all()
			seen := make(map[string]bool)
			n := 0
			for res, err := range dualascent.Best(context.Background(), inst, &dualascent.Options{Effort: inf, Workers: 1}) {
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprint(res.Next)
				if seen[name] {
					t.Fatalf("trial %d: answer %d has been there before", trial, n)
				}
				seen[name] = true
				if n >= len(want) || math.Abs(res.UpperBound-want[n]) > 1e-9 || math.Abs(inst.Cost(res.Next)-res.UpperBound) > 1e-9 {
					t.Fatalf("trial %d: answer %d costs %v (%v to %v), want one of %d: %v", trial, n, inst.Cost(res.Next), res.LowerBound, res.UpperBound, len(want), want[min(n, len(want)-1)])
				}
				if n++; n == 20 {
					break
				}
			}
			if n < min(20, len(want)) {
				t.Fatalf("trial %d: %d answers of %d", trial, n, len(want))
			}
			ranked += n
			instances++
		}
		t.Logf("%d instances: %d answers", instances, ranked)
	})
}

// TestBestFewSolves ranks answers of a crowd, of which prices alone say little: not every node is
// solved otherwise.
func TestBestFewSolves(t *testing.T) {
	s := scene{kind: scenario.Burst, targets: 120, frames: 20, spread: 2.5, noise: 0.1, cost: "nll", seed: 1}
	inst := s.instance(t)
	solvers := 0
	opts := &dualascent.Options{Workers: 1, NewSolver: func() mapsolver.Solver {
		solvers++
		return &ssp.Solver{}
	}}
	n := 0
	for res, err := range dualascent.Best(t.Context(), inst, opts) {
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d solvers: %v to %v", solvers, res.LowerBound, res.UpperBound)
		if n++; n == 3 {
			break
		}
	}
	if solvers > 60 {
		t.Errorf("%d solvers were made for 3 answers", solvers)
	}
}
