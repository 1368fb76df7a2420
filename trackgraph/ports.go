package trackgraph

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file poses a graph as one assignment problem with blocks, or a part of one.

// A problem is an assignment problem whose ports, rows and columns, may be joined in pairs
// by blocks. Costs of entries and misses may be changed by multipliers, see block.
type problem struct {
	mapsolver.Problem
	in     mapsolver.Columns
	blocks []block
	rowIn  []int32 // row → block that it is a port of; -1: none
	colIn  []int32 // likewise

	arc  []int32 // of each entry, of which blocks without a matrix forbid what layout.arc says
	unit float64 // of costs, which are told apart by shares of it, see grain
}

// A port is row k, or column −1−k.
type port int32

// A block is a matrix of costs between the options of two ports. The options of a
// port are its entries, in the order in which it lists them, and then to stay free.
// Multipliers move costs: those of the options of first are added to the problem's costs
// and taken from the rows of the matrix, those of second likewise from its columns.
type block struct {
	first, second port
	*costs        // nil: see problem.cell; there may be millions of such blocks
}

// costs are those of a block.
type costs struct {
	d    []float64 // row-major; +Inf forbids
	u, v []float64 // multipliers; nil: all 0
}

// awake reports whether a block has multipliers.
func (b *block) awake() bool { return b.costs != nil && b.u != nil }

// wake gives a block with costs the multipliers 0.
func (p *problem) wake(b *block) {
	b.u, b.v = make([]float64, p.options(b.first)), make([]float64, p.options(b.second))
}

// cell is entry (i, j) of the matrix of a block. Those of divisions and merges have none of their
// own until they are needed: the second port must not be used without the first, and not for the
// same arc.
func (p *problem) cell(b *block, i, j int) float64 {
	m := p.options(b.second)
	if b.costs != nil {
		return b.d[i*m+j]
	}
	if j == m-1 {
		return 0
	}
	used := p.option(b.first, i)
	if used < 0 || p.arc[used] < 0 || p.arc[used] == p.arc[p.option(b.second, j)] {
		return never
	}
	return 0
}

// matrix is that of a block, in buf where it has none of its own.
func (p *problem) matrix(b *block, buf []float64) []float64 {
	if b.costs != nil {
		return b.d
	}
	n, m := p.options(b.first), p.options(b.second)
	buf = slab.Grow(buf, n*m)
	for i := range n {
		for j := range m {
			buf[i*m+j] = p.cell(b, i, j)
		}
	}
	return buf
}

// options is the number of options of a port.
func (p *problem) options(at port) int {
	if at < 0 {
		return p.in.Ptr[-at] - p.in.Ptr[-1-at] + 1
	}
	return p.Ptr[at+1] - p.Ptr[at] + 1
}

// option is the entry of option k of a port; -1: to stay free.
func (p *problem) option(at port, k int) int32 {
	if k == p.options(at)-1 {
		return -1
	}
	if at < 0 {
		return p.in.Entry[p.in.Ptr[-1-at]+k]
	}
	return int32(p.Ptr[at] + k)
}

// optionOf is the option of a port that an entry is; -1 stands for staying free.
func (p *problem) optionOf(at port, e int32) int {
	switch {
	case e < 0:
		return p.options(at) - 1
	case at >= 0:
		return int(e) - p.Ptr[at]
	}
	k, _ := slices.BinarySearch(p.in.Entry[p.in.Ptr[-1-at]:p.in.Ptr[-at]], e)
	return k
}

// costAt is where the cost of option k of a port lies.
func (p *problem) costAt(at port, k int) *float64 {
	switch e := p.option(at, k); {
	case e >= 0:
		return &p.Cost[e]
	case at < 0:
		return &p.ColMiss[-1-at]
	}
	return &p.RowMiss[at]
}

// index makes p complete: its columns, and the blocks of its ports.
func (p *problem) index() {
	if p.in.Ptr == nil {
		mapsolver.ByColumn(&p.in, &p.Problem)
	}
	p.rowIn, p.colIn = slices.Repeat([]int32{-1}, p.Rows), slices.Repeat([]int32{-1}, p.Cols)
	for k := range p.blocks {
		for _, at := range [2]port{p.blocks[k].first, p.blocks[k].second} {
			if at < 0 {
				p.colIn[-1-at] = int32(k)
			} else {
				p.rowIn[at] = int32(k)
			}
		}
	}
}

// A layout says what the rows, columns and entries of a graph's problem stand for.
type layout struct {
	g        *Graph
	arc      []int32 // of each entry; -1: the detection at its row is not used
	vain     *vain   // arcs that have no entries; nil: all have some
	constant float64 // what every answer pays
}

// grain is the unit of costs of which the largest is such: 1, less where all are less, and more where
// sums of costs that cancel are rounded by more than shares of 1.
func grain(largest float64) float64 { return max(min(1, largest), 1e-3*largest) }

// pose makes the problem of a graph, unless the context ends, without its vain arcs if whole is not set.
func pose(ctx context.Context, g *Graph, whole bool) (*problem, *layout, error) {
	n := g.Detections()
	l := &layout{g: g}
	special := make([]bool, n) // has a Division
	for _, d := range g.Divisions {
		special[g.Tail[d.First]] = true
	}
	second, merged := slices.Repeat([]int32{-1}, n), slices.Repeat([]int32{-1}, n)
	p := &problem{unit: grain(g.largest())}
	p.Rows, p.Cols = n, n
	outs, byTail := byNode(g.Tail, n)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if !whole {
		l.vain = newVain(g)
		byTail = l.vain.without(outs, byTail)
	}
	ins := make([]int32, n)
	for _, a := range byTail {
		ins[g.Head[a]]++
	}
	for d := range n {
		if (g.divides(d) || special[d]) && outs[d+1]-outs[d] > 1 {
			second[d] = int32(p.Rows)
			p.Rows++
		}
		if g.merges(d) && ins[d] > 1 {
			merged[d] = int32(p.Cols)
			p.Cols++
		}
	}
	entries := 0
	for _, a := range byTail {
		k := 1
		if second[g.Tail[a]] >= 0 {
			k *= 2
		}
		if merged[g.Head[a]] >= 0 {
			k *= 2
		}
		entries += k
	}
	entries += n
	if entries > math.MaxInt32 {
		return nil, nil, fmt.Errorf("trackgraph: %d entries of the assignment problem, at most 2³¹−1 are possible", entries)
	}
	p.Ptr = make([]int, 1, p.Rows+1)
	p.Col, p.Cost, l.arc = make([]int32, 0, entries), make([]float64, 0, entries), make([]int32, 0, entries)
	p.RowMiss, p.ColMiss = make([]float64, p.Rows), make([]float64, p.Cols)
	var total sum
	type entry struct {
		col, arc int32
		cost     float64
	}
	var row []entry
	add := func(d int, extra float64, self bool) {
		row = row[:0]
		if f := price(g.False, d, 0); self && f < never {
			row = append(row, entry{int32(d), -1, f - price(g.Use, d, 0)})
		}
		for _, a := range byTail[outs[d]:outs[d+1]] {
			j := g.Head[a]
			row = append(row, entry{j, a, g.Cost[a] + extra})
			if c := merged[j]; c >= 0 {
				row = append(row, entry{c, a, g.Cost[a] + extra + g.Merge[j]})
			}
		}
		slices.SortFunc(row, func(x, y entry) int { return int(x.col) - int(y.col) })
		for _, x := range row {
			p.Col, p.Cost, l.arc = append(p.Col, x.col), append(p.Cost, x.cost), append(l.arc, x.arc)
		}
		p.Ptr = append(p.Ptr, len(p.Col))
	}
	for d := range n {
		if d&1023 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		total.add(price(g.Use, d, 0))
		p.RowMiss[d], p.ColMiss[d] = price(g.End, d, 0), price(g.Birth, d, 0)
		add(d, 0, true)
	}
	for d := range n {
		if second[d] >= 0 {
			extra := price(g.Divide, d, never)
			if special[d] {
				extra = 0 // the block says it
			}
			add(d, extra, false)
		}
	}
	l.constant = total.value()
	p.arc = l.arc
	if !mapsolver.ByColumnUntil(&p.in, &p.Problem, func() bool { return ctx.Err() != nil }) {
		return nil, nil, ctx.Err()
	}
	if err := p.addBlocks(ctx, l, second, merged); err != nil {
		return nil, nil, err
	}
	p.index()
	return p, l, nil
}

// addBlocks adds the blocks of divisions, merges and triplets. Those of divisions
// and merges without prices of their own are made when they are needed: there may be millions.
func (p *problem) addBlocks(ctx context.Context, l *layout, second, merged []int32) error {
	g := l.g
	n, count := g.Detections(), 0
	triplets := newCouples(n, len(g.Triplets), func(k int) (int32, couple) {
		x := &g.Triplets[k]
		return g.Head[x.In], couple{x.In, x.Out, x.Cost}
	})
	divisions := newCouples(n, len(g.Divisions), func(k int) (int32, couple) {
		x := &g.Divisions[k]
		return g.Tail[x.First], couple{x.First, x.Second, x.Cost}
	})
	for d := range n {
		list := triplets.at(d)
		if len(list) > 0 && (second[d] >= 0 || merged[d] >= 0) {
			return fmt.Errorf("trackgraph: detection %d has triplets and may divide or merge: only one of these is possible at one detection", d)
		}
		for _, is := range [3]bool{second[d] >= 0, merged[d] >= 0, len(list) > 0} {
			if is {
				count++
			}
		}
	}
	p.blocks = make([]block, 0, count)
	f := filler{p: p, l: l, second: second, merged: merged}
	for d := range n {
		if d&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if second[d] >= 0 {
			b := block{first: port(d), second: port(second[d])}
			if list := divisions.at(d); len(list) > 0 {
				f.divisions(&b, list, price(g.Divide, d, never))
			}
			p.blocks = append(p.blocks, b)
		}
		if merged[d] >= 0 {
			p.blocks = append(p.blocks, block{first: port(-1 - d), second: port(-1 - merged[d])})
		}
		if list := triplets.at(d); len(list) > 0 {
			b := block{first: port(-1 - d), second: port(d)}
			f.triplets(&b, list)
			p.blocks = append(p.blocks, b)
		}
	}
	return nil
}

// A filler makes the matrices of blocks with prices of their own. An arc has several entries where
// one of its ends may divide or merge.
type filler struct {
	p              *problem
	l              *layout
	second, merged []int32
	one, two       []int // options
}

// options are those of a port that stand for an arc, in ascending order.
func (f *filler) options(dst []int, at port, arc int32) []int {
	p, g := f.p, f.l.g
	tail, head := g.Tail[arc], g.Head[arc]
	if at < 0 {
		for _, r := range [2]int32{tail, f.second[tail]} {
			if r >= 0 {
				if k, ok := slices.BinarySearch(p.Col[p.Ptr[r]:p.Ptr[r+1]], int32(-1-at)); ok {
					dst = append(dst, p.optionOf(at, int32(p.Ptr[r]+k)))
				}
			}
		}
		return dst
	}
	for _, c := range [2]int32{head, f.merged[head]} {
		if c >= 0 {
			if k, ok := slices.BinarySearch(p.Col[p.Ptr[at]:p.Ptr[at+1]], c); ok {
				dst = append(dst, k)
			}
		}
	}
	return dst
}

// divisions fills the matrix of a mother: pairs of arcs with their prices, in one order only, as
// twice would hide slack.
func (f *filler) divisions(b *block, list []couple, divide float64) {
	p := f.p
	n, m := p.options(b.first), p.options(b.second)
	b.costs = &costs{d: make([]float64, n*m)}
	for i := range n {
		for j := range m - 1 {
			c := p.cell(&block{first: b.first, second: b.second}, i, j)
			if c == 0 {
				c = divide
				if p.Col[p.option(b.first, i)] > p.Col[p.option(b.second, j)] {
					c = never
				}
			}
			b.d[i*m+j] = c
		}
	}
	for _, x := range list {
		for _, y := range [2][2]int32{{x.a, x.b}, {x.b, x.a}} {
			f.one, f.two = f.options(f.one[:0], b.first, y[0]), f.options(f.two[:0], b.second, y[1])
			for _, i := range f.one {
				for _, j := range f.two {
					if p.Col[p.option(b.first, i)] <= p.Col[p.option(b.second, j)] {
						b.d[i*m+j] = x.cost
					}
				}
			}
		}
	}
}

// triplets fills the matrix of a detection with triplets. That it is not used is no option of one port only.
func (f *filler) triplets(b *block, list []couple) {
	p := f.p
	n, m := p.options(b.first), p.options(b.second)
	b.costs = &costs{d: make([]float64, n*m)}
	unused := func(at port, k int) bool { e := p.option(at, k); return e >= 0 && p.arc[e] < 0 }
	for i := range n {
		for j := range m {
			if unused(b.first, i) != unused(b.second, j) {
				b.d[i*m+j] = never
			}
		}
	}
	for _, x := range list {
		f.one, f.two = f.options(f.one[:0], b.first, x.a), f.options(f.two[:0], b.second, x.b)
		for _, i := range f.one {
			for _, j := range f.two {
				b.d[i*m+j] = x.cost
			}
		}
	}
}

// answer is what an assignment says of the graph.
func (l *layout) answer(entryOf []int32) *Answer {
	a := &Answer{Used: make([]bool, l.g.Detections()), Chosen: make([]bool, len(l.g.Cost))}
	for d := range a.Used {
		a.Used[d] = true
	}
	for r, e := range entryOf {
		switch {
		case e < 0:
		case l.arc[e] >= 0:
			a.Chosen[l.arc[e]] = true
		default:
			a.Used[r] = false
		}
	}
	return a
}
