package trackgraph

import (
	"context"
	"math"
	"slices"

	"mtt/internal/slab"
)

// This file leaves out what no better answer can use, and splits what remains into parts.
//
// The idea is that of package dualascent: an answer costs the bound and the slacks of
// what it uses, so an option whose margin, its reduced cost and the least slack that it
// has in the blocks at its ends, exceeds what the best answer pays above the bound is in
// no better one. A port with one option left is decided.

// A reduction is what is left of a problem.
type reduction struct {
	s   *state
	ctx context.Context // that ends what takes long; what is left then means nothing

	entry            []bool // is still an option of its row and its column
	rowFree, colFree []bool // to stay free is
	rows, cols       []int32
	todo             []port
	dead             bool      // a port has no option: there is no better answer
	work             float64   // costs looked at
	matrix, least    []float64 // of a block

	margin               []float64
	rowMargin, colMargin []float64

	more float64 // what an answer may cost more than the best one in its part, see settle

	root   []int32   // rows, then columns: another port of the part, or itself
	excess []float64 // root → what the best answer pays above the bound there
}

func newReduction(ctx context.Context, s *state) *reduction {
	p := s.p
	nnz := len(p.Cost)
	yes := func(n int) []bool { return slices.Repeat([]bool{true}, n) }
	r := &reduction{
		s: s, ctx: ctx, entry: yes(nnz), rowFree: yes(p.Rows), colFree: yes(p.Cols),
		rows: make([]int32, p.Rows), cols: make([]int32, p.Cols),
		margin: make([]float64, nnz), rowMargin: make([]float64, p.Rows), colMargin: make([]float64, p.Cols),
		root: make([]int32, p.Rows+p.Cols), excess: make([]float64, p.Rows+p.Cols),
		todo: make([]port, 0, p.Rows+p.Cols),
	}
	for n := range r.root {
		r.root[n] = int32(n)
	}
	for i := range p.Rows {
		r.rows[i] = int32(p.options(port(i)))
	}
	for j := range p.Cols {
		r.cols[j] = int32(p.options(port(-1 - j)))
	}
	for i, c := range p.RowMiss {
		if math.IsInf(c, 1) {
			r.drop(port(i), p.options(port(i))-1)
		} else if r.rows[i] == 1 {
			r.todo = append(r.todo, port(i))
		}
	}
	for j, c := range p.ColMiss {
		if at := port(-1 - j); math.IsInf(c, 1) {
			r.drop(at, p.options(at)-1)
		} else if r.cols[j] == 1 {
			r.todo = append(r.todo, at)
		}
	}
	return r
}

// ended reports whether the context has, at step k of a loop.
func (r *reduction) ended(k int) bool { return ended(r.ctx, k) }

// left is the number of options of a port.
func (r *reduction) left(at port) *int32 {
	if at < 0 {
		return &r.cols[-1-at]
	}
	return &r.rows[at]
}

// alive says whether option k of a port is left.
func (r *reduction) alive(at port, k int) bool {
	switch e := r.s.p.option(at, k); {
	case e >= 0:
		return r.entry[e]
	case at < 0:
		return r.colFree[-1-at]
	}
	return r.rowFree[at]
}

// drop leaves out option k of a port.
func (r *reduction) drop(at port, k int) {
	p := r.s.p
	switch e := p.option(at, k); {
	case e >= 0:
		r.dropEntry(e)
	case at < 0 && r.colFree[-1-at]:
		r.colFree[-1-at] = false
		r.fewer(at)
	case at >= 0 && r.rowFree[at]:
		r.rowFree[at] = false
		r.fewer(at)
	}
}

func (r *reduction) dropEntry(e int32) {
	if !r.entry[e] {
		return
	}
	r.entry[e] = false
	r.fewer(port(r.s.p.rowOf(e)))
	r.fewer(port(-1 - r.s.p.Col[e]))
}

func (r *reduction) fewer(at port) {
	n := r.left(at)
	*n--
	switch *n {
	case 0:
		r.dead = true
	case 1:
		r.todo = append(r.todo, at)
	}
}

// only is the option that is left of a decided port.
func (r *reduction) only(at port) int {
	for k := range r.s.p.options(at) {
		if r.alive(at, k) {
			return k
		}
	}
	return -1
}

// take leaves a port this option alone.
func (r *reduction) take(at port, k int) {
	for o := range r.s.p.options(at) {
		if o != k && r.alive(at, o) {
			r.drop(at, o)
		}
	}
}

// follow draws the conclusions from decided ports: an entry that is the only option of
// one end is that of the other, and what a block forbids beside it goes.
func (r *reduction) follow() {
	p := r.s.p
	for steps := 1; len(r.todo) > 0 && !r.dead && !r.ended(steps); steps++ {
		at := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		k := r.only(at)
		if e := p.option(at, k); e >= 0 {
			other := port(-1 - p.Col[e])
			if at < 0 {
				other = port(p.rowOf(e))
			}
			r.take(other, p.optionOf(other, e))
		}
		number := int32(-1)
		if at < 0 {
			number = p.colIn[-1-at]
		} else {
			number = p.rowIn[at]
		}
		if number < 0 {
			continue
		}
		b := &p.blocks[number]
		if at == b.first {
			for j := range p.options(b.second) {
				if r.alive(b.second, j) && math.IsInf(p.cell(b, k, j), 1) {
					r.drop(b.second, j)
				}
			}
		} else {
			for i := range p.options(b.first) {
				if r.alive(b.first, i) && math.IsInf(p.cell(b, i, k), 1) {
					r.drop(b.first, i)
				}
			}
		}
	}
}

// settle drops options until no more go. The best answer of the state uses only what is
// left, or known is false and answers must cost less than limit above the bound. Answers that cost up to
// more than the best one of the state remain.
func (r *reduction) settle(known bool, limit, tiny float64) {
	for !r.dead && r.ctx.Err() == nil {
		r.measure()
		r.split()
		if known {
			r.share()
		}
		if !r.prune(known, limit, tiny) {
			return
		}
		r.follow()
	}
}

// addTo adds to the margin of option k of a port.
func (r *reduction) addTo(at port, k int, x float64) {
	if !(x > 0) {
		return
	}
	switch e := r.s.p.option(at, k); {
	case e >= 0:
		r.margin[e] += x
	case at < 0:
		r.colMargin[-1-at] += x
	default:
		r.rowMargin[at] += x
	}
}

// measure computes the margins.
func (r *reduction) measure() {
	s, p := r.s, r.s.p
	r.work += 3 * float64(len(p.Cost)) // this, parts and prune
	for i := range p.Rows {
		if r.ended(i) {
			return
		}
		for e := p.Ptr[i]; e < p.Ptr[i+1]; e++ {
			r.margin[e] = max(0, p.Cost[e]-s.sol.U[i]-s.sol.V[p.Col[e]])
		}
		r.rowMargin[i] = max(0, p.RowMiss[i]-s.sol.U[i])
	}
	for j := range p.Cols {
		r.colMargin[j] = max(0, p.ColMiss[j]-s.sol.V[j])
	}
	for k := range p.blocks {
		b := &p.blocks[k]
		if r.ended(k) {
			return
		}
		if *r.left(b.first) == 1 && *r.left(b.second) == 1 {
			continue
		}
		d := p.matrix(b, r.matrix)
		if b.costs == nil {
			r.matrix = d
		}
		n, m := p.options(b.first), p.options(b.second)
		r.work += float64(n * m)
		columns := slab.Grow(r.least, m)
		slab.Fill(columns, never)
		r.least = columns
		both, awake := p.shared(b), b.awake()
		paid := 0.0
		for i := range n {
			if !r.alive(b.first, i) {
				continue
			}
			least := never
			for j := range m {
				if !r.alive(b.second, j) {
					continue
				}
				c := d[i*m+j]
				if awake {
					c -= b.u[i] + b.v[j]
				}
				least, columns[j] = min(least, c), min(columns[j], c)
			}
			r.addTo(b.first, i, least)
			if both >= 0 && p.option(b.first, i) == both {
				paid = max(0, least)
			}
		}
		for j, x := range columns {
			if r.alive(b.second, j) {
				if both >= 0 && p.option(b.second, j) == both {
					x -= paid // it pays for the block once
				}
				r.addTo(b.second, j, x)
			}
		}
	}
}

// shared is the entry that is an option of both ports of a block; -1: none is.
func (p *problem) shared(b *block) int32 {
	if b.first >= 0 || b.second < 0 {
		return -1
	}
	lo := p.in.Ptr[-1-b.first]
	for k, row := range p.in.Row[lo:p.in.Ptr[-b.first]] {
		if row == int32(b.second) {
			return p.in.Entry[lo+k]
		}
	}
	return -1
}

// number is the place of a port in root.
func (r *reduction) number(at port) int32 {
	if at < 0 {
		return int32(r.s.p.Rows) + int32(-1-at)
	}
	return int32(at)
}

func (r *reduction) find(n int32) int32 {
	for r.root[n] != n {
		r.root[n] = r.root[r.root[n]]
		n = r.root[n]
	}
	return n
}

// split joins the ports that are not decided into parts.
func (r *reduction) split() {
	p := r.s.p
	for n := range r.root {
		r.root[n] = int32(n)
	}
	for i := range p.Rows {
		if r.ended(i) {
			return
		}
		if r.rows[i] == 1 {
			continue
		}
		for e := p.Ptr[i]; e < p.Ptr[i+1]; e++ {
			if r.entry[e] {
				r.root[r.find(r.number(port(-1-p.Col[e])))] = r.find(int32(i))
			}
		}
	}
	for k := range p.blocks {
		if b := &p.blocks[k]; *r.left(b.first) > 1 && *r.left(b.second) > 1 {
			r.root[r.find(r.number(b.second))] = r.find(r.number(b.first))
		}
	}
}

// share computes what the best answer pays above the bound in each part.
func (r *reduction) share() {
	s, p := r.s, r.s.p
	clear(r.excess)
	byCol := p.columnsOf(nil, s.best)
	for i, e := range s.best {
		if r.rows[i] == 1 {
			continue
		}
		x := &r.excess[r.find(int32(i))]
		if e >= 0 {
			*x += max(0, p.Cost[e]-s.sol.U[i]-s.sol.V[p.Col[e]])
		} else {
			*x += max(0, p.RowMiss[i]-s.sol.U[i])
		}
	}
	for j, e := range byCol {
		if e < 0 && r.cols[j] > 1 {
			r.excess[r.find(r.number(port(-1-j)))] += max(0, p.ColMiss[j]-s.sol.V[j])
		}
	}
	for k := range p.blocks {
		if r.ended(k) {
			return
		}
		b := &p.blocks[k]
		at := b.first
		if *r.left(at) == 1 {
			at = b.second
		}
		if *r.left(at) == 1 {
			continue
		}
		r.excess[r.find(r.number(at))] += max(0, p.slack(b, p.chosen(b.first, s.best, byCol), p.chosen(b.second, s.best, byCol)))
	}
}

// prune drops options whose margin is more than it may be, and reports whether there
// were any.
func (r *reduction) prune(known bool, limit, tiny float64) bool {
	p := r.s.p
	dropped := false
	most := func(a int32) float64 { // for an option of a port
		if known {
			return min(limit, r.excess[r.find(a)]+r.more) + tiny
		}
		return limit + tiny
	}
	for i := range p.Rows {
		if r.ended(i) {
			return false
		}
		if r.rows[i] <= 1 {
			continue
		}
		for e := p.Ptr[i]; e < p.Ptr[i+1]; e++ {
			if r.entry[e] && r.margin[e] > most(int32(i)) {
				r.entry[e] = false
				r.fewer(port(i))
				r.fewer(port(-1 - p.Col[e]))
				dropped = true
			}
		}
		if r.rowFree[i] && r.rowMargin[i] > most(int32(i)) {
			r.drop(port(i), p.options(port(i))-1)
			dropped = true
		}
	}
	for j := range p.Cols {
		at := port(-1 - j)
		if n := r.number(at); r.cols[j] > 1 && r.colFree[j] && r.colMargin[j] > most(n) {
			r.drop(at, p.options(at)-1)
			dropped = true
		}
	}
	return dropped
}

// A part is a problem made of the undecided ports of another, with their names there.
type part struct {
	problem
	row, col []int32 // in the whole
	of       []int32 // of each entry
	excess   float64
}

// parts makes the parts, ordered by their first port, none when the context ends, and the price of
// what is decided, which is at least the bound's share of it.
func (r *reduction) parts() (list []*part, decided float64) {
	p := r.s.p
	number := slices.Repeat([]int32{-1}, len(r.root))
	of := func(at port) *part {
		root := r.find(r.number(at))
		if number[root] < 0 {
			number[root] = int32(len(list))
			list = append(list, &part{excess: r.excess[root]})
		}
		return list[number[root]]
	}
	var t sum
	place := make([]int32, len(r.root)) // number of a port → its place in the part
	for i := range p.Rows {
		if r.ended(i) {
			return nil, math.Inf(-1)
		}
		at := port(i)
		if r.rows[i] > 1 {
			m := of(at)
			place[i] = int32(len(m.row))
			m.row = append(m.row, int32(i))
			continue
		}
		t.add(*p.costAt(at, r.only(at)))
	}
	for j := range p.Cols {
		at := port(-1 - j)
		if r.cols[j] > 1 {
			m := of(at)
			place[p.Rows+j] = int32(len(m.col))
			m.col = append(m.col, int32(j))
		} else if k := r.only(at); p.option(at, k) < 0 {
			t.add(p.ColMiss[j])
		}
	}
	fold := r.folds(&t)
	if r.ctx.Err() != nil {
		return nil, math.Inf(-1)
	}
	for _, m := range list {
		r.fill(m, place, fold)
	}
	for k := range p.blocks {
		b := &p.blocks[k]
		if r.ended(k) {
			return nil, math.Inf(-1)
		}
		if *r.left(b.first) > 1 && *r.left(b.second) > 1 {
			of(b.first).addBlock(r, b, place)
		}
	}
	for _, m := range list {
		m.index()
	}
	return list, t.value()
}

// folds are the costs that blocks with one decided port add to the options of the other;
// what blocks cost between decided ones is added to t.
func (r *reduction) folds(t *sum) map[port][]float64 {
	p := r.s.p
	fold := make(map[port][]float64)
	for k := range p.blocks {
		if r.ended(k) {
			return nil
		}
		b := &p.blocks[k]
		one, two := *r.left(b.first) == 1, *r.left(b.second) == 1
		if !one && !two {
			continue
		}
		n, m := p.options(b.first), p.options(b.second)
		switch {
		case one && two:
			t.add(p.slack(b, r.only(b.first), r.only(b.second)))
		case one:
			i, f := r.only(b.first), make([]float64, m)
			for j := range f {
				f[j] = p.slack(b, i, j)
			}
			fold[b.second] = f
		default:
			j, f := r.only(b.second), make([]float64, n)
			for i := range f {
				f[i] = p.slack(b, i, j)
			}
			fold[b.first] = f
		}
	}
	return fold
}

// fill makes the assignment problem of a part.
func (r *reduction) fill(m *part, place []int32, fold map[port][]float64) {
	p := r.s.p
	m.Rows, m.Cols, m.Ptr = len(m.row), len(m.col), make([]int, 1, len(m.row)+1)
	extra := func(at port, e int32) float64 {
		if f := fold[at]; f != nil {
			return f[p.optionOf(at, e)]
		}
		return 0
	}
	for _, i := range m.row {
		for e := p.Ptr[i]; e < p.Ptr[i+1]; e++ {
			if !r.entry[e] {
				continue
			}
			c := p.Cost[e] + extra(port(i), int32(e)) + extra(port(-1-p.Col[e]), int32(e))
			if math.IsInf(c, 1) {
				continue
			}
			m.Col, m.Cost = append(m.Col, place[p.Rows+int(p.Col[e])]), append(m.Cost, c)
			m.of = append(m.of, int32(e))
		}
		m.Ptr = append(m.Ptr, len(m.Col))
		miss := never
		if r.rowFree[i] {
			miss = p.RowMiss[i] + extra(port(i), -1)
		}
		m.RowMiss = append(m.RowMiss, miss)
	}
	for _, j := range m.col {
		miss := never
		if r.colFree[j] {
			miss = p.ColMiss[j] + extra(port(-1-j), -1)
		}
		m.ColMiss = append(m.ColMiss, miss)
	}
}

// addBlock adds what is left of a block, its multipliers taken off.
func (m *part) addBlock(r *reduction, b *block, place []int32) {
	p := r.s.p
	at := func(q port) port {
		if q < 0 {
			return port(-1 - place[r.number(q)])
		}
		return port(place[q])
	}
	mapsolverIndex(m)
	c := block{at(b.first), at(b.second), &costs{}}
	// The options of a part's port are some of those of the whole's, in the same order.
	names := func(q, of port) (list []int) {
		for k := range m.options(q) {
			e := m.option(q, k)
			if e >= 0 {
				e = m.of[e]
			}
			list = append(list, p.optionOf(of, e))
		}
		return list
	}
	first, second := names(c.first, b.first), names(c.second, b.second)
	for _, i := range first {
		for _, j := range second {
			c.d = append(c.d, p.slack(b, i, j))
		}
	}
	m.blocks = append(m.blocks, c)
}

// mapsolverIndex lists the entries of a part by column, once.
func mapsolverIndex(m *part) {
	if m.in.Ptr == nil {
		m.index()
	}
}
