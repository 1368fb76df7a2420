package scenario

// This file merges the detections of targets that the sensor does not resolve.

import (
	"cmp"
	"slices"
)

// merge makes one detection, at the mean of theirs, of the detections of each group
// of targets that chains of true distances below within hold together. Missed
// targets and false alarms neither merge nor link others. The detection belongs to
// the oldest target of the group, the one of least ID; the others have Det −1, as a
// detection has one target at most. The other detections keep their order.
//
// It takes O(n log n) time and that of the pairs closer than within on the first
// axis.
func (f *Frame) merge(within float64) {
	if within == 0 {
		return
	}
	oldest := f.groups(within)
	count := make([]int, f.Scan.Len()) // targets of each detection, 0 for a false alarm
	gone := make([]bool, f.Scan.Len())
	for i, d := range f.Det {
		if d < 0 {
			continue
		}
		into := f.Det[oldest[i]] // settled: oldest[i] ≤ i
		count[into]++
		if into == d {
			continue
		}
		gone[d], f.Det[i] = true, -1
		add(f.Scan.At(into), f.Scan.At(d))
		add(f.Scan.VelAt(into), f.Scan.VelAt(d))
		add(f.Scan.FeatAt(into), f.Scan.FeatAt(d))
	}
	for d, n := range count {
		if n > 1 {
			divide(f.Scan.At(d), float64(n))
			divide(f.Scan.VelAt(d), float64(n))
			divide(f.Scan.FeatAt(d), float64(n))
		}
	}

	kept := f.Scan
	kept.Pos, kept.Vel, kept.Feat, kept.Class = kept.Pos[:0], kept.Vel[:0], kept.Feat[:0], kept.Class[:0] // in place: rows move forward only
	number := make([]int, f.Scan.Len())
	for d := range number {
		number[d] = kept.Len()
		if !gone[d] {
			kept.Pos = append(kept.Pos, f.Scan.At(d)...)
			kept.Vel = append(kept.Vel, f.Scan.VelAt(d)...)
			kept.Feat = append(kept.Feat, f.Scan.FeatAt(d)...)
			if f.Scan.Class != nil {
				kept.Class = append(kept.Class, f.Scan.Class[d])
			}
		}
	}
	f.Scan = kept
	for i, d := range f.Det {
		if d >= 0 {
			f.Det[i] = number[d]
		}
	}
}

// groups is, for each target, the first of those that chains of distances below
// within connect it with, itself when it is alone. Missed targets are alone.
func (f *Frame) groups(within float64) []int {
	dim := f.Scan.Dim
	first := make([]int, len(f.ID))
	var order []int // detected targets, along the first axis
	for i := range first {
		first[i] = i
		if f.Det[i] >= 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(f.Pos[a*dim], f.Pos[b*dim]), a-b)
	})
	root := func(i int) int {
		for first[i] != i {
			i = first[i]
		}
		return i
	}
	for n, i := range order {
		for _, j := range order[n+1:] {
			if f.Pos[j*dim]-f.Pos[i*dim] >= within {
				break
			}
			var d2 float64
			for k := range dim {
				d := f.Pos[i*dim+k] - f.Pos[j*dim+k]
				d2 += float64(d * d)
			}
			if a, b := root(i), root(j); d2 < within*within {
				first[max(a, b)] = min(a, b)
			}
		}
	}
	for i := range first {
		first[i] = root(i)
	}
	return first
}

// add adds v to dst.
func add(dst, v []float64) {
	for i := range dst {
		dst[i] += v[i]
	}
}

// divide divides dst by n.
func divide(dst []float64, n float64) {
	for i := range dst {
		dst[i] /= n
	}
}
