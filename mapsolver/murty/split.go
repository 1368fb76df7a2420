package murty

import (
	"math"

	"mtt/internal/slab"
)

// This file takes a problem apart into its connected parts.

// A splitter is the workspace of it.
type splitter struct {
	partOf  []int32 // of each row; -1: no choice
	firstIn []int32 // of each column: a row that has an entry there, -1: none
	up      []int32 // forest of the rows
	local   []int32 // of each column: its number in its part, -1: none yet
	size    []sizes // of each part
}

// sizes counts what a part holds.
type sizes struct{ rows, cols, entries int }

// parts makes k.sums.parts: the connected parts in which some row has a choice.
// Rows without entries have none.
func (k *Ranker) parts() {
	p, s := k.p, &k.split
	s.label(k)
	k.sums.parts = slab.Keep(k.sums.parts, len(s.size))
	for i, n := range s.size {
		k.sums.parts[i].make(k, n)
	}
	s.local = slab.Keep(s.local, p.Cols)
	for c := range s.local {
		s.local[c] = -1
	}
	for r, i := range s.partOf {
		if i < 0 {
			continue
		}
		l := &k.sums.parts[i]
		row := int32(len(l.rowNo))
		l.rowNo = append(l.rowNo, int32(r))
		l.rows.bound = append(l.rows.bound, p.RowBound(r))
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			c := p.Col[e]
			if s.local[c] < 0 {
				s.local[c] = int32(len(l.colNo))
				l.colNo = append(l.colNo, c)
				l.cols.bound = append(l.cols.bound, p.ColBound(int(c)))
			}
			l.rows.ent = append(l.rows.ent, int32(len(l.entryNo)))
			l.entryNo = append(l.entryNo, int32(e))
			l.cost = append(l.cost, p.Cost[e])
			l.rows.at = append(l.rows.at, row)
			l.cols.at = append(l.cols.at, s.local[c])
		}
		l.rows.ptr = append(l.rows.ptr, int32(len(l.entryNo)))
	}
	for i := range k.sums.parts {
		k.sums.parts[i].begin()
	}
}

// label finds the parts, numbered by their first row, and their sizes.
func (s *splitter) label(k *Ranker) {
	p := k.p
	s.up = slab.Keep(s.up, p.Rows)
	s.firstIn = slab.Keep(s.firstIn, p.Cols)
	s.partOf = slab.Keep(s.partOf, p.Rows)
	for c := range s.firstIn {
		s.firstIn[c] = -1
	}
	for r := range s.up {
		s.up[r] = int32(r)
		for _, c := range p.Col[p.Ptr[r]:p.Ptr[r+1]] {
			if first := s.firstIn[c]; first < 0 {
				s.firstIn[c] = int32(r)
			} else if a, b := s.root(first), s.root(int32(r)); a != b {
				s.up[max(a, b)] = min(a, b)
			}
		}
		if k.Whole && r > 0 {
			s.up[r] = 0
		}
	}
	// A part has a choice when one of its rows has two: partOf marks the roots.
	for r := range s.partOf {
		s.partOf[r] = -1
	}
	for r := range s.up {
		if n := p.Ptr[r+1] - p.Ptr[r]; n > 1 || n == 1 && !p.MustServeRow(r) {
			s.partOf[s.root(int32(r))] = 0
		}
	}
	s.size = s.size[:0]
	for r := range s.up {
		a := s.root(int32(r)) // a ≤ r
		if s.partOf[a] < 0 {
			continue
		}
		if a == int32(r) {
			s.partOf[r] = int32(len(s.size))
			s.size = append(s.size, sizes{})
		}
		s.partOf[r] = s.partOf[a]
		n := &s.size[s.partOf[r]]
		n.rows++
		n.entries += p.Ptr[r+1] - p.Ptr[r]
	}
	for _, r := range s.firstIn {
		if r >= 0 && s.partOf[r] >= 0 {
			s.size[s.partOf[r]].cols++
		}
	}
}

// root is the least row of the part that holds r; paths are halved.
func (s *splitter) root(r int32) int32 {
	for s.up[r] != r {
		s.up[r] = s.up[s.up[r]]
		r = s.up[r]
	}
	return r
}

// make prepares an empty part for n.
func (l *part) make(k *Ranker, n sizes) {
	*l = part{
		ranked: l.ranked[:0], wait: l.wait[:0],
		tree: l.tree, final: l.final, heap: l.heap,
		owner: k,
		rowNo: k.ints(0, n.rows), colNo: k.ints(0, n.cols), entryNo: k.ints(0, n.entries),
		cost: k.floats(n.entries)[:0],
	}
	l.rows = side{ptr: k.ints(1, n.rows+1), ent: k.ints(0, n.entries), at: k.ints(0, n.entries), bound: k.floats(n.rows)[:0]}
	l.cols = side{ptr: k.ints(n.cols+1, n.cols+1), ent: k.ints(n.entries, n.entries), at: k.ints(0, n.entries), bound: k.floats(n.cols)[:0]}
	l.rows.ptr[0] = 0
}

// begin finishes a part whose entries are known: it lists them by column, and
// takes the first assignment from that of the problem.
func (l *part) begin() {
	k := l.owner
	clear(l.cols.ptr)
	for _, y := range l.cols.at {
		l.cols.ptr[y]++
	}
	end := int32(0)
	for y, n := range l.cols.ptr {
		l.cols.ptr[y] = end
		end += n
	}
	for e, y := range l.cols.at {
		l.cols.ent[l.cols.ptr[y]] = int32(e)
		l.cols.ptr[y]++
	}
	copy(l.cols.ptr[1:], l.cols.ptr)
	l.cols.ptr[0] = 0

	n, m := len(l.rowNo), len(l.colNo)
	for _, s := range []*side{&l.rows, &l.cols} {
		size := len(s.bound)
		s.dist, s.by = k.floats(size), k.ints(size, size)
		for x := range s.dist {
			s.dist[x] = math.Inf(1)
		}
	}
	c := &k.cells.take(1)[0]
	*c = cell{mate: k.ints(n, n), colMate: k.ints(m, m), order: k.ints(n, n), u: k.floats(n), v: k.floats(m)}
	c.place = c.order
	for y := range c.colMate {
		c.colMate[y] = -1
	}
	for r, row := range l.rowNo {
		c.order[r] = int32(r)
		c.u[r] = k.best.U[row]
		c.mate[r] = -1
		if e := k.best.EntryOf[row]; e >= 0 {
			first := l.rows.ptr[r]
			c.mate[r] = first + int32(e) - l.entryNo[first]
			c.colMate[l.cols.at[c.mate[r]]] = c.mate[r]
		}
	}
	for y, col := range l.colNo {
		c.v[y] = k.best.V[col]
	}
	c.cost = l.add(c)
	l.ranked = append(l.ranked, c)
}
