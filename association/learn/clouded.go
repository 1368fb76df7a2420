package learn

import (
	"cmp"
	"context"
	"slices"

	"mtt"
)

// This file learns where false alarms lie where they pass for targets that come and soon go.
//
// Problem. Trees in the wind, or waves, give false alarms at the same places again and again. As
// false alarms were taken to lie anywhere, some that lie so near to each other are likelier a
// target: tracks of a few detections are made of them, so that few detections are left over,
// targets are counted that come and go all the time, and the rates confirm themselves. A map of
// where false alarms lie is learnt only where many detections are in no track, or seem to turn
// (see [learner.otherwise]).
//
// Idea. Begin with a map in which the detections of short tracks are false, too. Where these do
// not lie more densely in places there is none, and no reason to. What is learnt from there is
// taken where all detections together are likelier for it, so that targets that come from one
// place and move on stay targets: the map says nothing of what follows what. But a map alone may
// make them likelier, where many targets come from one place: so they must be likelier than from
// maps of all tracks, too, and most detections of short tracks must be left out in the end.
//
// Invariant. Where no track is much shorter than most, or short ones lie anywhere, nothing is
// tried.
//
// Cost. The pilots of one course, or two where the first is likelier, and the sum over all ways to
// join what was detected.

// clouded goes on from what was learnt with a map of where false alarms lie, learnt as if short
// tracks were of them, and takes what comes of it where all detections together are likelier.
func (l *learner) clouded(ctx context.Context) error {
	if l.Hasty || l.spent() || l.uneven || !l.countsAlarms() {
		return nil
	}
	tracks, err := l.tracked(ctx)
	if err != nil {
		return err
	}
	long := longest(tracks)
	if len(long) == 0 || len(long) == len(tracks) {
		return nil
	}
	other := l.mapped(long)
	if p := other.levels.Places; p == nil || p.Clutter == nil {
		return nil
	}
	m := cmp.Or(l.levels.Motion, l.candidates()[0])
	best := *l
	if taken, err := best.yields(ctx, other, other.levels, m, 0); err != nil || !taken || 2*hits(other.tracks) > hits(tracks)+hits(long) {
		return err
	}
	all := l.mapped(tracks)
	if err := all.again(ctx, all.levels, m); err != nil {
		return err
	}
	nats, err := other.over(ctx, all)
	if err == nil && (nats > 0 || len(all.tracks) == 0) {
		*l = *other
	}
	return err
}

// mapped is l with the rates of tracks and maps of where their targets and all other detections
// lie.
func (l *learner) mapped(tracks []mtt.Track) *learner {
	of, levels := *l, *l.levels
	of.levels, of.uneven, levels.Rates = &levels, true, l.counted(tracks)
	of.places(tracks)
	return &of
}

// longest are the tracks with at least a quarter as many detections as the one that has the middle
// of all detections in tracks, these in order of the length of their tracks.
func longest(tracks []mtt.Track) []mtt.Track {
	lengths := make([]int, len(tracks))
	for i := range tracks {
		lengths[i] = len(tracks[i].Hits)
	}
	slices.Sort(lengths)
	n, all, middle := 0, hits(tracks), 0
	for k := 0; 2*n < all; k++ {
		middle = lengths[k]
		n += middle
	}
	return slices.DeleteFunc(slices.Clone(tracks), func(t mtt.Track) bool { return 4*len(t.Hits) < middle })
}
