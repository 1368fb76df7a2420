package association

import (
	"math"
	"slices"

	"mtt"
)

// This file notices targets that are detected twice in a scan.
//
// Of points without order in d dimensions, at any density that is locally even, the volume within the nearest
// neighbour is a share of that within the second nearest which is uniform on [0, 1]. Of a target that was
// detected twice it is small. So it is of two targets that keep together, but their offset stays: that of detections with errors
// of their own is another one in every scan.

// doubles are detections that seem to be of the same targets.
type doubles struct {
	share  float64 // of the detections in tracks
	within float64 // m: nineteen of twenty of them lie no farther apart
}

// twice looks at some thousand detections of tracks of scans; the zero value is that of targets that are detected once. Fewer than fifty
// tell nothing.
func twice(scans []mtt.Scan, tracks []mtt.Track) doubles {
	const (
		looks = 4000    // detections
		near  = 1. / 16 // of the volume within the second nearest neighbour: the share of points without order that are so near
		least = 0.1     // share, above that
		fresh = 0.35    // of offsets, see below: .36, .5 and .58 in one to three dimensions of normal ones that are others in each scan, more where there is none in the next, near 0 of those that stay
	)
	total := 0
	for i := range tracks {
		total += len(tracks[i].Hits)
	}
	index := make(map[int]int, len(scans))
	for t := range scans {
		index[scans[t].Frame] = t
	}
	sorted := make([]byFirst, len(scans))
	partner := func(h mtt.Hit) (offset []float64, ok, many bool) {
		t, known := index[h.Frame]
		if !known || scans[t].Len() < 3 {
			return nil, false, false
		}
		s := &scans[t]
		if sorted[t] == nil {
			sorted[t] = newByFirst(s)
		}
		j, d1, d2 := sorted[t].nearest(s, h.Det)
		if !(math.Pow(d1/d2, float64(s.Dim)) < near) { // of three at one place neither
			return nil, false, true
		}
		offset = make([]float64, s.Dim)
		for k, x := range s.At(j) {
			offset[k] = x - s.At(h.Det)[k]
		}
		return offset, true, true
	}
	stride, n := 1+total/looks, 0
	var looked, close, anew, pairs float64
	var lengths []float64
	for i := range tracks {
		hits := tracks[i].Hits
		for h := range hits {
			if n++; n%stride != 0 {
				continue
			}
			o, ok, many := partner(hits[h])
			if many {
				looked++
			}
			if !ok {
				continue
			}
			close++
			lengths = append(lengths, math.Sqrt(dot(o, o)))
			if h+1 == len(hits) {
				continue
			}
			p, ok, many := partner(hits[h+1])
			if many {
				pairs++
			}
			switch both := dot(o, o) + dot(p, p); {
			case ok && both > 0:
				anew += 1 - 2*math.Abs(dot(o, p))/both // which of the two the track has may change
			case many && !ok:
				anew++
			}
		}
	}
	share := (close/looked - near) / (1 - near)
	if looked < 50 || share < least || pairs == 0 || anew < fresh*pairs {
		return doubles{}
	}
	slices.Sort(lengths)
	return doubles{share, lengths[int(0.95*share*looked)]} // those that are near by chance are mostly farther away
}

// dot is the inner product, of what both have.
func dot(a, b []float64) (sum float64) {
	for k := range min(len(a), len(b)) {
		sum += a[k] * b[k]
	}
	return sum
}

// byFirst are the detections of a scan in the order of their first coordinate.
type byFirst []int32

func newByFirst(s *mtt.Scan) byFirst {
	order := make(byFirst, s.Len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		switch x, y := s.At(int(a))[0], s.At(int(b))[0]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return int(a - b)
	})
	return order
}

// nearest is the nearest neighbour of detection i, and the distances of it and of the second nearest. It looks at those whose
// first coordinate is no farther away than that.
func (o byFirst) nearest(s *mtt.Scan, i int) (first int, d1, d2 float64) {
	x := s.At(i)
	at, _ := slices.BinarySearchFunc(o, x[0], func(j int32, x float64) int {
		if s.At(int(j))[0] < x {
			return -1
		}
		return 1
	})
	d1, d2 = math.Inf(1), math.Inf(1)
	look := func(j int) (on bool) {
		y := s.At(j)
		if math.Abs(y[0]-x[0]) > d2 {
			return false
		}
		if j == i {
			return true
		}
		sum := 0.0
		for k := range x {
			sum += (y[k] - x[k]) * (y[k] - x[k])
		}
		switch d := math.Sqrt(sum); {
		case d < d1:
			first, d1, d2 = j, d, d1
		case d < d2:
			d2 = d
		}
		return true
	}
	for up := at; up < len(o) && look(int(o[up])); up++ {
	}
	for down := at - 1; down >= 0 && look(int(o[down])); down-- {
	}
	return first, d1, d2
}
