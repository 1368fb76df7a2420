package learn

import (
	"cmp"
	"math"
	"slices"

	"mtt"
)

// This file notices targets that jump: tracks end where others begin in the next scan.
//
// Problem. A target that rests for long and then is far away ends one track and begins another. As
// many come as go, so rates of births and deaths explain it, and nothing is left over.
//
// Idea. Who comes has nothing to do with who went. Beginnings one scan after an end that lie nearer
// to it than those of the scans before and of its own do are no chance: these were there when the
// target was. Doors, at which targets come and go, are as near to both. The root of their
// number is a poor measure of chance where they are few: that all of twenty go on is 4.5 of these, and
// next to impossible otherwise. So few are asked by Chernoff's bound, too.
//
// Cost. In proportion to the tracks, and to some hundred thousand pairs of ends and beginnings.

// Jumped says how many of the tracks that end go on as others that begin in the next scan, as far
// as that shows, how many of its standard errors the number is, and within what distance, in m,
// most of these begin.
func Jumped(scans []mtt.Scan, tracks []mtt.Track) (jumps, errors, within float64) {
	const (
		before = 8 // scans
		pairs  = 100_000
	)
	index := mtt.ByFrame(scans)
	begins, ends := make([][]int32, len(scans)), make([][]int32, len(scans))
	for i := range tracks {
		if h := tracks[i].Hits; len(h) > 1 {
			first, last := index[h[0].Frame], index[h[len(h)-1].Frame]
			begins[first], ends[last] = append(begins[first], int32(i)), append(ends[last], int32(i))
		}
	}
	all, others, most := 0, 0, 0 // pairs; of scans before; tracks that may go on
	for t := 0; t+1 < len(scans); t++ {
		most += min(len(ends[t]), len(begins[t+1]))
		for s := max(1, t-before); s <= t+1; s++ { // who is there in the first scan need not have come
			if all += len(ends[t]) * len(begins[s]); s <= t {
				others += len(ends[t]) * len(begins[s])
			}
		}
	}
	if others == 0 || all == others {
		return 0, 0, 0
	}
	weight := -float64(all-others) / float64(others)
	stride, k := 1+all/pairs, 0
	self := &selfPart{}
	for t := 0; t+1 < len(scans); t++ {
		for _, i := range ends[t] {
			if k++; k%stride != 0 {
				continue
			}
			end := tracks[i].At(len(tracks[i].Hits) - 1)
			for s := max(1, t-before); s <= t+1; s++ {
				w := 1.0
				if s <= t {
					w = weight
				}
				for _, j := range begins[s] {
					if i != j {
						self.changes = append(self.changes, change{r: distance(tracks[j].At(0), end), w: w})
					}
				}
			}
		}
	}
	slices.SortFunc(self.changes, func(p, q change) int { return cmp.Or(cmp.Compare(p.r, q.r), cmp.Compare(p.w, q.w)) })
	errors, jumps = self.clear()
	if stride == 1 {
		if few, n := soon(scans, tracks, begins, ends, before); few > errors {
			errors, jumps = few, max(jumps, n)
		}
	}
	// Where targets come in crowds several begin beside each end.
	return min(jumps*float64(stride), float64(most)), errors, max(self.most(), self.core())
}

// soon is the same of few tracks, of which sums of pairs say little: of each scan in which tracks
// end and each in which others begin only the pair that lies nearest, so that who comes and goes in
// groups counts once. By chance of those within a radius as many are of the next scan as of all.
// There are as many standard errors as of a normal number have the chance that Chernoff's bound says.
func soon(scans []mtt.Scan, tracks []mtt.Track, begins, ends [][]int32, before int) (errors, jumps float64) {
	type pair struct{ r, soon float64 }
	var all []pair
	next := 0.0
	for t := 0; t+1 < len(scans); t++ {
		for s := max(1, t-before); s <= t+1; s++ {
			p := pair{r: math.Inf(1)}
			for _, i := range ends[t] {
				end := tracks[i].At(len(tracks[i].Hits) - 1)
				for _, j := range begins[s] {
					if i != j {
						p.r = min(p.r, distance(tracks[j].At(0), end))
					}
				}
			}
			if math.IsInf(p.r, 1) {
				continue
			}
			if s > t {
				p.soon = 1
			}
			all, next = append(all, p), next+p.soon
		}
	}
	slices.SortFunc(all, func(p, q pair) int { return cmp.Or(cmp.Compare(p.r, q.r), cmp.Compare(p.soon, q.soon)) })
	chance, found := next/float64(len(all)), 0.0
	for k, p := range all {
		found += p.soon
		n := float64(k + 1)
		if z := math.Sqrt(2 * n * surprise(found/n, chance)); z > errors {
			errors, jumps = z, found-n*chance
		}
	}
	return errors, jumps
}
