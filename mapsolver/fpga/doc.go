// Package fpga solves sparse linear assignment problems on an auction accelerator
// for FPGAs: a Sparse and Speculative design after [1], with a faster loop, a
// faster way into the chip and an exact mode. Its hardware description lies in
// rtl; package cycle is the model that agrees with it to the cycle; a [Solver]
// drives either behind a [Bus], and by default the model, which needs no tools.
//
//	var solver fpga.Solver
//	var s mapsolver.Solution
//	err := solver.Solve(ctx, &s, p, nil)
//	fmt.Println(s.Cost, solver.Report().Total, "cycles")
//
// No board was used, and nothing was placed and routed: cycles are exact, a time is
// cycles at a clock that somebody states.
//
// # The hardware's problem
//
// The accelerator has rewards from 1 to 2^RewardBits-1, to be made as large as
// possible; a pair that is not there is forbidden, and whoever stays free gets 0.
// A [mapsolver.Problem] becomes one of these by
//
//	reward = RowMiss + ColMiss - Cost
//
// what the pair saves over leaving both free. Pairs that save nothing are left out.
// Who must be served gets a finite miss cost, larger than any other; when somebody is
// left free all the same it is made larger, as far as the bits go. As soon as all are
// served that number has done its work, whatever it was: it is in the value of
// every assignment that serves all.
//
// # Exactness
//
// The accelerator's matching is within 1 of the optimum for each pair in it. With
// integers the rewards are multiplied by one more than there can be pairs, so the
// matching is optimal; 8-bit costs of 600 rows need 18 bits. Where the product
// does not fit, and with numbers that are no integers, rewards are rounded to the
// bits there are. In every case the prices and pairs are then the warm start of an
// [mtt/mapsolver/ssp.Solver], which pairs what is left, makes prices exact, and
// proves what is infeasible: the answer is optimal and certified, and the Report
// says how often the accelerator's own pairs already were. [Solver.DeviceOnly]
// leaves that out.
//
// # Many problems, and the same again
//
// SolveBatch puts many problems into one, block by block: nothing in the hardware
// changes, and the long tail in which a single agent bids is shared. In a start from
// prices those that nobody would pay are forgotten, or a second pass on the
// transposed problem removes them, in which objects that are left over bid for agents;
// with them the bound would not hold.
//
// [1] E. Jellum, M. Orlandić, E. Brekke, T. Johansen, T. Bryne. Solving sparse
// assignment problems on FPGAs. ACM Trans. Archit. Code Optim. 19 (2022), 55.
package fpga
