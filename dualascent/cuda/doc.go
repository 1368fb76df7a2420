// Package cuda raises the bounds of multi-frame assignment problems on an NVIDIA
// card, in builds with the tag cuda. It needs the card's driver at run time and
// nothing else: the kernels are in the program, as PTX.
//
//	opts := &dualascent.Options{Ascend: cuda.Ascend(warn)}
//	result, err := dualascent.Solve(ctx, inst, opts)
//
// [Ascend] ascends on the card and lets the engine on the host go on from there, to answers and
// proofs. An [Ascent] is a problem that stays on the card: [New] copies an instance there,
// [NewPaper] and [NewGaussian] make one of detections, and [Ascent.Solve] does all of it there. A
// [Split] is one that several cards share, a run of frames each: bounds are those of one card, and
// [Ascend] takes all cards for large problems. [Available] says whether there is a card, and why
// not.
//
// # Method
//
// A pass visits the gaps of even number, all at once, then the others. Each takes over
// what the node blocks on both sides have, U[a] = min over b of (D[a,b] − V[b]) on the
// right and V likewise on the left; its assignment problem is solved by one block of
// the card's threads, from the prices of the last pass; prices are balanced; and all
// reduced costs go back, half to the left and half to the right. Blocks are drained
// when a gap takes and are given to when it has been solved, so the values of the
// assignment problems add up to a lower bound at any time. From the third pass on the
// multipliers first repeat a share of their last step.
//
// The launches for the gaps of a colour are one graph, which costs the host one call, and what comes
// back is one number for each gap. The pass waits for its slowest gap, and most have
// little to do, so each gap makes few searches: rows that wait keep the best prices that
// they can have, which is a bound too, and go on the next time. The last pass searches
// to the end.
//
// Balancing on the host goes through the pairs in turn. Here all move at once, and stay
// feasible since each takes at most half of what is left: see kernels/ascent.cu.
//
// # Costs
//
// Numbers are float64 throughout, so bounds are those of the host but for rounding.
// Triplet costs are matrices, read twice a pass, or differences of features, |x − y|, as
// under the paper's cost: then the least over one of the two is a lower envelope of
// cones, found by one scan of the features in their order (Felzenszwalb and
// Huttenlocher's distance transform [1], §2). A pass takes the time of the pairs, and
// triplets take no memory.
//
// # Certificates
//
// [dualascent.Bound] of [Ascent.Prices] says on the host what the prices prove;
// [Ascent.Prove] computes the same on the card, for problems that never leave it. An
// answer is improved by matching gaps again between what stands on both sides, all gaps
// of one parity at a time.
//
// [1] P. Felzenszwalb, D. Huttenlocher. Distance transforms of sampled functions.
// Theory of Computing 8 (2012).
package cuda

//go:generate kernels/generate
