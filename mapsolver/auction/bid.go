package auction

import (
	"context"
	"math"
)

// This file holds one phase of the auction, in both orders of bidding.

// checkEvery is the number of bids between two looks at the context.
const checkEvery = 4096

// auction lets the rows in s.queue bid, with raises of at least eps, until none
// is left, the bids are used up or ctx ends.
func (s *Solver) auction(ctx context.Context, eps float64) {
	single := s.spread() + eps // raise for the only column of a row
	if s.Jacobi {
		s.jacobi(ctx, eps, single)
	} else {
		s.gaussSeidel(ctx, eps, single)
	}
}

// gaussSeidel lets the rows bid one at a time, first come first served; who is
// outbid goes to the end of the queue.
func (s *Solver) gaussSeidel(ctx context.Context, eps, single float64) {
	for head := 0; head < len(s.queue) && s.bids < s.most; head++ {
		if s.bids%checkEvery == 0 && ctx.Err() != nil {
			return
		}
		if head > len(s.rowOf)+len(s.colOf) { // the queue stays as long as the problem
			s.queue = s.queue[:copy(s.queue, s.queue[head:])]
			head = 0
		}
		r := s.queue[head]
		c, least, second := s.best(r)
		if c < 0 {
			continue
		}
		s.bids++
		s.v[c] -= raise(least, second, eps, single)
		s.give(r, c, &s.queue)
	}
}

// jacobi lets all free rows bid at the same prices, round by round. A column
// goes to the bid that lowers its price the most, the first of equal ones.
func (s *Solver) jacobi(ctx context.Context, eps, single float64) {
	for len(s.queue) > 0 && s.bids < s.most && ctx.Err() == nil {
		s.next, s.asked = s.next[:0], s.asked[:0]
		for _, r := range s.queue {
			c, least, second := s.best(r)
			if c < 0 {
				continue
			}
			s.bids++
			price := s.v[c] - raise(least, second, eps, single)
			switch other := s.bidder[c]; {
			case other < 0:
				s.asked = append(s.asked, c)
			case price < s.offer[c]:
				s.next = append(s.next, other)
			default:
				s.next = append(s.next, r)
				continue
			}
			s.bidder[c], s.offer[c] = r, price
		}
		for _, c := range s.asked {
			s.v[c] = s.offer[c]
			s.give(s.bidder[c], c, &s.next)
			s.bidder[c] = -1
		}
		s.queue, s.next = s.next, s.queue
	}
}

// give gives column c to row r; the row that had it joins those who bid.
func (s *Solver) give(r, c int32, queue *[]int32) {
	if old := s.rowOf[c]; old >= 0 {
		s.colOf[old] = -1
		*queue = append(*queue, old)
	}
	s.colOf[r], s.rowOf[c] = c, r
}

// best is the column that costs row r the least at the prices at hand, that cost
// and the second least one, to stay free being one of the choices. The column
// is -1 when to stay free is the best of them.
func (s *Solver) best(r int32) (c int32, least, second float64) {
	c, least, second = -1, s.bound[r], math.Inf(1)
	p, v := s.p, s.v
	lo, hi := p.Ptr[r], p.Ptr[r+1]
	col, cost := p.Col[lo:hi], p.Cost[lo:hi]
	cost = cost[:len(col)]
	for k, j := range col {
		if x := cost[k] - v[j]; x < second {
			if x < least {
				c, least, second = j, x, least
			} else {
				second = x
			}
		}
	}
	return c, least, second
}

// raise is by how much a bid lowers the price V of a column: as far as it stays
// the best choice, and eps more.
func raise(least, second, eps, single float64) float64 {
	if second > math.MaxFloat64 {
		return single
	}
	return second - least + eps
}
