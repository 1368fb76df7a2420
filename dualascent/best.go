package dualascent

import (
	"container/heap"
	"context"
	"errors"
	"iter"
	"math"
	"slices"
)

// This file ranks the answers of an instance: the best, the second best, and so on.
//
// What is left after an answer is parted as Murty does it (An algorithm for ranking all the
// assignments in order of increasing cost, Operations Research 16, 1968): take the nodes
// in any order; cell i holds the answers that agree with it at the first i−1 nodes and do
// something else after node i. Cells are disjoint and hold everything but the answer. The
// cheapest answer of a cell is again a multi-frame assignment problem, with some
// options forbidden, and its margin at node i bounds it from below (file margins.go). Cells
// wait in a heap under that bound and are solved when it comes to the top. Nodes are taken
// by ascending margin, so that the cells that are solved have few options fixed.
//
// By prices, thousands of nodes of a large instance may have a margin of 0, though nothing is near
// that does otherwise: each of their cells would be solved in vain, and kept. After a few the
// margins of those answers are searched for (file exactmargins.go), and with them the other cells
// sink to where they belong.

// A decision is what an answer does after a node: an arc, or -1.
type decision struct{ pair, row, arc int32 }

// A cell is a set of answers: those that make the decisions fixed and not those forbidden.
type cell struct {
	lower     float64 // of its answers
	order     int     // among equals: as they came
	fixed     []decision
	forbidden []decision
	parted    *cell   // whose answer it is without, and whose prices it starts from
	sharp     float64 // of a cell that has been parted: its margins have been searched for up to this
	result    *Result // nil: not solved yet
	inst      *Instance
	alone     bool // the result is all there is
}

type cells []*cell

func (h cells) Len() int { return len(h) }
func (h cells) Less(i, j int) bool {
	if h[i].lower != h[j].lower {
		return h[i].lower < h[j].lower
	}
	return h[i].order < h[j].order
}
func (h cells) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *cells) Push(x any)   { *h = append(*h, x.(*cell)) }
func (h *cells) Pop() any {
	old := *h
	c := old[len(old)-1]
	*h = old[:len(old)-1]
	return c
}

// Best yields answers of inst from the cheapest upwards, each once, for as long as they are
// asked for. LowerBound of each says how little every answer costs that has not been
// yielded before; where it is UpperBound its place in the order is proved. Prices prove
// bounds of instances with options forbidden, so Certified is −Inf from the second on.
//
// Every answer takes up to some tens of solves of inst, from the prices of another answer, and some
// a search for margins.
func Best(ctx context.Context, inst *Instance, opts *Options) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		var o Options
		if opts != nil {
			o = *opts
		}
		inst = withMatrices(inst)
		first, err := Solve(ctx, inst, &o)
		if err != nil {
			if !errors.Is(err, ErrInfeasible) {
				yield(nil, err)
			}
			return
		}
		o.Ascend, o.Next, o.Progress = nil, nil, nil
		n, vain := 0, 0
		queue := &cells{{lower: first.LowerBound, result: first, inst: inst}}
		for queue.Len() > 0 {
			c := heap.Pop(queue).(*cell)
			if c.result == nil {
				if vain++; vain > few {
					vain = 0
					heap.Push(queue, c)
					searched, err := c.parted.sharpen(ctx, *queue, &o)
					if err != nil {
						yield(nil, err)
						return
					}
					heap.Init(queue)
					if searched {
						continue
					}
					heap.Pop(queue) // c
				}
				o.Prices = c.parted.result.Prices
				c.inst = inst.restrict(c.fixed, c.forbidden)
				res, err := Solve(ctx, c.inst, &o)
				if errors.Is(err, ErrInfeasible) {
					continue
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if res.UpperBound > unaffordable/2 {
					continue
				}
				c.result, c.lower = res, max(c.lower, res.LowerBound)
				if res.Gap() <= optimalGap {
					heap.Push(queue, c)
					continue
				}
				// Something cheaper may be left in the cell: it is parted now, and its answer
				// waits for its turn.
				n++
				heap.Push(queue, &cell{lower: res.UpperBound, order: n, result: res, alone: true})
				for _, next := range c.part() {
					n++
					next.order = n
					heap.Push(queue, next)
				}
				continue
			}
			res := *c.result
			// An answer whose bound does not meet its cost stands where the bound puts it.
			res.LowerBound = min(c.lower, res.UpperBound)
			if n > 0 {
				res.Certified = math.Inf(-1)
			}
			if vain = 0; !yield(&res, nil) {
				return
			}
			if c.alone {
				continue
			}
			for _, next := range c.part() {
				n++
				next.order = n
				heap.Push(queue, next)
			}
		}
	}
}

// few is the number of cells that are solved before margins are searched for: of small instances
// hardly ever so many lie below the next answer, and a search takes about as long as a few solves.
var few = 8

// sharpen searches for the margins of the answer of a cell that has been parted, up to that of the
// cheapest answer that waits, and raises the bounds of those of the cells that it was parted into.
// It returns false where that has been done.
func (c *cell) sharpen(ctx context.Context, of cells, opts *Options) (searched bool, err error) {
	most := 6.0
	for _, other := range of {
		if other.result != nil {
			most = min(most, other.result.UpperBound-c.result.UpperBound)
		}
	}
	most += optimalGap * (1 + math.Abs(c.result.UpperBound)) // that answer comes first then
	if most <= c.sharp {
		return false, nil
	}
	c.sharp = most
	m, err := ExactMargins(ctx, c.inst, c.result, &MarginOptions{Most: most, Effort: 1000, Workers: opts.Workers, NewSolver: opts.NewSolver})
	if err != nil {
		return false, err
	}
	// They are of answers that are what it is elsewhere, where others may be cheaper by its gap.
	least := min(c.result.LowerBound, c.result.UpperBound)
	for _, other := range of {
		if other.parted == c && other.result == nil {
			d := other.forbidden[len(other.forbidden)-1]
			other.lower = max(other.lower, least+m.Out[d.pair][d.row])
		}
	}
	return true, nil
}

// part makes the cells of what is left of a solved cell without its answer.
func (c *cell) part() []*cell {
	m := NewMargins(c.inst, c.result.Prices, c.result.Next, c.result.UpperBound)
	type at struct {
		decision
		margin float64
	}
	var list []at
	fixed := make(map[[2]int32]bool, len(c.fixed))
	for _, d := range c.fixed {
		fixed[[2]int32{d.pair, d.row}] = true
	}
	for p := range c.result.Next {
		for i, e := range c.result.Next[p] {
			if x := m.Out[p][i]; !math.IsInf(x, 1) && !fixed[[2]int32{int32(p), int32(i)}] {
				list = append(list, at{decision{int32(p), int32(i), e}, x})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b at) int {
		switch {
		case a.margin < b.margin:
			return -1
		case a.margin > b.margin:
			return 1
		}
		return 0
	})
	cells := make([]*cell, len(list))
	agreed := slices.Clone(c.fixed) // and, of cell i, the first i of the list
	for i := range list {
		agreed = append(agreed, list[i].decision)
	}
	for i := range list {
		cells[i] = &cell{
			lower: max(c.lower, c.result.UpperBound+list[i].margin), parted: c,
			fixed:     agreed[: len(c.fixed)+i : len(c.fixed)+i],
			forbidden: append(slices.Clone(c.forbidden), list[i].decision),
		}
	}
	return cells
}

// withMatrices is inst with every block stored, so that single entries can be forbidden.
func withMatrices(inst *Instance) *Instance {
	c := &Instance{Pairs: inst.Pairs, Blocks: slices.Clone(inst.Blocks)}
	for p := range c.Blocks {
		if f := c.Blocks[p].Differences; f != nil {
			c.Blocks[p] = f.Dense(&c.Pairs[p], &c.Pairs[p+1])
		}
	}
	return c
}

// unaffordable is a cost that forbids an arc where no matrix can.
const unaffordable = 1e12

// restrict is inst with only the answers that make some decisions and not others. What does
// not change is shared.
func (inst *Instance) restrict(fixed, forbidden []decision) *Instance {
	c := &Instance{Pairs: slices.Clone(inst.Pairs), Blocks: slices.Clone(inst.Blocks)}
	drop := make(map[decision]bool)
	for _, d := range forbidden {
		drop[d] = true
	}
	for _, d := range fixed {
		g := &inst.Pairs[d.pair]
		for e := g.Ptr[d.row]; e < g.Ptr[d.row+1]; e++ {
			if int32(e) != d.arc {
				drop[decision{d.pair, d.row, int32(e)}] = true
			}
		}
		if d.arc >= 0 {
			drop[decision{d.pair, d.row, -1}] = true
		}
	}
	columns := make(map[int32]columns) // of frame pairs
	copied := make(map[[2]int32]bool)  // misses (pair, 0) and matrices (block, 1) that are c's own
	for d := range drop {              // in any order: each only forbids
		p := d.pair
		if d.arc < 0 {
			if !copied[[2]int32{p, 0}] {
				copied[[2]int32{p, 0}] = true
				c.Pairs[p].RowMiss = slices.Clone(c.Pairs[p].RowMiss)
			}
			c.Pairs[p].RowMiss[d.row] = math.Inf(1)
			continue
		}
		if len(c.Blocks) == 0 { // two frames: no answer that is worth having pays so much
			if !copied[[2]int32{p, 2}] {
				copied[[2]int32{p, 2}] = true
				c.Pairs[p].Cost = slices.Clone(c.Pairs[p].Cost)
			}
			c.Pairs[p].Cost[d.arc] = unaffordable
			continue
		}
		own := func(b int32) *Block {
			if !copied[[2]int32{b, 1}] {
				copied[[2]int32{b, 1}] = true
				c.Blocks[b].D = slices.Clone(c.Blocks[b].D)
			}
			return &c.Blocks[b]
		}
		g := &inst.Pairs[p]
		if int(p) < len(c.Blocks) { // its row in the matrix of its head
			if _, ok := columns[p]; !ok {
				columns[p] = transpose(g)
			}
			b, j := own(p), g.Col[d.arc]
			h := &inst.Pairs[p+1]
			width := h.Ptr[j+1] - h.Ptr[j] + 1
			row := b.Ptr[j] + int(columns[p].pos[d.arc])*width
			for k := row; k < row+width; k++ {
				b.D[k] = math.Inf(1)
			}
			continue
		}
		b := own(p - 1) // its column in that of its tail
		width := g.Ptr[d.row+1] - g.Ptr[d.row] + 1
		for k := b.Ptr[d.row] + int(d.arc) - g.Ptr[d.row]; k < b.Ptr[d.row+1]; k += width {
			b.D[k] = math.Inf(1)
		}
	}
	return c
}
