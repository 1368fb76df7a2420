package costgen

import (
	"math"
	"slices"

	"mtt"
)

// This file leaves out detections that were made, not measured.
//
// Problem. Who annotates a recording marks a target in some frames, and a program draws the others on
// straight lines between; a target that stands stays where it was to the last digit. Of such detections
// noise looks like nothing and its density grows without limit, so that the few that were measured, a
// hair beside the line, seem to be manoeuvres, or other targets.
//
// Idea. What lies between two detections of its track exactly, up to rounding, tells no more than
// these do. Without it the track is what was measured, at longer intervals.
//
// Invariant. Nothing is left out where it may be chance: where the others do not miss the line by
// much more than rounding does, or by so little that as many would lie on it anyway; nor a few, which
// change little.
//
// Cost. Two passes over the detections that levels are learnt from.

// measured leaves out of the paths what was made; of velocities and covariances it asks nothing.
func (f *filter) measured() {
	const (
		few    = 0.1   // of all: noise seems a twentieth smaller for them
		broad  = 3     // times rounding: less is not clearly more than it
		fewest = 50    // hits that tell a level to a tenth
		flat   = 0.269 // density of a normal number at 0, times its median size
	)
	if f.vel || f.general {
		return
	}
	tol := f.onLine()
	var exact, others, far float64
	var off [3][]float64 // of the others, by axis
	f.eachBetween(func(rest []float64) {
		most := 0.0
		for d, r := range rest {
			most = max(most, r/tol[d])
		}
		if most <= 1 {
			exact++
			return
		}
		if others++; most > broad {
			far++
		}
		for d, r := range rest {
			off[d] = append(off[d], r)
		}
	})
	if exact <= few*(exact+others) || 2*far <= others {
		return
	}
	chance := 1.0
	for d := range f.dim {
		slices.Sort(off[d])
		if median := off[d][len(off[d])/2]; median > 0 {
			chance *= min(1, 2*tol[d]*flat/median)
		}
	}
	if exact <= 2*chance*(exact+others) {
		return
	}
	paths, hits := make([]path, 0, len(f.paths)), 0
	for i := range f.paths {
		if p := f.paths[i].without(f, tol); len(p.hits) >= 3 {
			paths, hits = append(paths, p), hits+len(p.hits)
		}
	}
	if hits >= fewest {
		f.paths, f.hits = paths, hits
	}
}

// onLine is by how much a detection may miss the line between those beside it, along each axis, that
// lies on it but for rounding: where all are multiples of a length q they miss it by multiples of q/2,
// and those on it by q at most. Of numbers that were never rounded the least is next to nothing.
func (f *filter) onLine() (tol [3]float64) {
	least := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	for i := range f.paths {
		for k, x := range f.paths[i].pos {
			tol[k%f.dim] = max(tol[k%f.dim], 1e-9*math.Abs(x), tiny*tiny)
		}
	}
	f.eachBetween(func(rest []float64) {
		for d, r := range rest {
			if r > tol[d] {
				least[d] = min(least[d], r)
			}
		}
	})
	for d, r := range least {
		if !math.IsInf(r, 1) {
			tol[d] = max(tol[d], 2.02*r)
		}
	}
	return tol
}

// eachBetween calls do with by how much each hit misses the line between those beside it, along
// each axis.
func (f *filter) eachBetween(do func(rest []float64)) {
	var rest [3]float64
	for i := range f.paths {
		p := &f.paths[i]
		for h := 1; h < len(p.dt); h++ {
			p.miss(rest[:f.dim], h-1, h, p.dt[h-1], p.dt[h])
			do(rest[:f.dim])
		}
	}
}

// miss sets rest to by how much hit b misses the line between hit a, so much time before it, and the
// next, so much after it, along each axis.
func (p *path) miss(rest []float64, a, b int, before, after float64) {
	dim := len(rest)
	for d := range rest {
		x, y := p.pos[a*dim+d], p.pos[(b+1)*dim+d]
		rest[d] = math.Abs(p.pos[b*dim+d] - x - (y-x)*before/(before+after))
	}
}

// without is p without the hits that miss no line by more than tol: that from the last one that stays
// to the next.
func (p *path) without(f *filter, tol [3]float64) path {
	var rest [3]float64
	q := path{hits: p.hits[:1:1], pos: slices.Clone(p.pos[:f.dim])}
	last, dt := 0, 0.0
	for h := 1; h < len(p.hits); h++ {
		dt += p.dt[h-1]
		on := h+1 < len(p.hits)
		if on {
			p.miss(rest[:f.dim], last, h, dt, p.dt[h])
			for d := range f.dim {
				on = on && rest[d] <= tol[d]
			}
		}
		if on {
			continue
		}
		q.dt = append(q.dt, f.interval(dt))
		q.hits = append(q.hits, p.hits[h])
		q.pos = append(q.pos, p.pos[h*f.dim:(h+1)*f.dim]...)
		last, dt = h, 0
	}
	q.scan = mtt.Scan{Dim: f.dim, Pos: q.pos}
	return q
}
