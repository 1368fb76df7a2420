package trackgraph

import (
	"math"
	"slices"

	"mtt/internal/heap"
)

// This file finds where a better answer than the best known one may differ from it.
//
// Let a be the best answer known and b the best one of all. Ports at which they differ are
// joined by entries of either and by blocks, and fall into connected sets D. What an answer costs
// is the bound and a sum of slacks, so b is better in D only where
//
//	slack of b in D < slack of a in D.
//
// Slack of a is a reward, found at few places: entries of a that are not tight, and blocks. To come
// from one to another b has to pay for a way: for the options that it takes at the ports of
// D, whose slacks are those in the assignment problem and, as a block has two ports, half of the least
// slacks there. Balls around the places, as large as their rewards, grow together
// where a way between two of them costs less than both rewards, and are one with the sum of the rewards then, as moats do
// for Steiner trees (Goemans, Williamson, A general approximation technique for constrained forest problems, SIAM
// Journal on Computing 24, 1995). In the end a set D with places in several balls pays at
// least all of their rewards, and is not better. So each D lies in one ball, and options
// outside all balls are left to a: an optimum remains. This needs no bound for the whole, only slacks
// nearby, so it does not weaken with the size of the graph.

// A moat grows balls.
type moat struct {
	r          *reduction
	aRow, aCol []int32 // entry of a of each row, column; -1: free

	prizes []prize
	root   []int32   // place → another one of its ball, or itself
	reward []float64 // root → of the ball

	dist  []float64 // of each port that is reached: of the way to it less the reward; +Inf: it is not
	ball  []int32   // of each port that is reached: a place of the nearest ball
	start []int32   // of each port: a place there; -1: none
	list  []int32   // ports that are reached
	queue heap.Heap
}

// A prize is where a has slack: at one port or at the two of a block.
type prize struct {
	at     [2]int32 // ports, by number; the second -1: there is one
	reward float64
}

// confine drops the options that no better answer than the best known one needs. The margins are
// those of the last measure.
func (r *reduction) confine(tiny float64) {
	m := &moat{r: r, aRow: r.s.best, aCol: r.s.p.columnsOf(r.s.best)}
	m.collect(tiny)
	n := len(r.root)
	m.dist, m.ball, m.start = slices.Repeat([]float64{never}, n), make([]int32, n), slices.Repeat([]int32{-1}, n)
	for {
		m.grow()
		if !m.join(tiny) {
			break
		}
	}
	if r.ctx.Err() == nil {
		m.drop(tiny)
	}
}

// collect lists the places. Slack that rounding may explain is none.
func (m *moat) collect(tiny float64) {
	r := m.r
	s, p := r.s, r.s.p
	none := tiny / float64(p.Rows+p.Cols)
	add := func(reward float64, one, two int32) {
		if reward > none {
			m.prizes = append(m.prizes, prize{[2]int32{one, two}, reward})
		}
	}
	for i, e := range m.aRow {
		if e >= 0 {
			add(p.Cost[e]-s.sol.U[i]-s.sol.V[p.Col[e]], int32(i), -1)
		} else {
			add(p.RowMiss[i]-s.sol.U[i], int32(i), -1)
		}
	}
	for j, e := range m.aCol {
		if e < 0 {
			add(p.ColMiss[j]-s.sol.V[j], r.number(port(-1-j)), -1)
		}
	}
	for k := range p.blocks {
		b := &p.blocks[k]
		add(p.slack(b, p.chosen(b.first, m.aRow, m.aCol), p.chosen(b.second, m.aRow, m.aCol)), r.number(b.first), r.number(b.second))
	}
	m.root, m.reward = make([]int32, len(m.prizes)), make([]float64, len(m.prizes))
	for k := range m.prizes {
		m.root[k], m.reward[k] = int32(k), m.prizes[k].reward
	}
}

func (m *moat) find(k int32) int32 {
	for m.root[k] != k {
		m.root[k] = m.root[m.root[k]]
		k = m.root[k]
	}
	return k
}

// name is the port of a number.
func (r *reduction) name(n int32) port {
	if rows := int32(r.s.p.Rows); n >= rows {
		return port(-1 - (n - rows))
	}
	return port(n)
}

// partner is the port at the other end of the entry of a; -1: a leaves the port free.
func (m *moat) partner(n int32) int32 {
	p := m.r.s.p
	if int(n) < p.Rows {
		if e := m.aRow[n]; e >= 0 {
			return int32(p.Rows) + p.Col[e]
		}
		return -1
	}
	if e := m.aCol[n-int32(p.Rows)]; e >= 0 {
		return p.rowOf(e)
	}
	return -1
}

// across is the other port of a port's block; -1: it has none.
func (m *moat) across(n int32) int32 {
	p := m.r.s.p
	number := int32(-1)
	if int(n) < p.Rows {
		number = p.rowIn[n]
	} else {
		number = p.colIn[n-int32(p.Rows)]
	}
	if number < 0 {
		return -1
	}
	b := &p.blocks[number]
	if one := m.r.number(b.first); one != n {
		return one
	}
	return m.r.number(b.second)
}

// options calls do for each option of a port that is left and not that of a, with its slack and the
// port at its other end; -1: it has none.
func (m *moat) options(n int32, do func(k int, slack float64, other int32)) {
	r := m.r
	p, at := r.s.p, r.name(n)
	var own int32
	if at < 0 {
		own = m.aCol[-1-at]
	} else {
		own = m.aRow[at]
	}
	last := p.options(at) - 1
	r.work += float64(last)
	for k := range last {
		e := p.option(at, k)
		if e == own || !r.entry[e] {
			continue
		}
		other := int32(p.Rows) + p.Col[e]
		if at < 0 {
			other = p.in.Row[p.in.Ptr[-1-at]+k]
		}
		do(k, (r.s.reduced(at, k)+r.margin[e])/2, other)
	}
	if own < 0 {
		return
	}
	switch {
	case at >= 0 && r.rowFree[at]:
		do(last, (r.s.reduced(at, last)+r.rowMargin[at])/2, -1)
	case at < 0 && r.colFree[-1-at]:
		do(last, (r.s.reduced(at, last)+r.colMargin[-1-at])/2, -1)
	}
}

// grow finds what lies within the balls.
func (m *moat) grow() {
	for _, n := range m.list {
		m.dist[n] = never
	}
	m.list, m.queue = m.list[:0], m.queue[:0]
	for k, x := range m.prizes {
		ball := m.find(int32(k))
		for _, n := range x.at {
			if n >= 0 {
				m.start[n] = int32(k)
				m.leave(n, -m.reward[ball], ball)
			}
		}
	}
	for steps := 1; len(m.queue) > 0 && !m.r.ended(steps); steps++ {
		x := m.queue.Pop()
		if x.Dist > m.dist[x.ID] {
			continue
		}
		for _, n := range [2]int32{m.partner(x.ID), m.across(x.ID)} {
			if n >= 0 {
				m.leave(n, x.Dist, m.ball[x.ID])
			}
		}
	}
}

// leave goes on from a port, where b has another option than a, that is reached at a distance.
func (m *moat) leave(n int32, dist float64, ball int32) {
	m.options(n, func(_ int, slack float64, other int32) {
		to := dist + slack
		if to > 0 {
			return
		}
		for _, x := range [2]int32{n, other} {
			if x >= 0 && to < m.dist[x] {
				if math.IsInf(m.dist[x], 1) {
					m.list = append(m.list, x)
				}
				m.dist[x], m.ball[x] = to, ball
				m.queue.Push(to, x)
			}
		}
	})
}

// A way leads to an option from a ball.
type way struct {
	dist float64
	ball int32
}

// ways are those to the options of a port.
func (m *moat) ways(dst []way, n int32) []way {
	if n < 0 {
		return dst
	}
	for _, x := range [2]int32{m.partner(n), m.across(n)} {
		if x >= 0 && !math.IsInf(m.dist[x], 1) {
			dst = append(dst, way{m.dist[x], m.find(m.ball[x])})
		}
	}
	if k := m.start[n]; k >= 0 {
		ball := m.find(k)
		dst = append(dst, way{-m.reward[ball], ball})
	}
	return dst
}

// near calls do for the ports from which ways out of balls may go on.
func (m *moat) near(do func(n int32)) {
	for k, n := range m.list {
		if m.r.ended(k) {
			return
		}
		for _, x := range [2]int32{m.partner(n), m.across(n)} {
			if x >= 0 {
				do(x)
			}
		}
	}
	for k, x := range m.prizes {
		if m.r.ended(k) {
			return
		}
		for _, n := range x.at {
			if n >= 0 {
				do(n)
			}
		}
	}
}

// join makes balls one that a cheap way joins, and reports whether there were any.
func (m *moat) join(tiny float64) (joined bool) {
	if m.r.ctx.Err() != nil {
		return false
	}
	var ways []way
	together := func(a, b int32) {
		if a, b = m.find(a), m.find(b); a != b {
			m.reward[min(a, b)] += m.reward[max(a, b)]
			m.root[max(a, b)] = min(a, b)
			joined = true
		}
	}
	for k := range m.prizes { // several at one port, or at the ports of a block that others have
		for _, n := range m.prizes[k].at {
			if n >= 0 {
				together(int32(k), m.start[n])
			}
		}
	}
	m.near(func(n int32) {
		m.options(n, func(_ int, slack float64, other int32) {
			ways = m.ways(m.ways(ways[:0], n), other)
			for i, a := range ways {
				for _, b := range ways[:i] {
					if a.ball != b.ball && a.dist+slack+b.dist < tiny {
						together(a.ball, b.ball)
					}
				}
			}
		})
	})
	return joined
}

// drop drops all options but those of a and those in balls.
func (m *moat) drop(tiny float64) {
	r := m.r
	p := r.s.p
	kept := make([]bool, len(p.Cost))
	rowFree, colFree := make([]bool, p.Rows), make([]bool, p.Cols)
	keep := func(at port, k int) {
		switch e := p.option(at, k); {
		case e >= 0:
			kept[e] = true
		case at < 0:
			colFree[-1-at] = true
		default:
			rowFree[at] = true
		}
	}
	var ways []way
	m.near(func(n int32) {
		m.options(n, func(k int, slack float64, other int32) {
			ways = m.ways(m.ways(ways[:0], n), other)
			for _, a := range ways {
				if a.dist+slack <= tiny {
					keep(r.name(n), k)
					return
				}
			}
		})
	})
	for i, e := range m.aRow {
		if e >= 0 {
			kept[e] = true
		} else {
			rowFree[i] = true
		}
	}
	for j, e := range m.aCol {
		if e < 0 {
			colFree[j] = true
		}
	}
	for i := range p.Rows {
		for e := p.Ptr[i]; e < p.Ptr[i+1]; e++ {
			if r.entry[e] && !kept[e] {
				r.entry[e] = false
				r.fewer(port(i))
				r.fewer(port(-1 - p.Col[e]))
			}
		}
		if r.rowFree[i] && !rowFree[i] {
			r.rowFree[i] = false
			r.fewer(port(i))
		}
	}
	for j := range p.Cols {
		if r.colFree[j] && !colFree[j] {
			r.colFree[j] = false
			r.fewer(port(-1 - j))
		}
	}
}
