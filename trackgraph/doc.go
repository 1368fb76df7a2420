// Package trackgraph solves tracking problems whose costs somebody else has made: a graph
// of detections and possible links, with prices for being used, born, ended and false,
// for dividing and merging, and for two links that follow each other. No motion model
// is involved, and no geometry. It finds the cheapest set of tracks and proves a bound.
//
// # The problem
//
// A [Graph] has detections and arcs, which lead from a detection to a later one. An
// [Answer] says which arcs are chosen and which detections are used. A detection that is
// not used has no chosen arc and costs False. One that is used costs Use, has at most one
// predecessor, or two where it may merge, and at most one successor, or two where it may
// divide; and it costs
//
//	Birth without a predecessor     Merge with two
//	End   without a successor       Divide with two, or what [Division] says
//
// Each chosen arc costs Cost, and each pair of chosen arcs into and out of one detection
// what a [Triplet] says. Without divisions, merges and triplets this is a minimum-cost
// flow; with them it is NP-hard in general.
//
// # The method
//
// One linear assignment problem holds all frames. Detection d is a row, whose entries are
// its arcs out, and a column, whose entries are its arcs in; the entry (d, d) says that d
// is not used. A row that stays free ends, a column that stays free is born. A
// detection that may divide has a second row for its second daughter, one that may
// merge a second column. What this cannot say, that a second daughter needs a first,
// that a pair of links has a price, is a matrix of costs between two of these ports, a
// [block]. Multipliers move costs between the assignment problem and the blocks, as in
// package dualascent: whatever their values,
//
//	bound = value of the assignment problem with them + Σ blocks least entry without them
//
// is no more than the cheapest answer costs, and it is raised by turns: the ports of a
// block give their reduced costs to it, and it gives all it has to its other port. A
// graph without blocks is solved by one assignment problem, which is exact.
//
// What an answer costs above the bound is a sum of slacks, and the best answer known has slack at a
// few places only. A better one differs from it in sets of ports that gain more there than they
// pay, so each lies in a ball around such places (package moat). Balls are small however large the
// graph is; options outside them, and options with more slack than the answer has in their part,
// are dropped, the rest falls into parts, and each is treated in the same way by itself; where that
// does not help, the best answer known is improved region by region (file regions.go), and an
// option is taken and left out. Where a large graph has priced divisions or triplets, graphs of its
// likely arcs alone are solved before it, for a good answer to begin with (file restrict.go).
// [Options].Effort limits this; the bound says what remains open.
package trackgraph
