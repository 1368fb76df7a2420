package refine

import (
	"context"
	"math"

	"mtt"
	"mtt/association/chain"
	"mtt/internal/slab"
	"mtt/internal/workers"
)

// This file holds the first move of the refinement: rematch.

// parts is the workspace of rematch: prefixes are its rows, suffixes its columns.
type parts[S comparable, E any] struct {
	neighbourhood
	prices             prices[S, E] // what weigh is told; none before the first time
	prefixes, suffixes []chain.Node
	row, col           [][]int32 // of detection i of the k-th scan from the first that takes part: its prefix and suffix; -1
	alone              []float64 // of the suffixes: what beginning on its own costs, but for what it says of itself; +Inf: all joins are looked at
	late               []chain.Node
	ends               []int // of the prefixes of each scan before the cut, after them
	spans              []span
}

// A span is what is asked and found of the joins from prefixes that end in one scan to suffixes
// that begin in a later one.
type span struct {
	from, to []chain.Node
	row, col []int32   // of the detections of those scans: their prefixes and suffixes
	alone    []float64 // of to: what beginning on its own costs
	g        float64   // squared Mahalanobis distance
	any      bool      // not of loose ends only
	known    bool      // what is near may be remembered

	rows []int32 // prefixes with joins
	ptr  []int   // joins of rows[i] are cols[ptr[i]:ptr[i+1]]
	cols []int32 // suffixes
}

// rematch matches the prefixes that end by scan t anew with the suffixes that begin
// after it, as far as there is news, and reports whether that made things cheaper.
// Prefixes that ended up to reach scans ago and suffixes that begin up to reach
// scans later take part, which closes gaps of reach−1 missed detections.
func (m *mover[S, E]) rematch(ctx context.Context, t int32) (better bool, err error) {
	now := &m.looks[t]
	better, err = m.weighRematch(ctx, t, now.rematch)
	now.rematch = m.clock
	if !better || err != nil {
		return false, err
	}
	c := &m.parts
	for i := range m.changes(&c.neighbourhood) {
		c.forget(c.prefixes[i].Det)
		m.unlink(c.prefixes[i])
	}
	for i, to := range m.changes(&c.neighbourhood) {
		if to.is >= 0 {
			m.link(c.prefixes[i], c.suffixes[to.is])
		}
	}
	return true, nil
}

// rematched appends the detections at which the matching that was found differs from
// what is there now.
func (m *mover[S, E]) rematched(list []chain.Node) []chain.Node {
	c := &m.parts
	for i, to := range m.changes(&c.neighbourhood) {
		list = append(list, c.prefixes[i])
		for _, k := range [2]int32{to.was, to.is} {
			if k >= 0 {
				list = append(list, c.suffixes[k])
			}
		}
	}
	return list
}

// weighRematch finds the best matching of the parts before and after the end of scan
// t, of those with news since then, and reports whether it is cheaper.
func (m *mover[S, E]) weighRematch(ctx context.Context, t int32, since int64) (better bool, err error) {
	c := &m.parts
	if m.quick && m.oneTrack(t+1-m.long, t+m.reach) {
		return false, ctx.Err()
	}
	if c.prices.pair == nil {
		c.prices = m.pricesOfParts()
	}
	if m.partsAround(t, since) {
		c.calm, c.stays = nil, nil
		c.choose(true, m.quick, nil, nil)
	} else {
		m.listParts(t)
		m.chooseParts(t, since)
	}
	return m.weigh(ctx, &c.neighbourhood, &c.prices)
}

// pricesOfParts are the prices of rematch.
func (m *mover[S, E]) pricesOfParts() prices[S, E] {
	c := &m.parts
	return prices[S, E]{
		rowMiss: func(m *mover[S, E], i int32) float64 { return m.ended(c.prefixes[i]) },
		colMiss: func(m *mover[S, E], k int32) float64 { return m.begun(c.suffixes[k]) },
		pair: func(m *mover[S, E], i, k int32, most float64) float64 {
			return m.joinRow(c.prefixes[i], c.suffixes[k], most)
		},
		own: func(m *mover[S, E], i, k int32) (float64, bool) {
			if m.courses != nil {
				return m.joinCourse(c.prefixes[i], c.suffixes[k]), true
			}
			return m.joinSmooth(c.prefixes[i], c.suffixes[k]), true
		},
		least: func(m *mover[S, E], i, k int32) float64 { return m.leastRow(c.prefixes[i], c.suffixes[k]) },
		key:   func(i int32) int32 { return c.prefixes[i].Det },
	}
}

// chooseParts chooses those of listParts with news since then.
func (m *mover[S, E]) chooseParts(t int32, since int64) {
	c := &m.parts
	news := func(list []chain.Node) func(i int) bool {
		return func(i int) bool { return m.stamp[list[i].T][list[i].Det] > since }
	}
	c.calm, c.stays = m.calmAt(ofParts, t), nil
	if m.courses != nil {
		c.stays = func(i int) bool {
			a, b := c.prefixes[i], c.suffixes[c.now[i]]
			stays := m.joinCourse(a, b) <= m.ended(a)+m.leastBegun(b)
			if stays {
				c.note(int32(i), true, c.prices.key)
			}
			return stays
		}
	}
	c.choose(since < 0, m.quick, news(c.prefixes), news(c.suffixes))
	if c.calm != nil && since >= 0 {
		c.doze(c.prices.key, news(c.prefixes), news(c.suffixes))
	}
}

// listParts collects the prefixes and suffixes before and after the end of scan t,
// and the joins that are worth a look: those inside the gate from scan t to scan t+1,
// and over gaps those from a prefix that ends in scan t and those to a suffix that
// begins in scan t+1.
func (m *mover[S, E]) listParts(t int32) {
	c := &m.parts
	c.prefixes, c.suffixes = c.prefixes[:0], c.suffixes[:0]
	// Links longer than reach, should there be any, take no part.
	first, last := max(0, t+1-m.long), min(t+m.reach, int32(len(m.scans)-1))
	takes := func(u int32) bool { return u == t || u == t+1 || u < t && m.passes(u, t) || u > t && m.passed(u, t+1) }
	c.row, c.col = m.numbers(c.row, first, t+1, takes), m.numbers(c.col, t+1, last+1, takes)
	addPrefix := func(a chain.Node) {
		c.row[a.T-first][a.Det] = int32(len(c.prefixes))
		c.prefixes = append(c.prefixes, a)
	}
	addSuffix := func(b chain.Node) {
		c.col[b.T-t-1][b.Det] = int32(len(c.suffixes))
		c.suffixes = append(c.suffixes, b)
	}
	for i, n := range m.Next[t] {
		if n == chain.None || n.T <= last {
			addPrefix(chain.At(t, i))
		}
	}
	for j, p := range m.Prev[t+1] {
		if p == chain.None || p.T >= first {
			addSuffix(chain.At(t+1, j))
		}
	}
	here, near := len(c.prefixes), len(c.suffixes)
	c.ends = c.ends[:0]
	for u := first; u < t; u++ {
		for i, n := range m.Next[u][:len(c.row[u-first])] {
			if n == chain.None && !(t+1-u > m.lone && m.Prev[u][i] == chain.None) || n.T > t && n.T <= last {
				addPrefix(chain.At(u, i))
			}
		}
		c.ends = append(c.ends, len(c.prefixes))
	}
	for u := t + 2; u <= last; u++ {
		for j, p := range m.Prev[u][:len(c.col[u-t-1])] {
			if p == chain.None && !(u-t > m.lone && m.Next[u][j] == chain.None) || p.T <= t && p.T >= first {
				addSuffix(chain.At(u, j))
			}
		}
	}
	c.now = c.now[:0]
	for _, a := range c.prefixes {
		now := int32(-1)
		if n := m.Next[a.T][a.Det]; n != chain.None {
			now = c.col[n.T-t-1][n.Det]
		}
		c.now = append(c.now, now)
	}
	c.reset(len(c.suffixes))
	m.share(here, func(m *mover[S, E], from, to int) {
		for i, a := range c.prefixes[from:to] {
			m.reached.chosen = m.next(m.reached.chosen[:0], a)
			for _, j := range m.reached.chosen {
				if col := c.col[0][j]; col >= 0 {
					c.maybe[from+i] = append(c.maybe[from+i], col)
				}
			}
		}
	})
	m.listJoins(t, first, last, here, near)
}

// listJoins adds the joins beyond the gate to those of listParts. here and near count
// the prefixes that end in scan t and the suffixes that begin in scan t+1, which come
// first. All movers look for them, unless they are busy.
func (m *mover[S, E]) listJoins(t, first, last int32, here, near int) {
	c := &m.parts
	spans, end := c.spans[:0], here
	if m.tight { // in a window nobody asks: what lies nearest is looked at
		for len(c.alone) < len(c.suffixes) {
			c.alone = append(c.alone, math.Inf(1))
		}
	} else {
		c.alone = c.alone[:0]
		for _, b := range c.suffixes {
			c.alone = append(c.alone, m.single(b))
		}
	}
	add := func(from, to []chain.Node, row, col []int32, alone []float64, g float64, any bool) {
		if len(from) == 0 || len(to) == 0 {
			return
		}
		spans = slab.Keep(spans, len(spans)+1)
		s := &spans[len(spans)-1]
		s.from, s.to, s.row, s.col, s.alone, s.g, s.any = from, to, row, col, alone, g, any
		s.known = any && m.prepare(from[0].T, to[0].T)
	}
	late := c.late[:0] // suffixes that begin in the next scan, of tracks of their own, or after many misses
	for _, b := range c.suffixes[:near] {
		if p := m.Prev[b.T][b.Det]; m.long > m.reach && (p == chain.None || b.T-p.T > m.reach) {
			late = append(late, b)
		}
	}
	c.late = late
	for u := first; u <= t; u++ {
		from := c.prefixes[:here]
		if u < t {
			from = c.prefixes[end:c.ends[u-first]]
			end += len(from)
		}
		if len(from) == 0 {
			continue
		}
		if t+1-u > m.reach { // what is remembered is of the scans since
			add(from, late, c.row[u-first], c.col[0], c.alone[:len(late)], likely, true)
			continue
		}
		// Loose ends in the next scan may have been kept apart by the gate.
		wide := likely
		if u == t {
			wide = beyond
		}
		add(from, c.suffixes[:near], c.row[u-first], c.col[0], c.alone[:near], wide, m.loose && u < t)
		if u < t && t%m.stride != 0 {
			continue
		}
		begin, until := near, min(last, u+m.reach)
		if begin < len(c.suffixes) {
			until = min(until, m.hope(from, m.loose))
		}
		for begin < len(c.suffixes) && c.suffixes[begin].T <= until {
			v, next := c.suffixes[begin].T, begin+1
			for next < len(c.suffixes) && c.suffixes[next].T == v {
				next++
			}
			add(from, c.suffixes[begin:next], c.row[u-first], c.col[v-t-1], c.alone[begin:next], likely, m.loose)
			begin = next
		}
	}
	c.spans = spans
	if m.busy || len(m.movers) == 1 || len(c.prefixes) < 1024 { // few: half a millisecond
		for k := range spans {
			m.joins(&spans[k])
		}
	} else {
		workers.Each(len(m.movers), len(spans), func(w, k int) { m.movers[w].joins(&spans[k]) })
	}
	for k := range spans {
		s := &spans[k]
		for i, row := range s.rows {
			c.maybe[row] = append(c.maybe[row], s.cols[s.ptr[i]:s.ptr[i+1]]...)
		}
	}
}

// strideOf is how many scans lie between two cuts at which joins are looked at that neither end nor
// begin there. Each is looked at where it begins, whatever the stride. With a long reach over scans
// of few detections, as where targets are seen seldom, nearly nothing differs from cut to cut, and
// each would look at as many pairs of scans as the square of the reach: so many as hold the
// detections of one sixteenth of it are enough.
func strideOf(scans []mtt.Scan, reach int32) int32 {
	dets := 1
	for t := range scans {
		dets += scans[t].Len()
	}
	return int32(max(1, float64(reach)/16*float64(len(scans))/float64(max(dets, len(scans)))))
}

// numbers returns a list for each scan from ≤ t < to, of −1 for each of its
// detections, in the memory of lists; an empty one for those that do not take part. takes nil: all do.
func (m *mover[S, E]) numbers(lists [][]int32, from, to int32, takes func(t int32) bool) [][]int32 {
	lists = slab.Grow(lists, int(to-from))
	for k := range lists {
		if takes != nil && !takes(from+int32(k)) {
			lists[k] = lists[k][:0]
			continue
		}
		lists[k] = slab.Grow(lists[k], m.scans[int(from)+k].Len())
		slab.Fill(lists[k], -1)
	}
	return lists
}

// joins finds the joins beyond the gate of a span that lie within its squared Mahalanobis distance.
// Unless any will do, both must be loose ends.
func (m *mover[S, E]) joins(s *span) {
	s.rows, s.ptr, s.cols = s.rows[:0], append(s.ptr[:0], 0), s.cols[:0]
	if s.known && m.recall(s) {
		return
	}
	w, u := &m.reached, s.to[0].T
	src := &m.scans[u]
	w.points, w.dets, w.spares = w.points[:0], w.dets[:0], w.spares[:0]
	dearest := m.dearest(u)
	for k, b := range s.to {
		if s.any || m.Prev[b.T][b.Det] == chain.None {
			w.points = append(w.points, src.At(int(b.Det))...)
			w.dets, w.spares = append(w.dets, b.Det), append(w.spares, dearest-s.alone[k])
		}
	}
	if len(w.dets) == 0 {
		return
	}
	w.ends, w.gains = w.ends[:0], w.gains[:0]
	w.centres, w.radii = w.centres[:0], w.radii[:0]
	for _, a := range s.from {
		if !s.any && m.Next[a.T][a.Det] != chain.None {
			continue
		}
		gain, ok := math.Inf(1), true
		if a.T+1 < u {
			gain, ok = m.hopeful(a, u)
		}
		if !ok {
			continue
		}
		w.ends, w.gains = append(w.ends, a), append(w.gains, gain)
		if a.T+1 < u {
			m.expected(a.T, u, s.g)
		} else {
			m.state = m.states[a.T][a.Det]
			m.expect(a.T, u, s.g)
		}
	}
	found := m.within(w.points)
	for i, a := range w.ends {
		if len(found.Row(i)) == 0 {
			continue
		}
		w.chosen = w.chosen[:0]
		for _, j := range found.Row(i) {
			if w.gains[i] > w.spares[j] {
				w.chosen = append(w.chosen, w.dets[j])
			}
		}
		addJoins(m, s, a)
	}
}

// addJoins adds the joins from prefix a to the suffixes with the detections that were chosen.
func addJoins[S comparable, E any](m *mover[S, E], s *span, a chain.Node) {
	n := len(s.cols)
	s.cols = m.some(s.cols, m.reached.chosen, a, s.to[0].T, gapMost)
	for ; n < len(s.cols); n++ {
		s.cols[n] = s.col[s.cols[n]]
	}
	s.rows, s.ptr = append(s.rows, s.row[a.Det]), append(s.ptr, len(s.cols))
}
