package dualascent

import "slices"

// This file cuts out of an instance what is in doubt.
//
// An answer that costs less than M more than the one at hand decides otherwise only where the
// margins by prices are less: it is one that decides otherwise there. All other ports keep what
// they have, so only nodes with a port in doubt remain, and of their options the arcs between two
// such ports whose slack is less than M. A port that is not in doubt has one option, to end or to
// begin, at no cost; what it goes with stands in the row or column of the block. It takes a look at
// the arcs of each frame pair in doubt, and at the blocks of the nodes that remain.

// doubts are that part of an instance, itself an instance.
type doubts struct {
	inst   Instance
	prices []Prices
	next   [][]int32 // the answer at hand
	nodes  [][]int32 // of each frame, ascending: what they are in the whole
	arcs   [][]int32 // of each frame pair: likewise

	whole *Instance
	of    *slackTable
	own   [][]int32 // of the whole, of each frame pair, column: the arc of the answer that enters it
	all   *Margins
	most  float64
	spare float64 // the bound less the cost of the answer
}

// newDoubts cuts out what answer next, which costs upper, may do otherwise for less than most,
// where t and all are slacks and margins by prices. nil: nothing.
func newDoubts(t *slackTable, all *Margins, next [][]int32, spare, most float64) *doubts {
	n := len(next)
	d := &doubts{
		prices: make([]Prices, n), next: make([][]int32, n), nodes: make([][]int32, n+1), arcs: make([][]int32, n),
		whole: t.inst, of: t, own: make([][]int32, n), all: all, most: most, spare: spare,
	}
	d.inst = Instance{Pairs: make([]FramePair, n), Blocks: make([]Block, n-1)}
	some := false
	for f := range d.nodes {
		var in, out []float64
		if f > 0 {
			in = all.In[f-1]
		}
		if f < n {
			out = all.Out[f]
		}
		for k := range max(len(in), len(out)) {
			if f > 0 && in[k] < most || f < n && out[k] < most {
				d.nodes[f] = append(d.nodes[f], int32(k))
			}
		}
		some = some || len(d.nodes[f]) > 0
	}
	if !some {
		return nil
	}
	for p := range next {
		d.own[p] = entering(&t.inst.Pairs[p], next[p])
		d.pair(p, next[p])
	}
	for p := range d.inst.Blocks {
		d.block(p, next[p+1])
	}
	return d
}

// entering lists the arc of a matching that enters each column; -1: none.
func entering(g *FramePair, next []int32) []int32 {
	into := slices.Repeat([]int32{-1}, g.Cols)
	for _, e := range next {
		if e >= 0 {
			into[g.Col[e]] = e
		}
	}
	return into
}

// pair makes frame pair p.
func (d *doubts) pair(p int, next []int32) {
	g, m := &d.whole.Pairs[p], d.of.of(p)
	rows, cols := d.nodes[p], d.nodes[p+1]
	h := FramePair{Rows: len(rows), Cols: len(cols), Ptr: make([]int, 1, len(rows)+1), RowMiss: make([]float64, len(rows)), ColMiss: make([]float64, len(cols))}
	to := Prices{Death: make([]float64, len(rows)), Birth: make([]float64, len(cols)), Col: make([]float64, len(cols))}
	d.next[p] = slices.Repeat([]int32{-1}, len(rows))
	in := d.all.In[p]
	for r, i := range rows {
		own := next[i]
		switch {
		case d.all.Out[p][i] < d.most:
			h.RowMiss[r], to.Death[r] = g.RowMiss[i], m.Death[i]
			for e := int32(g.Ptr[i]); int(e) < g.Ptr[i+1]; e++ {
				if j := g.Col[e]; e == own || in[j] < d.most && d.of.arc[p][e]+d.spare < d.most {
					if e == own {
						d.next[p][r] = int32(len(h.Col))
					}
					c, _ := slices.BinarySearch(cols, j)
					h.Col, h.Cost = append(h.Col, int32(c)), append(h.Cost, g.Cost[e])
					to.U, to.V = append(to.U, m.U[e]), append(to.V, m.V[e])
					d.arcs[p] = append(d.arcs[p], e)
				}
			}
		case own >= 0:
			to.Death[r] = m.V[own]
		default:
			to.Death[r] = m.Death[i]
		}
		h.Ptr = append(h.Ptr, len(h.Col))
	}
	for c, j := range cols {
		own := d.own[p][j]
		switch {
		case in[j] < d.most:
			h.ColMiss[c], to.Birth[c], to.Col[c] = g.ColMiss[j], m.Birth[j], m.Col[j]
		case own >= 0:
			to.Birth[c], to.Col[c] = m.U[own], m.U[own]
		default:
			to.Birth[c], to.Col[c] = m.Birth[j], m.Birth[j]
		}
	}
	d.inst.Pairs[p], d.prices[p] = h, to
}

// block makes block p.
func (d *doubts) block(p int, next []int32) {
	nodes := d.nodes[p+1]
	b := Block{Ptr: make([]int, 1, len(nodes)+1)}
	if len(nodes) > 0 {
		g, h := &d.inst.Pairs[p], &d.inst.Pairs[p+1]
		was, in := transpose(&d.whole.Pairs[p]), transpose(g)
		for k, j := range nodes {
			row := func(a int32) {
				for e := h.Ptr[k]; e < h.Ptr[k+1]; e++ {
					b.D = append(b.D, d.cost(p, j, a, d.arcs[p+1][e], &was))
				}
				end := int32(-1)
				if d.all.Out[p+1][j] >= d.most {
					end = next[j]
				}
				b.D = append(b.D, d.cost(p, j, a, end, &was))
			}
			for _, a := range in.at(k) {
				row(d.arcs[p][a])
			}
			born := int32(-1)
			if d.all.In[p][j] >= d.most {
				born = d.own[p][j]
			}
			row(born)
			b.Ptr = append(b.Ptr, len(b.D))
		}
	}
	d.inst.Blocks[p] = b
}

// cost is what block p of the whole has at node j for in-arc a and out-arc b, -1: none.
func (d *doubts) cost(p int, j, a, b int32, in *columns) float64 {
	block, h := &d.whole.Blocks[p], &d.whole.Pairs[p+1]
	if block.Differences != nil {
		return block.Differences.cost(int(j), a, b)
	}
	width := h.Ptr[j+1] - h.Ptr[j] + 1
	row, column := block.Ptr[j+1]-width, width-1
	if a >= 0 {
		row = block.Ptr[j] + int(in.pos[a])*width
	}
	if b >= 0 {
		column = int(b) - h.Ptr[j]
	}
	return block.D[row+column]
}

// margins are those by prices of the ports in doubt.
func (d *doubts) margins() *Margins {
	part := &Margins{}
	for p := range d.next {
		out, in := d.all.Out[p], d.all.In[p]
		part.Out, part.In = append(part.Out, pick(out, d.nodes[p])), append(part.In, pick(in, d.nodes[p+1]))
	}
	part.nobody()
	return part
}

// tell writes what has been found of the part to the margins of the whole.
func (d *doubts) tell(part *Margins) {
	put := func(to, from []float64, at []int32) {
		for k, i := range at {
			to[i] = from[k]
		}
	}
	for p := range d.next {
		put(d.all.Out[p], part.Out[p], d.nodes[p])
		put(d.all.OutMost[p], part.OutMost[p], d.nodes[p])
		put(d.all.In[p], part.In[p], d.nodes[p+1])
		put(d.all.InMost[p], part.InMost[p], d.nodes[p+1])
	}
	for _, v := range part.Variants {
		for k := range v.Changes {
			c := &v.Changes[k]
			c.Row = d.nodes[c.Pair][c.Row]
			if c.Arc >= 0 {
				c.Arc = d.arcs[c.Pair][c.Arc]
			}
		}
	}
	d.all.Variants = part.Variants
}
