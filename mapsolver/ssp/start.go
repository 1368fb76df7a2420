package ssp

import (
	"math"
	"slices"

	"mtt/internal/slab"
)

// This file holds the start: feasible prices and the pairs that are tight at
// them, from prices of a similar problem or from nothing.

// keepPairs gives each row the highest price that the prices of the columns
// allow, keeps the hinted pairs that are tight and leaves the other rows to
// matchFree.
//
// Tight is always (Cost-V)-U == 0, in this order of operations, so that the
// entry that set U is tight to the last bit. The hinted entry is looked at
// first: it nearly always is the least, and the branch is predicted.
func (s *Solver) keepPairs() {
	p, d := s.p, s.dst
	v, colOf, rowOf, entryOf := d.V, d.ColOf, d.RowOf, d.EntryOf
	slab.Fill(rowOf, -1)
	d.Stats.RowsScanned += p.Rows
	lo := 0
	for r, hi := range p.Ptr[1:] {
		col, cost := p.Col[lo:hi], p.Cost[lo:hi]
		least, kept := s.rowBound[r], -1
		if c := colOf[r]; uint(c) < uint(len(rowOf)) && rowOf[c] < 0 {
			k := entryOf[r] - lo
			if uint(k) >= uint(len(col)) || col[k] != c {
				k = slices.Index(col, c)
			}
			if k >= 0 {
				if x := cost[k] - v[c]; x <= least {
					least, kept = x, k
				}
			}
		}
		least, at := leastBelow(least, col, cost, v)
		if at < 0 && kept >= 0 {
			c := col[kept]
			colOf[r], rowOf[c], entryOf[r] = c, int32(r), lo+kept
			d.U[r] = least
		} else {
			s.leaveFree(r, least, at)
		}
		lo = hi
	}
	s.matchFree()
}

// coldStart makes prices from nothing, and pairs. Columns that stay free at no cost have the price
// 0 at first; others are reduced. Then each row without a pair gets the highest price that its
// entries allow, and the column of its tight entry if that is free, or by augmenting row reduction;
// else, when deficient, it is listed in s.free. The result says whether enough are listed for an
// auction to begin at once. Where done is closed it may stop, with prices that are feasible and no
// pairs.
//
// Where both sides pay for staying free there is no such reduction: it would shift the prices
// from the columns to the rows, and those who go on with the prices want them
// shared.
func (s *Solver) coldStart(done <-chan struct{}) (crowded bool) {
	crowded = s.makePrices(done)
	s.largest = largest(s.dst.V)
	return crowded
}

// giveUp makes prices that are feasible, and no pairs.
func (s *Solver) giveUp() {
	p, d := s.p, s.dst
	half := 0.0
	for _, c := range p.Cost {
		half = min(half, c/2)
	}
	for r, bound := range s.rowBound {
		d.U[r], d.ColOf[r], d.EntryOf[r] = min(half, bound), -1, -1
	}
	for c, bound := range s.colBound {
		d.V[c], d.RowOf[c] = min(half, bound), -1
	}
}

// startRowsPerLook is how many rows a start looks at between two looks at the context.
const startRowsPerLook = 1 << 12

// makePrices is coldStart before it looks how large prices are.
func (s *Solver) makePrices(done <-chan struct{}) (crowded bool) {
	p, d := s.p, s.dst
	if !s.colCost {
		clear(d.V)
		slab.Fill(d.RowOf, -1)
		s.takeFree()
		return s.reduceRows()
	}
	share := p.RowMiss != nil && p.ColMiss != nil
	colOf, entryOf := d.ColOf, d.EntryOf
	slab.Fill(entryOf, -1)
	s.reduceColumns(done)
	u, col := d.U[:len(entryOf)], p.Col
	colOf = colOf[:len(entryOf)]
	for r, e := range entryOf {
		if r%startRowsPerLook == 0 && ended(done) {
			s.giveUp()
			return false
		}
		switch {
		case e >= 0:
			u[r], colOf[r] = 0, col[e]
		case share:
			s.startRow(r)
		default:
			s.free = append(s.free, int32(r))
		}
	}
	return !share && s.reduceRows()
}

// startRow gives row r, which has no pair yet, its price, and the column of its
// tight entry if that is free.
func (s *Solver) startRow(r int) {
	p, d := s.p, s.dst
	d.Stats.RowsScanned++
	lo, hi := p.Ptr[r], p.Ptr[r+1]
	least, at := leastBelow(s.rowBound[r], p.Col[lo:hi], p.Cost[lo:hi], d.V)
	d.U[r] = orZero(least)
	if at >= 0 {
		if c := p.Col[lo+at]; d.RowOf[c] < 0 {
			s.match(int32(r), c, lo+at)
			return
		}
	}
	d.ColOf[r] = -1
	if d.U[r] < s.rowBound[r] {
		s.free = append(s.free, int32(r))
	}
}

// reduceColumns gives each column the price of its cheapest entry, or its bound
// when that is less. It pairs the column with the row of that entry, noted in
// EntryOf, where the row is still free: as no reduced cost is negative then, the
// price of such a row is 0. Where done is closed it may not look at all rows.
func (s *Solver) reduceColumns(done <-chan struct{}) {
	p, d := s.p, s.dst
	s.cheapest = slab.Grow(s.cheapest, p.Cols)
	slab.Fill(s.cheapest, offer{cost: math.Inf(1)})
	for first := 0; first < p.Rows && !ended(done); first += startRowsPerLook {
		cheapestEntries(s.cheapest, first, p.Ptr[first:min(first+startRowsPerLook, p.Rows)+1], p.Col, p.Cost)
	}
	s.reduced = true
	d.Stats.RowsScanned += p.Rows
	v, rowOf, entryOf, bound, rowBound := d.V, d.RowOf, d.EntryOf, s.colBound, s.rowBound
	v, rowOf, bound = v[:len(s.cheapest)], rowOf[:len(s.cheapest)], bound[:len(s.cheapest)]
	for c, b := range s.cheapest {
		rowOf[c] = -1
		price := b.cost
		if !(price < bound[c]) {
			v[c] = orZero(bound[c])
			continue
		}
		v[c] = price
		if r := int32(b.at >> 32); entryOf[r] < 0 && (!s.mayLeave || rowBound[r] >= 0) {
			entryOf[r], rowOf[c] = int(int32(b.at)), r
		}
	}
}

// leaveFree gives row r its price, and lists it in s.free when that is below
// its bound: then the entry at place at in the row is tight.
func (s *Solver) leaveFree(r int, price float64, at int) {
	d := s.dst
	d.ColOf[r], d.EntryOf[r] = -1, -1
	d.U[r] = orZero(price)
	if at >= 0 {
		d.EntryOf[r] = s.p.Ptr[r] + at // for matchFree
	}
	if d.U[r] < s.rowBound[r] {
		s.free = append(s.free, int32(r))
	}
}

// matchFree pairs the rows in s.free, in order, with the columns of their
// tight entries while those are free. The rows that stay deficient remain in
// s.free.
func (s *Solver) matchFree() {
	d := s.dst
	left := s.free[:0]
	for _, r := range s.free {
		if e := d.EntryOf[r]; e >= 0 {
			if c := s.p.Col[e]; d.RowOf[c] < 0 {
				s.match(r, c, e)
				continue
			}
			d.EntryOf[r] = -1
		}
		left = append(left, r)
	}
	s.free = left
}

// orZero is x, or 0 for the price of one who has no entry yet must be served.
func orZero(x float64) float64 {
	if x > math.MaxFloat64 {
		return 0
	}
	return x
}
