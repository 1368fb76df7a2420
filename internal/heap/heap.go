// Package heap holds the priority queue of the shortest path searches.
package heap

// A Heap is a 4-ary min-heap of vertices by distance: the children of element i are
// 4i+1 … 4i+4. A vertex whose distance drops is pushed again; its older elements are
// told by their distance when they surface. The zero value is empty.
type Heap []Item

// An Item is a vertex at a distance.
type Item struct {
	Dist float64
	ID   int32
}

// Push adds a vertex in O(log n) time.
func (q *Heap) Push(dist float64, id int32) {
	h := append(*q, Item{})
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 4
		if h[up].Dist <= dist {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = Item{dist, id}
	*q = h
}

// Pop removes the nearest vertex in O(log n) time. It panics when there is none.
func (q *Heap) Pop() Item {
	h := *q
	top := h[0]
	n := len(h) - 1
	last := h[n]
	h = h[:n]
	*q = h
	if n == 0 {
		return top
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= n {
			break
		}
		least := child
		for k := child + 1; k < child+4 && k < n; k++ {
			if h[k].Dist < h[least].Dist {
				least = k
			}
		}
		if last.Dist <= h[least].Dist {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = last
	return top
}
