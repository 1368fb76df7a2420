// Package lineage tracks targets that divide, such as cells: a track ends where its
// target divides, and two others begin beside it.
//
// # The problem
//
// It is that of package association, with one more thing that may happen to a detection: between
// two scans its target divides, and the daughters are two detections of the next scan. A
// division has a price, see [Model], and nothing else changes: daughters are priced from there on as
// targets that are born. What divides, and into which, is decided together with all links, for all
// scans at once, and solved with a bound (package trackgraph).
//
// # The graph
//
// Detections are nodes with the prices of births, deaths and false alarms, and arcs are links, over
// misses too, as the instance of package association has them. A link is priced as the first of a
// track: by the two detections that it joins, whatever came before. That is what a random walk
// needs, where noise is less than a step, or what measured velocities say; it makes what a mother
// did before no matter of her daughters, so that every pair of arcs that could be a division has
// one price, see [Model]. Pairs dearer than that the mother ends and the daughters are born, or
// that she goes on as one of them and the other is born, are left out, as no optimum has them;
// nothing else is.
package lineage

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
	"mtt/association/instance"
	"mtt/costgen"
	"mtt/gating"
	"mtt/motion"
	"mtt/trackgraph"
)

// A Result is what Track found.
type Result struct {
	// Result is that of tracking the scans as if nothing divided, but for what follows from the
	// tracks: Levels, of which births, deaths and noise are those of the tracks that divide,
	// Tracks, whose parents say what divides, LeftOut and Warnings. It has no Dual.
	*association.Result

	Division *Model             // nil: nothing spoke for divisions, and none were looked for
	Graph    *trackgraph.Graph  // the problem; frames are numbers of scans
	Nodes    []chain.Node       // of the graph: its detections, scan by scan
	Solved   *trackgraph.Result // its answer, and the bound
}

// Divisions is the number of tracks that divide.
func (r *Result) Divisions() int {
	n := 0
	for i := range r.Tracks {
		if r.Tracks[i].Parent != 0 {
			n++
		}
	}
	return n / 2
}

// rounds is how often the levels are learnt from tracks: those that do not divide, then those that do.
const rounds = 2

// near is the relative gap that is good enough for an answer of which nothing but levels are learnt.
const near = 0.002

// Track finds which detections belong together, and which targets divide. Scans must be in order of
// time. Options are those of [association.Track], with the cost [association.NLL] and the engine
// Dual or Exact; solve steers the search for the optimum, nil: as its zero value. Levels and the
// rate and shape of divisions are learnt from the scans: those that are given stay.
//
// When ctx ends the best tracks so far come back with an error that wraps ctx.Err(), once there are
// any: those that do not divide are the first, and Solved says what is proved of them where a graph
// is. Memory is that of all pairs and triplets inside the gate, some 50 bytes each.
func Track(ctx context.Context, scans []mtt.Scan, opts *association.Options, solve *trackgraph.Options) (*Result, error) {
	var o association.Options
	if opts != nil {
		o = *opts
	}
	if o.Engine != "" && o.Engine != association.Dual && o.Engine != association.Exact || o.Cost != "" && o.Cost != association.NLL || o.Model != nil || o.Wrap != nil {
		return nil, fmt.Errorf("lineage: %w: divisions go with the cost %s and the engines %s and %s", association.ErrOptions, association.NLL, association.Dual, association.Exact)
	}
	if len(o.Sensors) > 1 {
		return nil, fmt.Errorf("lineage: %w: divisions are for scans of one sensor", association.ErrOptions)
	}
	o.NoStates, o.FixedSensor, o.Isotropic = true, true, true // the graph is of the detections as they are
	if o.Motion == nil && o.Levels == nil && (o.IgnoreVelocity || !measured(scans)) {
		o.Motion = motion.Walk{}
	}
	o.Divides = true
	base, err := association.Track(ctx, scans, &o)
	if base == nil || base.Tracks == nil && err != nil {
		return nil, err
	}
	r := &Result{Result: base}
	tracks := base.Tracks
	for round := range rounds {
		if err != nil {
			break
		}
		levels, began := *base.Levels, time.Now()
		model := learn(scans, tracks, &levels)
		base.Seconds.Estimate += time.Since(began).Seconds()
		if model == nil {
			break
		}
		again := association.Options{Levels: &levels, Gate: base.Gate, Cap: o.Cap, Workers: o.Workers, MemoryLimit: o.MemoryLimit,
			MaxMisses: o.MaxMisses, IgnoreVelocity: o.IgnoreVelocity, NoStates: true, NoRefine: true, MaxSpeed: base.MaxSpeed}
		var built *association.Result
		if built, err = association.Build(ctx, scans, &again); err != nil {
			break
		}
		base.Seconds.Estimate += built.Seconds.Estimate
		base.Seconds.Gate += built.Seconds.Gate
		base.Seconds.Cost += built.Seconds.Cost
		posing := time.Now()
		next := &Result{Result: base, Division: model}
		arcs, failed := next.pose(built.Instance, built.Model, model, base.Coasts && o.MaxMisses >= 0)
		base.Seconds.Cost += time.Since(posing).Seconds()
		if failed != nil {
			return nil, failed
		}
		solving, search := time.Now(), trackgraph.Options{}
		if solve != nil {
			search = *solve
		}
		if round < rounds-1 {
			search.Gap = max(search.Gap, near)
		}
		search.Start = next.answer(scans, tracks, arcs)
		next.Solved, err = trackgraph.Solve(ctx, next.Graph, &search)
		if next.Solved != nil {
			next.Solved.Complete(next.Graph)
		}
		base.Seconds.Solve += time.Since(solving).Seconds()
		if next.Solved == nil || next.Solved.Answer == nil {
			break
		}
		base.Levels, base.Model = &levels, built.Model
		next.Tracks = next.tracks(scans, built.Instance.Single())
		r, tracks = next, next.Tracks
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	if r.Graph != nil {
		base.Dual, base.Instance, base.Plain = nil, nil, base.Tracks
		base.Conclude(ctx, scans, &o)
	}
	return r, err
}

// measured reports whether velocities are.
func measured(scans []mtt.Scan) bool {
	return slices.ContainsFunc(scans, func(s mtt.Scan) bool { return s.Vel != nil })
}

// pose makes the graph of an instance, and returns its arcs by tail and head. With misses,
// daughters may be first detected a scan later.
func (r *Result) pose(inst *instance.Instance, model costgen.Model, division *Model, misses bool) (arcs map[[2]int32]int32, err error) {
	g := &trackgraph.Graph{}
	r.Graph, r.Nodes = g, nil
	first := make([]int32, len(inst.Scans)) // node of detection 0
	for t := range inst.Scans {
		first[t] = int32(len(r.Nodes))
		for i := range inst.Scans[t].Len() {
			r.Nodes = append(r.Nodes, chain.At(t, i))
			g.Frame = append(g.Frame, t)
			birth, death, alone := ends(inst, t, i)
			g.Birth, g.End, g.False = append(g.Birth, birth), append(g.End, death), append(g.False, alone)
		}
	}
	p := &poser{inst: inst, model: model, miss: model.Ends().Miss, g: g, first: first, arc: make(map[[2]int32]int32)}
	for t := range inst.Dual.Pairs {
		p.links(t)
	}
	dearest := 0.0 // that is worth while
	for d := range r.Nodes {
		dearest = max(dearest, g.End[d]+2*g.Birth[d])
	}
	gate := &radius{division.reach(dearest), division.lead}
	finder := gating.Finder{}
	var near [2]gating.CSR // in the next scan, and in the one after
	var list []daughter
	for t := range len(inst.Scans) - 1 {
		scans := 1
		if misses && t+2 < len(inst.Scans) {
			scans = 2
		}
		for k := range scans {
			if _, err := finder.Neighbors(&near[k], &inst.Scans[t], &inst.Scans[t+1+k], gate); err != nil {
				return nil, err
			}
		}
		for i := range inst.Scans[t].Len() {
			list = list[:0]
			for k := range scans {
				for _, a := range near[k].Row(i) {
					node := first[t+1+k] + a
					arc, link := p.link(first[t]+int32(i), node)
					list = append(list, daughter{site{&inst.Scans[t+1+k], int(a)}, node, g.Birth[node], arc, link, float64(k) * p.miss})
				}
			}
			p.division(division, site{&inst.Scans[t], i}, first[t]+int32(i), list)
		}
	}
	return p.arc, nil
}

// answer is what tracks say of the graph. Links and divisions that it does not have are left out.
func (r *Result) answer(scans []mtt.Scan, tracks []mtt.Track, arcs map[[2]int32]int32) *trackgraph.Answer {
	g := r.Graph
	a := &trackgraph.Answer{Used: make([]bool, len(r.Nodes)), Chosen: make([]bool, len(g.Cost))}
	first, n := make(map[int]int32, len(scans)), int32(0) // node of detection 0 of a frame
	for t := range scans {
		first[scans[t].Frame] = n
		n += int32(scans[t].Len())
	}
	link := func(tail, head int32) int32 {
		k, ok := arcs[[2]int32{tail, head}]
		if !ok {
			return -1
		}
		a.Chosen[k] = true
		return k
	}
	last := make(map[int]int32, len(tracks)) // node of each track, by ID
	for i := range tracks {
		before := int32(-1)
		for _, h := range tracks[i].Hits {
			if h.Det < 0 {
				continue
			}
			d := first[h.Frame] + int32(h.Det)
			a.Used[d] = true
			if before >= 0 {
				link(before, d)
			}
			before = d
		}
		last[tracks[i].ID] = before
	}
	daughters := make(map[int32][]int32) // arcs of each mother
	for i := range tracks {
		if m, ok := last[tracks[i].Parent]; ok && tracks[i].Parent != 0 {
			h := tracks[i].Hits[0]
			if k := link(m, first[h.Frame]+int32(h.Det)); k >= 0 {
				daughters[m] = append(daughters[m], k)
			}
		}
	}
	for _, x := range g.Divisions {
		if a.Chosen[x.First] && a.Chosen[x.Second] {
			delete(daughters, g.Tail[x.First])
		}
	}
	for _, list := range daughters {
		for _, k := range list {
			a.Chosen[k] = false
		}
	}
	return a
}

// ends are the prices of a detection: to be born, to end, and to be in no track.
func ends(inst *instance.Instance, t, i int) (birth, death, alone float64) {
	pairs := inst.Dual.Pairs
	last := len(pairs)
	switch {
	case last == 0:
		return 0, 0, 0
	case t == 0:
		death = pairs[0].RowMiss[i]
		return 0, death, death
	case t == last:
		birth = pairs[last-1].ColMiss[i]
		return birth, 0, birth
	}
	birth, death = pairs[t-1].ColMiss[i], pairs[t].RowMiss[i]
	b := &inst.Dual.Blocks[t-1]
	return birth, death, birth + death + b.D[b.Ptr[i+1]-1]
}

// A poser fills a graph with what an instance has.
type poser struct {
	inst  *instance.Instance
	g     *trackgraph.Graph
	first []int32 // node of detection 0 of each scan

	model costgen.Model
	miss  float64            // price of one
	arc   map[[2]int32]int32 // by tail and head
}

// born is what block t adds to the out-arcs of node j of a track that begins there: the last row of
// its matrix.
func (p *poser) born(t, j int) []float64 {
	if t == 0 {
		return nil
	}
	b, out := &p.inst.Dual.Blocks[t-1], &p.inst.Dual.Pairs[t]
	width := out.Ptr[j+1] - out.Ptr[j] + 1
	return b.D[b.Ptr[j+1]-width : b.Ptr[j+1]-1]
}

// links adds the arcs that leave the detections of scan t, those over misses included.
func (p *poser) links(t int) {
	pair := &p.inst.Dual.Pairs[t]
	for i := range p.inst.Scans[t].Len() {
		born := p.born(t, i)
		for e := pair.Ptr[i]; e < pair.Ptr[i+1]; e++ {
			cost := pair.Cost[e]
			if born != nil {
				cost += born[e-pair.Ptr[i]]
			}
			u, head := t, int(pair.Col[e])
			for head >= p.inst.Scans[u+1].Len() { // through coast nodes, each with one arc out
				u++
				on := &p.inst.Dual.Pairs[u]
				cost += on.Cost[on.Ptr[head]]
				head = int(on.Col[on.Ptr[head]])
			}
			p.add(p.first[t]+int32(i), p.first[u+1]+int32(head), cost)
		}
	}
}

// link is the arc between two nodes, and its price; -1 and +Inf: there is none.
func (p *poser) link(tail, head int32) (arc int32, price float64) {
	if k, ok := p.arc[[2]int32{tail, head}]; ok {
		return k, p.g.Cost[k]
	}
	return -1, math.Inf(1)
}

// division adds the divisions of a detection, node d, into two of those near it.
func (p *poser) division(m *Model, at site, d int32, near []daughter) {
	for _, x := range m.pairs(at, near, p.g.End[d]) {
		a, b := p.daughter(at, d, &near[x.a]), p.daughter(at, d, &near[x.b])
		p.g.Divisions = append(p.g.Divisions, trackgraph.Division{First: a, Second: b, Cost: x.price - p.g.Cost[a] - p.g.Cost[b]})
	}
}

// daughter is the arc from a detection, node d, to a daughter, which is added where there is none.
func (p *poser) daughter(at site, d int32, to *daughter) int32 {
	if to.arc >= 0 {
		return to.arc
	}
	var pair, start [1]float64
	out := []int32{int32(to.det)}
	p.model.Pairs(pair[:], at.Scan, at.det, to.Scan, out)
	p.model.Starts(start[:], at.Scan, at.det, to.Scan, out)
	to.arc = p.add(d, to.node, pair[0]+start[0]+to.late)
	return to.arc
}

// add adds an arc.
func (p *poser) add(tail, head int32, cost float64) int32 {
	g := p.g
	p.arc[[2]int32{tail, head}] = int32(len(g.Cost))
	g.Tail, g.Head, g.Cost = append(g.Tail, tail), append(g.Head, head), append(g.Cost, cost)
	return int32(len(g.Cost) - 1)
}

// tracks are those of the answer, in the order of [chain.Links.Tracks], with their parents. Mothers
// and daughters without a link are tracks, other detections without one where single says so.
func (r *Result) tracks(scans []mtt.Scan, single bool) []mtt.Track {
	outs := make([]int8, len(r.Nodes))
	chosen := r.Solved.Answer.Chosen
	for k, yes := range chosen {
		if yes {
			outs[r.Graph.Tail[k]]++
		}
	}
	links, mother := chain.New(scans), make(map[chain.Node]chain.Node)
	family := make(map[chain.Node]bool)
	for k, yes := range chosen {
		if !yes {
			continue
		}
		from, to := r.Nodes[r.Graph.Tail[k]], r.Nodes[r.Graph.Head[k]]
		if outs[r.Graph.Tail[k]] == 1 {
			links.Link(from, to)
			continue
		}
		mother[to] = from
		family[from], family[to] = true, true
	}
	scanOf := mtt.ByFrame(scans)
	at := func(h mtt.Hit) chain.Node { return chain.At(scanOf[h.Frame], h.Det) }
	ends := make(map[chain.Node]int) // track that ends with a mother
	all := links.Tracks(scans, true)
	tracks := all[:0]
	for _, tr := range all {
		first, last := at(tr.Hits[0]), at(tr.Hits[len(tr.Hits)-1])
		if len(tr.Hits) == 1 && !single && !family[first] {
			continue
		}
		tr.ID = len(tracks) + 1
		if family[last] {
			ends[last] = tr.ID
		}
		if m, ok := mother[first]; ok {
			tr.Parent = ends[m]
		}
		tracks = append(tracks, tr)
	}
	return tracks
}
