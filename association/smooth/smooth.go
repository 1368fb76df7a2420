// Package smooth says where the targets of finished tracks were, and how surely.
package smooth

import (
	"cmp"
	"context"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/internal/workers"
	"mtt/motion"
)

// This file smooths tracks.

// A Series holds the states of tracks, at most half of what [mtt.States] takes: a track has one for
// each scan from its first detection to its last or, where that were too many, for each of its
// detections. Several goroutines may read it at once.
type Series struct {
	scans  []mtt.Scan
	dim    int
	form   form
	tracks []one
	shifts *costgen.Shifts // which scans are without, and states not
	boxed  bool
}

// A one is what a Series knows of one track.
type one struct {
	id, first int       // first: scan of the first state
	scans     []int32   // of each state; nil: those that follow the first
	dets      []int32   // of each state; -1: none
	values    []float64 // of each state, in the form of the series
	sizes     []float64 // width and height at each; nil: points
}

// scan is that of state k.
func (t *one) scan(k int) int {
	if t.scans != nil {
		return int(t.scans[k])
	}
	return t.first + k
}

// filled is how many states there are at most for a detection if gaps are filled in. Of targets
// that report by themselves each is missed in nearly all scans, and to fill that in takes time and
// memory for all pairs of a target and a report of another.
const filled = 32

// A form is how estimates are kept: as width values each, which keep makes of them, and read a mean
// and a packed covariance of these.
type form struct {
	width int
	keep  func(values []float64, e *motion.Estimate)
	read  func(mean, cov, values []float64)
}

// Tracks are the states of each track, given all of its detections: filtered forward, each step
// being smooth or a manoeuvre, whichever is likelier, then smoothed backward. A state is there for
// every scan from the first detection to the last; where the track has none it is filled in from
// both sides, unless that made more than 32 of each detection, of all tracks together. Tracks are
// of these scans, whose velocities are read unless levels are PositionsOnly. Where levels have
// Shifts, of which the scans are without, positions are those that the sensor saw, velocities those
// beside it on a straight line. Sizes of boxes are smoothed, too.
//
// As many goroutines as said do it, 0: one for each processor; the result does
// not depend on it. A state takes a fifth of a microsecond, with an acceleration that lasts half of one, with the general filter some ten.
func Tracks(scans []mtt.Scan, tracks []mtt.Track, levels *costgen.Levels, goroutines int) *Series {
	s, _ := TracksContext(context.Background(), scans, tracks, levels, goroutines)
	return s
}

// TracksContext is [Tracks], or the error of ctx.
func TracksContext(ctx context.Context, scans []mtt.Scan, tracks []mtt.Track, levels *costgen.Levels, goroutines int) (*Series, error) {
	if len(tracks) == 0 {
		return &Series{dim: 2}, nil
	}
	levels = levels.OfTracks()
	params := levels.Params(tracks[0].Dim)
	var s *Series
	var err error
	switch {
	case levels.Triple(scans):
		s, err = all(ctx, motion.NewTriple(params), params, alike(params.Dim), scans, tracks, goroutines)
	case levels.AnyGeneral(scans):
		s, err = all(ctx, motion.NewFull(params), params, general(params.Dim), scans, tracks, goroutines)
	default:
		s, err = all(ctx, motion.NewAxes(params), params, alike(params.Dim), scans, tracks, goroutines)
	}
	s.shifts = levels.Shifts
	return s, err
}

// general keeps mean and covariance as they are.
func general(dim int) form {
	return form{2*dim + mtt.Packed(2*dim), func(values []float64, e *motion.Estimate) {
		copy(values, e.X[:2*dim])
		copy(values[2*dim:], e.P[:])
	}, func(mean, cov, values []float64) {
		copy(mean, values)
		copy(cov, values[2*dim:])
	}}
}

// alike keeps the covariance of one axis: all have the same, and know nothing of each other.
func alike(dim int) form {
	return form{2*dim + 3, func(values []float64, e *motion.Estimate) {
		copy(values, e.X[:2*dim])
		values[2*dim], values[2*dim+1], values[2*dim+2] = e.Cov(0, 0), e.Cov(dim, 0), e.Cov(dim, dim)
	}, func(mean, cov, values []float64) {
		copy(mean, values[:2*dim])
		clear(cov)
		for n := range dim {
			v := dim + n
			cov[mtt.Packed(n+1)-1], cov[mtt.Packed(v)+n], cov[mtt.Packed(v+1)-1] = values[2*dim], values[2*dim+1], values[2*dim+2]
		}
	}}
}

// all smooths tracks with a filter for each goroutine, unless ctx ends.
func all[S, E any](ctx context.Context, filter motion.Filter[S, E], params *motion.Params, form form, scans []mtt.Scan, tracks []mtt.Track, goroutines int) (*Series, error) {
	out := &Series{scans: scans, dim: tracks[0].Dim, form: form, tracks: make([]one, len(tracks))}
	smoothers := make([]*smoother[S, E], min(workers.Count(goroutines), len(tracks)))
	for w := range smoothers {
		smoothers[w] = &smoother[S, E]{filter: motion.NewRunner(filter.Fork(), params), scans: scans, form: form}
	}
	spans, hits := 0, 0
	for k := range tracks {
		if n := len(tracks[k].Hits); n > 0 {
			spans, hits = spans+smoothers[0].at(tracks[k].Hits[n-1].Frame)+1-smoothers[0].at(tracks[k].Hits[0].Frame), hits+n
		}
	}
	for _, s := range smoothers {
		s.detected = spans > filled*hits
	}
	var sizers []sizer
	if out.boxed = boxed(tracks); out.boxed {
		sizers = []sizer{newSizer(scans, tracks, 0), newSizer(scans, tracks, 1)}
	}
	err := workers.Until(ctx, len(smoothers), len(tracks), func(w, k int) {
		t := smoothers[w].track(&tracks[k])
		if out.boxed {
			t.sizes = make([]float64, 2*len(t.dets))
			for _, s := range sizers {
				s.smooth(t.sizes, &tracks[k], smoothers[w].span)
			}
		}
		out.tracks[k] = t
	})
	return out, err
}

// Len is the number of tracks.
func (s *Series) Len() int { return len(s.tracks) }

// Dim is the number of axes, 2 or 3.
func (s *Series) Dim() int { return s.dim }

// Span is the number of a track, and how many states it has.
func (s *Series) Span(track int) (id, states int) {
	return s.tracks[track].id, len(s.tracks[track].dets)
}

// Hit is the detection that state k of a track has; Det is -1 where it has none.
func (s *Series) Hit(track, k int) mtt.Hit {
	t := &s.tracks[track]
	return mtt.Hit{Frame: s.scans[t.scan(k)].Frame, Det: int(t.dets[k])}
}

// Boxed reports whether states have sizes.
func (s *Series) Boxed() bool { return s.boxed }

// Size is the width and height at state k of a track of boxes.
func (s *Series) Size(track, k int) (width, height float64) {
	z := s.tracks[track].sizes[2*k:]
	return z[0], z[1]
}

// Read sets mean, 2Dim values, and cov, packed, to those of state k of a track, ordered as in
// [mtt.States], and returns its time, s.
func (s *Series) Read(mean, cov []float64, track, k int) (time float64) {
	t, n := &s.tracks[track], s.form.width
	s.form.read(mean, cov, t.values[k*n:(k+1)*n])
	scan := &s.scans[t.scan(k)]
	for x, shift := range s.shifts.At(scan.Frame) {
		mean[x] += shift
	}
	return scan.Time
}

// States are the states of each track in slices of their own; nil where there are no tracks.
func (s *Series) States(goroutines int) []mtt.States {
	if len(s.tracks) == 0 {
		return nil
	}
	list := make([]mtt.States, len(s.tracks))
	mean, cov := 2*s.dim, mtt.Packed(2*s.dim)
	workers.Each(workers.Count(goroutines), len(list), func(_, track int) {
		id, n := s.Span(track)
		out := &list[track]
		if out.ID, out.Dim = id, s.dim; n == 0 {
			return
		}
		out.Hits, out.Time = make([]mtt.Hit, n), make([]float64, n)
		out.Mean, out.Cov = make([]float64, n*mean), make([]float64, n*cov)
		for k := range n {
			out.Hits[k] = s.Hit(track, k)
			if s.boxed {
				width, height := s.Size(track, k)
				out.Size = append(out.Size, width, height)
			}
			out.Time[k] = s.Read(out.Mean[k*mean:(k+1)*mean], out.Cov[k*cov:(k+1)*cov], track, k)
		}
	})
	return list
}

// A smoother smooths tracks one after another.
type smoother[S, E any] struct {
	filter motion.Runner[S, E]
	scans  []mtt.Scan
	form   form

	detected bool // there are states at detections only

	span []mtt.Scan // those of the track at hand that have a state

	// Of the track at hand: what was measured, in one piece of memory, as scans one after another
	// have theirs far apart; and at each scan that it spans:
	measured mtt.Scan
	states   []S
	dt       []float64 // s, to the next state
	kind     []int     // of the step to it
	state    S         // workspace
}

// at is the number of the scan of a frame.
func (s *smoother[S, E]) at(frame int) int {
	t, _ := slices.BinarySearchFunc(s.scans, frame, func(s mtt.Scan, f int) int { return cmp.Compare(s.Frame, f) })
	return t
}

// track smooths one track.
func (s *smoother[S, E]) track(tr *mtt.Track) one {
	if len(tr.Hits) == 0 {
		return one{id: tr.ID}
	}
	out := one{id: tr.ID, first: s.at(tr.Hits[0].Frame)}
	if s.detected {
		s.span = make([]mtt.Scan, len(tr.Hits))
		for k, h := range tr.Hits {
			t := s.at(h.Frame)
			s.span[k], out.scans = s.scans[t], append(out.scans, int32(t))
		}
	} else {
		s.span = s.scans[out.first : s.at(tr.Hits[len(tr.Hits)-1].Frame)+1]
	}
	scans, next := s.span, 0
	out.dets, out.values = make([]int32, len(scans)), make([]float64, len(scans)*s.form.width)
	for k := range scans {
		if out.dets[k] = -1; scans[k].Frame == tr.Hits[next].Frame {
			out.dets[k] = int32(tr.Hits[next].Det)
			next++
		}
	}
	s.gather(tr, scans, out.dets)
	s.forward(scans, out.dets)
	s.filter.SmoothTrack(s.states, s.dt, s.kind, &s.measured, func(k int) bool { return out.dets[k] >= 0 })

	var e motion.Estimate
	for k := range s.states {
		s.filter.Estimate(&e, &s.states[k], nil)
		s.form.keep(out.values[k*s.form.width:(k+1)*s.form.width], &e)
	}
	return out
}

// gather makes measured of the detection of each scan; where there is none it repeats one, which
// nobody reads. What the track holds itself is taken from there, one hit beside the other.
func (s *smoother[S, E]) gather(tr *mtt.Track, scans []mtt.Scan, dets []int32) {
	m := &s.measured
	m.Dim, m.Pos, m.Vel, m.Cov, m.VelCov = scans[0].Dim, m.Pos[:0], m.Vel[:0], m.Cov[:0], m.VelCov[:0]
	var scan *mtt.Scan
	det, hit := 0, -1
	for k, d := range dets {
		if d >= 0 {
			scan, det = &scans[k], int(d)
			hit++
		}
		m.Pos = append(m.Pos, tr.At(hit)...)
		if len(tr.Vel) == len(tr.Pos) {
			m.Vel = append(m.Vel, tr.Vel[hit*tr.Dim:(hit+1)*tr.Dim]...)
		} else {
			m.Vel = append(m.Vel, scan.VelAt(det)...)
		}
		m.Cov, m.VelCov = append(m.Cov, scan.CovAt(det)...), append(m.VelCov, scan.VelCovAt(det)...)
	}
}

// forward filters the track that was gathered.
func (s *smoother[S, E]) forward(scans []mtt.Scan, dets []int32) {
	f := &s.filter
	s.states, s.dt, s.kind = append(s.states[:0], *new(S)), s.dt[:0], s.kind[:0]
	f.Start(&s.states[0], &s.measured, 0)
	for from, to := 0, 1; to < len(scans); from, to = to, to+1 {
		for dets[to] < 0 { // the last is a detection
			to++
		}
		state := &s.state
		*state = s.states[from]
		kind := f.Advance(state, scans[to].Time-scans[from].Time, &s.measured, to)
		if to > from+1 {
			*state = s.states[from] // through the gap
		}
		for k := from + 1; k <= to; k++ {
			dt := scans[k].Time - scans[k-1].Time
			if to > from+1 {
				f.Predict(state, dt, kind)
			}
			if k == to {
				f.Take(state, &s.measured, k, kind)
			}
			s.states, s.dt, s.kind = append(s.states, *state), append(s.dt, dt), append(s.kind, kind)
		}
	}
}
