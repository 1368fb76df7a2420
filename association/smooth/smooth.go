// Package smooth says where the targets of finished tracks were, and how surely.
package smooth

import (
	"cmp"
	"runtime"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/internal/workers"
	"mtt/motion"
)

// This file smooths tracks.

// Tracks are the states of each track, given all of its detections: filtered forward,
// each step being smooth or a manoeuvre, whichever is likelier, then smoothed backward.
// A state is there for every scan from the first detection to the last; where the track
// has none it is filled in from both sides. Tracks are of these scans, whose velocities
// are read unless levels are PositionsOnly.
//
// As many goroutines as said do it, 0: one for each processor; the result does
// not depend on it. A state takes a fifth of a microsecond, with the general filter some ten.
func Tracks(scans []mtt.Scan, tracks []mtt.Track, levels *costgen.Levels, goroutines int) []mtt.States {
	if len(tracks) == 0 {
		return nil
	}
	params := levels.Params(tracks[0].Dim)
	if levels.AnyGeneral(scans) {
		return all(motion.NewFull(params), scans, tracks, goroutines)
	}
	return all(motion.NewAxes(params), scans, tracks, goroutines)
}

// all smooths tracks with a filter for each goroutine.
func all[S, E any](filter motion.Filter[S, E], scans []mtt.Scan, tracks []mtt.Track, goroutines int) []mtt.States {
	if goroutines <= 0 {
		goroutines = runtime.GOMAXPROCS(0)
	}
	smoothers := make([]*smoother[S, E], min(goroutines, len(tracks)))
	for w := range smoothers {
		smoothers[w] = &smoother[S, E]{filter: motion.Runner[S, E]{Filter: filter.Fork()}, scans: scans}
	}
	list := make([]mtt.States, len(tracks))
	workers.Each(len(smoothers), len(tracks), func(w, k int) { list[k] = smoothers[w].track(&tracks[k]) })
	return list
}

// A smoother smooths tracks one after another.
type smoother[S, E any] struct {
	filter motion.Runner[S, E]
	scans  []mtt.Scan

	// Of the track at hand, at each scan that it spans.
	states []S
	dt     []float64 // s, to the next state
	kind   []int     // of the step to it
}

// at is the number of the scan of a frame.
func (s *smoother[S, E]) at(frame int) int {
	t, _ := slices.BinarySearchFunc(s.scans, frame, func(s mtt.Scan, f int) int { return cmp.Compare(s.Frame, f) })
	return t
}

// track smooths one track.
func (s *smoother[S, E]) track(tr *mtt.Track) mtt.States {
	out := mtt.States{ID: tr.ID, Dim: tr.Dim}
	if len(tr.Hits) == 0 {
		return out
	}
	first := s.at(tr.Hits[0].Frame)
	n := s.at(tr.Hits[len(tr.Hits)-1].Frame) + 1 - first
	out.Hits, out.Time = make([]mtt.Hit, n), make([]float64, n)
	for k := range n {
		scan := &s.scans[first+k]
		out.Hits[k], out.Time[k] = mtt.Hit{Frame: scan.Frame, Det: -1}, scan.Time
	}
	for _, h := range tr.Hits {
		out.Hits[s.at(h.Frame)-first].Det = h.Det
	}
	s.forward(s.scans[first:first+n], out.Hits)
	s.filter.SmoothTrack(s.states, s.dt, s.kind)

	mean, cov := 2*tr.Dim, mtt.Packed(2*tr.Dim)
	out.Mean, out.Cov = make([]float64, 0, n*mean), make([]float64, 0, n*cov)
	var e motion.Estimate
	for k := range s.states {
		s.filter.Estimate(&e, &s.states[k], nil)
		out.Mean, out.Cov = append(out.Mean, e.X[:mean]...), append(out.Cov, e.P[:cov]...)
	}
	return out
}

// forward filters a track, the hit of each scan given.
func (s *smoother[S, E]) forward(scans []mtt.Scan, hits []mtt.Hit) {
	f := &s.filter
	s.states, s.dt, s.kind = append(s.states[:0], *new(S)), s.dt[:0], s.kind[:0]
	f.Start(&s.states[0], &scans[0], hits[0].Det)
	for from, to := 0, 1; to < len(scans); from, to = to, to+1 {
		for hits[to].Det < 0 { // the last is a detection
			to++
		}
		state := s.states[from]
		kind := f.Advance(&state, scans[to].Time-scans[from].Time, &scans[to], hits[to].Det)
		if to > from+1 {
			state = s.states[from] // through the gap
		}
		for k := from + 1; k <= to; k++ {
			dt := scans[k].Time - scans[k-1].Time
			if to > from+1 {
				f.Predict(&state, dt, kind)
			}
			if k == to {
				f.Update(&state, &scans[k], hits[k].Det)
			}
			s.states, s.dt, s.kind = append(s.states, state), append(s.dt, dt), append(s.kind, kind)
		}
	}
}
