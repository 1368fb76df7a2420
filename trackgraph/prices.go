package trackgraph

import (
	"context"
	"math"
	"slices"
)

// This file defines the multipliers that prove the bound of a graph, and computes it from
// them and from the graph alone.

// Prices prove a lower bound for a graph: any numbers do, good ones prove a good bound.
// They divide the cost of each arc between its two ends, and every detection by itself is
// given the cheapest combination of what it may do.
type Prices struct {
	Link []float64 // len arcs: what arc a costs its tail; its head pays Cost[a] less this
}

// Bound is the sum over all detections of the least that each can cost, with the costs of
// arcs divided as p says. No answer costs less. Prices that are not finite prove
// nothing: −Inf. It takes one look at every arc, and at every pair of arcs at
// detections with triplets or divisions of their own price.
func Bound(g *Graph, p *Prices) float64 {
	if len(p.Link) != len(g.Cost) {
		panic("trackgraph: prices of another graph")
	}
	for _, x := range p.Link {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return math.Inf(-1)
		}
	}
	return newStars(g, p).bound(context.Background())
}

// stars gives each detection with the arcs at it and their prices.
type stars struct {
	g             *Graph
	p             *Prices
	inPtr, outPtr []int32
	in, out       []int32
	triplets      couples // of each middle
	divisions     couples // of each mother
	s             star
}

// couples are the priced pairs of arcs of each detection.
type couples struct {
	ptr  []int32 // detection → its first one; nil: there are none
	list []couple
}

// A couple is a priced pair of arcs at a detection, by their positions there: of a triplet those in
// and out, of a division both out.
type couple struct {
	a, b int32
	cost float64
}

// at are those of detection d.
func (c *couples) at(d int) []couple {
	if c.ptr == nil {
		return nil
	}
	return c.list[c.ptr[d]:c.ptr[d+1]]
}

// newCouples sorts count couples, of which get gives the detection, by detections.
func newCouples(n, count int, get func(k int) (d int32, x couple)) (c couples) {
	if count == 0 {
		return c
	}
	c.ptr, c.list = make([]int32, n+1), make([]couple, count)
	for k := range count {
		d, _ := get(k)
		c.ptr[d]++
	}
	total := int32(0)
	for d, k := range c.ptr {
		c.ptr[d] = total
		total += k
	}
	for k := range count {
		d, x := get(k)
		c.list[c.ptr[d]] = x
		c.ptr[d]++
	}
	copy(c.ptr[1:], c.ptr[:n])
	c.ptr[0] = 0
	return c
}

// A star is a detection and its arcs.
type star struct {
	use, unused, birth, end, divide, merge float64
	in, out                                []float64 // prices of the arcs
	pair, triplet                          []couple  // divisions and triplets of their own price
}

func newStars(g *Graph, p *Prices) *stars {
	t := &stars{g: g, p: p}
	t.inPtr, t.in = byNode(g.Head, g.Detections())
	t.outPtr, t.out = byNode(g.Tail, g.Detections())
	if len(g.Triplets)+len(g.Divisions) == 0 {
		return t
	}
	after := places(t.outPtr, t.out)
	t.divisions = newCouples(g.Detections(), len(g.Divisions), func(k int) (int32, couple) {
		x := &g.Divisions[k]
		return g.Tail[x.First], couple{after[x.First], after[x.Second], x.Cost}
	})
	if len(g.Triplets) > 0 {
		before := places(t.inPtr, t.in)
		t.triplets = newCouples(g.Detections(), len(g.Triplets), func(k int) (int32, couple) {
			x := &g.Triplets[k]
			return g.Head[x.In], couple{before[x.In], after[x.Out], x.Cost}
		})
	}
	return t
}

// places is the position of each arc among those of its detection, of lists as byNode makes them.
func places(ptr, arcs []int32) []int32 {
	at := make([]int32, len(arcs))
	for d, first := range ptr[:len(ptr)-1] {
		for k, a := range arcs[first:ptr[d+1]] {
			at[a] = int32(k)
		}
	}
	return at
}

// at is the star of detection d, until the next call.
func (t *stars) at(d int) *star {
	g, s := t.g, &t.s
	s.use, s.unused = price(g.Use, d, 0), price(g.False, d, 0)
	s.birth, s.end = price(g.Birth, d, 0), price(g.End, d, 0)
	s.divide, s.merge = price(g.Divide, d, never), price(g.Merge, d, never)
	ins, outs := t.in[t.inPtr[d]:t.inPtr[d+1]], t.out[t.outPtr[d]:t.outPtr[d+1]]
	s.in, s.out = s.in[:0], s.out[:0]
	for _, a := range ins {
		s.in = append(s.in, g.Cost[a]-t.p.Link[a])
	}
	for _, a := range outs {
		s.out = append(s.out, t.p.Link[a])
	}
	s.pair, s.triplet = t.divisions.at(d), t.triplets.at(d)
	return s
}

// bound is what the prices prove, which may have changed since the stars were made; −Inf where ctx ends.
func (t *stars) bound(ctx context.Context) float64 {
	var total sum
	for d := range t.g.Detections() {
		if ended(ctx, d) {
			return math.Inf(-1)
		}
		total.add(t.at(d).least())
	}
	return total.value()
}

// place is the position of an arc in an ascending list that has it.
func place(list []int32, arc int32) int32 {
	k, _ := slices.BinarySearch(list, arc)
	return int32(k)
}

// least is the least that the detection can cost.
func (s *star) least() float64 {
	if len(s.triplet) > 0 {
		return min(s.unused, s.use+s.leastWithTriplets())
	}
	in := min(s.birth, least(s.in), s.merge+leastTwo(s.in))
	out := min(s.end, least(s.out), s.division())
	return min(s.unused, s.use+in+out)
}

// division is the least that two successors cost.
func (s *star) division() float64 {
	if len(s.pair) == 0 {
		return s.divide + leastTwo(s.out)
	}
	best := never
	if s.divide == never { // pairs that have a price are all that there are
		for _, x := range s.pair {
			best = min(best, s.out[x.a]+s.out[x.b]+x.cost)
		}
		return best
	}
	n, extra := len(s.out), s.pairs()
	for i := range n {
		for j := range i {
			best = min(best, s.out[i]+s.out[j]+extra[i*n+j])
		}
	}
	return best
}

// pairs are the prices of two successors: out×out.
func (s *star) pairs() []float64 {
	n := len(s.out)
	extra := slices.Repeat([]float64{s.divide}, n*n)
	for _, x := range s.pair {
		i, j := int(x.a), int(x.b)
		extra[i*n+j], extra[j*n+i] = x.cost, x.cost
	}
	return extra
}

// triplets are the prices of an arc in with an arc out: in×out.
func (s *star) triplets() []float64 {
	n := len(s.out)
	extra := make([]float64, len(s.in)*n)
	for _, x := range s.triplet {
		extra[int(x.a)*n+int(x.b)] = x.cost
	}
	return extra
}

// leastWithTriplets is the least of both sides together where pairs of arcs have prices:
// at such detections there is one arc at most on either side.
func (s *star) leastWithTriplets() float64 {
	m, extra := len(s.out), s.triplets()
	best := min(s.birth, least(s.in)) + s.end
	best = min(best, s.birth+least(s.out))
	for i, x := range s.in {
		for j, y := range s.out {
			best = min(best, x+y+extra[i*m+j])
		}
	}
	return best
}

func least(s []float64) float64 {
	best := never
	for _, x := range s {
		if x < best {
			best = x
		}
	}
	return best
}

// leastTwo is the sum of the two least elements.
func leastTwo(s []float64) float64 {
	one, two := never, never
	for _, x := range s {
		switch {
		case x < one:
			one, two = x, one
		case x < two:
			two = x
		}
	}
	return one + two
}

// prices are those that the state of a graph's problem implies: what the column of its head
// takes of an arc is the head's share, or what its row takes is the tail's where the head
// may merge and has two columns. Where ctx ends they mean nothing.
func (l *layout) prices(ctx context.Context, s *state) *Prices {
	p := s.p
	prices := &Prices{Link: make([]float64, len(l.g.Cost))}
	multiplier := func(at port, number int32, e int32) float64 {
		if number < 0 {
			return 0
		}
		b := &p.blocks[number]
		switch k := p.optionOf(at, e); {
		case !b.awake():
			return 0
		case at == b.first:
			return b.u[k]
		default:
			return b.v[k]
		}
	}
	if l.vain != nil {
		l.vain.prices(prices)
	}
	n := l.g.Detections()
	for r := p.Rows - 1; r >= 0; r-- { // first rows last: they decide
		if ended(ctx, r) {
			break
		}
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			a, c := l.arc[e], p.Col[e]
			if a < 0 || int(c) >= n {
				continue
			}
			if !l.g.merges(int(c)) {
				prices.Link[a] = l.g.Cost[a] - (s.sol.V[c] - multiplier(port(-1-c), p.colIn[c], int32(e)))
			} else if r < n {
				prices.Link[a] = s.sol.U[r] - multiplier(port(r), p.rowIn[r], int32(e))
			}
		}
	}
	return prices
}
