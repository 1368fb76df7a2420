package dense

import (
	"cmp"
	"math"
	"slices"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file holds ε-pricing: the prices to begin with, and the rounds.

// wildest is the largest magnitude of a price that a round begins with: costs of all scales may
// make an estimate overflow, and prices beyond it differences.
const wildest = 1e3 * mapsolver.MaxMagnitude

// priced solves by ε-pricing, Algorithm 3 of [1]. All costs are finite and the
// matrix is square. It returns what serve does.
//
// Each round assigns all rows from nothing, at the prices of the round before,
// and lowers every scanned column by ε once more than it must, so that it is
// not scanned again and again. The last round, at ε = 0, is exact whatever the
// prices it begins with. Rounds go through the rows in opposite orders.
func (s *Solver) priced() (stuck int) {
	eps, end := s.estimate()
	if s.ended { // half of an estimate is none
		slab.Fill(s.v, 0)
	}
	if eps > 0 {
		for i := range s.order {
			s.order[i].row = int32(i)
		}
	} else {
		slices.Reverse(s.order)
	}
	for round := 0; ; round++ {
		if round > 0 && eps > 0 {
			eps = s.nextEpsilon(eps, end, round)
		}
		var ok bool
		if s.largest, ok = magnitude(s.v, wildest); !ok {
			slab.Fill(s.v, 0)
			s.largest, eps = 0, 0
		}
		s.rounds++
		s.byDist, s.byEps = 0, 0
		slab.Fill(s.rowOf, -1)
		slab.Fill(s.colOf, -1)
		for k := range s.order {
			r := int(s.order[k].row)
			if s.ended || !s.search(r, eps) {
				return r
			}
		}
		if eps == 0 {
			return -1
		}
		slices.Reverse(s.order)
	}
}

// nextEpsilon is ε after equation (18) of [1]: 0 as soon as prices moved more
// by distances than by ε, which the second round is too early to tell, or when
// ε falls below end.
func (s *Solver) nextEpsilon(eps, end float64, round int) float64 {
	if round > 1 && s.byDist > s.byEps {
		return 0
	}
	eps = min(eps/4, s.byEps/(8*float64(len(s.colOf))))
	if eps < end {
		return 0
	}
	return eps
}

// estimate makes the prices of the first round, its ε and the ε below which
// the rounds end, by three to five sweeps over the rows [1, §3.4]. The rounds
// go in s.order.
// When the context is over it stops, and its prices mean nothing.
//
// An upper bound on the optimum is any assignment, a lower bound any prices;
// the gaps between the best of both say how good the prices are, and ε is set
// by fits of the authors to the gap, (16) and (17) of [1].
//
//  1. Each column gets the second smallest of its costs above the row minima.
//     The smallest would make the cheapest row of each column indifferent, the
//     second smallest gives it the column.
//  2. Rows in reverse order take the cheapest free column at those prices.
//  3. When that has not closed three quarters of the first gap, rows take
//     columns again in the order of their regret, the difference of their two
//     cheapest. Then prices are lowered, from the last row back, until no row
//     prefers a column that was taken before its turn, and averaged with those
//     of 1 in proportion to the gap that remains.
func (s *Solver) estimate() (eps, end float64) {
	n := len(s.colOf)
	inf, taken := math.Inf(1), math.Inf(-1)

	// 1. least and v are the two smallest of each column.
	least, v, mask := s.keep, s.v, s.mask
	slab.Fill(least, inf)
	slab.Fill(v, inf)
	slab.Fill(mask, 0)
	var low, high, same float64
	for r := range n {
		if s.ended {
			return 0, 0
		}
		c := s.estimateRow(r)
		picked := s.reduce(c, mask)
		mask[index(s.dist, picked)] = taken
		u := s.reduce(c, s.zero)
		s.columns(least, v, c, u)
		low += u
		high += picked
		same += c[r]
	}
	belowZero(v)
	firstGap := same - low
	greedy := min(high, same)
	firstGreedyGap := greedy - low
	if !(firstGap > 0) || !finite(firstGap) { // the diagonal is optimal: ε would be 0/0
		s.inOrder()
		return 0, 0
	}

	// 2. mask is v, or -Inf where taken.
	copy(mask, v)
	low, high = 0, 0
	for r := n - 1; r >= 0; r-- {
		if s.ended {
			return 0, 0
		}
		c := s.estimateRow(r)
		picked := s.reduce(c, mask)
		j := index(s.dist, picked)
		mask[j] = taken
		first, second := s.twoLeast(c, v)
		s.order[r] = turn{second - first, int32(r)}
		low += first + v[j]
		high += picked + v[j]
	}
	greedy = min(greedy, high)
	gap := greedy - low
	if firstGap < 4*gap {
		gap = s.byRegret(firstGreedyGap)
	}

	gap = min(gap, firstGap/4)
	end = firstGap / (16 * float64(n) * float64(n))
	if gap < 1e-6*firstGap {
		return 0, end
	}
	eps = gap * math.Sqrt(gap/firstGap) / float64(n)
	if !(eps >= end) || !finite(eps) {
		return 0, end
	}
	return eps, end
}

// byRegret is the third step of estimate. It returns the gap it leaves;
// firstGap is the one of the greedy assignment of the first step.
func (s *Solver) byRegret(firstGap float64) float64 {
	inf, taken := math.Inf(1), math.Inf(-1)
	v, old, mask, picks := s.v, s.keep, s.mask, s.pred
	copy(old, v)
	copy(mask, v)
	slices.SortFunc(s.order, func(a, b turn) int {
		return cmp.Or(cmp.Compare(b.regret, a.regret), cmp.Compare(b.row, a.row))
	})
	var low, high float64
	for k, t := range s.order {
		if s.ended {
			return 0
		}
		c := s.estimateRow(int(t.row))
		least := s.reduce(c, v)
		picked := s.reduce(c, mask)
		j := index(s.dist, picked)
		mask[j] = taken
		picks[k] = int32(j)
		low += least + v[j]
		high += picked + v[j]
	}

	bar := mask
	slab.Fill(bar, 0)
	for k := len(s.order) - 1; k >= 0; k-- {
		if s.ended {
			return 0
		}
		c := s.estimateRow(int(s.order[k].row))
		j := picks[k]
		bar[j] = inf
		s.lower(v, c, bar, c[j]-v[j])
	}
	belowZero(v)

	var newLow, newHigh float64
	for k, t := range s.order {
		if s.ended {
			return 0
		}
		c := s.estimateRow(int(t.row))
		j := picks[k]
		newLow += s.reduce(c, v) + v[j]
		newHigh += c[j]
	}
	gap := min(high, newHigh) - max(low, newLow)
	if rest := gap / firstGap; rest > 1e-9 {
		for j := range v {
			v[j] = old[j]*rest + v[j]*(1-rest)
		}
	}
	return gap
}

// A turn is the place of a row in the order of a round.
type turn struct {
	regret float64
	row    int32
}

// inOrder sets the order of the rows to theirs.
func (s *Solver) inOrder() {
	for r := range s.order {
		s.order[r] = turn{0, int32(r)}
	}
}

// estimateRow is row, counted as work of the estimate.
func (s *Solver) estimateRow(r int) []float64 {
	s.started++
	return s.row(r)
}

// belowZero shifts v to the maximum 0.
func belowZero(v []float64) {
	most := slices.Max(v)
	for j := range v {
		v[j] -= most
	}
}
