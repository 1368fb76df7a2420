package learn

import (
	"context"

	"mtt"
)

// This file learns that targets wander in what carries all of them along, or seen by a sensor that
// drifts, where nobody said how they move.
//
// A walk knows no common velocity. Where there is one, other motions seem likelier: a velocity of
// each target that falls back to zero, or turns at each step. That targets wander once it is taken
// out shows without tracks: how far they get grows with the root of time.

// straighter is how many times as large as that of bends the variance of steps is from which on no
// track wanders, whichever motion has made it: of a walk it is twice as large, of noise alone 4/3,
// and of targets that go anywhere on straight lines as many times as these are long.
const straighter = 4

// rooted is the number of scans from which on a root of time is told from a line: targets that
// stand and then all walk off look carried in a dozen.
const rooted = 20

// typical is the variance within bends, half of which have less.
func typical(all []bend) float64 {
	var within []float64
	for k := range all {
		for _, s := range all[k].spread {
			within = append(within, s*s)
		}
	}
	if len(within) == 0 {
		return 0
	}
	return median(within)
}

// carried is m, or what is learnt of a walk without the drift that the tracks of m have in common,
// if all that was detected is likelier then.
func carried(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot, m *Model) (*Model, error) {
	l := m.by
	if l == nil || m.Levels == nil || opts.Motion != nil || len(scans) < rooted || walks(m.Levels) || opts.rests(scans) || l.spent() || len(l.tracks) == 0 {
		return m, nil
	}
	dim := m.Levels.Dim
	steps := bends(l.part, l.tracks, dim, true)
	if !moves(steps, dim) || straighter*typical(bends(l.part, l.tracks, dim, false)) < typical(steps) {
		return m, nil
	}
	if s := settled(l.part, steps, dim, true); s == nil || !newLearner(s.Without(l.part), opts, run, l.steady).wanders() {
		return m, nil
	}
	before := m.Levels.Shifts
	all := before.Without(scans)
	tracks, _, err := run.Track(ctx, all, l.model(l.levels))
	if err != nil {
		return nil, err
	}
	shifts := before.Plus(settled(all, bends(all, tracks, dim, true), dim, true))
	o := *opts
	o.Motion = walk
	walked, err := still(ctx, shifts.Without(scans), &o, run)
	if err != nil {
		return nil, err
	}
	if walked, err = moving(ctx, shifts.Without(scans), &o, run, walked); err != nil || walked.by == nil {
		return m, err
	}
	shifts = shifts.Plus(walked.Levels.Shifts)
	nats, err := walked.by.likelier(ctx, shifts)
	if err != nil {
		return nil, err
	}
	most, err := l.evidence(ctx)
	if err == nil && before != nil {
		most, err = l.likelier(ctx, before)
	}
	if err != nil || nats <= most {
		return m, err
	}
	walked = walked.with(shifts)
	walked.Moved = m.Moved + nats - most
	walked.Motions = []Likelihood{{walk, nats}}
	for _, other := range m.Motions {
		if other.Motion != walk {
			other.Nats += most - m.Motions[0].Nats
			walked.Motions = append(walked.Motions, other)
		}
	}
	return walked, nil
}
