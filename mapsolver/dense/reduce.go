package dense

import "math"

// This file holds column reduction and augmenting row reduction, the start of
// Jonker and Volgenant.

// reduced solves from the prices and pairs of column reduction and two passes
// of augmenting row reduction [2]. All costs are finite and the matrix is
// square.
func (s *Solver) reduced(done func() bool) (stuck int, ok bool) {
	s.reduceColumns()
	s.freeRows()
	for range rowPasses {
		s.reduceRows()
	}
	return s.serve(done)
}

// rowPasses is the number of passes of augmenting row reduction, as in [2].
const rowPasses = 2

// bidsPerRow bounds the bids of a pass by a multiple of the free rows it
// begins with. Without a bound, costs that differ little make two rows bid for
// two columns without end.
const bidsPerRow = 8

// reduceColumns makes each price the least cost of its column and assigns each
// column to the row that has it, unless that row has a column already. A row
// that has one column only then lowers its price by as much as that costs no
// other column of the row.
func (s *Solver) reduceColumns() {
	cheapest := s.pred
	fill(s.v, math.Inf(1))
	for r := range s.colOf {
		relax(s.v, s.estimateRow(r), s.zero, cheapest, 0, int32(r))
	}
	fill(s.rowOf, -1)
	fill(s.colOf, -1)
	several := s.mask // of rows, not 0 where a row has the least cost of several columns
	fill(several, 0)
	for j := len(s.rowOf) - 1; j >= 0; j-- {
		if r := cheapest[j]; s.colOf[r] < 0 {
			s.colOf[r], s.rowOf[j] = int32(j), r
		} else {
			several[r] = 1
		}
	}
	for r, j := range s.colOf {
		if j >= 0 && several[r] == 0 {
			_, second := twoLeast(s.dist, s.estimateRow(r), s.v)
			s.v[j] -= second
		}
	}
}

// reduceRows lets each free row bid for its cheapest column: the row gets the
// column, at a price that makes its second cheapest as good, and a row that had
// it is free again. That row bids next, unless the price did not fall; then, or
// when the bids are used up, it waits for the next pass. Of columns that are
// equally cheap the row takes a free one.
func (s *Solver) reduceRows() {
	waiting := s.free[:0]
	bids := bidsPerRow * len(s.free)
	for k := 0; k < len(s.free); k++ {
		for r := s.free[k]; r >= 0; {
			least, second := twoLeast(s.dist, s.estimateRow(int(r)), s.v)
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
					break
				}
			}
		}
	}
	s.free = waiting
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

// freeRows lists the rows without a column.
func (s *Solver) freeRows() {
	s.free = s.free[:0]
	for r, c := range s.colOf {
		if c < 0 {
			s.free = append(s.free, int32(r))
		}
	}
}
