package learn

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mtt"
)

// This file tells velocities that were worked out from positions.
//
// Problem. Many files give each position a velocity that is the difference of two positions of its
// track. It repeats what positions say, and so precisely that what targets do from scan to scan looks
// like a sharp turn each time: twenty times as many links of seq_eth are wrong as without.
//
// Idea. A difference leads from a detection to another exactly: from this one to the next, from the
// last one to this one, or from the last one to the next. What is measured does so by chance only.
//
// Cost. A pass over as many scans as levels are learnt from.

// repeated says what is wrong with velocities that are differences of positions.
const repeated = "they are differences of positions, and say nothing that these do not"

// derived reports whether most of the velocities, where targets move, are differences of positions.
func (o *Options) derived(scans []mtt.Scan) bool {
	if o.Levels != nil || o.Cost != nil || o.SigmaV > 0 || len(o.alone().Sensors) > 0 || len(scans) < 3 || !Velocities(scans) || partial(scans) {
		return false
	}
	scans = window(scans, enough, dozen)
	places := make([]sorted, len(scans))
	for t := range scans {
		places[t] = byFirst(&scans[t])
	}
	var moving float64
	var led [3]float64 // to the next, from the last, between both
	for t := 1; t+1 < len(scans); t++ {
		last, s, next := &scans[t-1], &scans[t], &scans[t+1]
		before, after := s.Time-last.Time, next.Time-s.Time
		for i := range s.Len() {
			x, v := s.At(i), s.VelAt(i)
			step := floats.Norm(v, 2) * min(before, after)
			if step == 0 {
				continue
			}
			const exact = 0.003 // of a step, as the least noise is
			moving++
			if places[t+1].nearest(x, v, after, exact*step) {
				led[0]++
			}
			if places[t-1].nearest(x, v, -before, exact*step) {
				led[1]++
			}
			for _, j := range places[t-1].within(x, 3*step) {
				if places[t+1].nearest(last.At(int(j)), v, before+after, exact*step) {
					led[2]++
					break
				}
			}
		}
	}
	return 2*slices.Max(led[:]) > moving
}

// A sorted scan is one whose detections are in order of their first coordinate.
type sorted struct {
	scan  *mtt.Scan
	order []int32
}

func byFirst(s *mtt.Scan) sorted {
	order := make([]int32, s.Len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(s.At(int(i))[0], s.At(int(j))[0]) })
	return sorted{s, order}
}

// within are detections that are no farther than reach from x.
func (s sorted) within(x []float64, reach float64) (found []int32) {
	k, _ := slices.BinarySearchFunc(s.order, x[0]-reach, func(j int32, x float64) int { return cmp.Compare(s.scan.At(int(j))[0], x) })
	for ; k < len(s.order) && s.scan.At(int(s.order[k]))[0] <= x[0]+reach; k++ {
		if distance(x, s.scan.At(int(s.order[k]))) <= reach {
			found = append(found, s.order[k])
		}
	}
	return found
}

// nearest reports whether a detection lies within reach of where velocity v leads from x in a time.
func (s sorted) nearest(x, v []float64, time, reach float64) bool {
	var at [3]float64
	for d := range x {
		at[d] = x[d] + time*v[d]
	}
	return len(s.within(at[:len(x)], reach)) > 0
}
