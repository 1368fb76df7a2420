package murty

import (
	"cmp"
	"math"
	"slices"
)

// This file ranks the assignments of one connected part of a problem.

// A part is a connected part of a problem with its own numbers of rows, columns
// and entries, and the list of its assignments as far as it is known.
type part struct {
	rowNo, colNo, entryNo []int32   // numbers in the problem
	cost                  []float64 // of each entry; +Inf while it is forbidden
	rows, cols            side

	ranked []*cell // assignments in ascending order of cost
	parted int     // ranked[:parted] have been parted
	wait   heap[waiting]

	// Of the cell at hand: the place of each row in its order. Rows with a place
	// below first are fixed, and so are their columns.
	place []int32
	first int32

	// Of a search.
	tree  []int32
	final []reached
	heap  heap[reached]

	owner *Ranker
}

// A cell is a set of assignments with the cheapest of them: those that agree
// with it on the rows order[:fixed] and make none of the forbidden choices.
type cell struct {
	cost      float64
	mate      []int32 // entry of each row, -1 when free
	colMate   []int32 // the same of each column
	u, v      []float64
	order     []int32 // a permutation of the rows; until the cell is parted, its parent's
	place     []int32 // of each row in order
	fixed     int
	forbidden []int32 // entries; -1-r: that row r stays free
}

// A waiting cell is one that has not been solved: what parent leaves when its
// rows order[:place] are fixed and the choice of row order[place] is forbidden.
// When place is -1 it is solved, and is parent itself.
type waiting struct {
	bound  float64 // on its cost
	number int     // order of making, which decides between equal bounds
	parent *cell
	place  int32
}

func (a waiting) before(b waiting) bool {
	return a.bound < b.bound || a.bound == b.bound && a.number < b.number
}

// at is the i-th cheapest assignment, nil when there are no more. It is asked
// for in order: i is at most len(ranked).
func (l *part) at(i int) *cell {
	if i < len(l.ranked) {
		return l.ranked[i]
	}
	for ; l.parted < len(l.ranked); l.parted++ {
		l.split(l.ranked[l.parted])
	}
	for len(l.wait) > 0 {
		w := l.wait.pop()
		if w.place < 0 {
			l.ranked = append(l.ranked, w.parent)
			return w.parent
		}
		if c := l.solve(w); c != nil {
			l.queue(waiting{bound: c.cost, parent: c, place: -1})
		}
	}
	return nil
}

// queue puts w among the waiting.
func (l *part) queue(w waiting) {
	w.number = l.owner.made
	l.owner.made++
	l.wait.push(w)
}

// split parts the cell c around its cheapest assignment.
func (l *part) split(c *cell) {
	k := l.owner
	c.order = append(k.ints(0, len(c.order)), c.order...)
	free := c.order[c.fixed:]
	bounds := k.floats(len(c.order))
	if !k.Eager {
		l.enter(c)
		for _, r := range free {
			bounds[r] = l.bound(c, r)
		}
		l.leave(c)
		slices.SortStableFunc(free, func(r, s int32) int { return cmp.Compare(bounds[s], bounds[r]) })
	}
	c.place = k.ints(len(c.order), len(c.order))
	for i, r := range c.order {
		c.place[r] = int32(i)
	}
	for i, r := range free {
		w := waiting{parent: c, place: int32(c.fixed + i)}
		if k.Eager {
			k.Stats.Posed++
			if solved := l.solve(w); solved != nil {
				l.queue(waiting{bound: solved.cost, parent: solved, place: -1})
			}
		} else if b := bounds[r]; !math.IsInf(b, 1) {
			k.Stats.Posed++
			w.bound = c.cost + b
			l.queue(w)
		}
	}
}

// bound is the least by which the cost rises when row r may no longer choose
// what it has in c: what the row's next choice costs more, and the next choice
// of the column that it leaves. The two raise different prices, none of which
// shares an entry with the other but the forbidden one, so they add up.
func (l *part) bound(c *cell, r int32) float64 {
	chosen := c.mate[r]
	least := math.Inf(1)
	if chosen >= 0 {
		least = l.rows.bound[r] - c.u[r]
	}
	for _, e := range l.rows.ent[l.rows.ptr[r]:l.rows.ptr[r+1]] {
		y := l.cols.at[e]
		if x := l.cost[e] - c.u[r] - c.v[y]; e != chosen && x < least && !l.fixed(&l.cols, y) {
			least = x
		}
	}
	if least < 0 { // by rounding only
		least = 0
	}
	if chosen < 0 || math.IsInf(least, 1) {
		return least
	}
	y := l.cols.at[chosen]
	other := l.cols.bound[y] - c.v[y]
	for _, e := range l.cols.ent[l.cols.ptr[y]:l.cols.ptr[y+1]] {
		x := l.rows.at[e]
		if z := l.cost[e] - c.u[x] - c.v[y]; e != chosen && z < other && !l.fixed(&l.rows, x) {
			other = z
		}
	}
	if other > 0 {
		least += other
	}
	return least
}

// enter makes the part that of cell c: its sides work on the prices and pairs of
// c in place, and forbidden choices cost +Inf. leave allows them again.
func (l *part) enter(c *cell) {
	l.place, l.first = c.place, int32(c.fixed)
	l.rows.price, l.rows.mate = c.u, c.mate
	l.cols.price, l.cols.mate = c.v, c.colMate
	for _, e := range c.forbidden {
		l.forbid(e)
	}
}

func (l *part) leave(c *cell) {
	for _, e := range c.forbidden {
		l.allow(e)
	}
}

// fixed says whether vertex y of side b is a fixed row or the column of one.
func (l *part) fixed(b *side, y int32) bool {
	if b == &l.cols {
		e := b.mate[y]
		if e < 0 {
			return false
		}
		y = l.rows.at[e]
	}
	return l.place[y] < l.first
}

// forbid makes a choice, as in cell.forbidden, impossible.
func (l *part) forbid(choice int32) {
	if choice >= 0 {
		l.cost[choice] = math.Inf(1)
	} else {
		l.rows.bound[-1-choice] = math.Inf(1)
	}
}

// allow undoes forbid.
func (l *part) allow(choice int32) {
	p := l.owner.p
	if choice >= 0 {
		l.cost[choice] = p.Cost[l.entryNo[choice]]
	} else {
		l.rows.bound[-1-choice] = p.RowBound(int(l.rowNo[-1-choice]))
	}
}

// solve finds the cheapest assignment of a waiting cell; nil when the cell is
// empty.
func (l *part) solve(w waiting) *cell {
	k, from := l.owner, w.parent
	k.Stats.Solved++
	r := from.order[w.place]
	chosen := from.mate[r]
	c := k.copyCell(from)
	c.fixed = int(w.place)
	c.forbidden = k.ints(0, len(from.forbidden)+1)
	for _, e := range from.forbidden {
		if c.place[l.rowOf(e)] >= w.place {
			c.forbidden = append(c.forbidden, e)
		}
	}
	y := int32(-1)
	if chosen >= 0 {
		c.forbidden = append(c.forbidden, chosen)
		y = l.cols.at[chosen]
		c.mate[r], c.colMate[y] = -1, -1
	} else {
		c.forbidden = append(c.forbidden, -1-r)
	}
	l.enter(c)
	ok := l.serve(&l.rows, &l.cols, r)
	if ok && y >= 0 && c.colMate[y] < 0 && c.v[y] < l.cols.bound[y] {
		ok = l.serve(&l.cols, &l.rows, y)
	}
	if ok {
		c.cost = l.add(c)
	}
	l.leave(c)
	if k.Observe != nil {
		k.observe(l, c, ok)
	}
	if !ok {
		return nil
	}
	return c
}

// rowOf is the row of a choice.
func (l *part) rowOf(choice int32) int32 {
	if choice < 0 {
		return -1 - choice
	}
	return l.rows.at[choice]
}

// add adds up what the assignment of c, the cell at hand, costs.
func (l *part) add(c *cell) float64 {
	sum := 0.0
	for r, e := range c.mate {
		if e >= 0 {
			sum += l.cost[e]
		} else {
			sum += l.rows.bound[r]
		}
	}
	if l.owner.colCost {
		for y, e := range c.colMate {
			if e < 0 {
				sum += l.cols.bound[y]
			}
		}
	}
	return sum
}
