package costgen

import (
	"cmp"
	"iter"
	"slices"

	"mtt"
)

// A Sorted finds the detections of a scan that are near a place, by their first coordinates in order.
type Sorted struct {
	s     *mtt.Scan
	order []int32
}

// NewSorted sorts the detections of s.
func NewSorted(s *mtt.Scan) *Sorted {
	a := &Sorted{s, make([]int32, s.Len())}
	for i := range a.order {
		a.order[i] = int32(i)
	}
	slices.SortFunc(a.order, func(i, j int32) int {
		return cmp.Or(cmp.Compare(a.first(i), a.first(j)), cmp.Compare(i, j))
	})
	return a
}

// AllSorted sorts the detections of each scan.
func AllSorted(scans []mtt.Scan) []*Sorted {
	all := make([]*Sorted, len(scans))
	for t := range scans {
		all[t] = NewSorted(&scans[t])
	}
	return all
}

// first is the first coordinate of detection i.
func (a *Sorted) first(i int32) float64 { return a.s.At(int(i))[0] }

// Near are the detections within reach of a place and the square of how far each is, in the order
// of their first coordinates. It takes O(log n + m) time for m detections within reach along the
// first axis.
func (a *Sorted) Near(at []float64, reach float64) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		from, _ := slices.BinarySearchFunc(a.order, at[0]-reach, func(i int32, x float64) int { return cmp.Compare(a.first(i), x) })
		for _, i := range a.order[from:] {
			if a.first(i) > at[0]+reach {
				return
			}
			d2 := 0.0
			for d, z := range a.s.At(int(i)) {
				d2 += (z - at[d]) * (z - at[d])
			}
			if d2 <= reach*reach && !yield(int(i), d2) {
				return
			}
		}
	}
}
