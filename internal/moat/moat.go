// Package moat finds where a better answer than the best known one may differ from it.
//
// A problem has ports; an answer takes one option of each, and an option that joins two ports is
// one of both. Some ports come in pairs, whose options together have a price, too: a block. With a
// lower bound on what answers cost comes a slack for each option and for each pair of options of a
// block, at least 0, and what an answer costs is the bound and the sum of the slacks of what it
// uses.
//
// Let a be the best answer known and b the best one of all. Ports at which they differ are joined
// by options of either and by blocks, and fall into connected sets D. b is better in D only where
//
//	slack of b in D < slack of a in D.
//
// Slack of a is found at few places: options of a that are not tight, and blocks. What it is there
// is the reward of the place. To come from one place to another b has to pay for a way: for the
// options that it takes at the ports of D, whose lengths are their slacks and, as a block has two
// ports, half of the least slacks there. Each place in turn charges the options in a ball around it
// for its reward, up to what others have left of their lengths, as the moats for Steiner trees do
// (Goemans, Williamson, A general approximation technique for constrained forest problems, SIAM
// Journal on Computing 24, 1995):
//
//	way of an option            least length, without it, of what leads to it from the place
//	charge for it               the part of [way, way + length] in [0, reward]
//	it is in the ball           way + length ≤ reward
//
// A D with the place and an option of b that is not in the ball pays the whole reward: the options
// of b in D form ways from the place to that option, each of which begins, at the latest, where
// another ends, so they cover [0, reward]. No length is charged for twice. So where D leaves the
// balls of all of its places it pays all of their rewards, and is not better; where it does not it
// lies in a ball. Options outside all balls are left to a: an optimum remains. This needs no bound
// for the whole, only slacks nearby, so it does not weaken with the size of the problem. Where
// places are so dense that balls pass through each other on and on, it is given up, which loses
// nothing but the work: then all options remain. Some of the places tell beforehand that it will
// be: a ball that grows where nothing is charged for yet is no larger than it will be in its turn.
package moat

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt/internal/heap"
)

// A Problem is what balls grow in. Ports have numbers from 0 on.
type Problem interface {
	// Options calls option for each option of a port that remains, but for the one of the known
	// answer. length is that of the option, which is charged for; kept is set where a ball has the
	// option; other is the port at its other end, -1 where it has none.
	Options(port int32, option func(length *float64, kept *bool, other int32))
	// Beside returns the ports at the other end of the known answer's option and across the block
	// of a port; -1: there is none.
	Beside(port int32) (partner, across int32)
}

// A Place is where the known answer has slack: at one port, or at the two of a block.
type Place struct {
	At     [2]int32 // the second -1: there is one
	Reward float64
}

// mostGrowth is the work that balls may take, in looks at every option. Colonies of 10⁵ to 10⁷ arcs
// take .05 to .7.
const mostGrowth = 20

// Keep marks the options that are in balls around the places of a problem, which it sorts by
// reward, and takes from the lengths what is charged for; slack below tiny is none. size is the
// number of ports and options, which bounds the work. It returns the number of options looked at,
// and false where these were more than is allowed, or are sure to be, or ctx has ended: then the
// marks say nothing.
func Keep(ctx context.Context, p Problem, places []Place, ports, size int, tiny float64) (looks int, ok bool) {
	slices.SortStableFunc(places, func(x, y Place) int { return cmp.Compare(x.Reward, y.Reward) })
	g := &growth{Problem: p, ctx: ctx, tiny: tiny, most: mostGrowth * size, way: slices.Repeat([]float64{math.Inf(1)}, ports), done: make([]bool, ports)}
	if g.charge = g.only; g.hopeless(places) {
		return g.looks, false
	}
	g.looks, g.steps, g.charge = 0, 0, g.option
	for k := range places {
		if !g.grow(&places[k]) {
			return g.looks, false
		}
	}
	return g.looks, true
}

// Of so many places, at least, some are probed before balls grow around all, so that this takes a
// small part of the work.
const manyPlaces, probed = 256, 16

// hopeless reports whether balls are sure to take more than the work that they may, by far: those
// around some of the places, of all sizes alike, say so. They are grown without a charge.
func (g *growth) hopeless(places []Place) bool {
	const sure = 2 // times the work: a few places are no measure of all
	n := len(places)
	if n < manyPlaces {
		return false
	}
	all := g.most
	defer func() { g.most = all }()
	g.most = int(sure * float64(all) * probed / float64(n))
	for k := range probed {
		if !g.grow(&places[(2*k+1)*n/(2*probed)]) {
			return true
		}
	}
	return false
}

type growth struct {
	Problem
	ctx    context.Context
	tiny   float64
	looks  int // at options
	most   int
	steps  int
	way    []float64 // of the options of each port that is reached; +Inf: it is not
	done   []bool    // of each port: its options have been looked at
	list   []int32   // ports that are reached
	queue  heap.Heap
	reward float64 // of the place
	from   float64 // the way of the port that is left
	least  float64 // way + length of the nearest of its options
	charge func(length *float64, kept *bool, other int32)
}

// grow charges for the reward of a place.
func (g *growth) grow(x *Place) bool {
	g.reward = x.Reward
	for _, n := range x.At {
		g.reach(n, 0)
	}
	for len(g.queue) > 0 {
		if at := g.queue.Pop(); !g.done[at.ID] {
			g.done[at.ID] = true
			g.leave(at.ID, at.Dist)
		}
		if g.steps++; g.looks > g.most || g.steps%1024 == 0 && g.ctx.Err() != nil {
			return false
		}
	}
	for _, n := range g.list {
		g.way[n], g.done[n] = math.Inf(1), false
	}
	g.list = g.list[:0]
	return true
}

// reach says that a way leads to the options of a port.
func (g *growth) reach(n int32, way float64) {
	if n < 0 || way >= g.way[n] {
		return
	}
	if math.IsInf(g.way[n], 1) {
		g.list = append(g.list, n)
	}
	g.way[n] = way
	g.queue.Push(way, n)
}

// leave charges for the options of a port, the nearer one of their ends, and goes on behind those
// that end within the ball.
func (g *growth) leave(n int32, way float64) {
	g.from, g.least = way, math.Inf(1)
	g.looks++
	g.Options(n, g.charge)
	if g.least <= g.reward+g.tiny {
		g.onward(n, g.least)
	}
}

func (g *growth) option(length *float64, kept *bool, other int32) {
	g.looks++
	if other >= 0 && g.done[other] {
		return
	}
	end := g.from + *length
	*length -= max(0, min(*length, g.reward-g.from))
	g.least = min(g.least, end)
	if end <= g.reward+g.tiny {
		*kept = true
		if other >= 0 {
			g.onward(other, end)
		}
	}
}

// only is option without a charge.
func (g *growth) only(length *float64, _ *bool, other int32) {
	whole, kept := *length, false
	g.option(&whole, &kept, other)
}

func (g *growth) onward(n int32, way float64) {
	partner, across := g.Beside(n)
	g.reach(partner, way)
	g.reach(across, way)
}
