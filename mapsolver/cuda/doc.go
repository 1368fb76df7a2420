// Package cuda solves linear assignment problems on an NVIDIA card, many at a time
// or one large one, in builds with the tag cuda. It needs the card's driver at run
// time and nothing else: the kernels are in the program, as PTX.
//
//	var solver cuda.Solver
//	err := solver.SolveBatch(ctx, answers, problems)
//
// [Solver] takes problems as the host has them and is as exact as the other solvers.
// [Costs] lie on the card, dense and as float32, for programs that solve them again and
// again by a [Batch]; [NewBatch64] makes one of float64. [Available] says whether there
// is a card, and why not. [Points] pairs two sets of points whose costs nobody stores, on all cards
// together. [Hungarian] is what others do, for comparison.
//
// # Method
//
// A block of threads solves a problem, a cluster of blocks a large one. Free rows
// bid for columns, one row for each warp at a time, first with falling ε; then each
// row that is left is assigned by a shortest augmenting path, in whose search all
// columns at the distance at hand are expanded together. That keeps the number of
// steps that must follow one another small: some 300 for 300 rows. In large problems,
// between the two, trees over tight entries grow from all free rows at once. The head
// comments of kernels/bid.h, tight.h and search.h say more.
//
// All parts keep prices feasible and pairs tight, so each answer comes with the
// prices that prove it. Ties go to the smaller row or column, never to the thread
// that came first: equal input gives equal bytes.
//
// # Certificates
//
// Problems of a [Solver] are solved in float64; the host checks each answer by
// [mapsolver.Certify], and hands what that does not prove to [ssp.Solver], which
// starts from the card's prices and pairs. [Batch.Prove] adds up cost and bound of
// float32 problems in float64, so that their gap shows what rounding did.
//
// # Kernels
//
// The kernels are a subset of CUDA without headers, which Debian's clang compiles
// by itself, and nvcc as well: go generate writes kernels/ptx, and CI compares. The same
// sources, compiled for the host, become an emulator of a card and its driver
// (internal/cuda/emulator), with which CI runs the tests of this package.
package cuda

//go:generate kernels/generate
