package dualascent_test

// This file compares alternatives with the best answers that have them, found by trying
// everything.

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/dualascent"
)

func TestAlternativesBruteForce(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(14, 1))
			found := 0
			for trial := range 15 {
				d := random3(rng, k)
				inst := d.instance()
				opts := &dualascent.Options{Effort: inf, Workers: 1}
				res, err := dualascent.Solve(context.Background(), inst, opts)
				if errors.Is(err, dualascent.ErrInfeasible) || len(d.nodes) < 2 {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				look := func(p, at int, in bool, has func(to [][]int, arc int32) bool) {
					list, err := dualascent.Alternatives(context.Background(), inst, res.Prices, res.Next, p, int32(at), in, opts)
					if err != nil {
						t.Fatal(err)
					}
					for _, x := range list {
						more := d.without(func(to [][]int) bool { return has(to, x.Arc) }) - res.UpperBound
						if x.Least > more+1e-9 || x.Most < more-1e-9 || x.Most > x.Least+1e-7 && more < inf {
							t.Fatalf("trial %d: pair %d, node %d (in: %v), arc %d costs from %v to %v more, %v at best", trial, p, at, in, x.Arc, x.Least, x.Most, more)
						}
						found++
					}
				}
				for p := range inst.Pairs {
					g := &inst.Pairs[p]
					tail := make([]int, len(g.Col))
					for i := range g.Rows {
						for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
							tail[e] = i
						}
					}
					for i := range g.Rows {
						look(p, i, false, func(to [][]int, arc int32) bool {
							return arc < 0 && to[p][i] < 0 || arc >= 0 && to[p][i] == int(g.Col[arc])
						})
					}
					for j := range g.Cols {
						look(p, j, true, func(to [][]int, arc int32) bool {
							from := entered(to[p], j)
							return arc < 0 && from < 0 || arc >= 0 && from == tail[arc]
						})
					}
				}
			}
			if found < 40 {
				t.Errorf("%d alternatives: this tests nothing", found)
			}
		})
	}
}

// without is the optimum of d over all answers for which other is true.
func (d *dense) without(other func(to [][]int) bool) float64 {
	best := inf
	d.each(func(to [][]int) {
		if other(to) {
			best = min(best, d.cost(to))
		}
	})
	return best
}

// entered is who comes to node j of the next frame; -1: nobody.
func entered(to []int, j int) int { return slices.Index(to, j) }
