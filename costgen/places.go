package costgen

import (
	"math"

	"mtt"
)

// This file learns and prices where targets come and go.

// Places say where targets come and go: at borders and doors, or anywhere. Births is the
// log of the density of births at a place, relative to one that is the same everywhere;
// Deaths, of the odds of a death at a place, relative to those of all places together. A turn on the spot competes
// with a death and a birth at that very place.
type Places struct {
	Births, Deaths *Map
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
// Both maps are averages over all ways to halve the box of the detections again and again,
// axes in turn, each weighted by how probable it makes what was seen, with an even chance
// at every cell that it is halved once more: so nothing is to be chosen, and a few births
// or ones that are spread evenly leave the map flat. For the density of births this is the
// optional Pólya tree [1], with half a birth added to each half of a cell; for deaths,
// each detection of a track being the last or not, context tree weighting [2], with one
// detection at the rate of the whole added. Cells are not halved below the given size, in
// m. The time is O(n log n).
//
// [1] Wong, Ma. Optional Pólya tree and Bayesian inference. Annals of Statistics 38 (2010).
//
// [2] Willems, Shtarkov, Tjalkens. The context-tree weighting method. IEEE Transactions on
// Information Theory 41 (1995).
func FitPlaces(scans []mtt.Scan, tracks []mtt.Track, size float64) *Places {
	if len(scans) < 3 {
		return nil
	}
	first, last := scans[0].Frame, scans[len(scans)-1].Frame
	f := fitter{size: size}
	var births, stays, deaths []float64 // positions
	for i := range tracks {
		tr := &tracks[i]
		n := len(tr.Hits)
		if n < 2 {
			continue
		}
		f.dim = len(tr.At(0))
		if tr.Hits[0].Frame != first {
			births = append(births, tr.At(0)...)
		}
		for h := range tr.Hits {
			switch {
			case h < n-1:
				stays = append(stays, tr.At(h)...)
			case tr.Hits[h].Frame != last:
				deaths = append(deaths, tr.At(h)...)
			}
		}
	}
	if len(births) == 0 && len(deaths) == 0 {
		return nil
	}
	min, max := box(scans, f.dim)
	p := &Places{}
	if len(births) > 0 {
		p.Births = f.fit(min, max, births, nil, 0)
	}
	if len(deaths) > 0 {
		p.Deaths = f.fit(min, max, deaths, stays, float64(len(deaths))/float64(len(deaths)+len(stays)))
	}
	return p
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
				least[k], most[k] = math.Min(least[k], x), math.Max(most[k], x)
			}
		}
	}
	return least, most
}

// A fitter makes a map of points, or of how often events happened among trials.
type fitter struct {
	dim  int
	size float64 // m: of the smallest cell
	rate float64 // of events; 0: there are no trials, the map is a density
	m    *Map
}

// fit makes the map of events, which is that of their density relative to an even one; or,
// where there are others that were none, of log odds relative to those of rate.
func (f *fitter) fit(least, most []float64, events, others []float64, rate float64) *Map {
	f.rate, f.m = rate, &Map{Min: least, Max: most, Nodes: make([]MapNode, 1)}
	g := &growth{fitter: f}
	copy(g.lo[:], least)
	copy(g.hi[:], most)
	g.settle(0, g.grow(events, others, -1), 1, 0, 1)
	return f.m
}

// growth is the box of the cell at work.
type growth struct {
	*fitter
	lo, hi [3]float64
}

// anywhere is the share of births and deaths that may be anywhere: the tracks that a map is
// learnt from err too. It bounds what the map can cost where it is wrong, to log 10 nat.
const anywhere = 0.1

// A cell is one of the tree that is averaged over.
type cell struct {
	axis         int
	lower, upper *cell   // nil: it is not halved
	stop         float64 // probability that it is not halved, given what was seen
	log          float64 // log probability of what was seen in it; of a density, relative to an even one
	value        float64 // what it says when it is not halved: density relative to its parent's, or rate
}

// grow makes the tree of a cell.
func (g *growth) grow(events, others []float64, axis int) *cell {
	n, o := float64(len(events)/g.dim), float64(len(others)/g.dim)
	c := &cell{stop: 1, value: 1}
	if g.rate > 0 {
		c.value = (n + g.rate) / (n + o + 1)
		c.log = logBeta(n+g.rate, o+1-g.rate) - logBeta(g.rate, 1-g.rate)
	}
	// A cell in which nothing, or everything, or but one thing happened has no halves to tell apart.
	if n == 0 || g.rate > 0 && o == 0 || n+o < 2 || g.rate == 0 && n < 2 {
		return c
	}
	axis, ok := g.next(axis)
	if !ok {
		return c
	}
	c.axis = axis
	mid := (g.lo[axis] + g.hi[axis]) / 2
	events, above := cut(events, g.dim, axis, mid)
	others, aboveOthers := cut(others, g.dim, axis, mid)
	hi := g.hi[axis]
	g.hi[axis] = mid
	c.lower = g.grow(events, others, axis)
	g.hi[axis] = hi
	lo := g.lo[axis]
	g.lo[axis] = mid
	c.upper = g.grow(above, aboveOthers, axis)
	g.lo[axis] = lo
	halved := c.lower.log + c.upper.log
	if g.rate == 0 {
		below := float64(len(events) / g.dim)
		up := float64(len(above) / g.dim)
		c.lower.value, c.upper.value = (2*below+1)/(n+1), (2*up+1)/(n+1)
		halved += logBeta(below+0.5, up+0.5) - logBeta(0.5, 0.5) + n*math.Ln2
	}
	d := halved - c.log // the two are averaged, their exponentials that is
	c.stop = 1 / (1 + math.Exp(d))
	c.log += math.Log1p(math.Exp(-math.Abs(d))) - math.Ln2 + math.Max(0, d)
	return c
}

// next is the axis to halve after axis, one whose halves are not too small.
func (g *growth) next(axis int) (int, bool) {
	for range g.dim {
		axis = (axis + 1) % g.dim
		if g.hi[axis]-g.lo[axis] >= 2*g.size && g.hi[axis] > g.lo[axis] {
			return axis, true
		}
	}
	return 0, false
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

// settle makes node at of cell c, whose density relative to that of the whole is scale.
// With probability rest no cell above is the last that is halved; those that are add up to sum.
func (g *growth) settle(at int32, c *cell, scale, sum, rest float64) {
	value := c.value
	if g.rate == 0 {
		scale *= c.value
		value = scale
	}
	sum += rest * c.stop * value
	if rest *= 1 - c.stop; c.lower == nil || rest < 1e-6 {
		sum += rest * value
		if g.rate > 0 {
			sum = (1-anywhere)*sum + anywhere*g.rate
			sum *= (1 - g.rate) / (g.rate * (1 - sum))
		} else {
			sum = (1-anywhere)*sum + anywhere
		}
		g.m.Nodes[at] = MapNode{Axis: -1, Value: math.Log(sum)}
		return
	}
	lower := int32(len(g.m.Nodes))
	g.m.Nodes = append(g.m.Nodes, MapNode{}, MapNode{})
	g.m.Nodes[at] = MapNode{Axis: c.axis, Lower: lower}
	g.settle(lower, c.lower, scale, sum, rest)
	g.settle(lower+1, c.upper, scale, sum, rest)
}

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}
