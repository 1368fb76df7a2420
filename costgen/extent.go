package costgen

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/floats"

	"mtt"
)

// This file learns how large the field is from scan to scan.
//
// Problem. False alarms may lie where the targets are, as those of a tracker's own window do, or in the view of a sensor that zooms: closely in one scan, a hundred times as
// widely in another. A density of places, the same at all times, or of boxes in place and time, which move as the field does, says little of it.
//
// Idea. The box of all detections of a scan says how large the field is at that time. Of n points spread evenly along W the range R has, with R/W of the beta distribution of n−1 and 2,
// an expected logarithm of log W − 1/(n−1) − 1/n and a variance of 1/(n−1)² + 1/n² about it. So the logarithm of the volume is observed once a scan with an error that is known, and it is
// taken to walk at random, with the rate under which the observations are likeliest [1]; at rate 0 where another one is not likelier by half the logarithm of the number of scans.
//
// Invariant. A field whose boxes differ by no more than chance has the same volume in each scan.
//
// Cost. Linear in the detections; some twenty filters along the scans.
//
// [1] A. C. Harvey. Forecasting, structural time series models and the Kalman filter. Cambridge, 1989: the local level model.

// extents are the logarithms of the volume of the field in each scan, sides being no shorter than least; nil: it stays the same.
func extents(scans []mtt.Scan, least float64) []float64 {
	var at []int // scans that say something
	var seen, variance []float64
	for t := range scans {
		n := float64(scans[t].Len())
		if n < 2 {
			continue
		}
		dim := scans[t].Dim
		lo, hi := box(scans[t:t+1], dim)
		var sum float64
		for k := range dim {
			sum += math.Log(max(hi[k]-lo[k], least)) + 1/(n-1) + 1/n
		}
		at, seen = append(at, t), append(seen, sum)
		variance = append(variance, float64(dim)*(1/((n-1)*(n-1))+1/(n*n)))
	}
	if len(at) < 3 {
		return nil
	}
	w := walked{time: func(k int) float64 { return scans[at[k]].Time }, seen: seen, variance: variance}
	rate, most := 0.0, w.filter(0)+math.Log(float64(len(at)))/2
	scale := (w.time(len(at)-1) - w.time(0)) / float64(len(at)-1)
	for k := -10; k <= 10; k++ {
		q := math.Ldexp(variance[len(at)/2]/scale, k)
		if nats := w.filter(q); nats > most {
			rate, most = q, nats
		}
	}
	if rate == 0 {
		return nil
	}
	w.filter(rate)
	w.smooth(rate)
	all, k := make([]float64, len(scans)), 0
	for t := range scans {
		if k+1 < len(at) && at[k+1] <= t {
			k++
		}
		all[t] = w.mean[k]
	}
	return all
}

// A walked is a level that walks at random and is seen with errors.
type walked struct {
	time           func(k int) float64
	seen, variance []float64
	mean, spread   []float64 // of the level, as it was filtered or smoothed
}

// filter goes along the observations with a rate of the walk, variance over time, and returns their log likelihood but for a constant; of the first nothing is known before.
func (w *walked) filter(rate float64) (nats float64) {
	w.mean, w.spread = append(w.mean[:0], w.seen[0]), append(w.spread[:0], w.variance[0])
	for k := 1; k < len(w.seen); k++ {
		p := w.spread[k-1] + rate*(w.time(k)-w.time(k-1))
		s, d := p+w.variance[k], w.seen[k]-w.mean[k-1]
		nats -= (math.Log(s) + d*d/s) / 2
		w.mean, w.spread = append(w.mean, w.mean[k-1]+p/s*d), append(w.spread, p*w.variance[k]/s)
	}
	return nats
}

// smooth goes back from the last.
func (w *walked) smooth(rate float64) {
	for k := len(w.seen) - 2; k >= 0; k-- {
		gain := w.spread[k] / (w.spread[k] + rate*(w.time(k+1)-w.time(k)))
		w.mean[k] += gain * (w.mean[k+1] - w.mean[k])
	}
}

// byTime is the map of those detections of scans that are linked, or of those that are not, where they lie evenly in a field that has a volume of its own in each scan, of which the
// logarithms are given, and are more at some times than at others. log is how likely they are, relative to as many in one volume at all times, so far apart as the box of all is larger.
// g is how these times are told apart.
func (g *growth) byTime(scans []mtt.Scan, used [][]bool, linked bool, volumes []float64, volume, apart float64) (m *Map, log float64) {
	least, most := box(scans, scans[0].Dim)
	first, last := scans[0].Time, scans[len(scans)-1].Time
	var times []float64 // of the detections
	for t := range scans {
		for _, u := range used[t] {
			if u == linked {
				times, log = append(times, scans[t].Time), log+volume-volumes[t]
			}
		}
	}
	often := growth{whole: g.whole, halved: g.halved, says: math.Log}
	often.axis(first, last, (last-first)/float64(len(scans)-1))
	c := often.grow(times, nil, -1)
	of := often.make(c)
	values := make([]float64, len(scans))
	for t := range scans {
		density := math.Exp(of.At([]float64{scans[t].Time}) + volume - volumes[t])
		values[t] = math.Log((1-anywhere)*density + anywhere*math.Exp(-apart))
	}
	m = &Map{Min: append(least, first), Max: append(most, last), Nodes: make([]MapNode, 1)}
	m.along(0, scans, values, first, last)
	return m, log + c.log
}

// along makes the node at of the values at the times of scans, in the cell from … to of time. A half without scans has the value of the nearest.
func (m *Map) along(at int32, scans []mtt.Scan, values []float64, from, to float64) {
	mid := (from + to) / 2
	if floats.Max(values)-floats.Min(values) < alike || !(from < mid && mid < to) {
		m.Nodes[at] = MapNode{Axis: -1, Value: floats.Sum(values) / float64(len(values))}
		return
	}
	n := sort.Search(len(scans), func(t int) bool { return scans[t].Time >= mid })
	below, above := min(max(n, 1), len(scans)), min(n, len(scans)-1)
	lower := int32(len(m.Nodes))
	m.Nodes = append(m.Nodes, MapNode{}, MapNode{})
	m.Nodes[at] = MapNode{Axis: len(m.Min) - 1, Lower: lower}
	m.along(lower, scans[:below], values[:below], from, mid)
	m.along(lower+1, scans[above:], values[above:], mid, to)
}
