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
// Idea. A detection of a target has a successor within reach and one of chance has not, which takes no
// association to see (see [selfPart]). The number of successors of all detections up to some confidence
// says how many of them are of targets. Those below the greatest confidence to which next to no target
// is lost are left out; noise, motion and speed are learnt as if there were only the others. Then
// all are tracked with these levels, and rates, places and what a confidence is worth are counted in the tracks.
//
// Invariant. Without confidences, where few detections are surely false, or where tiles stand for the scans, nothing is left out.
//
// Cost. Sorting the pairs of a self part, and one more pilot.

// lost is the share of the targets' detections that may be left out with false ones: one more miss in
// ten detections changes no estimate but that of the misses, which are counted again.
const lost = 0.1

// sure returns the scans without detections that are surely false; nil where less than
// a tenth are, which do not mislead.
func sure(scans []mtt.Scan) []mtt.Scan {
	if !slices.ContainsFunc(scans, func(s mtt.Scan) bool { return s.Conf != nil }) {
		return nil
	}
	least := doubtful(window(scans, enough, dozen))
	all, left := 0, make([]mtt.Scan, len(scans))
	for t := range scans {
		s := &scans[t]
		var at []int32
		for i, c := range s.Conf {
			if c >= least {
				at = append(at, int32(i))
			}
		}
		all, left[t] = all+s.Len(), s.Pick(at)
	}
	if count(left) > 0.9*float64(all) {
		return nil
	}
	return left
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

// fromSure learns from the sure ones of scans, then counts in all.
func fromSure(ctx context.Context, scans, sure []mtt.Scan, opts *Options, run Pilot) (*Model, error) {
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
	volume, levels := l.levels.Rates.Volume, *m.Levels
	levels.Rates.Clutter += (count(scans) - count(sure)) / float64(len(scans))
	levels.Rates.Volume = volume
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
