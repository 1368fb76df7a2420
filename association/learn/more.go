package learn

import (
	"context"

	"mtt"
)

// This file learns anew with more false alarms where targets are learnt to turn all the time, or
// chance would make half of the links, and counts say that it may be these.
//
// Problem. Tracks that may turn in any step, or whose noise is as large as false alarms are apart,
// take false alarms for detections of targets, and the more they take the more they turn. Rates
// that are counted in such tracks, and turns that are learnt from them, confirm each other, though
// the detections are far less likely under both than they are under what is true.
//
// Idea. Counts bound the rate of false alarms without association (file fewer.go), and with how
// many of the targets are detected and stay they say what it is. Where they vary more than they
// would by what was learnt, all is learnt anew with as many, once more from there with as many as
// its tracks leave over, and what comes of it is taken where all that was detected is likelier for
// it.
//
// Cost. All pilots once more, where counts vary too much by as much as is [suspect], or by one
// standard error among false alarms where turns are learnt in one of ten steps and more, or scans
// that are moved apart (file apart.go) have half as many links, which takes one more: a look in
// vain costs time only.

// more learns anew with as many false alarms as counts speak for, where these are many and counts
// vary clearly more than by what was learnt, or more and turns are frequent or links mostly chance.
func (l *learner) more(ctx context.Context, scans []mtt.Scan) error {
	const often = 0.1 // turns in a step
	if !l.countsAlarms() {
		return nil
	}
	mean, varied := counts(l.part)
	r := &l.levels.Rates
	alarms := min(alarmsOf(r, mean, varied), mean)
	errors := unsteadiness(len(l.part), varied, mean-(mean-r.Clutter)*r.Detect*r.Survive)
	if alarms < many*mean || errors < 1 {
		return nil
	}
	if l.levels.ManoeuvreProb < often && errors < suspect {
		if share, err := l.byChance(ctx); err != nil || share < 0.5 {
			return err
		}
	}
	other, err := l.learntWith(ctx, scans, alarms)
	if err != nil || len(other.tracks) == 0 {
		return err
	}
	open, from := *other, *other.levels
	open.Options, open.known = l.Options, l.known
	nats, err := other.over(ctx, l)
	if err != nil {
		return err
	}
	if nats > 0 {
		*l = *other
	}
	_, err = l.yields(ctx, &open, &from, from.Motion, 0)
	return err
}
