package dualascent

import (
	"math"

	"mtt/internal/slab"
)

// This file makes an instance of each part of a reduced problem.

// A part is an instance made of some ports of another, the whole. A node is
// there when one of its ports is; a port that is not there is decided: it has no
// arc and costs nothing, and what its option costs together with those of the
// other port is part of the price of these.
type part struct {
	inst  Instance
	first int       // gap of the whole that is the part's gap 0
	node  [][]int32 // of each frame: node of the whole, ascending
	arc   [][]int32 // of each gap: arc of the whole
	ports [][]uint8 // of each frame, node: which of its ports are there
}

const inPort, outPort = 1, 2 // bits of part.ports

// parts makes the parts of a reduction, ordered by their first port, and the cost
// of what is decided; none when ctx ends.
func (r *reduction) parts() (list []*part, decided float64) {
	e := r.e
	number := make(map[int32]int) // of the part with this root
	member := func(root int32) *part {
		k, ok := number[root]
		if !ok {
			k = len(list)
			number[root] = k
			list = append(list, &part{first: -1})
		}
		return list[k]
	}
	n := len(e.gaps)
	// The nodes of each part, frame by frame.
	for f := range n + 1 {
		if r.ctx.Err() != nil {
			return nil, 0
		}
		for i := range e.nodes(f) {
			in, out := f > 0 && r.ins[f-1][i] > 1, f < n && r.outs[f][i] > 1
			if !in && !out {
				decided += r.decidedCost(f, i)
				continue
			}
			var ports uint8
			if in {
				ports |= inPort
			} else if f > 0 {
				decided += r.inCost(f, i)
			}
			if out {
				ports |= outPort
			} else if f < n {
				decided += r.outCost(f, i)
			}
			var root int32
			if out {
				root = r.find(r.firstOut[f] + int32(i))
			} else {
				root = r.find(r.firstIn[f-1] + int32(i))
			}
			m := member(root)
			if m.first < 0 {
				m.first = f
			}
			for len(m.node) <= f-m.first {
				m.node, m.ports = append(m.node, nil), append(m.ports, nil)
			}
			m.node[f-m.first] = append(m.node[f-m.first], int32(i))
			m.ports[f-m.first] = append(m.ports[f-m.first], ports)
		}
	}
	at := make([]int32, 0)
	for _, m := range list {
		if r.ctx.Err() != nil {
			return nil, 0
		}
		at = r.fill(m, at)
	}
	return list, decided
}

// nodes is the number of nodes of frame f.
func (e *engine) nodes(f int) int {
	if f == len(e.gaps) {
		return e.gaps[f-1].Cols
	}
	return e.gaps[f].Rows
}

// inCost is the price of the decided in-port of node i of frame f: that of
// birth. The price of an arc is paid at its tail.
func (r *reduction) inCost(f, i int) float64 {
	if r.birth[f-1][i] {
		return r.e.gaps[f-1].ColMiss[i]
	}
	return 0
}

// outCost is the price of the decided out-port of node i of frame f.
func (r *reduction) outCost(f, i int) float64 {
	g := &r.e.gaps[f]
	if arc := r.only(port{f, int32(i), false}); arc >= 0 {
		return g.FramePair.Cost[arc]
	}
	return g.RowMiss[i]
}

// decidedCost is the price of a node with no open port.
func (r *reduction) decidedCost(f, i int) (cost float64) {
	e := r.e
	if f > 0 {
		cost += r.inCost(f, i)
	}
	if f == len(e.gaps) {
		return cost
	}
	cost += r.outCost(f, i)
	if f > 0 {
		in, out := r.only(port{f - 1, int32(i), true}), r.only(port{f, int32(i), false})
		cost += e.blockCost(f, i, in, out)
	}
	return cost
}

// fill makes the instance of a part whose nodes are known. at is workspace.
func (r *reduction) fill(m *part, at []int32) []int32 {
	e := r.e
	last := len(m.node) - 1
	m.inst.Pairs, m.arc = make([]FramePair, last), make([][]int32, last)
	for q := range last {
		if r.ctx.Err() != nil {
			return at
		}
		p := m.first + q
		g := &e.gaps[p]
		rows, cols := m.node[q], m.node[q+1]
		at = slab.Grow(at, g.Cols)
		for k, j := range cols {
			at[j] = int32(k)
		}
		h := &m.inst.Pairs[q]
		h.Rows, h.Cols, h.Ptr = len(rows), len(cols), make([]int, 1, len(rows)+1)
		h.RowMiss, h.ColMiss = make([]float64, len(rows)), make([]float64, len(cols))
		for k, i := range rows {
			if r.outs[p][i] > 1 {
				fold := r.foldIn(p, int(i), m.ports[q][k])
				for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
					if !r.arc[p][a] {
						continue
					}
					cost := g.FramePair.Cost[a]
					if fold != nil {
						cost += fold[a-g.Ptr[i]]
					}
					j := at[g.FramePair.Col[a]]
					if f := p + 1; f < len(e.gaps) && m.ports[q+1][j] == inPort {
						cost += r.foldOut(f, int(cols[j]), int32(a))
					}
					if math.IsInf(cost, 1) {
						continue
					}
					h.Col, h.Cost = append(h.Col, j), append(h.Cost, cost)
					m.arc[q] = append(m.arc[q], int32(a))
				}
				h.RowMiss[k] = g.RowMiss[i]
				if fold != nil {
					h.RowMiss[k] += fold[len(fold)-1]
				}
			}
			h.Ptr = append(h.Ptr, len(h.Col))
		}
		for k, j := range cols {
			if r.ins[p][j] > 1 {
				h.ColMiss[k] = g.ColMiss[j]
				if f := p + 1; f < len(e.gaps) && m.ports[q+1][k] == inPort {
					h.ColMiss[k] += r.foldOut(f, int(j), -1)
				}
			}
		}
	}
	for q := 1; q < last; q++ {
		m.inst.Blocks = append(m.inst.Blocks, e.subBlock(m, q))
	}
	return at
}

// foldIn is the row of block costs of the decided in-port of node i of frame f;
// nil where both ports are open, and in the first frame.
func (r *reduction) foldIn(f, i int, ports uint8) []float64 {
	if ports != outPort || f == 0 {
		return nil
	}
	return r.e.blockRow(f, i, r.only(port{f - 1, int32(i), true}))
}

// foldOut is the block cost of in-arc a (-1: born) with the decided out-port of
// node j of frame f.
func (r *reduction) foldOut(f, j int, a int32) float64 {
	return r.e.blockCost(f, j, a, r.only(port{f, int32(j), false}))
}

// subBlock is the block of frame q of a part: of each open node the rows and
// columns of the arcs that are there, of the others zeros.
func (e *engine) subBlock(m *part, q int) Block {
	f := m.first + q
	left, right := &m.inst.Pairs[q-1], &m.inst.Pairs[q]
	if e.gaps[f].rank != nil {
		return e.subDifferences(m, q).Block(left, right)
	}
	in := transpose(left)
	b := Block{Ptr: make([]int, 1, right.Rows+1), D: make([]float64, 0, pairs(left, right))}
	for k, j := range m.node[q] {
		outs := m.arc[q][right.Ptr[k]:right.Ptr[k+1]]
		arcs := in.Entry[in.Ptr[k]:in.Ptr[k+1]]
		for s := 0; s <= len(arcs); s++ {
			if m.ports[q][k] != inPort|outPort {
				b.D = append(b.D, make([]float64, len(outs)+1)...)
				continue
			}
			a := int32(-1)
			if s < len(arcs) {
				a = m.arc[q-1][arcs[s]]
			}
			row := e.blockRow(f, int(j), a)
			for _, out := range outs {
				b.D = append(b.D, row[e.gaps[f].outOf(int(j), out)])
			}
			b.D = append(b.D, row[len(row)-1])
		}
		b.Ptr = append(b.Ptr, len(b.D))
	}
	return b
}

// restrict sets an answer of the part to what answer a of the whole does there.
func (m *part) restrict(dst, a *answer) {
	for q := range m.arc {
		g := &m.inst.Pairs[q]
		for k, i := range m.node[q] {
			dst.next[q][k] = -1
			for s := g.Ptr[k]; s < g.Ptr[k+1]; s++ {
				if m.arc[q][s] == a.next[m.first+q][i] {
					dst.next[q][k] = int32(s)
				}
			}
		}
	}
}

// extend puts an answer of the part into one of the whole.
func (m *part) extend(dst [][]int32, next [][]int32) {
	for q := range m.arc {
		for k, i := range m.node[q] {
			if m.ports[q][k]&outPort == 0 {
				continue
			}
			arc := int32(-1)
			if s := next[q][k]; s >= 0 {
				arc = m.arc[q][s]
			}
			dst[m.first+q][i] = arc
		}
	}
}

// begin makes the engine of the part, starting from the multipliers of the whole.
func (m *part) begin(whole *engine) *engine {
	o := *whole.opts
	o.Progress = nil
	e := newEngine(&m.inst, &o)
	e.tiny, e.unit, e.tolerance = whole.tiny, whole.unit, whole.tolerance
	for q := range e.gaps {
		g, from := &e.gaps[q], &whole.gaps[m.first+q]
		for j := range g.Cols {
			if m.ports[q+1][j] != inPort|outPort {
				continue // its block is part of the prices of the arcs
			}
			g.Birth[j] = from.Birth[m.node[q+1][j]]
			for _, s := range g.in.Entry[g.in.Ptr[j]:g.in.Ptr[j+1]] {
				g.U[s] = from.U[m.arc[q][s]]
			}
		}
	}
	return e
}
