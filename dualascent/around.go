package dualascent

import (
	"math"
	"slices"

	"mtt/internal/slab"
)

// This file finds the best answer that decides otherwise in one place, beginning at that place.
//
// With prices that prove answer a, what another answer costs more is the slack of what it does
// otherwise (file reduce.go). It differs from a in one place only, as elsewhere it may as well be
// a. So the search begins with the port of the decision: it takes another option there, which takes
// the ports at its other end, and that of the partner that is left, with it; and at each node with
// a port that is changed the other port is kept or changed too. Slacks add up on the way, and what
// exceeds the best answer found so far is left. This ends when every margin up to a limit is exact,
// and costs as much as there are ways with so little slack. It is tried with small limits first:
// each that nothing was found below is proved.
//
// The last pass has left all slack to the blocks. It is given back first, as far as it
// belongs to an option alone: of the least of each row and column of a block half
// and the rest.

// surroundings are an instance with an answer, and the slacks of all options.
type surroundings struct {
	gaps   []gap
	e      *engine
	answer *answer
	slack  float64 // of the answer

	arc, death, birth [][]float64 // slack of options, of each frame pair

	// Multipliers with what blocks have given: of an in-arc, of "born here", of an out-arc, of "dies here".
	fromArc, fromBirth, toArc, toDeath [][]float64

	otherOut, otherIn [][]float64 // the least slack of a port's other options
}

// newSurroundings computes the slacks from the state of e after a pass.
func newSurroundings(e *engine, next [][]int32) *surroundings {
	n := len(e.gaps)
	list := func() [][]float64 { return make([][]float64, n) }
	s := &surroundings{
		gaps: e.gaps, e: e, answer: e.newAnswer(), arc: list(), death: list(), birth: list(),
		fromArc: list(), fromBirth: list(), toArc: list(), toDeath: list(), otherOut: list(), otherIn: list(),
	}
	for p := range next {
		copy(s.answer.next[p], next[p])
	}
	e.linkAll(s.answer)
	for p := range e.gaps {
		g := &e.gaps[p]
		s.slack += e.gapSlack(s.answer, p)
		if p > 0 {
			s.slack += e.frameSlack(s.answer, p)
		}
		s.fromArc[p], s.fromBirth[p], s.toArc[p], s.toDeath[p] = slices.Clone(g.U), slices.Clone(g.Birth), slices.Clone(g.V), slices.Clone(g.Death)
		s.birth[p] = make([]float64, g.Cols)
	}
	e.each(func(p int) {
		if p > 0 {
			s.drain(p)
		}
	})
	e.each(s.reduced)
	return s
}

// drain gives what the blocks of frame f have to their options: of what the entries of a row have
// in common half, then of what those of a column have, then the rest of the rows'.
func (s *surroundings) drain(f int) {
	left, g := &s.gaps[f-1], &s.gaps[f]
	var d, u, v []float64
	for j := range g.Rows {
		arcs := left.in.at(j)
		lo, hi := g.Ptr[j], g.Ptr[j+1]
		width := hi - lo + 1
		d, u, v = d[:0], u[:0], slab.Grow(v, width)
		least := math.Inf(1)
		for r := 0; r <= len(arcs); r++ {
			a := int32(-1)
			if r < len(arcs) {
				a = arcs[r]
			}
			row := math.Inf(1)
			for e := lo; e <= hi; e++ {
				b := int32(e)
				if e == hi {
					b = -1
				}
				x := s.block(f, j, a, b)
				d, row = append(d, x), min(row, x)
			}
			u, least = append(u, row), min(least, row)
		}
		for k := range v {
			v[k] = math.Inf(1)
		}
		for r := range u {
			u[r] -= (u[r] - least) / 2
			for k := range v {
				v[k] = min(v[k], d[r*width+k]-u[r])
			}
		}
		for r := range u {
			rest := math.Inf(1)
			for k := range v {
				if v[k] <= maxPrice {
					rest = min(rest, d[r*width+k]-u[r]-v[k])
				}
			}
			if rest <= maxPrice {
				u[r] += rest
			}
		}
		// An option without a partner has no price.
		give := func(price *float64, x float64) {
			if x <= maxPrice {
				*price += x
			}
		}
		for r, a := range arcs {
			give(&s.fromArc[f-1][a], u[r])
		}
		give(&s.fromBirth[f-1][j], u[len(arcs)])
		for k := range width - 1 {
			give(&s.toArc[f][lo+k], v[k])
		}
		give(&s.toDeath[f][j], v[width-1])
		s.birth[f-1][j] = least // for reduced, of all in-options
	}
}

// reduced computes the slacks of the options of gap p. What the least entry of a block is, is nobody's.
func (s *surroundings) reduced(p int) {
	g := &s.gaps[p]
	s.arc[p], s.death[p] = make([]float64, len(g.FramePair.Col)), make([]float64, g.Rows)
	beta := slices.Clone(g.Prices.Col)
	for j, least := range s.birth[p] {
		beta[j] += least
		s.birth[p][j] = max(0, g.ColMiss[j]+s.fromBirth[p][j]-beta[j])
	}
	for i, alpha := range g.row {
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			s.arc[p][e] = max(0, g.FramePair.Cost[e]+s.fromArc[p][e]+s.toArc[p][e]-alpha-beta[g.FramePair.Col[e]])
		}
		s.death[p][i] = max(0, g.RowMiss[i]+s.toDeath[p][i]-alpha)
	}
}

// block is what in-arc a and out-arc b (-1: none) of node j of frame f have in slack besides their own.
func (s *surroundings) block(f, j int, a, b int32) float64 {
	x := s.fromBirth[f-1][j]
	if a >= 0 {
		x = s.fromArc[f-1][a]
	}
	if b >= 0 {
		x += s.toArc[f][b]
	} else {
		x += s.toDeath[f][j]
	}
	return s.e.blockCost(f, j, a, b) - x
}

// leave forgets the options that a reduction has dropped.
func (s *surroundings) leave(r *reduction) {
	never := math.Inf(1)
	for p := range s.arc {
		for e, left := range r.arc[p] {
			if !left {
				s.arc[p][e] = never
			}
		}
		for i, left := range r.death[p] {
			if !left {
				s.death[p][i] = never
			}
		}
		for j, left := range r.birth[p] {
			if !left {
				s.birth[p][j] = never
			}
		}
		s.others(p)
	}
}

// others fills otherOut and otherIn of a gap.
func (s *surroundings) others(p int) {
	g, next := &s.gaps[p], s.answer.next[p]
	never := math.Inf(1)
	s.otherOut[p], s.otherIn[p] = slices.Repeat([]float64{never}, g.Rows), slices.Repeat([]float64{never}, g.Cols)
	for i := range g.Rows {
		out := &s.otherOut[p][i]
		if next[i] >= 0 {
			*out = s.death[p][i]
		}
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			if int32(e) != next[i] {
				in := &s.otherIn[p][g.FramePair.Col[e]]
				*out, *in = min(*out, s.arc[p][e]), min(*in, s.arc[p][e])
			}
		}
	}
	for j, e := range s.answer.prev[p] {
		if e >= 0 {
			s.otherIn[p][j] = min(s.otherIn[p][j], s.birth[p][j])
		}
	}
}

// What a walk does with a port, if it does not give it another option, 0 and above an arc, -1 none.
const (
	asIs  int32 = -2 - iota // nothing so far
	must                    // it will give it another option
	keeps                   // it leaves it
)

// A walk searches around decisions, one after the other.
type walk struct {
	s       *surroundings
	out, in [][]int32 // of each port: the option that it gets, or one of the above
	seen    [][]bool  // of each node: one of its ports gets another option

	ports   []port // that get another option still
	nodes   []node // of which it is open whether both ports do
	undo    []undo
	options []option   // of ports on the way, workspace
	owed    [2]float64 // the least slack of ports, out and in
	best    float64    // the least slack so far, or the limit
	found   []Change   // the answer with it
	spare   float64    // slack that ways may still be rid of
	looks   float64    // that may still be made; below 0: there was one more to make
}

type node struct {
	f  int
	at int32
}

// An undo is a port, or a node that was not seen, and what stood there.
type undo struct {
	port
	was  int32
	node bool
}

type option struct {
	slack float64
	arc   int32
}

func newWalk(s *surroundings) *walk {
	n := len(s.gaps)
	w := &walk{s: s, out: make([][]int32, n), in: make([][]int32, n), seen: make([][]bool, n)}
	for p := range s.gaps {
		g := &s.gaps[p]
		w.out[p], w.in[p], w.seen[p] = slices.Repeat([]int32{asIs}, g.Rows), slices.Repeat([]int32{asIs}, g.Cols), make([]bool, g.Rows)
	}
	return w
}

// from searches for the best answer with another option of port q that costs less than limit more,
// where the answer has slack spare to lose. It says whether the limit, or what was found, is proved
// by so many looks at options.
func (w *walk) from(q port, limit, looks, spare float64) (proved bool) {
	w.best, w.found, w.looks, w.spare, w.owed = limit, w.found[:0], looks, spare, [2]float64{}
	if w.need(q) {
		w.step(0)
	}
	w.back(0)
	w.ports = w.ports[:0]
	return w.looks >= 0
}

func (w *walk) state(q port) *int32 {
	if q.in {
		return &w.in[q.p][q.at]
	}
	return &w.out[q.p][q.at]
}

func (w *walk) set(q port, to int32) {
	x := w.state(q)
	w.undo = append(w.undo, undo{q, *x, false})
	if *x == must {
		w.owe(q, -1)
	}
	*x = to
}

// owe adds the least that another option of a port costs to what is owed.
func (w *walk) owe(q port, sign float64) {
	if q.in {
		w.owed[1] += sign * w.s.otherIn[q.p][q.at]
	} else {
		w.owed[0] += sign * w.s.otherOut[q.p][q.at]
	}
}

// back undoes all that was done since there were n undos.
func (w *walk) back(n int) {
	for k := len(w.undo) - 1; k >= n; k-- {
		u := &w.undo[k]
		if u.node {
			w.seen[u.p][u.at] = false
		} else {
			*w.state(u.port) = u.was
		}
	}
	w.undo = w.undo[:n]
}

// need says that a port gets another option; false: it must not, or has none.
func (w *walk) need(q port) bool {
	x := w.state(q)
	if *x != asIs {
		return *x != keeps
	}
	w.set(q, must)
	w.owe(q, 1)
	w.ports = append(w.ports, q)
	return !math.IsInf(w.owed[0]+w.owed[1], 1)
}

// meet notes that a port of a node gets another option.
func (w *walk) meet(f int, at int32) {
	if f > 0 && f < len(w.s.gaps) && !w.seen[f][at] {
		w.seen[f][at] = true
		w.undo = append(w.undo, undo{port{p: f, at: at}, 0, true})
		w.nodes = append(w.nodes, node{f, at})
	}
}

// give gives a port another option, with all that follows at once; false: it cannot be.
func (w *walk) give(q port, arc int32) bool {
	p := q.p
	g := &w.s.gaps[p]
	if arc < 0 {
		w.set(q, -1)
		if q.in {
			w.meet(p+1, q.at)
			return w.need(port{p, w.tail(p, w.s.answer.prev[p][q.at]), false})
		}
		w.meet(p, q.at)
		return w.need(port{p, g.FramePair.Col[w.s.answer.next[p][q.at]], true})
	}
	i, j := w.tail(p, arc), g.FramePair.Col[arc]
	for _, end := range [2]port{{p, i, false}, {p, j, true}} {
		if x := *w.state(end); x != asIs && x != must {
			return false
		}
		w.set(end, arc)
	}
	w.meet(p, i)
	w.meet(p+1, j)
	ok := true
	if old := w.s.answer.next[p][i]; old >= 0 {
		ok = w.need(port{p, g.FramePair.Col[old], true})
	}
	if old := w.s.answer.prev[p][j]; ok && old >= 0 {
		ok = w.need(port{p, w.tail(p, old), false})
	}
	return ok
}

func (w *walk) tail(p int, arc int32) int32 { return w.s.gaps[p].rowOf(arc) }

// worth says whether a way with so much slack may lead to a better answer.
func (w *walk) worth(slack float64) bool {
	return slack+max(0, w.owed[0], w.owed[1])-w.spare < w.best
}

// step goes on from what has been done, of so much slack.
func (w *walk) step(slack float64) {
	if w.looks < 0 || !w.worth(slack) {
		return
	}
	if n := len(w.ports) - 1; n >= 0 {
		q := w.ports[n]
		w.ports = w.ports[:n]
		if *w.state(q) == must {
			w.turn(q, slack)
		} else {
			w.step(slack)
		}
		w.ports = append(w.ports[:n], q)
		return
	}
	n := len(w.nodes) - 1
	if n < 0 {
		w.arrive(slack)
		return
	}
	at := w.nodes[n]
	w.nodes = w.nodes[:n]
	w.pass(at, slack)
	w.nodes = append(w.nodes[:n], at)
}

// turn tries the other options of a port, the one with the least slack first.
func (w *walk) turn(q port, slack float64) {
	s, p := w.s, q.p
	g := &s.gaps[p]
	first := len(w.options)
	add := func(x float64, arc int32) {
		if slack+x-w.spare >= w.best {
			return
		}
		k := len(w.options)
		w.options = append(w.options, option{x, arc})
		for ; k > first && w.options[k-1].slack > x; k-- {
			w.options[k], w.options[k-1] = w.options[k-1], w.options[k]
		}
	}
	if q.in {
		own := s.answer.prev[p][q.at]
		for _, e := range g.in.at(int(q.at)) {
			if e != own {
				add(s.arc[p][e], e)
			}
		}
		if own >= 0 {
			add(s.birth[p][q.at], -1)
		}
	} else {
		own := s.answer.next[p][q.at]
		for e := g.Ptr[q.at]; e < g.Ptr[q.at+1]; e++ {
			if int32(e) != own {
				add(s.arc[p][e], int32(e))
			}
		}
		if own >= 0 {
			add(s.death[p][q.at], -1)
		}
	}
	last := len(w.options)
	ports, nodes, undos, owed := len(w.ports), len(w.nodes), len(w.undo), w.owed
	for k := first; k < last; k++ {
		x := w.options[k]
		if slack+x.slack-w.spare >= w.best {
			break
		}
		if w.looks--; w.looks < 0 {
			break
		}
		if w.give(q, x.arc) {
			w.step(slack + x.slack)
		}
		w.back(undos)
		w.ports, w.nodes, w.owed = w.ports[:ports], w.nodes[:nodes], owed
	}
	w.options = w.options[:first]
}

// pass settles a node of which one port, or both, got another option.
func (w *walk) pass(at node, slack float64) {
	f, j := at.f, int(at.at)
	in, out := w.in[f-1][j], w.out[f][j]
	if in >= -1 && out >= -1 {
		w.step(slack + max(0, w.s.block(f, j, in, out)))
		return
	}
	other, a, b := port{f, at.at, false}, in, w.s.answer.next[f][j]
	if in < -1 {
		other, a, b = port{f - 1, at.at, true}, w.s.answer.prev[f-1][j], out
	}
	undos, nodes, ports, owed := len(w.undo), len(w.nodes), len(w.ports), w.owed
	w.set(other, keeps)
	w.step(slack + max(0, w.s.block(f, j, a, b)))
	w.back(undos)
	if w.need(other) {
		w.nodes = append(w.nodes, at)
		w.step(slack)
	}
	w.back(undos)
	w.nodes, w.ports, w.owed = w.nodes[:nodes], w.ports[:ports], owed
}

// arrive takes down an answer, less the slack of what it gives up.
func (w *walk) arrive(slack float64) {
	s := w.s
	for k := range w.undo {
		u := &w.undo[k]
		p, at := u.p, u.at
		switch {
		case u.node:
			slack -= max(0, s.block(p, int(at), s.answer.prev[p-1][at], s.answer.next[p][at]))
		case *w.state(u.port) < -1 || u.was == must:
		case u.in:
			if s.answer.prev[p][at] < 0 {
				slack -= s.birth[p][at]
			}
		case s.answer.next[p][at] >= 0:
			slack -= s.arc[p][s.answer.next[p][at]]
		default:
			slack -= s.death[p][at]
		}
	}
	if slack >= w.best {
		return
	}
	w.best, w.found = slack, w.found[:0]
	for k := range w.undo {
		u := &w.undo[k]
		if !u.node && !u.in && u.was != must && *w.state(u.port) >= -1 {
			w.found = append(w.found, Change{int32(u.p), u.at, *w.state(u.port)})
		}
	}
}
