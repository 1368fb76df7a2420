package learn

import (
	"cmp"
	"context"
)

// This file goes on with next to no false alarms where targets are seldom seen.
//
// Problem. A target that is missed more often than not, and turns, is lost where it turns: its
// track breaks, and what follows, a few detections at long intervals, passes for false alarms.
// Mended tracks, in which turns are looked for, pass over one missed scan only, which is less
// than a usual gap, and [learner.fewer] looks for successors in the next scan, where none show.
// So no turns are learnt, and the rates confirm themselves.
//
// Idea. With next to no false alarms a pilot makes tracks of what was left over, and turns show in
// these. Noise and motion are right by then, so that what is learnt goes on with next to none:
// learnt from the start without, a first pilot would link whatever lies nearest (file freely.go).
// After turns have been looked for false alarms are counted again, and what comes of it is taken
// where all detections together are likelier for it.
//
// Invariant. Where targets are detected more often than not, or next to nothing passes for a false
// alarm, nothing is tried.
//
// Cost. The pilots of two courses, and of a third where turns are looked for.

// barely goes on from what was learnt with next to no false alarms, where targets are missed more
// often than not, and takes what comes of it where all detections together are likelier for it.
func (l *learner) barely(ctx context.Context) error {
	none := 0.5 / float64(len(l.part)+1) // what counting makes of none
	r := &l.levels.Rates
	if l.Hasty || l.spent() || !l.countsAlarms() || Usual(r) == 0 || r.Clutter <= 2*none {
		return nil
	}
	other, levels := *l, *l.levels
	m := cmp.Or(levels.Motion, l.candidates()[0])
	other.known.Rates.Clutter, levels.Rates.Clutter = none, none
	if err := other.again(ctx, &levels, m); err != nil || len(other.tracks) == 0 {
		return err
	}
	first := other
	if err := other.turning(ctx, &first, m); err != nil || l.spent() {
		return err
	}
	other.known.Rates.Clutter = 0
	levels = *other.levels
	_, err := l.yields(ctx, &other, &levels, m, 0)
	return err
}
