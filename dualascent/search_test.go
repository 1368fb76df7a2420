package dualascent_test

import (
	"context"
	"testing"

	"mtt/dualascent"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
	"mtt/scenario"
)

// A counted solver counts the problems that it solves.
type counted struct {
	ssp.Solver
	n *int
}

func (s *counted) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	*s.n++
	return s.Solver.Solve(ctx, dst, p, warm)
}

// TestLookout: the local search looks once at what it finds nothing in, until the answer has
// changed next to it.
func TestLookout(t *testing.T) {
	const gaps, at = 11, 3
	inst := (&scene{kind: scenario.Burst, targets: 100, frames: gaps + 1, noise: .2, cost: "paper", seed: 3}).instance(t)
	solved := 0
	newSolver := func() mapsolver.Solver { return &counted{n: &solved} }
	first, again, changed, err := dualascent.Improve(inst, newSolver, at, func() int { return solved })
	if err != nil {
		t.Fatal(err)
	}
	if first < gaps || again != 0 || changed < 1 || changed >= first {
		t.Errorf("%d problems are solved at first, %d once more and %d after a change; want %d at least, none, and few", first, again, changed, gaps)
	}
}
