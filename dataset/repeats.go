package dataset

// This file counts rows that are there twice, as where two files were joined that overlap, or a report came by two ways, and reads them once where that is no
// coincidence: a target that is detected twice at one place becomes two tracks.

import (
	"slices"
)

// repeats are rows that say what another one does.
type repeats struct {
	n           int
	once        bool  // whether they have been taken out
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

// again says whether row i repeats the one before.
func (t *rows) again(i int) bool {
	return i > 0 && t.pos[i*t.dim] == t.pos[(i-1)*t.dim] && t.frame[i] == t.frame[i-1] && t.same(i-1, i)
}

// neighbours counts rows that repeat the one before, where t is in order of frames and places, and takes them out where there are no identities, which may be of other files, and
// coincidence does not explain them.
func (r *repeats) neighbours(t *rows) {
	for i := range t.n {
		if t.again(i) {
			r.add(t, i-1, i)
		}
	}
	const few = 8 // of which each may be a coincidence or not: 2⁻⁸
	if r.once = r.n >= few && t.id == nil && !t.coincide(); r.once {
		t.keep(func(i int) bool { return !t.again(i) })
	}
}

// coincide says whether rows may repeat the one before by chance. Of N pairs of rows of a frame a_k agree along axis k. Where axes know nothing of each other,
// N Π a_k/N agree along all of them: coordinates are coarse, or those of lanes, or of a plane. Targets that keep together agree more often, but then oftener still along one axis alone. So
// rows were written twice if twice as many agree in all as would by chance, and most of those that agree along the axis where fewest do. Of one axis nothing can be told.
func (t *rows) coincide() bool {
	var all, equal float64 // pairs, and those that agree in all
	along := make([]float64, t.dim)
	var column []float64
	for lo, hi := 0, 0; lo < t.n; lo = hi {
		copies := 0.0 // of the row before
		for hi = lo; hi < t.n && t.frame[hi] == t.frame[lo]; hi++ {
			if copies++; !t.again(hi) {
				copies = 0
			}
			equal += copies
		}
		n := float64(hi - lo)
		all += n * (n - 1) / 2
		for k := range along {
			column = column[:0]
			for i := lo; i < hi; i++ {
				column = append(column, t.pos[i*t.dim+k])
			}
			slices.Sort(column)
			copies = 0
			for i, x := range column {
				if copies++; i == 0 || x != column[i-1] {
					copies = 0
				}
				along[k] += copies
			}
		}
	}
	chance := all
	for _, n := range along {
		chance *= n / all
	}
	return equal < 2*chance || 2*equal < slices.Min(along)
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

// once puts rows in order of frames and places, and reads those once that are there twice.
func (d *draft) once(t *rows, o *Options) {
	t.sortByPlace()
	if d.told || o.Noise > 0 {
		return
	}
	var r repeats
	r.neighbours(t)
	d.say(&r)
	d.told = true
}

// say notes what was counted.
func (d *draft) say(r *repeats) {
	kept := "they are kept: take them out if one detection is there twice"
	if r.once {
		kept = "they are read once, as so many are no coincidence"
	}
	if r.n > 0 {
		d.note("rows that repeat another one exactly: %d, such as line %d, which is line %d again; %s", r.n, r.line, r.first, kept)
	}
}
