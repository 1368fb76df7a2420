package learn

import (
	"context"
	"math"

	"mtt"
	"mtt/costgen"
)

// This file learns anew with fewer false alarms where what tracks leave over are targets.
//
// Problem. Where steps are as long as targets are apart and many detections are missed, or targets
// of several kinds move among each other, a first pilot finds few tracks, what it leaves over
// passes for false alarms, and the rates confirm themselves, down to no track at all.
//
// Idea. False alarms are followed by nothing. Where what tracks leave over seems to be followed by
// others, all is learnt with next to no false alarms, and with as many as counts say, which need no
// association: half the mean square by which the count of false alarms differs from that of the
// next scan is their rate, as they are of a Poisson process; a target adds to it unless it is seen
// in both scans, and never takes away. So that bounds the rate, and what is missing from it to all
// detections is how many are followed by another of their target in the next scan, however targets
// move, come, go and hide. It is taken where all that was detected is likelier for it, and what is
// left out of that counts (see excluded), or where counts are too steady for as many false alarms
// as were learnt and tracks have much more nearly as many such links as counts say.
//
// Counts are as steady where a detector reports a fixed number of false alarms: so where evidence
// is against it, nothing is taken whose levels would find half as many links if no detection
// followed another (see [Apart]).
//
// Invariant. Where what is left over is followed by nothing, as of a detector that reports so many
// false alarms in each scan, nothing is tried.
//
// Cost. The self part of what is left over, and where it seems to show successors all pilots twice
// more, of a quarter of the detections that estimates are made from.

// suspect is by how many standard errors the number of successors must be above 0 for another look:
// less than what is shown, as a look in vain costs time only.
const suspect = 3

// fewer learns anew with fewer false alarms where what tracks leave over seems to be followed by
// others, and takes it where all detections are likelier for it, or where counts are too steady for
// what was learnt and the number of links from each scan to the next is less than half as far from
// what they say.
func (l *learner) fewer(ctx context.Context, scans []mtt.Scan) error {
	if !l.countsAlarms() {
		return nil
	}
	if _, errors := l.followedOf(l.tracks); errors < suspect {
		return nil
	}
	mean, varied := counts(l.part)
	some := l.part // of a sample
	if l.size == l.enough() {
		some = window(scans, l.size/4, dozen) // tracks are many where all detections are in one
	}
	same := l.within(some)
	off := func(of *learner) float64 {
		mean, varied := counts(of.part)
		return math.Abs(next(of.part, of.tracks) - (mean - varied))
	}
	best, nearest := same, 0.0
	if steadier(len(l.part), varied, l.levels.Rates.Clutter) {
		nearest = off(l) / 2 // what is hardly nearer is as wrong the other way round
	}
	none := 0.5 / float64(len(some)+1) // what counting makes of none
	for alarms := none; ; {
		other, err := l.learntWith(ctx, some, alarms)
		if err != nil {
			return err
		}
		nats, err := other.over(ctx, best)
		if err != nil {
			return err
		}
		d := off(other)
		take := nats > 0 && len(other.tracks) > 0
		if !take && d < nearest {
			share, err := other.byChance(ctx)
			if err != nil {
				return err
			}
			take = share < 0.5
		}
		if take {
			best, nearest = other, min(nearest, d)
		}
		if alarms > none {
			break
		}
		if alarms = alarmsOf(&other.levels.Rates, mean, varied); alarms <= none {
			break
		}
	}
	if best != same {
		*l = *best
	}
	return nil
}

// within is what was learnt, for some of the scans that it was learnt from: maps say too much of as
// many of these as they say it of all.
func (l *learner) within(some []mtt.Scan) *learner {
	same := *l
	if len(some) < len(l.part) {
		same.part, same.nats = some, math.NaN()
		same.optimism *= count(some) / count(l.part)
	}
	return &same
}

// countsAlarms reports whether the rate of false alarms is open, and one for all that was detected.
func (l *learner) countsAlarms() bool {
	return !l.steady && l.Cost == nil && len(l.Sensors) == 0 && (l.Rates == nil || l.Rates.Clutter <= 0)
}

// learntWith is what is learnt from the start with so many false alarms a scan; 0: as many as are counted.
func (l *learner) learntWith(ctx context.Context, scans []mtt.Scan, alarms float64) (*learner, error) {
	o := *l.Options
	o.Rates = &costgen.Rates{}
	if l.Rates != nil {
		*o.Rates = *l.Rates
	}
	o.Rates.Clutter = alarms
	other := newLearner(scans, &o, l.run, false)
	return other, other.learn(ctx)
}

// alarmsOf is how many false alarms counts speak for, of targets with such rates.
func alarmsOf(r *costgen.Rates, mean, varied float64) float64 {
	return mean - (mean-varied)/(r.Detect*r.Survive)
}

// counts are the number of detections in a scan on average, and half the mean square by which it
// differs from that of the next scan: at least that of false alarms, so that the rest are followed
// by another of their target.
func counts(scans []mtt.Scan) (mean, varied float64) {
	for t := 1; t < len(scans); t++ {
		d := float64(scans[t].Len() - scans[t-1].Len())
		varied += d * d / 2
	}
	return count(scans) / float64(len(scans)), varied / float64(max(1, len(scans)-1))
}

// next is how many links of tracks lead from a scan to the next, on average.
func next(scans []mtt.Scan, tracks []mtt.Track) float64 {
	links, at := 0, mtt.ByFrame(scans)
	for i := range tracks {
		h := tracks[i].Hits
		for n := 1; n < len(h); n++ {
			if at[h[n].Frame] == at[h[n-1].Frame]+1 {
				links++
			}
		}
	}
	return float64(links) / float64(max(1, len(scans)-1))
}

// steadier reports whether the counts of so many scans, with half their mean squared difference,
// are steadier than so many false alarms in each, on average, would be, by two standard errors.
func steadier(scans int, varied, alarms float64) bool {
	return scans > 1 && unsteadiness(scans, varied, alarms) < -2
}

// unsteadiness is by how many standard errors half the mean squared difference of counts exceeds
// what is expected: of its cube root, which is nearly normal [1]. Differences that share a scan
// tell two thirds of what independent ones would.
//
// [1] E. B. Wilson and M. M. Hilferty. The distribution of chi-square. PNAS 17, 1931.
func unsteadiness(scans int, varied, expected float64) float64 {
	variance := 1 / (3 * float64(scans-1)) // of the cube root, relative: 2/9 over 2/3 as many degrees of freedom as there are differences
	return (math.Cbrt(varied/expected) - 1 + variance) / math.Sqrt(variance)
}
