package dataset

// This file finds rows that are there twice, as where two files were joined that overlap, or a
// report came by two ways.
//
// Problem. A target whose rows were written twice becomes two tracks that share its detections. But
// coarse coordinates of two targets agree, too.
//
// Idea. Say a share p_k of all pairs of rows agree along axis k. Of N pairs in one scan N Π p_k
// agree along all axes, if these know nothing of each other; targets that keep together agree more
// often, but oftener still along one axis alone. So rows were written twice where more than twice
// as many agree, and most of those that agree along the axis where fewest do. Where no two axes
// vary nothing can be told.

import (
	"cmp"
	"iter"
	"slices"
)

// same says whether rows i and j, of one frame, say the same. Numbers of detections, which readers
// may have given, and rows are not compared.
func (t *rows) same(i, j int32) bool {
	if t.pos[int(i)*t.dim] != t.pos[int(j)*t.dim] {
		return false
	}
	equal := func(a []float64) bool {
		if a == nil {
			return true
		}
		w := len(a) / t.n
		return slices.Equal(a[int(i)*w:int(i+1)*w], a[int(j)*w:int(j+1)*w])
	}
	return equal(t.pos) && equal(t.vel) && equal(t.cov) && equal(t.velCov) && equal(t.size) && equal(t.conf) && equal(t.feat) &&
		(t.id == nil || t.id[i] == t.id[j]) && (t.class == nil || t.class[i] == t.class[j]) && (t.sensor == nil || t.sensor[i] == t.sensor[j])
}

// byPlace is the order of places, and of rows.
func (t *rows) byPlace(i, j int32) int {
	return cmp.Or(slices.Compare(t.pos[int(i)*t.dim:int(i+1)*t.dim], t.pos[int(j)*t.dim:int(j+1)*t.dim]), cmp.Compare(i, j))
}

// ofFrames are the rows of each frame by place, where all are in order of frames and places.
func (t *rows) ofFrames() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		var scan []int32
		for i := range t.n {
			if i > 0 && t.frame[i] != t.frame[i-1] {
				if !yield(scan) {
					return
				}
				scan = scan[:0]
			}
			scan = append(scan, int32(i))
		}
		yield(scan)
	}
}

// ofTimes are the rows of each time by place, where they have one.
func (t *rows) ofTimes(beats []beat) iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		var scan []int32
		for k, b := range beats {
			if k > 0 && b.time != beats[k-1].time {
				slices.SortFunc(scan, t.byPlace)
				if !yield(scan) {
					return
				}
				scan = scan[:0]
			}
			if !t.isVoid(int(b.row)) {
				scan = append(scan, b.row)
			}
		}
		slices.SortFunc(scan, t.byPlace)
		yield(scan)
	}
}

// once says which rows of scans, each in order of places, repeat the one before, and takes them out
// where there are no identities, which may be of other files, and coincidence does not explain
// them.
func (d *draft) once(t *rows, scans iter.Seq[[]int32]) {
	n, first, line := 0, int32(0), int32(0) // rows, lines of one and of the one that it repeats
	var twice []bool
	for scan := range scans {
		for k := 1; k < len(scan); k++ {
			if i, j := scan[k-1], scan[k]; t.same(i, j) {
				if n++; n == 1 {
					first, line, twice = t.line[i], t.line[j], make([]bool, t.n)
				}
				twice[j] = true
			}
		}
	}
	const few = 8 // of which each may be a coincidence or not: 2⁻⁸
	kept := "they are kept: take them out if one detection is there twice"
	if n >= few && t.id == nil && !t.coincide(scans) {
		kept = "they are read once, as so many are no coincidence"
		t.keep(func(i int) bool { return !twice[i] })
	}
	if d.told = true; n > 0 {
		d.note("rows that repeat another one exactly: %d, such as line %d, which is line %d again; %s", n, line, first, kept)
	}
}

// coincide says whether rows of scans may repeat another one by chance.
func (t *rows) coincide(scans iter.Seq[[]int32]) bool {
	pairs := func(n int) float64 { return float64(n) * float64(n-1) / 2 }
	agree := func(column []float64) (n float64) { // pairs
		slices.Sort(column)
		for lo, hi := 0, 0; lo < len(column); lo = hi {
			for hi = lo + 1; hi < len(column) && column[hi] == column[lo]; hi++ {
			}
			n += pairs(hi - lo)
		}
		return n
	}
	along := make([]float64, t.dim) // of one scan
	var all, equal float64
	var column []float64
	for scan := range scans {
		all += pairs(len(scan))
		copies := 0.0
		for k := 1; k < len(scan); k++ {
			if copies++; !t.same(scan[k-1], scan[k]) {
				copies = 0
			}
			equal += copies
		}
		for k := range along {
			column = column[:0]
			for _, i := range scan {
				column = append(column, t.pos[int(i)*t.dim+k])
			}
			along[k] += agree(column)
		}
	}
	chance, least, vary := all, all, 0
	for k, n := range along {
		column = column[:0]
		for i := range t.n {
			column = append(column, t.pos[i*t.dim+k])
		}
		if p := agree(column) / pairs(t.n); p < 1 {
			chance, least, vary = chance*p, min(least, n), vary+1
		}
	}
	return vary < 2 || equal <= 2*chance || 2*equal < least
}
