package refine

import (
	"context"
	"math"
	"slices"

	"mtt/association/chain"
	"mtt/gating"
	"mtt/motion"
)

// This file holds the second move of the refinement: exchange.

// A place is one for a detection of scan t: in a track that comes from a detection
// before, goes on to one after, or both. Either may be none.
type place struct{ from, to chain.Node }

// places is the workspace of exchange: places are its rows, the detections of the scan
// its columns.
type places[S comparable, E any] struct {
	neighbourhood
	prices  prices[S, E] // what weigh is told; none before the first time
	scan    int32        // of the detections
	list    []place
	into    *gating.CSC
	ends    []chain.Node
	visited [][]int32 // of placesAround
}

// exchange takes the detections of scan t out of their tracks, as far as there is
// news, and puts each back into the track, or none, where all together fit best. It
// reports whether that made things cheaper. Tracks that pass over the scan, ended
// up to reach scans before it, or begin up to reach scans after it, have a place to
// offer.
func (m *mover[S, E]) exchange(ctx context.Context, t int32) (better bool, err error) {
	now := &m.looks[t]
	better, err = m.weighExchange(ctx, t, now.exchange)
	now.exchange = m.clock
	if !better || err != nil {
		return false, err
	}
	s := &m.places
	for k, to := range m.changes(&s.neighbourhood) {
		s.forget(to.was)
		s.forget(to.is)
		if from := s.list[k].from; from != chain.None {
			m.unlink(from)
		}
		if to.was >= 0 {
			m.unlink(chain.At(t, to.was))
		}
	}
	for k, to := range m.changes(&s.neighbourhood) {
		switch at := s.list[k]; {
		case to.is >= 0:
			d := chain.At(t, to.is)
			if at.from != chain.None {
				m.link(at.from, d)
			}
			if at.to != chain.None {
				m.link(d, at.to)
			}
		case at.from != chain.None && at.to != chain.None && m.bridged(at):
			m.link(at.from, at.to)
		}
	}
	return true, nil
}

// exchanged appends the detections at which the places that were found differ from
// those of now.
func (m *mover[S, E]) exchanged(list []chain.Node, t int32) []chain.Node {
	s := &m.places
	for k, to := range m.changes(&s.neighbourhood) {
		for _, h := range [2]chain.Node{s.list[k].from, s.list[k].to} {
			if h != chain.None {
				list = append(list, h)
			}
		}
		for _, det := range [2]int32{to.was, to.is} {
			if det >= 0 {
				list = append(list, chain.At(t, det))
			}
		}
	}
	return list
}

// weighExchange finds the best places for the detections of scan t, of those with news
// since then, and reports whether they are cheaper.
func (m *mover[S, E]) weighExchange(ctx context.Context, t int32, since int64) (better bool, err error) {
	s := &m.places
	if m.quick && m.oneTrack(t-m.long, t+m.reach) {
		return false, ctx.Err()
	}
	if s.scan = t; s.prices.pair == nil {
		s.prices = m.pricesOfPlaces()
	}
	if m.placesAround(t, since) {
		m.chooseVisited(t)
	} else {
		m.listPlaces(t)
		m.choosePlaces(t, since)
	}
	return m.weigh(ctx, &s.neighbourhood, &s.prices)
}

// pricesOfPlaces are the prices of exchange.
func (m *mover[S, E]) pricesOfPlaces() prices[S, E] {
	s := &m.places
	return prices[S, E]{
		rowMiss: func(m *mover[S, E], k int32) float64 { return m.vacant(s.list[k]) },
		colMiss: func(m *mover[S, E], i int32) float64 { return m.alone(chain.At(s.scan, i)) },
		pair: func(m *mover[S, E], k, i int32, most float64) float64 {
			return m.seated(s.list[k], chain.At(s.scan, i), most)
		},
		rowLeast: func(m *mover[S, E], k int32) (float64, float64) { return m.leastVacant(s.list[k]) },
		own: func(m *mover[S, E], k, i int32) (float64, bool) {
			if m.courses != nil && s.list[k].from != chain.None {
				return m.seatedCourse(s.list[k], chain.At(s.scan, i)), true
			}
			return m.seatedSmooth(s.list[k], chain.At(s.scan, i))
		},
		least: func(m *mover[S, E], k, i int32) float64 { return m.leastSeated(s.list[k], chain.At(s.scan, i)) },
		key:   func(k int32) int32 { return s.now[k] },
	}
}

// choosePlaces chooses those of listPlaces with news since then.
func (m *mover[S, E]) choosePlaces(t int32, since int64) {
	s := &m.places
	news := func(h chain.Node) bool { return h != chain.None && m.stamp[h.T][h.Det] > since }
	places := func(k int) bool { return news(s.list[k].from) || news(s.list[k].to) }
	dets := func(i int) bool { return m.stamp[t][i] > since }
	s.calm, s.stays = m.calmAt(ofPlaces, t), nil
	if m.courses != nil {
		s.stays = func(k int) bool {
			at, d := s.list[k], chain.At(t, s.now[k])
			stays := at.from != chain.None && m.seatedCourse(at, d) <= m.leastEmpty(at)+m.alone(d)
			if stays {
				s.note(int32(k), true, s.prices.key)
			}
			return stays
		}
	}
	s.choose(since < 0, m.quick, places, dets)
	if s.calm != nil && since >= 0 { // what a place costs with another detection is not news of that
		s.doze(s.prices.key, func(k int) bool { return places(k) || dets(int(s.now[k])) }, nil)
	}
}

// chooseVisited chooses those of placesAround.
func (m *mover[S, E]) chooseVisited(t int32) {
	s := &m.places
	s.calm, s.stays = nil, nil
	at := s.visited[t-max(0, t-m.reach)]
	s.choose(false, m.quick, func(int) bool { return true }, func(i int) bool { return at[i] >= 0 })
}

// listPlaces collects the places of scan t and what may go there. A detection whose track comes
// from before the window stays where it is: nothing is known of what it would be taken from.
func (m *mover[S, E]) listPlaces(t int32) {
	s := &m.places
	s.list, s.now = s.list[:0], s.now[:0]
	add := func(from, to chain.Node, now int32) {
		s.list, s.now = append(s.list, place{from, to}), append(s.now, now)
	}
	fixed := false
	for i, from := range m.Prev[t] {
		if from == chain.Past {
			fixed = true
		} else if to := m.Next[t][i]; from != chain.None || to != chain.None {
			add(from, to, int32(i))
		}
	}
	for u := max(0, t-m.long); u < t; u++ {
		if !m.passes(u, t) {
			continue
		}
		for i, to := range m.Next[u] {
			if to == chain.None && t-u <= m.reach && !(t-u > m.lone && m.Prev[u][i] == chain.None) || to.T > t {
				add(chain.At(u, i), to, -1)
			}
		}
	}
	for u := t + 1; u <= min(t+m.reach, int32(len(m.scans)-1)); u++ {
		if !m.passed(u, 0) {
			continue
		}
		for i, from := range m.Prev[u] {
			if from == chain.None && !(u-t > m.lone && m.Next[u][i] == chain.None) {
				add(chain.None, chain.At(u, i), -1)
			}
		}
	}
	s.reset(m.scans[t].Len())
	s.ends = s.ends[:0]
	if int(t) < len(m.gates) {
		if m.memory != nil && !m.memory.crowded {
			s.into = m.memory.transposed(m.gates, t)
		} else {
			s.into = gating.Transpose(s.into, &m.gates[t])
		}
	}
	for k, at := range s.list {
		switch {
		case at.from == chain.None:
			if at.to.T == t+1 {
				s.maybe[k] = append(s.maybe[k], s.into.Row[s.into.Ptr[at.to.Det]:s.into.Ptr[at.to.Det+1]]...)
			}
		case at.from.T < t-1:
			s.ends = append(s.ends, at.from)
		}
	}
	m.share(len(s.list), func(m *mover[S, E], from, to int) {
		for k, at := range s.list[from:to] {
			if at.from.T == t-1 && at.from != chain.None {
				s.maybe[from+k] = m.next(s.maybe[from+k], at.from)
			}
		}
	})
	if len(s.ends) > 0 {
		near := m.nearEnds(s.ends, t)
		for k, at := range s.list {
			if at.from != chain.None && at.from.T < t-1 {
				s.maybe[k] = m.some(s.maybe[k], near(at.from), at.from, t, gapMost)
			}
		}
	}
	if fixed {
		for k := range s.list {
			s.maybe[k] = slices.DeleteFunc(s.maybe[k], func(i int32) bool { return m.Prev[t][i] == chain.Past })
		}
	}
}

// alone is the price of detection at being in no other detection's track.
func (m *mover[S, E]) alone(at chain.Node) float64 {
	return min(m.birth(at)+m.death(at), m.falsely(at)) + m.filter.First(&m.scans[at.T], int(at.Det))
}

// bridged says whether the track of a place goes on over it when it is empty.
func (m *mover[S, E]) bridged(at place) bool {
	apart := m.ended(at.from) + m.begun(at.to)
	return at.to.T-at.from.T <= m.long && m.join(at.from, at.to, apart) < apart
}

// vacant is the price of a place without a detection.
func (m *mover[S, E]) vacant(at place) float64 {
	switch {
	case at.from == chain.None:
		return m.begun(at.to)
	case at.to == chain.None:
		return m.ended(at.from)
	}
	c := m.ended(at.from) + m.begun(at.to)
	if at.to.T-at.from.T <= m.long {
		c = min(c, m.join(at.from, at.to, c))
	}
	return c
}

// seated is the price of a place with detection d, or one of at least most that is no dearer.
func (m *mover[S, E]) seated(at place, d chain.Node, most float64) float64 {
	scan := &m.scans[d.T]
	before, after := at.from != chain.None, at.to != chain.None
	var into, onto, pair, onward, next, last float64 // parts of the price, those of misses left out
	if !before {
		into = m.birth(d) + m.filter.First(scan, int(d.Det))
		m.filter.Start(&m.state, scan, int(d.Det))
	} else {
		pair = m.pair(at.from, d)
		var kind int
		onto, kind = m.filter.PriceAhead(&m.state, m.lookAhead(at.from, d.T), scan, int(d.Det))
		m.filter.Take(&m.state, scan, int(d.Det), kind)
		into = m.atLeast(at.from, d)
	}
	if !after {
		last = m.death(d)
	} else {
		onward, last = m.onward(&m.state, d, at.to), m.pair(d, at.to)
		next = m.atLeast(d, at.to)
	}
	sum := func() float64 { return into + pair + onto + onward + next + last }
	if c := sum(); before && c < most && m.hidable(at.from, d) {
		into = m.run(at.from, d, most-(c-into))
	}
	if c := sum(); after && c < most && m.hidable(d, at.to) {
		next = m.run(d, at.to, most-(c-next))
	}
	return sum()
}

// leastSeated is no more than seated.
func (m *mover[S, E]) leastSeated(at place, d chain.Node) (c float64) {
	if at.from == chain.None {
		return m.seated(at, d, math.Inf(1))
	}
	if c = math.Inf(-1); at.from.T == d.T-1 {
		c = m.leastNext(at.from, d)
	}
	if math.IsInf(c, -1) {
		c = m.filter.LeastAhead(m.lookAhead(at.from, d.T), &m.scans[d.T], int(d.Det))
	}
	c += m.pair(at.from, d) + m.atLeast(at.from, d)
	if at.to == chain.None {
		return c + m.death(d)
	}
	return c + m.filter.LeastFrom(m.tail(at.to), m.suspected(at.to)) + m.pair(d, at.to) + m.atLeast(d, at.to)
}

// seatedSmooth is no less than seated where it is vague, else that.
func (m *mover[S, E]) seatedSmooth(at place, d chain.Node) (c float64, vague bool) {
	if at.from == chain.None {
		return m.seated(at, d, math.Inf(1)), false
	}
	scan := &m.scans[d.T]
	if at.from.T == d.T-1 && m.Prev[d.T][d.Det] == at.from && m.kinds[d.T][d.Det] == motion.Smooth && m.same(at.from, d) { // its state is there
		if _, c = m.boundsNext(at.from, d); !math.IsInf(c, 1) {
			if c += m.pair(at.from, d) + m.run(at.from, d, math.Inf(1)); at.to == chain.None {
				return c + m.death(d), true
			}
			return c + m.joinSmooth(d, at.to), true
		}
	}
	c, ok := m.filter.SmoothAhead(&m.state, m.lookAhead(at.from, d.T), scan, int(d.Det))
	if !ok {
		return m.seated(at, d, math.Inf(1)), false
	}
	if c += m.pair(at.from, d) + m.run(at.from, d, math.Inf(1)); at.to == chain.None {
		return c + m.death(d), true
	}
	m.filter.Take(&m.state, scan, int(d.Det), motion.Smooth)
	m.filter.Look(&m.onto2, &m.state, m.scans[at.to.T].Time-scan.Time)
	return c + m.filter.SmoothOnward(&m.onto2, m.tail(at.to)) + m.pair(d, at.to) + m.run(d, at.to, math.Inf(1)), true
}

// leastVacant are bounds of vacant.
func (m *mover[S, E]) leastVacant(at place) (least, most float64) {
	if at.from == chain.None || at.to == chain.None || at.to.T-at.from.T > m.long {
		most = m.vacant(at)
		return most, most
	}
	most = m.ended(at.from) + m.begun(at.to)
	return min(most, m.filter.LeastFrom(m.tail(at.to), m.suspected(at.to))+m.pair(at.from, at.to)+m.atLeast(at.from, at.to)), most
}
