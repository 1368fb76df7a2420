package learn

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
)

// This file learns levels of scans that are very large from parts of space, tiles.
//
// Problem. What is learnt takes some twenty thousand detections; a dozen scans of five thousand have
// sixty thousand and of a million twelve million, which the pilots would have to track some ten times.
//
// Idea. What to begin with, how targets move and what else is tried, is a choice between a few, and
// some thousand detections make it as surely as it has to be made (file sample.go). So all of it is
// tried in one tile, with all that was detected there: twice as many as are precise, as half of them
// lie near its faces. It is the one of some that is neither among the smallest nor among the largest.
// What was chosen is learnt twice more from whole scans or, where these are vast, from all the tiles.
//
// Noise, motion, speed and what a miss is worth are those of the whole. Births, false alarms and
// targets grow with space, and are counted in the cores of the tiles: so far inside that a track which
// begins or ends there is not one that came from outside or went there. The numbers of the whole follow
// by the number of detections. What tracks leave over is of targets that are not understood yet where
// others follow it, and is looked at in the cores only, too: who crosses a corner is seen once or twice. Where targets come
// and go, or lie more densely, tiles do not tell: where scans are vast these maps are left out.
//
// A tile with so many detections is the smaller the denser these lie, and where targets cross it
// from one scan to the next nothing is learnt from it: what comes in passes for what was there. So
// tiles are of the scans in which detections have spread, where they do.
//
// Where a speed is not given and tiles show nothing but chance, there is nothing to learn (see [ErrChance]).
//
// Cost. O(n) for n detections, the pilots of a tile, and two of a dozen scans or of all tiles. A pilot
// of one tile keeps as many triplets for each detection as those of all tiles do.

// crowd is the number of detections of the first dozen scans, in multiples of enough, from which on
// nothing but tiles stands for the scans.
const crowd = 5

// tileCount is the number of tiles: some, so that one odd place is not all; few, since their edges
// are left out.
const tileCount = 4

// A tile is a box.
type tile struct{ lo, hi []float64 } // m

// large reports whether scans are so large that levels are learnt from tiles of them: vast, or with
// more detections in a dozen than a sample stands for all of. In space most of a tile of a few hundred
// lies at its faces, and where equally many detections are in all scans less is tried.
func large(scans []mtt.Scan) bool {
	return vast(scans) || count(scans[:min(dozen, len(scans))]) > sampled && dimension(scans) < 3 && !steady(scans)
}

// vast reports whether scans are so large that nothing but tiles stands for them.
func vast(scans []mtt.Scan) bool { return count(scans[:min(dozen, len(scans))]) >= crowd*enough }

// tilesOf are the tiles of scans that are large, around detections of the given one of them, those
// that are equally far from each other in its order, with so many times as many detections as are
// learnt from.
func tilesOf(scans []mtt.Scan, first *mtt.Scan, times int) []tile {
	return tilesAround(first, tileCount, min(first.Len(), inTile(scans, times)))
}

// inTile is how many detections of a scan a tile has, with so many times as many as are learnt from.
func inTile(scans []mtt.Scan, times int) int {
	return times * enough / max(3, min(dozen, len(scans))) / tileCount
}

// spread is the index of the first of scans in which detections lie at most twice as densely as
// where they lie most sparsely: there tiles are nearly as large as they come. How densely they lie
// is how many there are for the middle half of them along each axis, which no few that are far away
// change. Scans with less than half as many detections as usual are passed over.
func spread(scans []mtt.Scan) int {
	const most = 1000 // detections of a scan that are looked at
	density, least, mean := make([]float64, len(scans)), math.Inf(1), count(scans)/float64(len(scans))
	for t := range scans {
		s := &scans[t]
		if density[t] = math.Inf(1); float64(s.Len()) < mean/2 {
			continue
		}
		density[t] = float64(s.Len())
		for d := range s.Dim {
			var x []float64
			for i := 0; i < s.Len(); i += 1 + s.Len()/most {
				x = append(x, s.At(i)[d])
			}
			slices.Sort(x)
			density[t] /= max(x[len(x)*3/4]-x[len(x)/4], tiny)
		}
		least = min(least, density[t])
	}
	return slices.IndexFunc(density, func(d float64) bool { return d <= 2*least })
}

// tilesAround are so many tiles around some detections of a scan, each with so many of them.
func tilesAround(first *mtt.Scan, number, each int) []tile {
	tiles := make([]tile, number)
	far := make([]float64, first.Len())
	for k := range tiles {
		centre := first.At((2*k + 1) * first.Len() / (2 * number))
		for i := range far {
			far[i] = apart(centre, first.At(i))
		}
		slices.Sort(far)
		side := far[each-1]
		for _, x := range centre {
			tiles[k].lo, tiles[k].hi = append(tiles[k].lo, x-side), append(tiles[k].hi, x+side)
		}
	}
	return tiles
}

// apart is the largest difference of coordinates, m.
func apart(x, y []float64) (most float64) {
	for k := range x {
		most = max(most, math.Abs(x[k]-y[k]))
	}
	return most
}

// core returns whether a place is so far inside the tiles of a learner, as far as a target gets
// while it is missed once, that no track begins or ends there because a tile does.
func (l *learner) core() func(x []float64) bool {
	if l.tiles == nil {
		return func([]float64) bool { return true }
	}
	return inside(l.tiles, 2*l.speed*l.levels.Interval)
}

// inside returns whether a place is in one of the tiles, so far from its faces, in m, but at most a third of
// the way to its centre.
func inside(tiles []tile, margin float64) func(x []float64) bool {
	cores := make([]tile, len(tiles))
	for n, b := range tiles {
		for k := range b.lo {
			edge := min(margin, (b.hi[k]-b.lo[k])/6)
			cores[n].lo, cores[n].hi = append(cores[n].lo, b.lo[k]+edge), append(cores[n].hi, b.hi[k]-edge)
		}
	}
	return func(x []float64) bool {
		for n := range cores {
			if cores[n].has(x) {
				return true
			}
		}
		return false
	}
}

// has says whether a place is in the tile.
func (b *tile) has(x []float64) bool {
	hi := b.hi
	for k, lo := range b.lo {
		if x[k] < lo || x[k] > hi[k] {
			return false
		}
	}
	return true
}

// cut returns the scans with those detections only that are inside.
func cut(scans []mtt.Scan, inside func(x []float64) bool) []mtt.Scan {
	parts := make([]mtt.Scan, len(scans))
	for t := range scans {
		var at []int32
		for i := range scans[t].Len() {
			if inside(scans[t].At(i)) {
				at = append(at, int32(i))
			}
		}
		parts[t] = scans[t].Pick(at)
	}
	return parts
}

// fromTiles are the levels and the speed that Learn would settle of large scans, learnt from tiles,
// and who learnt them last: of whole scans, unless these are vast.
func fromTiles(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot) (*costgen.Levels, *learner, error) {
	at := spread(scans)
	seen := scans[min(at, max(0, len(scans)-dozen)):]        // a dozen at least
	if opts.MaxSpeed == 0 && len(scans) > 2 && vast(scans) { // of two nothing is learnt
		if err := chanceIn(ctx, seen, tilesOf(scans, &scans[at], 4), math.Inf(1)); err != nil {
			return nil, nil, err
		}
	}
	whole, tiles := newLearner(scans, opts, run, steady(scans)), tilesOf(scans, &scans[at], 1)
	tried := tiles
	if !whole.steady && len(scans) > fewScans { // else next to nothing is tried
		tried = tiles[usual(tiles):][:1]
	}
	l, part, _ := whole.inTiles(seen, tried)
	if err := l.settleLevels(ctx, part); err != nil {
		return nil, nil, err
	}
	if l.tracks == nil || whole.steady {
		if err := l.settleSpeed(ctx, part); err != nil {
			return nil, nil, err
		}
		levels, err := whole.ofAll(ctx, seen, l)
		return levels, l, err
	}
	levels, err := whole.ofAll(ctx, seen, l)
	if err != nil {
		return nil, nil, err
	}
	all, share := whole, 1.0
	if vast(scans) {
		all, _, share = whole.inTiles(seen, tiles)
	}
	for _, x := range extensive(&levels.Rates) {
		*x *= share
	}
	levels.Rates.Hidden = max(levels.Rates.Hidden, 1-levels.Rates.Detect) // who is missed twice in a row may cross a tile meanwhile
	all.levels, all.motions = levels, l.motions
	all.speed, all.usual, all.coasts, all.turn, all.mirrors, all.uneven, all.kinds, all.estimate = l.speed, l.usual, l.coasts, l.turn, l.mirrors, l.uneven, l.kinds, l.estimate
	for _, last := range []bool{false, !opts.Hasty} { // the first one's tracks are still of the tile's levels
		if err := all.leg(ctx, cmp.Or(all.levels.Motion, all.candidates()[0]), last); err != nil {
			return nil, nil, err
		}
	}
	if err := all.settleSpeed(ctx, all.part); err != nil || all == whole {
		return all.levels, all, err
	}
	levels, err = whole.ofAll(ctx, seen, all)
	return levels, all, err
}

// inTiles is l as it begins with what was detected in tiles of scans, these detections, and how many
// of all they are.
func (l *learner) inTiles(scans []mtt.Scan, tiles []tile) (of *learner, part []mtt.Scan, share float64) {
	part = cut(scans, inside(tiles, 0))
	share = count(part) / count(scans)
	// The rates that are given are of the whole.
	o, given := *l.Options, costgen.Rates{}
	if o.Rates != nil {
		given = *o.Rates
	}
	given.Volume = l.levels.Rates.Volume
	for _, x := range extensive(&given) {
		*x *= share
	}
	o.Rates, o.NoMisses = &given, o.NoMisses || l.steady
	o.tiles = tiles
	return newLearner(part, &o, l.run, steady(part)), part, share
}

// enough is how many detections are enough: of fewer tiles fewer.
func (o *Options) enough() int {
	if o.tiles == nil {
		return enough
	}
	return enough * len(o.tiles) / tileCount
}

// ofAll are the levels that of has learnt from tiles of scans, with the numbers of all that l is of.
func (l *learner) ofAll(ctx context.Context, scans []mtt.Scan, of *learner) (*costgen.Levels, error) {
	levels := *of.levels
	levels.Places = nil
	switch guessed := l.levels.Rates; {
	case l.steady:
		levels.Rates = guessed
		births, err := l.replaced(ctx, scans, &levels, levels.MaxSpeed)
		if err != nil {
			return nil, err
		}
		if births > 0 {
			replace(&levels.Rates, births)
		}
	case of.tracks != nil:
		core := of.core()
		levels.Rates = rates(core, stretch{of.part, of.tracks})
		more := count(scans[:len(of.part)]) / max(1, count(cut(of.part, core)))
		for _, x := range extensive(&levels.Rates) {
			*x *= more
		}
		levels.Rates.Volume = guessed.Volume
		levels.Rates = l.said(levels.Rates)
	default: // all were given
		levels.Rates = guessed
	}
	return &levels, nil
}

// usual is which of some tiles is neither among the smallest nor among the largest.
func usual(tiles []tile) int {
	order := make([]int, len(tiles))
	for k := range order {
		order[k] = k
	}
	side := func(k int) float64 { return tiles[k].hi[0] - tiles[k].lo[0] }
	slices.SortStableFunc(order, func(j, k int) int { return cmp.Compare(side(j), side(k)) })
	return order[(len(tiles)-1)/2]
}

// extensive are the rates that grow with the space that is looked at.
func extensive(r *costgen.Rates) []*float64 {
	return []*float64{&r.Births, &r.Targets, &r.Clutter, &r.Volume}
}

// count is the number of detections.
func count(scans []mtt.Scan) (n float64) {
	for t := range scans {
		n += float64(scans[t].Len())
	}
	return n
}
