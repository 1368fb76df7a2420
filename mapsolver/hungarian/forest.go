package hungarian

import (
	"context"
	"math"
	"slices"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file holds steps 3 to 6. They are written for rows; transposed, the same
// code serves columns, so it says near for the side that is served and far for
// the other.

// A side is the problem as seen by those who are to be served.
type side struct {
	ptr             []int // near i holds the entries ptr[i] … ptr[i+1]-1
	far             []int32
	cost            []float64
	bound           []float64 // cost of staying free
	price, farPrice []float64
	mate, farMate   []int32 // -1: free
	at              []int   // the entry of the mate, -1: free
}

// A forest is the workspace of steps 3 to 6. Prices change only when a path is
// found: until then level is the sum of the δ of step 6 so far, and one that was
// uncovered at level x has a price that is higher by level-x.
type forest struct {
	level     float64
	roots     []int32   // near, deficient
	uncovered []int32   // near, in the order of being uncovered
	entered   []float64 // near: the level at which it was uncovered
	covered   []int32   // far, in the order of being covered
	isCovered []bool    // far
	prime     []link    // far: by which it was covered or seen
	zeros     []zero    // uncovered zeros, not yet looked at
	slack     []float64 // far: level at which the least uncovered entry becomes a zero
	seen      []int32   // far, with such an entry, and perhaps covered since
}

// A link is an entry and its near end.
type link struct {
	near  int32
	entry int
}

// A zero is an entry without slack, or, with far -1, a near vertex that is at
// its bound.
type zero struct {
	link
	far int32
}

// resize makes room for problems of up to n rows and n columns.
func (f *forest) resize(n int) {
	if n <= len(f.entered) {
		return
	}
	f.entered = make([]float64, n)
	f.isCovered = make([]bool, n)
	f.prime = make([]link, n)
	f.slack = make([]float64, n)
	slab.Fill(f.slack, math.Inf(1))
}

// serve repeats steps 3 to 6 until nobody near is deficient. Each round serves
// one of the deficient for good, so there are as many rounds as those.
func (a *side) serve(ctx context.Context, f *forest, m Method, stats *mapsolver.Stats, byCols bool) error {
	f.roots = f.roots[:0]
	for i, j := range a.mate {
		if j < 0 && a.price[i] < a.bound[i] {
			f.roots = append(f.roots, int32(i))
		}
	}
	for len(f.roots) > 0 {
		if ctx.Err() != nil {
			return stopped(ctx)
		}
		roots := f.roots
		if m == Tree {
			roots = roots[len(roots)-1:]
		}
		f.level = 0
		for _, i := range roots {
			a.uncover(f, i)
		}
		stats.RowsScanned += len(f.uncovered)
		end, found := a.search(f, stats)
		if !found {
			err := a.hallSet(f, byCols)
			f.clear()
			return err
		}
		a.changePrices(f)
		root := a.changePath(f, end)
		f.roots = slices.Delete(f.roots, slices.Index(f.roots, root), slices.Index(f.roots, root)+1)
		if end.far >= 0 || end.near != root {
			stats.Augmented++
		}
		f.clear()
	}
	return nil
}

// search is steps 4 and 6: it returns the zero at the end of an alternating
// path. It is false when there is none at any level.
func (a *side) search(f *forest, stats *mapsolver.Stats) (end zero, found bool) {
	for {
		for len(f.zeros) > 0 {
			z := f.zeros[len(f.zeros)-1]
			f.zeros = f.zeros[:len(f.zeros)-1]
			if z.far < 0 {
				return z, true
			}
			if f.isCovered[z.far] {
				continue
			}
			f.prime[z.far] = z.link
			i := a.farMate[z.far]
			if i < 0 {
				return z, true
			}
			f.isCovered[z.far] = true
			f.covered = append(f.covered, z.far)
			a.uncover(f, i)
			stats.RowsScanned++
		}
		if !a.raise(f) {
			return zero{}, false
		}
	}
}

// uncover uncovers near i at the present level, lists its zeros, and keeps the
// least slack of each far vertex.
func (a *side) uncover(f *forest, i int32) {
	f.entered[i] = f.level
	f.uncovered = append(f.uncovered, i)
	for e := a.ptr[i]; e < a.ptr[i+1]; e++ {
		j := a.far[e]
		if f.isCovered[j] {
			continue
		}
		x := f.becomesZero(a, i, e)
		if x <= f.level {
			f.zeros = append(f.zeros, zero{link{i, e}, j})
		} else if x < f.slack[j] {
			if f.slack[j] > math.MaxFloat64 {
				f.seen = append(f.seen, j)
			}
			f.slack[j], f.prime[j] = x, link{i, e}
		}
	}
	if f.reachesBound(a, i) <= f.level {
		f.zeros = append(f.zeros, zero{link{near: i}, -1})
	}
}

// becomesZero is the level at which entry e of the uncovered near i is a zero.
func (f *forest) becomesZero(a *side, i int32, e int) float64 {
	return f.entered[i] + (a.cost[e] - a.farPrice[a.far[e]] - a.price[i])
}

// reachesBound is the level at which the uncovered near i is at its bound.
func (f *forest) reachesBound(a *side, i int32) float64 {
	return f.entered[i] + (a.bound[i] - a.price[i])
}

// raise is step 6: one pass over the least slacks, of the far vertices that are
// not covered and of the uncovered near ones, finds the next level and compresses
// the zeros that it makes into the list. It is false when there is none.
func (a *side) raise(f *forest) bool {
	next := math.Inf(1)
	kept := f.seen[:0]
	for _, j := range f.seen {
		if f.isCovered[j] {
			f.slack[j] = math.Inf(1)
			continue
		}
		kept = append(kept, j)
		f.offer(&next, f.slack[j], zero{f.prime[j], j})
	}
	f.seen = kept
	for _, i := range f.uncovered {
		f.offer(&next, f.reachesBound(a, i), zero{link{near: i}, -1})
	}
	f.level = next
	return len(f.zeros) > 0
}

// offer lists z when it becomes a zero at the level next, and makes that level
// next, with a new list, when it is lower.
func (f *forest) offer(next *float64, level float64, z zero) {
	if level < *next {
		*next = level
		f.zeros = append(f.zeros[:0], z)
	} else if level == *next && level <= math.MaxFloat64 {
		f.zeros = append(f.zeros, z)
	}
}

// changePrices raises the uncovered and lowers the covered by what the level
// rose since they were. Stars stay zeros to the last bit.
func (a *side) changePrices(f *forest) {
	for _, j := range f.covered {
		a.farPrice[j] -= f.level - f.entered[a.farMate[j]]
	}
	for _, i := range f.uncovered {
		if a.mate[i] >= 0 {
			a.tighten(i)
		} else if x := a.price[i] + (f.level - f.entered[i]); x < a.bound[i] {
			a.price[i] = x
		} else {
			a.price[i] = a.bound[i]
		}
	}
}

// changePath is step 5: from end back to the root of its tree, primes become
// stars. It returns the root.
func (a *side) changePath(f *forest, end zero) (root int32) {
	i, j, e := end.near, end.far, end.entry
	if j < 0 {
		a.price[i] = a.bound[i]
		j = a.mate[i]
		if j < 0 {
			return i
		}
		a.mate[i], a.at[i] = -1, -1
		i, e = f.prime[j].near, f.prime[j].entry
	}
	for {
		next := a.mate[i]
		a.match(i, j, e)
		a.tighten(i)
		if next < 0 {
			return i
		}
		j = next
		i, e = f.prime[j].near, f.prime[j].entry
	}
}

// match stars entry e, between near i and far j.
func (a *side) match(i, j int32, e int) {
	a.mate[i], a.farMate[j], a.at[i] = j, i, e
}

// zero says whether entry e of near i has no slack.
func (a *side) zero(i, e int) bool { return a.cost[e]-a.farPrice[a.far[e]] == a.price[i] }

// tighten sets the price of near i so that its star is a zero.
func (a *side) tighten(i int32) {
	x := a.cost[a.at[i]] - a.farPrice[a.mate[i]]
	if b := a.bound[i]; x > b { // by rounding only
		x = b
	}
	a.price[i] = x
}

// clear covers everything again.
func (f *forest) clear() {
	for _, j := range f.covered {
		f.isCovered[j] = false
		f.slack[j] = math.Inf(1)
	}
	for _, j := range f.seen {
		f.slack[j] = math.Inf(1)
	}
	f.covered, f.uncovered = f.covered[:0], f.uncovered[:0]
	f.zeros, f.seen = f.zeros[:0], f.seen[:0]
}

// hallSet is the proof that is left when step 6 finds nothing: the uncovered,
// whose only far vertices are the covered ones.
func (a *side) hallSet(f *forest, byCols bool) error {
	many, few := slices.Clone(f.uncovered), slices.Clone(f.covered)
	slices.Sort(many)
	slices.Sort(few)
	if byCols {
		return &mapsolver.InfeasibleError{Rows: few, Cols: many, ByCols: true}
	}
	return &mapsolver.InfeasibleError{Rows: many, Cols: few}
}
