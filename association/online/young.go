package online

import (
	"context"
	"errors"

	"mtt"
	"mtt/association/chain"
	"mtt/association/instance"
	"mtt/association/refine"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
)

// This file solves what began in the last scans anew, by the dual ascent.
//
// Where targets begin close together, nothing tells which detection follows which but all
// of them together, over several scans. The moves of the refinement change links one scan
// at a time, and from links that are all wrong they do not get to those that are right:
// people who walk in file, each at the next scan where the one before was, stand still for
// ever. A multi-frame assignment of what is young gets there; later on the state of a track
// tells enough.

// older is by how many scans a track is young for less long than it may take to begin: 6 scans of one sensor, which are more
// than tell its velocity.
const older = refine.Begins - 6

// crowded is the number of triplets of young tracks from which on arcs are capped: 40 MB. In the warm-up, of which nothing is settled before it
// is tracked again, it is roughing, and arcs are those to the few nearest: of a hundred detections in each scan that takes a few milliseconds.
const crowded, roughing, few = 5_000_000, 20_000, 6

// young solves the tracks that began in the last scans, and the detections that are in none,
// as one multi-frame assignment problem, and offers the answer to the window.
func (k *Tracker) young(ctx context.Context) error {
	n := k.w.Len()
	from := max(0, n-refine.Begun(k.turns.between)+older)
	if n-from < 3 {
		return nil
	}
	links := k.w.Links()
	scans := make([]mtt.Scan, n-from)
	dets := make([][]int32, n-from) // of each scan: the detections that take part
	next := make([][]chain.Node, n-from)
	any := false // track is young
	for t := range scans {
		s := k.w.Scan(from + t)
		next[t] = make([]chain.Node, s.Len())
		for i, p := range links.Prev[from+t] {
			if p != chain.None && (p.T < int32(from) || next[int(p.T)-from][p.Det] == chain.Past) {
				next[t][i] = chain.Past
				continue
			}
			any = any || p == chain.None && links.Next[from+t][i] != chain.None
			next[t][i] = chain.None
			dets[t] = append(dets[t], int32(i))
		}
		scans[t] = s.Pick(dets[t])
	}
	if !any {
		return nil
	}
	capped, most, misses := 0, crowded, min(k.misses, 2)
	if !k.lesson.steady {
		most = roughing
	}
	gates, err := gating.Chain(ctx, scans, k.model.Gate, &gating.Options{Triplets: most, Workers: k.opts.Workers})
	if errors.Is(err, gating.ErrCrowded) {
		if capped = gating.InCrowd; !k.lesson.steady {
			capped, misses = few, 0
		}
		gates, err = gating.Chain(ctx, scans, k.model.Gate, &gating.Options{K: capped, Workers: k.opts.Workers})
	}
	if err != nil {
		return err
	}
	g := instance.Generator{K: capped, Gate: k.model.Gate, Misses: misses, Scans: k.turns.between, Workers: k.opts.Workers, Rough: true}
	model := k.model.Model.(costgen.Leveled)
	inst, err := g.Build(ctx, scans, gates, model)
	if err != nil {
		return err
	}
	_, d, _, err := g.Solve(ctx, inst, &dualascent.Options{Workers: k.opts.Workers})
	if err != nil || d == nil {
		return err
	}
	found := inst.Links(d.Next)
	for t := range found.Next {
		for i, to := range found.Next[t] {
			if to != chain.None {
				next[t][dets[t][i]] = chain.At(int32(from)+to.T, dets[to.T][to.Det])
			}
		}
	}
	k.w.Offer(from, next)
	return nil
}
