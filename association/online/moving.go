package online

import (
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/association/chain"
	"mtt/association/learn"
	"mtt/costgen"
	"mtt/motion"
)

// This file follows a sensor that moves.
//
// That it does is learnt with the levels, and how it moved till then (learn, egomotion.go). From
// then on each scan is shifted to where its detections are next to most of the tracks, before
// anything else is done with it: window, levels and what is remembered know no other sensor than
// one that stands still. What comes out is told as it was seen.

// A base is what tracks stand on.
type base struct {
	shifts *costgen.Shifts   // of the scans so far; nil: the sensor stands still, or goes straight on
	moved  float64           // nat: by which they were likelier when they were found
	raw    map[int][]float64 // m: positions as they came, by frame, of the scans of the window
}

// recent is the number of scans in which a track must have a detection to say where the sensor is.
const recent = 3

// unheld reports whether it has just been learnt that the sensor moves.
func (k *Tracker) unheld() bool {
	return k.opts.Levels == nil && k.model != nil && k.model.Levels.Shifts != nil
}

// found goes over to what was learnt of the sensor, for all scans that are remembered. The model is left with
// levels of a sensor that stands still.
func (k *Tracker) found() {
	if !k.unheld() {
		return
	}
	s := k.model.Levels.Shifts
	k.base = base{&costgen.Shifts{Dim: s.Dim, Frames: slices.Clone(s.Frames), Pos: slices.Clone(s.Pos)}, k.model.Moved, make(map[int][]float64)}
	for t := range k.recent {
		k.raw[k.recent[t].Frame] = k.recent[t].Pos
	}
	k.recent = k.shifts.Without(k.recent)
	model, levels := *k.model, *k.model.Levels
	levels.Shifts = nil
	model.Levels, k.model = &levels, &model
}

// afresh goes on with a sensor that turns out to move: of the scans before those that were learnt
// from nobody knows where it was. The scan of the step is among them.
func (k *Tracker) afresh(ctx context.Context) error {
	before := len(k.recent) - 1
	if k.w != nil {
		if err := k.turn(k.w.Len() - before); err != nil {
			return err
		}
	}
	k.found()
	return k.step(ctx, &k.recent[before])
}

// hold shifts a scan to where the tracks are.
func (k *Tracker) hold(s *mtt.Scan) {
	if k.shifts == nil || s.Dim != k.shifts.Dim {
		return
	}
	now := k.shifts.Pos[len(k.shifts.Pos)-s.Dim:]
	if places, width := k.expected(s); s.Len() > 0 && len(places) > 0 {
		if to := learn.Offset(places, s, width); to != nil {
			now = to
		}
	}
	k.shifts.Frames, k.shifts.Pos = append(k.shifts.Frames, s.Frame), append(k.shifts.Pos, now...)
	k.raw[s.Frame] = s.Pos
	*s = k.shifts.Without([]mtt.Scan{*s})[0]
}

// expected are the places where the tracks would be at the time of a scan, and twice the standard
// deviation of a detection from there, of half of the tracks.
func (k *Tracker) expected(s *mtt.Scan) (places []float64, width float64) {
	if k.w == nil {
		return nil, 0
	}
	links, last := k.w.Links(), k.w.Len()-1
	var variances []float64
	for t := max(0, last-recent+1); t <= last; t++ {
		for i, p := range links.Prev[t] {
			if p == chain.None || links.Next[t][i] != chain.None {
				continue
			}
			var state motion.Estimate
			variances = append(variances, k.w.Predict(&state, chain.At(t, i), s.Time))
			places = append(places, state.X[:s.Dim]...)
		}
	}
	if len(variances) == 0 {
		return nil, 0
	}
	slices.Sort(variances)
	sigma := k.model.Levels.Sigma
	return places, 2 * math.Sqrt(variances[len(variances)/2]+sigma*sigma)
}

// seen sets the positions of a track's last hit, which is detection det of a scan as it came, to
// where it was seen.
func (b *base) seen(track *mtt.Track, frame, det int) {
	if raw := b.raw[frame]; raw != nil {
		copy(track.At(len(track.Hits)-1), raw[det*track.Dim:])
	}
}

// old forgets the scans before a frame.
func (b *base) old(frame int) {
	if b.shifts == nil {
		return
	}
	t, _ := slices.BinarySearch(b.shifts.Frames, frame)
	b.shifts.Frames, b.shifts.Pos = slices.Delete(b.shifts.Frames, 0, t), slices.Delete(b.shifts.Pos, 0, t*b.shifts.Dim)
}
