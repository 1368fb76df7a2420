// Package mapsolver states the sparse linear assignment problem and checks its
// answers. The solvers live in the packages below it: mapsolver/auto is the one
// to start with.
//
// # The problem
//
// Rows are to be paired with columns. Each stored entry e, in row r and column
// c, is a pair that is allowed and costs Cost[e]; leaving row r free costs
// RowMiss[r], leaving column c free ColMiss[c]. With x[e] = 1 for a chosen
// entry, y[r] = 1 for a free row and z[c] = 1 for a free column,
//
//	minimise    Σ Cost·x + Σ RowMiss·y + Σ ColMiss·z
//	subject to  Σ x[e] over row r    + y[r] = 1   for every row
//	            Σ x[e] over column c + z[c] = 1   for every column
//	            x, y, z ≥ 0.
//
// The vertices of this polytope are integral [1], so a solver may work on the
// linear programme and still return an assignment. Detections and tracks,
// workers and jobs, births and deaths all fit: a gate is an absent entry, a
// birth or a death is a miss cost, and a square assignment has no miss costs
// at all. See [Problem] for what nil and infinite miss costs mean.
//
// Who comes from SciPy or lapjv: linear_sum_assignment(cost) is [Dense] and a [Solver], with +Inf
// for what is forbidden; cost_limit=L of lap is RowMiss and ColMiss of L/2 each;
// min_weight_full_bipartite_matching is a Problem with both nil. Rewards are costs with the other
// sign. Exactly k pairs of n are an example of mtt/mapsolver/auto.
//
// # The dual and the certificate
//
// A price U[r] for each row and V[c] for each column with
//
//	U[r] + V[c] ≤ Cost[e],   U[r] ≤ RowMiss[r],   V[c] ≤ ColMiss[c]
//
// prove that no assignment costs less than ΣU + ΣV, and at the optimum some
// prices reach it [1, §4.1]. Every solver returns such prices, and [Certify]
// compares: the cost, added up again, less the sum of the prices is the
// duality gap, a bound on how far the answer is from the optimum that trusts
// no solver. Up to [Tolerance], which is relative to the costs that the answer uses and to no
// others, it is none; solvers hand out no answer with more, however large the numbers in the
// problem: see [Finisher]. When there is no assignment at all, the [InfeasibleError] carries
// a set of rows and columns that proves it.
//
// Many problems at once are the business of [Batch].
//
// Prices outlive their problem. When costs change a little, the prices of the
// last solution make the next solve several times faster; see [Solver].
//
// [1] R. Burkard, M. Dell'Amico, S. Martello. Assignment Problems, revised
// reprint. SIAM 2012.
package mapsolver
