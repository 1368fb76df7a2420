// Package dense solves dense linear assignment problems exactly, by shortest
// augmenting paths with linear scans and ε-pricing, after Algorithm 1015 [1].
//
//	var solver dense.Solver
//	var s mapsolver.Solution
//	err := solver.Solve(ctx, &s, dense.NewMatrix(rows, cols, cost), nil)
//
// The smaller side is assigned completely, the rest of the larger side stays
// free at no cost. Costs come from a [Matrix], from a [Matrix32] of half the size
// or, one row at a time, from a [Func]; a [Cache] keeps computed rows within a
// limit of memory. A cost of +Inf forbids a pair; for matrices that are mostly forbidden,
// or whose rows may stay free at a price, [mtt/mapsolver/ssp] is the solver. A [Sparse] is a
// solver of [mapsolver.Problem].
//
// # Large problems
//
// Square problems of some thousands of rows are solved from a core. Each row
// remembers the entries of the least reduced cost and a floor, which all others
// have; ε-pricing and searches work on these alone, and rows whose price comes to lie
// above their floor are read again, until none does. Then the prices prove the
// assignment to be optimal among all entries, as those of Volgenant's core [3] do. A few sweeps over
// the matrix take the place of dozens: the distances of 100,000 points each in the
// plane, 10^10 of them, computed as they are needed, take 134 s on one core of a server,
// 32 s on sixteen, and 1.08 GB. The rows to read are shared among Workers. The
// prices to begin with come from a sample, see core.go; where
// ties or a sample say that whole rows are quick, or the core grows out of bounds,
// whole rows are scanned as below.
//
// # Method
//
// A row is assigned by Dijkstra's search over reduced costs C-V for the nearest
// free column; each step scans one row. Afterwards the price of each scanned
// column is lowered by how much nearer than the free column it was, and all
// pairs have the least reduced cost of their row again. When every row has a
// column, U, the reduced costs of the pairs, and V prove that the assignment is
// optimal.
//
// How many rows a search scans depends on the prices it begins with. ε-pricing
// first estimates them from the two smallest costs of each column and greedy
// assignments, then assigns all rows in several rounds with falling ε, lowering
// scanned columns by ε more than needed, and keeps the prices of each round but
// not its assignment. The last round is at ε = 0 and exact for any prices. On
// costs of low rank, and of points far from their partners, that makes eight to
// two hundred times fewer scans at n = 1000.
//
// Uniform random and integer costs need no ε-pricing: column reduction and two
// passes of augmenting row reduction [2], with a bound on the bids, assign most
// rows, and searches the rest. Solve begins with the first of these passes, at
// the cost of one to two sweeps, and turns to ε-pricing as soon as that leaves
// more than a sixth of the rows free. [Start] overrules that.
//
// # Departures from the paper
//
// Columns at the same distance are scanned in a row and a free one among all of
// them ends the search; a column out of a search has price -Inf, not a flag;
// forbidden pairs, of which ε-pricing could make no sense, and matrices that are
// not square are solved from prices 0; ε is 0 when the first gap is not
// positive, where it would be 0/0.
//
// # Cost
//
// The worst case is O(n²m) for n ≤ m; the number of rows scanned grows as
// n^1.0 to n^1.4 on the classes of the paper by its fits, each at O(m). Memory
// is some 60 bytes for each column and 50 for each row, besides the costs.
//
// # Rounding
//
// Prices that fall make no reduced cost lower, in rounded numbers too, so floors hold to
// the last bit; where they are raised, by what all prices have fallen, they are off by a unit in
// the last place, which is below what [Certify] allows.
//
// The prices of ε-pricing are no integers even where costs are, so every answer
// may leave a gap of some units in the last place of the sums; [Certify] says
// how much. A gap below 1 means that an answer to integer costs is optimal.
// Equal input gives equal bytes, with or without assembly.
//
// The pairs of the last round are tight, and its prices feasible, by each search; a core tests
// that at its end (core.go). So no answer needs another sweep to be proved, as long as rounding
// is small beside the costs that the answer adds up. Where prices became so large that it is not,
// as costs of very different scales make them, the answer has to prove itself, and where it does
// not it is made an optimum by cycles of costs: see [mapsolver.Finisher].
//
// [1] S. Guthe, D. Thuerck. Algorithm 1015: A fast scalable solver for the
// dense linear (sum) assignment problem. ACM TOMS 47 (2021), 18.
//
// [2] R. Jonker, A. Volgenant. A shortest augmenting path algorithm for dense
// and sparse linear assignment problems. Computing 38 (1987), 325–340.
//
// [3] A. Volgenant. Linear and semi-assignment problems: a core oriented
// approach. Computers & Operations Research 23 (1996), 917–932.
package dense
