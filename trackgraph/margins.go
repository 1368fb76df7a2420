package trackgraph

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"mtt/mapsolver"
)

// This file bounds what each decision of an answer is worth: how much dearer, at least, every
// answer is that decides otherwise.
//
// Prices give each detection by itself the cheapest of what it may do (file prices.go), so an
// answer with or without something at a detection costs at least the bound and what the
// cheapest of those combinations there costs more than the cheapest of all. An arc concerns two
// detections, its tail and its head, and what they cost more adds up.
//
// ExactMargins solves again, as package dualascent does: options with more slack than the answer
// has in their part and M are dropped for all decisions at once, what is left falls into parts, and
// in each every decision is forbidden in turn. Where the answer is not proved optimal, another may
// be cheaper in another part. That says nothing of the decision, so answers are compared that are
// the same there, and what is open in other parts is not taken off.

// Margins are lower bounds on what every answer costs more, than the one at hand, that decides
// otherwise: negative by at most the gap where nothing is known, +Inf where no answer decides otherwise.
// Fields ending in Most say what an answer costs more that was found to do so, +Inf where none was, and
// are nil where nobody looked: where both are equal the margin is exact.
type Margins struct {
	Arc    []float64 // len arcs: of a chosen one, without it; of another one, with it
	Birth  []float64 // len detections: of one that is used and has no predecessor, when it is not; of another one, when it is
	End    []float64 // likewise without a successor
	Unused []float64 // likewise not used

	ArcMost, BirthMost, EndMost, UnusedMost []float64
}

// NewMargins computes the margins of an answer of g that prices prove by themselves. It takes time
// as Bound does, with the square of the arcs of detections that divide or merge.
func NewMargins(g *Graph, p *Prices, a *Answer) *Margins {
	if len(p.Link) != len(g.Cost) || len(a.Chosen) != len(g.Cost) || len(a.Used) != g.Detections() {
		panic("trackgraph: prices or an answer of another graph")
	}
	n := g.Detections()
	m := &Margins{Arc: make([]float64, len(g.Cost)), Birth: make([]float64, n), End: make([]float64, n), Unused: make([]float64, n)}
	outs, ins := degrees(g, a)
	spare := Bound(g, p) - g.Price(a)
	for k := range m.Arc {
		m.Arc[k] = spare
	}
	t := newStars(g, p)
	var c choices
	for d := range n {
		c.look(t.at(d))
		more := func(x float64) float64 { return max(0, x-c.least) }
		for k, arc := range t.in[t.inPtr[d]:t.inPtr[d+1]] {
			m.Arc[arc] += more(c.in.flipped(int32(k), a.Chosen[arc], c.unused))
		}
		for k, arc := range t.out[t.outPtr[d]:t.outPtr[d+1]] {
			m.Arc[arc] += more(c.out.flipped(int32(k), a.Chosen[arc], c.unused))
		}
		m.Birth[d] = spare + more(c.in.flipped(nobody, a.Used[d] && ins[d] == 0, c.unused))
		m.End[d] = spare + more(c.out.flipped(nobody, a.Used[d] && outs[d] == 0, c.unused))
		if a.Used[d] {
			m.Unused[d] = spare + more(c.unused)
		} else {
			m.Unused[d] = spare + more(c.used)
		}
	}
	return m
}

// nobody stands for no arc.
const nobody = -1

// choices are all that a detection may do.
type choices struct {
	in, out             side
	least, used, unused float64
}

// A side is what a detection may do before or after itself: an arc, two, or none, each with the cheapest
// that goes with it on the other side.
type side struct {
	option []pair
	best   int // of the options; -1: there are none
}

// A pair is an option of a side.
type pair struct {
	a, b int32 // positions of arcs; nobody
	own  float64
	all  float64 // with use and the other side
}

// look lists the choices of a star.
func (c *choices) look(s *star) {
	c.in.list(s.in, s.birth, func(int, int) float64 { return s.merge }, s.merge < never)
	divide := func(int, int) float64 { return s.divide }
	if len(s.pair) > 0 {
		n, extra := len(s.out), s.pairs()
		divide = func(i, j int) float64 { return extra[i*n+j] }
	}
	c.out.list(s.out, s.end, divide, s.divide < never || len(s.pair) > 0)
	c.in.join(&c.out, s)
	c.unused, c.used = s.unused, never
	if c.in.best >= 0 {
		c.used = c.in.option[c.in.best].all
	}
	c.least = min(c.used, c.unused)
}

// list lists the options of a side whose arcs have these prices.
func (o *side) list(arcs []float64, none float64, two func(i, j int) float64, several bool) {
	o.option = append(o.option[:0], pair{nobody, nobody, none, never})
	for i, x := range arcs {
		o.option = append(o.option, pair{int32(i), nobody, x, never})
		for j := 0; several && j < i; j++ {
			o.option = append(o.option, pair{int32(i), int32(j), x + arcs[j] + two(i, j), never})
		}
	}
}

// join completes the options of both sides.
func (o *side) join(out *side, s *star) {
	if len(s.triplet) == 0 {
		in, after := o.cheapest(), out.cheapest()
		for k := range o.option {
			o.option[k].all = s.use + o.option[k].own + after
		}
		for k := range out.option {
			out.option[k].all = s.use + out.option[k].own + in
		}
	} else {
		n, extra := len(s.out), s.triplets()
		for k := range o.option {
			x := &o.option[k]
			for l := range out.option {
				y := &out.option[l]
				c := s.use + x.own + y.own
				for _, i := range [2]int32{x.a, x.b} {
					for _, j := range [2]int32{y.a, y.b} {
						if i >= 0 && j >= 0 {
							c += extra[int(i)*n+int(j)]
						}
					}
				}
				x.all, y.all = min(x.all, c), min(y.all, c)
			}
		}
	}
	for _, side := range [2]*side{o, out} {
		side.best = -1
		for k := range side.option {
			if x := side.option[k].all; x < never && (side.best < 0 || x < side.option[side.best].all) {
				side.best = k
			}
		}
	}
}

// cheapest is the least price of a side by itself.
func (o *side) cheapest() float64 {
	least := never
	for k := range o.option {
		least = min(least, o.option[k].own)
	}
	return least
}

// has says whether an option has an arc, or for nobody none.
func (x *pair) has(arc int32) bool { return x.a == arc || arc >= 0 && x.b == arc }

// flipped is the least that the detection costs without an arc, or nobody there, where the answer has it, and
// with it where not.
func (o *side) flipped(arc int32, chosen bool, unused float64) float64 {
	least := never
	if chosen {
		least = unused
		if o.best >= 0 && !o.option[o.best].has(arc) {
			return min(least, o.option[o.best].all)
		}
	}
	for k := range o.option {
		if x := &o.option[k]; x.has(arc) != chosen && x.all < least {
			least = x.all
		}
	}
	return least
}

// MarginOptions steer ExactMargins. The zero value is the default; a nil *MarginOptions is too.
type MarginOptions struct {
	// Most is where the search for alternatives ends: a larger margin is only known to be
	// at least so large, or what prices prove. In units of costs; 0: 6.
	Most float64

	// Effort is the work that may be done, in looks at every cost of a part, of which small ones count as
	// middle ones; 0: 25, +Inf: until all margins up to Most are exact.
	Effort float64
}

// ExactMargins computes the margins of the answer of a result of g, as NewMargins does, and then
// solves around each decision that the answer makes, a link, a birth, an end, a detection that is
// not used, whose margin may be less than Most; those of what the answer does not do remain. Its
// margins are of answers that are the one at hand but in the decision's part of the graph, in which
// what costs too much to matter joins nothing; without a gap all others cost no less. When ctx ends
// it returns what is known, and an error that wraps ctx.Err().
func ExactMargins(ctx context.Context, g *Graph, res *Result, opts *MarginOptions) (*Margins, error) {
	var o MarginOptions
	if opts != nil {
		o = *opts
	}
	if o.Most == 0 {
		o.Most = 6
	}
	if o.Effort == 0 {
		o.Effort = 25
	}
	m := NewMargins(g, res.Prices, res.Answer)
	for _, x := range [][2]*[]float64{{&m.ArcMost, &m.Arc}, {&m.BirthMost, &m.Birth}, {&m.EndMost, &m.End}, {&m.UnusedMost, &m.Unused}} {
		*x[0] = slices.Repeat([]float64{never}, len(*x[1]))
	}
	p, l, err := pose(ctx, g, true) // with a vain arc a birth or an end decides otherwise
	if err != nil {
		return m, err
	}
	s := newState(p)
	x := &exactMargins{l: l, root: s, of: m, effort: o.Effort}
	h := x.search(math.Inf(1), 1)
	if x.tiny, _, err = h.ascend(ctx, s, never, ascentShare); err != nil {
		return m, err
	}
	s.best = l.entries(p, res.Answer)
	s.upper = p.price(ctx, s.best, p.columnsOf(nil, s.best))
	for _, most := range []float64{o.Most / 6, o.Most / 3, o.Most} {
		x.most = most
		if err := x.find(ctx); err != nil {
			return m, err
		}
	}
	return m, ctx.Err() // a search that ended with ctx may say nothing of it
}

// entries are the entries of an answer: the first row and column of a detection take what is earlier.
func (l *layout) entries(p *problem, a *Answer) []int32 {
	byRow, taken := slices.Repeat([]int32{-1}, p.Rows), make([]bool, p.Cols)
	for i := range p.Rows {
		for e := p.Ptr[i]; e < p.Ptr[i+1] && byRow[i] < 0; e++ {
			c := p.Col[e]
			switch arc := l.arc[e]; {
			case taken[c]:
			case arc < 0:
				if !a.Used[i] {
					byRow[i] = int32(e)
				}
			case a.Chosen[arc] && !l.elsewhere(p, byRow, i, arc):
				byRow[i] = int32(e)
			}
		}
		if byRow[i] >= 0 {
			taken[p.Col[byRow[i]]] = true
		}
	}
	return byRow
}

// elsewhere says whether row i is the second one of a mother whose first one takes an arc.
func (l *layout) elsewhere(p *problem, byRow []int32, i int, arc int32) bool {
	first := int(l.g.Tail[arc])
	return i != first && byRow[first] >= 0 && l.arc[byRow[first]] == arc
}

// exactMargins finds the margins up to most.
type exactMargins struct {
	l      *layout
	root   *state
	of     *Margins
	most   float64
	effort float64
	tiny   float64
}

// search is one with an effort, in looks at so many costs.
func (x *exactMargins) search(effort, costs float64) *search {
	return &search{budget: effort * costs, effort: effort, root: x.root, tell: func(float64) {}}
}

// find solves the parts one by one.
func (x *exactMargins) find(ctx context.Context) error {
	r := newReduction(ctx, x.root)
	r.more = x.most
	r.follow()
	r.settle(true, never, x.tiny)
	p := x.root.p
	byCol := p.columnsOf(nil, x.root.best)
	raise := func(d decision) {
		if least, _ := x.at(d); least != nil {
			*least = max(*least, x.most)
		}
	}
	for i, e := range x.root.best { // what has one option left
		if r.rows[i] == 1 {
			raise(x.decision(port(i), e))
		}
	}
	for j, e := range byCol {
		if e < 0 && r.cols[j] == 1 {
			raise(x.decision(port(-1-j), e))
		}
	}
	list, _ := r.parts()
	for _, m := range list {
		if err := x.part(ctx, r, m); err != nil {
			return err
		}
	}
	return nil
}

// A decision is what the answer does: a link, or a birth, an end or no use of a detection.
type decision struct {
	arc int32 // -1: not a link
	of  int32 // detection; -1: not a decision, a second port that stays free
	in  bool  // birth; otherwise an end, or no use
	not bool  // no use
}

// decision is that of the answer at a port, where it has entry e.
func (x *exactMargins) decision(at port, e int32) decision {
	n := int32(x.l.g.Detections())
	switch {
	case e >= 0 && x.l.arc[e] >= 0:
		return decision{arc: x.l.arc[e], of: x.l.g.Tail[x.l.arc[e]]}
	case e >= 0:
		return decision{arc: -1, of: x.root.p.Col[e], not: true}
	case at < 0 && int32(-1-at) < n:
		return decision{arc: -1, of: int32(-1 - at), in: true}
	case at >= 0 && int32(at) < n:
		return decision{arc: -1, of: int32(at)}
	}
	return decision{arc: -1, of: -1}
}

// at is where the margin of a decision stands.
func (x *exactMargins) at(d decision) (least, most *float64) {
	m := x.of
	switch {
	case d.of < 0:
		return nil, nil
	case d.arc >= 0:
		return &m.Arc[d.arc], &m.ArcMost[d.arc]
	case d.not:
		return &m.Unused[d.of], &m.UnusedMost[d.of]
	case d.in:
		return &m.Birth[d.of], &m.BirthMost[d.of]
	}
	return &m.End[d.of], &m.EndMost[d.of]
}

// A doubt is a decision of a part, with the ports and options of the part that make it.
type doubt struct {
	decision
	lower, upper float64 // of its margin
	entries      []int32
	free         port // where there are no entries
}

// smallPart is what every part may spend besides, in costs.
const smallPart = 50_000

// part finds the margins of the decisions of part m of r.
func (x *exactMargins) part(ctx context.Context, r *reduction, m *part) error {
	m.problem.unit = x.root.p.unit
	s := newState(&m.problem)
	own := r.restrict(m)
	cost := m.price(ctx, own, m.columnsOf(nil, own))
	s.offer(ctx, own)
	h := x.search(x.effort, m.size()+smallPart)
	if _, _, err := h.ascend(ctx, s, never, ascentShare); err != nil {
		return err
	}
	s.best = nil // the answer's decisions are those of own
	s.upper = never
	doubts := x.doubts(ctx, m, s, own, cost)
	for k := range doubts {
		d := &doubts[k]
		if most := min(d.upper, x.most); d.lower < most-x.tiny && !h.spent() {
			found, alt, err := x.without(ctx, h, s, d, cost+most)
			if err != nil {
				return err
			}
			d.lower = max(d.lower, min(found-cost, most))
			if alt != nil {
				x.note(doubts, m, own, alt, m.price(ctx, alt, m.columnsOf(nil, alt))-cost)
			}
		}
	}
	for k := range doubts {
		d := &doubts[k]
		least, most := x.at(d.decision)
		*least, *most = max(*least, min(d.lower, d.upper)), min(*most, d.upper)
	}
	return nil
}

// doubts lists the decisions of a part by ascending margin, from what the part's prices prove: as dearer
// options are not there, at most x.most.
func (x *exactMargins) doubts(ctx context.Context, m *part, s *state, own []int32, cost float64) (list []doubt) {
	r := newReduction(ctx, s)
	r.measure()
	byArc := make(map[int32][]int32)
	for e, of := range m.of {
		if a := x.l.arc[of]; a >= 0 {
			byArc[a] = append(byArc[a], int32(e))
		}
	}
	byCol := m.columnsOf(nil, own)
	add := func(at port, e int32, whole port) {
		of := int32(-1)
		if e >= 0 {
			of = m.of[e]
		}
		d := doubt{decision: x.decision(whole, of), free: at}
		least, most := x.at(d.decision)
		if least == nil {
			return
		}
		if e >= 0 {
			d.entries = []int32{e}
			if d.arc >= 0 {
				d.entries = byArc[d.arc]
			}
		}
		d.lower = max(min(s.value+r.otherwise(at, e)-cost, x.most), *least)
		d.upper = *most
		list = append(list, d)
	}
	for k, i := range m.row {
		add(port(k), own[k], port(i))
	}
	for k, j := range m.col {
		if byCol[k] < 0 {
			add(port(-1-k), -1, port(-1-j))
		}
	}
	slices.SortStableFunc(list, func(a, b doubt) int { return cmp.Compare(a.lower, b.lower) })
	return list
}

// otherwise is the least margin of the other options of a port than entry e, and of those of the other end of
// e by their reduced costs alone: blocks between the two count once.
func (r *reduction) otherwise(at port, e int32) float64 {
	p := r.s.p
	least := func(at port, margin func(k int) float64) float64 {
		x := never
		for k := range p.options(at) {
			if p.option(at, k) != e {
				x = min(x, margin(k))
			}
		}
		return x
	}
	x := least(at, func(k int) float64 {
		switch e := p.option(at, k); {
		case e >= 0:
			return r.margin[e]
		case at < 0:
			return r.colMargin[-1-at]
		}
		return r.rowMargin[at]
	})
	if e >= 0 {
		other := port(-1 - p.Col[e])
		x += least(other, func(k int) float64 { return r.s.reduced(other, k) })
	}
	return x
}

// note takes down what an answer that costs so much more says of the decisions that it makes
// otherwise.
func (x *exactMargins) note(doubts []doubt, m *part, own, alt []int32, more float64) {
	byCol := m.columnsOf(nil, alt)
	for k := range doubts {
		d := &doubts[k]
		same := false
		switch {
		case d.entries != nil:
			for _, e := range d.entries {
				same = same || byCol[m.Col[e]] == e
			}
		case d.free < 0:
			same = byCol[-1-d.free] < 0
		default:
			same = alt[d.free] < 0
		}
		if !same {
			d.upper = min(d.upper, more)
		}
	}
}

// without solves a part with a decision forbidden. It returns a bound on what its answers cost, at most
// cutoff, and the best one that was found; nil: none.
func (x *exactMargins) without(ctx context.Context, h *search, s *state, d *doubt, cutoff float64) (lower float64, alt []int32, err error) {
	r := newReduction(ctx, s)
	if d.entries == nil {
		r.drop(d.free, s.p.options(d.free)-1)
	}
	for _, e := range d.entries {
		r.dropEntry(e)
	}
	r.follow()
	if !r.dead {
		r.settle(false, cutoff-s.value, x.tiny)
	}
	h.work += r.work
	if r.dead {
		return cutoff, nil, nil
	}
	lower, err = h.apart(ctx, r, cutoff, x.tiny)
	if errors.Is(err, mapsolver.ErrInfeasible) {
		return cutoff, nil, nil
	}
	alt = s.best
	s.best, s.upper = nil, never
	return lower, alt, err
}
