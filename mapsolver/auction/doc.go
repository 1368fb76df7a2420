// Package auction solves sparse linear assignment problems by an auction: rows
// bid for columns, and prices rise until everyone is content. The prices go to
// the solver in mapsolver/ssp, whose answer is exact.
//
//	var solver auction.Solver
//	var s mapsolver.Solution
//	err := solver.Solve(ctx, &s, p, nil)
//	fmt.Println(s.Stats.Bids)
//
// It is the algorithm of the hardware accelerator of [3], which the bids count
// for, and a solver of its own kind to compare with.
//
// # Method
//
// V[c] is the price of column c with its sign changed, so that all is in costs.
// A free row takes the column that costs it the least, Cost-V, and lowers V
// until that column is as dear as its second choice, and by ε more; the row that
// had the column is free again and joins the end of the queue (Gauss-Seidel, the
// variant of [3]). Staying free at the cost of doing so is a choice as well: a
// row that prefers it stops to bid. With [Solver.Jacobi] all free rows bid at
// once and each column takes its best bid.
//
// The raise of at least ε ends the fights over equal choices that the pseudo-code
// of [3] cannot end. The pairs of a finished auction cost at most ε for each row
// more than the optimum [1]. A small ε from the start may take as many bids as the
// range of the costs holds ε, so ε falls from phase to phase, each from the
// prices of the one before [2].
//
// # Exactness
//
// With integers and a last ε below 1/(Rows+1) the pairs are optimal already, and
// their prices are a certificate up to ε; they are rounded to integers, which
// leaves next to nothing to do. With other numbers a gap of ε for each row is
// left. The prices and pairs of the last phase are therefore the warm start of an
// [mtt/mapsolver/ssp.Solver], which keeps the pairs that are tight, finds shortest paths for the
// others, serves columns that must be served, and proves what is infeasible.
// Whatever the auction does changes the time, never the answer.
//
// # Cost
//
// A bid takes the length of its row. Bids are bounded by [Solver.MaxBids]: an
// infeasible problem, in which rows would outbid each other for ever, and one
// with hard ties cost that much and then what the finish takes. With the
// defaults, square problems of 600 rows, 6 to 60 entries each and costs uniform
// in [0,1) take some 15 bids a row, costs of four levels 24 (BenchmarkSolve).
//
// [1] D. P. Bertsekas. The auction algorithm: a distributed relaxation method
// for the assignment problem. Ann. Oper. Res. 14 (1988), 105–123.
//
// [2] D. P. Bertsekas. The auction algorithm for assignment and other network
// flow problems: a tutorial. Interfaces 20 (1990), 133–149.
//
// [3] E. Jellum, M. Orlandić, E. Brekke, T. Johansen, T. Bryne. Solving sparse
// assignment problems on FPGAs. ACM Trans. Archit. Code Optim. 19 (2022), 55.
package auction
