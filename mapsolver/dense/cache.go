package dense

import "mtt/internal/slab"

// This file keeps rows of computed costs in a limited memory.

// A Cache is Costs that keeps rows of other Costs, as many as a limit of memory
// allows, and computes the others whenever they are asked for. It is for
// matrices that do not fit into memory.
//
// Which rows it keeps follows Algorithm 1015 [1, §4]: where it can hold at
// least a quarter of the rows, those that were asked for most often; where it
// can hold fewer, a segmented list of the ones asked for last [2].
//
// A Cache may serve many solves of the same costs, and never changes an answer.
// It is not safe for concurrent use.
//
// [1] S. Guthe, D. Thuerck. Algorithm 1015: A fast scalable solver for the
// dense linear (sum) assignment problem. ACM TOMS 47 (2021), 18.
//
// [2] R. Karedla, J. S. Love, B. G. Wherry. Caching strategies to improve disk
// system performance. Computer 27 (1994), 38–46.
type Cache struct {
	costs      Costs
	rows, cols int
	store      []float64 // slots×cols
	slotOf     []int32   // len rows: -1 when not kept
	rowOf      []int32   // len slots in use
	policy     policy

	hits, misses int
}

// A policy decides which slot a row may take.
type policy interface {
	// used notes that row r, in the slot, was asked for.
	used(r, slot int32)

	// replace notes that row r, not kept, was asked for, and returns the slot
	// that it takes from another row, or -1 when it is not to be kept.
	replace(r int32) (slot int32)

	// added notes that row r took the slot, which was empty.
	added(r, slot int32)
}

const badCache = "dense: a cache has less than no memory"

// NewCache makes a cache of rows of costs. Rows take at most the given number of bytes;
// what else it needs is some 20 bytes for each row of the matrix. With too
// little memory for one row it keeps none.
func NewCache(costs Costs, bytes int) *Cache {
	return NewCacheBy(costs, bytes, ByShare)
}

// An Eviction says which row of a [Cache] gives way to another.
type Eviction int

const (
	ByShare Eviction = iota // LFU where a quarter of the rows fit, else SLRU
	LFU                     // the one that was asked for least often
	SLRU                    // of those asked for once the one that was asked for longest ago; half of the rows at most are safe
	Steady                  // LFU, but only to a row that was asked for more than twice as often
)

// String is the name of e.
func (e Eviction) String() string { return []string{"auto", "lfu", "slru", "steady"}[e] }

// NewCacheBy is [NewCache] with a rule of the caller's choice. ε-pricing goes through all rows in every
// round, so that counts rise together and LFU changes rows that it should have kept: Steady is hit
// much as often as a random set of rows there, or more, and hardly less often than LFU elsewhere
// (docs/assignment.md has the figures).
func NewCacheBy(costs Costs, bytes int, rule Eviction) *Cache {
	if bytes < 0 {
		panic(badCache)
	}
	rows, cols := costs.Dims()
	slots := rows
	if cols > 0 {
		slots = min(rows, bytes/8/cols)
	}
	switch {
	case rule == Steady:
		f := newFrequent(rows, slots)
		f.times = 2
		return newCache(costs, slots, f)
	case rule == LFU || rule == ByShare && slots >= (rows+3)/4:
		return newCache(costs, slots, newFrequent(rows, slots))
	}
	return newCache(costs, slots, newRecent(slots))
}

// newCache makes a cache with room for slots rows.
func newCache(costs Costs, slots int, p policy) *Cache {
	k := &Cache{costs: costs, policy: p}
	k.rows, k.cols = costs.Dims()
	k.store = make([]float64, slots*k.cols)
	k.slotOf = make([]int32, k.rows)
	slab.Fill(k.slotOf, -1)
	k.rowOf = make([]int32, 0, slots)
	return k
}

// Dims implements [Costs].
func (k *Cache) Dims() (rows, cols int) { return k.rows, k.cols }

// Row implements [Costs]; it returns a view into the cache, or writes into dst.
func (k *Cache) Row(dst []float64, r int) []float64 {
	row, known := k.place(dst, r)
	if known {
		return row
	}
	got := k.costs.Row(row, r)
	if len(got) != k.cols {
		panic(badRow)
	}
	if k.cols > 0 && &got[0] != &row[0] { // a view of something else
		copy(row, got)
	}
	return row
}

// place returns where row r is, or is to be written: a slot or dst.
func (k *Cache) place(dst []float64, r int) (row []float64, known bool) {
	i := int32(r)
	slot := k.slotOf[r]
	if slot >= 0 {
		k.hits++
		k.policy.used(i, slot)
		return k.slot(slot), true
	}
	k.misses++
	if n := len(k.rowOf); n < cap(k.rowOf) {
		slot = int32(n)
		k.rowOf = append(k.rowOf, i)
		k.policy.added(i, slot)
	} else if slot = k.policy.replace(i); slot >= 0 {
		k.slotOf[k.rowOf[slot]] = -1
		k.rowOf[slot] = i
	} else {
		return dst, false
	}
	k.slotOf[r] = slot
	return k.slot(slot), false
}

// slot is the row in a slot.
func (k *Cache) slot(slot int32) []float64 {
	return k.store[int(slot)*k.cols:][:k.cols:k.cols]
}

// Counts tells how many of the rows asked for so far were in the cache, and how
// many had to be computed.
func (k *Cache) Counts() (hits, misses int) { return k.hits, k.misses }

// frequent keeps the rows that were asked for most often, in all; a row
// that was asked for as often as those in the cache does not replace them, so
// that a sweep over all rows finds some of them.
type frequent struct {
	count []int32 // by row
	heap  []int32 // slots, the one whose row goes next first
	place []int32 // of each slot in the heap
	row   []int32 // of each slot
	times int32   // as often, and once more, a row must be asked for to replace another
}

func newFrequent(rows, slots int) *frequent {
	return &frequent{
		count: make([]int32, rows),
		heap:  make([]int32, 0, slots),
		place: make([]int32, slots),
		row:   make([]int32, slots),
		times: 1,
	}
}

func (f *frequent) added(r, slot int32) {
	f.count[r]++
	f.row[slot] = r
	f.place[slot] = int32(len(f.heap))
	f.heap = append(f.heap, slot)
	for i := len(f.heap) - 1; i > 0 && f.less(i, (i-1)/2); i = (i - 1) / 2 {
		f.swap(i, (i-1)/2)
	}
}

func (f *frequent) used(r, slot int32) {
	f.count[r]++
	f.sink(int(f.place[slot]))
}

func (f *frequent) replace(r int32) int32 {
	f.count[r]++
	if len(f.heap) == 0 {
		return -1
	}
	slot := f.heap[0]
	if f.count[r] <= f.times*f.count[f.row[slot]] {
		return -1
	}
	f.row[slot] = r
	f.sink(0)
	return slot
}

// less says whether the row at place i of the heap goes before that at place j:
// with the lower count or, as somebody must, with the higher number.
func (f *frequent) less(i, j int) bool {
	r, q := f.row[f.heap[i]], f.row[f.heap[j]]
	return f.count[r] < f.count[q] || f.count[r] == f.count[q] && r > q
}

func (f *frequent) swap(i, j int) {
	f.heap[i], f.heap[j] = f.heap[j], f.heap[i]
	f.place[f.heap[i]], f.place[f.heap[j]] = int32(i), int32(j)
}

// sink moves a slot whose count grew down the heap.
func (f *frequent) sink(i int) {
	for {
		least := i
		for _, j := range [...]int{2*i + 1, 2*i + 2} {
			if j < len(f.heap) && f.less(j, least) {
				least = j
			}
		}
		if least == i {
			return
		}
		f.swap(i, least)
		i = least
	}
}

// recent keeps two lists of slots, each from the one asked for last to the one
// asked for longest ago: rows on trial, asked for once, and kept ones, at most
// half of all. A row that gives way among the kept ones is on trial again; the
// last on trial leaves the cache.
type recent struct {
	next, prev []int32 // of each slot, then of the heads of the two lists
	kept       []bool  // of each slot
	room       int     // for more kept ones
}

func newRecent(slots int) *recent {
	l := &recent{
		next: make([]int32, slots+2), prev: make([]int32, slots+2),
		kept: make([]bool, slots), room: slots / 2,
	}
	for head := slots; head < slots+2; head++ {
		l.next[head], l.prev[head] = int32(head), int32(head)
	}
	return l
}

// head is the head of the list of kept slots, or of those on trial.
func (l *recent) head(kept bool) int32 {
	if kept {
		return int32(len(l.kept))
	}
	return int32(len(l.kept)) + 1
}

// insert puts a slot first in a list.
func (l *recent) insert(slot int32, kept bool) {
	head := l.head(kept)
	first := l.next[head]
	l.kept[slot] = kept
	l.next[head], l.prev[slot], l.next[slot], l.prev[first] = slot, head, first, slot
}

// remove takes a slot out of its list.
func (l *recent) remove(slot int32) {
	l.next[l.prev[slot]], l.prev[l.next[slot]] = l.next[slot], l.prev[slot]
}

func (l *recent) added(_, slot int32) { l.insert(slot, false) }

func (l *recent) used(_, slot int32) {
	l.remove(slot)
	if !l.kept[slot] {
		if l.room > 0 {
			l.room--
		} else if last := l.prev[l.head(true)]; last != l.head(true) {
			l.remove(last)
			l.insert(last, false)
		} else { // there is one slot only
			l.insert(slot, false)
			return
		}
	}
	l.insert(slot, true)
}

func (l *recent) replace(int32) int32 {
	head := l.head(false)
	slot := l.prev[head]
	if slot == head {
		return -1 // there are no slots
	}
	l.remove(slot)
	l.insert(slot, false)
	return slot
}
