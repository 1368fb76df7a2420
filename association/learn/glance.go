package learn

import (
	"cmp"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
)

// This file holds what shows without any association.

// dimension is that of the scans, 2 when all are empty.
func dimension(scans []mtt.Scan) int {
	for t := range scans {
		if scans[t].Len() > 0 {
			return scans[t].Dim
		}
	}
	return 2
}

// interval is the median time between scans.
func interval(scans []mtt.Scan) float64 {
	var dts []float64
	for t := 1; t < len(scans); t++ {
		dts = append(dts, scans[t].Time-scans[t-1].Time)
	}
	if len(dts) == 0 {
		return 1
	}
	slices.Sort(dts)
	return dts[len(dts)/2]
}

// Volume is the area (or volume) in which a scan's detections lie: the geometric mean over the
// scans of their bounding boxes. Where no scan has two, it is that of all detections together, the
// field as far as it was seen, if one sensor saw them. No side is taken as shorter than least:
// along a coordinate that does not vary nothing is told by where a false alarm lies.
func Volume(scans []mtt.Scan, least float64) float64 {
	var sum float64
	var n int
	for t := range scans {
		s := &scans[t]
		if s.Len() < 2 {
			continue
		}
		if v := box(scans[t:t+1], least); v > 0 {
			sum += math.Log(v)
			n++
		}
	}
	if n > 0 {
		return math.Exp(sum / float64(n))
	}
	several := slices.ContainsFunc(scans, func(s mtt.Scan) bool { return s.Sensor != scans[0].Sensor }) // each sees a field of its own
	if v := box(scans, least); !several && v > 0 && count(scans) > 1 {
		return v
	}
	return max(1, math.Pow(least, float64(dimension(scans))))
}

// box is the volume in which the detections of scans were drawn, as their bounding box says, of
// sides no shorter than least.
func box(scans []mtt.Scan, least float64) float64 {
	v, n := 1.0, count(scans)
	for d := range dimension(scans) {
		lo, hi := math.Inf(1), math.Inf(-1)
		for t := range scans {
			s := &scans[t]
			for i := range s.Len() {
				lo, hi = min(lo, s.Pos[i*s.Dim+d]), max(hi, s.Pos[i*s.Dim+d])
			}
		}
		v *= max(hi-lo, least)
	}
	// n points leave a margin of 1/(n−1) of the box outside it.
	return v * math.Pow(1+2/(n-1), float64(dimension(scans)))
}

// steady says whether every scan has the same number of detections, which means
// that nothing is missed, false, born or dead.
func steady(scans []mtt.Scan) bool {
	for t := range scans {
		if scans[t].Len() != scans[0].Len() {
			return false
		}
	}
	return true
}

// A selfPart is the self part of van Hove's correlation function [1]: how far detections
// are from the detections of the same target some scans later, or, where velocities are
// measured, from where their velocity takes them. It needs no association: the number
// of detections of the later scan near a detection, less the number of others
// of the same scan equally near, is the number of successors.
//
// [1] van Hove. Correlations in space and time and Born approximation scattering in
// systems of interacting particles. Physical Review 95, 1954.
type selfPart struct {
	changes []change // ascending r
	links   float64  // detections that were looked at, as far as there are successors for them
	looked  float64  // detections that were looked at
}

// A change is a pair at distance r that counts w; the first of it has a confidence, where scans say one.
type change struct{ r, w, conf float64 }

// manyPairs are enough for the successors of few detections among many false ones to show: a
// hundred thousand pairs are those of three hundred detections where there are as many in a scan,
// of which one in ten has a successor.
const manyPairs = 1_000_000

// somePairs are enough for successors to show where most detections have one.
const somePairs = 100_000

// newSelfPart looks at pairs of scans lag apart, at some hundred thousand pairs of
// detections in all.
func newSelfPart(scans []mtt.Scan, lag int) *selfPart {
	return selfPartWithin(scans, lag, somePairs, math.Inf(1), 1)
}

// restPart is the self part of what tracks left over, few of which have successors. How dense others are
// about a detection that is alone in its scan a scan says that is half of them away: else any false
// alarm in the next scan would pass for its successor. What stays where it is does not show there.
func restPart(scans []mtt.Scan, lag int) *selfPart {
	return selfPartOf(scans, lag, somePairs, math.Inf(1), 0, true)
}

// selfPartWithin looks at so many pairs in all, and knows those within reach. Where most detections
// have successors, these is 1: of those of the later scan all but the successor are others. Where
// hardly any has, it is 0: with 1 the number within r would grow with r among false alarms alone,
// as far as the field goes.
func selfPartWithin(scans []mtt.Scan, lag int, pairs, reach, these float64) *selfPart {
	return selfPartOf(scans, lag, pairs, reach, these, false)
}

// selfPartOf is selfPartWithin, or what restPart has of detections that are alone in their scans.
func selfPartOf(scans []mtt.Scan, lag int, pairs, reach, these float64, rest bool) *selfPart {
	const telling = 20 // scans with detections, of fewer none is far away
	s := &selfPart{}
	add := func(d2, w, conf float64) {
		if r := math.Sqrt(d2); r <= reach {
			s.changes = append(s.changes, change{r, w, conf})
		}
	}
	all := pairCount(scans, lag)
	var full []int32 // scans with detections, for rest
	for t := range scans {
		if rest && scans[t].Len() > 0 {
			full = append(full, int32(t))
		}
	}
	rest = rest && len(full) >= telling
	rank := -1 // of scan t among those with detections
	stride, k, vel := 1+int(all/pairs), 0, Velocities(scans) && !partial(scans)
	if math.IsInf(reach, 1) { // few are left out
		s.changes = make([]change, 0, int(all)/stride)
	}
	for t := 0; t+lag < len(scans); t++ {
		a, b := &scans[t], &scans[t+lag]
		n, m := a.Len(), b.Len()
		if n > 0 {
			rank++
		}
		if n == 0 || m == 0 || n == 1 && m > 1 && these == 0 && !rest { // of a single one nobody knows how dense the others are
			continue
		}
		dt := b.Time - a.Time
		for i := range n {
			if k++; k%stride != 0 {
				continue
			}
			s.looked++
			s.links += min(1, float64(m)/float64(n))
			conf := 0.0
			if a.Conf != nil {
				conf = a.Conf[i]
			}
			for j := range m {
				var d2 float64
				for k := range a.Dim {
					d := b.Pos[j*b.Dim+k] - a.Pos[i*a.Dim+k]
					if vel {
						d -= dt * a.Vel[i*a.Dim+k]
					}
					d2 += d * d
				}
				add(d2, 1, conf)
			}
			// The others, with the same offset: as dense now as then.
			w := -(float64(m) - these) / float64(max(1, n-1))
			others := a
			if n == 1 && rest {
				others = &scans[full[(rank+len(full)/2)%len(full)]]
				w = -(float64(m) - these) / float64(others.Len())
			}
			for j := range others.Len() {
				if others == a && j == i {
					continue
				}
				var d2 float64
				for k := range a.Dim {
					d := others.Pos[j*a.Dim+k] - a.Pos[i*a.Dim+k]
					d2 += d * d
				}
				add(d2, w, conf)
			}
		}
	}
	s.changes = ascending(s.changes)
	return s
}

// pairCount is the number of pairs of detections of scans, and of those with the scans lag later.
func pairCount(scans []mtt.Scan, lag int) (n float64) {
	for t := 0; t+lag < len(scans); t++ {
		n += float64(scans[t].Len()) * float64(scans[t].Len()+scans[t+lag].Len())
	}
	return n
}

// ascending sorts changes by distance: into as many intervals of equal length as there are changes,
// then within each. It takes one look and a half at changes that lie anywhere, and no more than
// sorting where most of them lie in one interval. list is used up.
func ascending(list []change) []change {
	byDistance := func(x, y change) int { return cmp.Compare(x.r, y.r) }
	n, longest := len(list), 0.0
	for k := range list {
		longest = max(longest, list[k].r)
	}
	scale := float64(n-1) / longest
	if n < 2 || math.IsInf(scale, 1) || !(scale > 0) { // none, all equal, or beyond all numbers
		slices.SortFunc(list, byDistance)
		return list
	}
	ends := make([]int32, n)
	for k := range list {
		ends[int(list[k].r*scale)]++
	}
	end := int32(0)
	for b := range ends {
		ends[b], end = end, end+ends[b]
	}
	sorted := make([]change, n)
	for k := range list {
		b := int(list[k].r * scale)
		sorted[ends[b]] = list[k]
		ends[b]++
	}
	begin := int32(0)
	for _, end := range ends {
		if end-begin > 1 {
			slices.SortFunc(sorted[begin:end], byDistance)
		}
		begin = end
	}
	return sorted
}

// radius is that within which a share of the detections have their successors; 0 where
// they have not.
func (s *selfPart) radius(share float64) float64 {
	var sum float64
	for _, c := range s.changes {
		if sum += c.w; sum >= share*s.links && c.r > 0 {
			return c.r
		}
	}
	return 0
}

// half is the radius that holds half of the successors; 0 for lack of data. Where many
// are missed or false, half of all may have none.
func (s *selfPart) half() float64 {
	for _, share := range []float64{0.5, 0.25, 0.1} {
		if r := s.radius(share); r > 0 {
			return r
		}
	}
	return 0
}

// core is the radius that holds half of the successors that show most clearly: those within
// the radius at which their number is the greatest multiple of its standard error. Where
// most detections are false the number farther out is chance.
func (s *selfPart) core() float64 {
	var sum, squares, best, total, far float64
	for k, c := range s.changes {
		sum += c.w
		squares += c.w * c.w
		if z := sum / math.Sqrt(squares); k >= 20 && z > best {
			best, total, far = z, sum, c.r
		}
	}
	sum = 0
	for _, c := range s.changes {
		if sum += c.w; sum >= total/2 && c.r > 0 {
			return min(c.r, far)
		}
	}
	return far
}

// most is the radius beyond which there is no sign of further successors: the number
// within r, less twice its standard error, is largest there.
func (s *selfPart) most() (radius float64) {
	var sum, squares, best float64
	for k, c := range s.changes {
		sum += c.w
		squares += c.w * c.w
		if k+1 < len(s.changes) && s.changes[k+1].r == c.r {
			continue
		}
		if sure := sum - 2*math.Sqrt(squares); sure > best {
			best, radius = sure, c.r
		}
	}
	return radius
}

// guess are the rates to begin with. Where scans differ, misses are cheap and
// births and deaths dear: a track that is broken where it could go on counts as a
// death and a birth, hides a miss, and so makes the next estimate break more. Where
// equal counts say so, nothing is born, dies, is missed or false. Positions are known to length.
func guess(scans []mtt.Scan, length float64, equal bool) costgen.Rates {
	n := max(1, count(scans)/float64(max(1, len(scans))))
	r := costgen.Rates{Volume: Volume(scans, length), Targets: n}
	if equal {
		const never, always = 1e-300, 1 - 1e-16
		r.Detect, r.Survive, r.Births, r.Clutter = always, always, never, never
		return r
	}
	r.Detect, r.Hidden, r.Survive, r.Births, r.Clutter = 0.9, 0.7, 0.997, 0.003*n, 0.05*n
	return r
}

// among are rates guessed where a share of the detections is followed by another of their targets:
// these were detected twice.
func among(guessed *costgen.Rates, share float64) costgen.Rates {
	r := *guessed
	n := r.Targets // detections in a scan
	r.Targets = min(n, share*n/(r.Detect*r.Detect))
	r.Births, r.Clutter = 0.003*r.Targets, max(r.Clutter, n-r.Targets*r.Detect)
	return r
}

// Estimates are made from some twenty thousand detections, half as many where there are no
// rates to learn, and from at least a dozen scans.
const enough, dozen = 20000, 12

// window are the first of the scans: as many as have the given number of detections, half of it where
// there are no rates to learn, and at least so many.
func window(scans []mtt.Scan, detections, least int) []mtt.Scan {
	if steady(scans) {
		detections /= 2
	}
	n := 0
	for t := range scans {
		if n += scans[t].Len(); n > detections && t+1 >= least {
			return scans[:t+1]
		}
	}
	return scans
}

// calm are the scans without the first ones that are a crowd, where these would be all of the first
// window or much of it. As many are left as make a window.
func calm(scans []mtt.Scan, enough int) []mtt.Scan {
	first := 0
	if len(window(scans, enough, dozen)) < len(scans) {
		first = Crowded(scans, dozen)
	}
	for first > 0 && len(window(scans[first:], enough, dozen)) == len(scans)-first {
		first--
	}
	return scans[first:]
}

// later are some windows, half as much as one in all, spread evenly over the scans after the
// first window; none where there are no rates to learn.
func later(scans []mtt.Scan, enough int) (parts [][]mtt.Scan) {
	if steady(scans) {
		return nil
	}
	const most, least = 3, dozen / 2
	first := len(window(scans, enough, dozen))
	end := first
	for k := range most {
		at := max(end, first+(2*k+1)*(len(scans)-first)/(2*most)-least/2)
		if at+least > len(scans) {
			break
		}
		part := window(scans[at:], enough/2/most, least)
		parts, end = append(parts, part), at+len(part)
	}
	return parts
}

// speedStd is the standard deviation of a velocity's coordinate, less noise.
func speedStd(scans []mtt.Scan, sigmaV float64) float64 {
	var sum, n float64
	for t := range scans {
		for _, v := range scans[t].Vel {
			sum += v * v
			n++
		}
	}
	if n == 0 {
		return 1
	}
	return math.Sqrt(max(sum/n-sigmaV*sigmaV, 0.01*sum/n, tiny*tiny))
}

// maxSpeed is the largest measured speed.
func maxSpeed(scans []mtt.Scan) float64 {
	var most float64
	for t := range scans {
		for i := range scans[t].Len() {
			var s float64
			for _, v := range scans[t].VelAt(i) {
				s += v * v
			}
			most = max(most, s)
		}
	}
	return math.Sqrt(most)
}

// Velocities reports whether scans measure velocities.
func Velocities(scans []mtt.Scan) bool {
	for t := range scans {
		if scans[t].Len() > 0 {
			return scans[t].Vel != nil
		}
	}
	return false
}
