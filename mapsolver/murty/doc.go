// Package murty ranks the assignments of a sparse problem: the cheapest, the
// second cheapest, and so on, one at a time for as long as they are asked for.
//
//	for s, err := range murty.KBest(ctx, &ssp.Solver{}, p) {
//		…            // s.Cost ascends
//		if enough {
//			break
//		}
//	}
//
// # Problem
//
// Two assignments differ when some row has another column, or is free in one
// and not in the other. A problem of n rows may have more than n! of them, so
// what counts is the time from one to the next.
//
// # Idea
//
// Murty [1] parts what is left after an answer into cells. Take the rows in any
// order: cell i holds the assignments that agree with the answer on the first
// i−1 rows and differ on row i. The cells are disjoint and hold everything but
// the answer, the cheapest assignment of a cell is again an assignment problem,
// and the cheapest over all cells is the next answer, whose own cell is parted
// in turn. What a row may choose is one of its entries or, where it may stay
// free, nothing; both are fixed and forbidden alike, so that miss costs need no
// columns of their own.
//
// Four things make this fast:
//
//   - Warm starts. The prices of an answer are feasible in each cell of its
//     partition and all its pairs but one are tight, so that a cell costs one
//     augmenting path from the row that lost its pair, and sometimes a second
//     from the column that lost its row [2].
//   - Bounds. The row must pay the least reduced cost of its other choices, and
//     the column of its other rows; their sum bounds the cell from below
//     without any search. Cells wait in a heap under their bound and are
//     solved when it reaches the top [2]; cells without another choice are
//     never made.
//   - Order. Rows are fixed from the greatest bound downwards, so that the cell
//     with the least bound, the likely next answer, is the most constrained [2].
//   - Parts. Rows and columns that no chain of entries joins do not interact.
//     Each connected part is ranked by itself, and the ranked lists are added
//     up: the k smallest sums of sorted lists, each sum reached in one way only.
//     Gated tracking problems fall into parts of a few rows.
//
// # Cost
//
// The first answer costs what the solver takes. A cell costs a copy of its
// part's prices and one or two searches of O(nnz·log n) over the part. The next
// sum costs O(log k) and the copy of the first answer.
//
// # Rounding and ties
//
// The cost of an answer is added up from its entries. Prices carry the rounding
// of a few additions for each generation of cells, so answers whose costs differ
// by less than that, some units in the last place of the largest cost, may
// change places. With integer costs below 2⁵³ in all sums everything is exact.
// Equal costs come in an order that depends on the problem and the first
// answer alone.
//
// [1] K. G. Murty. An algorithm for ranking all the assignments in order of
// increasing cost. Operations Research 16 (1968), 682–687.
//
// [2] M. L. Miller, H. S. Stone, I. J. Cox. Optimizing Murty's ranked assignment
// method. IEEE Trans. Aerosp. Electron. Syst. 33 (1997), 851–862.
package murty
