package gating

// This file caps crowded rows and columns at their K best pairs.

// A rank orders pairs of one row or one column: smaller statistic first, then
// fewer steps, see steps.
type rank struct {
	stat float64
	idx  int32
}

// steps counts from the index of a row or column to that of its partner, which begins again
// where it ends. Were it the partner's index, detections at one place would all keep the same
// few, which had thousands of triplets each.
func (f *Finder) steps(from, to int32) int32 {
	if to < from {
		return to - from + int32(max(f.a.Len(), f.b.Len()))
	}
	return to - from
}

func (r rank) worse(s rank) bool {
	return r.stat > s.stat || r.stat == s.stat && r.idx > s.idx
}

// kBest holds the best ranks pushed so far, at most cap of them, as a heap
// with the worst on top: no rank is worse than its parent, (k−1)/2.
type kBest []rank

func (b *kBest) push(r rank) {
	h := *b
	if len(h) < cap(h) {
		h = append(h, r)
		*b = h
		for k := len(h) - 1; k > 0 && h[k].worse(h[(k-1)/2]); k = (k - 1) / 2 {
			h[k], h[(k-1)/2] = h[(k-1)/2], h[k]
		}
		return
	}
	if !h[0].worse(r) {
		return
	}
	h[0] = r
	for k := 0; ; {
		child := 2*k + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].worse(h[child]) {
			child++
		}
		if !h[child].worse(h[k]) {
			return
		}
		h[k], h[child] = h[child], h[k]
		k = child
	}
}

// has reports whether r is among the best, once all ranks are pushed.
func (b kBest) has(r rank) bool {
	return len(b) < cap(b) || !r.worse(b[0])
}

// collectCapped is collect for the pairs that are among the K best of their
// row or column. Those of a row of up to K are, so nothing is to be ranked until a row turns out to be
// longer.
func (f *Finder) collectCapped(length []int) error {
	f.found = f.found[:0]
	work := work{tick: f.tick}
	for n, i := range f.order {
		hits := f.find(int(i))
		if len(hits) > f.K {
			return f.collectCrowded(length, n, work)
		}
		length[i] = len(hits)
		f.found = append(f.found, hits...)
		if err := work.add(len(hits), len(hits)); err != nil {
			return err
		}
	}
	return work.end()
}

// collectCrowded is collectCapped from the first row that is longer than K on, before which known rows
// lie: a pass over all learns the K best of each column, a second one chooses.
func (f *Finder) collectCrowded(length []int, known int, work work) error {
	f.ranks = resize(f.ranks, (f.b.Len()+1)*f.K)
	f.row = f.ranks[:0:f.K]
	f.cols = resize(f.cols, f.b.Len())
	for j := range f.cols {
		f.cols[j] = f.ranks[(j+1)*f.K : (j+1)*f.K : (j+2)*f.K]
	}
	at := 0 // of found
	for n, i := range f.order {
		var hits []int32
		if n < known {
			hits = f.found[at : at+length[i]]
			at += length[i]
		} else {
			hits = f.find(int(i))
		}
		centre := f.rule.centre(f.a, int(i))
		for _, j := range hits {
			f.cols[j].push(rank{f.rule.statistic(centre, f.a, f.b, int(i), int(j)), f.steps(j, i)})
		}
		if err := work.add(4*len(hits), 0); err != nil {
			return err
		}
	}
	for _, i := range f.order[known:] {
		hits := f.find(int(i))
		if len(hits) > f.K {
			hits = f.choose(hits, i)
		}
		length[i] = len(hits)
		f.found = append(f.found, hits...)
		if err := work.add(4*len(hits), len(hits)); err != nil {
			return err
		}
	}
	return work.end()
}

// choose keeps, in place, those detections of row i that are among the K best
// of the row or have the row among their K best.
func (f *Finder) choose(hits []int32, i int32) []int32 {
	f.row = f.row[:0]
	f.stats = resize(f.stats, len(hits))
	centre := f.rule.centre(f.a, int(i))
	for k, j := range hits {
		f.stats[k] = f.rule.statistic(centre, f.a, f.b, int(i), int(j))
		f.row.push(rank{f.stats[k], f.steps(i, j)})
	}
	kept := hits[:0]
	for k, j := range hits {
		s := f.stats[k]
		if f.row.has(rank{s, f.steps(i, j)}) || f.cols[j].has(rank{s, f.steps(j, i)}) {
			kept = append(kept, j)
		}
	}
	return kept
}
