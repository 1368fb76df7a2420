package association

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/internal/radix"
)

// This file notices targets that are detected twice in a scan.
//
// Of points without order in d dimensions, at any density that is locally even, the volume within
// the nearest neighbour is a share of that within the second nearest which is uniform on [0, 1]. Of
// a target that was detected twice it is small. What lies on lines, in lanes, has fewer dimensions
// than it is given in, and how many shows in the second and third nearest, which hardly hang on
// whether the nearest is of the same target: the volume within the one is a share of that within
// the other whose logarithm is −½ on average. So it is of two targets that keep together, but their
// offset stays: that of detections with errors of their own is another one in every scan.

// doubles are detections that seem to be of the same targets.
type doubles struct {
	share  float64 // of the detections in tracks
	within float64 // m: nineteen of twenty of them lie no farther apart
}

// A look is at the neighbours of a detection of a scan: the nearest, and how far that and the next
// two are, m; the zero value where there are none.
type look struct {
	scan  *mtt.Scan
	first int
	d     [3]float64
}

// twice looks at some thousand detections of tracks of scans; the zero value is that of targets
// that are detected once. Fewer than fifty tell nothing, nor does it once ctx has ended.
func twice(ctx context.Context, scans []mtt.Scan, tracks []mtt.Track) doubles {
	const (
		looks = 4000    // detections
		near  = 1. / 16 // of the volume within the second nearest neighbour: the share of points without order that are so near
		least = 0.1     // share, above that
		fresh = 0.35    // of offsets, see below: .36, .5 and .58 in one to three dimensions of normal ones that are others in each scan, more where there is none in the next, near 0 of those that stay
	)
	index := mtt.ByFrame(scans)
	sorted := make([]*lineUp, len(scans))
	nearest := func(h mtt.Hit) (l look) {
		t, known := index[h.Frame]
		if !known || scans[t].Len() < 3 {
			return l
		}
		l.scan = &scans[t]
		if sorted[t] == nil {
			sorted[t] = newLineUp(l.scan)
		}
		l.first, l.d = sorted[t].nearest(l.scan, h.Det)
		return l
	}
	stride := 1 + hits(tracks)/looks
	var logs, counted float64
	var seen []look // of every stride-th hit
	for i, n := 0, 0; i < len(tracks); i++ {
		if ctx.Err() != nil { // it may have to put scans in order
			return doubles{}
		}
		for _, h := range tracks[i].Hits {
			if n++; n%stride != 0 {
				continue
			}
			l := nearest(h)
			if seen = append(seen, l); l.scan != nil && l.d[1] > 0 && !math.IsInf(l.d[2], 1) {
				logs, counted = logs+math.Log(l.d[2]/l.d[1]), counted+1
			}
		}
	}
	dim := math.Inf(1) // of where targets are, as far as it is less than that of scans
	if counted >= 50 {
		dim = max(1, counted/(2*logs))
	}
	offset := func(s *mtt.Scan, h mtt.Hit, other int) []float64 {
		o := make([]float64, s.Dim)
		for k, x := range s.At(other) {
			o[k] = x - s.At(h.Det)[k]
		}
		return o
	}
	partner := func(h mtt.Hit, l look) (o []float64, ok, many bool) {
		if l.scan == nil {
			return nil, false, false
		}
		if !(math.Pow(l.d[0]/l.d[1], min(dim, float64(l.scan.Dim))) < near) { // of three at one place neither
			return nil, false, true
		}
		return offset(l.scan, h, l.first), true, true
	}
	holder := holders(index, scans, tracks)
	n := 0
	var looked, close, anew, pairs float64
	var lengths []float64
	for i := range tracks {
		if ctx.Err() != nil {
			return doubles{}
		}
		hits := tracks[i].Hits
		for h := range hits {
			if n++; n%stride != 0 {
				continue
			}
			l := seen[n/stride-1]
			o, ok, many := partner(hits[h], l)
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
			p, ok, many := partner(hits[h+1], nearest(hits[h+1]))
			if k := holder[index[hits[h].Frame]][l.first]; k >= 0 && many && !ok { // where has the other one of a track gone?
				next := hits[h+1]
				other := tracks[k].Hits
				at, there := slices.BinarySearchFunc(other, next.Frame, func(h mtt.Hit, frame int) int { return cmp.Compare(h.Frame, frame) })
				switch {
				case there && other[at].Det >= 0:
					p, ok = offset(&scans[index[next.Frame]], next, other[at].Det), true
				case at < len(other):
					continue // it was missed, which tells nothing
				}
			}
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

// holders are, for each detection of each scan, the track that has it, -1 for none.
func holders(index map[int]int, scans []mtt.Scan, tracks []mtt.Track) [][]int32 {
	of := make([][]int32, len(scans))
	for t := range scans {
		of[t] = slices.Repeat([]int32{-1}, scans[t].Len())
	}
	for k := range tracks {
		for _, h := range tracks[k].Hits {
			if t, known := index[h.Frame]; known && h.Det >= 0 {
				of[t][h.Det] = int32(k)
			}
		}
	}
	return of
}

// dot is the inner product, of what both have.
func dot(a, b []float64) (sum float64) {
	for k := range min(len(a), len(b)) {
		sum += a[k] * b[k]
	}
	return sum
}

// A lineUp is the detections of a scan in order along the axis along which they are most spread out.
type lineUp struct {
	axis  int
	order []int32
}

func newLineUp(s *mtt.Scan) *lineUp {
	l := new(lineUp)
	for k, widest := 0, -1.; k < s.Dim; k++ {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range s.Len() {
			low, high = min(low, s.At(i)[k]), max(high, s.At(i)[k])
		}
		if high-low > widest {
			l.axis, widest = k, high-low
		}
	}
	along := make([]float64, s.Len())
	for i := range along {
		along[i] = s.At(i)[l.axis]
	}
	l.order = radix.Order(along)
	return l
}

// nearest is the nearest neighbour of detection i, and the distances of it and of the second and
// third nearest, infinite where there is none. It looks at those that are no farther away than that
// along the axis, until three are at the same place.
func (l *lineUp) nearest(s *mtt.Scan, i int) (first int, d [3]float64) {
	x := s.At(i)
	at, _ := slices.BinarySearchFunc(l.order, x[l.axis], func(j int32, x float64) int { return cmp.Compare(s.At(int(j))[l.axis], x) })
	d = [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	far := math.Inf(1) // the square of d[2], and what rounding may add
	look := func(j int) (on bool) {
		y := s.At(j)
		if d[2] == 0 || math.Abs(y[l.axis]-x[l.axis]) > d[2] {
			return false
		}
		if j == i {
			return true
		}
		sum := 0.0
		for k := range x {
			sum += (y[k] - x[k]) * (y[k] - x[k])
		}
		if sum > far { // no nearer than the third
			return true
		}
		switch r := math.Sqrt(sum); {
		case r < d[0]:
			first, d = j, [3]float64{r, d[0], d[1]}
		case r < d[1]:
			d[1], d[2] = r, d[1]
		case r < d[2]:
			d[2] = r
		}
		far = d[2] * d[2] * (1 + 1e-12)
		return true
	}
	for up := at; up < len(l.order) && look(int(l.order[up])); up++ {
	}
	for down := at - 1; down >= 0 && look(int(l.order[down])); down-- {
	}
	return first, d
}
