// Package ssp solves sparse linear assignment problems by shortest augmenting
// paths, with a warm start. It is made for gated tracking problems: rows with a
// handful of entries, misses at a finite cost on both sides, and the same
// pattern solved again and again with slightly different costs.
//
//	var solver ssp.Solver
//	var s mapsolver.Solution
//	err := solver.Solve(ctx, &s, p, nil) // from nothing
//	…                                    // p.Cost changes
//	err = solver.Solve(ctx, &s, p, &s.Duals) // from the last answer
//
// # Method
//
// Prices are feasible throughout: U+V ≤ Cost at every entry, and neither
// exceeds its bound, which is the cost of staying free, 0 for who stays free at
// no cost and +Inf for who must be served. Pairs are tight throughout:
// U+V = Cost. A free row or column whose price is below its bound is deficient.
// When nobody is deficient the prices add up to the cost, and both are optimal.
//
// The start makes prices feasible and pairs what it can: from given column
// prices by row reduction, keeping the pairs of the last answer that are still
// tight; from nothing by column reduction. Then each deficient row is served by
// one search for the nearest sink, a free column or a row that may go free
// instead, and after them each deficient column by the mirror image. A search
// is Dijkstra's over reduced costs; no search makes anyone else deficient, and
// each raises the sum of the prices. This is the method of Jonker and Volgenant
// [1] as implemented for sparse matrices by Duff and Koster [2], carried over
// to finite bounds on both sides. From [2] come the cut, nothing as far as the
// nearest sink is stored, and the vertices at the distance at hand, which
// bypass the heap. Other vertices wait for their place in it until the search has
// gone through those: most searches of tracking end before. Half of them look at
// two rows, the second of which has another tight column that is free; those need
// no tree.
//
// A search that finds no sink has found a set that violates Hall's condition;
// it becomes the [mapsolver.InfeasibleError].
//
// # Augmenting row reduction
//
// From nothing, where not both sides pay for staying free, each row that the column
// reduction left without a pair takes its best column: a free one as it is, else
// from the row that has it, at the price that makes its second best as good; that
// row goes next. This is the augmenting row reduction of [1], with a bounded number
// of looks at rows. The best two of a handful of costs are found without a branch on
// them, as wrong guesses would take most of the time. On tracking it leaves one row
// in 200 to a search, and takes a third off the time.
//
// # Where searches grow long
//
// On gated problems the searches together look at few of the rows. On
// random ones the last of them, for which few columns are free, look at
// thousands each: of 10⁵ rows with 8 entries, the last tenth of the searches
// looks at 110 times all rows. So where row reduction leaves one row in ten, and when
// searches have looked at 0.6 rows for each row of the problem, an auction with
// falling ε takes over once, in the manner of the cost-scaling push-relabel method
// of Goldberg and Kennedy [3]. It is fast because it works with rounded reduced
// costs, and right because it only suggests: its prices and pairs are a warm
// start, which searches make exact. On that problem it takes some 20 bids and 5
// looks for each row. Where rows are long and not many searches are faster and go
// on; how long depends on how well row reduction went, which tells random problems from
// those of low rank or of sets that lie apart.
//
// Independent components are not solved apart. A search touches only its tree, which
// lies in one of them, so there is nothing to save: finding them takes a third to a
// half of the time of the solve, on tracking with 2 to 7 entries a row, and solving
// them one by one doubles it.
//
// # Tiny problems
//
// Problems of up to 64 rows and columns are solved from nothing with sets of
// columns in a machine word. Where columns stay free at no cost row reduction begins with
// all prices 0, and few searches are left.
//
// # Cost
//
// The start takes O(nnz) time and nearly always serves most rows. A search takes
// O(nnz·log nnz) time at worst and touches only its tree, a few rows in gated
// problems. Memory is some 50 bytes for each row and column and none for the
// entries, except 8 bytes an entry for the list by column, and as many for the
// auction, when the solver needs them.
//
// # Rounding
//
// A pair is tight when (Cost-V)-U is 0 exactly, and the entry that sets a price
// is tight by construction, so ties are exact and integer costs, below 2⁵³ in
// all sums, give exact prices. Other costs leave a gap of a few units in the
// last place. So answers need no look at all entries to be proved, as long as such units are small
// beside the costs that the answer adds up: the solver notes the largest price that there
// ever was, and only where its unit is not small has the answer to prove itself, exactly and entry by
// entry. If it does not it is solved again without warm prices, and at last made an optimum by
// cycles of costs: see [mapsolver.Finisher]. The answer depends on the problem and the warm start alone: ties
// go to the entry, row or column of lower index at the start and in the auction,
// and to the first reached in a search.
//
// [1] R. Jonker, A. Volgenant. A shortest augmenting path algorithm for dense
// and sparse linear assignment problems. Computing 38 (1987), 325–340.
//
// [2] I. S. Duff, J. Koster. On algorithms for permuting large entries to the
// diagonal of a sparse matrix. SIAM J. Matrix Anal. Appl. 22 (2001), 973–996.
//
// [3] A. V. Goldberg, R. Kennedy. An efficient cost scaling algorithm for the
// assignment problem. Math. Program. 71 (1995), 153–177.
package ssp
