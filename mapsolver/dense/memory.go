package dense

import (
	"cmp"
	"math"

	"mtt/internal/slab"
	"mtt/internal/workers"
	"mtt/mapsolver"
)

// This file holds what rows remember, and the reading of whole rows.

// pieces are costs that several goroutines can read in parts of rows.
type pieces interface {
	Costs

	// piece is the columns from lo to hi of row r, a view or written into buf.
	piece(buf []float64, r, lo, hi int) []float64
}

// A kept entry is one that a row remembers.
type kept struct {
	cost float64
	col  int32
}

// A memory is what rows remember.
type memory struct {
	from    pieces
	readers []*reader
	again   []int32   // rows to read
	found   []finding // of the rows of a batch

	// The job at hand.
	batch []int32   // rows to read
	v     []float64 // at these prices
	look  bool      // at all costs
	u     []float64 // prices of the rows of the batch
	zero  []float64 // len columns

	few       int    // tests: entries to remember instead of remembered
	list      []kept // the entries of all rows, and gaps
	start     []int  // of each row, in list
	size, cap []int32
	want      []int32   // how many entries a reading is for
	floor     []float64 // no other entry has, or had, a lower reduced cost
	seen      []uint8   // of each column: it is in the old list, the new list
}

const (
	// pieceCols is the number of columns that are computed and looked at together:
	// costs and prices fill half of a first-level cache.
	pieceCols = 2048

	// batchRows is the number of rows that readers share before what they found
	// is taken over.
	batchRows = 128
)

// begin sizes the memory for n rows and m columns and forgets everything.
func (k *memory) begin(from pieces, n, m, workers int) {
	k.from = from
	for len(k.readers) < max(1, workers) {
		k.readers = append(k.readers, new(reader))
	}
	k.readers = k.readers[:max(1, workers)]
	k.again, k.start, k.floor = slab.Grow(k.again, n), slab.Grow(k.start, n), slab.Grow(k.floor, n)
	k.size, k.cap, k.want = slab.Grow(k.size, n), slab.Grow(k.cap, n), slab.Grow(k.want, n)
	k.seen = slab.Grow(k.seen, m)
	if k.found == nil {
		k.found = make([]finding, batchRows)
	}
	k.list = k.list[:0]
	slab.Fill(k.start, 0)
	slab.Fill(k.size, 0)
	slab.Fill(k.cap, 0)
	slab.Fill(k.want, int32(cmp.Or(k.few, remembered)))
	slab.Fill(k.seen, 0)
}

// row is what row r remembers.
func (k *memory) row(r int) []kept { return k.list[k.start[r]:][:k.size[r]] }

// add adds entries to those of row r; a floor comes with them.
func (k *memory) add(r int, found []near, floor float64) {
	k.floor[r] = floor
	const inOld, inBoth = 1, 2
	old := k.row(r)
	for _, e := range old {
		k.seen[e.col] = inOld
	}
	more := 0
	for _, e := range found {
		if k.seen[e.col] == 0 {
			more++
		} else {
			k.seen[e.col] = inBoth
		}
	}
	if need := len(old) + more; need > int(k.cap[r]) {
		size := need
		if len(old) > 0 {
			size += need / 2
		}
		at := len(k.list)
		k.list = extend(k.list, size)
		copy(k.list[at:], old)
		k.start[r], k.cap[r] = at, int32(size)
	}
	at := k.start[r] + len(old)
	for _, e := range found {
		if k.seen[e.col] == 0 {
			k.list[at] = kept{e.cost, e.col}
			at++
		}
	}
	for _, e := range old {
		k.seen[e.col] = 0
	}
	k.size[r] = int32(at - k.start[r])
}

// extend makes x longer by n elements.
func extend[T any](x []T, n int) []T {
	for cap(x) < len(x)+n {
		x = append(x[:cap(x)], *new(T))[:len(x)]
	}
	return x[:len(x)+n]
}

// readAll reads rows at the prices at hand. With a survey it looks at all costs,
// and refuses some.
func (s *Solver) readAll(rows []int32, y *survey) error {
	k := &s.core.memory
	s.started += len(rows)
	for len(rows) > 0 {
		batch := rows[:min(batchRows, len(rows))]
		rows = rows[len(batch):]
		if s.checkContext(); s.ended {
			return nil
		}
		k.batch, k.v, k.look = batch, s.v, y != nil
		k.share(len(batch), (*reader).read)
		for i, r := range batch {
			f := &k.found[i]
			if y != nil {
				if !f.ok {
					if err := y.note(s.row(int(r)), int(r), f.most, false); err != nil {
						return err
					}
				}
				y.scale = max(y.scale, f.most)
			}
			k.add(int(r), f.list, f.floor)
		}
	}
	return nil
}

// share does jobs 0 to n-1, by as many goroutines as there are readers.
func (k *memory) share(n int, do func(w *reader, k *memory, i int)) {
	if len(k.readers) == 1 {
		for i := range n {
			do(k.readers[0], k, i)
		}
		return
	}
	workers.Each(len(k.readers), n, func(w, i int) { do(k.readers[w], k, i) })
}

// A reader is the workspace of one goroutine that reads rows.
type reader struct {
	buf   [pieceCols]float64
	place [pieceCols]int32
	list  []near
}

// A near entry is one with its reduced cost.
type near struct {
	reduced, cost float64
	col           int32
}

// A finding is what the reading of a row found: entries of the least reduced costs,
// and what all others have at least.
type finding struct {
	list  []near
	floor float64
	most  float64 // the largest magnitude of a cost, if ok
	ok    bool
}

// read reads row i of the batch. It begins at another column for each row, so that
// rows without preferences, whose entries tie, do not all remember the same columns.
func (w *reader) read(k *memory, i int) {
	f, r, v := &k.found[i], int(k.batch[i]), k.v
	most, limit := int(k.want[r]), math.Inf(1)
	list := w.list[:0]
	if old := k.row(r); len(old) >= most { // what is beyond the best of these is of no use
		for _, e := range old {
			list = append(list, near{reduced: e.cost - v[e.col]})
		}
		limit = keepLeast(list, most)
		list = list[:0]
	}
	f.most, f.ok = 0, true
	m := len(v)
	first := int(int64(r) * int64(m/sampleBlock) / int64(len(k.size)) * sampleBlock)
	size := min(8*most, pieceCols)
	for _, span := range [2][2]int{{first, m}, {0, first}} {
		for lo := span[0]; lo < span[1]; {
			hi := min(lo+size, span[1])
			c, v := k.from.piece(w.buf[:], r, lo, hi), v[lo:hi]
			if k.look {
				x, ok := magnitude(c, mapsolver.MaxMagnitude)
				f.most, f.ok = max(f.most, x), f.ok && ok
			}
			for _, j := range w.place[:below(w.place[:], c, v, limit)] {
				x := c[j] - v[j]
				if !(x < limit) {
					continue
				}
				list = append(list, near{x, c[j], int32(lo) + j})
				if len(list) >= 4*most {
					limit = keepLeast(list, most)
					list = list[:most]
				}
			}
			lo = hi
			size = min(2*size, pieceCols)
		}
		if len(list) > most {
			limit = keepLeast(list, most)
			list = list[:most]
		}
	}
	w.list = list
	f.list, f.floor = append(f.list[:0], list...), limit
	if !f.ok {
		f.most = 0
	}
}

// keepLeast moves the k entries of the least reduced costs to the front of list and
// returns the greatest of them, in expected O(len(list)) time (Hoare's selection).
func keepLeast(list []near, k int) float64 {
	lo, hi := 0, len(list)-1
	for lo < hi {
		pivot := list[(lo+hi)/2].reduced
		i, j := lo, hi
		for i <= j {
			for list[i].reduced < pivot {
				i++
			}
			for list[j].reduced > pivot {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i++
				j--
			}
		}
		switch {
		case k-1 <= j:
			hi = j
		case k-1 >= i:
			lo = i
		default:
			return list[k-1].reduced
		}
	}
	return list[k-1].reduced
}
