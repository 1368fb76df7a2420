package cycle

import "math/bits"

// This file states how long the parts of a pipeline take.

// A Timing says when things happen to an agent that is taken from the queue in
// cycle t and whose rewards fill w words: word i samples its prices in cycle
// t+Fetch+i, the bid is committed Decide+log2(PE) cycles after the last sample,
// whoever the commit sends back to the queue can be taken Requeue cycles later, and
// the next agent can be taken in cycle t+w+Gap.
type Timing struct {
	Fetch   int // cycles from the queue to the sample of the first word's prices
	Decide  int // cycles from the last sample to the commit, less log2(PE)
	Requeue int // cycles from the commit to the queue
	Gap     int // idle cycles between two agents
	Finish  int // cycles counted after the one of the last commit

	// PadFull: a row whose entries fill its words exactly takes one more, empty
	// word, unless its last entry is that of the last object.
	PadFull bool
	// Descending: at the start the last agent is the first in the queue.
	Descending bool
}

var (
	// Published is the timing of the hardware description that the authors of the
	// article published: a dispatcher of three states that takes an agent every
	// other cycle at best, and a loop of 13+log2(PE) cycles for a lone agent.
	Published = Timing{Fetch: 5, Decide: 5, Requeue: 3, Gap: 1, Finish: 3, PadFull: true, Descending: true}

	// Article is the pipeline as the article describes it: the latencies of its
	// Table 2, which add up to a loop of 11+log2(PE) cycles, and an agent in every
	// cycle.
	Article = Timing{Fetch: 5, Decide: 5, Requeue: 1, Finish: 3}

	// Short is our own: an agent in every cycle, and a loop of 7+log2(PE) cycles.
	// Without speculation an agent whose rewards fill w words takes w+6+log2(PE)
	// cycles, which is what the article's Table 2 adds up to for its SoA design.
	Short = Timing{Fetch: 3, Decide: 3, Requeue: 1, Finish: 2}
)

// log2 is the base-2 logarithm of a power of two.
func log2(n int) int { return bits.TrailingZeros(uint(n)) }
