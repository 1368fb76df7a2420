package gating

import (
	"slices"

	"mtt"
	"mtt/internal/workers"
)

// This file caps crowded rows and columns at their K best pairs.

// InSight and InCrowd are K and Few of finders that are to leave out nothing but in crowds: of
// hundreds of points in a ball, or balls around a point, the nearest are listed, as thousands of
// detections at one place would be as many pairs as that squared. Where there are more than a
// hundred for each detection of two scans, a dozen are.
const InSight, InCrowd = 100, 12

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

// setSame finds the detections of b that equal the one before in all that they report. Thousands at one
// place, as of a sensor that is stuck, have as many pairs as that squared, and few statistics.
func (f *Finder) setSame() {
	f.same, f.twins = resize(f.same, f.b.Len()), false
	if f.K == 0 || f.b.Len() <= f.K {
		return
	}
	for j := range f.same {
		f.same[j] = j > 0 && equal(f.b, j-1, j)
		f.twins = f.twins || f.same[j]
	}
}

// equal reports whether detections i and j of s are the same in all that they report.
func equal(s *mtt.Scan, i, j int) bool {
	return slices.Equal(s.At(i), s.At(j)) && slices.Equal(s.VelAt(i), s.VelAt(j)) && slices.Equal(s.CovAt(i), s.CovAt(j)) &&
		slices.Equal(s.VelCovAt(i), s.VelCovAt(j)) && (s.Size == nil || slices.Equal(s.Size[2*i:2*i+2], s.Size[2*j:2*j+2])) &&
		(s.Conf == nil || s.Conf[i] == s.Conf[j]) && (s.Class == nil || s.Class[i] == s.Class[j]) && slices.Equal(s.FeatAt(i), s.FeatAt(j))
}

// twins are the statistics of one row, in order of columns: that of a detection that is the same as
// the one before is known.
type twins struct {
	f     *Finder
	after int32 // the column after the last one that was asked for
	last  float64
}

func (w *twins) statistic(centre [3]float64, i, j int32) float64 {
	if !w.f.twins || j != w.after || !w.f.same[j] { // same[0] is false
		w.last = w.f.rule.statistic(centre, w.f.a, w.f.b, int(i), int(j))
	}
	w.after = j + 1
	return w.last
}

// collectCapped is collect for the pairs that are among the K best of their
// row or column. Those of a row of up to K are, so nothing is to be ranked until a row turns out to be
// longer.
func (f *Finder) collectCapped(length []int) error {
	if ok, err := f.collectShared(length); ok || err != nil {
		return err
	}
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

// A share is what was found of some rows.
type share struct {
	hits, found []int32
	crowded     bool // a row is longer than K
	err         error
}

// partRows is how many rows a goroutine looks at: a millisecond.
const partRows = 2048

// collectShared is collectCapped by many goroutines. It is false where there is one, or a row is
// longer than K.
func (f *Finder) collectShared(length []int) (ok bool, err error) {
	n := len(f.order) / partRows
	if f.Workers < 2 || n < 2 {
		return false, nil
	}
	if len(f.shares) < n {
		f.shares = append(f.shares, make([]share, n-len(f.shares))...)
	}
	shares := f.shares[:n]
	workers.Each(f.Workers, n, func(_, k int) {
		p := &shares[k]
		p.found, p.crowded, p.err = p.found[:0], false, nil
		work := work{tick: f.tick}
		for _, i := range f.order[k*len(f.order)/n : (k+1)*len(f.order)/n] {
			p.hits = f.findInto(p.hits, int(i))
			if p.crowded = len(p.hits) > f.K; p.crowded {
				return
			}
			length[i] = len(p.hits)
			p.found = append(p.found, p.hits...)
			if p.err = work.add(len(p.hits), len(p.hits)); p.err != nil {
				return
			}
		}
		p.err = work.end()
	})
	f.found = f.found[:0]
	for k := range shares {
		if shares[k].crowded || shares[k].err != nil {
			return false, shares[k].err
		}
		f.found = append(f.found, shares[k].found...)
	}
	return true, nil
}

// collectCrowded is collectCapped from the first row that is longer than K on, before which known
// rows lie: a pass over all learns the K best of each column, a second one chooses. Where that
// comes to many pairs for each detection, the best are found without looking at all.
func (f *Finder) collectCrowded(length []int, known int, work work) error {
	if f.Few > 0 {
		if many, err := f.many(&work); err != nil {
			return err
		} else if many {
			return f.collectNearest(length, work)
		}
	}
	f.ranks = resize(f.ranks, (f.b.Len()+1)*f.K)
	f.row = f.ranks[:0:f.K]
	f.cols = resize(f.cols, f.b.Len())
	for j := range f.cols {
		f.cols[j] = f.ranks[(j+1)*f.K : (j+1)*f.K : (j+2)*f.K]
	}
	at, pairs := 0, 0 // of found; looked at
	for n, i := range f.order {
		var hits []int32
		if n < known {
			hits = f.found[at : at+length[i]]
			at += length[i]
		} else {
			hits = f.find(int(i))
		}
		centre, twin := f.rule.centre(f.a, int(i)), twins{f: f}
		for _, j := range hits {
			f.cols[j].push(rank{twin.statistic(centre, i, j), f.steps(j, i)})
		}
		if pairs += len(hits); pairs > f.most && f.bounded() && f.Few == 0 {
			return f.collectNearest(length, work)
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

// many reports whether there are more than most pairs, where Few has collectNearest take over then.
func (f *Finder) many(work *work) (bool, error) {
	pairs := 0
	for _, i := range f.order {
		hits, _ := f.inside(int(i))
		if pairs += len(hits); pairs > f.most {
			return f.bounded(), nil
		}
		if err := work.add(len(hits), 0); err != nil {
			return false, err
		}
	}
	return false, nil
}

// choose keeps, in place, those detections of row i that are among the K best
// of the row or have the row among their K best.
func (f *Finder) choose(hits []int32, i int32) []int32 {
	f.row = f.row[:0]
	f.stats = resize(f.stats, len(hits))
	centre, twin := f.rule.centre(f.a, int(i)), twins{f: f}
	for k, j := range hits {
		f.stats[k] = twin.statistic(centre, i, j)
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
