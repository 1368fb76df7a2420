package learn

import (
	"cmp"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
)

// This file notices targets that are seen in every scan among others that are seen by turns.
//
// Problem. Rates are those of all targets. Where most are seen by turns, a detection after a
// detection is hardly ever expected, and a target that is seen in every scan is likelier two
// targets, each seen by turns: its track falls into two that lie on one path.
//
// Idea. Two targets that have nothing to do with one another do not lie on one path. Tracks of
// which each is detected between the detections of the other, and which one target explains better
// than two whose first detections may lie anywhere, are of one. Where there are such tracks targets
// are of both kinds, in shares that a rate for all cannot say: then a detection is taken to follow
// as likely as one a turn later does, and neither kind passes for the other.
//
// Cost. In proportion to the pairs of tracks, and the likelihood of those that come near one another.

// woven is how many pairs of tracks lie on one path, the detections of one between those of the other.
func (l *learner) woven(tracks []mtt.Track) (pairs int) {
	const least = 4 // detections of each: of fewer, false ones may lie there
	index := mtt.ByFrame(l.part)
	scan := func(tr *mtt.Track, h int) int { return index[tr.Hits[h].Frame] }
	doubt := math.Log(l.levels.Rates.Volume) - 2*math.Log(float64(len(tracks)+1)) // nat: a first detection may lie anywhere, and many pairs are looked at
	time := Times(l.part)
	nats := func(tr ...mtt.Track) float64 {
		sum, _ := costgen.Likelihood(l.levels, tr, time)
		return sum
	}
	taken := make([]bool, len(tracks))
	for i := range tracks {
		a := &tracks[i]
		for k := i + 1; k < len(tracks) && !taken[i]; k++ {
			b := &tracks[k]
			if taken[k] || min(len(a.Hits), len(b.Hits)) < least || scan(a, 0) > scan(b, len(b.Hits)-1) || scan(b, 0) > scan(a, len(a.Hits)-1) {
				continue
			}
			order, near := l.weave(a, b, index)
			if !near {
				continue
			}
			one := mtt.Track{ID: a.ID, Dim: a.Dim}
			for _, h := range order {
				one.Append(&l.part[index[h.Frame]], h.Det)
			}
			if nats(one)-nats(*a)-nats(*b)+doubt > 0 {
				taken[i], taken[k] = true, true
				pairs++
			}
		}
	}
	return pairs
}

// weave is the detections of two tracks in order, and whether most of those of the shorter lie
// between two of the other, no farther from one than the fastest target gets. No scan may have
// both. index is that of each frame.
func (l *learner) weave(a, b *mtt.Track, index map[int]int) (order []mtt.Hit, near bool) {
	if len(a.Hits) < len(b.Hits) {
		a, b = b, a
	}
	between, i := 0, 0
	for k, h := range b.Hits {
		for i < len(a.Hits) && a.Hits[i].Frame < h.Frame {
			i++
		}
		if i < len(a.Hits) && a.Hits[i].Frame == h.Frame {
			return nil, false
		}
		if i == 0 || i == len(a.Hits) {
			continue
		}
		reach := l.speed * (l.part[index[h.Frame]].Time - l.part[index[a.Hits[i-1].Frame]].Time)
		if distance(a.At(i-1), b.At(k)) > reach {
			return nil, false
		}
		between++
	}
	if 2*between <= len(b.Hits) {
		return nil, false
	}
	order = slices.Concat(a.Hits, b.Hits)
	slices.SortFunc(order, func(x, y mtt.Hit) int { return cmp.Compare(x.Frame, y.Frame) })
	return order, true
}

// balanced is the probability of a detection after a detection that is as great as that of the next
// a turn later.
func balanced(r *costgen.Rates, turn int) float64 {
	later := math.Exp(-r.MissRun(turn-1)) / (1 - r.Detect) * math.Pow(r.Survive, -float64(turn)) // after the first miss
	return later / (1 + later)
}
