package dense

import (
	"math"
	"slices"

	"mtt/internal/heap"
	"mtt/internal/slab"
)

// This file solves large square problems from a few entries of each row.
//
// Problem. A search scans whole rows, and searches scan each of n rows ten to a
// hundred times: n = 20,000 takes a minute, and the time grows faster than n².
// Nearly all of what they read is far from any optimum.
//
// Idea. Volgenant [3] solves a sparse core of the problem and prices the rest: an
// entry that the prices of the core prove too dear cannot be in a better
// assignment. Here each row remembers the entries of least reduced cost, and the
// least reduced cost that any other entry had, its floor. Rounds alternate
//
//   - ε-pricing and searches over remembered entries, as over whole rows, but with
//     a heap, and
//   - reading: rows whose price is above their floor are read again, in full, at
//     the prices of now, and remember more. If one of the new entries is better than
//     its pair, the row is free again.
//
// Invariant. An entry that a row does not remember has at least its floor as
// reduced cost. Proof: a reading sets the floor to the greatest reduced cost that it
// remembers, and drops only entries that have no less (read drops what is not below a limit,
// which only falls and is the floor in the end; what was remembered before is kept). From then
// on prices of columns only fall — searches lower them, ε lowers them, and nothing else
// writes them — by which no reduced cost is lowered; and if all fell by some amount, every reduced cost
// has risen by that, and so may the floors.
//
// End. The price of a row is the cost of its pair less the price of its column. The end is reached
// when
//
//  1. every row has a column,
//  2. no price of a row is above its floor (readAgain), and
//  3. no price of a row is above the least reduced cost that it remembers (freeLoose).
//
// By 2 and the invariant the prices satisfy entries that are not remembered, by 3 the
// others; each price of a row is reached by its pair. So cost and prices add up to the same, and the
// assignment is optimal, without another look at the matrix. All three are
// tested on the numbers at hand, so that the proof needs nothing of what searches
// do but that prices fall.
//
// That searches leave 3 true is what makes the end come soon. It takes care of one case: a
// search in vain declares the columns it reached dead for the round, and those that come later do
// not enter them. If they left the prices of dead columns alone, a row with a remembered entry
// there could take a dearer one, and 3 would fail; see searchKept.
//
// Prices. Which entries are the least depends on the prices, and with none at all
// every row of a product of vectors wants the same columns. The prices to begin
// with are those of a sample of rows and columns, solved as a problem of its own,
// extended to all columns and scaled by what gives the best bound: see sample.go.
// Where a search finds no way out of what is remembered, the rows that it went
// through read twice as many entries as they did before.
//
// Cost. One sweep over all rows to begin with and up to five more on every class
// measured, each O(nm) and shared by Workers row by row, so that equal input gives
// equal bytes with any number of them; rows remember 32 to 700 entries at the end.
// What costs more than a fixed multiple of that is left to whole rows, from the
// beginning, as the prices of a core that did not hold are not worth much:
// there ε-pricing begins with its own estimate. So are ties, which a core would have to
// remember all of and whole rows are quick on, and products of two vectors,
// which they solve in two scans a row; both show in the sample.
// Memory is 16 bytes for each entry, twice while it grows, and some 100 for each row.
//
// [3] A. Volgenant. Linear and semi-assignment problems: a core oriented
// approach. Computers & Operations Research 23 (1996), 917–932.

const (
	// coreFrom is the least number of columns for which Auto takes a core, where
	// costs are read and where they are computed. On the classes of Algorithm 1015 a
	// core took 0.5 to 1.1 times the time of whole rows at n = 2000, 0.2 to 0.8 times at
	// 4000; of distances computed 0.4 times at 1000.
	coreFrom, coreFromComputed = 3000, 1000

	// remembered is how many entries of each row are read at first.
	remembered = 32

	// firstStep is the first ε as a part of the median difference between the
	// least reduced cost of a row and its floor.
	firstStep = 0.25

	// lastStep is the least ε, as a part of the same.
	lastStep = 1e-4

	// againFrom is the part of the rows that, free after a reading, make another
	// round of ε-pricing worth while.
	againFrom = 10

	// The core is given up when more rows were read than mostReads times all of
	// them, when searches looked at more entries than mostLooks times all, of which 6.4 were
	// needed by squared distances of 20,000 points in four squares, where whole rows take ten
	// times as long, or when rows remember more than one in mostKept of their entries and more
	// than fewKept, or more than manyKept; or after mostRounds, of which 8 to 13 were seen.
	mostReads, mostLooks, mostKept, mostRounds = 10, 12, 4, 100
	fewKept, manyKept                          = 256, 1024
)

// A core is what is known of a problem that is solved by a core.
type core struct {
	memory
	paid   []float64 // the cost of the pair of each row
	via    []float64 // the cost of the entry by which each column was reached
	moved  []int32   // columns whose distance a search has set
	dead   []int32   // columns from which no search of the round finds a way out
	before []float64 // the prices at the last reading
	short  []bool    // rows that a search in vain went through
	heap   heap.Heap
	gaps   []float64
	guess  guess

	looks int // entries looked at in searches
	quit  int // tests: rounds after which it gives up
}

// inPieces is costs that several can read, nil where only Row reads them.
func inPieces(costs Costs) pieces {
	if cache, ok := costs.(*Cache); ok {
		costs = cache.costs
	}
	from, _ := costs.(pieces)
	return from
}

// worthCore says whether Auto takes a core for a square problem.
func worthCore(costs Costs, cols int) bool {
	switch inPieces(costs).(type) {
	case *Matrix, *Matrix32:
		return cols >= coreFrom
	case nil:
		return false
	}
	return cols >= coreFromComputed
}

// byCore solves by a core. It returns false when it has given up, the context
// ended or costs are not what a core is for: then nothing is known but, maybe, the
// error that costs gave.
func (s *Solver) byCore(y *survey) (solved bool, err error) {
	k := &s.core
	n := len(s.colOf)
	from := inPieces(s.costs)
	if from == nil {
		return false, nil
	}
	k.begin(from, n, len(s.rowOf), s.Workers)
	k.paid, k.via = slab.Grow(k.paid, n), slab.Grow(k.via, len(s.rowOf))
	k.before, k.short, k.gaps = slab.Grow(k.before, len(s.v)), slab.Grow(k.short, n), slab.Grow(k.gaps, n)
	k.looks, k.dead = 0, k.dead[:0]
	slab.Fill(k.short, false)
	if !s.guessPrices() || s.ended {
		return false, nil
	}
	copy(k.before, s.v)
	s.largest, _ = magnitude(s.v, math.MaxFloat64)
	for r := range k.again {
		k.again[r] = int32(r)
	}
	if err := s.readAll(k.again, y); err != nil || s.ended {
		return false, err
	}
	for r := range n {
		k.gaps[r] = k.floor[r] - s.leastKept(r)
	}
	slices.Sort(k.gaps)
	gap := k.gaps[n/2]
	eps := gap * firstStep
	if !finite(eps) {
		eps = 0
	}
	slab.Fill(s.dist, math.Inf(1))
	slab.Fill(s.rowOf, -1)
	slab.Fill(s.colOf, -1)
	s.inOrder()
	for {
		left, ok := s.assignKept(eps, gap*lastStep)
		if !ok || s.ended {
			return false, nil
		}
		free, done := s.readAgain()
		if done {
			free = s.freeLoose()
			done = free == 0
		}
		if done {
			most, _ := magnitude(s.v, math.MaxFloat64)
			s.largest = max(s.largest, most) // ε lowers prices by more than distances, and none has risen
			return true, nil
		}
		if s.ended || s.started > mostReads*n || len(k.list) > n*min(max(len(s.v)/mostKept, fewKept), manyKept) ||
			s.rounds > mostRounds || s.rounds == k.quit {
			return false, nil
		}
		gap /= 4
		switch {
		case left > 0:
			eps = left
		case free > n/againFrom && finite(gap):
			eps = gap * firstStep
		default:
			eps = 0
		}
	}
}

// assignKept assigns all rows to remembered entries, in rounds at falling ε. With
// ε = 0 it keeps the pairs that are there. It returns the ε of the round in which
// some rows found no column, after which it makes no other, 0 when there was
// none. It is not ok when the core has to be given up.
func (s *Solver) assignKept(eps, end float64) (left float64, ok bool) {
	k := &s.core
	n := len(s.colOf)
	for round := 0; ; round++ {
		s.rounds++
		if round > 0 || eps > 0 {
			slab.Fill(s.rowOf, -1)
			slab.Fill(s.colOf, -1)
		}
		s.byDist, s.byEps = 0, 0
		found := true
		for i := range s.order {
			r := int(s.order[i].row)
			if s.colOf[r] < 0 && !s.searchKept(r, eps) {
				if len(k.row(r)) == 0 { // all entries are forbidden
					return 0, false
				}
				found = false
			}
			if i%checkEvery == 0 {
				s.checkContext()
				if s.ended || k.looks > mostLooks*n*len(s.v) {
					return 0, false
				}
			}
		}
		for _, c := range k.dead {
			s.dist[c] = math.Inf(1)
		}
		k.dead = k.dead[:0]
		if eps == 0 || !found {
			return eps, true
		}
		if round > 0 && s.byDist > s.byEps {
			eps = 0
		} else if eps = min(eps/4, s.byEps/(8*float64(n))); eps < end {
			eps = 0
		}
		slices.Reverse(s.order)
	}
}

// readAgain reads the rows whose price is above their floor, and those that were
// searched in vain. It frees the rows that find something better than their pair
// and returns the number of free rows; done says that there are none and that no
// row had to be read.
func (s *Solver) readAgain() (free int, done bool) {
	k := &s.core
	fall := math.Inf(1)
	for j, x := range s.v {
		if d := k.before[j] - x; d < fall {
			fall = d
		}
	}
	copy(k.before, s.v)
	list := k.again[:0]
	for r, c := range s.colOf {
		k.floor[r] += fall
		u := math.Inf(1)
		if c >= 0 {
			u = k.paid[r] - s.v[c]
		}
		if k.short[r] {
			k.want[r] = min(2*k.want[r], int32(len(s.v)))
		}
		if u > k.floor[r] || k.short[r] || c < 0 {
			list = append(list, int32(r))
		}
		k.short[r] = false
	}
	if len(list) == 0 {
		return 0, true
	}
	s.readAll(list, nil)
	if s.ended {
		return 0, false
	}
	for _, r := range list {
		if c := s.colOf[r]; c >= 0 && s.leastKept(int(r)) < k.paid[r]-s.v[c] {
			s.colOf[r], s.rowOf[c] = -1, -1
		}
	}
	for _, c := range s.colOf {
		if c < 0 {
			free++
		}
	}
	return free, false
}

// freeLoose frees the rows whose pair is dearer, at the prices at hand, than another entry that
// they remember, by more than the rounding of searches explains, and returns their number.
func (s *Solver) freeLoose() (free int) {
	k := &s.core
	used := 0.0
	for r, c := range s.colOf {
		used += math.Abs(k.paid[r]) + math.Abs(s.v[c])
	}
	slack := 8 * ulp * used
	for r, c := range s.colOf {
		if !(k.paid[r]-s.v[c] <= s.leastKept(r)+slack) {
			s.colOf[r], s.rowOf[c] = -1, -1
			free++
		}
	}
	return free
}

// leastKept is the least reduced cost of the entries that row r remembers.
func (s *Solver) leastKept(r int) float64 {
	least := math.Inf(1)
	for _, e := range s.core.row(r) {
		if x := e.cost - s.v[e.col]; x < least {
			least = x
		}
	}
	return least
}
