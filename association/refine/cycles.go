package refine

import (
	"math"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file improves an assignment where it can be improved: what is there now is nearly right, and
// a solver that begins from nothing goes through all of it.
//
// Two assignments differ in cycles: a row takes the column of another, that one the column of a
// third, and so on back to the first. Staying alone is one more place on such a way: a row that
// gives up its column may stay alone or take a column that nobody has, and a column may be left.
// The better of two assignments is cheaper along one of these cycles. So each column, and staying
// alone, has a label, 0 at first; who has it could have another column instead, and where that
// makes the label of the other lower than it is, it becomes that, and is followed from there: the
// method of Bellman, Ford and Moore. Labels fall at few places, those where a row would rather have
// another column than its own, and no longer once they are, but for their sign, prices that prove
// the assignment. Where one falls because of itself, the way there is a cycle that makes things
// cheaper. It is gone, and labels are followed on from its rows alone, as those of columns remain
// what they are (M. Klein. A primal method for minimal cost flows. Management Science 14, 1967).

// cycles is the workspace.
type cycles struct {
	own   []int32   // of a row: its column; -1: it stays alone
	pays  []float64 // of a row: what it pays for that
	owner []int32   // of a column: its row; -1
	label []float64 // of a column, and of staying alone after them
	from  []way     // by which the label came to be what it is
	queue []int32   // places whose labels are to be followed
	waits []bool    // of a place: it is in the queue
	cycle []way
	at    []int // of a row: the entry of its column at the beginning; -1

	// What is vague costs at least what the problem says, or, of entries at the beginning, at most;
	// price tells what. Of entry -1 it is what the row costs alone.
	vague, alike []bool // of an entry; of a row alone
	price        func(row int32, e int) float64

	sleeper []int32         // of a column: who has it and is no row yet, see doze; -1. Empty: all are
	wake    func(col int32) // makes it the last of the rows

	looks int // at rows, columns and entries, that are left
}

// A way leads from a place to the next: row gives up its own column, or stays alone no longer, and takes col.
type way struct {
	place    int32 // -1: the label is that of the beginning
	row, col int32 // row -1: the column of the next place is left alone; col -1: the row stays alone
	pays     float64
}

// looksAtEach is the number of looks at each row, column and entry after which the problem is left
// to a solver: so few that it takes hardly longer with them.
const looksAtEach = 6

// improve makes own the cheapest of all assignments of p, as far as differences count that are
// larger than least for each row. It is false when it gave up; own is an assignment then, too.
func (w *cycles) improve(p *mapsolver.Problem, least float64) bool {
	alone := int32(p.Cols)
	w.owner, w.pays, w.at = slab.Grow(w.owner, p.Cols), slab.Grow(w.pays, p.Rows), slab.Grow(w.at, p.Rows)
	w.label, w.from, w.waits = slab.Grow(w.label, p.Cols+1), slab.Grow(w.from, p.Cols+1), slab.Grow(w.waits, p.Cols+1)
	slab.Fill(w.owner, -1)
	slab.Fill(w.from, way{place: -1})
	for c, miss := range p.ColMiss {
		w.label[c] = label(miss)
	}
	w.label[alone] = 0
	clear(w.waits)
	w.queue, w.looks = w.queue[:0], looksAtEach*(p.Rows+p.Cols+len(p.Col))
	for r, c := range w.own {
		w.at[r] = -1
		if w.pays[r] = p.RowMiss[r]; c >= 0 {
			w.owner[c] = int32(r)
			for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
				if p.Col[e] == c {
					w.pays[r], w.at[r] = p.Cost[e], e
				}
			}
		}
	}
	for c, i := range w.sleeper {
		if i >= 0 {
			w.owner[c] = asleep
		}
	}
	// reach is called where a label might fall. It is true when that closed a cycle, which is gone then.
	reach := func(to int32, label float64, by way) bool {
		if !(label < w.label[to]-least) {
			return false
		}
		for x := by.place; x >= 0; x = w.from[x].place {
			if x == to {
				w.turn(p, to, by)
				return true
			}
		}
		w.label[to], w.from[to] = label, by
		w.push(to)
		return false
	}
	// follow goes on from a row, which has the label of its place.
	follow := func(r int32) bool {
		place := w.own[r]
		if place < 0 {
			place = alone
		}
		w.looks -= 1 + p.Ptr[r+1] - p.Ptr[r]
		// falls says whether the label of a place would by way of an entry, or of staying alone,
		// once it is known what that costs.
		falls := func(to int32, e int) (label float64, ok bool) {
			for {
				label = w.label[place] - w.pays[r]
				if e < 0 {
					label += p.RowMiss[r]
				} else if label += p.Cost[e]; to == alone {
					label -= p.ColMiss[p.Col[e]]
				}
				if ok = label < w.label[to]-least; !ok || !w.tell(p, r, e) {
					return label, ok
				}
			}
		}
		if place != alone {
			if l, ok := falls(alone, -1); ok && reach(alone, l, way{place, r, -1, p.RowMiss[r]}) {
				return true
			}
		}
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			c := p.Col[e]
			to := c
			if c == place {
				continue
			}
			if w.owner[c] < 0 {
				to = alone
			}
			if l, ok := falls(to, e); ok && reach(to, l, way{place, r, c, p.Cost[e]}) {
				return true
			}
		}
		return false
	}
	// leave goes on from staying alone.
	leave := func() bool {
		if w.label[alone] < 0 {
			w.wakeAll()
		}
		w.looks -= p.Rows
		for r, c := range w.own {
			switch {
			case c < 0:
				if follow(int32(r)) {
					return true
				}
			case reach(c, w.label[alone]+p.ColMiss[c], way{alone, -1, c, 0}):
				return true
			}
		}
		return false
	}
	for r := range w.own {
		for w.looks > 0 && follow(int32(r)) { // and once more from the column that it has now
		}
	}
	for w.looks > 0 && leave() {
	}
	for next := 0; next < len(w.queue); next++ {
		if w.looks <= 0 {
			return false
		}
		at := w.queue[next]
		w.waits[at] = false
		if at == alone {
			if leave() {
				w.push(at)
			}
		} else if r := w.rowOf(at, w.label[at] < label(p.ColMiss[at])); r >= 0 && follow(r) {
			w.push(at)
		}
	}
	return w.looks > 0
}

// label is what that of a column that costs so much alone is at first.
func label(alone float64) float64 {
	if math.IsInf(alone, 0) {
		return 0
	}
	return alone
}

// tell finds out what an entry of a row costs, -1 being to stay alone, and what the row pays. It is
// false where both were known.
func (w *cycles) tell(p *mapsolver.Problem, r int32, e int) (news bool) {
	if w.price == nil {
		return false
	}
	if at := w.at[r]; at >= 0 && w.vague[at] {
		p.Cost[at], w.vague[at], news = w.price(r, at), false, true
		w.pays[r] = p.Cost[at] // no other column has been its own since
	}
	switch {
	case e < 0 && w.alike[r]:
		p.RowMiss[r], w.alike[r], news = w.price(r, -1), false, true
	case e >= 0 && w.vague[e]:
		p.Cost[e], w.vague[e], news = w.price(r, e), false, true
	}
	return news
}

// tellAll finds out what everything costs.
func (w *cycles) tellAll(p *mapsolver.Problem) {
	for r := range int32(p.Rows) {
		w.tell(p, r, -1)
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			w.tell(p, r, e)
		}
	}
}

// hand hands over to a solver what is known where it was given up: own, and labels as prices, that
// of staying alone being 0.
func (w *cycles) hand(p *mapsolver.Problem, to *mapsolver.Solution) {
	to.ColOf, to.EntryOf, to.V = append(to.ColOf[:0], w.own...), slab.Grow(to.EntryOf, p.Rows), slab.Grow(to.V, p.Cols)
	slab.Fill(to.EntryOf, -1)
	for c, miss := range p.ColMiss {
		if to.V[c] = miss; w.owner[c] >= 0 {
			to.V[c] = w.label[c] - w.label[p.Cols]
		}
	}
}

// push puts a place into the queue.
func (w *cycles) push(at int32) {
	if !w.waits[at] {
		w.waits[at] = true
		w.queue = append(w.queue, at)
	}
}

// turn makes the changes of the cycle that closes with a way to a place.
func (w *cycles) turn(p *mapsolver.Problem, to int32, by way) {
	w.looks -= p.Cols
	w.cycle = append(w.cycle[:0], by)
	for x := by.place; x != to; x = w.from[x].place {
		w.cycle = append(w.cycle, w.from[x])
	}
	alone := int32(p.Cols)
	left := false // somebody is left alone, or no longer
	for _, e := range w.cycle {
		left = left || e.place == alone
		if e.row >= 0 && e.col >= 0 && w.owner[e.col] < 0 {
			w.label[e.col] = w.label[alone] + p.ColMiss[e.col]
		}
	}
	for _, e := range w.cycle {
		if e.row >= 0 && w.own[e.row] >= 0 {
			w.owner[w.own[e.row]] = -1
		}
	}
	for _, e := range w.cycle {
		if e.row < 0 {
			continue
		}
		if w.own[e.row], w.pays[e.row] = e.col, e.pays; e.col >= 0 {
			w.owner[e.col] = e.row
		}
	}
	slab.Fill(w.from, way{place: -1})
	if !left {
		for _, e := range w.cycle {
			w.push(e.place)
		}
		return
	}
	for place := range alone + 1 {
		w.push(place)
	}
}

// cost is that of own.
func (w *cycles) cost(p *mapsolver.Problem) (sum float64) {
	for _, x := range w.pays {
		sum += x
	}
	for c, r := range w.owner {
		if r < 0 {
			sum += p.ColMiss[c]
		}
	}
	return sum
}
