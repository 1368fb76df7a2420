package metrics

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"mtt/internal/slab"
	"mtt/internal/workers"
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
	p := place{slot: int32(slot)}
	if s.one != nil {
		copy(p.pos[:], s.one.at(int(hit)))
		return p
	}
	k := s.track[hit]
	t, h := &s.of[k], int(hit-s.base[k])
	copy(p.pos[:], t.At(h))
	if boxes {
		copy(p.size[:], t.Size[2*h:2*h+2])
	}
	return p
}

// nearPairs lists the pairs at a distance below radius.
//
// The targets of each frame lie in lanes, as wide as a hit can reach, side by side on the axis on
// which they spread second most, and in order of the first within each, cut into cells so that it
// is known where to begin. Every track looks at what is within reach in the lanes beside it; tracks
// take turns cell by cell, too, so that they look at what is at hand. That is O(n log n + m) for n
// hits, m of them in the squares around the others, and O(n + m) where hits are spread over the
// cells.
func (s *scene) nearPairs(ctx context.Context, radius float64) (*pairs, error) {
	return new(pairFinder).near(ctx, s, radius)
}

// A pairFinder finds pairs for one scene after the other, in the same memory.
type pairFinder struct {
	desks []struct { // of the workers
		lanes         lanes
		found, sorted []nearby
	}
	parts []pairs
}

// near is nearPairs, whose pairs stay until the next call.
func (f *pairFinder) near(ctx context.Context, s *scene, radius float64) (*pairs, error) {
	const run = 16 // frames that a worker takes at once
	n := workers.Count(0)
	f.desks = slab.Grow(f.desks, n)
	f.parts = slab.Grow(f.parts, max(1, (len(s.frames)+run-1)/run))
	if err := workers.Until(ctx, n, len(f.parts), func(w, k int) {
		d, p := &f.desks[w], &f.parts[k]
		*p = pairs{append(p.ptr[:0], 0), p.col[:0], p.d[:0]}
		l := &d.lanes
		for t := k * run; t < min((k+1)*run, len(s.frames)) && ctx.Err() == nil; t++ {
			l.fill(s, t, radius)
			d.found = d.found[:0]
			for i := range l.tracks {
				b := &l.tracks[i]
				l.near(b, func(a *place) {
					if x := s.distance(a, b); x < radius {
						d.found = append(d.found, nearby{a.slot, b.slot, x})
					}
				})
			}
			d.found, d.sorted = byColumn(d.found, d.sorted, len(l.tracks)), d.found
			p.addRows(len(l.targets), d.found)
		}
	}); err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	if len(f.parts) == 1 {
		return &f.parts[0], nil
	}
	return joinRows(f.parts), nil
}

// joinRows puts the rows of parts one after the other, and empties the parts.
func joinRows(parts []pairs) *pairs {
	rows, entries := 0, 0
	for k := range parts {
		rows += len(parts[k].ptr) - 1
		entries += len(parts[k].col)
	}
	p := &pairs{make([]int, 1, rows+1), make([]int32, 0, entries), make([]float64, 0, entries)}
	for k := range parts {
		for _, end := range parts[k].ptr[1:] {
			p.ptr = append(p.ptr, len(p.col)+end)
		}
		p.col, p.d = append(p.col, parts[k].col...), append(p.d, parts[k].d...)
		parts[k] = pairs{}
	}
	return p
}

// byColumn copies pairs in order of their columns, of which there are so many, into room.
func byColumn(found, room []nearby, cols int) []nearby {
	next := make([]int32, cols+1)
	for _, f := range found {
		next[f.col+1]++
	}
	for c := range cols {
		next[c+1] += next[c]
	}
	room = slices.Grow(room[:0], len(found))[:len(found)]
	for _, f := range found {
		room[next[f.col]] = f
		next[f.col]++
	}
	return room
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

// lanes are the targets of a frame, sorted by cell: lane by lane, along the lanes in each.
type lanes struct {
	targets, tracks []place
	room            []place    // to sort in
	ptr             []int      // len cells+1: the targets of a cell
	count           [2]int     // of cells along a lane, of lanes
	axis            [2]int     // along the lanes, and the one on which they lie side by side
	from, size      [2]float64 // of the cells
	radius          float64
	widest          float64 // size of a target's box
	boxes           bool
}

// fill takes targets and tracks of frame t.
func (l *lanes) fill(s *scene, t int, radius float64) {
	*l = lanes{targets: l.targets[:0], tracks: l.tracks[:0], room: l.room, ptr: l.ptr, radius: radius, boxes: s.boxes}
	for r, hit := range s.truth.frame(t) {
		a := s.truth.place(hit, r, s.boxes)
		l.targets = append(l.targets, a)
		l.widest = max(l.widest, a.size[0], a.size[1])
	}
	for c, hit := range s.tracks.frame(t) {
		l.tracks = append(l.tracks, s.tracks.place(hit, c, s.boxes))
	}
	spread, lo := extent(l.targets)
	along := 0
	for x := range spread {
		if spread[x] > spread[along] {
			along = x
		}
	}
	side := (along + 1) % len(spread)
	if other := (along + 2) % len(spread); spread[other] > spread[side] {
		side = other
	}
	l.axis = [2]int{along, side}
	reach := radius
	if s.boxes {
		reach = 0
		for c := range l.tracks {
			reach = max(reach, l.reach(&l.tracks[c], side))
		}
	}
	n := float64(max(1, len(l.targets)))
	least := reach
	for k := 1; k >= 0; k-- { // lanes first: what they leave is cut into cells
		x := l.axis[k]
		l.from[k], l.size[k], l.count[k] = lo[x], max(least, spread[x]/n), 1
		if !(l.size[k] > 0) {
			l.size[k] = 1
		}
		if cells := spread[x] / l.size[k]; cells > 0 && cells <= n {
			l.count[k] += int(cells)
		}
		n, least = max(1, n/float64(l.count[k])), 0
	}
	l.ptr = append(l.ptr[:0], make([]int, l.count[0]*l.count[1]+1)...)
	l.room = l.sort(l.tracks, l.room)
	l.tracks, l.room = l.room, l.tracks
	l.room = l.sort(l.targets, l.room)
	l.targets, l.room = l.room, l.targets
	for c := range len(l.ptr) - 1 {
		if cell := l.targets[l.ptr[c]:l.ptr[c+1]]; len(cell) > 1 {
			slices.SortFunc(cell, func(a, b place) int { return cmp.Compare(a.pos[along], b.pos[along]) })
		}
	}
}

// sort copies places cell by cell into room, and says in ptr where the cells are.
func (l *lanes) sort(places, room []place) []place {
	clear(l.ptr)
	for i := range places {
		l.ptr[l.cell(&places[i])+1]++
	}
	for c := range len(l.ptr) - 1 {
		l.ptr[c+1] += l.ptr[c]
	}
	room = slices.Grow(room[:0], len(places))[:len(places)]
	for i := range places {
		c := l.cell(&places[i])
		room[l.ptr[c]] = places[i]
		l.ptr[c]++
	}
	copy(l.ptr[1:], l.ptr) // from where cells end to where they begin
	l.ptr[0] = 0
	return room
}

// cell is the number of the cell of a place.
func (l *lanes) cell(p *place) int {
	return l.at(1, p.pos[l.axis[1]])*l.count[0] + l.at(0, p.pos[l.axis[0]])
}

// at is the number of the cell along a lane, or of the lane, at x; of the first or last one where
// there is none.
func (l *lanes) at(k int, x float64) int {
	i := (x - l.from[k]) / l.size[k]
	switch last := l.count[k] - 1; {
	case !(i > 0):
		return 0
	case i >= float64(last):
		return last
	default:
		return int(i)
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
	const few = 8
	along, side := l.axis[0], l.axis[1]
	x, reach := b.pos[along], l.reach(b, along)
	y, r := b.pos[side], l.reach(b, side)
	first := l.at(0, x-reach)
	for k := l.at(1, y-r); k <= l.at(1, y+r); k++ {
		c := k * l.count[0]
		i, end := l.ptr[c+first], l.ptr[c+l.count[0]]
		if cell := l.targets[i:l.ptr[c+first+1]]; len(cell) > few {
			skip, _ := slices.BinarySearchFunc(cell, x-reach, func(a place, x float64) int { return cmp.Compare(a.pos[along], x) })
			i += skip
		}
		for ; i < end && l.targets[i].pos[along] <= x+reach; i++ {
			if l.targets[i].pos[along] >= x-reach {
				do(&l.targets[i])
			}
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
