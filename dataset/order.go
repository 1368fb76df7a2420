package dataset

// This file puts the rows of a table in order: by frame, and within a frame by a key or by
// position, rows that are alike as they stood. Tables of millions of rows are common, so
// frames are counted and positions sorted as whole numbers.

import (
	"cmp"
	"math"
	"slices"

	"mtt/internal/radix"
)

// sortBy puts the rows in order of frame, then key, rows with equal keys as they
// stood, and says whether they were not. Key nil means by frame alone.
func (t *rows) sortBy(key []int) (moved bool) {
	var order []int
	if key != nil {
		order = t.order(func(a, b int) int { return cmp.Compare(key[a], key[b]) })
	} else if !slices.IsSorted(t.frame) {
		order = t.frameOrder()
	}
	if order != nil {
		t.take(order)
	}
	return order != nil
}

// order is the order of the rows by frame, then by less, then as they stand; nil
// when they are in order.
func (t *rows) order(less func(a, b int) int) []int {
	in := true
	for i := 1; i < t.n && in; i++ {
		in = t.frame[i-1] < t.frame[i] || t.frame[i-1] == t.frame[i] && less(i-1, i) <= 0
	}
	if in {
		return nil
	}
	order := t.frameOrder()
	for block := range t.blocks(order) {
		slices.SortFunc(block, func(a, b int) int { return cmp.Or(less(a, b), a-b) })
	}
	return order
}

// frameOrder is the order of the rows by frame, then as they stand. Frames of a range that is
// not much larger than the table are counted, in O(n).
func (t *rows) frameOrder() []int {
	order := make([]int, t.n)
	for i := range order {
		order[i] = i
	}
	if t.n == 0 || slices.IsSorted(t.frame) {
		return order
	}
	first, last := slices.Min(t.frame), slices.Max(t.frame)
	if last-first < 0 || last-first > 4*t.n+1<<10 {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.frame[a], t.frame[b]) })
		return order
	}
	start := make([]int, last-first+2)
	for _, f := range t.frame {
		start[f-first+1]++
	}
	for k := 1; k < len(start); k++ {
		start[k] += start[k-1]
	}
	for i, f := range t.frame {
		order[start[f-first]] = i
		start[f-first]++
	}
	return order
}

// blocks yields the part of each frame of an order by frames.
func (t *rows) blocks(order []int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		for lo := 0; lo < len(order); {
			hi := lo + 1
			for hi < len(order) && t.frame[order[hi]] == t.frame[order[lo]] {
				hi++
			}
			if !yield(order[lo:hi]) {
				return
			}
			lo = hi
		}
	}
}

// sortByPlace puts the rows in order of frame, then of position, one coordinate after the
// other, then as they stood. It works frame by frame, in place where frames are in order already.
//
// In a frame the rows are sorted by the first coordinate as a whole number of 32 bits,
// which keeps its order: rows that share one are then compared as they are.
func (t *rows) sortByPlace() {
	t.sortBy(nil)
	less := func(a, b int) int {
		return cmp.Or(slices.Compare(t.pos[a*t.dim:(a+1)*t.dim], t.pos[b*t.dim:(b+1)*t.dim]), a-b)
	}
	var keys, spare []uint64
	var order, ints []int
	var words []int32
	var floats []float64
	whole, short, real := t.columns()
	whole = slices.DeleteFunc(whole, func(m matrix[int]) bool { return m.rows == &t.frame })
	shuffled := func(lo int) {
		ints, words, floats = shuffle(whole, lo, order, ints), shuffle(short, lo, order, words), shuffle(real, lo, order, floats)
	}
	for lo, hi := 0, 0; lo < t.n; lo = hi {
		for hi = lo + 1; hi < t.n && t.frame[hi] == t.frame[lo]; hi++ {
		}
		if hi == lo+1 {
			continue
		}
		low, high := math.Inf(1), math.Inf(-1)
		for i := lo * t.dim; i < hi*t.dim; i += t.dim {
			x := t.pos[i]
			if x < low {
				low = x
			}
			if x > high {
				high = x
			}
		}
		order = slices.Grow(order[:0], hi-lo)[:hi-lo]
		scale := (1<<32 - 1) / (high - low)
		if !(scale > 0 && scale <= math.MaxFloat64) {
			for k := range order {
				order[k] = lo + k
			}
			slices.SortFunc(order, less)
			shuffled(lo)
			continue
		}
		keys = slices.Grow(keys[:0], hi-lo)[:hi-lo]
		for k := range keys {
			keys[k] = min(uint64((t.pos[(lo+k)*t.dim]-low)*scale), 1<<32-1)<<32 | uint64(k)
		}
		keys, spare = radix.Sort(keys, spare, 32)
		for k, key := range keys {
			order[k] = lo + int(key&(1<<32-1))
		}
		for a, b := 0, 0; a < len(keys); a = b {
			for b = a + 1; b < len(keys) && keys[b]>>32 == keys[a]>>32; b++ {
			}
			if b > a+1 {
				slices.SortFunc(order[a:b], less)
			}
		}
		shuffled(lo)
	}
}

// shuffle puts row order[k] of a matrix at lo+k, for each k: order holds lo, …, lo+len(order)-1.
func shuffle[E any](ms []matrix[E], lo int, order []int, spare []E) []E {
	for _, m := range ms {
		spare = gather(spare[:0], *m.rows, order, m.width)
		copy((*m.rows)[lo*m.width:], spare)
	}
	return spare
}
