package cycle

import (
	"math"
	"slices"
)

// This file is the core: from rewards on the chip to prices and owners.

const (
	badPE    = "cycle: the number of processing elements is a power of two, at least 2"
	badShape = "cycle: slices of the problem or the state differ in length"
)

// A Problem is what the memory on the chip holds: the rewards of each agent for
// the objects that it may get. It is only read.
type Problem struct {
	Objects int
	Ptr     []int    // len agents+1: agent a holds the entries Ptr[a]..Ptr[a+1]-1
	Object  []int32  // len nnz, ascending for each agent
	Reward  []uint32 // len nnz; 0 is an entry that is not there

	// Idle agents do not bid at the start, only after they have lost an object; nil:
	// none. They are the owners that a State begins with.
	Idle []bool // len agents

	// Ready[a] is the first cycle in which agent a can be taken from the queue; nil:
	// the core starts when all are on the chip. Ascending.
	Ready []int // len agents
}

// Agents is the number of agents.
func (p *Problem) Agents() int { return len(p.Ptr) - 1 }

// A State is what the core works on: the price and the owner of each object.
// Where they have the length of the problem's objects a run begins with them;
// else it begins with prices of zero and no owners.
type State struct {
	Price []uint32 // len Objects
	Owner []int32  // len Objects, -1: none
}

// Counters count the work of a run, as the registers of the hardware do.
type Counters struct {
	Cycles     int // from the first cycle in which an agent could be taken to the end
	Iterations int // agents that reached the end of the pipeline
	Accepts    int // bids that won
	Misses     int // bids below a price that had risen in the meantime
	Drops      int // agents that will bid no more: no positive benefit
}

// Add adds the counts of m to n.
func (n *Counters) Add(m Counters) {
	n.Cycles += m.Cycles
	n.Iterations += m.Iterations
	n.Accepts += m.Accepts
	n.Misses += m.Misses
	n.Drops += m.Drops
}

// A Core is an auction accelerator without its memory interface. It keeps its
// workspace and is not safe for concurrent use.
type Core struct {
	PE     int  // processing elements: rewards looked at in a cycle; a power of two
	Stall  bool // take an agent only when the one before it has committed
	Dense  bool // a slot of a word for each object, whether there is a reward or not
	Timing Timing

	Epsilon uint32 // least raise of a bid; 0 is 1
	Limit   int    // stop after about this many cycles; 0: no limit

	p       *Problem
	s       *State
	started int       // agents that have had their first turn
	queue   []waiting // ring; its length is a power of two
	head    int       // of the queue
	waits   int       // agents in the queue
	bids    []bid     // on their way, in the order of their commits
	first   int       // the next one to commit
	next    int       // first cycle in which the next agent can be taken
	last    int       // cycle of the last commit or drop; -1: none
	counts  Counters
}

// waiting is an agent in the queue, and the first cycle in which it can be taken.
type waiting struct{ agent, from int }

// A bid is on its way to its commit.
type bid struct {
	at     int // cycle of the commit
	agent  int32
	object int32 // -1: no positive benefit
	price  uint32
}

// Run auctions p off, from the prices and owners in s to those at the end. When
// the Limit is reached it stops early, and ok is false: some who are without an
// object may still want one.
func (c *Core) Run(s *State, p *Problem) (n Counters, ok bool) {
	agents := p.Agents()
	if c.PE < 2 || c.PE&(c.PE-1) != 0 {
		panic(badPE)
	}
	if agents < 0 || len(p.Object) != len(p.Reward) || len(p.Object) != p.Ptr[agents] ||
		p.Idle != nil && len(p.Idle) != agents || p.Ready != nil && len(p.Ready) != agents ||
		len(s.Price) != len(s.Owner) {
		panic(badShape)
	}
	if len(s.Price) != p.Objects {
		s.Reset(p.Objects)
	}
	c.begin(s, p)
	for {
		agent, t, start := c.take()
		if agent < 0 {
			break
		}
		if c.Limit > 0 && t >= c.Limit {
			for c.first < len(c.bids) {
				c.commit()
			}
			c.counts.Cycles = max(c.Limit-1, c.last) + c.Timing.Finish
			return c.counts, false
		}
		words := c.words(agent)
		if idle := start && p.Idle != nil && p.Idle[agent]; words == 0 || idle {
			if !idle {
				c.counts.Drops++
			}
			c.last = max(c.last, t+1)
			c.next = t + 1 + c.Timing.Gap
			continue
		}
		b := c.evaluate(agent, t, words)
		c.bids = append(c.bids, b)
		c.next = t + words + c.Timing.Gap
		if c.Stall {
			c.next = max(c.next, b.at+c.Timing.Requeue)
		}
	}
	c.counts.Cycles = c.last + c.Timing.Finish
	return c.counts, true
}

// Reset makes s the state of n objects that cost nothing and belong to nobody.
func (s *State) Reset(n int) {
	s.Price = slices.Grow(s.Price[:0], n)[:n]
	s.Owner = slices.Grow(s.Owner[:0], n)[:n]
	clear(s.Price)
	for j := range s.Owner {
		s.Owner[j] = -1
	}
}

// begin sets the workspace up.
func (c *Core) begin(s *State, p *Problem) {
	c.p, c.s = p, s
	size := 1
	for size < p.Agents() {
		size *= 2
	}
	if len(c.queue) < size {
		c.queue = make([]waiting, size)
	}
	c.head, c.waits, c.started = 0, 0, 0
	c.bids, c.first = c.bids[:0], 0
	c.next, c.last = 0, -1
	c.counts = Counters{}
}

// take takes the agent whose turn it is and says in which cycle, and whether it is
// taken for the first time; -1: there is none, and no bid is on its way. Those who
// have not had their first turn come before the queue, if their rewards are there.
func (c *Core) take() (agent, t int, start bool) {
	first := math.MaxInt
	if c.started < c.p.Agents() {
		first = c.next
		if agent = c.starter(); c.p.Ready != nil {
			first = max(first, c.p.Ready[agent])
		}
	}
	for c.waits == 0 && c.first < len(c.bids) && c.bids[c.first].at+c.Timing.Requeue < first {
		c.commit()
	}
	if c.waits > 0 {
		w := c.queue[c.head&(len(c.queue)-1)]
		// An owner from the start may be outbid before its rewards are there.
		there := c.p.Idle == nil || w.agent < c.started
		if t = max(c.next, w.from); t < first && there {
			c.head++
			c.waits--
			return w.agent, t, false
		}
	}
	if first == math.MaxInt {
		return -1, 0, false
	}
	c.started++
	return agent, first, true
}

// starter is the agent who has its first turn next.
func (c *Core) starter() int {
	if c.Timing.Descending {
		return c.p.Agents() - 1 - c.started
	}
	return c.started
}

// words is the number of words that the rewards of an agent fill.
func (c *Core) words(agent int) int {
	if c.Dense {
		return (c.p.Objects + c.PE - 1) / c.PE
	}
	lo, hi := c.p.Ptr[agent], c.p.Ptr[agent+1]
	n := (hi - lo + c.PE - 1) / c.PE
	if c.Timing.PadFull && hi > lo && (hi-lo)%c.PE == 0 && int(c.p.Object[hi-1]) != c.p.Objects-1 {
		n++
	}
	return n
}

// evaluate finds the bid of an agent that is taken in cycle t.
func (c *Core) evaluate(agent, t, words int) bid {
	sample := t + c.Timing.Fetch
	c.commitUntil(sample)
	b := bid{agent: int32(agent), object: -1}
	var best, second uint32
	word := 0
	price := c.s.Price
	lo := c.p.Ptr[agent]
	object := c.p.Object[lo:c.p.Ptr[agent+1]]
	reward := c.p.Reward[lo:][:len(object)]
	for k, j := range object {
		if w := c.wordOf(k, j); w != word {
			word = w
			c.commitUntil(sample + w)
		}
		if reward[k] <= price[j] {
			continue
		}
		if x := reward[k] - price[j]; x > best {
			best, second = x, best
			b.object, b.price = j, price[j]
		} else if x > second {
			second = x
		}
	}
	raise := max(best-second, c.Epsilon, 1)
	b.price += min(raise, best)
	b.at = sample + words - 1 + c.Timing.Decide + log2(c.PE)
	return b
}

// wordOf is the word of the k-th entry of an agent, for object j.
func (c *Core) wordOf(k int, j int32) int {
	if c.Dense {
		k = int(j)
	}
	return int(uint(k) / uint(c.PE))
}

// commitUntil commits what is due by cycle t.
func (c *Core) commitUntil(t int) {
	for c.first < len(c.bids) && c.bids[c.first].at <= t {
		c.commit()
	}
}

// commit ends the way of the first bid.
func (c *Core) commit() {
	b := c.bids[c.first]
	if c.first++; c.first == len(c.bids) {
		c.bids, c.first = c.bids[:0], 0
	} else if c.first >= 64 {
		c.bids, c.first = c.bids[:copy(c.bids, c.bids[c.first:])], 0
	}
	c.last = max(c.last, b.at)
	c.counts.Iterations++
	switch {
	case b.object < 0:
		c.counts.Drops++
	case b.price > c.s.Price[b.object]:
		c.counts.Accepts++
		if old := c.s.Owner[b.object]; old >= 0 {
			c.wait(int(old), b.at)
		}
		c.s.Price[b.object], c.s.Owner[b.object] = b.price, b.agent
	default:
		c.counts.Misses++
		c.wait(int(b.agent), b.at)
	}
}

// wait sends an agent to the queue, by a commit in cycle t.
func (c *Core) wait(agent, t int) {
	c.queue[(c.head+c.waits)&(len(c.queue)-1)] = waiting{agent, t + c.Timing.Requeue}
	c.waits++
}
