package gating

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// This file finds the K best pairs of each row and column where crowds are so dense that to look at
// all pairs takes too long.
//
// Detections are the points of a k-d tree (Bentley 1975, Friedman, Bentley and Finkel 1977), those
// that are equal in position and velocity being one point of it. The plane that parts a subtree
// bounds the statistic of what lies beyond it from below, and so do floating-point numbers:
// differences, squares, sums and products with weights of at least 0 are rounded monotonically. A
// subtree is left out when its bound is beyond the gate or beyond the worst of K pairs; equal
// statistics are looked at, as steps decide. So the pairs are those of collectCrowded.
//
// A query takes O(K + log n) where points are spread like anything but a lattice seen from afar, and building
// O(n log n), however many detections lie at one place.

// A tree is a k-d tree over detections: that of sites[lo:hi] has its root in the middle.
type tree struct {
	sites []site
	dets  []int32
}

// A site is where one or more detections are.
type site struct {
	at         [3]float64
	first, end int32 // of dets, ascending
	axis       int8  // along which it parts its subtree
}

// build makes the tree of detections at given points, with velocities vel, row-major ×dim, or none.
func (c *tree) build(at [][3]float64, vel []float64, dim int) {
	velocity := func(i int32) []float64 {
		if vel == nil {
			return nil
		}
		return vel[int(i)*dim : (int(i)+1)*dim]
	}
	compare := func(i, j int32) int {
		for d := range dim {
			if n := cmp.Compare(at[i][d], at[j][d]); n != 0 {
				return n
			}
		}
		return slices.Compare(velocity(i), velocity(j))
	}
	c.dets = resize(c.dets, len(at))
	for i := range c.dets {
		c.dets[i] = int32(i)
	}
	slices.SortStableFunc(c.dets, compare)
	c.sites = c.sites[:0]
	for k, i := range c.dets {
		if k == 0 || compare(c.dets[k-1], i) != 0 {
			c.sites = append(c.sites, site{at: at[i], first: int32(k)})
		}
		c.sites[len(c.sites)-1].end = int32(k) + 1
	}
	part(c.sites)
}

// part puts the middle of s, along the axis along which s is longest, in the middle, and so for both halves.
func part(s []site) {
	for len(s) > 1 {
		lo, hi := s[0].at, s[0].at
		for k := range s {
			for d, x := range s[k].at {
				lo[d], hi[d] = min(lo[d], x), max(hi[d], x)
			}
		}
		axis, mid := 0, len(s)/2
		for d := range lo {
			if hi[d]-lo[d] > hi[axis]-lo[axis] {
				axis = d
			}
		}
		parted(s, mid, axis)
		s[mid].axis = int8(axis)
		part(s[:mid])
		s = s[mid+1:]
	}
}

// parted puts the site of rank k along an axis at s[k], none larger before it and none smaller
// after it, by Hoare's method as Wirth has it. Where halving is slow, as it can be made by who
// knows the pivots, what is left is sorted: O(n log n).
func parted(s []site, k, axis int) {
	patience := 4 * bits.Len(uint(len(s))) // halvings in a random order take a third of that
	for lo, hi := 0, len(s)-1; lo < hi; patience-- {
		if patience == 0 {
			slices.SortFunc(s[lo:hi+1], func(a, b site) int { return cmp.Compare(a.at[axis], b.at[axis]) })
			return
		}
		pivot, i, j := s[k].at[axis], lo, hi
		for i <= j {
			for s[i].at[axis] < pivot {
				i++
			}
			for pivot < s[j].at[axis] {
				j--
			}
			if i <= j {
				s[i], s[j] = s[j], s[i]
				i, j = i+1, j-1
			}
		}
		if j < k {
			lo = i
		}
		if k < i {
			hi = j
		}
	}
}

// A nearest is the search for the best partners of one detection.
type nearest struct {
	f      *Finder
	crowd  *tree // of the partners
	from   int32
	column bool // from is one, and the partners are rows
	centre [3]float64
	limit  float64 // no statistic that is accepted reaches it
	best   kBest
}

// visit offers the sites of a subtree.
func (q *nearest) visit(lo, hi int) {
	for lo < hi {
		mid := (lo + hi) / 2
		s := &q.crowd.sites[mid]
		q.offer(s)
		gap := q.centre[s.axis] - s.at[s.axis]
		if gap < 0 {
			q.visit(lo, mid)
			lo = mid + 1
		} else {
			q.visit(mid+1, hi)
			hi = mid
		}
		beyond := q.f.rule.wPos * float64(gap*gap)
		if beyond >= q.limit {
			return
		}
		if len(q.best) < cap(q.best) {
			continue
		}
		if r, ok := q.f.rule.region.(Bounded); ok {
			beyond = r.Least(beyond)
		}
		if beyond > q.best[0].stat {
			return
		}
	}
}

// offer offers the detections of a site, in the order of their steps.
func (q *nearest) offer(s *site) {
	list := q.crowd.dets[s.first:s.end]
	i, j, centre := q.from, list[0], q.centre
	if q.column {
		i, j, centre = j, i, s.at
	}
	most := q.limit
	if len(q.best) == cap(q.best) {
		most = min(most, q.best[0].stat)
	}
	stat := q.f.rule.upTo(most, centre, q.f.a, q.f.b, int(i), int(j))
	limit := math.Inf(1) // what a region does not accept
	if q.f.rule.region == nil {
		limit = q.f.rule.limitOf(q.f.radius[i])
	}
	if q.f.radius[i] == 0 || !(stat < limit) {
		return
	}
	begin, _ := slices.BinarySearch(list, q.from)
	for k := range min(len(list), cap(q.best)) {
		if begin+k == len(list) {
			begin -= len(list)
		}
		r := rank{stat, q.f.steps(q.from, list[begin+k])}
		if len(q.best) == cap(q.best) && !q.best[0].worse(r) {
			return
		}
		q.best.push(r)
	}
}

// partner is the detection that is so many steps from that of q.
func (q *nearest) partner(steps int32) int32 {
	to := q.from + steps
	if n := int32(max(q.f.a.Len(), q.f.b.Len())); to >= n {
		to -= n
	}
	return to
}

// ask sets best to the best partners of a detection at centre.
func (q *nearest) ask(from int32, centre [3]float64) {
	q.from, q.centre, q.best = from, centre, q.best[:0]
	q.visit(0, len(q.crowd.sites))
}

// crowded is the memory of collectNearest.
type crowded struct {
	tree           tree
	centres, spots [][3]float64 // of rows, of columns
	pairs          [][2]int32   // row and column, the row being one of the best of the column
	end            []int        // of each row in cols
	cols           []int32      // of pairs, row by row
}

// bounded reports whether collectNearest can take over: the gate is one of this package, or is Bounded.
func (f *Finder) bounded() bool {
	if f.rule.region == nil {
		return true
	}
	_, ok := f.rule.region.(Bounded)
	return ok && f.a.Cov == nil && f.a.VelCov == nil && f.b.Cov == nil && f.b.VelCov == nil
}

// collectNearest is collectCrowded where bounded.
func (f *Finder) collectNearest(length []int, work work) error {
	n, m, w := f.a.Len(), f.b.Len(), &f.near
	w.centres, w.spots = resize(w.centres, n), resize(w.spots, m)
	for i := range w.centres {
		w.centres[i] = f.rule.centre(f.a, i)
	}
	for j := range w.spots {
		w.spots[j] = vector(f.b.At(j))
	}
	w.tree.build(w.centres, f.a.Vel, f.a.Dim)
	k := cmp.Or(f.Few, f.K)
	f.ranks = resize(f.ranks, k)
	q := nearest{f: f, crowd: &w.tree, column: true, limit: f.rule.limitOf(f.top), best: f.ranks[:0:k]}
	w.pairs, w.end = w.pairs[:0], resize(w.end, n+1)
	clear(w.end)
	for j, at := range w.spots {
		q.ask(int32(j), at)
		for _, r := range q.best {
			i := q.partner(r.idx)
			w.pairs = append(w.pairs, [2]int32{i, int32(j)})
			w.end[i]++
		}
		if err := work.add(64*k, 0); err != nil {
			return err
		}
	}
	starts(w.end)
	w.cols = resize(w.cols, len(w.pairs))
	for _, p := range w.pairs {
		w.cols[w.end[p[0]]] = p[1]
		w.end[p[0]]++
	}
	w.tree.build(w.spots, f.b.Vel, f.b.Dim)
	q.column = false
	f.found = f.found[:0]
	for _, i := range f.order {
		first := 0
		if i > 0 {
			first = w.end[i-1]
		}
		row := append(f.hits[:0], w.cols[first:w.end[i]]...)
		if radius := f.radius[i]; radius > 0 {
			q.limit = f.rule.limitOf(radius)
			q.ask(i, w.centres[i])
			for _, r := range q.best {
				row = append(row, q.partner(r.idx))
			}
		}
		sort(row)
		f.hits = row
		row = slices.Compact(row)
		length[i] = len(row)
		f.found = append(f.found, row...)
		if err := work.add(64*k, len(row)); err != nil {
			return err
		}
	}
	return work.end()
}
