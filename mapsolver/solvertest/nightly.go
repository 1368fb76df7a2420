package solvertest

import (
	"math/rand/v2"
	"testing"

	"mtt/internal/nightly"
	"mtt/mapsolver"
)

// This file holds the part of Run that takes minutes.

// nightlyProblems is the number of problems of one run.
const nightlyProblems = 1_000_000

// testNightly compares a million problems with the dynamic programme: every
// shape up to 7 by 7, each kind of costs and of miss costs, each density, cold,
// from the prices and pairs of another problem, and from prices that suit none.
// It runs where the environment variable MTT_NIGHTLY is set.
func testNightly(t *testing.T, newSolver func() mapsolver.Solver) {
	if !nightly.Is() {
		t.Skip("takes minutes: runs where MTT_NIGHTLY is set")
	}
	rng := rand.New(rand.NewPCG(11, 1))
	costs := Costs()
	kinds := []Miss{MissNil, MissFinite, MissMixed, MissMust}
	solver, s := newSolver(), new(mapsolver.Solution)
	for range nightlyProblems {
		rows, cols := rng.IntN(8), rng.IntN(8)
		cost := costs[rng.IntN(len(costs))]
		p := Random(rng, rows, cols, rng.Float64(), cost.Draw, kinds[rng.IntN(4)], kinds[rng.IntN(4)])
		var warm *mapsolver.Duals
		switch rng.IntN(3) {
		case 0:
			warm = &mapsolver.Duals{V: prices(rng, cols, s.V)}
		case 1:
			warm = &mapsolver.Duals{V: draw(cols, cost.Draw)}
		}
		checkSmall(t, solver, s, p, warm)
	}
}
