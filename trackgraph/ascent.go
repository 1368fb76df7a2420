package trackgraph

import (
	"context"
	"errors"
	"math"
	"slices"

	"mtt/internal/slab"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// This file raises the bound of a problem and looks for answers: rounds of one assignment
// problem and one move of what it has to give through the blocks.

// A state is a problem with the best that is known of it.
type state struct {
	p      *problem
	solver ssp.Solver
	sol    mapsolver.Solution // of the last round
	solved bool
	value  float64 // of the last round: a bound
	rounds int
	other  mapsolver.Solution // of a retry

	known bool    // a good answer was before the ascent began
	best  []int32 // entry of each row, or -1; nil: none is known
	upper float64 // its cost

	explored float64 // cost of the best answer that regions of so many rows could not improve
	region   int

	room room
}

// room is memory that rounds use again: new one for each of them is twice what a large problem
// takes by itself.
type room struct {
	byRow, byCol []int32 // of read
	aCol, bCol   []int32 // of offer
	violated     []*block
	broken       []*block // by a retry
	kept         []saved
}

// saved is a cost that a retry has changed.
type saved struct {
	at   *float64
	cost float64
}

func newState(p *problem) *state {
	return &state{p: p, value: math.Inf(-1), upper: never, explored: never}
}

// solve solves the assignment problem, warm from the last time.
func (s *state) solve(ctx context.Context) error {
	var warm *mapsolver.Duals
	if s.solved {
		warm = &s.sol.Duals
	}
	s.solver.UseColumns(&s.p.in)
	if err := s.solver.Solve(ctx, &s.sol, &s.p.Problem, warm); err != nil {
		return err
	}
	s.solved = true
	var v sum
	for _, x := range s.sol.U {
		v.add(x)
	}
	for _, x := range s.sol.V {
		v.add(x)
	}
	s.value = v.value()
	return nil
}

// chosen is the option that an assignment takes at a port. byCol is the entry of each
// column.
func (p *problem) chosen(at port, byRow, byCol []int32) int {
	if at < 0 {
		return p.optionOf(at, byCol[-1-at])
	}
	return p.optionOf(at, byRow[at])
}

// columnsOf is the entry of each column, from those of the rows, in the memory of dst.
func (p *problem) columnsOf(dst, byRow []int32) []int32 {
	byCol := slab.Grow(dst, p.Cols)
	slab.Fill(byCol, -1)
	for _, e := range byRow {
		if e >= 0 {
			byCol[p.Col[e]] = e
		}
	}
	return byCol
}

// slack is what entry (i, j) of a block costs above its least, which is 0.
func (p *problem) slack(b *block, i, j int) float64 {
	c := p.cell(b, i, j)
	if b.awake() {
		c -= b.u[i] + b.v[j]
	}
	return c
}

// price is what an assignment costs, blocks included; +Inf where ctx ends.
func (p *problem) price(ctx context.Context, byRow, byCol []int32) float64 {
	var t sum
	for r, e := range byRow {
		if e >= 0 {
			t.add(p.Cost[e])
		} else {
			t.add(p.RowMiss[r])
		}
	}
	for c, e := range byCol {
		if e < 0 {
			t.add(p.ColMiss[c])
		}
	}
	for k := range p.blocks {
		if ended(ctx, k) {
			return never
		}
		b := &p.blocks[k]
		t.add(p.slack(b, p.chosen(b.first, byRow, byCol), p.chosen(b.second, byRow, byCol)))
	}
	return t.value()
}

// look makes answers of the last assignment, and wakes the blocks that it violates. It
// reports whether there are any.
func (s *state) look(ctx context.Context, tiny float64) (violated bool, err error) {
	p := s.p
	byRow, byCol, broken := s.read(ctx, &s.sol, tiny, s.room.violated)
	s.room.violated = broken
	if err := ctx.Err(); err != nil {
		return true, err
	}
	for k, b := range broken {
		if ended(ctx, k) {
			return true, ctx.Err()
		}
		if !b.awake() {
			b.costs = &costs{d: p.matrix(b, nil)}
			p.wake(b)
		}
	}
	for _, b := range broken {
		p.mend(b, byRow, byCol)
	}
	s.offer(ctx, byRow)
	if len(broken) == 0 || s.known || s.best != nil && s.upper-s.value <= tiny {
		return len(broken) > 0, nil
	}
	for _, serve := range [2]bool{true, false} {
		if err := s.retry(ctx, broken, serve); err != nil && !errors.Is(err, mapsolver.ErrInfeasible) {
			return true, err
		}
	}
	return true, nil
}

// mend makes an assignment admissible at a block whose second port must not be used as
// it is: that becomes free, or hands over what it has to the first.
func (p *problem) mend(b *block, byRow, byCol []int32) {
	i, j := p.chosen(b.first, byRow, byCol), p.chosen(b.second, byRow, byCol)
	if !math.IsInf(p.slack(b, i, j), 1) { // another one has mended it
		return
	}
	before, had := p.option(b.second, j), p.option(b.first, i)
	free := p.options(b.second) - 1
	tail, head := p.rowOf(before), p.Col[before]
	drop := func(e int32) {
		if e >= 0 {
			byRow[p.rowOf(e)], byCol[p.Col[e]] = -1, -1
		}
	}
	drop(before)
	leave := p.missOf(b.second, tail, head) + p.slack(b, i, free)
	// What the first port would take: its entry to the same partner.
	take := int32(-1)
	for k := range p.options(b.first) - 1 {
		e := p.option(b.first, k)
		if b.first >= 0 && p.Col[e] == head || b.first < 0 && p.rowOf(e) == tail {
			take = e
			if math.IsInf(p.slack(b, k, free), 1) {
				take = -1
			}
		}
	}
	if take < 0 {
		return
	}
	hand := p.Cost[take] - p.missOf(b.first, -1, -1)
	if had >= 0 {
		hand = p.Cost[take] - p.Cost[had]
		if b.first >= 0 {
			hand += p.ColMiss[p.Col[had]]
		} else {
			hand += p.RowMiss[p.rowOf(had)]
		}
	}
	if hand < leave {
		drop(had)
		byRow[p.rowOf(take)], byCol[p.Col[take]] = take, take
	}
}

// missOf is the price of leaving free what is at the other end of a port's entry, or
// with no ends the port itself.
func (p *problem) missOf(at port, tail, head int32) float64 {
	switch {
	case at >= 0 && head >= 0:
		return p.ColMiss[head]
	case at < 0 && tail >= 0:
		return p.RowMiss[tail]
	case at >= 0:
		return p.RowMiss[at]
	}
	return p.ColMiss[-1-at]
}

// rowOf is the row of an entry.
func (p *problem) rowOf(e int32) int32 {
	r, found := slices.BinarySearch(p.Ptr, int(e))
	if !found {
		return int32(r - 1)
	}
	for p.Ptr[r+1] == int(e) { // empty rows
		r++
	}
	return int32(r)
}

// reduced is the reduced cost of option k of a port, at least 0.
func (s *state) reduced(at port, k int) float64 {
	p := s.p
	e := p.option(at, k)
	switch {
	case e >= 0:
		r := int32(at)
		if at < 0 {
			r = p.in.Row[p.in.Ptr[-1-at]+k]
		}
		return max(0, p.Cost[e]-s.sol.U[r]-s.sol.V[p.Col[e]])
	case at < 0:
		return max(0, p.ColMiss[-1-at]-s.sol.V[-1-at])
	}
	return max(0, p.RowMiss[at]-s.sol.U[at])
}

// balance moves the prices of each pair of a port that is awake to the middle between
// the second choices of its row and of its column. They stay feasible and optimal.
func (s *state) balance() {
	p := s.p
	for k := range p.blocks {
		b := &p.blocks[k]
		if !b.awake() {
			continue
		}
		for _, at := range [2]port{b.first, b.second} {
			r := int32(at)
			if at < 0 {
				if r = s.sol.RowOf[-1-at]; r < 0 {
					continue
				}
			}
			e := int32(s.sol.EntryOf[r])
			if e < 0 {
				continue
			}
			s.balancePair(r, p.Col[e], e)
		}
	}
}

func (s *state) balancePair(r, c, own int32) {
	p := s.p
	second := func(at port) float64 {
		least := never
		for k := range p.options(at) {
			if p.option(at, k) != own {
				least = min(least, s.reduced(at, k))
			}
		}
		return least
	}
	hi, lo := second(port(r)), second(port(-1-c))
	if math.IsInf(hi, 1) || math.IsInf(lo, 1) {
		return
	}
	s.sol.U[r] += (hi - lo) / 2
	s.sol.V[c] -= (hi - lo) / 2
}

// move gives the reduced costs of one port of each block that is awake to the block, and
// all that the block then has to its other port.
func (s *state) move(fromFirst bool) {
	p := s.p
	for k := range p.blocks {
		b := &p.blocks[k]
		if !b.awake() {
			continue
		}
		from, to, give, take := b.first, b.second, b.u, b.v
		if !fromFirst {
			from, to, give, take = to, from, take, give
		}
		for i := range give {
			if x := s.reduced(from, i); x > 0 && x < never {
				give[i] -= x
				*p.costAt(from, i) -= x
			}
		}
		m := p.options(b.second)
		for j := range take {
			least := never
			for i := range give {
				var d float64
				if fromFirst {
					d = b.d[i*m+j]
				} else {
					d = b.d[j*m+i]
				}
				least = min(least, d-give[i])
			}
			if math.IsInf(least, 1) {
				continue // forbidden with everything
			}
			*p.costAt(to, j) += least - take[j]
			take[j] = least
		}
	}
}

// wake makes the blocks whose least entry is not 0 what they should be: all that have a
// matrix of their own take part from the beginning.
func (s *state) wake() {
	for k := range s.p.blocks {
		b := &s.p.blocks[k]
		if b.costs != nil && b.u == nil && slices.Min(b.d) != 0 {
			s.p.wake(b)
		}
	}
	s.drain()
}

// drain gives what the awake blocks have to their second ports.
func (s *state) drain() {
	p := s.p
	for k := range p.blocks {
		b := &p.blocks[k]
		if !b.awake() {
			continue
		}
		m := p.options(b.second)
		for j := range b.v {
			least := never
			for i := range b.u {
				least = min(least, b.d[i*m+j]-b.u[i])
			}
			if !math.IsInf(least, 1) {
				*p.costAt(b.second, j) += least - b.v[j]
				b.v[j] = least
			}
		}
	}
}
