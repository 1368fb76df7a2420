package murty

// This file holds the priority queue of cells, sums and searches: elements of several kinds, in
// orders of their own. That of [mtt/internal/heap] is made for vertices by distance, and for speed.

// An ordered type says which of two elements comes first.
type ordered[T any] interface{ before(T) bool }

// What is queued.
var (
	_ ordered[waiting] = waiting{}
	_ ordered[reached] = reached{}
	_ ordered[*link]   = (*link)(nil)
)

// A heap is a binary min-heap: no element comes before its parent.
type heap[T ordered[T]] []T

// push adds x in O(log n) time.
func (h *heap[T]) push(x T) {
	q := append(*h, x)
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !x.before(q[up]) {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = x
	*h = q
}

// pop removes the least element in O(log n) time.
func (h *heap[T]) pop() T {
	q := *h
	top := q[0]
	n := len(q) - 1
	last := q[n]
	clear(q[n:])
	q = q[:n]
	*h = q
	if n == 0 {
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && q[child+1].before(q[child]) {
			child++
		}
		if !q[child].before(last) {
			break
		}
		q[i] = q[child]
		i = child
	}
	q[i] = last
	return top
}
