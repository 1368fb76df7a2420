package refine

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt/association/chain"
	"mtt/internal/slab"
)

// This file refines the links of targets that are seen seldom: that report by themselves, at times
// of their own, or in one scan of many.
//
// Problem. The moves of the other files look, at each cut between two scans, at all parts of tracks
// within reach of it. Where a target is seen in one scan of n links pass over several times n
// scans, and about as many tracks cross each cut, of which nothing changes from one to the next:
// the work grows with the square of n, or its cube, and what it looks for is near a detection in
// space, not in the number of scans.
//
// Idea. A detection knows which others before it lie near: of the last scan, of the two before
// that, of the four before these, and so on, the few nearest in space of each. So one that reports
// often does not hide one that reports seldom, and there are a few for each doubling of the reach.
// Tracks begin as nearest neighbours, in order of time, each by the likelihood of the whole track
// up to then. Then each detection is offered what lies near: to follow it, and leave to what it
// followed what comes after that; a place in its track; to change places with the one after. Each
// is priced by the states before and the information after, as all moves are, and only the tracks
// that change are filtered anew, as far as that changes them.
//
// Invariant. Links stay consistent, and the price of all tracks never rises after the beginning.
//
// Cost. O(n log n log r) to list what lies near n detections within r scans, and O(n log r) prices
// in each sweep.

// nearSeldom is how many detections of each doubling of the reach are near one.
const nearSeldom = 8

// improveSeldom is improve where targets are seen seldom. Links that are there are forgotten.
func improveSeldom[S comparable, E any](ctx context.Context, r *refiner[S, E], opts *Options) (changed int, err error) {
	s := &seldom[S, E]{mover: r.movers[0]}
	if err := s.list(ctx); err != nil {
		return 0, err
	}
	r.backward()
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	s.seen = make([]int64, len(s.node))
	slab.Fill(s.seen, -1)
	for range opts.Sweeps {
		n := s.dissolve() + s.rejoin(ctx)
		for k := range s.node {
			if k&0x3ff == 0 && ctx.Err() != nil {
				return changed, ctx.Err()
			}
			for s.news(k) {
				r.clock++
				s.seen[k] = r.clock
				if s.better(k) == 0 {
					break
				}
				n++
			}
		}
		if changed += n; n == 0 {
			break
		}
	}
	return changed, nil
}

// A seldom is the workspace of improveSeldom. Detections have numbers, in order of time.
type seldom[S comparable, E any] struct {
	*mover[S, E]
	first []int32 // of the first detection of each scan, and of all together
	node  []chain.Node
	ptr   []int32 // what is near detection k, before it, is near[ptr[k]:ptr[k+1]]
	near  []int32
	seen  []int64 // when a detection was last offered what lies near
}

// list lists what lies near each detection.
func (s *seldom[S, E]) list(ctx context.Context) error {
	s.first = make([]int32, len(s.scans)+1)
	for t := range s.scans {
		for i := range s.scans[t].Len() {
			s.node = append(s.node, chain.At(t, i))
		}
		s.first[t+1] = int32(len(s.node))
	}
	each := make([][]int32, len(s.node))
	tree := nearTree{at: func(k int32) []float64 { return s.scans[s.node[k].T].At(int(s.node[k].Det)) }}
	var found []choice
	for level := 0; 1<<level <= int(s.reach); level++ {
		// Of each block of 2^level scans the scans of the next block ask: what lies between, blocks
		// of fewer know.
		size := 1 << level
		for lo := 0; lo+size < len(s.scans); lo += size {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			tree.set(s.first[lo], s.first[lo+size])
			for t := lo + size; t < min(lo+2*size, len(s.scans)); t++ {
				for k := s.first[t]; k < s.first[t+1]; k++ {
					found = tree.nearest(found[:0], s.scans[t].At(int(s.node[k].Det)), s.far(int32(lo), int32(t)))
					for _, c := range found {
						from := s.node[c.of].T
						if far := s.far(from, int32(t)); int32(t)-from <= s.reach && c.cost <= far*far {
							each[k] = append(each[k], c.of)
						}
					}
				}
			}
		}
	}
	s.ptr = make([]int32, 1, len(s.node)+1)
	for _, list := range each {
		slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(b, a) })
		s.near = append(s.near, slices.Compact(list)...)
		s.ptr = append(s.ptr, int32(len(s.near)))
	}
	return nil
}

// far is how far a target may get from scan t to scan u.
func (s *seldom[S, E]) far(t, u int32) float64 {
	dt := s.scans[u].Time - s.scans[t].Time
	return s.speed*dt + 4*math.Sqrt(s.noise[t]+s.noise[u])
}

// befores are the detections near detection k, before it.
func (s *seldom[S, E]) befores(k int) []int32 { return s.near[s.ptr[k]:s.ptr[k+1]] }

// begin links each detection, in order of time, to the nearest track before it.
func (s *seldom[S, E]) begin(ctx context.Context) error {
	var offers []offer
	for t := range s.scans {
		if t&0x3ff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s.clock++
		offers = offers[:0]
		for k := s.first[t]; k < s.first[t+1]; k++ {
			d := s.node[k]
			alone := s.birth(d) // nobody knows yet whether it is a target's
			alone += s.filter.Open(&s.tails[d.T][d.Det])/2 - math.Log1p(math.Exp(alone-s.falsely(d)))
			for _, n := range s.befores(int(k)) {
				a := s.node[n]
				if s.Next[a.T][a.Det] != chain.None {
					continue
				}
				apart := s.death(a) + alone
				if c := s.join(a, d, apart); c < apart {
					offers = append(offers, offer{c - apart, a, d})
				}
			}
		}
		slices.SortStableFunc(offers, byGain)
		for _, o := range offers {
			if s.free(o) {
				s.link(o.a, o.b)
				s.renewState(o.b)
			}
		}
	}
	for k := len(s.node) - 1; k >= 0; k-- {
		s.renewTail(s.node[k])
	}
	return nil
}

// An offer is a link that would make things cheaper.
type offer struct {
	gain float64
	a, b chain.Node
}

// byGain orders offers, the best first.
func byGain(x, y offer) int { return cmp.Compare(x.gain, y.gain) }

// free reports whether both ends of an offer are without a link there.
func (s *seldom[S, E]) free(o offer) bool {
	return s.Next[o.a.T][o.a.Det] == chain.None && s.Prev[o.b.T][o.b.Det] == chain.None
}

// lookedAhead is how many tracks that begin after a track ends are looked at.
const lookedAhead = 128

// rejoin joins tracks that end to those that begin later, wherever they go meanwhile: the likeliest
// first. It reports how many.
func (s *seldom[S, E]) rejoin(ctx context.Context) (n int) {
	var begins []chain.Node
	for _, d := range s.node {
		if s.Prev[d.T][d.Det] == chain.None && s.Next[d.T][d.Det] != chain.None {
			begins = append(begins, d)
		}
	}
	var offers []offer
	after := 0
	for _, a := range s.node {
		if s.Next[a.T][a.Det] != chain.None || s.Prev[a.T][a.Det] == chain.None || ctx.Err() != nil {
			continue
		}
		for after < len(begins) && begins[after].T <= a.T {
			after++
		}
		for _, b := range begins[after:min(len(begins), after+lookedAhead)] {
			if b.T-a.T > s.reach {
				break
			}
			if price, joined := s.best(a, b); joined {
				offers = append(offers, offer{price - s.ended(a) - s.begun(b), a, b})
			}
		}
	}
	slices.SortStableFunc(offers, byGain)
	s.clock++
	for _, o := range offers {
		if !s.free(o) {
			continue
		}
		if _, joined := s.best(o.a, o.b); joined { // still, what comes before and after having changed
			s.link(o.a, o.b)
			s.renew(o.b)
			n++
		}
	}
	return n
}

// dissolve takes tracks apart that are likelier as false alarms, and reports how many.
func (s *seldom[S, E]) dissolve() (n int) {
	var path []chain.Node
	for _, d := range s.node {
		if s.Prev[d.T][d.Det] != chain.None || s.Next[d.T][d.Det] == chain.None {
			continue
		}
		path = path[:0]
		apart := 0.0
		for h := d; h != chain.None; h = s.Next[h.T][h.Det] {
			path, apart = append(path, h), apart+s.alone(h)
		}
		if s.whole(path) <= apart+slightest {
			continue
		}
		s.clock++
		n++
		for _, h := range path {
			s.unlink(h)
		}
		for _, h := range path {
			s.renew(h)
		}
	}
	return n
}

// renewState filters anew up to h, and reports whether that changes its state.
func (s *seldom[S, E]) renewState(h chain.Node) bool {
	return s.forwardPart(&s.filter, &s.refiner.fresh.state, int(h.T), -1, int(h.Det), int(h.Det)+1)
}

// renewTail filters anew back to h, and reports whether that changes its information.
func (s *seldom[S, E]) renewTail(h chain.Node) bool {
	return s.backwardPart(&s.filter, &s.refiner.fresh.tail, int(h.T), -1, int(h.Det), int(h.Det)+1)
}

// renew filters the track of h anew, from h on and back to it, as far as that changes anything.
func (s *seldom[S, E]) renew(h chain.Node) {
	s.ahead.scan = -1
	last := h
	for s.renewState(last) {
		next := s.Next[last.T][last.Det]
		if next == chain.None {
			break
		}
		last = next
	}
	for at := last; at != chain.None; at = s.Prev[at.T][at.Det] {
		if !s.renewTail(at) && at.T < h.T {
			break
		}
	}
}

// news reports whether anything near detection k has changed since it was last looked at.
func (s *seldom[S, E]) news(k int) bool {
	since := s.seen[k]
	changed := func(h chain.Node) bool { return h != chain.None && s.stamp[h.T][h.Det] > since }
	d := s.node[k]
	if since < 0 || changed(d) || changed(s.Prev[d.T][d.Det]) || changed(s.Next[d.T][d.Det]) {
		return true
	}
	for _, n := range s.befores(k) {
		a := s.node[n]
		if next := s.Next[a.T][a.Det]; (next == chain.None || next.T > d.T || next == d) && (changed(a) || changed(next)) {
			return true
		}
	}
	return false
}

// follows prices a to be followed by b, either of which may be none.
func (s *seldom[S, E]) follows(a, b chain.Node) float64 {
	switch {
	case a == chain.None && b == chain.None:
		return 0
	case a == chain.None:
		return s.begun(b)
	case b == chain.None:
		return s.ended(a)
	}
	return s.join(a, b, math.Inf(1))
}

// best is the least price of a being followed by b, or not, and whether it is.
func (s *seldom[S, E]) best(a, b chain.Node) (price float64, joined bool) {
	if a == chain.None || b == chain.None {
		return s.follows(a, b), false
	}
	price = s.ended(a) + s.begun(b)
	if a.T < b.T && b.T-a.T <= s.reach {
		if c := s.join(a, b, price); c < price {
			return c, true
		}
	}
	return price, false
}

// in prices d in a place; of the two ends of a link either may be none, and both.
func (s *seldom[S, E]) in(from, to, d chain.Node) float64 {
	if from == chain.None && to == chain.None {
		return s.alone(d)
	}
	return s.seated(place{from, to}, d, math.Inf(1))
}

// A relinking is links that are to be.
type relinking struct {
	gain  float64
	cuts  [4]chain.Node // after which links end
	joins [4][2]chain.Node
}

// better makes the best of the changes of which detection k is a part, if there is one that pays,
// and returns what it adds to the price: 0 if there is none.
func (s *seldom[S, E]) better(k int) (gain float64) {
	d := s.node[k]
	p, n := s.Prev[d.T][d.Det], s.Next[d.T][d.Det]
	none := chain.None
	best := relinking{gain: -slightest}
	offer := func(gain float64, cuts [4]chain.Node, joins ...[2]chain.Node) {
		if gain < best.gain {
			best = relinking{gain: gain, cuts: cuts, joins: [4][2]chain.Node{{none, none}, {none, none}, {none, none}, {none, none}}}
			copy(best.joins[:], joins)
		}
	}
	here := s.follows(p, d)
	if p != none { // to begin a track of its own
		offer(s.ended(p)+s.begun(d)-here, [4]chain.Node{p, none, none, none})
	}
	seated, vacant, bridged := s.in(p, n, d), 0.0, false
	vacant, bridged = s.best(p, n)
	bridge := [2]chain.Node{none, none}
	if bridged {
		bridge = [2]chain.Node{p, n}
	}
	if p != none || n != none { // to be in no track
		offer(vacant+s.alone(d)-seated, [4]chain.Node{p, d, none, none}, bridge)
	}
	for _, number := range s.befores(k) {
		a := s.node[number]
		if a == p {
			continue
		}
		c := s.Next[a.T][a.Det]
		if !s.before(a, d) { // to follow a, and leave p what followed that
			onto, joined := s.best(p, c)
			swap := [2]chain.Node{none, none}
			if joined {
				swap = [2]chain.Node{p, c}
			}
			offer(s.join(a, d, math.Inf(1))+onto-here-s.follows(a, c), [4]chain.Node{a, p, none, none}, [2]chain.Node{a, d}, swap)
		}
		if c == d || c != none && c.T <= d.T {
			continue
		}
		// To leave its track for the place between a and c.
		there := s.follows(a, c)
		if c != none {
			if c.T-d.T > s.reach {
				continue
			}
			offer(s.in(a, c, d)+vacant-seated-there, [4]chain.Node{p, d, a, none}, [2]chain.Node{a, d}, [2]chain.Node{d, c}, bridge)
		} else {
			offer(s.in(a, none, d)+vacant-seated-there, [4]chain.Node{p, d, a, none}, [2]chain.Node{a, d}, bridge)
			continue
		}
		// To change places with c.
		c2 := s.Next[c.T][c.Det]
		if n != none && n.T <= c.T || p != none && c.T-p.T > s.reach || n != none && n.T-c.T > s.reach || c2 != none && c2.T-d.T > s.reach {
			continue
		}
		swapped := s.in(p, n, c) + s.in(a, c2, d)
		joins := [4][2]chain.Node{{a, d}, {none, none}, {none, none}, {none, none}}
		if c2 != none {
			joins[1] = [2]chain.Node{d, c2}
		}
		if p != none {
			joins[2] = [2]chain.Node{p, c}
		}
		if n != none {
			joins[3] = [2]chain.Node{c, n}
		}
		offer(swapped-seated-s.in(a, c2, c), [4]chain.Node{p, d, a, c}, joins[:]...)
	}
	if best.gain == -slightest {
		return 0
	}
	s.make(&best)
	return best.gain
}

// before reports whether a comes before d in one track.
func (s *seldom[S, E]) before(a, d chain.Node) bool {
	for ; d != chain.None && d.T > a.T; d = s.Prev[d.T][d.Det] {
	}
	return a == d
}

// make makes a change.
func (s *seldom[S, E]) make(c *relinking) {
	touched := make([]chain.Node, 0, 16)
	for _, a := range c.cuts {
		if a != chain.None {
			if b := s.Next[a.T][a.Det]; b != chain.None {
				touched = append(touched, b)
			}
			touched = append(touched, a)
			s.unlink(a)
		}
	}
	for _, j := range c.joins {
		if j[0] != chain.None {
			s.link(j[0], j[1])
			touched = append(touched, j[0], j[1])
		}
	}
	slices.SortFunc(touched, func(a, b chain.Node) int { return cmp.Or(cmp.Compare(a.T, b.T), cmp.Compare(a.Det, b.Det)) })
	for _, h := range slices.Compact(touched) {
		s.renew(h)
	}
}

// A nearTree is a k-d tree over detections of some scans, by their numbers.
type nearTree struct {
	at   func(k int32) []float64
	list []int32 // that of list[lo:hi] has its root in the middle
	axis []int8  // along which a root parts its tree
}

// set makes t the tree of the detections from ≤ k < to.
func (t *nearTree) set(from, to int32) {
	t.list, t.axis = t.list[:0], slab.Grow(t.axis, int(to-from))
	for k := from; k < to; k++ {
		t.list = append(t.list, k)
	}
	t.part(0, len(t.list))
}

func (t *nearTree) part(lo, hi int) {
	if hi-lo < 2 {
		return
	}
	axis, widest := 0, -1.0
	for d := range t.at(t.list[lo]) {
		least, most := math.Inf(1), math.Inf(-1)
		for _, k := range t.list[lo:hi] {
			x := t.at(k)[d]
			least, most = min(least, x), max(most, x)
		}
		if most-least > widest {
			axis, widest = d, most-least
		}
	}
	slices.SortFunc(t.list[lo:hi], func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.at(a)[axis], t.at(b)[axis]), cmp.Compare(a, b))
	})
	mid := (lo + hi) / 2
	t.axis[mid] = int8(axis)
	t.part(lo, mid)
	t.part(mid+1, hi)
}

// nearest appends to dst, which is empty, the nearest detections of a point, no farther away than
// radius: the nearest first, at most nearSeldom.
func (t *nearTree) nearest(dst []choice, x []float64, radius float64) []choice {
	return t.visit(dst, x, radius*radius, 0, len(t.list))
}

func (t *nearTree) visit(dst []choice, x []float64, limit float64, lo, hi int) []choice {
	if lo >= hi {
		return dst
	}
	mid := (lo + hi) / 2
	p, d2 := t.at(t.list[mid]), 0.0
	for d := range p {
		d2 += (x[d] - p[d]) * (x[d] - p[d])
	}
	if d2 <= limit {
		dst = keep(dst, nearSeldom, choice{d2, t.list[mid]})
	}
	if hi-lo == 1 {
		return dst
	}
	gap := x[t.axis[mid]] - p[t.axis[mid]]
	near, far := [2]int{lo, mid}, [2]int{mid + 1, hi}
	if gap > 0 {
		near, far = far, near
	}
	dst = t.visit(dst, x, limit, near[0], near[1])
	if gap*gap > limit || len(dst) == nearSeldom && gap*gap >= dst[nearSeldom-1].cost {
		return dst
	}
	return t.visit(dst, x, limit, far[0], far[1])
}
