package trackgraph

import (
	"cmp"
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
// Slack of a is found at few places: entries of a that are not tight, and blocks. What it is there is the reward of
// the place. To come from one place to another b has to pay for a way: for the options that it takes at the ports of
// D, whose lengths are their slacks in the assignment problem and, as a block has two ports, half of the least
// slacks there. Each place in turn charges the options in a ball around it for its reward, up to what others have left of their
// lengths, as the moats for Steiner trees do (Goemans, Williamson, A general approximation technique for constrained
// forest problems, SIAM Journal on Computing 24, 1995):
//
//	way of an option            least length, without it, of what leads to it from the place
//	charge for it               the part of [way, way + length] in [0, reward]
//	it is in the ball           way + length ≤ reward
//
// A D with the place and an option of b that is not in the ball pays the whole reward: the options of b in D form ways from the place to that
// option, each of which begins, at the latest, where another ends, so they cover [0, reward]. No length is charged for
// twice. So where D leaves the balls of all of its places it pays all of their rewards, and is not better; where it does not it
// lies in a ball. Options outside all balls are left to a: an optimum remains. This needs no bound for the whole, only slacks
// nearby, so it does not weaken with the size of the graph. Where places are so dense that balls pass through each other on and on, it
// is given up, which loses nothing but the work: then all options remain.

// A moat grows balls.
type moat struct {
	r          *reduction
	aRow, aCol []int32 // entry of a of each row, column; -1: free

	prizes []prize // by reward

	kept             []bool // of each entry: it is a's, or in a ball
	rowFree, colFree []bool // likewise of staying free

	way   []float64 // of the options of each port that is reached; +Inf: it is not
	done  []bool    // of each port: its options have been looked at
	list  []int32   // ports that are reached
	queue heap.Heap
}

// A prize is a place: a has slack at one port or at the two of a block.
type prize struct {
	at     [2]int32 // ports, by number; the second -1: there is one
	reward float64
}

// mostGrowth is the work that balls may take, in looks at every option. Colonies of 10⁵ to 10⁷ arcs
// take .05 to .7.
const mostGrowth = 20

// confine drops the options that no better answer than the best known one needs. The margins are
// those of the last measure; they become lengths that nobody has charged for.
func (r *reduction) confine(tiny float64) {
	p := r.s.p
	n := len(r.root)
	m := &moat{r: r, aRow: r.s.best, aCol: p.columnsOf(r.s.best),
		kept: make([]bool, len(p.Cost)), rowFree: make([]bool, p.Rows), colFree: make([]bool, p.Cols),
		way: slices.Repeat([]float64{never}, n), done: make([]bool, n)}
	m.collect(tiny)
	m.lengths()
	most := r.work + mostGrowth*(smallProblem+float64(len(p.Cost)))
	for k := range m.prizes {
		if m.grow(&m.prizes[k], tiny); r.work > most || r.ctx.Err() != nil {
			return
		}
	}
	m.drop()
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
		if r.ended(k) {
			return
		}
		b := &p.blocks[k]
		add(p.slack(b, p.chosen(b.first, m.aRow, m.aCol), p.chosen(b.second, m.aRow, m.aCol)), r.number(b.first), r.number(b.second))
	}
	slices.SortStableFunc(m.prizes, func(x, y prize) int { return cmp.Compare(x.reward, y.reward) })
}

// lengths makes margins lengths.
func (m *moat) lengths() {
	r := m.r
	s, p := r.s, r.s.p
	for i := range p.Rows {
		if r.ended(i) {
			return
		}
		for e := p.Ptr[i]; e < p.Ptr[i+1]; e++ {
			r.margin[e] = (max(0, p.Cost[e]-s.sol.U[i]-s.sol.V[p.Col[e]]) + r.margin[e]) / 2
		}
		r.rowMargin[i] = (max(0, p.RowMiss[i]-s.sol.U[i]) + r.rowMargin[i]) / 2
	}
	for j := range p.Cols {
		r.colMargin[j] = (max(0, p.ColMiss[j]-s.sol.V[j]) + r.colMargin[j]) / 2
	}
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

// grow charges for the reward of a place.
func (m *moat) grow(x *prize, tiny float64) {
	for _, n := range x.at {
		if n >= 0 {
			m.reach(n, 0)
		}
	}
	for steps := 1; len(m.queue) > 0 && !m.r.ended(steps); steps++ {
		if at := m.queue.Pop(); !m.done[at.ID] {
			m.done[at.ID] = true
			m.leave(at.ID, at.Dist, x.reward, tiny)
		}
	}
	for _, n := range m.list {
		m.way[n], m.done[n] = never, false
	}
	m.list, m.queue = m.list[:0], m.queue[:0]
}

// reach says that a way leads to the options of a port.
func (m *moat) reach(n int32, way float64) {
	if n < 0 || way >= m.way[n] {
		return
	}
	if math.IsInf(m.way[n], 1) {
		m.list = append(m.list, n)
	}
	m.way[n] = way
	m.queue.Push(way, n)
}

// leave charges for the options of a port, the nearer one of their ends, and goes on behind those that end within the ball.
func (m *moat) leave(n int32, way, reward, tiny float64) {
	r := m.r
	p, at := r.s.p, r.name(n)
	least := never // way + length
	charge := func(length *float64) (within bool) {
		end := way + *length
		*length -= max(0, min(*length, reward-way))
		least = min(least, end)
		return end <= reward+tiny
	}
	onward := func(n int32, way float64) {
		m.reach(m.partner(n), way)
		m.reach(m.across(n), way)
	}
	entry := func(e, other int32) {
		if m.done[other] || !r.entry[e] {
			return
		}
		end := way + r.margin[e]
		if charge(&r.margin[e]) {
			m.kept[e] = true
			onward(other, end)
		}
	}
	if at >= 0 {
		own := m.aRow[at]
		r.work += float64(p.Ptr[at+1] - p.Ptr[at])
		for e := p.Ptr[at]; e < p.Ptr[at+1]; e++ {
			if int32(e) != own {
				entry(int32(e), int32(p.Rows)+p.Col[e])
			}
		}
		if own >= 0 && r.rowFree[at] && charge(&r.rowMargin[at]) {
			m.rowFree[at] = true
		}
	} else {
		j := -1 - at
		own := m.aCol[j]
		r.work += float64(p.in.Ptr[j+1] - p.in.Ptr[j])
		for k := p.in.Ptr[j]; k < p.in.Ptr[j+1]; k++ {
			if e := p.in.Entry[k]; e != own {
				entry(e, p.in.Row[k])
			}
		}
		if own >= 0 && r.colFree[j] && charge(&r.colMargin[j]) {
			m.colFree[j] = true
		}
	}
	if least <= reward+tiny {
		onward(n, least)
	}
}

// drop drops all options but those of a and those in balls.
func (m *moat) drop() {
	r := m.r
	p := r.s.p
	for i, e := range m.aRow {
		if e >= 0 {
			m.kept[e] = true
		} else {
			m.rowFree[i] = true
		}
	}
	for j, e := range m.aCol {
		if e < 0 {
			m.colFree[j] = true
		}
	}
	for i := range p.Rows {
		if r.ended(i) {
			return
		}
		for e := p.Ptr[i]; e < p.Ptr[i+1]; e++ {
			if r.entry[e] && !m.kept[e] {
				r.entry[e] = false
				r.fewer(port(i))
				r.fewer(port(-1 - p.Col[e]))
			}
		}
		if r.rowFree[i] && !m.rowFree[i] {
			r.rowFree[i] = false
			r.fewer(port(i))
		}
	}
	for j := range p.Cols {
		if r.colFree[j] && !m.colFree[j] {
			r.colFree[j] = false
			r.fewer(port(-1 - j))
		}
	}
}
