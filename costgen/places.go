package costgen

import (
	"cmp"
	"math"
	"slices"

	"mtt"
	"mtt/internal/slab"
)

// This file learns and prices where targets come and go, where false alarms lie, and what
// confidence is worth.

// Places say where targets come and go, at borders and doors or anywhere, and where false
// alarms lie. Births is the log
// of the odds that a detection at a place is the first of its target, relative to those of
// all places together; Deaths, that it is the last. So a turn on the spot competes with a
// death and a birth at that very place.
type Places struct {
	Births, Deaths *Map // nil: as anywhere

	// Clutter is the log of the density of false alarms, relative to that of as many
	// anywhere in the Volume of Rates. It may depend on the time too.
	Clutter *Map

	// Targets is likewise the log of the density of targets: of where births are, times what
	// Births says.
	Targets *Map
}

// A Map is a function of the place, or of place and time, constant in each of the cells that a
// box is halved into, axis by axis and again and again.
type Map struct {
	Min, Max []float64 // m, time in s: the box; outside of it the nearest place in it counts
	Nodes    []MapNode // the first is the root
}

// A MapNode is a cell, or the parent of two.
type MapNode struct {
	Axis  int     // that is halved; -1: none, a cell
	Lower int32   // index of the lower half, after which the upper follows
	Value float64 // of a cell
}

// At is the value at x, which is at least as long as Min.
func (m *Map) At(x []float64) float64 {
	var lo, hi [4]float64
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
		var x [4]float64
		x[copy(x[:], s.At(i))] = s.Time
		if p.Clutter != nil {
			dst[i].Clutter -= p.Clutter.At(x[:])
		}
		if p.Targets != nil {
			density := p.Targets.At(x[:])
			dst[i].Birth -= density
			dst[i].First -= density
		}
		if p.Births != nil {
			dst[i].Birth -= p.Births.At(x[:])
		}
		if p.Deaths != nil {
			odds := p.Deaths.At(x[:])
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
// are not halved below the given size, in m. The time is O(n log n). Where scans are of several
// windows these say so: tracks begin and end with each.
//
// [1] Willems, Shtarkov, Tjalkens. The context-tree weighting method: basic properties. IEEE
// Transactions on Information Theory 41(3), 1995.
func FitPlaces(scans []mtt.Scan, tracks []mtt.Track, size float64, windows ...[]mtt.Scan) *Places {
	if len(scans) < 3 {
		return nil
	}
	if windows == nil {
		windows = [][]mtt.Scan{scans}
	}
	first, last := make(map[int]bool), make(map[int]bool) // frames
	for _, w := range windows {
		first[w[0].Frame], last[w[len(w)-1].Frame] = true, true
	}
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
			} else if !first[tr.Hits[h].Frame] {
				births = append(births, tr.At(h)...)
			}
			if h < n-1 {
				stays = append(stays, tr.At(h)...)
			} else if !last[tr.Hits[h].Frame] {
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
	used := Linked(scans, tracks)
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

// anywhere is the share of births, deaths and false alarms that may be anywhere: the tracks that a map is
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
	rate := float64(len(events)) / float64(len(events)+len(others)) // over all places
	g := newGrowth(least, most, size)
	g.whole = func(n, o float64) (log, value float64, alike bool) {
		log = logBeta(n+rate, o+1-rate) - logBeta(rate, 1-rate)
		return log, (n + rate) / (n + o + 1), n == 0 || o == 0
	}
	g.halved = func(float64, float64) (log float64, shares [2]float64) { return 0, [2]float64{1, 1} }
	g.says = func(p float64) float64 {
		p = (1-anywhere)*p + anywhere*rate
		return math.Log(p * (1 - rate) / (rate * (1 - p)))
	}
	return g.make(g.grow(events, others, -1))
}

// FitClutter learns where false alarms lie: the detections of scans that are in no track with
// others. It is nil where they may as well lie anywhere in a volume, in m² or m³, that of
// one scan. What the map says of those that it is learnt from is likelier than it should be, by so
// many nats.
//
// As with [FitPlaces] all ways to halve a box again and again are averaged over: here the box
// of all detections, where a point is in the lower half at a rate of which nothing is known but
// what the others say, or evenly anywhere (the optional Pólya tree [1], its axes in turn). Time is an
// axis or is not, whatever makes the points likelier; it is not where scans are of several windows, as
// a map of these times says nothing of those between. The time is O(n log n).
//
// [1] Wong, Ma. Optional Pólya tree and Bayesian inference. Annals of Statistics 38(3), 2010.
func FitClutter(scans []mtt.Scan, tracks []mtt.Track, size, volume float64, windows ...[]mtt.Scan) (m *Map, nats float64) {
	used := Linked(scans, tracks)
	var points, timed []float64
	for t := range scans {
		s := &scans[t]
		for i := range s.Len() {
			if !used[t][i] {
				points = append(append(points, s.At(i)...), 1)
				timed = append(append(timed, s.At(i)...), s.Time, 1)
			}
		}
	}
	return fitDensity(scans, points, timed, size, volume, len(windows) < 2)
}

// FitTargets learns where targets are, from the detections that are in tracks with others, as
// [FitClutter] does. Those of a track lie where its target goes, and say of other targets as much as
// one detection does: each has its share of that. Were all to count as if they were of targets of
// their own, the map would say little more than where these tracks are, and of two parts of a broken
// one that the second is likely born there.
func FitTargets(scans []mtt.Scan, tracks []mtt.Track, size, volume float64, windows ...[]mtt.Scan) (m *Map, nats float64) {
	at := make(map[int]float64, len(scans)) // times of frames
	for t := range scans {
		at[scans[t].Frame] = scans[t].Time
	}
	var points, timed []float64
	for i := range tracks {
		tr := &tracks[i]
		n := len(tr.Hits)
		if n < 2 {
			continue
		}
		for h := range tr.Hits {
			points = append(append(points, tr.At(h)...), 1/float64(n))
			timed = append(append(timed, tr.At(h)...), at[tr.Hits[h].Frame], 1/float64(n))
		}
	}
	return fitDensity(scans, points, timed, size, volume, len(windows) < 2)
}

// fitDensity learns the density of points of scans in space or, where that may be, of timed ones in
// space and time. Each has its weight after its coordinates.
func fitDensity(scans []mtt.Scan, points, timed []float64, size, volume float64, timely bool) (m *Map, nats float64) {
	if len(points) == 0 {
		return nil, 0
	}
	dim := 0
	for t := range scans {
		dim = max(dim, scans[t].Dim)
	}
	least, most := box(scans, dim)
	apart := -math.Log(volume) // log of how many volumes there are in the box
	for k := range dim {
		apart += math.Log(max(most[k]-least[k], size))
	}
	g := newGrowth(least, most, size)
	g.weighed = true
	g.whole = func(n, _ float64) (log, value float64, alike bool) { return 0, 1, n <= 1 }
	g.halved = func(below, above float64) (log float64, shares [2]float64) {
		n := below + above
		log = n*math.Ln2 + logBeta(below+0.5, above+0.5) - logBeta(0.5, 0.5)
		return log, [2]float64{2 * (below + 0.5) / (n + 1), 2 * (above + 0.5) / (n + 1)}
	}
	g.says = func(density float64) float64 { return math.Log((1-anywhere)*density+anywhere) - apart }
	best := g.grow(points, nil, -1)
	if last := len(scans) - 1; timely && last > 0 {
		h := *g
		h.axis(scans[0].Time, scans[last].Time, (scans[last].Time-scans[0].Time)/float64(last))
		if c := h.grow(timed, nil, -1); c.log > best.log {
			g, best, points = &h, c, timed
		}
	}
	dim = len(g.m.Min)
	nats = best.events*apart - best.log
	if nats > 0 {
		return nil, 0
	}
	m = g.make(best)
	for at := 0; at < len(points); at += dim + 1 {
		nats += points[at+dim] * m.At(points[at:at+dim])
	}
	return m, nats
}

// Linked marks the detections of scans that are in a track with others. Frames ascend in scans and
// in each track.
func Linked(scans []mtt.Scan, tracks []mtt.Track) [][]bool {
	used := slab.Parts[bool](len(scans), func(t int) int { return scans[t].Len() })
	for i := range tracks {
		t := 0
		for k, h := range tracks[i].Hits {
			if k == 0 {
				t, _ = slices.BinarySearchFunc(scans, h.Frame, func(s mtt.Scan, frame int) int { return cmp.Compare(s.Frame, frame) })
			}
			for scans[t].Frame < h.Frame {
				t++
			}
			used[t][h.Det] = len(tracks[i].Hits) > 1
		}
	}
	return used
}

// A growth makes a map of points of two kinds: events and others.
type growth struct {
	m            Map
	lo, hi, size [4]float64 // the cell at hand, and the least side of one
	weighed      bool       // each point has its weight after its coordinates; else that is 1

	// whole says of a cell that is not halved, of the numbers of points in it, how probable
	// they are, the value of the map there, and whether there are no halves to tell apart.
	whole func(events, others float64) (log, value float64, alike bool)

	// halved says of the numbers of events in the halves of a cell how probable these are, and
	// what the values there are to be multiplied with.
	halved func(below, above float64) (log float64, shares [2]float64)

	says func(value float64) float64 // what the map is to say
}

func newGrowth(least, most []float64, size float64) *growth {
	g := &growth{}
	for k := range least {
		g.axis(least[k], most[k], size)
	}
	return g
}

// axis adds an axis to the box.
func (g *growth) axis(least, most, size float64) {
	k := len(g.m.Min)
	g.m.Min, g.m.Max = append(slices.Clip(g.m.Min), least), append(slices.Clip(g.m.Max), most)
	g.lo[k], g.hi[k], g.size[k] = least, most, size
}

// A cell is one of the tree that is averaged over.
type cell struct {
	axis         int
	lower, upper *cell      // nil: it is not halved
	shares       [2]float64 // what their values are multiplied with
	events       float64
	whole        float64 // probability that it is not halved, given what was seen
	log          float64 // log probability of what was seen in it
	value        float64 // when it is not halved
}

// grow makes the tree of the cell lo … hi, whose parent was halved along an axis.
func (g *growth) grow(events, others []float64, axis int) *cell {
	dim := len(g.m.Min)
	if g.weighed {
		dim++
	}
	c := &cell{whole: 1, events: g.count(events, dim)}
	var alike bool
	c.log, c.value, alike = g.whole(c.events, g.count(others, dim))
	axis = g.next(axis)
	if alike || axis < 0 {
		return c
	}
	c.axis = axis
	lo, hi := g.lo[axis], g.hi[axis]
	mid := (lo + hi) / 2
	events, above := cut(events, dim, axis, mid)
	others, aboveOthers := cut(others, dim, axis, mid)
	g.hi[axis] = mid
	c.lower = g.grow(events, others, axis)
	g.lo[axis], g.hi[axis] = mid, hi
	c.upper = g.grow(above, aboveOthers, axis)
	g.lo[axis] = lo
	var log float64
	log, c.shares = g.halved(c.lower.events, c.upper.events)
	d := log + c.lower.log + c.upper.log - c.log // halved against whole, whose probabilities are averaged
	c.whole = 1 / (1 + math.Exp(d))
	c.log += math.Log1p(math.Exp(-math.Abs(d))) - math.Ln2 + max(0, d)
	return c
}

// count is the weight of points of so many numbers each.
func (g *growth) count(points []float64, each int) (n float64) {
	if !g.weighed {
		return float64(len(points) / each)
	}
	for at := each - 1; at < len(points); at += each {
		n += points[at]
	}
	return n
}

// next is the axis to halve after axis, one whose halves are not too small; −1: none.
func (g *growth) next(axis int) int {
	for range g.m.Min {
		axis = (axis + 1) % len(g.m.Min)
		lo, hi := g.lo[axis], g.hi[axis]
		if mid := (lo + hi) / 2; hi-lo >= 2*g.size[axis] && lo < mid && mid < hi { // where nothing says the least side it is that of numbers
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

// make is the map of a tree.
func (g *growth) make(c *cell) *Map {
	g.m.Nodes = make([]MapNode, 1)
	g.settle(0, c, 0, 1)
	return &g.m
}

// settle makes node at of cell c. With probability rest no cell above it is left whole, times
// what values below are multiplied with; the values of those that are, times their
// probabilities, add up to sum.
func (g *growth) settle(at int32, c *cell, sum, rest float64) {
	sum += rest * c.whole * c.value
	if rest *= 1 - c.whole; c.lower == nil || rest < 1e-6 {
		g.m.Nodes[at] = MapNode{Axis: -1, Value: g.says(sum + rest*c.value)}
		return
	}
	lower := int32(len(g.m.Nodes))
	g.m.Nodes = append(g.m.Nodes, MapNode{}, MapNode{})
	g.m.Nodes[at] = MapNode{Axis: c.axis, Lower: lower}
	g.settle(lower, c.lower, sum, rest*c.shares[0])
	g.settle(lower+1, c.upper, sum, rest*c.shares[1])
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
