package metrics

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt/internal/forest"
	"mtt/internal/heap"
	"mtt/internal/workers"
)

// This file makes the relaxed form of a part tighter by what no whole weights can do.
//
// # The inequality
//
// Take a ring of options in which each excludes the next, of the same target or track in the same
// frame, or is tied to it, of the same pair in the next frame. Whole weights that go round change
// at an exclusion, unless both are 0, and stay at a tie, unless the pair begins or ends there.
// Where the ring has an odd number of exclusions they cannot come back to what they were: once at
// least it is otherwise,
//
//	Σ over exclusions (1 − w − w') + Σ over ties |w' − w| ≥ 1
//
// Weights of 1/2 have 0 there. Nearly all that lies between the relaxed and the exact form of a
// crowd are such rings: the linear programme puts its weights at thirteenths where rings meet. They
// are the odd cycles of the cut polytope, and there are far too many; those that weights break are
// found as they are needed.
//
// An option that is not in the ring, but whose target and whose track both have an exclusion there,
// is one that both may have instead: its weight counts in both, too,
//
//	Σ over exclusions (1 − w − w' − Σ over such options w") + Σ over ties |w' − w| ≥ 1
//
// Where no term is above 0 each exclusion has one weight of 1, and those are an even number, as
// those of the ring are in two each and the others as well. So this proves more: what rings leave
// open of 1,000 targets that start near one point becomes a fifth less, and the nodes less than
// half as many.
//
// # What they cost
//
// With a price z ≥ 0 a ring is a part of the relaxation in file pairrelax.go like targets and
// tracks: each of its exclusions makes both options dearer by z, each of its ties is cheaper by z,
// and the bound less by z for each exclusion but one. A tie whose rings ask more than it costs
// gives the rest.
//
// # How they are found
//
// With each option twice, once for each of both values, an exclusion leads from one value to the
// other and costs 1 − w − w', a tie leads to the same value and costs |w' − w|: a way from an
// option to its twin is a ring, and a shortest one that is shorter than 1 is broken most (Barahona
// and Mahjoub). Options whose weights are 0 or 1 are left out.
//
// References: F. Barahona, A. R. Mahjoub. On the cut polytope. Mathematical Programming 36, 1986;
// D. Sontag, T. Jaakkola. New outer bounds on the marginal polytope. NIPS 2007.

// A ring is an inequality: factors times weights are above what the ties differ by in all by no
// more than most. Ties go by their first options.
type ring struct {
	of   []factor
	ties []int32
	most float64
}

// A factor is by what the weight of an option is multiplied.
type factor struct {
	option int32
	times  float64
}

// among is what a ring says of the options that have a place, where the others are as in the answer.
func (g *ring) among(place []int32, one []bool) (w ring) {
	value := func(k int32) float64 {
		if one[k] {
			return 1
		}
		return 0
	}
	w.most = g.most
	for _, f := range g.of {
		if p := place[f.option]; p != none {
			w.of = append(w.of, factor{p, f.times})
		} else {
			w.most -= f.times * value(f.option)
		}
	}
	for _, k := range g.ties {
		here, next := place[k], place[k+1]
		switch {
		case here != none && next != none:
			w.ties = append(w.ties, here)
		case here == none && next == none:
			w.most += math.Abs(value(k) - value(k+1))
		default: // the distance to 0 is the weight, that to 1 what it lacks
			p, v := here, value(k+1)
			if here == none {
				p, v = next, value(k)
			}
			w.of = append(w.of, factor{p, 2*v - 1})
			w.most += v
		}
	}
	return w
}

// each calls do with the options of a ring.
func (g *ring) each(do func(k int32)) {
	for _, f := range g.of {
		do(f.option)
	}
	for _, k := range g.ties {
		do(k)
		do(k + 1)
	}
}

// charge is what rings cost at their prices: options, ties, and the bound.
func (r *relaxation) charge() (bound float64) {
	if len(r.rings) == 0 {
		r.levy, r.width = nil, nil
		return 0
	}
	if r.levy == nil {
		n := len(r.option)
		r.levy, r.width = make([]float64, n), make([]float64, n)
	}
	clear(r.levy)
	for k := range r.width {
		r.width[k] = r.h
	}
	for i := range r.rings {
		g, z := &r.rings[i], r.due[i]
		bound -= z * g.most
		for _, f := range g.of {
			r.levy[f.option] += z * f.times
		}
		for _, k := range g.ties {
			r.width[k] -= z
		}
	}
	for i := range r.rings {
		for _, k := range r.rings[i].ties {
			if r.width[k] < 0 {
				bound += r.width[k]
				r.width[k] = 0
			}
		}
	}
	return bound
}

// A way is a step from an option in doubt to another, by their numbers among those between 0 and 1.
type way struct {
	to   int32
	slot int32 // where it is an exclusion; none: a tie
	long float64
}

// between lists the places of weights between 0 and 1, and the ways from each to others.
func (r *relaxation) between() (places []int32, ways [][]way) {
	const whole = 1e-3
	number := slices.Repeat([]int32{none}, len(r.at))
	for x, w := range r.ahead.weight {
		if min(w, 1-w) > whole {
			number[x] = int32(len(places))
			places = append(places, int32(x))
		}
	}
	ways = make([][]way, len(places))
	join := func(x, y, slot int32, long float64) {
		a, b := number[x], number[y]
		ways[a] = append(ways[a], way{b, slot, long})
		ways[b] = append(ways[b], way{a, slot, long})
	}
	weight := r.ahead.weight
	in := make([][]int32, len(r.slots))
	for _, x := range places {
		if r.tied[x] && number[x+1] != none {
			join(x, x+1, none, math.Abs(weight[x+1]-weight[x]))
		}
		for side := range r.of {
			s := r.of[side][x]
			for _, y := range in[s] {
				join(x, y, r.slots[s], max(0, 1-weight[x]-weight[y]))
			}
			in[s] = append(in[s], x)
		}
	}
	return places, ways
}

// broken finds rings that the weights break.
func (r *relaxation) broken() (rings []ring) {
	const (
		often = 8   // rings that an option is in
		least = 0.1 // by how much a ring is broken
	)
	places, ways := r.between()
	of := make([][]int32, len(r.price)) // of each slot of targets: its options
	for k, s := range r.slot[0] {
		of[s] = append(of[s], int32(k))
	}
	starts := near(ways)
	found := make([][]stage, len(starts))
	far := make([]float64, len(starts))
	walks := make([]*walk, workers.Count(0))
	workers.Each(len(walks), len(starts), func(worker, i int) {
		if walks[worker] == nil {
			walks[worker] = newWalk(ways)
		}
		found[i], far[i] = walks[worker].round(starts[i], 1-least)
	})
	order := make([]int, 0, len(starts))
	for i := range found {
		if found[i] != nil {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(far[a], far[b]) })
	taken := make([]int, len(places))
	for _, i := range order {
		if slices.ContainsFunc(found[i], func(s stage) bool { return taken[s.from] >= often }) {
			continue
		}
		g := ring{most: -1}
		var slots []int32
		for _, s := range found[i] {
			taken[s.from]++
			a, b := r.at[places[s.from]], r.at[places[s.to]]
			if s.slot != none {
				slots = append(slots, s.slot)
				g.most++
				g.of = append(g.of, factor{a, 1}, factor{b, 1})
			} else {
				g.ties = append(g.ties, min(a, b))
			}
		}
		r.lift(&g, slots, of)
		rings = append(rings, g)
	}
	return rings
}

// lift adds the options that are not in a ring, but both of whose slots, which are given, have an
// exclusion of it. A ring that passes a slot twice stays as it is. The options of each slot of
// targets are given, too.
func (r *relaxation) lift(g *ring, slots []int32, of [][]int32) {
	slices.Sort(slots)
	if len(slices.Compact(slices.Clone(slots))) < len(slots) {
		return
	}
	own := make(map[int32]bool, len(g.of))
	g.each(func(k int32) { own[k] = true })
	for _, s := range slots {
		for _, k := range of[s] {
			if _, ok := slices.BinarySearch(slots, r.slot[1][k]); ok && !own[k] {
				g.of = append(g.of, factor{k, 2})
			}
		}
	}
}

// near lists one option of each set that ways of next to no length join: what goes round one goes round all.
func near(ways [][]way) (list []int32) {
	seen := make([]bool, len(ways))
	for a, label := range together(ways, 1e-3) {
		if !seen[label] {
			seen[label] = true
			list = append(list, int32(a))
		}
	}
	return list
}

// together are labels of the sets that ways of less than some length join.
func together(ways [][]way, little float64) []int32 {
	f := forest.New(len(ways))
	for a := range ways {
		for _, w := range ways[a] {
			if w.long < little {
				f.Join(int32(a), w.to)
			}
		}
	}
	return f.Labels()
}

// A walk looks for shortest odd rings. Places go by twice their number, and one more for the other value.
type walk struct {
	ways  [][]way
	far   []float64
	from  []int32 // of each place: the one before it
	slot  []int32 // likewise: that of the exclusion that led there, or none
	seen  []int32
	queue heap.Heap
}

func newWalk(ways [][]way) *walk {
	n := 2 * len(ways)
	w := &walk{ways: ways, far: make([]float64, n), from: make([]int32, n), slot: make([]int32, n)}
	for k := range w.far {
		w.far[k] = math.Inf(1)
	}
	return w
}

// A stage is a step of a ring.
type stage struct {
	from, to int32
	slot     int32 // where it is an exclusion; none: a tie
}

// round finds a ring about a shortest one through an option, of no more than most, or none.
//
// With both values changed for each other ways are the same: what a search from the twin would find is known
// from that from the option, which therefore goes but half of the way.
func (w *walk) round(start int32, most float64) ([]stage, float64) {
	for _, p := range w.seen {
		w.far[p] = math.Inf(1)
	}
	w.seen, w.queue = append(w.seen[:0], 2*start), w.queue[:0]
	w.queue.Push(0, 2*start)
	w.far[2*start], w.from[2*start] = 0, none
	best, middle := math.Nextafter(most, 2*most), stage{from: none} // places
	for len(w.queue) > 0 {
		p := w.queue.Pop()
		if 2*p.Dist > best {
			break
		}
		if p.Dist > w.far[p.ID] {
			continue
		}
		for _, s := range w.ways[p.ID/2] {
			to := 2*s.to + p.ID%2
			if s.slot != none {
				to ^= 1
			}
			far := p.Dist + s.long
			if all := far + w.far[to^1]; all < best {
				best, middle = all, stage{p.ID, to, s.slot}
			}
			if 2*far <= best && far < w.far[to] {
				if math.IsInf(w.far[to], 1) {
					w.seen = append(w.seen, to)
				}
				w.far[to], w.from[to], w.slot[to] = far, p.ID, s.slot
				w.queue.Push(far, to)
			}
		}
	}
	if middle.from == none {
		return nil, 0
	}
	return w.back(middle), best
}

// back lists the steps that led to a place from its twin, or between the twins of another that are
// passed on the way, given the step in the middle; or none.
func (w *walk) back(middle stage) []stage {
	var steps []stage
	for at := middle.to ^ 1; w.from[at] != none; at = w.from[at] {
		steps = append(steps, stage{at ^ 1, w.from[at] ^ 1, w.slot[at]})
	}
	slices.Reverse(steps)
	steps = append(steps, middle)
	for at := middle.from; w.from[at] != none; at = w.from[at] {
		steps = append(steps, stage{w.from[at], at, w.slot[at]})
	}
	passed := map[int32]int{steps[0].to: 0} // places, after how many steps
	for k, s := range steps {
		if _, ok := passed[s.from]; ok {
			break // by rounding: what goes round there is even
		}
		if n, ok := passed[s.from^1]; ok {
			ring := steps[n : k+1]
			for i, s := range ring {
				ring[i] = stage{s.from / 2, s.to / 2, s.slot}
			}
			return ring
		}
		passed[s.from] = k + 1
	}
	return nil
}

// tighten adds rings that the weights break, until there are none, or what is proved hardly rises.
// It is what is proved then.
func (b *branching) tighten(ctx context.Context, bound float64) (float64, error) {
	const (
		steps  = 200  // between two looks at all chains
		first  = 10   // looks at least
		idle   = 4    // looks in which the bound has not risen clearly, after which rings are looked for again
		little = 0.01 // of what is open: what is not clearly
	)
	r := b.r
	var price, due []float64 // where the last rings prove most
	for before := math.Inf(-1); bound > before+2*little*(b.value-bound) && !b.proved(bound) && r.looks < mostLooks; {
		fresh := r.broken()
		if len(fresh) == 0 {
			break
		}
		if len(r.rings) > 0 {
			before = bound
		}
		r.take(fresh)
		most := math.Inf(-1)
		for look, last, since := 0, most, 0; look < first || since < idle; look++ {
			some := r.moves(steps, b.rounding/2)
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			if now := r.survey(); now > most {
				most, price, due = now, slices.Clone(r.price), slices.Clone(r.due)
			}
			if since++; most > last+little*(b.value-most) {
				last, since = most, 0
			}
			if r.enter(-clearly*r.h, math.Inf(1)) {
				r.list()
			} else if !some {
				break
			}
		}
		bound = max(bound, most)
	}
	if price != nil {
		r.price, r.due = price, due
	}
	return bound, nil
}

// take takes up rings, and drops those that cost nothing.
func (r *relaxation) take(fresh []ring) {
	const nothing = 1e-6 // in h
	var rings []ring
	var due []float64
	var row []int32
	for i, z := range r.due {
		if z > nothing*r.h {
			rings, due, row = append(rings, r.rings[i]), append(due, z), append(row, r.row[i])
		}
	}
	r.rings, r.due, r.row = append(rings, fresh...), due, row
	r.list()
}
