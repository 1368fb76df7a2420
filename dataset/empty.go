package dataset

// This file keeps the scans in which nothing was detected: rows that say a frame or a time and no
// position, and lists without an element in JSON.

import (
	"slices"

	"mtt/internal/text"
)

// A void is a row that says when somebody looked, and no position.
type void struct {
	line, row int32
	frame, id int
	time      float64
}

// begin adds rows without a position to those with one, so that they are numbered and timed with
// them; what else they say is 0. It reports whether there are any. Rows that are added stand behind
// the others.
func (t *rows) begin() bool {
	if len(t.voids) == 0 {
		return false
	}
	whole, short, real := t.columns()
	n := len(t.voids)
	longer(whole, n)
	longer(short, n)
	longer(real, n)
	t.void = make([]int32, t.n, t.n+n)
	for i, v := range t.voids {
		t.void = append(t.void, 1)
		t.line[t.n+i] = v.line
		if t.row != nil {
			t.row[t.n+i] = v.row
		}
		if t.frame != nil {
			t.frame[t.n+i] = v.frame
		}
		if t.id != nil {
			t.id[t.n+i] = v.id
		}
		if t.time != nil {
			t.time[t.n+i] = v.time
		}
	}
	t.n += n
	t.voids = nil
	return true
}

// longer appends n rows of zeros to each matrix.
func longer[E any](ms []matrix[E], n int) {
	for _, m := range ms {
		*m.rows = append(*m.rows, make([]E, n*m.width)...)
	}
}

// isVoid says whether row i was added by begin.
func (t *rows) isVoid(i int) bool { return t.void != nil && t.void[i] != 0 }

// look adds the rows without a position of all sources, and reports whether there are any.
func look(src []*source) (any bool) {
	for _, s := range src {
		any = s.rows.begin() || any
	}
	return any
}

// unlook takes the rows away again that look added, and returns their frames, and those of the others.
func unlook(src []*source) (seen, others map[int]bool) {
	seen, others = make(map[int]bool), make(map[int]bool)
	for _, s := range src {
		t := s.rows
		for i, f := range t.frame {
			if t.isVoid(i) {
				seen[f] = true
			} else {
				others[f] = true
			}
		}
		t.keep(func(i int) bool { return !t.isVoid(i) })
		t.void = nil
	}
	return seen, others
}

// looked takes the rows away that look added, where it did, and notes their frames.
func (d *draft) looked(src ...*source) {
	if !slices.ContainsFunc(src, func(s *source) bool { return s.rows.void != nil }) {
		return
	}
	var others map[int]bool
	d.seen, others = unlook(src)
	empty := 0
	for f := range d.seen {
		if !others[f] {
			empty++
		}
	}
	if empty > 0 {
		d.note("%s in which nothing was detected, as rows without a position say", text.Count(empty, "scan"))
	}
}
