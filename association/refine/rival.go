package refine

import (
	"context"
	"math"
	"slices"

	"mtt/association/chain"
	"mtt/internal/slab"
	"mtt/internal/workers"
	"mtt/motion"
)

// This file makes and prices rivals of tracks.
//
// A rival has two strands exchange what comes after a frame, for good or for some frames. A strand
// is a track, or nothing at all: so a track may be cut, joined with another one, leave out a
// detection, or trade it for one that is in no track.

// longest is the number of frames for which strands exchange detections, at most. Rivals that are
// dearer by negligibly nats than the cheapest one that changes the same link do not matter: a thousand
// of them change no digit that is shown of its log odds. Nor do those that are dearer than certain: no
// log odds are said to be more, which no model of anything is worth.
const longest, negligibly, certain = 8, 20, 100

// A rival exchanges what comes after a and b, and where one of these is none, what goes on with x
// and y, until scan last, −1: for good. Where one of each is none, a and x are linked, or x is in
// no track. It undoes itself.
type rival struct {
	a, b, x, y chain.Node
	last       int32
	more       float64 // that it costs; nat
}

// A strand comes from a detection, goes through some, from first to end, and on to another. Each may be none.
type strand struct{ from, first, end, to chain.Node }

// next is what comes after from.
func (s *strand) next() chain.Node {
	if s.first != chain.None {
		return s.first
	}
	return s.to
}

// An exchange is a rival as the links are now.
type exchange struct{ one, two strand }

// exchangeOf says what rival x does to the links as they are; false: nothing, or what would be no track.
func (r *refiner[S, E]) exchangeOf(x *rival) (e exchange, ok bool) {
	none := chain.None
	var p, s [2]chain.Node // what comes before and after, in both
	switch {
	case x.a != none && x.b != none:
		p = [2]chain.Node{x.a, x.b}
		s = [2]chain.Node{r.Next[x.a.T][x.a.Det], r.Next[x.b.T][x.b.Det]}
	case x.x != none && x.y != none:
		s = [2]chain.Node{x.x, x.y}
		p = [2]chain.Node{r.Prev[x.x.T][x.x.Det], r.Prev[x.y.T][x.y.Det]}
	default:
		p = [2]chain.Node{x.a, none}
		next := r.Next[x.a.T][x.a.Det]
		switch alone := r.Prev[x.x.T][x.x.Det] == none; {
		case next == x.x:
			s = [2]chain.Node{next, none}
		case alone && x.last < 0 && next == none,
			alone && x.last >= 0 && r.Next[x.x.T][x.x.Det] == none && (next == none || next.T > x.x.T):
			s = [2]chain.Node{next, x.x}
		default:
			return e, false
		}
	}
	e.one, e.two = r.strand(p[0], s[0], x.last), r.strand(p[1], s[1], x.last)
	if e.one.next() == e.two.next() || x.last >= 0 && e.one.first == none && e.two.first == none {
		return e, false
	}
	one, two := e.after(x.last)
	return e, one.inOrder() && two.inOrder()
}

// strand is what goes from p on with s until scan last; −1: it goes through nothing.
func (r *refiner[S, E]) strand(p, s chain.Node, last int32) strand {
	x := strand{p, chain.None, chain.None, s}
	for x.to != chain.None && x.to.T <= last {
		if x.first == chain.None {
			x.first = x.to
		}
		x.end = x.to
		x.to = r.Next[x.to.T][x.to.Det]
	}
	return x
}

// inOrder says whether a strand goes on in time.
func (s *strand) inOrder() bool {
	next := s.next()
	return (s.from == chain.None || next == chain.None || s.from.T < next.T) && (s.end == chain.None || s.to == chain.None || s.end.T < s.to.T)
}

// after are the strands after an exchange.
func (e *exchange) after(last int32) (one, two strand) {
	if last < 0 {
		return strand{e.one.from, chain.None, chain.None, e.two.to}, strand{e.two.from, chain.None, chain.None, e.one.to}
	}
	return strand{e.one.from, e.two.first, e.two.end, e.one.to}, strand{e.two.from, e.one.first, e.one.end, e.two.to}
}

// An arrival is a detection with what comes before it.
type arrival struct{ at, before chain.Node }

// arrivals are the detections that have something else before them after an exchange; at none: no detection.
func (e *exchange) arrivals(last int32) (list [4]arrival) {
	one, two := e.after(last)
	for k, s := range [2]*strand{&one, &two} {
		list[2*k], list[2*k+1] = arrival{s.next(), s.from}, arrival{chain.None, chain.None}
		if s.first != chain.None {
			list[2*k+1] = arrival{s.to, s.end}
		}
	}
	return list
}

// A stretch is the beginning of a strand, as far as it has been priced. Rivals that differ in where
// they end begin alike.
type stretch[S any] struct {
	known            bool
	from, first, end chain.Node // as of a strand
	state            S          // at end
	price            float64
	scan             int32 // that ahead is for; -1: it is not known
	ahead            motion.Ahead[S]
}

// A foresight is where the prefixes that end in a scan are expected in the next one, of those that were asked for.
type foresight[S any] struct {
	scan  int32 // -1: nothing is known
	known []bool
	of    []motion.Ahead[S]
}

// dearer is what an exchange costs more than the links as they are.
func (m *mover[S, E]) dearer(e *exchange, last int32) float64 {
	one, two := e.after(last)
	m.forgetStretches()
	return m.through(&one, 0) + m.through(&two, 1) - m.through(&e.one, 2) - m.through(&e.two, 3)
}

// dearerAtHome is dearer where links are those that courses were priced for.
func (m *mover[S, E]) dearerAtHome(e *exchange, last int32) float64 {
	one, two := e.after(last)
	return m.through(&one, 0) + m.through(&two, 1) - m.throughHome(&e.one) - m.throughHome(&e.two)
}

// forgetStretches is for links, or prices, that have changed.
func (m *mover[S, E]) forgetStretches() {
	for k := range m.stretches {
		m.stretches[k].known = false
	}
}

// through is the price of a strand, but for what is the same whatever it goes through. It goes on
// from stretch k, or begins it anew.
func (m *mover[S, E]) through(s *strand, k int) float64 {
	if c, ok := m.throughNothing(s); ok {
		return c
	}
	none, x := chain.None, &m.stretches[k]
	if !x.known || x.from != s.from || x.first != s.first || x.end.T > s.end.T {
		x.known, x.from, x.first, x.end = true, s.from, s.first, s.first
		x.scan = -1
		if s.from == none {
			x.price = m.birth(x.end) + m.filter.First(&m.scans[x.end.T], int(x.end.Det))
			m.filter.Start(&x.state, &m.scans[x.end.T], int(x.end.Det))
		} else {
			x.price = m.onto(&x.state, m.foresee(s.from, x.end.T), s.from, x.end)
		}
	}
	for x.end != s.end {
		next := m.Next[x.end.T][x.end.Det]
		x.price += m.onto(&x.state, m.goOn(x, next.T), x.end, next)
		x.end, x.scan = next, -1
	}
	if s.to == none {
		return x.price + m.death(x.end)
	}
	return x.price + m.onwardAhead(m.goOn(x, s.to.T), s.to) + m.run(x.end, s.to, math.Inf(1)) + m.pair(x.end, s.to)
}

// goOn is where a stretch is expected in scan u.
func (m *mover[S, E]) goOn(x *stretch[S], u int32) *motion.Ahead[S] {
	if x.scan != u {
		x.scan = u
		m.filter.Look(&x.ahead, &x.state, m.scans[u].Time-m.scans[x.end.T].Time)
	}
	return &x.ahead
}

// foresee is where prefix a is expected in scan u. At home most prefixes are asked for where they will be
// in the next scan, by many rivals one after another.
func (m *mover[S, E]) foresee(a chain.Node, u int32) *motion.Ahead[S] {
	if !m.atHome || u != a.T+1 {
		m.filter.Look(&m.ahead.Ahead, &m.states[a.T][a.Det], m.scans[u].Time-m.scans[a.T].Time)
		return &m.ahead.Ahead
	}
	x := &m.foreseen
	if x.scan != a.T {
		x.scan = a.T
		x.of = slices.Grow(x.of[:0], len(m.states[a.T]))[:len(m.states[a.T])]
		x.known = slices.Grow(x.known[:0], len(x.of))[:len(x.of)]
		clear(x.known)
	}
	if !x.known[a.Det] {
		x.known[a.Det] = true
		m.filter.Look(&x.of[a.Det], &m.states[a.T][a.Det], m.scans[u].Time-m.scans[a.T].Time)
	}
	return &x.of[a.Det]
}

// throughNothing is the price of a strand that goes through nothing, or of a detection by itself;
// false: it is none of these.
func (m *mover[S, E]) throughNothing(s *strand) (c float64, ok bool) {
	none := chain.None
	switch {
	case s.first == none && s.from == none && s.to == none:
		return 0, true
	case s.first == none && s.from == none:
		return m.begun(s.to), true
	case s.first == none && s.to == none:
		return m.ended(s.from), true
	case s.first == none:
		return m.joinAhead(m.foresee(s.from, s.to.T), s.from, s.to), true
	case s.from == none && s.first == s.end && s.to == none:
		return m.alone(s.first), true
	}
	return 0, false
}

// onto sets a state to that at b, from where prefix a is expected there, and returns the price of that.
func (m *mover[S, E]) onto(state *S, ahead *motion.Ahead[S], a, b chain.Node) float64 {
	scan := &m.scans[b.T]
	c, kind := m.filter.PriceAhead(state, ahead, scan, int(b.Det))
	m.filter.Take(state, scan, int(b.Det), kind)
	return c + m.run(a, b, math.Inf(1)) + m.pair(a, b)
}

// joinAhead is join of a prefix that is expected there.
func (m *mover[S, E]) joinAhead(ahead *motion.Ahead[S], a, b chain.Node) float64 {
	return m.onwardAhead(ahead, b) + m.run(a, b, math.Inf(1)) + m.pair(a, b)
}

// onwardAhead is the part of motion in that.
func (m *mover[S, E]) onwardAhead(ahead *motion.Ahead[S], b chain.Node) float64 {
	return m.filter.OnwardAhead(ahead, m.tail(b), m.suspected(b))
}

// priceCourses prices the links as they are, each as a step of its track and as where two parts are
// joined, for throughHome.
func (r *refiner[S, E]) priceCourses(ctx context.Context) {
	length := func(t int) int { return r.scans[t].Len() }
	for _, m := range r.movers {
		m.forgetStretches()
		m.foreseen.scan = -1
	}
	r.atHome = true
	r.steps, r.onwards = slab.Parts[float64](len(r.scans), length), slab.Parts[float64](len(r.scans), length)
	workers.Each(len(r.movers), len(r.scans), func(w, t int) {
		m := r.movers[w]
		for i, a := range r.Prev[t] {
			if a == chain.None || ctx.Err() != nil {
				continue
			}
			b := chain.At(t, i)
			ahead := m.foresee(a, b.T)
			r.steps[t][i], r.onwards[t][i] = m.onto(&m.state, ahead, a, b), m.joinAhead(ahead, a, b)
		}
	})
}

// throughHome is through of a strand that goes as the links do.
func (m *mover[S, E]) throughHome(s *strand) (c float64) {
	none, at := chain.None, s.first
	if at == none && s.from != none && s.to != none {
		return m.onwards[s.to.T][s.to.Det]
	}
	if c, ok := m.throughNothing(s); ok {
		return c
	}
	if s.from == none {
		c = m.birth(at) + m.filter.First(&m.scans[at.T], int(at.Det))
	} else {
		c = m.steps[at.T][at.Det]
	}
	for at != s.end {
		at = m.Next[at.T][at.Det]
		c += m.steps[at.T][at.Det]
	}
	if s.to == none {
		return c + m.death(at)
	}
	return c + m.onwards[s.to.T][s.to.Det]
}

// list appends a rival with its price, unless it is none, or too dear to matter.
func (m *mover[S, E]) list(rivals *[]rival, x rival) {
	if e, ok := m.exchangeOf(&x); ok {
		m.listAs(rivals, x, &e)
	}
}

// listAs is list of what does that to the links.
func (m *mover[S, E]) listAs(rivals *[]rival, x rival, e *exchange) {
	if x.more = m.dearerAtHome(e, x.last); !math.IsNaN(x.more) && !math.IsInf(x.more, 1) && m.matters(e, &x) {
		*rivals = append(*rivals, x)
	}
}

// matters says whether a rival is within the limit of a detection that has something else before it.
func (r *refiner[S, E]) matters(e *exchange, x *rival) bool {
	for _, h := range e.arrivals(x.last) {
		if h.at != chain.None && (r.limits == nil || x.more < r.limits[h.at.T][h.at.Det]) {
			return true
		}
	}
	return false
}

// leastMore is no more than a rival costs that exchanges for good what comes after two detections, each in
// the scan after; −Inf of another one.
func (m *mover[S, E]) leastMore(x *rival) float64 {
	if x.a == chain.None || x.b == chain.None || x.x == chain.None || x.y == chain.None {
		return math.Inf(-1)
	}
	return m.leastJoin(x.a, x.y) + m.leastJoin(x.b, x.x) - m.onwards[x.x.T][x.x.Det] - m.onwards[x.y.T][x.y.Det]
}

// leastJoin is no more than join, at home.
func (m *mover[S, E]) leastJoin(a, b chain.Node) float64 {
	if b.T != a.T+1 {
		return math.Inf(-1)
	}
	least := m.filter.LeastAhead(m.foresee(a, b.T), &m.scans[b.T], int(b.Det))
	return m.filter.LeastFollowing(least, m.tail(b)) + m.pair(a, b) + m.atLeast(a, b)
}

// limit lowers limits to so many times what rivals cost that matter least, by those that are known.
func (r *refiner[S, E]) limit(lists [][]rival, times float64) {
	if r.limits == nil {
		r.limits = nothing(r.scans)
		for t := range r.limits {
			slab.Fill(r.limits[t], times*certain)
		}
	}
	for _, list := range lists {
		for k := range list {
			e, _ := r.exchangeOf(&list[k])
			for _, h := range e.arrivals(list[k].last) {
				if h.at != chain.None {
					limit := &r.limits[h.at.T][h.at.Det]
					least := list[k].more + negligibly
					*limit = min(*limit, max(least, times*least))
				}
			}
		}
	}
}

// cuts appends the rivals in which the track of a ends there and another one begins with its
// successor x, and in which it leaves x out, unless they are dearer than that.
func (m *mover[S, E]) cuts(rivals *[]rival, a, x chain.Node, dearest float64) {
	cut := rival{a: a, b: chain.None, x: x, y: chain.None, last: -1}
	if m.leastParted(a, x) < dearest {
		m.list(rivals, cut)
	}
	if m.Next[x.T][x.Det] != chain.None && m.leastWithout(a, x) < dearest {
		cut.last = x.T
		m.list(rivals, cut)
	}
}

// leastParted is no more than it costs that the track of a ends and another one begins with its successor x.
func (m *mover[S, E]) leastParted(a, x chain.Node) float64 {
	return m.ended(a) + m.leastBegun(x) - m.onwards[x.T][x.Det]
}

// leastWithout is no more than it costs that the track of a leaves out its successor x, which is not its last.
func (m *mover[S, E]) leastWithout(a, x chain.Node) float64 {
	to := m.Next[x.T][x.Det]
	least := m.filter.LeastFrom(m.tail(to), m.suspected(to)) + m.pair(a, to) + m.atLeast(a, to)
	return m.alone(x) + least - m.steps[x.T][x.Det] - m.onwards[to.T][to.Det]
}

// rivalOf is the rival that has the link of a candidate, for good; false: it is there, or see cuts.
func (r *refiner[S, E]) rivalOf(c Candidate) (x rival, ok bool) {
	x = rival{a: c.From, y: c.To, x: r.Next[c.From.T][c.From.Det], b: r.Prev[c.To.T][c.To.Det], last: -1}
	switch {
	case x.x == c.To || x.x != chain.None && x.x == x.b:
		return x, false
	case x.x == chain.None && x.b == chain.None: // joined
		x.x, x.y = c.To, chain.None
	}
	return x, true
}

// forSome appends the rivals that are x for some frames.
func (m *mover[S, E]) forSome(rivals *[]rival, x rival) {
	if x.y == chain.None {
		return
	}
	for last := max(x.y.T, x.x.T); last-x.a.T <= longest; {
		x.last = last
		e, ok := m.exchangeOf(&x)
		if !ok || e.one.to == chain.None && e.two.to == chain.None { // the same as for good
			return
		}
		m.listAs(rivals, x, &e)
		last = int32(min(uint32(e.one.to.T), uint32(e.two.to.T))) // none comes last
	}
}
