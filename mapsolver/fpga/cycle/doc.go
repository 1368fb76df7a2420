// Package cycle models auction accelerators cycle by cycle: the Sparse and
// Speculative (SaS) design of [1], the design it is compared with there (State of
// the Art, SoA), and our own, whose hardware description lies in
// mapsolver/fpga/rtl and agrees with this model on every counter.
//
//	core := cycle.Core{PE: 8, Timing: cycle.Short}
//	var s cycle.State
//	n := core.Run(&s, &p)
//	fmt.Println(n.Cycles, n.Iterations, s.Owner)
//
// # The machine
//
// Agents wait in a queue. One is fetched with its rewards, PE of them a cycle; each
// reward less the price of its object is a benefit, a tree of comparators finds the
// best and the second best one, and the agent bids for the best object: its price
// and the difference of the two benefits, but at least Epsilon, on top. At the
// end of the pipeline the bid is compared with the price as it is by then. When
// it is higher, the object goes to the agent and its former owner back to the
// queue. When it is not, another agent has raised the price in the meantime (a
// misspeculation), and the agent goes back. An agent without a positive
// benefit is dropped: prices only rise, so it never will have one.
//
// # What it guarantees
//
// Staying free is worth 0 to an agent, and objects that nobody bid for cost 0, so
// this is maximum weight matching and not the assignment of every agent of
// [1, eq. 3]. After an accepted bid the agent keeps what its second choice would
// have been worth, less Epsilon at most, and prices only rise: stale ones, read
// before an earlier bid was committed, are too low and make the bid lower, never
// too high. So
//
//	value ≥ optimum - Epsilon·(agents with an object)
//
// and with rewards that are multiples of more than that number of agents, and
// Epsilon 1, the matching is optimal (after [2], with the outside option for the
// dummy objects). This holds from prices of zero. From other prices it holds when
// no object stays free above the price zero; see [Problem].
//
// # Time
//
// The model is not stepped: an agent is carried through the pipeline at once,
// and commits of earlier agents are applied up to the cycle in which it samples
// each price. The cost is that of the bids, whatever the number of cycles: some 140 ns
// for one among 12 rewards.
//
// [1] E. Jellum, M. Orlandić, E. Brekke, T. Johansen, T. Bryne. Solving sparse
// assignment problems on FPGAs. ACM Trans. Archit. Code Optim. 19 (2022), 55.
//
// [2] D. P. Bertsekas. The auction algorithm: a distributed relaxation method
// for the assignment problem. Ann. Oper. Res. 14 (1988), 105–123.
package cycle
