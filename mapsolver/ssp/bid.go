package ssp

import (
	"context"
	"math"
	"slices"

	"mtt/internal/slab"
)

// This file holds the auction that takes over where searches grow long: phases
// of bidding with falling ε, in the manner of the cost-scaling push-relabel
// method of Goldberg and Kennedy [3], whose double push is a bid.
//
// It makes prices near the optimum and pairs to go with them, nothing else: the
// searches that follow make both exact. So it may work with rounded numbers. An
// arc holds the reduced cost at the prices found so far, in units of a fraction
// of ε, as an integer of 32 bits; so does the price of a column what it has lost
// since. In large problems a bid waits for memory most of its time. So the arcs
// of a row follow a header that says which row it is and how many there are, and
// a column knows the header of the row that has it: who is outbid is found in two
// steps. The two least of a row are found without a branch.

// An arc is an entry with its reduced cost when the auction began, or a header:
// the number of arcs that follow, and their row.
type arc struct {
	cost int32
	col  int32
}

// A holding is what the auction knows of a column: what its price has lost, and
// the header of the row that has it, -1 when it is free.
type holding struct {
	fall int32
	head int32
}

const (
	// Of the sizes of ε tried (a first of 1 … 1/8 of the gap between the two best
	// entries of a row, factors of 5 and 10, two or three phases) these were the
	// fastest on random sparse problems of 10⁴ and 10⁵ rows, or close to it.
	firstEpsilon = 1 << 13 // units, and a quarter of the median gap
	gapsPerUnit  = 1.0 / (4 * firstEpsilon)
	epsilonRatio = 10
	manyRows     = 4096 // have a third phase

	// Reduced costs are cut off at the first, 1024 gaps; an auction whose prices
	// fall below the second is given up, as they would hide the costs in their
	// rounding; a row without a second best entry bids as if that were worse by
	// the third.
	dearest    = 1 << 25
	lowestFall = -1 << 26
	lonely     = 1 << 17

	// maxBids bounds the bids for each row. Random problems take some 15, 300 rows
	// of 30 entries with costs of rank 1 some 60.
	maxBids = 120

	// gapSample is the number of rows whose gaps are looked at.
	gapSample = 63

	// refinements is the number of passes of refine.
	refinements = 3
)

// auction serves the rows in s.free, and any others it makes deficient, as well
// as bidding can; then s.free holds what is left, at feasible prices.
func (s *Solver) auction(ctx context.Context) {
	unit := s.gap() * gapsPerUnit
	if !(unit > 0) || math.IsInf(1/unit, 0) || len(s.p.Col) > math.MaxInt32-s.p.Rows {
		return
	}
	s.reduce(1 / unit)
	s.bids = maxBids * s.p.Rows
	s.reduced = false
	phases := 2
	if s.p.Rows >= manyRows {
		phases = 3
	}
	eps := int32(firstEpsilon)
	for phase := range phases {
		if phase > 0 {
			eps /= epsilonRatio
			s.release(eps)
		}
		if !s.bid(ctx, eps) {
			break
		}
	}
	s.dst.Stats.Bids += maxBids*s.p.Rows - s.bids
	s.applyFall(unit)
	s.refine()
	s.largest = max(s.largest, largest(s.dst.V))
	s.free = s.free[:0]
	s.keepPairs()
}

// gap is the median difference of the two best entries of a row, where there
// are two and they differ, over a sample of rows; 0 when there is none.
func (s *Solver) gap() float64 {
	p := s.p
	list := make([]float64, 0, gapSample)
	step := p.Rows/gapSample + 1
	for r := 0; r < p.Rows; r += step {
		least, second := math.Inf(1), math.Inf(1)
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			x := p.Cost[e] - s.dst.V[p.Col[e]]
			if x < least {
				least, second = x, least
			} else if x < second {
				second = x
			}
		}
		if x := second - least; x > 0 && x <= math.MaxFloat64 {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// reduce makes the arcs, multiplying reduced costs by scale, and the holdings.
// The header of row r is at Ptr[r]+r, before those of its entries.
func (s *Solver) reduce(scale float64) {
	p, d := s.p, s.dst
	s.arcs = slab.Grow(s.arcs, len(p.Col)+p.Rows)
	s.held = slab.Grow(s.held, p.Cols)
	s.limit = slab.Grow(s.limit, p.Rows)
	s.limited = false
	for c, r := range d.RowOf {
		s.held[c] = holding{0, -1}
		if r >= 0 {
			s.held[c].head = int32(p.Ptr[r]) + r
		}
	}
	for r, u := range d.U {
		lo, hi := p.Ptr[r], p.Ptr[r+1]
		arcs, col, cost := s.arcs[lo+r:hi+r+1], p.Col[lo:hi], p.Cost[lo:hi]
		arcs[0] = arc{int32(hi - lo), int32(r)}
		arcs = arcs[1:]
		col, cost = col[:len(arcs)], cost[:len(arcs)]
		for k := range arcs {
			c := col[k]
			arcs[k] = arc{units((cost[k] - d.V[c] - u) * scale), c}
		}
		s.limit[r] = math.MaxInt32
		if b := s.rowBound[r]; b <= math.MaxFloat64 {
			s.limit[r] = units((b - u) * scale)
			s.limited = true
		}
	}
}

// units rounds a reduced cost.
func units(x float64) int32 {
	if !(x < dearest) {
		return dearest
	}
	return int32(x)
}

// bid lets the rows in s.free bid, with raises of at least eps, until each has a
// column or is better off free. It is false when the bids are used up or ctx
// has ended; rows are left without a column then.
//
// A row that is outbid bids next: its entries and prices are those that were
// last looked at.
func (s *Solver) bid(ctx context.Context, eps int32) bool {
	arcs, held, entryOf := s.arcs, s.held, s.dst.EntryOf
	done := ctx.Done()
	limit := int32(math.MaxInt32)
	every := s.rowsPerLook()
	look := s.bids - every // bids left when ctx is to be looked at: rows may outbid each other for long
	for i, r := range s.free {
		if i%checkEvery == 0 && ended(done) {
			return false
		}
		head := int32(s.p.Ptr[r]) + r
		for head >= 0 {
			h := arcs[head]
			r := h.col
			first := int(head) + 1
			least, second := bestTwo(arcs[first:first+int(h.cost)], held)
			if s.limited {
				limit = s.limit[r]
			}
			x, y := int32(least>>32), min(int32(second>>32), limit)
			if x >= limit || s.bids == 0 {
				entryOf[r] = -1
				if x >= limit {
					break // better off free
				}
				return false
			}
			if s.bids--; s.bids < look {
				if look = s.bids - every; ended(done) {
					entryOf[r] = -1
					return false
				}
			}
			at := first + int(int32(least))
			t := &held[arcs[at].col]
			old := t.head
			t.head, entryOf[r] = head, at-1-int(r)
			if old >= 0 {
				if y == math.MaxInt32 {
					y = x + lonely
				}
				t.fall -= y - x + eps
				if t.fall < lowestFall {
					entryOf[arcs[old].col] = -1
					return false
				}
			}
			head = old
		}
	}
	return true
}

// bestTwo returns the least and the second least reduced cost of a row, each
// above the place of its arc in the row: sums and comparisons of both at once
// need no branch. Without arcs to fill them they are the greatest there are.
//
//go:noinline
func bestTwo(arcs []arc, held []holding) (least, second int64) {
	least, second = math.MaxInt64, math.MaxInt64
	for k, a := range arcs {
		x := int64(a.cost-held[a.col].fall)<<32 | int64(k)
		second = min(second, max(least, x))
		least = min(least, x)
	}
	return least, second
}

// release takes the column from each row whose column is more than eps worse
// than its best, and lists the rows that are to bid in s.free.
func (s *Solver) release(eps int32) {
	ptr, entryOf := s.p.Ptr, s.dst.EntryOf
	s.free = s.free[:0]
	for r, e := range entryOf {
		least, _ := bestTwo(s.arcs[ptr[r]+r+1:ptr[r+1]+r+1], s.held)
		best := min(int32(least>>32), s.limit[r])
		if e >= 0 {
			a := s.arcs[e+r+1]
			t := &s.held[a.col]
			if int64(a.cost)-int64(t.fall) <= int64(best)+int64(eps) {
				continue
			}
			t.head, entryOf[r] = -1, -1
		}
		if best < s.limit[r] {
			s.free = append(s.free, int32(r))
		}
	}
}

// applyFall lowers the prices by what the auction took off them and notes its
// pairs; columns that may stay free and are without a row get their bound back.
// Where all numbers are integers, so are some best prices; rounding
// leaves most pairs tight.
func (s *Solver) applyFall(unit float64) {
	d := s.dst
	whole := s.p.Integral()
	for c, t := range s.held {
		if b := s.colBound[c]; t.head < 0 && b <= math.MaxFloat64 {
			d.V[c] = b
		} else if t.fall != 0 {
			v := d.V[c] + float64(t.fall)*unit
			if whole {
				v = math.Floor(v)
			}
			d.V[c] = v
		}
	}
	for r, e := range d.EntryOf {
		d.ColOf[r] = -1
		if e >= 0 {
			d.ColOf[r] = s.p.Col[e]
		}
	}
}

// refine makes pairs tight, in a few passes over the rows: where another entry
// of a row is better than its own, by less than ε, the price of its column rises
// until it is not. That may make the row of another pair prefer the column; the
// differences shrink as they spread, unless they run in a circle, which means
// that the pairs are not the best.
func (s *Solver) refine() {
	p, d := s.p, s.dst
	for range refinements {
		changed := false
		for r, e := range d.EntryOf {
			if e < 0 {
				continue
			}
			c, cost := p.Col[e], p.Cost[e]
			lo, hi := p.Ptr[r], p.Ptr[r+1]
			least, at := leastBelow(cost-d.V[c], p.Col[lo:hi], p.Cost[lo:hi], d.V)
			if at < 0 {
				continue
			}
			v := cost - least
			if cost-v > least {
				v = math.Nextafter(v, math.Inf(1))
			}
			if v <= s.colBound[c] {
				d.V[c] = v
				changed = true
			}
		}
		if !changed {
			return
		}
	}
}
