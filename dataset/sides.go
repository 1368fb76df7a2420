package dataset

// This file tells boxes by four numbers without names apart: left, top, width, height or left, top,
// right, bottom.

import "strings"

// sides decides what the last two of four numbers of boxes are that have no names of their own, as
// "bbox": [1, 2, 3, 4] of JSON, and were read as width and height: right and bottom where that
// makes boxes of all rows, and where these vary less in size than they would from right and bottom
// taken for sizes, both ways. Sizes that hang on nothing have the variance of left or top besides
// once that is taken off; right and bottom lose it.
func (s *source) sides(t *titled) {
	how := t.nameless()
	if how == nil || s.rows.size == nil {
		return
	}
	w, h := t.column(width), t.column(height)
	r := s.rows
	var spread, given [2]variance // of the sizes, if they are right and bottom, and if not
	for i := range r.n {
		for c := range 2 {
			size := r.size[2*i+c]
			less := size - (r.pos[i*r.dim+c] - size/2)
			if less <= 0 {
				return
			}
			spread[c].add(less)
			given[c].add(size)
		}
	}
	if spread[0].sum >= given[0].sum || spread[1].sum >= given[1].sum {
		t.asides = append(t.asides, how.Replace(doubtfulSides))
		return
	}
	for i := range r.n {
		for c := range 2 {
			size, at := r.size[2*i+c], &r.pos[i*r.dim+c]
			low := *at - size/2
			*at, r.size[2*i+c] = (low+size)/2, size-low
		}
	}
	t.roles[w], t.roles[h] = right, bottom
	t.asides = append(t.asides, how.Replace("boxes are read as left, top, right, bottom: their third number is always beyond the first and goes along with it, so does the fourth with the second; if they are left, top, width, height, say --columns left=LEFT,top=TOP,w=W,h=H"))
}

const doubtfulSides = "boxes are read as left, top, width, height, but could be left, top, right, bottom: if they are, say --columns left=LEFT,top=TOP,right=W,bottom=H"

// nameless puts the names of columns for LEFT, TOP, W and H where width and height are the last of
// four numbers without names; nil: they are not.
func (t *titled) nameless() *strings.Replacer {
	l, at, w, h := t.column(left), t.column(top), t.column(width), t.column(height)
	if l < 0 || at < 0 || w < 0 || h < 0 || t.given[width] || t.given[height] || plainName(t.names[w]) != "bbox_2" || plainName(t.names[h]) != "bbox_3" {
		return nil
	}
	return strings.NewReplacer("LEFT", t.names[l], "TOP", t.names[at], "W", t.names[w], "H", t.names[h])
}

// A variance is of the numbers added: sum is it n times.
type variance struct{ n, mean, sum float64 }

func (v *variance) add(x float64) {
	v.n++
	d := x - v.mean
	v.mean += d / v.n
	v.sum += d * (x - v.mean)
}
