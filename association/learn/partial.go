package learn

import (
	"cmp"
	"context"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file learns from velocities that are measured along some directions only, as range rates are.
//
// Problem. Where a target is expected next takes its whole velocity. One that is known along the
// line of sight alone, with 0 for what is across, points elsewhere: what shows without any
// association (see [selfPart]), a first pilot and a gate would go wrong by the speed across.
//
// Idea. Positions alone tell all that is needed to begin with, as if no velocity had been measured.
// Then all are tracked with the velocities too, at those levels; what is learnt from these tracks
// is taken where all detections together are likelier for it.
//
// Invariant. A velocity that tells nothing along any direction changes no level but that of its noise.
//
// Cost. Three more pilots.

// partial reports whether scans tell more noise of their velocities than these vary: those of some
// direction are not measured.
func partial(scans []mtt.Scan) bool {
	var noise costgen.Typical
	sum, n := 0.0, 0.0
	for t := range scans {
		noise.Add(scans[t].Dim, scans[t].VelCov)
		for _, v := range scans[t].Vel {
			sum, n = sum+v*v, n+1
		}
	}
	sigma := noise.Sigma()
	return sigma*sigma*n > sum
}

// WithoutVelocities are scans without their velocities.
func WithoutVelocities(scans []mtt.Scan) []mtt.Scan {
	bare := slices.Clone(scans)
	for t := range bare {
		bare[t].Vel, bare[t].VelCov = nil, nil
	}
	return bare
}

// fromPositions learns without velocities, then with them.
func fromPositions(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot) (*Model, error) {
	m, err := still(ctx, WithoutVelocities(scans), opts, run)
	if err != nil || m.Levels == nil || walks(m.Levels) || m.Levels.Sensing != nil && m.Levels.Sensing.Sigma != nil {
		return m, err // a walk has no velocity, and of a sensor whose noise is learnt that of velocities is unknown
	}
	l := newLearner(scans, opts, run, steady(scans))
	levels := *m.Levels
	levels.PositionsOnly, levels.SigmaV = false, l.known.SigmaV
	levels.AlarmSpeed = costgen.FitAlarms(l.part, nil, levels.SpeedStd)
	l.levels, l.speed, l.coasts = &levels, m.MaxSpeed, m.Coasts
	l.floor(l.levels)
	if p := levels.Places; p != nil {
		l.uneven = p.Clutter != nil || p.Targets != nil
	}
	if !vast(scans) && !(l.Accel > 0 && l.all()) {
		if err := l.whole(ctx, cmp.Or(levels.Motion, l.candidates()[0])); err != nil {
			return nil, err
		}
	}
	l.levels.MaxSpeed = m.MaxSpeed
	return learnt(ctx, scans, l.levels, m.Motions, opts, run)
}

// whole counts rates in tracks of the levels so far, and learns all from tracks of those where all
// that was detected is likelier then.
func (l *learner) whole(ctx context.Context, m motion.Model) error {
	tracks, _, err := l.pilot(ctx, l.part, l.model(l.levels))
	if err != nil {
		return err
	}
	if !l.steady {
		l.recount(tracks)
	}
	other, levels := *l, *l.levels
	_, err = l.yields(ctx, &other, &levels, m, 0)
	return err
}
