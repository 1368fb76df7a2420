package cycle

import "math"

// This file is the article's model of what speculation costs, equations 8 to 15,
// to be compared with what is counted.

// StallCost is the number of cycles that waiting for the agent before takes
// [1, eq. 8]. The latencies of the article's Table 2, which the equation is said to
// be the sum of, add up to 6+log2(PE).
func StallCost(pe int) int { return 4 + log2(pe) }

// MissCost is the number of cycles that a misspeculation takes [1, eqs. 9, 10] when
// the given number of agents waits in the queue.
func MissCost(pe, waiting int) int { return 1 + max(0, latencyPE-waiting) + StallCost(pe) }

// latencyPE is d_PE of the article's Table 2.
const latencyPE = 3

// SpeculationCost is the range of the expected cost of speculating [1, eq. 11]: with
// enough agents in the queue, and with none.
func SpeculationCost(pe, objects int, unresolved float64) (least, most float64) {
	p := MissRate(objects, unresolved)
	return p * float64(MissCost(pe, latencyPE)), p * float64(MissCost(pe, 0))
}

// MissRate is the expected share of bids that miss when unresolved others are on their
// way, each for an object of its own choice [1, eqs. 12, 13].
func MissRate(objects int, unresolved float64) float64 {
	m := float64(objects)
	return 1 - math.Pow((m-1)/m, unresolved)
}

// Unresolved is the expected number of agents on their way when each has k rewards
// [1, eqs. 14, 15]: the pipeline, of 7 agents for 8 processing elements, over the
// words of an agent. At most one agent fills a stage.
func Unresolved(pe, k int) float64 {
	span := float64(k) / float64(pe)
	return float64(StallCost(pe)) / max(span, 1)
}
