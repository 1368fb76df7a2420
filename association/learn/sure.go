package learn

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
)

// This file learns without the detections that are surely false by the detector's own confidence.
//
// Problem. A detector that is asked for every box that it doubts gives many more false ones than
// true ones. Each weighs as much as a true one wherever there is no track yet: in how far a
// successor is, in the first pilot's tracks, in the noise and motion that are learnt from these,
// and so in what the next pilot takes for a track.
//
// Idea. A detection of a target has a successor within reach and one of chance has not, which takes
// no association to see (see [selfPart]). The number of successors of all detections up to some
// confidence says how many of them are of targets. Those below the greatest confidence to which
// next to no target is lost are left out; noise, motion and speed are learnt as if there were only
// the others. Then all are tracked with these levels, and rates, places and what a confidence is
// worth are counted in the tracks.
//
// A map of confidences is relative to all detections. What those that are left out make of it is
// known from the tracks of the others: the tracks of all would be made with false alarms of high
// confidence as frequent among many as among few. The field is that of the others, too: over a
// picture full of false alarms births would be as much rarer as it is larger than where targets
// are.
//
// Invariant. Without confidences, where few detections are surely false, or where tiles stand for
// the scans, nothing is left out.
//
// Cost. Sorting the pairs of a self part, and one more pilot.

// lost is the share of the targets' detections that may be left out with false ones: one more miss in
// ten detections changes no estimate but that of the misses, which are counted again.
const lost = 0.1

// sure returns the scans without detections that are surely false, and which of each scan these
// are; nil where less than a tenth are, which do not mislead.
func sure(scans []mtt.Scan) (left []mtt.Scan, index [][]int32) {
	if !slices.ContainsFunc(scans, func(s mtt.Scan) bool { return s.Conf != nil }) {
		return nil, nil
	}
	least := doubtful(window(scans, enough, dozen))
	left, index = make([]mtt.Scan, len(scans)), make([][]int32, len(scans))
	for t := range scans {
		s := &scans[t]
		for i, c := range s.Conf {
			if c >= least {
				index[t] = append(index[t], int32(i))
			}
		}
		left[t] = s.Pick(index[t])
	}
	if count(left) > 0.9*count(scans) {
		return nil, nil
	}
	return left, index
}

// surely is the share of true ones below which detections are surely false.
const surely = 0.1

// doubtful is the confidence below which what is surely false outnumbers what is not the most, of those below
// which no more than the share lost of the true ones are, as far as one standard error allows. Half of
// the successors are within reach, and of those before.
func doubtful(scans []mtt.Scan) (least float64) {
	reach := newSelfPart(scans, 1).core()
	next := selfPartWithin(scans, 1, manyPairs, reach, 1)
	back := slices.Clone(scans)
	slices.Reverse(back)
	last := selfPartWithin(back, 1, manyPairs, reach, 1)
	pairs := slices.Concat(next.changes, last.changes)
	slices.SortStableFunc(pairs, func(a, b change) int { return cmp.Compare(a.conf, b.conf) })
	var confs []float64
	for t := range scans {
		confs = append(confs, scans[t].Conf...)
	}
	slices.Sort(confs)
	var total, squares, sum, noise, best float64
	for _, p := range pairs {
		total += p.w
		squares += p.w * p.w
	}
	bound, share := lost*(total-math.Sqrt(squares)), (next.looked+last.looked)/float64(len(confs))
	least = math.Inf(-1)
	if bound <= 0 { // nothing shows that there are targets, and so not which are false
		return least
	}
	k := 0
	for n, c := range confs {
		for ; k < len(pairs) && pairs[k].conf < c; k++ {
			sum += pairs[k].w
			noise += pairs[k].w * pairs[k].w
		}
		if gain := share*float64(n) - 2*sum/surely; gain > best && sum+math.Sqrt(noise) <= bound {
			least, best = c, gain
		}
	}
	return least
}

// fromSure learns from the sure ones of scans, those of index, then counts in all.
func fromSure(ctx context.Context, scans, sure []mtt.Scan, index [][]int32, opts *Options, run Pilot) (*Model, error) {
	o := *opts
	if o.Rates != nil {
		r := *o.Rates
		r.Clutter = 0 // what is said of false alarms is said of all
		o.Rates = &r
	}
	m, err := learn(ctx, sure, &o, run)
	if err != nil {
		return nil, err
	}
	l := newLearner(scans, opts, run, steady(scans))
	levels := *m.Levels
	levels.Rates.Clutter += (count(scans) - count(sure)) / float64(len(scans))
	if m.by != nil {
		levels.Confidence = costgen.FitConfidence(amongAll(scans, index, m.by.part, m.by.tracks))
	}
	l.levels, l.speed = &levels, m.MaxSpeed
	if p := levels.Places; p != nil {
		l.uneven = p.Clutter != nil || p.Targets != nil
		levels.Places = &costgen.Places{Births: p.Births, Deaths: p.Deaths} // densities were of the sure ones
	}
	tracks, _, err := l.pilot(ctx, l.part, l.model(l.levels))
	if err != nil {
		return nil, err
	}
	l.recount(tracks)
	l.levels.MaxSpeed = m.MaxSpeed
	return learnt(ctx, scans, l.levels, m.Motions, opts, run)
}

// amongAll is part of the sure ones, and tracks of it, among all detections of scans.
func amongAll(scans []mtt.Scan, index [][]int32, part []mtt.Scan, tracks []mtt.Track) ([]mtt.Scan, []mtt.Track) {
	at := mtt.ByFrame(scans)
	all := make([]mtt.Scan, len(part))
	for t := range part {
		all[t] = scans[at[part[t].Frame]]
	}
	of := slices.Clone(tracks)
	for i := range of {
		of[i].Hits = slices.Clone(of[i].Hits)
		for h := range of[i].Hits {
			hit := &of[i].Hits[h]
			hit.Det = int(index[at[hit.Frame]][hit.Det])
		}
	}
	return all, of
}
