package merged

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file weighs which detections stand for two targets.

// A Pair says that a detection stands for two targets.
type Pair struct {
	Frame   int
	Det     int
	Tracks  [2]int  // IDs: the track that holds the detection, if one does, then the missed one
	LogOdds float64 // nat, over misses, and a false alarm where no track holds it; above 0
}

// A merger looks for merged detections.
type merger[S, E any] struct {
	ctx     context.Context
	scans   []mtt.Scan
	tracks  []mtt.Track
	params  *motion.Params
	filter  motion.Runner[S, E]
	vague   motion.Filter[S, E] // its first state says next to nothing of the position
	prior   float64             // log odds of no miss over a miss
	clutter float64             // negative log density of a false alarm, velocity left out
	noise   float64             // m²: the largest variance of a measured position
	owners  [][]owner           // of the detections of each scan
	sorted  []*costgen.Sorted   // each scan

	gaussian // workspace

	// Workspace of between.
	state, ahead S
	info         E
}

// An owner of a detection is hit number hit of track number track, −1 for none.
type owner struct{ track, hit int32 }

// A missed is a track that is missed in a scan, after its hit number hit.
type missed struct{ track, hit int32 }

// A blend is a detection that may stand for two targets.
type blend struct {
	det     int32
	tracks  [2]int32 // the second is missed; so is the first unless held
	held    bool
	logOdds float64 // nat, were the targets known to be unresolved
	apart   float64 // m, their distance
	spread  float64 // m², its mean variance on an axis
}

// Find lists the merged detections of tracks in order of frames, then detections,
// and says with what resolution they were found: the given one, m, or, where that is 0,
// an estimate; 0 when nothing speaks for one. A miss is explained once. It takes
// O(n log n) time for n detections, and no more than a look when no track has a gap. When ctx ends
// it finds none, and returns its error.
func Find(ctx context.Context, scans []mtt.Scan, tracks []mtt.Track, levels *costgen.Levels, resolution float64) ([]Pair, float64, error) {
	params := levels.Params(max(levels.Dim, 2))
	vague := *params // the prior of a velocity stays
	vague.Sigma, vague.PositionsOnly = 1e3*(spacing(levels, params.Dim)+resolution), true
	if levels.AnyGeneral(scans) {
		return find(newMerger(ctx, motion.NewFull(params), motion.NewFull(&vague), params, scans, tracks, levels), levels, resolution)
	}
	return find(newMerger(ctx, motion.NewAxes(params), motion.NewAxes(&vague), params, scans, tracks, levels), levels, resolution)
}

func find[S, E any](g *merger[S, E], levels *costgen.Levels, resolution float64) ([]Pair, float64, error) {
	misses := g.misses()
	reach := resolution
	if reach == 0 {
		reach = spacing(levels, g.params.Dim)
	}
	if len(misses) == 0 || reach == 0 {
		return nil, resolution, nil
	}
	g.index()
	if resolution == 0 {
		if resolution = g.resolution(misses, reach); resolution == 0 {
			return nil, 0, g.ctx.Err()
		}
	}

	var list []Pair
	for t := range g.scans {
		blends := g.blends(misses[t], t, resolution)
		for i := range blends {
			b := &blends[i]
			b.logOdds += math.Log(unresolved(g.params.Dim, b.apart, b.spread, resolution))
		}
		slices.SortStableFunc(blends, func(a, b blend) int { return cmp.Compare(b.logOdds, a.logOdds) })
		explained := make(map[int32]bool)
		from := len(list)
		for _, b := range blends {
			if !(b.logOdds > 0) {
				break
			}
			if explained[b.tracks[1]] || !b.held && explained[b.tracks[0]] {
				continue
			}
			explained[b.tracks[1]] = true
			if !b.held {
				explained[b.tracks[0]] = true
			}
			list = append(list, Pair{g.scans[t].Frame, int(b.det), [2]int{g.tracks[b.tracks[0]].ID, g.tracks[b.tracks[1]].ID}, b.logOdds})
		}
		slices.SortStableFunc(list[from:], func(a, b Pair) int {
			return cmp.Or(cmp.Compare(a.Det, b.Det), cmp.Compare(a.Tracks[1], b.Tracks[1]))
		})
	}
	if err := g.ctx.Err(); err != nil {
		return nil, 0, err
	}
	return list, resolution, nil
}

func newMerger[S, E any](ctx context.Context, filter, vague motion.Filter[S, E], params *motion.Params, scans []mtt.Scan, tracks []mtt.Track, levels *costgen.Levels) *merger[S, E] {
	r := &levels.Rates
	missed := (1 - r.Detect) / (2 - r.Detect - r.Again()) // of all frames: the balance of the chain seen–hidden
	g := &merger[S, E]{
		ctx: ctx, scans: scans, tracks: tracks, params: params, filter: motion.NewRunner(filter, params), vague: vague,
		prior: math.Log1p(-missed) - math.Log(missed), clutter: math.Log(r.Volume) - math.Log(r.Clutter),
	}
	for t := range scans {
		for i := range scans[t].Len() {
			g.noise = max(g.noise, filter.Noise(&scans[t], i))
		}
	}
	return g
}

// scanOf is the scan of a frame.
func (g *merger[S, E]) scanOf(frame int) int {
	t, _ := slices.BinarySearchFunc(g.scans, frame, func(s mtt.Scan, f int) int { return cmp.Compare(s.Frame, f) })
	return t
}

// misses lists, for each scan, the tracks that have detections before and after it,
// and none in it.
func (g *merger[S, E]) misses() map[int][]missed {
	misses := make(map[int][]missed)
	for k := range g.tracks {
		hits := g.tracks[k].Hits
		if len(hits) == 0 || g.scanOf(hits[len(hits)-1].Frame)-g.scanOf(hits[0].Frame)+1 == len(hits) {
			continue
		}
		for h := range hits[1:] {
			for t := g.scanOf(hits[h].Frame) + 1; g.scans[t].Frame < hits[h+1].Frame; t++ {
				misses[t] = append(misses[t], missed{int32(k), int32(h)})
			}
		}
	}
	return misses
}

// index finds whose the detections of each scan are. Those that are tracks of their own count
// as nobody's: such a track says nothing of where its target was.
func (g *merger[S, E]) index() {
	g.owners, g.sorted = make([][]owner, len(g.scans)), make([]*costgen.Sorted, len(g.scans))
	for t := range g.scans {
		if g.ctx.Err() != nil {
			return
		}
		g.sorted[t] = costgen.NewSorted(&g.scans[t])
		g.owners[t] = make([]owner, g.scans[t].Len())
		for i := range g.owners[t] {
			g.owners[t][i] = owner{-1, -1}
		}
	}
	for k := range g.tracks {
		hits := g.tracks[k].Hits
		for h, at := range hits {
			if len(hits) > 1 {
				g.owners[g.scanOf(at.Frame)][at.Det] = owner{int32(k), int32(h)}
			}
		}
	}
}

// slight are log odds of a merged detection so low that no estimate minds their lack.
const slight = -5

// blends lists what the tracks missed in scan t could have been merged with, for a
// resolution of at most reach. Where a target may be anywhere within more than
// twice that nothing can be said.
func (g *merger[S, E]) blends(misses []missed, t int, reach float64) (list []blend) {
	type rest struct { // a missed track near a detection that is nobody's
		track int32
		at    *motion.Estimate
	}
	free := make(map[int32][]rest)
	add := func(b blend) {
		if b.logOdds > slight { // the resolution can only lower it
			list = append(list, b)
		}
	}
	s := &g.scans[t]
	for k, miss := range misses {
		if k%64 == 0 && g.ctx.Err() != nil {
			return nil
		}
		hits := g.tracks[miss.track].Hits
		a, ok := g.between(int(miss.track), int(miss.hit), int(miss.hit)+1, t)
		if !ok || variance(a) > 4*reach*reach {
			continue
		}
		first, last := hits[miss.hit].Frame, hits[miss.hit+1].Frame
		for det := range g.sorted[t].Near(a.X[:a.Dim], reach/2+5*math.Sqrt(variance(a)+g.noise)) {
			det, d := int32(det), g.owners[t][det]
			if d.track < 0 {
				for _, b := range free[det] {
					add(g.blend(b.at, a, s, blend{det: det, tracks: [2]int32{b.track, miss.track}}))
				}
				free[det] = append(free[det], rest{miss.track, a})
				continue
			}
			// What the other track has inside the gap may be merged, too.
			other := g.tracks[d.track].Hits
			before, after := int(d.hit), int(d.hit)
			for before >= 0 && other[before].Frame > first {
				before--
			}
			for after < len(other) && other[after].Frame < last {
				after++
			}
			if b, ok := g.between(int(d.track), before, after, t); ok && variance(b) <= 4*reach*reach {
				add(g.blend(b, a, s, blend{det: det, tracks: [2]int32{d.track, miss.track}, held: true}))
			}
		}
	}
	return list
}

// variance is the largest variance of the position along an axis.
func variance(e *motion.Estimate) (most float64) {
	for n := range e.Dim {
		most = max(most, e.Cov(n, n))
	}
	return most
}

// between is where track k is at the time of scan t, from its hits up to a, before
// that time, and from b on, after it; a may be −1 and b the number of hits. Hits
// further away than a filter remembers are left out. It fails when there is not
// enough to tell.
func (g *merger[S, E]) between(k, a, b, t int) (at *motion.Estimate, ok bool) {
	f, hits := &g.filter, g.tracks[k].Hits
	scan := func(h int) *mtt.Scan { return &g.scans[g.scanOf(hits[h].Frame)] }
	step := func(s *S, from, to int) int {
		kind := f.Advance(s, scan(to).Time-scan(from).Time, scan(to), hits[to].Det)
		f.Take(s, scan(to), hits[to].Det, kind)
		return kind
	}
	now := g.scans[t].Time
	at = new(motion.Estimate)
	if a >= 0 {
		from := max(0, a+1-motion.Memory)
		f.Start(&g.state, scan(from), hits[from].Det)
		for h := from + 1; h <= a; h++ {
			step(&g.state, h-1, h)
		}
	}
	if b == len(hits) {
		if a < 0 {
			return at, false
		}
		f.Predict(&g.state, now-scan(a).Time, motion.Smooth)
		f.Estimate(at, &g.state, nil)
		return at, true
	}

	// Which steps are manoeuvres is found forward, as in the refinement.
	to := min(len(hits), b+motion.Memory)
	var kinds [motion.Memory]int // of the step to hit b+n
	if a >= 0 {
		g.ahead = g.state
		kinds[0] = step(&g.ahead, a, b)
	} else {
		f.Start(&g.ahead, scan(b), hits[b].Det)
	}
	for h := b + 1; h < to; h++ {
		kinds[h-b] = step(&g.ahead, h-1, h)
	}
	g.info = *new(E)
	for h := to - 1; h >= b; h-- {
		f.Inform(&g.info, scan(h), hits[h].Det, kinds[h-b])
		since := now
		if h > b {
			since = scan(h - 1).Time
		}
		f.Retreat(&g.info, scan(h).Time-since, kinds[h-b])
	}
	if a >= 0 {
		f.Predict(&g.state, now-scan(a).Time, kinds[0])
	} else {
		g.vague.Start(&g.state, &mtt.Scan{Dim: g.params.Dim, Pos: scan(b).At(hits[b].Det)}, 0)
	}
	f.Estimate(at, &g.state, &g.info)
	return at, true
}
