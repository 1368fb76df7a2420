package refine

import (
	"context"
	"iter"
	"math"
	"slices"

	"mtt/association/chain"
	"mtt/internal/slab"
	"mtt/internal/workers"
)

// This file holds what both moves are: assignment problems around what is there now.

// A neighbourhood is what a move may change. Its rows are what wants a partner (parts
// of tracks, places in them), its columns what may be one (other parts, detections).
// The move lists rows and columns, their partners now, and which else are worth a
// look; most of them turn out to have no news, and do not take part.
type neighbourhood struct {
	now   []int32   // of a row: its column now; -1
	maybe [][]int32 // of a row: other columns that it may get, perhaps that of now as well
	cols  int       // number of columns

	row, col []int32          // of the assignment problem: the rows and columns that take part, ascending
	number   []int32          // of a column that takes part: its place in col
	taken    []bool           // of a column: some row has it now
	sought   []bool           // of a column: some row that does not have it may get it
	seeks    []bool           // of a row: it may get a column that it does not have
	sleeper  []int32          // of a column that takes part: the row that has it and does not, see doze; -1. Empty: all rows do
	asleep   int              // rows and what they may get, of those
	calm     []bool           // of what doze knows a row by; nil: nothing is remembered
	stays    func(i int) bool // of a row that has a column: to part is no cheaper, as far as is known at once; nil: nothing is
	groups   groups
}

// reset makes the neighbourhood of the rows with columns now, and of cols columns.
func (n *neighbourhood) reset(cols int) {
	n.cols = cols
	for len(n.maybe) < len(n.now) {
		n.maybe = append(n.maybe, nil)
	}
	for i := range n.now {
		n.maybe[i] = n.maybe[i][:0]
	}
}

// choose decides who takes part: the groups, of rows and columns that could trade,
// with news; when all says so every group. When quick says so those whose only
// alternative is to part are left out.
func (n *neighbourhood) choose(all, quick bool, rowNews, colNews func(i int) bool) {
	rows := len(n.now)
	n.row, n.col, n.sleeper, n.asleep = n.row[:0], n.col[:0], n.sleeper[:0], 0
	n.number, n.taken = slab.Grow(n.number, n.cols), slab.Grow(n.taken, n.cols)
	clear(n.taken)
	for _, now := range n.now {
		if now >= 0 {
			n.taken[now] = true
		}
	}
	g := &n.groups
	if all {
		g.out = slab.Grow(g.out, rows+n.cols)
		clear(g.out)
	} else {
		n.group(rowNews, colNews)
	}
	marked := func(i int) bool { return !g.out[i] && (all || g.hot[g.find(int32(i))]) }
	switch {
	case quick:
		n.dropSettled(nil)
	case n.stays != nil:
		n.dropSettled(n.stays)
	}
	for i := range n.now {
		if marked(i) {
			n.row = append(n.row, int32(i))
		}
	}
	for k := range n.cols {
		if marked(rows + k) {
			n.number[k] = int32(len(n.col))
			n.col = append(n.col, int32(k))
		}
	}
}

// group marks the groups with news.
func (n *neighbourhood) group(rowNews, colNews func(i int) bool) {
	g, rows := &n.groups, len(n.now)
	g.reset(rows + n.cols)
	for i, now := range n.now {
		if now >= 0 {
			g.join(int32(i), int32(rows)+now)
		}
		for _, col := range n.maybe[i] {
			if col != now {
				g.join(int32(i), int32(rows)+col)
			}
		}
		g.mark(int32(i), rowNews(i))
	}
	for k := range n.cols {
		g.mark(int32(rows+k), colNews(k))
	}
}

// dropSettled leaves out pairs that have no alternative but to part, of those that stay, nil: all;
// and rows that have none at all.
func (n *neighbourhood) dropSettled(stays func(i int) bool) {
	n.sought, n.seeks = slab.Grow(n.sought, n.cols), slab.Grow(n.seeks, len(n.now))
	clear(n.sought)
	for i, now := range n.now {
		n.seeks[i] = false
		for _, col := range n.maybe[i] {
			if col != now {
				n.sought[col], n.seeks[i] = true, true
			}
		}
	}
	for i, now := range n.now {
		switch {
		case n.seeks[i]:
		case now < 0:
			n.groups.drop(int32(i))
		case !n.sought[now] && (stays == nil || stays(i)):
			n.groups.drop(int32(i))
			n.groups.drop(int32(len(n.now)) + now)
		}
	}
}

// oneTrack reports whether there is nothing in the scans from ≤ t ≤ to, as far as they are there,
// but one detection in each, all of one track. No part of it, and no place in it, has an
// alternative then but to part.
func (r *refiner[S, E]) oneTrack(from, to int32) bool {
	last := min(to, int32(len(r.scans)-1))
	for t := max(0, from); t <= last; t++ {
		if len(r.Next[t]) != 1 || t < last && r.Next[t][0] != chain.At(t+1, 0) {
			return false
		}
	}
	return true
}

// prices are what weigh asks of a mover: the prices of a row and of a column that have no partner,
// and of a pair, or one of at least most that is no dearer.
type prices[S comparable, E any] struct {
	rowMiss, colMiss func(m *mover[S, E], i int32) float64
	rowLeast         func(m *mover[S, E], i int32) (least, most float64)           // around rowMiss; nil: it is at hand
	own              func(m *mover[S, E], i, col int32) (most float64, vague bool) // no less than pair, or that: at hand sooner where it is likely
	pair             func(m *mover[S, E], i, col int32, most float64) float64
	least            func(m *mover[S, E], i, col int32) float64 // no more than pair, and at hand sooner
	key              func(i int32) int32                        // what doze knows a row by that has a column

	again func(r int32, e int) float64 // of the problem of weigh, which makes it: the price of entry e of row r, −1: rowMiss
	wake  func(col int32)              // and what has the row take part that sleeps in a column
}

// A batch is some rows of a problem, one after the other.
type batch struct {
	miss, now []float64 // what a row costs alone, and as it is now
	ptr       []int     // of a row: the end of its entries
	col       []int32
	cost      []float64
	vague     []bool // of an entry: it costs at least that, or at most if the row has it now
	alike     []bool // of a row: it costs at least that alone
	calm      []bool // of a row: see doze
	first     []guess
}

// A guess is of the column that a row will have: that of now, or who has none one that seems best;
// −1: none. It costs so much more than the column by itself.
type guess struct {
	col   int32
	saves float64
}

// batchRows is the number of rows of a batch: half a millisecond.
const batchRows = 512

// weigh finds the cheapest assignment of those that take part, into m.sol, and reports
// whether it is cheaper than what is there now. Pairs that cost more than to stay
// alone are left out. All movers price large problems, unless they are busy.
//
// Most pairs are far ones, which a manoeuvre alone could explain, and no better assignment has
// them. So bounds stand for prices: from below for what a row might get, from above for what it
// has. cycles asks for a price where its bound would make a label fall, and no label falls by a
// price that would not by its bound: the answer is that of all prices.
func (m *mover[S, E]) weigh(ctx context.Context, n *neighbourhood, prices *prices[S, E]) (better bool, err error) {
	m.weighed += n.asleep
	if len(n.row) == 0 { // nobody wants another partner
		return false, ctx.Err()
	}
	p := &m.problem
	p.Rows, p.Cols = len(n.row), len(n.col)
	p.Ptr = append(p.Ptr[:0], 0)
	p.Col, p.Cost = p.Col[:0], p.Cost[:0]
	p.RowMiss = p.RowMiss[:0]
	own, vague, alike := m.cycles.own[:0], m.cycles.vague[:0], m.cycles.alike[:0]
	m.weighed += len(n.row)
	for _, i := range n.row {
		m.weighed += len(n.maybe[i])
	}
	var old float64 // price of what is there now
	jobs := (len(n.row) + batchRows - 1) / batchRows
	if jobs > 1 || m.shares(p.Cols) {
		m.tellTails()
	}
	p.ColMiss = slab.Grow(p.ColMiss, p.Cols)
	if m.shares(p.Cols) {
		m.share(p.Cols, func(m *mover[S, E], from, to int) { m.priceCols(p.ColMiss[from:to], n.col[from:to], prices) })
	} else {
		m.priceCols(p.ColMiss, n.col, prices)
	}
	for at, k := range n.col {
		if !n.taken[k] {
			old += p.ColMiss[at]
		}
	}
	m.batches = slab.Keep(m.batches, jobs)
	movers := m.movers
	if m.busy {
		movers = []*mover[S, E]{m}
	}
	if jobs == 1 { // as most often, in windows: nothing is made for others to see
		movers[0].priceRows(ctx, &m.batches[0], n, n.row, p.ColMiss, prices)
	} else {
		workers.Until(ctx, len(movers), jobs, func(w, k int) {
			rows := n.row[k*batchRows : min((k+1)*batchRows, len(n.row))]
			movers[w].priceRows(ctx, &m.batches[k], n, rows, p.ColMiss, prices)
		})
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	m.cycles.owner = slab.Grow(m.cycles.owner, p.Cols)
	owner := m.cycles.owner
	slab.Fill(owner, -1)
	m.was = m.was[:0]
	for k, i := range n.row {
		b, at := &m.batches[k/batchRows], k%batchRows
		p.RowMiss = append(p.RowMiss, b.miss[at])
		old += b.now[at]
		m.was = append(m.was, b.now[at])
		n.note(i, b.calm[at], prices.key)
		own = append(own, -1)
		if g := b.first[at]; g.col >= 0 {
			switch r := owner[g.col]; {
			case r < 0:
			case g.saves < m.batches[r/batchRows].first[r%batchRows].saves: // of guesses, both
				own[r] = -1
			default:
				continue
			}
			own[k], owner[g.col] = g.col, int32(k)
		}
	}
	arcs := 0
	for k := range jobs {
		arcs += len(m.batches[k].col)
	}
	p.Col, p.Cost, vague = slices.Grow(p.Col, arcs), slices.Grow(p.Cost, arcs), slices.Grow(vague, arcs)
	for k := range jobs {
		b := &m.batches[k]
		for _, end := range b.ptr {
			p.Ptr = append(p.Ptr, len(p.Col)+end)
		}
		p.Col, p.Cost, vague = append(p.Col, b.col...), append(p.Cost, b.cost...), append(vague, b.vague...)
		alike = append(alike, b.alike...)
	}
	m.cycles.own, m.cycles.vague, m.cycles.alike = own, vague, alike
	if prices.again == nil {
		prices.again = func(r int32, e int) float64 {
			m.ahead.scan = -1
			if e < 0 {
				return prices.rowMiss(m, n.row[r])
			}
			return prices.pair(m, n.row[r], n.col[p.Col[e]], math.Inf(1))
		}
	}
	if prices.wake == nil {
		prices.wake = func(col int32) { m.wake(n, prices, col) }
	}
	m.cycles.price, m.cycles.wake, m.cycles.sleeper = prices.again, prices.wake, n.sleeper
	if len(p.Col) == 0 {
		return false, nil
	}
	least := 1e-9 * (1 + math.Abs(old))
	rows := len(n.row)
	found := m.cycles.improve(p, 1e-4*least)
	if found {
		m.sol.ColOf, m.sol.Cost = append(m.sol.ColOf[:0], m.cycles.own...), m.cycles.cost(p)
	} else {
		m.cycles.wakeAll()
		m.cycles.tellAll(p)
		m.cycles.hand(p, &m.sol)
		if err := m.solver.Solve(ctx, &m.sol, p, &m.sol.Duals); err != nil {
			return false, err
		}
	}
	for _, was := range m.was[rows:] {
		old += was
	}
	for k, i := range n.row { // what they pay may be known better by now
		if n.now[i] >= 0 {
			old += p.Cost[m.cycles.at[k]] - m.was[k]
		}
	}
	return m.sol.Cost < old-1e-9*(1+math.Abs(old)), nil
}

// priceCols sets the prices of columns that have no partner.
func (m *mover[S, E]) priceCols(dst []float64, cols []int32, prices *prices[S, E]) {
	for at, k := range cols {
		dst[at] = prices.colMiss(m, k)
	}
}

// shares says whether share has others do anything.
func (m *mover[S, E]) shares(n int) bool { return !m.busy && len(m.movers) > 1 && n >= 2*batchRows }

// share has all movers do parts of n things, unless they are busy or it is not worth while.
func (m *mover[S, E]) share(n int, do func(m *mover[S, E], from, to int)) {
	if !m.shares(n) {
		do(m, 0, n)
		return
	}
	jobs := n / batchRows
	workers.Each(len(m.movers), jobs, func(w, k int) { do(m.movers[w], k*n/jobs, (k+1)*n/jobs) })
}

// priceRows fills a batch with rows of a neighbourhood, until ctx ends. alone are the prices of its
// columns that have no partner.
func (m *mover[S, E]) priceRows(ctx context.Context, b *batch, n *neighbourhood, rows []int32, alone []float64, prices *prices[S, E]) {
	b.miss, b.now, b.ptr, b.col, b.cost, b.vague, b.alike, b.calm, b.first = b.miss[:0], b.now[:0], b.ptr[:0], b.col[:0], b.cost[:0], b.vague[:0], b.alike[:0], b.calm[:0], b.first[:0]
	for _, i := range rows {
		if ctx.Err() != nil { // a row of a crowd may have hundreds of pairs
			return
		}
		m.entries, m.ahead.scan = m.entries[:0], -1
		var miss, most float64
		now := n.now[i]
		if now >= 0 && prices.rowLeast != nil {
			miss, most = prices.rowLeast(m, i)
		} else {
			miss = prices.rowMiss(m, i)
			most = miss
		}
		cost, vague := miss, false
		first := guess{-1, math.Inf(1)}
		if now >= 0 {
			cost, vague = prices.own(m, i, now)
			first = guess{n.number[now], cost - label(alone[n.number[now]])}
			m.entries = append(m.entries, entry{n.number[now], cost, vague})
		}
		calm := now >= 0 && miss >= first.saves
		b.miss, b.now, b.alike = append(b.miss, miss), append(b.now, cost), append(b.alike, miss < most)
		known := len(m.entries)
		for _, col := range n.maybe[i] {
			if k := n.number[col]; col != now {
				if least := prices.least(m, i, col); least < most+alone[k] {
					m.entries = append(m.entries, entry{k, least, true})
				}
			}
		}
		maybe := m.entries[known:]
		for k, e := range maybe { // what seems best first
			if e.cost-label(alone[e.col]) < maybe[0].cost-label(alone[maybe[0].col]) {
				maybe[0], maybe[k] = e, maybe[0]
			}
		}
		for k := range maybe {
			e := &maybe[k]
			if saves := e.cost - label(alone[e.col]); saves < first.saves {
				e.cost, e.vague = prices.pair(m, i, n.col[e.col], most+alone[e.col]), false
				if saves = e.cost - label(alone[e.col]); now < 0 && saves < min(first.saves, miss) && !n.taken[n.col[e.col]] {
					first = guess{e.col, saves}
				}
				calm = calm && saves >= first.saves
			}
		}
		b.first, b.calm = append(b.first, first), append(b.calm, calm)
		b.add(m.entries)
	}
}

// add ends a row with the entries collected for it.
func (b *batch) add(list []entry) {
	for k := 1; k < len(list); k++ { // few, and nearly in order
		for n := k; n > 0 && list[n].col < list[n-1].col; n-- {
			list[n], list[n-1] = list[n-1], list[n]
		}
	}
	for k, e := range list {
		if k == 0 || e.col != list[k-1].col {
			b.col, b.cost, b.vague = append(b.col, e.col), append(b.cost, e.cost), append(b.vague, e.vague)
		}
	}
	b.ptr = append(b.ptr, len(b.col))
}

// A change is of the column of a row, -1 for none.
type change struct{ was, is int32 }

// changes yields the rows whose column in the solution is another one than it was.
func (m *mover[S, E]) changes(n *neighbourhood) iter.Seq2[int32, change] {
	return func(yield func(int32, change) bool) {
		for k, i := range n.row {
			is := m.sol.ColOf[k]
			if is >= 0 {
				is = n.col[is]
			}
			if was := n.now[i]; was != is && !yield(i, change{was, is}) {
				return
			}
		}
	}
}
