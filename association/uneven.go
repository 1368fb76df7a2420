package association

import (
	"fmt"
	"math"
	"strings"

	"mtt"
)

// This file notices targets that are missed in part of the field more often than elsewhere.
//
// Problem. Between the first and the last detection of a track there is a target in every scan,
// near the line from the detection before to the one after. One rate for the whole field has as
// many misses there in each part of it, but for chance. Where the part begins and ends nobody
// knows.
//
// Idea. It is looked for with a scan statistic: in all rectangles that are an eighth, a quarter,
// half or all of the field long along each axis, each half its length from the next, so that a part
// lies in one of them wherever it begins. Misses of one target depend on one another, those of
// several hardly do: how much more than independent misses they vary shows in the tracks outside.
// The rectangle of the greatest difference, in standard errors, is taken if even this is more than
// chance brings once in a thousand fields, as many as are looked at, and if the tracks inside are
// agreed on it.
//
// Cost. In proportion to the detections, and to the rectangles that each track passes.

// A patch is part of the field where targets are missed.
type patch struct {
	from, to     []float64 // along the first axes
	here, others float64   // shares of the scans in which targets in tracks are missed there, and in all other parts
}

// A stretch is part of an axis, in cells.
type stretch struct{ from, to int }

const fieldCells = 16 // along an axis

// stretches are those of an axis that are looked at, and which of them hold each cell.
func stretches() (all []stretch, of [fieldCells][]int) {
	for long := fieldCells / 8; long <= fieldCells; long *= 2 {
		for from := 0; from+long <= fieldCells; from += long / 2 {
			for c := from; c < from+long; c++ {
				of[c] = append(of[c], len(all))
			}
			all = append(all, stretch{from, from + long})
		}
	}
	return all, of
}

// A count is how many scans targets were in a part, and in how many of these they were missed.
type count struct{ scans, misses float64 }

// sums are counts of the tracks that pass a part, and sums of products of these counts with
// themselves and, under whole, with those of the whole track.
type sums struct {
	count
	tracks     int
	own, whole struct{ ss, sm, mm float64 } // scans by scans, scans by misses (both ways round under whole), misses by misses
}

func (s *sums) add(n, whole count) {
	s.tracks++
	s.scans += n.scans
	s.misses += n.misses
	s.own.ss += n.scans * n.scans
	s.own.sm += n.scans * n.misses
	s.own.mm += n.misses * n.misses
	s.whole.ss += n.scans * whole.scans
	s.whole.sm += n.scans*whole.misses + n.misses*whole.scans
	s.whole.mm += n.misses * whole.misses
}

// less are the sums of what is outside of a part; s is everywhere. Of them only scans, misses and
// own are of use.
func (s *sums) less(part *sums) (rest sums) {
	rest.count = count{s.scans - part.scans, s.misses - part.misses}
	rest.own.ss = s.own.ss - 2*part.whole.ss + part.own.ss
	rest.own.sm = s.own.sm - part.whole.sm + part.own.sm
	rest.own.mm = s.own.mm - 2*part.whole.mm + part.own.mm
	return rest
}

// square is the sum over tracks of the square of by how many misses they differ from a share of their scans.
func (s *sums) square(share float64) float64 {
	return max(0, s.own.mm-2*share*s.own.sm+share*share*s.own.ss)
}

// uneven returns the rectangle in which targets are most surely missed in more scans than
// elsewhere, by a tenth of the scans at least. nil: there is none.
func uneven(scans []mtt.Scan, tracks []mtt.Track) *patch {
	const (
		cells = fieldCells
		wrong = 0.001 // chance that there is one where there is none
		least = 10    // tracks in a part
		sure  = 5     // standard errors, as the tracks there differ
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
	each := func(tr *mtt.Track, do func(x, y int, missed float64)) { // of each scan between its ends
		for h := 1; h < len(tr.Hits); h++ {
			before, after := tr.At(h-1), tr.At(h)
			from, to := index[tr.Hits[h-1].Frame], index[tr.Hits[h].Frame]
			for t := from + 1; t <= to; t++ {
				if scans[t].Len() == 0 { // nothing was seen anywhere
					continue
				}
				share := (scans[t].Time - scans[from].Time) / (scans[to].Time - scans[from].Time)
				var at [2]int
				for d := range axes {
					if x := before[d] + share*(after[d]-before[d]); hi[d] > lo[d] {
						at[d] = max(0, min(cells-1, int(cells*((x-lo[d])/(hi[d]-lo[d]))))) // of what is too far for numbers the first
					}
				}
				missed := 1.0
				if t == to {
					missed = 0
				}
				do(at[0], at[1], missed)
			}
		}
	}
	var all count
	for i := 0; i < len(tracks); i += stride {
		each(&tracks[i], func(_, _ int, missed float64) {
			all.scans++
			all.misses += missed
		})
	}
	if all.misses == 0 {
		return nil
	}
	parts, holds := stretches()
	across, over := parts, holds
	if axes == 1 { // nothing varies across
		across, over = parts[len(parts)-1:], [cells][]int{{0}}
	}
	of, in := make([]sums, len(parts)*len(across)), make([]count, len(parts)*len(across)) // in: of one track
	var total sums
	for i := 0; i < len(tracks); i += stride {
		var at [cells * cells]count
		var whole count
		each(&tracks[i], func(x, y int, missed float64) {
			at[x+cells*y].scans++
			at[x+cells*y].misses += missed
			whole.scans++
			whole.misses += missed
		})
		total.add(whole, whole)
		var passed []int
		for c, n := range at {
			if n.scans == 0 {
				continue
			}
			for _, y := range over[c/cells] {
				for _, x := range holds[c%cells] {
					k := x + len(parts)*y
					if in[k].scans == 0 {
						passed = append(passed, k)
					}
					in[k].scans += n.scans
					in[k].misses += n.misses
				}
			}
		}
		for _, k := range passed {
			of[k].add(in[k], whole)
			in[k] = count{}
		}
	}
	best := math.Sqrt(2 * math.Log(float64(len(of))/wrong))
	var p *patch
	for k := range of {
		s := &of[k]
		others := total.less(s)
		if s.tracks < least || others.scans == 0 {
			continue
		}
		here, there := s.misses/s.scans, others.misses/others.scans
		rate := (others.misses + 0.5) / (others.scans + 1) // of none nobody knows that there never is one
		usual := max(1, others.square(rate)/(rate*(1-rate)*others.scans))
		clear := (here - there) / math.Sqrt(usual*rate*(1-rate)*(1/s.scans+1/others.scans))
		if here-there < worse || clear <= best || (here-there)*s.scans <= sure*math.Sqrt(s.square(here)) {
			continue
		}
		best = clear
		p = &patch{here: here, others: there}
		for d, part := range []stretch{parts[k%len(parts)], across[k/len(parts)]}[:axes] {
			step := (hi[d] - lo[d]) / cells
			p.from, p.to = append(p.from, lo[d]+float64(part.from)*step), append(p.to, lo[d]+float64(part.to)*step)
		}
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
