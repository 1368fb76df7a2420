package learn

import (
	"context"
	"reflect"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/gating"
)

// This file remembers what pilots found.
//
// Problem. Beginnings of learning differ in little: the first pilot of most has the same cost,
// which needs no levels, and where two lead to the same levels all that follows is the same. Pilots
// are nearly all that learning costs.
//
// Idea. A pilot that is asked for again, of the same detections under the same model, finds what it found.
//
// Invariant. What is learnt is, to the bit, what it would be without.
//
// Cost. For each pilot a comparison with those that are remembered, of levels first; the detections
// and tracks of as many as have [kept] detections together.

// kept is how many detections the remembered pilots have, all together.
const kept = 32 * enough

// A remembering is a pilot that remembers what another found.
type remembering struct {
	Pilot
	known []remembered // in the order in which they were asked for last
	count int          // detections of all
}

// A remembered is what a pilot was asked, and its answer.
type remembered struct {
	scans  []mtt.Scan
	count  int // detections of scans
	model  Model
	levels costgen.Levels // of model, as they were then
	sum    bool
	tracks []mtt.Track
	cost   float64
}

// Track implements [Pilot].
func (r *remembering) Track(ctx context.Context, scans []mtt.Scan, m *Model) (tracks []mtt.Track, cost float64, err error) {
	return r.ask(ctx, scans, m, false, r.Pilot.Track)
}

// Sum implements [Pilot].
func (r *remembering) Sum(ctx context.Context, scans []mtt.Scan, m *Model) (tracks []mtt.Track, cost float64, err error) {
	return r.ask(ctx, scans, m, true, r.Pilot.Sum)
}

// ask is what run finds, or found. Tracks are for all who ask: nobody changes them. Those from
// which the noise of sensors is learnt are not remembered, as they are told it.
func (r *remembering) ask(ctx context.Context, scans []mtt.Scan, m *Model, sum bool, run func(context.Context, []mtt.Scan, *Model) ([]mtt.Track, float64, error)) (tracks []mtt.Track, cost float64, err error) {
	for k := range r.known {
		if a := &r.known[k]; a.sum == sum && a.answers(scans, m) {
			found := *a
			r.known = append(slices.Delete(r.known, k, k+1), found)
			return slices.Clone(found.tracks), found.cost, ctx.Err()
		}
	}
	tracks, cost, err = run(ctx, scans, m)
	if err != nil || m.Levels != nil && m.Levels.Sensing != nil && m.Levels.Sensing.Sigma != nil {
		return tracks, cost, err
	}
	a := remembered{scans: scans, count: int(count(scans)), model: *m, sum: sum, tracks: slices.Clone(tracks), cost: cost}
	if m.Levels != nil {
		a.levels = *m.Levels
	}
	r.known, r.count = append(r.known, a), r.count+a.count
	for r.count > kept {
		r.count -= r.known[0].count
		r.known = slices.Delete(r.known, 0, 1)
	}
	return tracks, cost, nil
}

// answers reports whether a is of such scans and such a model.
func (a *remembered) answers(scans []mtt.Scan, m *Model) bool {
	switch {
	case len(a.scans) != len(scans) || a.model.Coasts != m.Coasts || a.model.MaxSpeed != m.MaxSpeed || (a.model.Levels == nil) != (m.Levels == nil):
		return false
	case m.Levels != nil && !reflect.DeepEqual(&a.levels, m.Levels):
		return false
	case m.Levels == nil && !reflect.DeepEqual(a.model.Cost, m.Cost):
		return false
	}
	return sameGate(a.model.Gate, m.Gate) && reflect.DeepEqual(a.scans, scans)
}

// sameGate reports whether two gates are alike; those that are no values must be one, but for the
// gates of this package.
func sameGate(g, h gating.Gate) bool {
	switch g := g.(type) {
	case *reachGate:
		h, ok := h.(*reachGate)
		return ok && g.speed == h.speed && reflect.DeepEqual(&g.params, &h.params)
	case *innovationGate:
		h, ok := h.(*innovationGate)
		return ok && reflect.DeepEqual(g, h)
	}
	return reflect.TypeOf(g) == reflect.TypeOf(h) && reflect.TypeOf(g).Comparable() && g == h
}
