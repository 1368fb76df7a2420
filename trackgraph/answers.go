package trackgraph

import (
	"context"
	"math"
	"slices"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file makes answers: assignments that the blocks admit, joined with the best so far.

// offer joins an assignment with the best so far. Where two differ, the differences fall
// into parts that share no port and no block, and of each the cheaper version is
// taken, as in package dualascent. Where ctx ends nothing is.
func (s *state) offer(ctx context.Context, byRow []int32) {
	p := s.p
	if s.best == nil {
		s.room.bCol = p.columnsOf(s.room.bCol, byRow)
		if c := p.price(ctx, byRow, s.room.bCol); c < never {
			s.upper, s.best = c, slices.Clone(byRow)
		}
		return
	}
	s.upper += s.merger(byRow).merge(ctx)
}

// A merger joins assignment b into a.
type merger struct {
	p          *problem
	a, b       []int32 // of each row
	aCol, bCol []int32 // of each column
	root       map[int32]int32
	delta      map[int32]float64
}

// merger joins an assignment into the best one of s.
func (s *state) merger(byRow []int32) *merger {
	s.room.aCol, s.room.bCol = s.p.columnsOf(s.room.aCol, s.best), s.p.columnsOf(s.room.bCol, byRow)
	return &merger{p: s.p, a: s.best, b: byRow, aCol: s.room.aCol, bCol: s.room.bCol, root: make(map[int32]int32), delta: make(map[int32]float64)}
}

func (m *merger) find(n int32) int32 {
	for {
		up, ok := m.root[n]
		if !ok {
			m.root[n] = n
			return n
		}
		if up == n {
			return n
		}
		n = up
	}
}

func (m *merger) join(a, b int32) {
	if a, b = m.find(a), m.find(b); a != b {
		m.root[max(a, b)] = min(a, b)
	}
}

// merge takes over the cheaper parts, none where ctx ends, and returns what they cost more than
// those that they replace: 0 at most.
func (m *merger) merge(ctx context.Context) (more float64) {
	p := m.p
	col := func(j int32) int32 { return int32(p.Rows) + j }
	var rows, cols []int32
	for i := range m.a {
		if m.a[i] != m.b[i] {
			rows = append(rows, int32(i))
			for _, e := range [2]int32{m.a[i], m.b[i]} {
				if e >= 0 {
					m.join(int32(i), col(p.Col[e]))
				}
			}
		}
	}
	for j := range m.aCol {
		if m.aCol[j] != m.bCol[j] {
			cols = append(cols, int32(j))
		}
	}
	if len(rows) == 0 {
		return 0
	}
	name := func(at port) int32 {
		if at < 0 {
			return col(int32(-1 - at))
		}
		return int32(at)
	}
	differs := func(at port) bool {
		if at < 0 {
			return m.aCol[-1-at] != m.bCol[-1-at]
		}
		return m.a[at] != m.b[at]
	}
	if ctx.Err() != nil {
		return 0
	}
	seen := make(map[int32]bool) // blocks
	var blocks []int32
	visit := func(k int32) {
		if k < 0 || seen[k] {
			return
		}
		seen[k] = true
		blocks = append(blocks, k)
		if b := &p.blocks[k]; differs(b.first) && differs(b.second) {
			m.join(name(b.first), name(b.second))
		}
	}
	for _, i := range rows {
		visit(p.rowIn[i])
	}
	for _, j := range cols {
		visit(p.colIn[j])
	}
	cost := func(e int32, miss float64, row bool) float64 {
		switch {
		case e < 0:
			return miss
		case row:
			return p.Cost[e]
		}
		return 0 // paid at its row
	}
	for _, i := range rows {
		m.delta[m.find(i)] += cost(m.b[i], p.RowMiss[i], true) - cost(m.a[i], p.RowMiss[i], true)
	}
	for _, j := range cols {
		m.delta[m.find(col(j))] += cost(m.bCol[j], p.ColMiss[j], false) - cost(m.aCol[j], p.ColMiss[j], false)
	}
	for _, k := range blocks {
		b := &p.blocks[k]
		at := b.first
		if !differs(at) {
			at = b.second
		}
		was := p.slack(b, p.chosen(b.first, m.a, m.aCol), p.chosen(b.second, m.a, m.aCol))
		is := p.slack(b, p.chosen(b.first, m.b, m.bCol), p.chosen(b.second, m.b, m.bCol))
		m.delta[m.find(name(at))] += is - was
	}
	if ctx.Err() != nil {
		return 0
	}
	var gain sum
	counted := make(map[int32]bool)
	for _, i := range rows {
		root := m.find(i)
		delta := m.delta[root]
		if !(delta < -1e-10*p.unit) {
			continue
		}
		m.a[i] = m.b[i]
		if !counted[root] {
			counted[root] = true
			gain.add(delta)
		}
	}
	return gain.value()
}

// retry solves the assignment problem once more with the violated blocks made to agree:
// by leaving their second ports free, or by making their first ports serve somebody.
func (s *state) retry(ctx context.Context, violated []*block, serve bool) error {
	p := s.p
	kept := s.room.kept[:0]
	dear := 1.0 // above what any change saves
	for _, b := range violated {
		for _, at := range [2]port{b.first, b.second} {
			for k := range p.options(at) {
				if c := math.Abs(*p.costAt(at, k)); c < never {
					dear = max(dear, c)
				}
			}
		}
	}
	dear *= 1000
	raise := func(at port, k int) {
		c := p.costAt(at, k)
		kept = append(kept, saved{c, *c})
		*c += dear
	}
	for _, b := range violated {
		m := p.options(b.second)
		if !serve {
			for k := range m - 1 {
				raise(b.second, k)
			}
			continue
		}
		for k := range p.options(b.first) { // what forbids all but a free second port
			alone := true
			for j := range m - 1 {
				alone = alone && math.IsInf(p.slack(b, k, j), 1)
			}
			if alone {
				raise(b.first, k)
			}
		}
	}
	sol := &s.other
	sol.V = append(sol.V[:0], s.sol.V...)
	sol.ColOf, sol.EntryOf, sol.RowOf = append(sol.ColOf[:0], s.sol.ColOf...), append(sol.EntryOf[:0], s.sol.EntryOf...), append(sol.RowOf[:0], s.sol.RowOf...)
	s.room.kept = kept
	s.solver.UseColumns(&p.in)
	err := s.solver.Solve(ctx, sol, &p.Problem, &sol.Duals)
	for k := len(kept) - 1; k >= 0; k-- {
		*kept[k].at = kept[k].cost
	}
	if err != nil {
		return err
	}
	byRow, byCol, broken := s.read(ctx, sol, 0, s.room.broken)
	s.room.broken = broken
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, b := range broken {
		p.mend(b, byRow, byCol)
	}
	s.offer(ctx, byRow)
	return nil
}

// read takes an assignment from a solution, and lists the blocks that it violates by more
// than tiny, in the memory of dst: some of them where ctx ends. The assignment is there until the next call.
func (s *state) read(ctx context.Context, sol *mapsolver.Solution, tiny float64, dst []*block) (byRow, byCol []int32, violated []*block) {
	p := s.p
	byRow = slab.Grow(s.room.byRow, p.Rows)
	for r, e := range sol.EntryOf {
		byRow[r] = int32(e)
	}
	byCol = p.columnsOf(s.room.byCol, byRow)
	s.room.byRow, s.room.byCol = byRow, byCol
	violated = dst[:0]
	for k := range p.blocks {
		if ended(ctx, k) {
			break
		}
		b := &p.blocks[k]
		if p.slack(b, p.chosen(b.first, byRow, byCol), p.chosen(b.second, byRow, byCol)) > tiny {
			violated = append(violated, b)
		}
	}
	return byRow, byCol, violated
}
