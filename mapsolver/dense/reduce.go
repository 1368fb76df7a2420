package dense

import (
	"math"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file holds column reduction and augmenting row reduction, the start of
// Jonker and Volgenant. All costs are finite and the matrix is square.

const (
	// firstBids and secondBids bound the bids of a pass by a multiple of the
	// rows that were free before it. Without a bound, costs that differ little
	// make a few rows bid for a few columns nearly without end. On uniform
	// numbers, real and integer, n = 500 to 2000, the rows scanned in all differ
	// by about a sixth between 1 and 8 in both passes.
	firstBids, secondBids = 1, 4

	// easyFree is the part of the rows that may be free after the first pass.
	// It lies between what was seen, one matrix each at n = 500, 1000 and 2000:
	// uniform numbers, real and from four ranges of integers, left at most 0.124
	// of the rows free, squared distances at least 0.233, low ranks 0.564.
	easyFree = 6

	// hopeless ends it before the first pass, where column reduction assigned less
	// than 1/hopeless of the rows. Of the matrices above, those that are easy had at
	// least 0.097 of their rows assigned; ranks 1 to 8 had 0.001 to 0.027 from
	// n = 1000 on, and there the pass took up to two of eight sweeps in vain.
	hopeless = 20
)

// reduceColumns makes each price the least cost of its column and assigns each
// column to the row that has it, unless that row has a column already. A row
// that has one column only then lowers its price by as much as that costs no
// other column of the row. It adds all rows to a survey, and stops when that
// finds forbidden pairs.
func (s *Solver) reduceColumns(y *survey) error {
	slab.Fill(s.v, math.Inf(1))
	for r := len(s.colOf) - 1; r >= 0; r-- { // what follows begins with the rows read last
		if s.ended {
			return s.stopError()
		}
		c := s.estimateRow(r)
		most, ok := cheapest(s.v, c, s.pred, int32(r), mapsolver.MaxMagnitude)
		if err := y.note(c, r, most, ok); err != nil {
			return err
		}
	}
	if y.forbidden {
		return nil
	}
	slab.Fill(s.rowOf, -1)
	slab.Fill(s.colOf, -1)
	several := s.mask // of rows, not 0 where a row has the least cost of several columns
	slab.Fill(several, 0)
	for j := len(s.rowOf) - 1; j >= 0; j-- {
		if r := s.pred[j]; s.colOf[r] < 0 {
			s.colOf[r], s.rowOf[j] = int32(j), r
		} else {
			several[r] = 1
		}
	}
	for r, j := range s.colOf {
		if !s.ended && j >= 0 && several[r] == 0 {
			_, second := s.twoLeast(s.estimateRow(r), s.v)
			s.v[j] -= second
		}
	}
	return nil
}

// reduceRows makes two passes of augmenting row reduction [2]. With ifEasy it
// returns false before or in the first when that leaves too many rows free to go
// on from there.
func (s *Solver) reduceRows(ifEasy bool) bool {
	n := len(s.colOf)
	s.free = s.free[:0]
	for r, c := range s.colOf {
		if c < 0 {
			s.free = append(s.free, int32(r))
		}
	}
	if !ifEasy {
		s.bid(firstBids, n)
	} else if len(s.free) > n-n/hopeless || !s.bid(firstBids, n/easyFree) {
		return false
	}
	s.bid(secondBids, n)
	return true
}

// bid lets each free row bid for its cheapest column: the row gets the column,
// at a price that makes its second cheapest as good, and a row that had it is
// free again. That row bids next, unless the price did not fall; then, or when
// the bids, perRow for each free row, are used up, it waits for the next pass.
// Of columns that are equally cheap the row takes a free one. As soon as more
// than most rows wait bid gives up and returns false.
func (s *Solver) bid(perRow, most int) bool {
	waiting := s.free[:0]
	bids := perRow * len(s.free)
	for k := 0; k < len(s.free); k++ {
		for r := s.free[k]; r >= 0 && !s.ended; {
			least, second := s.twoLeast(s.estimateRow(int(r)), s.v)
			j := index(s.dist, least)
			if second > least {
				s.v[j] -= second - least
			} else if s.rowOf[j] >= 0 {
				j = s.freeAmong(j, least)
			}
			loser := s.rowOf[j]
			s.colOf[r], s.rowOf[j] = int32(j), r
			r = loser
			if loser >= 0 {
				s.colOf[loser] = -1
				bids--
				if bids < 0 || !(second > least) {
					waiting = append(waiting, loser)
					if len(waiting) > most {
						return false
					}
					break
				}
			}
		}
	}
	s.free = waiting
	return true
}

// freeAmong returns the first free column at a distance, or the second column
// at it; j is the first.
func (s *Solver) freeAmong(j int, dist float64) int {
	second := j
	for k := j + 1 + index(s.dist[j+1:], dist); k < len(s.dist); k += 1 + index(s.dist[k+1:], dist) {
		if s.rowOf[k] < 0 {
			return k
		}
		if second == j {
			second = k
		}
	}
	return second
}
