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
// Each frame is swept along the axis on which its tracks spread most: the
// tracks are sorted once and every target looks at those within reach. That is
// O(n log n + n·w) for n hits with w tracks in the strip of a target.
func (s *scene) nearPairs(ctx context.Context, radius float64) (*pairs, error) {
	p := &pairs{ptr: make([]int, 1, s.truth.hits()+1)}
	var strip []place
	for t := range s.frames {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("metrics: frame %d: %w", s.frames[t], err)
		}
		strip = strip[:0]
		widest := 0.0 // size of a track's box
		for c, hit := range s.tracks.frame(t) {
			b := s.tracks.place(hit, c, s.boxes)
			strip = append(strip, b)
			widest = max(widest, b.size[0], b.size[1])
		}
		axis := widestAxis(strip)
		slices.SortFunc(strip, func(a, b place) int { return cmp.Compare(a.pos[axis], b.pos[axis]) })
		for r, hit := range s.truth.frame(t) {
			a := s.truth.place(hit, r, s.boxes)
			reach := radius
			if s.boxes {
				reach = (a.size[axis] + widest) / 2
			}
			p.addRow(s, &a, strip, axis, reach, radius)
		}
	}
	return p, nil
}

// addRow appends the row of hit a: the places of the strip that are nearer than
// radius, none of which differs by more than reach along the axis.
func (p *pairs) addRow(s *scene, a *place, strip []place, axis int, reach, radius float64) {
	x := a.pos[axis]
	from, _ := slices.BinarySearchFunc(strip, x-reach, func(b place, x float64) int {
		return cmp.Compare(b.pos[axis], x)
	})
	start := len(p.col)
	for i := from; i < len(strip) && strip[i].pos[axis] <= x+reach; i++ {
		if d := s.distance(a, &strip[i]); d < radius {
			p.insert(start, strip[i].slot, d)
		}
	}
	p.ptr = append(p.ptr, len(p.col))
}

// insert keeps the row that begins at start sorted.
func (p *pairs) insert(start int, col int32, d float64) {
	p.col = append(p.col, col)
	p.d = append(p.d, d)
	for e := len(p.col) - 1; e > start && p.col[e-1] > col; e-- {
		p.col[e], p.d[e] = p.col[e-1], p.d[e-1]
		p.col[e-1], p.d[e-1] = col, d
	}
}

// widestAxis is the coordinate in which places spread most.
func widestAxis(places []place) int {
	axis, widest := 0, -1.0
	for x := range 3 {
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
		if hi-lo > widest {
			axis, widest = x, hi-lo
		}
	}
	return axis
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
