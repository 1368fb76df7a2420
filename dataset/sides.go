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
	w, h := t.column(width), t.column(height)
	if w < 0 || h < 0 || t.given[width] || t.given[height] || s.rows.size == nil ||
		!strings.HasSuffix(plainName(t.names[w]), "_2") || !strings.HasSuffix(plainName(t.names[h]), "_3") {
		return
	}
	r := s.rows
	how := strings.NewReplacer("LEFT", t.names[t.column(left)], "TOP", t.names[t.column(top)], "W", t.names[w], "H", t.names[h])
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
		t.asides = append(t.asides, how.Replace("boxes are read as left, top, width, height, but could be left, top, right, bottom: if they are, say --columns left=LEFT,top=TOP,right=W,bottom=H"))
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

// A variance is of the numbers added: sum is it n times.
type variance struct{ n, mean, sum float64 }

func (v *variance) add(x float64) {
	v.n++
	d := x - v.mean
	v.mean += d / v.n
	v.sum += d * (x - v.mean)
}
