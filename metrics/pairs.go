package metrics

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// This file finds the pairs of true and estimated hits of a frame that are near
// enough to matter, without looking at all pairs.

// pairs is one sparse pattern for all frames. Row r is slot r of the truth and
// holds the entries ptr[r]..ptr[r+1]-1; col counts the slots of the tracks
// within the frame, ascending.
type pairs struct {
	ptr []int     // len truth hits+1
	col []int32   // len nnz
	d   []float64 // len nnz: distance
}

// entry is the entry of a row with the given column, which must exist.
func (p *pairs) entry(row int, col int32) int {
	e := p.ptr[row]
	for p.col[e] != col {
		e++
	}
	return e
}

// A place is a hit, copied out of its track so that a sweep reads memory in
// order.
type place struct {
	pos  [3]float64 // padded with 0
	size [3]float64 // of the box; 0 for points
	slot int32      // in the frame
}

// place copies a hit.
func (s *side) place(hit int32, slot int, boxes bool) place {
	k := s.track[hit]
	t, h := &s.of[k], int(hit-s.base[k])
	p := place{slot: int32(slot)}
	copy(p.pos[:], t.At(h))
	if boxes {
		copy(p.size[:], t.Size[2*h:2*h+2])
	}
	return p
}

// nearPairs lists the pairs at a distance below radius.
//
// The targets of each frame lie in lanes, as wide as a hit can reach, side by side on the
// axis on which they spread second most, and in order of the first within each.
// Every track looks at what is within reach in the lanes beside it; tracks take turns in
// order of their slots, and a counting sort by target then leaves every row in order. That is
// O(n log n + m) for n hits, m of them in the squares around the others.
func (s *scene) nearPairs(ctx context.Context, radius float64) (*pairs, error) {
	p := &pairs{ptr: make([]int, 1, s.truth.hits()+1)}
	var l lanes
	var found []nearby
	for t := range s.frames {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("metrics: frame %d: %w", s.frames[t], err)
		}
		tracks := s.tracks.frame(t)
		l.fill(s, t, radius, tracks)
		found = found[:0]
		for c, hit := range tracks {
			b := s.tracks.place(hit, c, s.boxes)
			l.near(&b, func(a *place) {
				if d := s.distance(a, &b); d < radius {
					found = append(found, nearby{a.slot, b.slot, d})
				}
			})
		}
		p.addRows(len(l.of), found)
	}
	return p, nil
}

// A nearby is a pair of a frame.
type nearby struct {
	row, col int32
	d        float64
}

// addRows appends the rows of a frame, whose pairs are given in order of columns.
func (p *pairs) addRows(rows int, found []nearby) {
	first := len(p.ptr)
	p.ptr = append(p.ptr, make([]int, rows)...)
	ptr := p.ptr[first:]
	for _, f := range found {
		ptr[f.row]++
	}
	at := len(p.col)
	for r, n := range ptr {
		ptr[r] = at
		at += n
	}
	p.col, p.d = append(p.col, make([]int32, len(found))...), append(p.d, make([]float64, len(found))...)
	for _, f := range found {
		e := ptr[f.row]
		p.col[e], p.d[e] = f.col, f.d
		ptr[f.row]++ // in the end where the row ends
	}
}

// lanes are the targets of a frame, sorted by lane, then along the lanes.
type lanes struct {
	of, sorted  []place // in order along the lanes, and by lane first
	ptr, next   []int   // len lanes+1, lanes
	along, side int     // the axis of the lanes, and the one on which they lie side by side
	from, width float64
	radius      float64
	widest      float64 // size of a target's box
	boxes       bool
}

// fill takes the targets of frame t, for hits of the given tracks.
func (l *lanes) fill(s *scene, t int, radius float64, tracks []int32) {
	*l = lanes{of: l.of[:0], sorted: l.sorted, ptr: l.ptr, next: l.next, radius: radius, boxes: s.boxes}
	for r, hit := range s.truth.frame(t) {
		a := s.truth.place(hit, r, s.boxes)
		l.of = append(l.of, a)
		l.widest = max(l.widest, a.size[0], a.size[1])
	}
	spread, lo := extent(l.of)
	for x := range spread {
		if spread[x] > spread[l.along] {
			l.along = x
		}
	}
	l.side = (l.along + 1) % len(spread)
	if other := (l.along + 2) % len(spread); spread[other] > spread[l.side] {
		l.side = other
	}
	reach := radius
	if s.boxes {
		reach = 0
		for c, hit := range tracks {
			b := s.tracks.place(hit, c, true)
			reach = max(reach, l.reach(&b, l.side))
		}
	}
	n := len(l.of)
	l.from, l.width = lo[l.side], max(reach, spread[l.side]/float64(max(1, n)))
	if !(l.width > 0) {
		l.width = 1
	}
	count := 1
	if k := spread[l.side] / l.width; k > 0 && k <= float64(n) {
		count += int(k)
	}
	l.ptr = append(l.ptr[:0], make([]int, count+1)...)
	slices.SortFunc(l.of, func(a, b place) int { return cmp.Compare(a.pos[l.along], b.pos[l.along]) })
	for i := range l.of {
		l.ptr[l.lane(l.of[i].pos[l.side])+1]++
	}
	for k := range count {
		l.ptr[k+1] += l.ptr[k]
	}
	l.next = append(l.next[:0], l.ptr[:count]...)
	l.sorted = append(l.sorted[:0], l.of...)
	for i := range l.of {
		k := l.lane(l.of[i].pos[l.side])
		l.sorted[l.next[k]] = l.of[i]
		l.next[k]++
	}
}

// lane is the number of the lane at x, or of the first or last one where there is none.
func (l *lanes) lane(x float64) int {
	k := (x - l.from) / l.width
	switch last := len(l.ptr) - 2; {
	case !(k > 0):
		return 0
	case k >= float64(last):
		return last
	default:
		return int(k)
	}
}

// reach is how far a target near b can be from it along an axis.
func (l *lanes) reach(b *place, axis int) float64 {
	if l.boxes {
		return (b.size[axis] + l.widest) / 2
	}
	return l.radius
}

// near calls do for the targets that differ from b by no more than its reach.
func (l *lanes) near(b *place, do func(a *place)) {
	y, r := b.pos[l.side], l.reach(b, l.side)
	x, reach := b.pos[l.along], l.reach(b, l.along)
	for k := l.lane(y - r); k <= l.lane(y+r); k++ {
		lane := l.sorted[l.ptr[k]:l.ptr[k+1]]
		from, _ := slices.BinarySearchFunc(lane, x-reach, func(a place, x float64) int { return cmp.Compare(a.pos[l.along], x) })
		for i := from; i < len(lane) && lane[i].pos[l.along] <= x+reach; i++ {
			do(&lane[i])
		}
	}
}

// extent is how far places spread along each axis, and from where.
func extent(places []place) (spread, from [3]float64) {
	for x := range spread {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range places {
			v := places[i].pos[x]
			if v < lo {
				lo = v
			}
			if v > hi {
				hi = v
			}
		}
		if hi > lo {
			spread[x], from[x] = hi-lo, lo
		}
	}
	return spread, from
}

// distance is 1 − IoU of boxes and the Euclidean distance of points.
func (s *scene) distance(a, b *place) float64 {
	if s.boxes {
		return overlapDistance(a, b)
	}
	x, y, z := a.pos[0]-b.pos[0], a.pos[1]-b.pos[1], a.pos[2]-b.pos[2]
	return math.Sqrt(x*x + y*y + z*z)
}

// overlapDistance is 1 − IoU; a box without area overlaps nothing.
func overlapDistance(a, b *place) float64 {
	w := overlap(a.pos[0], a.size[0], b.pos[0], b.size[0])
	h := overlap(a.pos[1], a.size[1], b.pos[1], b.size[1])
	if w <= 0 || h <= 0 {
		return 1
	}
	return 1 - w*h/(a.size[0]*a.size[1]+b.size[0]*b.size[1]-w*h)
}

// overlap is the length that intervals with the given centres and lengths have
// in common, negative or 0 when there is none.
func overlap(ac, al, bc, bl float64) float64 {
	lo, hi := ac-al/2, ac+al/2
	if v := bc - bl/2; v > lo {
		lo = v
	}
	if v := bc + bl/2; v < hi {
		hi = v
	}
	return hi - lo
}
