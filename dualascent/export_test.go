package dualascent

import "context"

// SmallChunks cuts instances into chunks of as many frame pairs as gaps says, however small they are, and shares out the
// nodes of each frame, until the returned function is called.
func SmallChunks(gaps int) (restore func()) {
	costs, before, each := chunkCosts, chunkGaps, nodeCosts
	chunkCosts, chunkGaps, nodeCosts = 0, gaps, 1
	return func() { chunkCosts, chunkGaps, nodeCosts = costs, before, each }
}

// SmallParts makes parts of as many costs at least of instances of any size, until the returned function is called.
func SmallParts(costs int) (restore func()) {
	least, before := apartCosts, partCosts
	apartCosts, partCosts = 0, costs
	return func() { apartCosts, partCosts = least, before }
}

// Parts is the number of parts that an instance is solved in.
func (inst *Instance) Parts() int {
	if s := inst.split(1); s != nil {
		return s.parts
	}
	return 1
}

// NoFewPairs keeps values as they are, however few pairs there are, until the
// returned function is called.
func NoFewPairs() (restore func()) {
	before := fewPairs
	fewPairs = -1
	return func() { fewPairs = before }
}

// Pull takes the minima of block 0 of inst, which has one, in both directions. It
// returns how to do so again.
func Pull(inst *Instance) func() {
	e := newEngine(inst, &Options{NewSolver: newSSP})
	return func() {
		e.pullRight(1)
		e.pullLeft(0)
	}
}

// Confined is what a better answer than one known after some rounds, and a level pass, may use: arcs, deaths and births of
// each gap. gap is that of the answer, -1 where none is known.
func Confined(inst *Instance, rounds int) (arc, death, birth [][]bool, gap float64) {
	e := newEngine(inst, &Options{NewSolver: newSSP, Balance: 1})
	for range rounds {
		if e.round(context.Background(), true) != nil {
			return nil, nil, nil, -1
		}
	}
	r := newReduction(context.Background(), e)
	if e.best == nil || r.dead || !r.admits(e.best) || e.level(context.Background()) != nil {
		return nil, nil, nil, -1
	}
	r.confine(e.best, 0)
	return r.arc, r.death, r.birth, e.result.UpperBound - e.bound
}
