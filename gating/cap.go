package gating

// This file caps crowded rows and columns at their K best pairs.

// A rank orders pairs of one row or one column: smaller statistic first, then
// smaller index.
type rank struct {
	stat float64
	idx  int32
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

// capped fills dst with the pairs that are among the K best of their row or
// column. The first pass over the rows learns the K best of each column; when
// a row turns out to be longer than K, a second pass makes the choice.
func (f *Finder) capped(dst *CSR) {
	f.ranks = resize(f.ranks, (dst.Cols+1)*f.K)
	f.row = f.ranks[:0:f.K]
	f.cols = resize(f.cols, dst.Cols)
	for j := range f.cols {
		f.cols[j] = f.ranks[(j+1)*f.K : (j+1)*f.K : (j+2)*f.K]
	}
	long := false
	for i := range dst.Rows {
		hits := f.find(i)
		long = long || len(hits) > f.K
		for _, h := range hits {
			f.cols[h.det].push(rank{h.stat, int32(i)})
			if !long {
				dst.Col = append(dst.Col, h.det)
			}
		}
		dst.Ptr = append(dst.Ptr, len(dst.Col))
	}
	if !long {
		return
	}
	dst.Ptr = dst.Ptr[:1]
	dst.Col = dst.Col[:0]
	for i := range dst.Rows {
		hits := f.find(i)
		f.row = f.row[:0]
		for _, h := range hits {
			f.row.push(rank{h.stat, h.det})
		}
		for _, h := range hits {
			if f.row.has(rank{h.stat, h.det}) || f.cols[h.det].has(rank{h.stat, int32(i)}) {
				dst.Col = append(dst.Col, h.det)
			}
		}
		dst.Ptr = append(dst.Ptr, len(dst.Col))
	}
}
