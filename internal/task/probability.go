package task

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
	"mtt/association/refine"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/internal/rng"
)

// This file says how probable links are.
//
// By Bayes' rule sets of tracks are as probable as exp(−price), and a link as the sum over those that have it. The price is that of tracks
// as wholes, by all their detections, not that of the pairs and triplets that the assignment adds up: these know one frame before and
// after. Rivals of the tracks are
//
//   - two tracks that trade their detections at a gap between frames, for good or for some frames, where a margin is small;
//   - the answers that solving around a decision has found (dualascent.ExactMargins), and the links of the assignment that
//     refinement has left, where no trade speaks.
//
// A rival with odds o = exp(−what it costs more) leaves a link that it does not have 1/(1 + Σ o). That is for rivals that have nothing to
// do with each other; where trades have notable odds, tracks are drawn from their distribution instead, by the Metropolis
// algorithm with trades for moves, and the links are counted.

// Limits of the work: pricings of tracks, at most so many and for each detection so many, half of them for odds;
// detections on either side of a gap for which tracks are priced, as filters forget; frames for which tracks trade.
const mostPricings, ownPricings, memory, longestTrade = 800_000, 2, 15, 8

// Margins from farther on are not doubtful; odds from notable on are worth drawing tracks, at least fewest times.
const farther, notable, fewest = 6, 0.005, 100

// rivalry weighs rivals against the tracks.
type rivalry struct {
	m      *trackMargins
	links  *chain.Links // of the tracks
	track  [][]int32    // of each detection; −1: none
	price  func([]chain.Node) float64
	weight [][]float64 // of each detection: odds that something else is before it
	path   []chain.Node
	budget int // pricings
}

// A change gives a detection another successor; chain.None: none.
type change struct{ from, to chain.Node }

// newRivalry begins with the tracks alone.
func newRivalry(m *trackMargins, res *association.Result) *rivalry {
	scans := res.Instance.Scans
	r := &rivalry{m: m, links: chain.New(scans), price: refine.Pricer(scans, res.Model.(costgen.Leveled)), weight: make([][]float64, len(scans)), budget: mostPricings}
	scan := make(map[int]int32, len(scans))
	for t := range scans {
		scan[scans[t].Frame] = int32(t)
		r.weight[t] = make([]float64, scans[t].Len())
		r.track = append(r.track, slices.Repeat([]int32{-1}, scans[t].Len()))
		r.budget += ownPricings * scans[t].Len()
	}
	at := func(h mtt.Hit) chain.Node { return chain.At(scan[h.Frame], h.Det) }
	for k := range res.Tracks {
		hits := res.Tracks[k].Hits
		for h := range hits {
			n := at(hits[h])
			if r.track[n.T][n.Det] = int32(k); h > 0 {
				r.links.Link(at(hits[h-1]), n)
			}
		}
	}
	return r
}

// rivals weighs all rivals.
func (r *rivalry) rivals(res *dualascent.Result, found []dualascent.Variant) {
	pairs := r.trades()
	var notables []trade
	for _, key := range slices.SortedFunc(maps.Keys(pairs), func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }) {
		r.settle(pairs[key])
		for _, x := range pairs[key] {
			if x.odds >= notable {
				notables = append(notables, x)
			}
		}
	}
	slices.SortStableFunc(notables, func(a, b trade) int { return cmp.Compare(b.odds, a.odds) })
	rest := make(map[chain.Node]float64)
	for _, list := range r.left(r.m.all.Links) {
		r.weigh(rest, list)
	}
	for _, v := range found {
		list := r.m.successors(res, v.Changes)
		as := len(list) > 0 // and the tracks are as the assignment there
		for _, c := range list {
			as = as && r.links.Next[c.from.T][c.from.Det] == r.m.all.Links.Next[c.from.T][c.from.Det]
		}
		if as {
			r.weigh(rest, list)
		}
	}
	for n, odds := range rest {
		if w := &r.weight[n.T][n.Det]; *w == 0 {
			*w = odds
		}
	}
	r.sample(notables)
}

// part is the price of the track of a detection, of that part of it that is near.
func (r *rivalry) part(at chain.Node) float64 {
	r.budget--
	r.path = r.path[:0]
	for h := at; h != chain.None && len(r.path) < memory; h = r.links.Prev[h.T][h.Det] {
		r.path = append(r.path, h)
	}
	slices.Reverse(r.path)
	for n, h := 0, r.links.Next[at.T][at.Det]; h != chain.None && n < memory; n, h = n+1, r.links.Next[h.T][h.Det] {
		r.path = append(r.path, h)
	}
	return r.price(r.path)
}

// A trade is a rival in which two tracks go on with each other's detections from gap first on until gap last, −1: for good.
type trade struct {
	first, last int32
	odds        float64
	from        [2]chain.Node    // the detections before the first gap
	at          [2][2]chain.Node // those after both gaps
}

// trades lists those of each two tracks, beginning with the most doubtful arcs, as far as half of the budget goes.
func (r *rivalry) trades() map[[2]int32][]trade {
	type candidate struct {
		a, b   chain.Node
		margin float64
	}
	var list []candidate
	for t := range r.m.inst.Dual.Pairs {
		g := &r.m.inst.Dual.Pairs[t]
		for i := range r.m.inst.Scans[t].Len() {
			own := r.links.Next[t][i]
			for _, j := range g.Col[g.Ptr[i]:g.Ptr[i+1]] {
				if int(j) >= r.m.inst.Scans[t+1].Len() || own == chain.None || int(own.T) != t+1 || own.Det == j {
					continue
				}
				b := chain.At(int32(t+1), j)
				other := r.links.Prev[b.T][b.Det]
				if other == chain.None || int(other.T) != t || int(other.Det) < i || !r.m.linked(other, own) {
					continue
				}
				if x := min(r.m.all.Before[b.T][j], r.m.all.Before[own.T][own.Det]); x < farther {
					list = append(list, candidate{chain.At(t, i), b, x})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.margin, b.margin) })
	pairs := make(map[[2]int32][]trade)
	stop := r.budget / 2
	for _, c := range list {
		if r.budget < stop {
			break
		}
		r.trade(pairs, c.a, c.b)
	}
	return pairs
}

// trade lists the rivals in which the track of detection a goes on with b, and that of b's predecessor with a's successor.
func (r *rivalry) trade(pairs map[[2]int32][]trade, a, b chain.Node) {
	own, other := r.links.Next[a.T][a.Det], r.links.Prev[b.T][b.Det]
	one, two := r.track[a.T][a.Det], r.track[b.T][b.Det]
	pair := [2]int32{min(one, two), max(one, two)}
	is := r.part(a) + r.part(other)
	add := func(last int32, x, y chain.Node) {
		if r.exchange(a, other, last) {
			if odds := math.Exp(is - r.part(a) - r.part(other)); odds > 0 {
				pairs[pair] = append(pairs[pair], trade{a.T, last, odds, [2]chain.Node{a, other}, [2][2]chain.Node{{own, b}, {x, y}}})
			}
		}
		r.exchange(a, other, last)
	}
	add(-1, chain.None, chain.None)
	for u, v := own, b; u.T-a.T <= longestTrade; {
		x, y := r.links.Next[u.T][u.Det], r.links.Next[v.T][v.Det]
		if x == chain.None || y == chain.None || x.T != y.T {
			return
		}
		add(u.T, x, y)
		u, v = x, y
	}
}

// settle adds the trades of two tracks. Those that leave a gap alone speak for its links: trades at places that have nothing to do with
// each other make the sums with and without larger alike.
func (r *rivalry) settle(list []trade) {
	gaps := make(map[int32][2]chain.Node)
	for _, x := range list {
		gaps[x.first] = x.at[0]
		if x.last >= 0 {
			gaps[x.last] = x.at[1]
		}
	}
	near := func(gap, g int32) bool { return gap >= 0 && max(gap-g, g-gap) <= longestTrade }
	for g, at := range gaps {
		with, without := 1.0, 0.0
		for _, x := range list {
			switch {
			case x.first == g || x.last == g:
				without += x.odds
			case near(x.first, g) || near(x.last, g):
				with += x.odds
			}
		}
		for _, n := range at {
			r.weight[n.T][n.Det] += without / with
		}
	}
}

// weigh adds the odds of a rival, the tracks with these changes, to what has something else before it there.
func (r *rivalry) weigh(weight map[chain.Node]float64, changes []change) {
	if r.budget < 0 {
		return
	}
	was := make([]chain.Node, len(changes)) // the successors as they are
	before := make(map[chain.Node]chain.Node)
	for k, c := range changes {
		was[k] = r.links.Next[c.from.T][c.from.Det]
		for _, n := range [2]chain.Node{was[k], c.to} {
			if n != chain.None {
				before[n] = r.links.Prev[n.T][n.Det]
			}
		}
	}
	// The price of all tracks concerned, each from its first detection on.
	tracks := func() (total float64) {
		seen := make(map[chain.Node]bool)
		look := func(h chain.Node) {
			for p := h; p != chain.None; p = r.links.Prev[p.T][p.Det] {
				h = p
			}
			if seen[h] {
				return
			}
			seen[h] = true
			r.budget--
			r.path = r.path[:0]
			for ; h != chain.None; h = r.links.Next[h.T][h.Det] {
				r.path = append(r.path, h)
			}
			total += r.price(r.path)
		}
		for k, c := range changes {
			look(c.from)
			for _, n := range [2]chain.Node{was[k], c.to} {
				if n != chain.None {
					look(n)
				}
			}
		}
		return total
	}
	is := tracks()
	free := func() {
		for _, c := range changes {
			r.links.Unlink(c.from)
		}
	}
	free()
	twice := false
	for _, c := range changes {
		if c.to == chain.None {
			continue
		}
		if r.links.Prev[c.to.T][c.to.Det] != chain.None {
			twice = true
			break
		}
		r.links.Link(c.from, c.to)
	}
	if !twice {
		odds := math.Exp(is - tracks())
		for n, p := range before {
			if r.links.Prev[n.T][n.Det] != p {
				weight[n] += odds
			}
		}
	}
	free()
	for k, c := range changes {
		if was[k] != chain.None {
			r.links.Link(c.from, was[k])
		}
	}
}

// sample draws tracks from their distribution, by trades of descending odds, as far as the budget goes, and weighs what it finds. It begins
// with the tracks, and ends with them.
func (r *rivalry) sample(trades []trade) {
	const pricings = 4 // of a step
	trades = trades[:min(len(trades), max(0, r.budget)/(pricings*fewest))]
	if len(trades) == 0 {
		return
	}
	sweeps := min(4*fewest, r.budget/(pricings*len(trades)))
	random := rng.Stream(1, "task/probability", 0)
	was := make(map[chain.Node]chain.Node) // detections that are traded, and what is before them
	for k := range trades {
		for _, side := range trades[k].at {
			for _, n := range side {
				if n != chain.None {
					was[n] = r.links.Prev[n.T][n.Det]
				}
			}
		}
	}
	home := r.links.Clone()
	other := make(map[chain.Node]int, len(was))
	for range sweeps {
		for k := range trades {
			r.step(&trades[k], random)
		}
		for n, a := range was {
			if r.links.Prev[n.T][n.Det] != a {
				other[n]++
			}
		}
	}
	r.links = home
	for n, k := range other {
		r.weight[n.T][n.Det] = float64(k) / float64(sweeps+1-k)
	}
}

// step makes a trade between the tracks through its first two detections as they are by now, or leaves it.
func (r *rivalry) step(x *trade, random *rand.Rand) {
	a, b := x.from[0], x.from[1]
	is := r.part(a) + r.part(b)
	if ok := r.exchange(a, b, x.last); !ok || math.Exp(is-r.part(a)-r.part(b)) < random.Float64() {
		r.exchange(a, b, x.last)
	}
}

// exchange exchanges what comes after two detections, until gap last where that is not −1, and reports whether all new links may be. It
// undoes itself.
func (r *rivalry) exchange(a, b chain.Node, last int32) bool {
	swap := func(a, b chain.Node) bool {
		x, y := r.links.Next[a.T][a.Det], r.links.Next[b.T][b.Det]
		r.links.Unlink(a)
		r.links.Unlink(b)
		if y != chain.None {
			r.links.Link(a, y)
		}
		if x != chain.None {
			r.links.Link(b, x)
		}
		return r.m.linked(a, y) && r.m.linked(b, x)
	}
	ok := swap(a, b)
	if last < 0 {
		return ok
	}
	end := func(h chain.Node) chain.Node {
		for n := r.links.Next[h.T][h.Det]; n != chain.None && n.T <= last; n = r.links.Next[h.T][h.Det] {
			h = n
		}
		return h
	}
	u, v := end(a), end(b)
	return swap(u, v) && ok
}

// linked says whether a detection may be linked with a later one. What is not in the next scan may.
func (m *trackMargins) linked(a, b chain.Node) bool {
	if b == chain.None || b.T != a.T+1 {
		return b == chain.None || b.T > a.T
	}
	g := &m.inst.Dual.Pairs[a.T]
	_, ok := slices.BinarySearch(g.Col[g.Ptr[a.Det]:g.Ptr[a.Det+1]], b.Det)
	return ok
}

// successors are the detections that have others after them in an answer, with those, in order.
func (m *trackMargins) successors(res *dualascent.Result, changes []dualascent.Change) (list []change) {
	inst := m.inst
	other := make(map[[2]int32]int32, len(changes))
	origins := make(map[chain.Node]bool, len(changes))
	for _, c := range changes {
		other[[2]int32{c.Pair, c.Row}] = c.Arc
		from := chain.At(c.Pair, c.Row)
		if n := int32(inst.Scans[c.Pair].Len()); c.Row >= n {
			coast := inst.Coast[c.Pair][c.Row-n]
			from = chain.At(c.Pair-coast.Since, coast.From)
		}
		if origins[from] {
			continue
		}
		origins[from] = true
		list = append(list, change{from: from})
	}
	kept := list[:0]
	for _, c := range list {
		c.to = chain.None
		for p, row := c.from.T, c.from.Det; int(p) < len(inst.Dual.Pairs); p++ {
			arc, ok := other[[2]int32{p, row}]
			if !ok {
				arc = res.Next[p][row]
			}
			if arc < 0 {
				break
			}
			if row = inst.Dual.Pairs[p].Col[arc]; int(row) < inst.Scans[p+1].Len() {
				c.to = chain.At(p+1, row)
				break
			}
		}
		if c.to != m.all.Links.Next[c.from.T][c.from.Det] {
			kept = append(kept, c)
		}
	}
	return kept
}

// left are the changes that would make the tracks those of the assignment, part by part: what shares a detection belongs together.
func (r *rivalry) left(assigned *chain.Links) (parts [][]change) {
	root := make(map[chain.Node]chain.Node)
	find := func(n chain.Node) chain.Node {
		for {
			up, ok := root[n]
			if !ok || up == n {
				return n
			}
			n = up
		}
	}
	var list []change
	for t := range r.links.Next {
		for i, is := range r.links.Next[t] {
			was := assigned.Next[t][i]
			if was == is {
				continue
			}
			from := chain.At(t, i)
			list = append(list, change{from, was})
			for _, n := range [2]chain.Node{is, was} {
				if n != chain.None {
					if a, b := find(from), find(n); a != b {
						root[b] = a
					}
				}
			}
		}
	}
	place := make(map[chain.Node]int)
	for _, c := range list {
		at := find(c.from)
		k, ok := place[at]
		if !ok {
			k = len(parts)
			place[at] = k
			parts = append(parts, nil)
		}
		parts[k] = append(parts[k], c)
	}
	return parts
}

// likelihood is the probability that what is before detection det of scan t is right: by the rivals, or where
// none has anything else there by its margin, of which least is known, NaN: nothing.
func (r *rivalry) likelihood(t, det int, least float64) float64 {
	if w := r.weight[t][det]; w > 0 {
		return 1 / (1 + w)
	}
	return likelihood(least, math.Inf(1))
}
