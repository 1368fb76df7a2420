// Package auto solves linear assignment problems with the solver that suits
// each of them.
//
//	var solver auto.Solver
//	var s mapsolver.Solution
//	err := solver.Solve(ctx, &s, p, nil)
//
// See [Choose] for its rule. What it chooses from:
//
//   - [mtt/mapsolver/ssp], shortest augmenting paths over sparse rows: the solver
//     of gated problems, of miss costs and of warm starts;
//   - [mtt/mapsolver/dense], Algorithm 1015 with assembly loops, for full
//     matrices, and a core of their entries for large ones.
//
// All are exact, so the choice changes the time, never the cost. It depends on
// the problem alone, not on what was solved before or on the machine.
package auto
