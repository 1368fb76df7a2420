// Package dualascent solves the multi-frame assignment problem with triplet
// costs: it raises a lower bound by dual block-coordinate ascent, rounds it to
// assignments, and, where the two do not meet, drops what no better answer can use,
// splits what is left into parts and searches these.
//
// # The problem
//
// Nodes are arranged in frames 0…T−1. Frame pair p, in the comments of this package also gap p, as
// the papers have it, joins frames p and p+1 by arcs; the chosen ones must form a matching. The
// duality gap is always called that, or Gap. A node without a chosen in-arc is a birth, one without
// a chosen out-arc is a death. With x the chosen arcs, births and deaths, the cost to be minimised
// is
//
//	Σ over pairs   Σ chosen arcs a of C[a] + Σ deaths of RowMiss + Σ births of ColMiss
//	Σ over blocks  Σ nodes j of D[in(j), out(j)]
//
// where the block of node j (of an interior frame) is a small dense matrix: one
// row for each in-arc and one for "birth", one column for each out-arc and one
// for "death". Tracking puts the price of a pair of detections in C and of a
// triplet in D, but nothing here knows of detections. Where D[a,b] is a difference of
// values of a and b, [Differences] say so and nothing is stored for the pair.
//
// # The bound
//
// Each arc a carries two multipliers: U[a] moves cost between its gap and the
// block of its head, V[a] between its gap and the block of its tail. For any U
// and V
//
//	LB(U,V) = Σ_p LAP_p(C+U+V) + Σ_j min over (a,b) of (D[a,b] − U[a] − V[b])
//
// is a lower bound, and its maximum is the value of the linear-programming
// relaxation in which the out-marginals and the in-marginals of the products
// x[a]·x[b] equal x. The engine keeps every block drained (its minimum 0), so
// that the bound is the sum of linear assignment problems ("X-LAPs").
//
// # The ascent
//
// A forward pass visits the gaps in order: it takes over from the block on the
// left what that block has to give, V[b] = min over a of (D[a,b] − U[a]); solves
// the X-LAP, warm-started by its own prices; balances the prices; and pushes all
// reduced costs on to the block on the right. Pushing leaves the X-LAP's optimum
// unchanged and can only raise what follows, so the bound never falls. A
// backward pass is the mirror image. Balancing centres each matched pair's
// prices between its row's and its column's second choice, which spreads the
// reduced costs. Without it the ascent stalls 0.3 to 0.6 % below the best answer
// where it comes as close as 0.005 to 0.07 % with it (docs/engine.md says on what).
// From the third round on, the multipliers first repeat a share of their last step.
//
// Long instances are cut into chunks of gaps that are passed at the same time,
// neighbours in opposite directions. The cuts depend on the instance alone, so the
// result does not depend on the number of workers, to the last bit. Large instances whose nodes no
// arcs join from end to end are solved part by part, many at a time, each until its own bounds meet.
//
// Where most arcs are far from all good answers, rounds go on among the cheapest of each node,
// between the second round and the third, which has all arcs again and proves what the result says.
// They are not counted as rounds.
//
// # The search
//
// What an answer costs above the bound is the sum of the slacks of what it uses, so an arc whose
// slack exceeds what the best answer has is in no better one. Such arcs are dropped, nodes left
// with one choice are decided, and the rest falls into parts, each with its own share of the gap,
// after which more arcs go. Where the gap as a whole exceeds every slack, what lies outside balls
// around the answer's own slack is dropped (package moat). Each part is an instance; it is ascended
// by itself, and where that is not enough it is split in two by an arc that is in the answer or is
// not. [Options].Effort limits the work. What the multipliers prove by themselves is
// [Result].Certified; what the search rules out besides is part of [Result].LowerBound alone.
//
// The parallel scheme published as RMAP-DA [1] (all gaps at once, reduced costs
// pushed one way) is kept as [Options].Scheme = [Parallel] for comparison. What it
// proves depends on which optimal prices of the X-LAPs are pushed: they are brought
// into a normal form, so that it does not depend on the solver.
//
// [1] S. Kawtikwar, R. Nagi. Multi-Target Tracking with GPU-Accelerated Data
// Association Engine. FUSION 2023, Algorithm 1.
package dualascent
