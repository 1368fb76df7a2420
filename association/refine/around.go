package refine

import (
	"iter"
	"math"
	"slices"

	"mtt/association/chain"
	"mtt/gating"
	"mtt/internal/slab"
)

// This file lists what a move may change around what is new.
//
// Problem. The second look at a scan of a window has news of few tracks, and to list all the
// others, only to leave them out, takes nearly as long as the first.
//
// Idea. The groups with news are grown from it: from a part of a track to what it may go on to, and
// from there to all that may go on to that, for which what is remembered of the window is read the
// other way round, and made only of scans in which something ends, begins or passes by. The parts
// of these groups, in the order in which they are listed among all, make the same assignment
// problem as when all are listed: the answer is the same, to the last bit.
//
// Cost. Time is in proportion to what the groups have, but for a look at the stamp of each
// detection. Where the groups turn out to be large, all is listed.

// around is the workspace.
type around struct {
	rows, cols []chain.Node // visited, in the order of their visits
	keys       []int64      // of exchange: which place it is
	ptr        []int        // of a row: what it may go on to is list[ptr[i]:ptr[i+1]]
	list       []chain.Node
	order      []int32
	place      []int32 // of a visit: where it is in order
	dets       []int32
	loose      span
	pairs      []int64 // of these joins, by the second
	ident      []int32
	any        []bool // of scans: some part of a track that is asked for ends or begins there
	most       int    // visits after which all is listed
}

// begin forgets what was visited. all is how much would be listed else.
func (x *around) begin(all int) {
	x.rows, x.cols, x.keys, x.list, x.ptr = x.rows[:0], x.cols[:0], x.keys[:0], x.list[:0], append(x.ptr[:0], 0)
	x.most = all / 16
}

// many says whether there is so much that it is not worth while.
func (x *around) many() bool { return len(x.rows)+len(x.cols) > x.most }

// add appends detections of scan t to the list of the last row.
func (x *around) add(t int32, dets []int32) {
	for _, j := range dets {
		x.list = append(x.list, chain.Node{T: t, Det: j})
	}
}

// sorted puts 0 to n−1 in order by key, and says where each is then.
func (x *around) sorted(n int, key func(i int32) int64) (order, place []int32) {
	x.order, x.place = slab.Grow(x.order, n), slab.Grow(x.place, n)
	for i := range x.order {
		x.order[i] = int32(i)
	}
	slices.SortFunc(x.order, func(a, b int32) int { return int(min(1, max(-1, key(a)-key(b)))) })
	for k, i := range x.order {
		x.place[i] = int32(k)
	}
	return x.order, x.place
}

// nearby says whether a move at scan t is one that can be listed around what changed since.
func (m *mover[S, E]) nearby(t int32, since int64) bool {
	return since >= 0 && m.tight && !m.busy && m.memory != nil && !m.memory.crowded && m.long == m.reach && t%m.stride == 0
}

// nearOf is what is remembered of scan u and v; nil: nothing is.
func (m *mover[S, E]) nearOf(u, v int32) *near {
	if !m.prepare(u, v) {
		return nil
	}
	return m.remembered(u, v)
}

// anyOf says whether any detection of scan u is so.
func (m *mover[S, E]) anyOf(u int32, so func(h chain.Node) bool) bool {
	for i := range m.Next[u] {
		if so(chain.At(u, i)) {
			return true
		}
	}
	return false
}

// transposed are the pairs of scans t and t+1 inside the gate, by the detections of the second.
func (y *memory) transposed(gates []gating.CSR, t int32) *gating.CSC {
	if y.into[t] == nil {
		if n := len(y.unturned) - 1; n >= 0 {
			y.into[t], y.unturned = y.unturned[n], y.unturned[:n]
		}
		y.into[t] = gating.Transpose(y.into[t], &gates[t])
	}
	return y.into[t]
}

// whom are the states near which detection j lies.
func (n *near) whom(j int32) iter.Seq[int32] {
	return func(yield func(i int32) bool) {
		for _, i := range n.cols.at(j) {
			if n.newer[i] < 0 && !yield(i) {
				return
			}
		}
		if !n.turned {
			n.turned, n.pairs = true, n.pairs[:0]
			for k, i := range n.fresh {
				for _, j := range n.latest[k] {
					n.pairs = append(n.pairs, int64(j)<<32|int64(i))
				}
			}
			slices.Sort(n.pairs)
		}
		for i := range paired(n.pairs, j) {
			if !yield(i) {
				return
			}
		}
	}
}

// paired are the second halves of the pairs, in order, whose first is j.
func paired(pairs []int64, j int32) iter.Seq[int32] {
	return func(yield func(i int32) bool) {
		at, _ := slices.BinarySearch(pairs, int64(j)<<32)
		for ; at < len(pairs) && int32(pairs[at]>>32) == j; at++ {
			if !yield(int32(pairs[at])) {
				return
			}
		}
	}
}

// key is a number by which nodes are in order.
func key(h chain.Node) int64 { return int64(h.T)<<32 | int64(h.Det) }

// partsAround is listParts of the groups with news since then, all of which take part. It is false
// where all are to be listed.
func (m *mover[S, E]) partsAround(t int32, since int64) bool {
	if !m.nearby(t, since) {
		return false
	}
	first, last := max(0, t+1-m.long), min(t+m.reach, int32(len(m.scans)-1))
	isPrefix := func(a chain.Node) bool {
		n := m.Next[a.T][a.Det]
		if a.T == t {
			return n == chain.None || n.T <= last
		}
		return n == chain.None && !(t+1-a.T > m.lone && m.Prev[a.T][a.Det] == chain.None) || n.T > t && n.T <= last
	}
	isSuffix := func(b chain.Node) bool {
		p := m.Prev[b.T][b.Det]
		if b.T == t+1 {
			return p == chain.None || p.T >= first
		}
		return p == chain.None && !(b.T-t > m.lone && m.Next[b.T][b.Det] == chain.None) || p.T <= t && p.T >= first
	}
	x, c := &m.around, &m.parts
	x.begin(len(m.Next[t]) + len(m.Prev[t+1]))
	c.row, c.col = m.numbers(c.row, first, t+1, nil), m.numbers(c.col, t+1, last+1, nil)
	visitRow := func(a chain.Node) {
		if n := &c.row[a.T-first][a.Det]; *n < 0 {
			*n = int32(len(x.rows))
			x.rows = append(x.rows, a)
		}
	}
	visitCol := func(b chain.Node) {
		if n := &c.col[b.T-t-1][b.Det]; *n < 0 {
			*n = int32(len(x.cols))
			x.cols = append(x.cols, b)
		}
	}
	for u := first; u <= last; u++ {
		for i, when := range m.stamp[u] {
			if when <= since {
				continue
			}
			switch h := chain.At(u, i); {
			case u <= t && isPrefix(h):
				visitRow(h)
			case u > t && isSuffix(h):
				visitCol(h)
			}
		}
		if x.many() {
			return false
		}
	}
	x.any = slab.Grow(x.any, int(last-first)+1)
	for u := first; u <= last; u++ {
		is := isPrefix
		if u > t {
			is = isSuffix
		}
		x.any[u-first] = m.anyOf(u, is)
	}
	for u := first; u <= t; u++ {
		for v := max(t+1, u+2); v <= min(last, u+m.reach); v++ {
			if x.any[u-first] && x.any[v-first] && m.nearOf(u, v) == nil {
				return false
			}
		}
	}
	into := m.memory.transposed(m.gates, t)
	m.looseAround(t, last)
	s := &x.loose
	// joins appends what prefix a may go on to in scan v, over misses.
	joins := func(dst []int32, a chain.Node, v int32) []int32 {
		w := &m.reached
		w.chosen = w.chosen[:0]
		for _, j := range m.memory.nears[v][v-a.T-2].of(a.Det) {
			if isSuffix(chain.At(v, j)) {
				w.chosen = append(w.chosen, j)
			}
		}
		if len(w.chosen) == 0 || m.gain(a, v) <= 0 {
			return dst
		}
		return m.some(dst, w.chosen, a, v, gapMost)
	}
	for r, k := 0, 0; r < len(x.rows) || k < len(x.cols); {
		if x.many() {
			return false
		}
		if r < len(x.rows) {
			a := x.rows[r]
			r++
			if a.T == t {
				x.dets = m.next(x.dets[:0], a)
				for _, j := range x.dets {
					if b := chain.At(t+1, j); isSuffix(b) {
						x.list = append(x.list, b)
					}
				}
				if n, ok := slices.BinarySearch(s.rows, a.Det); ok {
					x.add(t+1, s.cols[s.ptr[n]:s.ptr[n+1]])
				}
			}
			for v := max(t+1, a.T+2); v <= min(last, a.T+m.reach); v++ {
				if x.any[v-first] {
					x.dets = joins(x.dets[:0], a, v)
					x.add(v, x.dets)
				}
			}
			for _, b := range x.list[x.ptr[len(x.ptr)-1]:] {
				visitCol(b)
			}
			x.ptr = append(x.ptr, len(x.list))
			if n := m.Next[a.T][a.Det]; n != chain.None {
				visitCol(n)
			}
			continue
		}
		b := x.cols[k]
		k++
		if p := m.Prev[b.T][b.Det]; p != chain.None {
			visitRow(p)
		}
		unseen := func(a chain.Node) bool { return c.row[a.T-first][a.Det] < 0 && isPrefix(a) }
		if b.T == t+1 {
			for _, i := range into.Row[into.Ptr[b.Det]:into.Ptr[b.Det+1]] {
				if a := chain.At(t, i); unseen(a) {
					if x.dets = m.next(x.dets[:0], a); slices.Contains(x.dets, b.Det) {
						visitRow(a)
					}
				}
			}
			for i := range paired(x.pairs, b.Det) {
				visitRow(chain.At(t, i))
			}
		}
		for u := max(first, b.T-m.reach); u <= min(t, b.T-2); u++ {
			if !x.any[u-first] {
				continue
			}
			for i := range m.memory.nears[b.T][b.T-u-2].whom(b.Det) {
				if a := chain.At(u, i); unseen(a) {
					if x.dets = joins(x.dets[:0], a, b.T); slices.Contains(x.dets, b.Det) {
						visitRow(a)
					}
				}
			}
		}
	}
	m.partsFound(t, first)
	return true
}

// partsFound puts what partsAround visited in order.
func (m *mover[S, E]) partsFound(t, first int32) {
	x, c := &m.around, &m.parts
	order, place := x.sorted(len(x.cols), func(i int32) int64 { return key(x.cols[i]) })
	c.suffixes = c.suffixes[:0]
	for _, i := range order {
		c.suffixes = append(c.suffixes, x.cols[i])
	}
	for i, b := range x.cols {
		c.col[b.T-t-1][b.Det] = place[i]
	}
	order, _ = x.sorted(len(x.rows), func(i int32) int64 {
		if a := x.rows[i]; a.T < t { // after those that end in scan t
			return key(a)
		}
		return int64(x.rows[i].Det) - 1<<32
	})
	c.prefixes, c.now = c.prefixes[:0], c.now[:0]
	for _, i := range order {
		a, now := x.rows[i], int32(-1)
		if n := m.Next[a.T][a.Det]; n != chain.None {
			now = c.col[n.T-t-1][n.Det]
		}
		c.prefixes, c.now = append(c.prefixes, a), append(c.now, now)
	}
	c.reset(len(c.suffixes))
	for k, i := range order {
		for _, b := range x.list[x.ptr[i]:x.ptr[i+1]] {
			c.maybe[k] = append(c.maybe[k], c.col[b.T-t-1][b.Det])
		}
	}
}

// looseAround finds the joins between loose ends of scans t and t+1 that the gate has kept apart,
// by their detections.
func (m *mover[S, E]) looseAround(t, last int32) {
	x, s := &m.around, &m.around.loose
	s.from, s.to = s.from[:0], s.to[:0]
	for i, n := range m.Next[t] {
		if n == chain.None {
			s.from = append(s.from, chain.At(t, i))
		}
	}
	for j, p := range m.Prev[t+1] {
		if p == chain.None {
			s.to = append(s.to, chain.At(t+1, j))
		}
	}
	s.rows, s.ptr, s.cols, x.pairs = s.rows[:0], append(s.ptr[:0], 0), s.cols[:0], x.pairs[:0]
	if len(s.from) == 0 || len(s.to) == 0 {
		return
	}
	for n := len(x.ident); n < max(len(m.Next[t]), len(m.Prev[t+1])); n++ {
		x.ident = append(x.ident, int32(n))
	}
	s.row, s.col, s.g, s.any, s.known = x.ident, x.ident, beyond, false, false
	s.alone = slab.Grow(s.alone, len(s.to))
	slab.Fill(s.alone, math.Inf(1)) // nobody asks: see listJoins
	m.joins(s)
	for n, i := range s.rows {
		for _, j := range s.cols[s.ptr[n]:s.ptr[n+1]] {
			x.pairs = append(x.pairs, int64(j)<<32|int64(i))
		}
	}
	slices.Sort(x.pairs)
}

// placesAround is listPlaces of the groups with news since then. It is false where all are to be
// listed; else visited are the detections that take part with all places of the list.
func (m *mover[S, E]) placesAround(t int32, since int64) bool {
	if !m.nearby(t, since) || int(t) >= len(m.gates) {
		return false
	}
	first, end := max(0, t-m.reach), int32(len(m.scans))
	x, s := &m.around, &m.places
	x.begin(2 * len(m.Next[t]))
	s.visited = m.numbers(s.visited, first, min(t+m.reach+1, end), nil)
	visited := func(h chain.Node) *int32 { return &s.visited[h.T-first][h.Det] }
	const in, before, after = 0, 1, 2 // the scan; places of whose tracks the last detection before it, the first after it, is told
	visit := func(kind int64, h chain.Node) {
		// A detection of the scan is a column, and the place that it is in, if there is one, is
		// visited with it.
		if n := visited(h); *n < 0 {
			*n = int32(len(x.rows))
			x.rows, x.keys = append(x.rows, h), append(x.keys, kind<<56|key(h))
		}
	}
	visitDet := func(i int32) {
		if n := visited(chain.At(t, i)); *n < 0 {
			*n = 0
			x.cols = append(x.cols, chain.At(t, i))
		}
	}
	// visitFrom visits the place of the track that has h, before the scan.
	visitFrom := func(h chain.Node) {
		n := m.Next[h.T][h.Det]
		switch {
		case n.T == t:
			visitDet(n.Det)
		case h.T >= first && (n == chain.None && !(t-h.T > m.lone && m.Prev[h.T][h.Det] == chain.None) || n.T > t):
			visit(before, h)
		}
	}
	// visitTo visits that of the track that has h, after the scan.
	visitTo := func(h chain.Node) {
		p := m.Prev[h.T][h.Det]
		switch {
		case p.T == t:
			visitDet(p.Det)
		case p.T >= 0 && p.T < t:
			visitFrom(p)
		case p == chain.None && h.T <= t+m.reach && !(h.T-t > m.lone && m.Next[h.T][h.Det] == chain.None):
			visit(after, h)
		}
	}
	for u := max(0, int(t)-m.span); u <= min(int(t)+m.span, len(m.scans)-1); u++ {
		for i, when := range m.stamp[u] {
			if when <= since {
				continue
			}
			switch h := chain.At(u, i); {
			case h.T < t:
				visitFrom(h)
			case h.T == t:
				visitDet(h.Det)
			default:
				visitTo(h)
			}
		}
		if x.many() {
			return false
		}
	}
	x.any = slab.Grow(x.any, int(t-first))
	for u := first; u < t-1; u++ {
		x.any[u-first] = m.anyOf(u, func(h chain.Node) bool {
			n := m.Next[h.T][h.Det]
			return n == chain.None || n.T >= t
		})
		if x.any[u-first] && m.nearOf(u, t) == nil {
			return false
		}
	}
	onto := m.memory.transposed(m.gates, t)
	var into *gating.CSC
	if t > 0 {
		into = m.memory.transposed(m.gates, t-1)
	}
	// seats appends the detections that may be in a place.
	seats := func(dst []int32, from, to chain.Node) []int32 {
		switch {
		case from == chain.None:
			if to.T == t+1 {
				dst = append(dst, onto.Row[onto.Ptr[to.Det]:onto.Ptr[to.Det+1]]...)
			}
		case from.T == t-1:
			dst = m.next(dst, from)
		default:
			dst = m.some(dst, m.memory.nears[t][t-from.T-2].of(from.Det), from, t, gapMost)
		}
		return slices.DeleteFunc(dst, func(i int32) bool { return m.Prev[t][i] == chain.Past })
	}
	seat := func(h chain.Node) (from, to chain.Node) {
		switch {
		case h.T < t:
			return h, m.Next[h.T][h.Det]
		case h.T > t:
			return chain.None, h
		}
		return m.Prev[t][h.Det], m.Next[t][h.Det]
	}
	for r, k := 0, 0; r < len(x.rows) || k < len(x.cols); {
		if x.many() {
			return false
		}
		if r < len(x.rows) {
			from, to := seat(x.rows[r])
			r++
			if from.T >= 0 && from.T < first {
				return false
			}
			x.dets = seats(x.dets[:0], from, to)
			for _, i := range x.dets {
				visitDet(i)
			}
			x.add(t, x.dets)
			x.ptr = append(x.ptr, len(x.list))
			continue
		}
		i := x.cols[k].Det
		k++
		if from, to := m.Prev[t][i], m.Next[t][i]; from != chain.Past && (from != chain.None || to != chain.None) {
			*visited(x.cols[k-1]) = int32(len(x.rows))
			x.rows, x.keys = append(x.rows, x.cols[k-1]), append(x.keys, in<<56|key(x.cols[k-1]))
		}
		if m.Prev[t][i] == chain.Past {
			continue // nobody may have it
		}
		may := func(a chain.Node) bool {
			x.dets = seats(x.dets[:0], a, chain.None)
			return slices.Contains(x.dets, i)
		}
		if into != nil {
			for _, j := range into.Row[into.Ptr[i]:into.Ptr[i+1]] {
				if a := chain.At(t-1, j); may(a) {
					visitFrom(a)
				}
			}
		}
		for u := first; u < t-1; u++ {
			if !x.any[u-first] {
				continue
			}
			for j := range m.memory.nears[t][t-u-2].whom(i) {
				if a := chain.At(u, j); may(a) {
					visitFrom(a)
				}
			}
		}
		for _, j := range m.gates[t].Row(int(i)) {
			if p := m.Prev[t+1][j]; p == chain.None || p.T == t && m.Prev[t][p.Det] == chain.None {
				visitTo(chain.At(t+1, j))
			}
		}
	}
	order, _ := x.sorted(len(x.rows), func(i int32) int64 { return x.keys[i] })
	s.list, s.now = s.list[:0], s.now[:0]
	for _, i := range order {
		h, now := x.rows[i], int32(-1)
		from, to := seat(h)
		if h.T == t {
			now = h.Det
		}
		s.list, s.now = append(s.list, place{from, to}), append(s.now, now)
	}
	s.reset(m.scans[t].Len())
	for k, i := range order {
		for _, h := range x.list[x.ptr[i]:x.ptr[i+1]] {
			s.maybe[k] = append(s.maybe[k], h.Det)
		}
	}
	return true
}
