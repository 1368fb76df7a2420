package refine

import (
	"slices"

	"mtt/association/chain"
	"mtt/gating"
	"mtt/internal/slab"
)

// This file remembers which detections of later scans the tracks of a window may go on to over missed ones.
//
// Problem. Each move asks, for all prefixes that end in a scan and each of some later scans, which
// of the suffixes that begin there lie near. It did so some eight times for each pair of scans
// while these are improved, and that took a third of a step; but a state hardly ever changes once
// it is there.
//
// Idea. All detections of scan v near the states of scan u are listed when that is asked first.
// From then on the states that have changed since are looked up anew, and all others answer from
// the lists, whichever side is the shorter one: that of the prefixes or that of the suffixes. When
// an eighth of the states has changed all are listed again.
//
// Cost. Time and memory are O(n) for each pair of scans, as long as few detections lie near each
// state; in crowds, of which that does not hold, nothing is remembered.

// A near lists what of one scan lies near the states of another.
type near struct {
	made   int64     // clock when rows was made; 0: never
	crowd  bool      // it was given up
	rows   lists     // of each state: the detections near, ascending
	cols   lists     // of each detection: the states near which it lies, ascending
	newer  []int32   // of each state: its place in fresh; -1: rows has it
	fresh  []int32   // states that have changed since
	since  []int64   // of these: the clock when they were looked up
	latest [][]int32 // and the detections near them, ascending
	turned bool      // pairs has those
	pairs  []int64   // a detection near one of these, and the state, in order
}

// sites are the detections of a scan.
type sites struct {
	gating.Places
	usual float64 // m, of the balls
}

// lists are lists of numbers, list i from ptr[i] to ptr[i+1].
type lists struct{ ptr, of []int32 }

func (l *lists) at(i int32) []int32 { return l.of[l.ptr[i]:l.ptr[i+1]] }

// nearEach is the mean number of detections near a state from which on a scan is crowded, tooWide
// the radius from which on a ball takes too long to look through, in multiples of the usual one,
// and anew the share of states that have changed with which all are listed again.
const nearEach, tooWide, anew = 8, 32, 8

// memory is what a window remembers: of scan v in places its detections, and in nears[v][k] which
// lie near the states of scan v−2−k.
type memory struct {
	places  []*sites // nil: nobody has asked
	nears   [][]*near
	into    []*gating.CSC // of scan t: the pairs of its gate by those of the next scan; nil: nobody has asked
	crowded bool

	free     []*near // of scans that have left
	unused   []*sites
	unturned []*gating.CSC
}

// add makes room for a scan.
func (y *memory) add() {
	y.places, y.nears, y.into = append(y.places, nil), append(y.nears, nil), append(y.into, nil)
}

// drop forgets scan t.
func (y *memory) drop(t int) {
	if p := y.places[t]; p != nil {
		y.unused, y.places[t] = append(y.unused, p), nil
	}
	for _, n := range y.nears[t] {
		if n != nil {
			y.free = append(y.free, n)
		}
	}
	y.nears[t] = nil
	y.turnBack(t)
}

// turnBack forgets the pairs of the gate from scan t on.
func (y *memory) turnBack(t int) {
	if y.into[t] != nil {
		y.unturned, y.into[t] = append(y.unturned, y.into[t]), nil
	}
}

// dropBefore forgets the scans before scan t, to which no link changes any more, and all of a crowd.
func (y *memory) dropBefore(t int) {
	if y.crowded {
		*y = memory{places: make([]*sites, len(y.places)), nears: make([][]*near, len(y.nears)), into: make([]*gating.CSC, len(y.into)), crowded: true}
		return
	}
	for t--; t >= 0 && (y.places[t] != nil || y.nears[t] != nil || y.into[t] != nil); t-- {
		y.drop(t)
	}
}

// retract takes out the last scan.
func (y *memory) retract() {
	n := len(y.places) - 1
	y.drop(n)
	if n > 0 {
		y.turnBack(n - 1) // another scan follows
	}
	y.places, y.nears, y.into = y.places[:n], y.nears[:n], y.into[:n]
}

// shift takes out the first scan.
func (y *memory) shift() {
	y.drop(0)
	y.places, y.nears, y.into = slices.Delete(y.places, 0, 1), slices.Delete(y.nears, 0, 1), slices.Delete(y.into, 0, 1)
}

// prepare readies what is remembered of the links over misses from scan u to scan v, for remembered
// to be called by any mover; it reports whether anything is.
func (w *refiner[S, E]) prepare(u, v int32) bool {
	y := w.memory
	if y == nil || y.crowded || v < u+2 || v > u+w.reach { // over more misses there are few to look for
		return false
	}
	k := int(v - u - 2)
	for len(y.nears[v]) <= k {
		y.nears[v] = append(y.nears[v], nil)
	}
	if y.nears[v][k] == nil {
		if n := len(y.free) - 1; n >= 0 {
			y.nears[v][k], y.free = y.free[n], y.free[:n]
			y.nears[v][k].made = 0
		} else {
			y.nears[v][k] = new(near)
		}
	}
	if y.nears[v][k].crowd {
		y.crowded = true
		return false
	}
	if y.places[v] == nil {
		var p *sites
		if n := len(y.unused) - 1; n >= 0 {
			p, y.unused = y.unused[n], y.unused[:n]
		} else {
			p = new(sites)
		}
		p.usual = w.movers[0].usualReach(u, v)
		p.Set(w.scans[v].Dim, w.scans[v].Pos, p.usual)
		y.places[v] = p
	}
	return true
}

// usualReach is a radius of the balls about the states of scan u in which they may be found in scan
// v: the median of some.
func (m *mover[S, E]) usualReach(u, v int32) float64 {
	const some = 64
	var radii []float64
	n := len(m.states[u])
	for k := range min(n, some) {
		m.state = m.states[u][k*n/min(n, some)]
		_, radius := m.ball(u, v, likely)
		radii = append(radii, radius)
	}
	if n == 0 {
		return 1
	}
	slices.Sort(radii)
	return radii[len(radii)/2]
}

// remembered is what is near in scan v to the states of scan u, brought up to date; nil in a crowd.
func (m *mover[S, E]) remembered(u, v int32) *near {
	n := m.memory.nears[v][v-u-2]
	changed := m.changed[u]
	if n.made > 0 {
		for i, when := range changed {
			if when <= n.made {
				continue
			}
			k := n.newer[i]
			switch {
			case k < 0:
				k = int32(len(n.fresh))
				n.newer[i] = k
				n.fresh, n.since = append(n.fresh, int32(i)), append(n.since, 0)
				n.latest = slab.Keep(n.latest, len(n.fresh))
			case n.since[k] >= when:
				continue
			}
			n.since[k], n.turned = when, false
			if n.latest[k] = m.lookUp(n.latest[k][:0], chain.At(u, i), v); n.latest[k] == nil {
				n.crowd = true
				return nil
			}
		}
		if len(n.fresh)*anew <= len(changed) {
			return n
		}
	}
	n.made, n.rows.ptr, n.rows.of = 0, append(n.rows.ptr[:0], 0), n.rows.of[:0]
	for i := range changed {
		if n.rows.of = m.lookUp(n.rows.of, chain.At(u, i), v); n.rows.of == nil || len(n.rows.of) > nearEach*(i+1)+gating.InSight {
			n.crowd = true
			return nil
		}
		n.rows.ptr = append(n.rows.ptr, int32(len(n.rows.of)))
	}
	n.made = max(m.clock, 1)
	n.fresh, n.since, n.turned = n.fresh[:0], n.since[:0], false
	n.newer = slab.Grow(n.newer, len(changed))
	slab.Fill(n.newer, -1)
	n.cols.transpose(&n.rows, m.scans[v].Len())
	return n
}

// lookUp appends the detections of scan v near the state of detection a; nil: they are too many to
// be looked through.
func (m *mover[S, E]) lookUp(dst []int32, a chain.Node, v int32) []int32 {
	m.state = m.states[a.T][a.Det]
	centre, radius := m.ball(a.T, v, likely)
	sites, before := m.memory.places[v], len(dst)
	if !(radius <= tooWide*sites.usual) {
		return nil
	}
	if dst = sites.Near(dst, &centre, radius); dst == nil {
		dst = []int32{}
	}
	if len(dst)-before > gating.InSight {
		return nil
	}
	return dst
}

// of are the detections near state i.
func (n *near) of(i int32) []int32 {
	if k := n.newer[i]; k >= 0 {
		return n.latest[k]
	}
	return n.rows.at(i)
}

// transpose sets l to what rows is with rows and columns exchanged.
func (l *lists) transpose(rows *lists, cols int) {
	l.ptr, l.of = slab.Grow(l.ptr, cols+2), slab.Grow(l.of, len(rows.of))
	clear(l.ptr)
	for _, j := range rows.of {
		l.ptr[j+2]++
	}
	for j := 2; j < len(l.ptr); j++ {
		l.ptr[j] += l.ptr[j-1]
	}
	for i := range len(rows.ptr) - 1 {
		for _, j := range rows.at(int32(i)) {
			l.of[l.ptr[j+1]] = int32(i)
			l.ptr[j+1]++
		}
	}
	l.ptr = l.ptr[:cols+1]
}

// recall is joins from what is remembered: of any prefix and suffix of a span over misses. It
// reports whether there was anything to recall.
func (m *mover[S, E]) recall(s *span) bool {
	u, v := s.from[0].T, s.to[0].T
	n := m.remembered(u, v)
	if n == nil {
		return false
	}
	pairs := m.reached.pairs[:0]
	add := func(i, j int32) {
		if s.row[i] >= 0 && s.col[j] >= 0 {
			pairs = append(pairs, int64(i)<<32|int64(j))
		}
	}
	if len(s.from) <= len(s.to) {
		for _, a := range s.from {
			for _, j := range n.of(a.Det) {
				add(a.Det, j)
			}
		}
	} else {
		for _, b := range s.to {
			for _, i := range n.cols.at(b.Det) {
				if n.newer[i] < 0 {
					add(i, b.Det)
				}
			}
		}
		for k, i := range n.fresh {
			for _, j := range n.latest[k] {
				add(i, j)
			}
		}
		slices.Sort(pairs)
	}
	m.reached.pairs = pairs
	for len(pairs) > 0 {
		a, c := chain.At(u, int(pairs[0]>>32)), 0
		w := &m.reached
		for w.chosen = w.chosen[:0]; c < len(pairs) && pairs[c]>>32 == int64(a.Det); c++ {
			w.chosen = append(w.chosen, int32(pairs[c]))
		}
		if pairs = pairs[c:]; m.gain(a, v) > 0 {
			addJoins(m, s, a)
		}
	}
	return true
}

// nearEnds are the detections of scan t near the ends of prefixes, which lie in scans before the
// last before it, in their order. It is to be asked for each end in turn.
func (m *mover[S, E]) nearEnds(ends []chain.Node, t int32) func(a chain.Node) []int32 {
	late := 0 // so many of the ends, the first ones, are in scans of which nothing is remembered
	for late < len(ends) && t-ends[late].T > m.reach {
		late++
	}
	known := true
	var of []*near // by the scans between
	for _, a := range ends[late:] {
		k := int(t - a.T - 2)
		for len(of) <= k {
			of = append(of, nil)
		}
		if known && of[k] == nil {
			if known = m.prepare(a.T, t); known {
				of[k] = m.remembered(a.T, t)
				known = of[k] != nil
			}
		}
	}
	if !known {
		late = len(ends)
	}
	row := -1
	var found *gating.CSR
	if late > 0 {
		found = m.successors(ends[:late], t, m.scans[t].Pos, likely)
	}
	return func(a chain.Node) []int32 {
		if row++; row < late {
			return found.Row(row)
		}
		return of[t-a.T-2].of(a.Det)
	}
}
