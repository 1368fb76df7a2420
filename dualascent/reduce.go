package dualascent

import (
	"context"
	"math"
	"slices"

	"mtt/internal/slab"
)

// This file leaves out what no better answer can use, and splits what remains.
//
// Every node has a port for what comes in and one for what goes out. The options
// of an out-port are its out-arcs and death, those of an in-port its in-arcs and
// birth; an arc is an option of the port at either end. An answer takes one option
// of each port. With multipliers whose bound is LB,
//
//	cost of an answer = LB + Σ slacks of what it uses,  all slacks ≥ 0,
//
// where an option has a slack in the X-LAP of its gap, and a pair of options in
// the block of a node. So an answer that uses an option costs at least LB plus the
// margin of the option: its slack in the X-LAP, and the least slack, over the
// partners that it may have, in the block at either end. If that is more than the
// best answer's excess over LB, no better answer uses the option ("reduced-cost
// fixing"), and it is dropped.
//
// A port with one option left is decided; the block at a node with a decided port
// is part of the price of the other port. Ports that neither an arc nor a block
// joins fall into parts, each with its own excess, which is smaller, so that more
// options go.

// A reduction is what is left of the problem of an engine.
type reduction struct {
	e   *engine
	ctx context.Context // once it has ended the reduction is worth nothing

	arc   [][]bool  // of each gap: arc is still an option
	death [][]bool  // of each gap, row
	birth [][]bool  // of each gap, column
	outs  [][]int32 // of each gap, row: number of options
	ins   [][]int32 // of each gap, column

	firstOut, firstIn []int32   // of each gap: number of its first out-port, in-port
	root              []int32   // port → another one of its part, or itself
	excess            []float64 // root → slack of the best answer in its part
	todo              [][]port  // of each gap: decided, and not followed up yet
	empty             []bool    // of each gap: some port has no option
	dead              bool      // there is such a gap: there is no better answer

	margin, deathMargin, birthMargin [][]float64 // least slack of an answer that uses it
}

// A port is an end of gap p: row or column at.
type port struct {
	p  int
	at int32
	in bool // a column
}

// newReduction begins with all options of e's problem.
func newReduction(ctx context.Context, e *engine) *reduction {
	n := len(e.gaps)
	r := &reduction{
		e: e, ctx: ctx, arc: make([][]bool, n), death: make([][]bool, n), birth: make([][]bool, n),
		outs: make([][]int32, n), ins: make([][]int32, n), firstOut: make([]int32, n), firstIn: make([]int32, n),
		margin: make([][]float64, n), deathMargin: make([][]float64, n), birthMargin: make([][]float64, n),
		todo: make([][]port, n), empty: make([]bool, n),
	}
	ports := int32(0)
	for p := range e.gaps {
		g := &e.gaps[p]
		r.firstOut[p], r.firstIn[p] = ports, ports+int32(g.Rows)
		ports += int32(g.Rows + g.Cols)
	}
	r.root, r.excess = make([]int32, ports), make([]float64, ports)
	e.each(func(p int) {
		g := &e.gaps[p]
		nnz := len(g.FramePair.Col)
		flags := make([]bool, nnz+g.Rows+g.Cols)
		for k := range flags {
			flags[k] = true
		}
		r.arc[p], r.death[p], r.birth[p] = flags[:nnz], flags[nnz:nnz+g.Rows], flags[nnz+g.Rows:]
		margins := make([]float64, nnz+g.Rows+g.Cols)
		r.margin[p], r.deathMargin[p], r.birthMargin[p] = margins[:nnz], margins[nnz:nnz+g.Rows], margins[nnz+g.Rows:]
		r.outs[p], r.ins[p] = make([]int32, g.Rows), make([]int32, g.Cols)
		for i := range g.Rows {
			r.outs[p][i] = int32(g.Ptr[i+1]-g.Ptr[i]) + 1
		}
		for j := range g.Cols {
			r.ins[p][j] = int32(g.in.Ptr[j+1]-g.in.Ptr[j]) + 1
		}
		for i, c := range g.RowMiss {
			if math.IsInf(c, 1) {
				r.dropDeath(p, i)
			} else if r.outs[p][i] == 1 {
				r.todo[p] = append(r.todo[p], port{p, int32(i), false})
			}
		}
		for j, c := range g.ColMiss {
			if math.IsInf(c, 1) {
				r.dropBirth(p, j)
			} else if r.ins[p][j] == 1 {
				r.todo[p] = append(r.todo[p], port{p, int32(j), true})
			}
		}
	})
	r.follow()
	return r
}

// each is that of the engine, until ctx ends.
func (r *reduction) each(do func(p int)) {
	r.e.each(func(p int) {
		if r.ctx.Err() == nil {
			do(p)
		}
	})
}

// clone is a copy of what is left; the margins are shared.
func (r *reduction) clone() *reduction {
	c := *r
	n := len(r.arc)
	c.arc, c.death, c.birth = make([][]bool, n), make([][]bool, n), make([][]bool, n)
	c.outs, c.ins = make([][]int32, n), make([][]int32, n)
	for p := range r.arc {
		c.arc[p], c.death[p], c.birth[p] = slices.Clone(r.arc[p]), slices.Clone(r.death[p]), slices.Clone(r.birth[p])
		c.outs[p], c.ins[p] = slices.Clone(r.outs[p]), slices.Clone(r.ins[p])
	}
	c.todo, c.empty = make([][]port, n), slices.Clone(r.empty)
	return &c
}

// admits says whether answer a uses only options that are left.
func (r *reduction) admits(a *answer) bool {
	for p := range a.next {
		for i, arc := range a.next[p] {
			if arc >= 0 && !r.arc[p][arc] || arc < 0 && !r.death[p][i] {
				return false
			}
		}
		for j, arc := range a.prev[p] {
			if arc < 0 && !r.birth[p][j] {
				return false
			}
		}
	}
	return true
}

func (r *reduction) dropArc(p int, arc int32) {
	if !r.arc[p][arc] {
		return
	}
	g := &r.e.gaps[p]
	r.arc[p][arc] = false
	r.fewer(&r.outs[p][g.rowOf(arc)], port{p, g.rowOf(arc), false})
	r.fewer(&r.ins[p][g.FramePair.Col[arc]], port{p, g.FramePair.Col[arc], true})
}

func (r *reduction) dropDeath(p, i int) {
	if r.death[p][i] {
		r.death[p][i] = false
		r.fewer(&r.outs[p][i], port{p, int32(i), false})
	}
}

func (r *reduction) dropBirth(p, j int) {
	if r.birth[p][j] {
		r.birth[p][j] = false
		r.fewer(&r.ins[p][j], port{p, int32(j), true})
	}
}

// fewer notes that a port lost an option.
func (r *reduction) fewer(n *int32, at port) {
	*n--
	switch *n {
	case 0:
		r.empty[at.p] = true
	case 1:
		r.todo[at.p] = append(r.todo[at.p], at)
	}
}

// take leaves only the given arc to the ports at its ends.
func (r *reduction) take(p int, arc int32) {
	g := &r.e.gaps[p]
	i, j := g.rowOf(arc), g.FramePair.Col[arc]
	r.dropDeath(p, int(i))
	r.dropBirth(p, int(j))
	if r.outs[p][i] > 1 {
		for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
			if int32(a) != arc {
				r.dropArc(p, int32(a))
			}
		}
	}
	if r.ins[p][j] > 1 {
		for _, a := range g.in.Entry[g.in.Ptr[j]:g.in.Ptr[j+1]] {
			if a != arc {
				r.dropArc(p, a)
			}
		}
	}
}

// follow draws the conclusions from ports that were decided: an arc that is the
// only option of one end is that of the other. Both are of one gap.
func (r *reduction) follow() {
	r.each(func(p int) {
		for len(r.todo[p]) > 0 && !r.empty[p] {
			last := len(r.todo[p]) - 1
			q := r.todo[p][last]
			r.todo[p] = r.todo[p][:last]
			if arc := r.only(q); arc >= 0 {
				r.take(p, arc)
			}
		}
	})
	r.dead = slices.Contains(r.empty, true)
}

// only is the arc that is the only option of a decided port; -1: its end.
func (r *reduction) only(q port) int32 {
	g := &r.e.gaps[q.p]
	if q.in {
		for _, a := range g.in.Entry[g.in.Ptr[q.at]:g.in.Ptr[q.at+1]] {
			if r.arc[q.p][a] {
				return a
			}
		}
		return -1
	}
	for a := g.Ptr[q.at]; a < g.Ptr[q.at+1]; a++ {
		if r.arc[q.p][a] {
			return int32(a)
		}
	}
	return -1
}

// settle drops options until no more go, or more than the share enough of what was left before is
// left. The best answer is a, which uses options that are left only; when it is nil, answers must
// cost at most limit more than the bound of the last pass to be worth it. Slack below tiny is none.
//
// The first look takes all for one part, which leaves little to split.
func (r *reduction) settle(a *answer, limit, tiny, enough float64) {
	whole := !math.IsInf(limit, 1)
	dropped := true // margins are those of options that are there no more
	for left := math.Inf(1); !r.dead; {
		if dropped {
			r.measure()
		}
		parts := a != nil && !whole
		if !whole {
			r.split()
		}
		if parts {
			r.share(a)
		}
		dropped = r.drop(parts, limit, tiny)
		if !dropped && !whole {
			return
		}
		if dropped {
			r.follow()
		}
		before := left
		if left = r.left(); left > enough*before && !whole {
			r.split()
			return
		}
		whole = false
	}
}

// measure computes the margins of all options that are left: what the X-LAP says, and the blocks on
// both sides.
func (r *reduction) measure() {
	e := r.e
	r.each(func(p int) {
		g := &e.gaps[p]
		for i := range g.Rows {
			if r.outs[p][i] == 1 { // no option can go
				continue
			}
			for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
				r.margin[p][a] = g.arcSlack(i, int32(a))
			}
			r.deathMargin[p][i] = g.deathSlack(i)
		}
		for j := range g.Cols {
			if r.ins[p][j] == 1 {
				continue
			}
			r.birthMargin[p][j] = g.birthSlack(j)
		}
	})
	r.each(func(f int) {
		if e.gaps[f].rank != nil {
			r.measureDifferences(f, true)
		}
	})
	for odd := range 2 { // every other frame has gaps of its own
		r.each(func(f int) {
			if f > 0 && f%2 == odd && e.gaps[f].rank == nil {
				r.measureBlock(f)
			}
		})
	}
	r.each(func(f int) {
		if e.gaps[f].rank != nil {
			r.measureDifferences(f, false)
		}
	})
}

// measureBlock adds to the margins of the gaps on both sides what the stored blocks of frame f say.
func (r *reduction) measureBlock(f int) {
	left, g, b := &r.e.gaps[f-1], &r.e.gaps[f], &r.e.inst.Blocks[f-1]
	var least []float64
	for j := range g.Rows {
		if r.ins[f-1][j] == 1 && r.outs[f][j] == 1 {
			continue
		}
		lo := g.Ptr[j]
		v := g.V[lo:g.Ptr[j+1]]
		width := len(v) + 1
		least = slab.Grow(least, width)
		for s := range least {
			least[s] = math.Inf(1)
		}
		arcs := left.in.Entry[left.in.Ptr[j]:left.in.Ptr[j+1]]
		for k := 0; k <= len(arcs); k++ {
			u, alive := left.Birth[j], r.birth[f-1][j]
			if k < len(arcs) {
				u, alive = left.U[arcs[k]], r.arc[f-1][arcs[k]]
			}
			if !alive {
				continue
			}
			row := b.D[b.Ptr[j]+k*width:][:width]
			most := math.Inf(1)
			for s, x := range v {
				if !r.arc[f][lo+s] {
					continue
				}
				c := row[s] - u - x
				most, least[s] = min(most, c), min(least[s], c)
			}
			if r.death[f][j] {
				c := row[width-1] - u - g.Death[j]
				most, least[width-1] = min(most, c), min(least[width-1], c)
			}
			if k < len(arcs) {
				r.margin[f-1][arcs[k]] += max(0, most)
			} else {
				r.birthMargin[f-1][j] += max(0, most)
			}
		}
		for s := range v {
			r.margin[f][lo+s] += max(0, least[s])
		}
		r.deathMargin[f][j] += max(0, least[width-1])
	}
}

func (r *reduction) find(n int32) int32 {
	for r.root[n] != n {
		r.root[n] = r.root[r.root[n]]
		n = r.root[n]
	}
	return n
}

// split joins the ports that are not decided into parts, and lets root be that of each: first those
// of each gap by itself, then those that a block joins.
func (r *reduction) split() {
	for n := range r.root {
		r.root[n] = int32(n)
	}
	e := r.e
	r.each(func(p int) {
		g := &e.gaps[p]
		for i := range g.Rows {
			if r.outs[p][i] == 1 {
				continue
			}
			out := r.find(r.firstOut[p] + int32(i))
			for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
				if in := r.firstIn[p] + g.FramePair.Col[a]; r.arc[p][a] && r.root[in] != out { // mostly they are together already
					r.root[r.find(in)] = out
				}
			}
		}
	})
	for p := 1; p < len(e.gaps); p++ {
		for i := range e.gaps[p].Rows {
			if r.outs[p][i] > 1 && r.ins[p-1][i] > 1 {
				r.root[r.find(r.firstIn[p-1]+int32(i))] = r.find(r.firstOut[p] + int32(i))
			}
		}
	}
	for n := range r.root {
		r.root[n] = r.find(int32(n))
	}
}

// share computes what answer a pays above the bound in each part. What it pays
// for what is decided every answer pays. The ports know their parts since split.
func (r *reduction) share(a *answer) {
	clear(r.excess)
	type slack struct {
		root int32
		x    float64
	}
	e := r.e
	all := make([][]slack, len(e.gaps))
	r.each(func(p int) {
		g := &e.gaps[p]
		for i, arc := range a.next[p] {
			open := r.outs[p][i] > 1
			in := p > 0 && r.ins[p-1][i] > 1
			if !open && !in {
				continue
			}
			at := r.firstOut[p] + int32(i)
			if !open {
				at = r.firstIn[p-1] + int32(i)
			}
			x := 0.0
			if open {
				x = g.outSlack(i, arc)
			}
			if p > 0 {
				x += e.blockSlack(a, p, i)
			}
			if x > 0 {
				all[p] = append(all[p], slack{r.root[at], x})
			}
		}
		for j, arc := range a.prev[p] {
			if arc < 0 && r.ins[p][j] > 1 {
				if x := g.birthSlack(j); x > 0 {
					all[p] = append(all[p], slack{r.root[r.firstIn[p]+int32(j)], x})
				}
			}
		}
	})
	for _, list := range all {
		for _, s := range list {
			r.excess[s.root] += s.x
		}
	}
}

// drop drops the options whose margin exceeds what is worth it, in the part of the port if parts
// are shared, and reports whether there were any.
func (r *reduction) drop(parts bool, limit, tiny float64) bool {
	dropped := make([]bool, len(r.e.gaps))
	r.each(func(p int) {
		g := &r.e.gaps[p]
		for i := range g.Rows {
			if r.outs[p][i] <= 1 {
				continue
			}
			most := limit
			if parts {
				most = min(most, r.excess[r.root[r.firstOut[p]+int32(i)]])
			}
			most += tiny
			for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
				if r.arc[p][a] && r.margin[p][a] > most {
					r.dropArc(p, int32(a))
					dropped[p] = true
				}
			}
			if r.death[p][i] && r.deathMargin[p][i] > most {
				r.dropDeath(p, i)
				dropped[p] = true
			}
		}
		for j := range g.Cols {
			if r.ins[p][j] <= 1 || !r.birth[p][j] {
				continue
			}
			most := limit
			if parts {
				most = min(most, r.excess[r.root[r.firstIn[p]+int32(j)]])
			}
			if r.birthMargin[p][j] > most+tiny {
				r.dropBirth(p, j)
				dropped[p] = true
			}
		}
	})
	r.dead = slices.Contains(r.empty, true)
	return slices.Contains(dropped, true)
}
