package association

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/association/chain"
	"mtt/association/learn"
	"mtt/association/refine"
	"mtt/costgen"
	"mtt/motion"
)

// This file refines tracks once more where positions jump, and stay there for some scans or for good.
//
// Problem. A target whose position jumps, by a reflection that lasts some scans or because it moves
// at once, turns twice as sharply as any other does. Tracks end there, or pass over what lasts as
// over misses, and what is over there are tracks of its own: of births and deaths that explain it.
//
// Idea. Who comes has nothing to do with who went. So where parts of tracks end, at gaps too, and
// others begin nearby in the next scan by more than chance has it, these are joined, jumps are
// learnt from the tracks that come of it, and rates, which know nothing of births then, and all is
// refined with these.
//
// Invariant. It is kept where everything that was detected is likelier by more than three more
// numbers are worth, those jumps being likelier that lead back to where the target would be; else
// all is as it was.
//
// Cost. A look at the ends of tracks and at those that begin nearby, fewer than detections; where
// these show it, some refinements more.

// jumps refines links again with positions that jump, where ends of tracks and of gaps show them,
// and keeps that where all tracks are likelier.
func (r *run) jumps(ctx context.Context, scans []mtt.Scan, res *Result, links *chain.Links, o *refine.Options) (kept bool, err error) {
	const rounds = 3
	model := res.Model.(costgen.Leveled)
	levels := model.Noise()
	if r.pilot || r.known() != nil || o.Seldom || r.Divides || levels.Sensing != nil || levels.Motion == motion.Model(motion.Walk{}) {
		return false, nil
	}
	joined := r.rejoined(scans, links)
	if joined == nil {
		return false, nil
	}
	before, usual := links.Clone(), levels.Whole
	price, n := whole(links, scans, model)+expected(levels.OfTracks(), scans), 0
	*links = *joined
	again := func() (found bool, err error) {
		time := learn.Times(scans)
		for range rounds {
			tracks := links.Tracks(scans, false)
			learnt := costgen.FitJumps(levels.OfTracks(), tracks, time, r.Sigma == 0, r.Accel == 0)
			if learnt == nil {
				return false, nil
			}
			learnt.Whole, levels.Whole = nil, learnt
			learnt.Rates = learn.Counted(scans, tracks, r.Rates, learnt)
			if learnt.Lasting.Share > 0 {
				if learnt.Lasting, _ = costgen.FitLasting(lapses(links)); learnt.Lasting.Share == 1 {
					learnt.Lasting = costgen.Lasting{}
				}
			}
			n = hits(tracks)
			changed, err := refine.Links(ctx, links, scans, res.Instance.Gates, model, o)
			if err != nil {
				return false, err
			}
			if changed == 0 {
				break
			}
		}
		const numbers = 3 // how many jump, how far, and how soon they come back
		back := refine.Returned(links.Tracks(scans, false), scans, model)
		return whole(links, scans, model)+expected(levels.OfTracks(), scans)-back+numbers/2.*math.Log(float64(n)) < price, nil
	}
	if kept, err = again(); !kept {
		*links, levels.Whole = *before, usual
	}
	res.Levels.Whole = levels.Whole
	return kept, err
}

// expected is what prices leave out of the likelihood of all that was detected: the numbers of
// targets and false alarms that rates expect.
func expected(g *costgen.Levels, scans []mtt.Scan) float64 {
	n := float64(len(scans))
	return g.Rates.Targets + (n-1)*g.Rates.Births + n*g.Rates.Clutter
}

// rejoined are links with what ends in a scan, there or at a gap, joined to what begins nearby in
// one of the next, where ends and beginnings show that this is no chance: the soonest first, of
// these the nearest. nil: they do not, or so many begin about as near to each end, more in all than
// there are detections, that the nearest is chance.
func (r *run) rejoined(scans []mtt.Scan, links *chain.Links) *chain.Links {
	const beyond = 3 // scans
	parts := links.Clone()
	for t := range parts.Next {
		for i, next := range parts.Next[t] {
			if int(next.T) > t+1 {
				parts.Unlink(chain.At(t, i))
			}
		}
	}
	_, errors, within := learn.Jumped(scans, r.listed.of(parts, scans, false))
	if errors <= following {
		return nil
	}
	most := detections(scans)
	var pairs []pair
	for later := 1; later <= beyond; later++ { // those of the next scan first
		for t := 0; t+later < len(scans); t++ {
			var ends, begins []int32
			for i, next := range parts.Next[t] {
				if next == chain.None && parts.Prev[t][i] != chain.None {
					ends = append(ends, int32(i))
				}
			}
			for j, prev := range parts.Prev[t+later] {
				if prev == chain.None && parts.Next[t+later][j] != chain.None {
					begins = append(begins, int32(j))
				}
			}
			if pairs = near(pairs[:0], &scans[t], &scans[t+later], ends, begins, within, most); len(pairs) > most {
				return nil
			}
			for _, p := range pairs {
				from, to := chain.At(t, int(p.end)), chain.At(t+later, int(p.begin))
				if parts.Next[from.T][from.Det] == chain.None && parts.Prev[to.T][to.Det] == chain.None {
					parts.Link(from, to)
				}
			}
		}
	}
	// Gaps that nothing was found in stay as they are.
	for t := range links.Next {
		for i, next := range links.Next[t] {
			if next != chain.None && parts.Next[t][i] == chain.None && parts.Prev[next.T][next.Det] == chain.None {
				parts.Link(chain.At(t, i), next)
			}
		}
	}
	return parts
}

// A pair is a detection at which a track ends, of one scan, and one at which another begins, of a later one.
type pair struct {
	length     float64 // m
	end, begin int32
}

// near appends to dst the pairs of some detections of both scans that lie at most so far apart, the
// nearest first; it gives up with more than most.
func near(dst []pair, a, b *mtt.Scan, ends, begins []int32, within float64, most int) []pair {
	slices.SortFunc(begins, func(i, j int32) int { return cmp.Compare(b.At(int(i))[0], b.At(int(j))[0]) })
	for _, i := range ends {
		x := a.At(int(i))
		from, _ := slices.BinarySearchFunc(begins, x[0]-within, func(j int32, least float64) int { return cmp.Compare(b.At(int(j))[0], least) })
		for _, j := range begins[from:] {
			y := b.At(int(j))
			if y[0] > x[0]+within {
				break
			}
			d := 0.0
			for k := range x {
				d = math.Hypot(d, y[k]-x[k])
			}
			if d > within {
				continue
			}
			if dst = append(dst, pair{d, i, j}); len(dst) > most {
				return dst
			}
		}
	}
	slices.SortFunc(dst, func(p, q pair) int {
		return cmp.Or(cmp.Compare(p.length, q.length), cmp.Compare(p.end, q.end), cmp.Compare(p.begin, q.begin))
	})
	return dst
}
