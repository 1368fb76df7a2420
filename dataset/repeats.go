package dataset

// This file counts rows that are there twice, as where two files were joined that overlap, or a report came by two ways.

import (
	"slices"
)

// repeats are rows that say what another one does.
type repeats struct {
	n           int
	first, line int32 // lines of one, and of the one that it repeats
}

// same says whether rows i and j, of one frame, say the same. Numbers of detections, which readers may have given, and rows are not compared.
func (t *rows) same(i, j int) bool {
	equal := func(a []float64) bool {
		if a == nil {
			return true
		}
		w := len(a) / t.n
		return slices.Equal(a[i*w:(i+1)*w], a[j*w:(j+1)*w])
	}
	return equal(t.pos) && equal(t.vel) && equal(t.cov) && equal(t.velCov) && equal(t.size) && equal(t.conf) && equal(t.feat) &&
		(t.id == nil || t.id[i] == t.id[j]) && (t.class == nil || t.class[i] == t.class[j]) && (t.sensor == nil || t.sensor[i] == t.sensor[j])
}

// add counts that row j repeats row i.
func (r *repeats) add(t *rows, i, j int) {
	if r.n++; r.n == 1 {
		r.first, r.line = t.line[i], t.line[j]
	}
}

// neighbours counts rows that repeat the one before, where t is in order of frames and places.
func (r *repeats) neighbours(t *rows) {
	for i := 1; i < t.n; i++ {
		if t.pos[i*t.dim] == t.pos[(i-1)*t.dim] && t.frame[i] == t.frame[i-1] && t.same(i-1, i) {
			r.add(t, i-1, i)
		}
	}
}

// simultaneous counts rows that repeat one of the same time, before times are gathered into scans.
func (r *repeats) simultaneous(t *rows, beats []beat) {
	at := make(map[[2]float64]int) // where in a time
	for lo, hi := 0, 0; lo < len(beats); lo = hi {
		for hi = lo + 1; hi < len(beats) && beats[hi].time == beats[lo].time; hi++ {
		}
		if hi == lo+1 {
			continue
		}
		clear(at)
		for _, b := range beats[lo:hi] {
			i := int(b.row)
			key := [2]float64(t.pos[i*t.dim:])
			if before, ok := at[key]; ok && t.same(before, i) {
				r.add(t, before, i)
			}
			at[key] = i
		}
	}
}

// say notes what was counted.
func (d *draft) say(r *repeats) {
	if r.n > 0 {
		d.note("rows that repeat another one exactly: %d, such as line %d, which is line %d again; they are kept: take them out if one detection is there twice", r.n, r.line, r.first)
	}
}
