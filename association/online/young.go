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
	"mtt/internal/slab"
)

// This file solves what began in the last scans anew, by the dual ascent, and what is doubtful in them.
//
// Where targets begin close together, nothing tells which detection follows which but all of them
// together, over several scans. The moves of the refinement change links one scan at a time, and
// from links that are all wrong they do not get to those that are right: people who walk in file,
// each at the next scan where the one before was, stand still for ever. A multi-frame assignment of
// what is young gets there; later on the state of a track tells enough, but where targets meet
// while one of them turns. So the last detections of tracks take part, too, of which a link that is
// soon settled fits badly, and of those that they may be taken for.
//
// Of a warm-up that is tracked again all scans are known before any is settled, and so all that is in
// them is solved so once, with the last of them. Where it ends with the scans, and nobody waits, the
// tracks that the engine finds in all of them are offered, too: it has found them to learn what whole
// tracks tell, and where many are missed looks farther, and longer.

// older is by how many scans a track is young for less long than it may take to begin: 6 scans of
// one sensor, which are more than tell its velocity.
const older = refine.Begins - 6

// crowded is the number of triplets of young tracks from which on arcs are capped: 40 MB. In the
// warm-up, of which nothing is settled before it is tracked again, it is roughing, and arcs are
// those to the few nearest: of a hundred detections in each scan that takes a few milliseconds.
// After it problems of as many arcs are solved better where a short ascent leaves a gap.
const crowded, roughing, few = 5_000_000, 20_000, 6

// hopeless is the number of triplets for each detection, more than fifty that may come before it
// and as many after it, of which fewer than telling scans say nothing: of a hundred targets that
// set out from one place, four in five links of the first four scans are wrong with the answer and
// without it. Nobody waits for it in the warm-up.
const hopeless, telling = 3000, 5

// young solves the tracks that began in the last scans, the detections that are in none, and the
// last detections of doubtful tracks as one multi-frame assignment problem, and offers the answer
// to the window.
func (k *Tracker) young(ctx context.Context) error {
	n, tells := k.w.Len(), k.tells()
	if !k.lesson.steady && k.sketched(n) { // nothing of it is told, nor settled
		return nil
	}
	if k.complete() {
		tells = n // in the scans that are known now all is young
	}
	begun := max(0, n-tells) // what begins from here on is young
	from, doubted := k.doubted(begun, tells)
	if n-begun < 3 {
		return nil
	}
	links := k.w.Links()
	if len(doubted) == 0 && !begins(links, begun) {
		return nil
	}
	scans := make([]mtt.Scan, n-from)
	dets := make([][]int32, n-from) // of each scan: the detections that take part
	next := make([][]chain.Node, n-from)
	any := len(doubted) > 0 // something may get better: a track is young or doubted
	for t := range scans {
		s := k.w.Scan(from + t)
		next[t] = make([]chain.Node, s.Len())
		for i, p := range links.Prev[from+t] {
			first := p == chain.None && from+t >= begun
			if len(doubted) > 0 && doubted[0] == chain.At(from+t, i) {
				doubted = doubted[1:]
			} else if !first && (p.T < int32(from) || next[int(p.T)-from][p.Det] == chain.Past) {
				next[t][i] = chain.Past
				continue
			}
			any = any || first && links.Next[from+t][i] != chain.None
			next[t][i] = chain.None
			dets[t] = append(dets[t], int32(i))
		}
		scans[t] = s.Pick(dets[t])
	}
	if !any {
		return nil
	}
	gates, capped, err := k.pairs(ctx, scans, n-begun)
	if err != nil || gates == nil {
		return err
	}
	misses := min(k.misses, 2)
	if capped == few {
		misses = 0
	}
	g := instance.Generator{K: capped, Gate: k.model.Gate, Misses: misses, Scans: k.turns.between, Workers: k.opts.Workers, Rough: true}
	model := k.model.Model.(costgen.Leveled)
	inst, err := g.Build(ctx, scans, gates, model)
	if err != nil {
		return err
	}
	inst, d, _, err := g.Solve(ctx, inst, &dualascent.Options{Workers: k.opts.Workers})
	if err != nil || d == nil {
		return err
	}
	found := inst.Links(d.Next)
	if k.lesson.steady && d.Gap() > 0 && (k.complete() || inst.Dual.Arcs() <= roughing && !k.provisional(n)) {
		if open := dualascent.Unproved(&inst.Dual, d); open != nil {
			if err = k.better(ctx, found, inst, open, misses); err != nil {
				return err
			}
		}
	}
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

// offer offers tracks of the last scans, counted as these came, to the window.
func (k *Tracker) offer(tracks []mtt.Track) {
	at, from := make(map[int]int), k.w.Len()
	for t := range k.w.Len() {
		at[k.w.Scan(t).Frame] = t
	}
	next := make([][]chain.Node, k.w.Len())
	for t := range next {
		next[t] = make([]chain.Node, k.w.Scan(t).Len())
		slab.Fill(next[t], chain.None)
	}
	places := make([][]int32, k.w.Len()) // of a detection, as it came: where it lies
	for t := range places {
		places[t] = k.read(nil, t)
	}
	for i := range tracks {
		h := tracks[i].Hits
		from = min(from, at[h[0].Frame])
		for n := 1; n < len(h); n++ {
			t, u := at[h[n-1].Frame], at[h[n].Frame]
			next[t][places[t][h[n-1].Det]] = chain.At(u, places[u][h[n].Det])
		}
	}
	k.w.Offer(from, next[from:])
}

// tells is the number of scans that tell a velocity.
func (k *Tracker) tells() int { return refine.Begun(k.turns.between) - older }

// complete reports whether the scan is the last of those that are tracked again: all of them are
// known, and none is settled yet.
func (k *Tracker) complete() bool { return k.known == 1 && k.lesson.steady }

// sketched reports whether the first n scans, of a warm-up that is tracked again, are solved once
// more with others that are known before anything of them is settled: then what is solved meanwhile
// only has to be near.
func (k *Tracker) sketched(n int) bool { return k.known > 1 && n < k.tells() }

// provisional reports whether the first n scans are solved once more before a link between them is
// settled: then a short ascent will do.
func (k *Tracker) provisional(n int) bool { return n < min(k.opts.Lag+2, k.tells()) || k.sketched(n) }

// begins reports whether a track of two detections or more begins in scan from or later.
func begins(links *chain.Links, from int) bool {
	for t := from; t < len(links.Next); t++ {
		for i, next := range links.Next[t] {
			if next != chain.None && links.Prev[t][i] == chain.None {
				return true
			}
		}
	}
	return false
}

// pairs are those of scans inside the gate, of a crowd the nearest ones, capped of each; capped 0:
// all. They are nil where the warm-up of a crowd, of which there are so many scans so far, says
// nothing.
func (k *Tracker) pairs(ctx context.Context, scans []mtt.Scan, sofar int) (gates []gating.CSR, capped int, err error) {
	chain := func(most, capped int) ([]gating.CSR, error) {
		return gating.Chain(ctx, scans, k.model.Gate, &gating.Options{Triplets: most, K: capped, Workers: k.opts.Workers})
	}
	most, nearest, vain := crowded, gating.InCrowd, false
	if !k.lesson.steady || k.sketched(sofar) {
		most, nearest, vain = roughing, few, sofar < telling
	}
	limit := most
	if vain {
		limit = max(most, hopeless*count(scans))
	}
	gates, err = chain(limit, 0)
	switch {
	case err == nil && gating.Count(gates).Triplets <= most:
		return gates, 0, nil
	case err != nil && !errors.Is(err, gating.ErrCrowded):
		return nil, 0, err
	case err != nil && vain:
		return nil, 0, nil
	}
	gates, err = chain(0, nearest)
	return gates, nearest, err
}

// better puts links by a long ascent, and by the refinement of whole tracks, as where all
// scans are tracked, in place of those between detections that are open: an offer that leaves a
// little to be gained in many places is dearer than links that were improved scan by scan, and
// is not taken. The ascent begins from nothing, as from the answer of a short one it stays
// near that. What a short ascent has proved stays, whatever is open elsewhere.
func (k *Tracker) better(ctx context.Context, links *chain.Links, inst *instance.Instance, open [][]bool, misses int) error {
	d, err := dualascent.Solve(ctx, &inst.Dual, &dualascent.Options{Effort: -1, Workers: k.opts.Workers})
	if err != nil {
		return err
	}
	p := newPortion(inst, open)
	part := p.of(inst.Links(d.Next))
	_, err = refine.Links(ctx, part, p.scans, p.gates, k.model.Model.(costgen.Leveled), &refine.Options{Misses: misses, Speed: k.model.MaxSpeed, Sweeps: 8, Workers: k.opts.Workers})
	p.put(links, part)
	return err
}

// doubted are the first detections of the tracks that are doubted, and of those that they may be
// taken for: in order, from scan from of the window on, where their velocities are known by what
// tells scans say before the link; it is no later than begun. A link is doubted once, as long after
// it as a lag of three lets it wait, or a shorter one.
func (k *Tracker) doubted(begun, tells int) (from int, first []chain.Node) {
	wait := min(k.opts.Lag, 3) * (1 + k.turns.between)
	t := k.w.Len() - 1 - wait
	if wait == 0 || t <= begun {
		return begun, nil
	}
	from = max(0, t-tells)
	if first = k.w.Doubts(nil, t, from); len(first) == 0 {
		from = begun
	}
	return from, first
}
