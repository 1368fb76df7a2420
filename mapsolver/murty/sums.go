package murty

import (
	"cmp"
	"slices"
)

// This file adds up the ranked lists of the parts: the smallest sums of sorted
// lists, one element of each.
//
// Let the parts be sorted by the gap between their first and second element. A
// sum is a chain of links (part, element ≥ 1), parts ascending; parts that have
// no link stay at their first element. With (j, x) the last link, the sums that
// follow are
//
//	… (j, x+1),   … (j, x) (j+1, 1)   and, when x = 1,   … (j+1, 1),
//
// none of which is smaller, and every chain but the first, (0, 1), follows
// exactly one other. So a heap that begins with the first chain yields all in
// ascending order, with at most three pushes for each.

// A link ends a chain.
type link struct {
	excess float64 // of the chain over the first assignment
	number int     // order of making, which decides between equal sums
	prev   *link
	part   int32 // place in sums.order
	at     int32 // element of that part
}

func (a *link) before(b *link) bool {
	return a.excess < b.excess || a.excess == b.excess && a.number < b.number
}

// sums yields the sums.
type sums struct {
	parts []part // all parts of the problem that have a choice
	order []*part
	heap  heap[*link]
	links arena[link]
	made  int
	last  *link // yielded last
}

// start prepares the sums of the parts.
func (s *sums) start() {
	s.order = s.order[:0]
	for i := range s.parts {
		if l := &s.parts[i]; l.at(1) != nil {
			s.order = append(s.order, l)
		}
	}
	slices.SortStableFunc(s.order, func(a, b *part) int { return cmp.Compare(a.gap(1), b.gap(1)) })
	clear(s.heap)
	s.heap = s.heap[:0]
	s.links.reset()
	s.made, s.last = 0, nil
	s.push(nil, 0, 1)
}

// gap is what the i-th element of a part costs more than the first.
func (l *part) gap(i int) float64 { return l.ranked[i].cost - l.ranked[0].cost }

// push makes the chain of prev and one more link, when there is such an element.
func (s *sums) push(prev *link, p, at int) {
	if p >= len(s.order) || s.order[p].at(at) == nil {
		return
	}
	l := &s.links.take(1)[0]
	*l = link{excess: s.order[p].gap(at), number: s.made, prev: prev, part: int32(p), at: int32(at)}
	if prev != nil {
		l.excess += prev.excess
	}
	s.made++
	s.heap.push(l)
}

// next moves on to the next sum and reports whether there is one.
func (s *sums) next() bool {
	if len(s.heap) == 0 {
		return false
	}
	l := s.heap.pop()
	s.last = l
	s.push(l.prev, int(l.part), int(l.at)+1)
	s.push(l, int(l.part)+1, 1)
	if l.at == 1 {
		s.push(l.prev, int(l.part)+1, 1)
	}
	return true
}

// each calls do for the parts that are not at their first element.
func (s *sums) each(do func(*part, *cell)) {
	for l := s.last; l != nil; l = l.prev {
		p := s.order[l.part]
		do(p, p.ranked[l.at])
	}
}
