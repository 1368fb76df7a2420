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

// A sorted hit is a track hit of the current frame, for the sweep.
type sortedHit struct {
	x    float64 // coordinate along the sweep
	slot int32   // in the frame
}

// nearPairs lists the pairs at a distance below radius, or, for boxes, with an
// overlap.
//
// Each frame is swept along the axis on which its tracks spread most: the
// tracks are sorted once and every target looks at those within reach. That is
// O(n log n + n·w) for n hits with w tracks in the strip of a target.
func (s *scene) nearPairs(ctx context.Context, radius float64) (*pairs, error) {
	p := &pairs{ptr: make([]int, 1, s.truth.hits()+1)}
	var strip []sortedHit
	for t := range s.frames {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("metrics: frame %d: %w", s.frames[t], err)
		}
		rows := s.truth.frame(t)
		cols := s.tracks.frame(t)
		axis := widestAxis(&s.tracks, cols, s.dim)
		strip = strip[:0]
		wide := 0.0 // widest track box along the axis
		for c, hit := range cols {
			strip = append(strip, sortedHit{s.tracks.at(hit)[axis], int32(c)})
			if s.boxes {
				wide = max(wide, s.tracks.extent(hit, axis))
			}
		}
		slices.SortFunc(strip, func(a, b sortedHit) int {
			return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.slot, b.slot))
		})
		for _, hit := range rows {
			p.addRow(s, hit, cols, strip, axis, radius, wide)
		}
	}
	return p, nil
}

// addRow appends the row of a true hit.
func (p *pairs) addRow(s *scene, hit int32, cols []int32, strip []sortedHit, axis int, radius, wide float64) {
	a := s.truth.at(hit)
	reach := radius
	if s.boxes {
		reach = (s.truth.extent(hit, axis) + wide) / 2
	}
	from, _ := slices.BinarySearchFunc(strip, a[axis]-reach, func(e sortedHit, x float64) int {
		return cmp.Compare(e.x, x)
	})
	start := len(p.col)
	for _, e := range strip[from:] {
		if e.x > a[axis]+reach {
			break
		}
		var d float64
		if s.boxes {
			d = s.boxDistance(hit, cols[e.slot])
		} else {
			d = distance(a, s.tracks.at(cols[e.slot]))
		}
		if d < radius {
			p.insert(start, e.slot, d)
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

// entry is the entry of a row with the given column, which must exist.
func (p *pairs) entry(row int, col int32) int {
	e := p.ptr[row]
	for p.col[e] != col {
		e++
	}
	return e
}

// widestAxis is the coordinate in which hits spread most.
func widestAxis(s *side, hits []int32, dim int) int {
	axis, widest := 0, -1.0
	for x := range dim {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, hit := range hits {
			v := s.at(hit)[x]
			lo, hi = min(lo, v), max(hi, v)
		}
		if hi-lo > widest {
			axis, widest = x, hi-lo
		}
	}
	return axis
}

// extent is the width (axis 0) or height (axis 1) of the box of a hit.
func (s *side) extent(hit int32, axis int) float64 {
	w, h := s.size(hit)
	if axis == 0 {
		return w
	}
	return h
}

// distance is the Euclidean distance.
func distance(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum)
}

// boxDistance is 1 − IoU of a true and an estimated box; a box without area
// overlaps nothing.
func (s *scene) boxDistance(truth, track int32) float64 {
	a, b := s.truth.at(truth), s.tracks.at(track)
	aw, ah := s.truth.size(truth)
	bw, bh := s.tracks.size(track)
	if aw <= 0 || ah <= 0 || bw <= 0 || bh <= 0 {
		return 1
	}
	w := min(a[0]+aw/2, b[0]+bw/2) - max(a[0]-aw/2, b[0]-bw/2)
	h := min(a[1]+ah/2, b[1]+bh/2) - max(a[1]-ah/2, b[1]-bh/2)
	if w <= 0 || h <= 0 {
		return 1
	}
	return 1 - w*h/(aw*ah+bw*bh-w*h)
}
