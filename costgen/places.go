package costgen

import (
	"math"

	"mtt"
)

// This file learns and prices where targets come and go, and what confidence is worth.

// Places say where targets come and go: at borders and doors, or anywhere. Births is the log
// of the odds that a detection at a place is the first of its target, relative to those of
// all places together; Deaths, that it is the last. So a turn on the spot competes with a
// death and a birth at that very place.
type Places struct {
	Births, Deaths *Map // nil: as anywhere
}

// A Map is a function of the place, constant in each of the cells that a box is halved
// into, axis by axis and again and again.
type Map struct {
	Min, Max []float64 // m: the box; outside of it the nearest place in it counts
	Nodes    []MapNode // the first is the root
}

// A MapNode is a cell, or the parent of two.
type MapNode struct {
	Axis  int     // that is halved; -1: none, a cell
	Lower int32   // index of the lower half, after which the upper follows
	Value float64 // of a cell
}

// At is the value at x, whose length is that of Min.
func (m *Map) At(x []float64) float64 {
	var lo, hi [3]float64
	copy(lo[:], m.Min)
	copy(hi[:], m.Max)
	n := &m.Nodes[0]
	for n.Axis >= 0 {
		k := n.Axis
		if mid := (lo[k] + hi[k]) / 2; x[k] < mid {
			hi[k], n = mid, &m.Nodes[n.Lower]
		} else {
			lo[k], n = mid, &m.Nodes[n.Lower+1]
		}
	}
	return n.Value
}

// suspect changes the prices of false alarms of s by the confidence in them.
func suspect(dst []Ends, s *mtt.Scan, m *Map) {
	for i, c := range s.Conf {
		dst[i].Clutter -= m.At([]float64{c})
	}
}

// shift changes the prices of ends at the detections of s, where a target survives with
// the given probability elsewhere. A detection whose target survives costs nothing there,
// so that here, where it does so with another, Death and Clutter make up for it.
func (p *Places) shift(dst []Ends, s *mtt.Scan, survive float64) {
	for i := range s.Len() {
		x := s.At(i)
		if p.Births != nil {
			dst[i].Birth -= p.Births.At(x)
		}
		if p.Deaths != nil {
			odds := p.Deaths.At(x)
			dst[i].Death -= odds
			dst[i].Clutter -= math.Log(survive + (1-survive)*math.Exp(odds))
		}
	}
}

// FitPlaces learns from tracks of scans where targets come and go; it is nil where there
// is nothing to learn from: no track begins after the first scan or ends before the last.
//
// Each detection of a track is one of its ends or not, at a rate that depends on the place.
// A map is the average over all ways to halve the box of the detections again and
// again, axes in turn, each weighted by how probable it makes what was seen, with an even
// chance at every cell that it is halved once more, and one detection at the rate of
// the whole added to each cell: context tree weighting [1], which takes the time of one tree.
// So nothing is to be chosen, and a few births, or births anywhere, leave the map flat. Cells
// are not halved below the given size, in m. The time is O(n log n).
//
// [1] Willems, Shtarkov, Tjalkens. The context-tree weighting method: basic properties. IEEE
// Transactions on Information Theory 41(3), 1995.
func FitPlaces(scans []mtt.Scan, tracks []mtt.Track, size float64) *Places {
	if len(scans) < 3 {
		return nil
	}
	first, last := scans[0].Frame, scans[len(scans)-1].Frame
	dim := 0
	var births, onward, deaths, stays []float64 // positions
	for i := range tracks {
		tr := &tracks[i]
		n := len(tr.Hits)
		if n < 2 {
			continue
		}
		dim = tr.Dim
		for h := range tr.Hits {
			if h > 0 {
				onward = append(onward, tr.At(h)...)
			} else if tr.Hits[h].Frame != first {
				births = append(births, tr.At(h)...)
			}
			if h < n-1 {
				stays = append(stays, tr.At(h)...)
			} else if tr.Hits[h].Frame != last {
				deaths = append(deaths, tr.At(h)...)
			}
		}
	}
	if len(births) == 0 && len(deaths) == 0 {
		return nil
	}
	least, most := box(scans, dim)
	return &Places{Births: fitMap(least, most, births, onward, size), Deaths: fitMap(least, most, deaths, stays, size)}
}

// FitConfidence learns from tracks of scans what a detector's confidence is worth: the log of
// the odds that a detection of a confidence is false, one that is in no track, relative to
// those of all. It is nil where scans have no confidence, or nothing is false. The map is
// learnt as those of [FitPlaces] are, along one axis.
func FitConfidence(scans []mtt.Scan, tracks []mtt.Track) *Map {
	index := make(map[int]int, len(scans))
	used := make([][]bool, len(scans))
	for t := range scans {
		index[scans[t].Frame], used[t] = t, make([]bool, scans[t].Len())
	}
	for i := range tracks {
		for _, h := range tracks[i].Hits {
			used[index[h.Frame]][h.Det] = len(tracks[i].Hits) > 1
		}
	}
	var right, wrong []float64
	least, most := math.Inf(1), math.Inf(-1)
	for t := range scans {
		for i, c := range scans[t].Conf {
			if least, most = min(least, c), max(most, c); used[t][i] {
				right = append(right, c)
			} else {
				wrong = append(wrong, c)
			}
		}
	}
	if len(right) == 0 || most == least {
		return nil
	}
	return fitMap([]float64{least}, []float64{most}, wrong, right, (most-least)/1000)
}

// box is the bounding box of all detections.
func box(scans []mtt.Scan, dim int) (least, most []float64) {
	least, most = make([]float64, dim), make([]float64, dim)
	for k := range dim {
		least[k], most[k] = math.Inf(1), math.Inf(-1)
	}
	for t := range scans {
		for i := range scans[t].Len() {
			for k, x := range scans[t].At(i) {
				least[k], most[k] = min(least[k], x), max(most[k], x)
			}
		}
	}
	return least, most
}

// anywhere is the share of births and deaths that may be anywhere: the tracks that a map is
// learnt from err too. It bounds what the map can cost where it is wrong, to log 10 nat.
const anywhere = 0.1

// alike are values, in nat, of two halves that are one cell.
const alike = 0.01

// fitMap makes the map of events among trials, the others of which were none; nil where
// there are no events. It reorders them.
func fitMap(least, most, events, others []float64, size float64) *Map {
	if len(events) == 0 {
		return nil
	}
	g := &growth{dim: len(least), size: size, m: &Map{Min: least, Max: most, Nodes: make([]MapNode, 1)}}
	g.rate = float64(len(events)) / float64(len(events)+len(others))
	copy(g.lo[:], least)
	copy(g.hi[:], most)
	g.settle(0, g.grow(events, others, -1), 0, 1)
	return g.m
}

// A growth makes a map.
type growth struct {
	m      *Map
	dim    int
	size   float64 // m: of the smallest cell
	rate   float64 // of events, over all places
	lo, hi [3]float64
}

// A cell is one of the tree that is averaged over.
type cell struct {
	axis         int
	lower, upper *cell   // nil: it is not halved
	whole        float64 // probability that it is not halved, given what was seen
	log          float64 // log probability of what was seen in it
	rate         float64 // of events, when it is not halved
}

// grow makes the tree of the cell lo … hi, whose parent was halved along an axis.
func (g *growth) grow(events, others []float64, axis int) *cell {
	n, o := float64(len(events)/g.dim), float64(len(others)/g.dim)
	c := &cell{
		whole: 1, rate: (n + g.rate) / (n + o + 1),
		log: logBeta(n+g.rate, o+1-g.rate) - logBeta(g.rate, 1-g.rate),
	}
	axis = g.next(axis)
	if n == 0 || o == 0 || axis < 0 { // where all is alike there are no halves to tell apart
		return c
	}
	c.axis = axis
	lo, hi := g.lo[axis], g.hi[axis]
	mid := (lo + hi) / 2
	events, above := cut(events, g.dim, axis, mid)
	others, aboveOthers := cut(others, g.dim, axis, mid)
	g.hi[axis] = mid
	c.lower = g.grow(events, others, axis)
	g.lo[axis], g.hi[axis] = mid, hi
	c.upper = g.grow(above, aboveOthers, axis)
	g.lo[axis] = lo
	d := c.lower.log + c.upper.log - c.log // halved against whole, whose probabilities are averaged
	c.whole = 1 / (1 + math.Exp(d))
	c.log += math.Log1p(math.Exp(-math.Abs(d))) - math.Ln2 + max(0, d)
	return c
}

// next is the axis to halve after axis, one whose halves are not too small; −1: none.
func (g *growth) next(axis int) int {
	for range g.dim {
		axis = (axis + 1) % g.dim
		if side := g.hi[axis] - g.lo[axis]; side >= 2*g.size && side > 0 {
			return axis
		}
	}
	return -1
}

// cut parts points by a coordinate; it reorders them.
func cut(points []float64, dim, axis int, mid float64) (below, above []float64) {
	n := 0
	for at := 0; at < len(points); at += dim {
		if points[at+axis] < mid {
			for k := range dim {
				points[n+k], points[at+k] = points[at+k], points[n+k]
			}
			n += dim
		}
	}
	return points[:n], points[n:]
}

// settle makes node at of cell c. With probability rest no cell above it is left whole; the
// rates of those that are, times their probabilities, add up to sum.
func (g *growth) settle(at int32, c *cell, sum, rest float64) {
	sum += rest * c.whole * c.rate
	if rest *= 1 - c.whole; c.lower == nil || rest < 1e-6 {
		p := (1-anywhere)*(sum+rest*c.rate) + anywhere*g.rate
		g.m.Nodes[at] = MapNode{Axis: -1, Value: math.Log(p * (1 - g.rate) / (g.rate * (1 - p)))}
		return
	}
	lower := int32(len(g.m.Nodes))
	g.m.Nodes = append(g.m.Nodes, MapNode{}, MapNode{})
	g.m.Nodes[at] = MapNode{Axis: c.axis, Lower: lower}
	g.settle(lower, c.lower, sum, rest)
	g.settle(lower+1, c.upper, sum, rest)
	if a, b := &g.m.Nodes[lower], &g.m.Nodes[lower+1]; a.Axis < 0 && b.Axis < 0 && math.Abs(a.Value-b.Value) < alike {
		g.m.Nodes[at] = MapNode{Axis: -1, Value: (a.Value + b.Value) / 2}
		g.m.Nodes = g.m.Nodes[:lower] // the two were the last
	}
}

// logBeta is the logarithm of the beta function.
func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}
