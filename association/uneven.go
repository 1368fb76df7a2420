package association

import (
	"fmt"
	"math"
	"strings"

	"mtt"
)

// This file notices targets that are missed in part of the field more often than elsewhere.
//
// Between the first and the last detection of a track there is a target in every scan, near the line from the detection before to the
// one after. One rate for the whole field has as many misses there in each part of it, but for chance. Misses of one target depend on one another, those of
// several hardly do, so what chance does shows in how tracks differ.

// A patch is part of the field where targets are missed.
type patch struct {
	from, to     []float64 // along the first axes
	here, others float64   // shares of the scans in which targets in tracks are missed there, and in all other parts
}

// uneven looks at sixteen parts of the field, four in one dimension, and returns a rectangle of those where targets are missed in more scans than in the
// others, by a tenth of the scans at least, and surely. nil: there is none.
func uneven(scans []mtt.Scan, tracks []mtt.Track) *patch {
	const (
		cells = 4  // along an axis
		least = 10 // tracks in a cell
		sure  = 5  // standard errors: the greatest of sixteen, which are far from normal where tracks are few
		worse = 0.1
		looks = 500_000 // detections: of more, those of some tracks
	)
	stride := 1 + hits(tracks)/looks
	index := mtt.ByFrame(scans)
	axes, lo, hi := 0, [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i := range tracks {
		axes = min(2, tracks[i].Dim)
		for h := range tracks[i].Hits {
			for d, x := range tracks[i].At(h)[:axes] {
				lo[d], hi[d] = min(lo[d], x), max(hi[d], x)
			}
		}
	}
	cell := func(at [2]float64) (c int) {
		for d := range axes {
			if hi[d] > lo[d] {
				c += max(0, min(cells-1, int(cells*((at[d]-lo[d])/(hi[d]-lo[d]))))) * (1 + d*(cells-1)) // of what is too far for numbers the first
			}
		}
		return c
	}
	type count struct{ scans, misses float64 }
	type counts [cells * cells]count
	each := func(do func(c int, n count)) { // of each track: what is known of each cell that it is in
		for i := 0; i < len(tracks); i += stride {
			tr := &tracks[i]
			var in counts
			for h := 1; h < len(tr.Hits); h++ {
				before, after := tr.At(h-1), tr.At(h)
				from, to := index[tr.Hits[h-1].Frame], index[tr.Hits[h].Frame]
				for t := from + 1; t <= to; t++ {
					if scans[t].Len() == 0 { // nothing was seen anywhere
						continue
					}
					share := (scans[t].Time - scans[from].Time) / (scans[to].Time - scans[from].Time)
					var at [2]float64
					for d := range axes {
						at[d] = before[d] + share*(after[d]-before[d])
					}
					n := &in[cell(at)]
					if n.scans++; t < to {
						n.misses++
					}
				}
			}
			for c, n := range in {
				if n.scans > 0 {
					do(c, n)
				}
			}
		}
	}
	var all count
	var of counts
	var passed [cells * cells]int // tracks
	each(func(c int, n count) {
		of[c].scans += n.scans
		of[c].misses += n.misses
		passed[c]++
		all.scans += n.scans
		all.misses += n.misses
	})
	if all.misses == 0 {
		return nil
	}
	share := func(c int) (here, others float64) {
		return of[c].misses / of[c].scans, (all.misses - of[c].misses) / max(1, all.scans-of[c].scans)
	}
	var square [cells * cells]float64
	each(func(c int, n count) {
		here, _ := share(c)
		square[c] += math.Pow(n.misses-here*n.scans, 2)
	})
	step := func(k, d int) float64 { return lo[d] + float64(k)*(hi[d]-lo[d])/cells }
	from, to := [2]int{cells, cells}, [2]int{} // of the least rectangle with all of them
	for c := range of {
		if passed[c] < least {
			continue
		}
		if here, others := share(c); here-others < worse || !((here-others)*of[c].scans > sure*math.Sqrt(square[c])) {
			continue
		}
		for d, k := range [2]int{c % cells, c / cells} {
			from[d], to[d] = min(from[d], k), max(to[d], k+1)
		}
	}
	if to[0] == 0 {
		return nil
	}
	var in, out count
	for c, n := range of {
		sum := &out
		if x, y := c%cells, c/cells; x >= from[0] && x < to[0] && y >= from[1] && y < to[1] {
			sum = &in
		}
		sum.scans += n.scans
		sum.misses += n.misses
	}
	p := &patch{here: in.misses / in.scans, others: out.misses / max(1, out.scans)}
	for d := range axes {
		p.from, p.to = append(p.from, step(from[d], d)), append(p.to, step(to[d], d))
	}
	return p
}

func (p *patch) String() string {
	var along []string
	for d := range p.from {
		along = append(along, fmt.Sprintf("%.3g < %c < %.3g", p.from[d], "xy"[d], p.to[d]))
	}
	return strings.Join(along, ", ")
}
