package learn

import (
	"context"
	"math"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file learns from positions that are rounded more coarsely along one axis than along another,
// as stacks of a microscope are along its own.
//
// Problem. A slow target stays in one slice for many frames, then jumps by the whole thickness. One
// number for the noise of all axes is far too large within the slice or too small across, and
// moments (see [noiseOf]) do not tell: errors of rounding last as long as a target stays in its
// slice. Where tracks end at each jump none has one, and the noise seems to be nothing.
//
// Idea. The grid shows without tracks. Rounding to multiples of q is an error of variance q²/12; so
// each detection tells that it has this one along its axis beside the noise of those axes that are
// rounded least, which even pieces of tracks tell.
//
// Invariant. Where no axis is coarser than another, or none by more than the noise is, nothing
// changes; nor where tracks without breaks keep to one value each: of storeys or lanes, which are
// no roundings.
//
// Cost. A pass over the detections; where an axis is coarse, all of learning once or twice more.

// coarse is m, or what is learnt where detections tell the error of rounding along each axis, if
// that is larger along some than noise is.
func coarse(ctx context.Context, scans []mtt.Scan, opts *Options, run Pilot, m *Model) (best *Model, taken bool, err error) {
	if m.by == nil || m.Levels == nil || opts.round(scans) || m.by.spent() {
		return m, false, nil
	}
	l, least := m.by, costgen.Grid(scans)
	axes := finest(&least, m.Levels.Dim)
	if len(axes) == m.Levels.Dim {
		return m, false, nil
	}
	tracks, err := l.tracked(ctx)
	if err != nil {
		return nil, false, err
	}
	if _, errors, _ := Jumped(l.part, tracks); errors <= shown && !across(tracks, axes) {
		return m, false, nil
	}
	var told costgen.Levels
	best = m
	for range 2 { // tracks in pieces are enough to begin with
		cov, ok := l.gridded(tracks, axes, &least, m.Levels)
		if !ok || told.Cov != [6]float64{} && divergence(told.Cov, cov, m.Levels.Dim) < worth {
			break
		}
		told.Cov = cov
		next, err := still(ctx, told.Told(m.Levels.Shifts.Without(scans)), opts, run)
		if err != nil {
			return nil, false, err
		}
		if next.by == nil || next.by.tracks == nil {
			break
		}
		tracks = next.by.tracks
		best, taken = next.with(m.Levels.Shifts), true
		best.Levels.Cov, best.Moved = cov, m.Moved
		best.Cost = &costgen.Gaussian{Levels: *best.Levels}
	}
	return best, taken, nil
}

// finest turns lengths of a grid to errors of rounding, and returns the axes along which these are
// least, or nearly.
func finest(axes *[3]float64, dim int) (of []int) {
	const nearly = 1.5 // times as coarse: noise of one number for both is 1.3 times too large at most
	smallest := math.Inf(1)
	for d := range dim {
		if axes[d] /= math.Sqrt(12); axes[d] > 0 {
			smallest = min(smallest, axes[d])
		}
	}
	for d := range dim {
		if axes[d] <= nearly*smallest {
			of = append(of, d)
		}
	}
	return of
}

// across reports whether a link of tracks goes along an axis that is not one of these.
func across(tracks []mtt.Track, axes []int) bool {
	fine := [3]bool{}
	for _, d := range axes {
		fine[d] = true
	}
	for i := range tracks {
		for h := 1; h < len(tracks[i].Hits); h++ {
			for d, x := range tracks[i].At(h) {
				if !fine[d] && x != tracks[i].At(h - 1)[d] {
					return true
				}
			}
		}
	}
	return false
}

// gridded is the covariance of detections whose noise tracks show along some axes, and that are
// rounded with such errors along each; false where rounding is no larger than the noise along any,
// or tracks tell nothing.
func (l *learner) gridded(tracks []mtt.Track, axes []int, least *[3]float64, g *costgen.Levels) (cov [6]float64, ok bool) {
	time, part := Times(l.part), costgen.Along(tracks, axes)
	sigma, best := 0.0, math.Inf(-1)
	for _, m := range []motion.Model{walk, motion.Velocity{}} {
		levels := costgen.Levels{Dim: len(axes), Interval: g.Interval, Motion: m, PositionsOnly: true}
		if !costgen.FitSmooth(&levels, part, time) {
			return cov, false
		}
		if nats, _ := costgen.Likelihood(&levels, part, time); nats > best {
			sigma, best = levels.Sigma, nats
		}
	}
	alone, floor := max(sigma*sigma-least[axes[0]]*least[axes[0]], 0), LeastNoise(g)
	for d := range g.Dim {
		cov[d*(d+3)/2] = max(alone+least[d]*least[d], floor*floor)
		ok = ok || 2*least[d] > sigma
	}
	return cov, ok
}
