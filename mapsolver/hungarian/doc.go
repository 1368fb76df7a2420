// Package hungarian solves sparse linear assignment problems by the Hungarian
// method, in its two classical forms: the covers of Munkres, with a compressed list
// of zeros, and the alternating tree of Lawler; and as Munkres had it, on a matrix.
//
//	var solver hungarian.Solver
//	var s mapsolver.Solution
//	err := solver.Solve(ctx, &s, p, nil)
//
// It is here for comparison, and as a second opinion that shares no code with
// the solver in mapsolver/ssp, which is faster nearly everywhere.
//
// # Steps
//
// The slack of an entry is Cost-U-V, that of a row what its price U lacks of
// its bound, the cost of staying free; a zero is an entry without slack. The
// six steps of Munkres [2], with the words of [4] and [5]:
//
//  1. Subtract the least of each row, then of each column: U and V become
//     prices without negative slack.
//  2. Star zeros, at most one in each row and each column. Starred zeros are
//     the assignment.
//  3. When no row is deficient, free though its slack is not 0, stop.
//     Otherwise uncover the deficient rows, cover the other rows, and uncover
//     all columns.
//  4. Take an uncovered zero from the list. When its column has a star, prime
//     it, cover the column, uncover the row of that star, and list the zeros of
//     that row; else go to step 5. When the list is empty go to step 6.
//  5. Change stars and primes along the alternating path that ends here, and go
//     back to step 3.
//  6. Let δ be the least slack of the uncovered entries and rows. Raise each
//     uncovered row and lower each covered column by δ; list the zeros that
//     this makes; go back to step 4. A row that reaches its bound ends a path
//     as a column without a star does: it gives up its star and stays free.
//
// In the textbook rows and columns change roles and a square matrix is stored;
// here entries may be missing, either side may be the larger one, and staying
// free has a price. Rows come first; the columns that are then still deficient
// are served by the same steps on the transposed problem. A row that is served
// stays so, and no column becomes deficient on the way, nor the reverse.
//
// The zeros are a compressed list, as in [4], never a search in the matrix. The
// textbook makes it by a pass over the matrix in step 6; here each column
// remembers the least slack of its uncovered entries (Lawler [3]), and a pass over
// the columns finds δ and compresses the zeros at once, as the fused kernel of
// [6] does. [Munkres] uncovers all deficient rows together, a forest of alternating
// trees, and [Tree] only one of them, which for sparse rows looks at less.
//
// When step 6 finds nothing, the uncovered rows must be served and have no
// columns but the covered ones, which are fewer: the set becomes the
// [mapsolver.InfeasibleError].
//
// # Cost
//
// There are at most n = Rows+Cols alternating paths, for each of them a row is
// uncovered at most once, and step 6 is done at most n times, in O(n). That is
// O(n·nnz+n³) time in all, O(n³) when dense, where Munkres' own, [Classic], takes O(n⁴).
// Memory is O(n), and 16 bytes an entry when columns have to be served; for Classic
// 8 bytes for each pair of rows and columns.
//
// # Rounding
//
// Prices are changed once for each path, by the sum of its δ, so two equal
// slacks stay equal and integers exact below 2⁵³. Stars are zeros by
// construction: (Cost-V)-U is 0 to the last bit. Every answer is certified, in O(nnz) time;
// where costs of very different scales have spoilt the prices, cycles of costs alone make
// it an optimum: see [mapsolver.Finisher].
//
// [1] H. W. Kuhn. The Hungarian method for the assignment problem. Naval Res.
// Logist. Quart. 2 (1955), 83–97.
//
// [2] J. Munkres. Algorithms for the assignment and transportation problems.
// J. SIAM 5 (1957), 32–38.
//
// [3] E. L. Lawler. Combinatorial Optimization: Networks and Matroids. Holt,
// Rinehart and Winston 1976, section 5.7.
//
// [4] P. A. C. Lopes, S. S. Yadav, A. Ilic, S. K. Patra. Fast block distributed
// CUDA implementation of the Hungarian algorithm. J. Parallel Distrib. Comput.
// 130 (2019), 50–62: the zeros kept as a compressed list.
//
// [5] R. Burkard, M. Dell'Amico, S. Martello. Assignment Problems, revised
// reprint. SIAM 2012, section 4.2.
//
// [6] S. Kawtikwar, Y.-H. Chang, V. Govind and others. Improvements to the
// Hungarian LAP Solver. Report, University of Illinois.
package hungarian
