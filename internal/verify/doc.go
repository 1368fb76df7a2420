// Package verify checks an answer from its files alone: the tracks, the
// assignment behind them, its cost, and the lower bound that says how much
// cheaper any other assignment could be.
//
// It shares nothing with the engine but the types of package mtt and the file
// format of package certificate: no solver, no cost model, no bound, no way from
// assignments to tracks. What it says rests on additions and comparisons of the
// numbers in the certificate:
//
//   - The lower bound holds whatever the multipliers are. A wrong multiplier makes
//     it worse, never too high; prices that are too high are lowered first.
//   - Every addition is rounded downwards for the lower bound and upwards for the
//     cost, so LowerBound ≤ least cost ≤ UpperBound holds for real numbers, not
//     for floats only. The width that this adds is below a unit in the last place
//     of each term (package certificate refuses numbers whose sums might
//     overflow).
//   - Nothing is claimed about the costs themselves: the certificate proves that
//     no assignment is cheaper under the costs that it holds.
//
// docs/certificate.md has the formulas.
package verify
