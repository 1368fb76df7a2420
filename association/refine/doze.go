package refine

import (
	"context"
	"math"
	"slices"

	"mtt/internal/slab"
)

// This file leaves out of the assignment problem of a move who wants nothing.
//
// Problem. Where targets are crowded, all of a scan may trade with each other, and news of a few
// has all of them priced anew.
//
// Idea. The labels of cycles.go begin as what columns cost alone. A row that lowers no label from
// there is calm: it says nothing until the label of its own column falls. Whether it is calm
// depends on the prices of its own pairs alone, and on those of their columns. So as long as there
// is no news of these it sleeps: it is no row of the problem, until the label of its column falls;
// then it is priced, and becomes the last one.
//
// Invariant. Labels are those of the problem with all rows, and so is the answer, but for the order
// in which rows are looked at.
//
// Cost. A bit for each detection and move, a look at the stamps of each pair. What is remembered of
// pairs over misses would depend on what else is near, so it is done where there are none.

// asleep is the owner of a column whose row sleeps.
const asleep = math.MaxInt32

// The moves that know who is calm, by the places of a scan and by the prefixes that end in it.
const (
	ofPlaces = iota
	ofParts
	moves
)

// remember has both moves know who is calm, where no link passes over misses.
func (r *refiner[S, E]) remember() {
	if r.long > 1 || r.tight {
		return
	}
	for k := range r.calm {
		r.calm[k] = slab.Parts[bool](len(r.scans), func(t int) int { return r.scans[t].Len() })
	}
}

// calmAt says who is calm at scan t; nil: nothing is remembered.
func (r *refiner[S, E]) calmAt(move int, t int32) []bool {
	if r.calm[move] == nil {
		return nil
	}
	return r.calm[move][t]
}

// note remembers whether row i is calm.
func (n *neighbourhood) note(i int32, calm bool, key func(i int32) int32) {
	if n.calm != nil && n.now[i] >= 0 {
		n.calm[key(i)] = calm
	}
}

// forget says that a row is another one now, or has another column.
func (n *neighbourhood) forget(key int32) {
	if n.calm != nil && key >= 0 {
		n.calm[key] = false
	}
}

// doze has calm rows sleep of which there is no news, nor of the columns that they may get; colNews
// nil: columns have none.
func (n *neighbourhood) doze(key func(i int32) int32, rowNews, colNews func(i int) bool) {
	n.sleeper = slab.Grow(n.sleeper, len(n.col))
	slab.Fill(n.sleeper, -1)
	awake := n.row[:0]
	for _, i := range n.row {
		now := n.now[i]
		if now < 0 || !n.calm[key(i)] || rowNews(int(i)) ||
			colNews != nil && (colNews(int(now)) || slices.ContainsFunc(n.maybe[i], func(col int32) bool { return colNews(int(col)) })) {
			awake = append(awake, i)
			continue
		}
		n.sleeper[n.number[now]] = i
		n.asleep += 1 + len(n.maybe[i])
	}
	n.row = awake
}

// wake makes the row that sleeps in a column the last one of the problem of weigh.
func (m *mover[S, E]) wake(n *neighbourhood, prices *prices[S, E], col int32) {
	p, w, b, i := &m.problem, &m.cycles, &m.woken, n.sleeper[col]
	n.sleeper[col], n.row = -1, append(n.row, i)
	m.priceRows(context.Background(), b, n, n.row[p.Rows:], p.ColMiss, prices)
	n.note(i, b.calm[0], prices.key)
	m.was, p.RowMiss = append(m.was, b.now[0]), append(p.RowMiss, b.miss[0])
	own := len(p.Col) + slices.Index(b.col, col)
	p.Col, p.Cost, w.vague, w.alike = append(p.Col, b.col...), append(p.Cost, b.cost...), append(w.vague, b.vague...), append(w.alike, b.alike...)
	p.Ptr = append(p.Ptr, len(p.Col))
	w.own, w.pays, w.at = append(w.own, col), append(w.pays, p.Cost[own]), append(w.at, own)
	w.owner[col] = int32(p.Rows)
	w.looks += looksAtEach * (1 + len(b.col))
	p.Rows++
}

// wakeAll has nobody sleep.
func (w *cycles) wakeAll() {
	for c, i := range w.sleeper {
		if i >= 0 {
			w.wake(int32(c))
		}
	}
}

// rowOf is the row that has a column; -1: none, or it sleeps and the label of the column has not fallen.
func (w *cycles) rowOf(col int32, fallen bool) int32 {
	if w.owner[col] == asleep {
		if !fallen {
			return -1
		}
		w.wake(col)
	}
	return w.owner[col]
}
