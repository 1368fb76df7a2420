package dualascent

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

// A merger joins answers. Nodes are numbered frame by frame.
type merger struct {
	first []int     // first[p]: number of the first node of frame p
	root  []int32   // node → another of its part, or itself; see find
	delta []float64 // root → how much dearer the part is in the other answer
}

func newMerger(gaps []gap) *merger {
	m := &merger{first: make([]int, len(gaps)+2)}
	for p := range gaps {
		m.first[p+1] = m.first[p] + gaps[p].Rows
		m.first[p+2] = m.first[p+1] + gaps[p].Cols
	}
	n := m.first[len(gaps)+1]
	m.root, m.delta = make([]int32, n), make([]float64, n)
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
	m := e.merger
	for n := range m.root {
		m.root[n] = int32(n)
	}
	clear(m.delta)
	same := true
	for p := range e.gaps {
		col := e.gaps[p].Gap.Col
		for i := range a.next[p] {
			if a.next[p][i] == b.next[p][i] {
				continue
			}
			same = false
			tail := int32(m.first[p] + i)
			for _, arc := range [2]int32{a.next[p][i], b.next[p][i]} {
				if arc >= 0 {
					m.root[m.find(int32(m.first[p+1])+col[arc])] = m.find(tail)
				}
			}
		}
	}
	if same {
		return false
	}
	for f := range len(e.gaps) + 1 {
		for i := range m.first[f+1] - m.first[f] {
			if !a.sameAt(b, f, i) {
				m.delta[m.find(int32(m.first[f]+i))] += e.nodeCost(b, f, i) - e.nodeCost(a, f, i)
			}
		}
	}
	better := false
	for p := range e.gaps {
		changed := false
		for i := range a.next[p] {
			if a.next[p][i] != b.next[p][i] && m.delta[m.find(int32(m.first[p]+i))] < -e.tolerance {
				a.next[p][i] = b.next[p][i]
				changed = true
			}
		}
		if changed {
			e.link(a, p)
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
			cost += g.Gap.Cost[arc]
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
		cost += e.blockRow(f, i, a.prev[f-1][i])[g.outOf(i, arc)]
	}
	return cost
}
