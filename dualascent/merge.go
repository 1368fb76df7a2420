package dualascent

import "slices"

// This file joins two answers into one that is at least as good as either.
//
// Where two answers differ, the arcs that only one of them has fall into
// connected parts: within a gap they form alternating paths and cycles, and a
// node joins what changes on its left with what changes on its right. Every cost
// belongs to one node, or to an arc between two, so the parts contribute to the
// objective independently of each other, and of each part the cheaper version
// can be taken. Answers that differ in k parts are thus joined into the best of
// 2^k. (For the travelling salesman this is the partition crossover of Whitley,
// Hains and Howe, GECCO 2009.)

// A merger joins answers. Nodes at which they differ are numbered.
type merger struct {
	number [][]int32 // of each frame, node: its number; -1: it has none
	root   []int32   // number → that of another node of its part, or itself; see find
	delta  []float64 // root → how much dearer the part is in the other answer
}

func (e *engine) newMerger() *merger {
	m := &merger{number: make([][]int32, len(e.gaps)+1)}
	for f := range m.number {
		if len(e.gaps) > 0 {
			m.number[f] = slices.Repeat([]int32{-1}, e.nodes(f))
		}
	}
	return m
}

// find is the representative of the part of node n (union-find with path
// halving).
func (m *merger) find(n int32) int32 {
	for m.root[n] != n {
		m.root[n] = m.root[m.root[n]]
		n = m.root[n]
	}
	return n
}

// merge takes over into a the parts in which b is cheaper, and reports whether
// there were any. The cost of a must be finite.
func (e *engine) merge(a, b *answer) bool {
	if e.merger == nil {
		e.merger = e.newMerger()
	}
	m := e.merger
	m.root, m.delta = m.root[:0], m.delta[:0]
	for f, number := range m.number {
		for i := range number {
			number[i] = -1
			if !a.sameAt(b, f, i) {
				number[i] = int32(len(m.root))
				m.root = append(m.root, number[i])
				m.delta = append(m.delta, 0)
			}
		}
	}
	if len(m.root) == 0 {
		return false
	}
	for p := range e.gaps {
		col := e.gaps[p].FramePair.Col
		for i, n := range m.number[p] {
			if n < 0 || a.next[p][i] == b.next[p][i] {
				continue
			}
			for _, arc := range [2]int32{a.next[p][i], b.next[p][i]} {
				if arc >= 0 {
					m.root[m.find(m.number[p+1][col[arc]])] = m.find(n)
				}
			}
		}
	}
	for f, number := range m.number {
		for i, n := range number {
			if n >= 0 {
				m.delta[m.find(n)] += e.nodeCost(b, f, i) - e.nodeCost(a, f, i)
			}
		}
	}
	better := false
	for p := range e.gaps {
		changed := false
		for i := range a.next[p] {
			if a.next[p][i] != b.next[p][i] && m.delta[m.find(m.number[p][i])] < -e.tolerance {
				a.next[p][i] = b.next[p][i]
				changed = true
			}
		}
		if changed {
			e.link(a, p)
			a.touch(p, p, 0, len(e.gaps))
			better = true
		}
	}
	return better
}

// sameAt says whether two answers agree on both sides of node i of frame f.
func (a *answer) sameAt(b *answer, f, i int) bool {
	return (f == 0 || a.prev[f-1][i] == b.prev[f-1][i]) && (f == len(a.next) || a.next[f][i] == b.next[f][i])
}

// nodeCost is what answer a pays at node i of frame f: for being born or for
// its in-arc, for dying, and its block entry.
func (e *engine) nodeCost(a *answer, f, i int) float64 {
	var cost float64
	if f > 0 {
		g := &e.gaps[f-1]
		if arc := a.prev[f-1][i]; arc >= 0 {
			cost += g.FramePair.Cost[arc]
		} else {
			cost += g.ColMiss[i]
		}
	}
	if f == len(e.gaps) {
		return cost
	}
	g := &e.gaps[f]
	arc := a.next[f][i]
	if arc < 0 {
		cost += g.RowMiss[i]
	}
	if f > 0 {
		cost += e.blockCost(f, i, a.prev[f-1][i], arc)
	}
	return cost
}
