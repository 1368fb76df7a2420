package learn

import (
	"context"

	"mtt"
	"mtt/costgen"
)

// This file learns what takes many detections, once a sample has told levels.
//
// Problem. A sample tells a few numbers as exactly as answers need them. A map of where false alarms
// and targets lie is hundreds, and what it says is worth a nat for each detection that may be false.
//
// Idea. Once levels are known, no pilot but one is needed for such a map. So as many detections as
// are learnt from without a sample, in as many windows over all time as have two dozen scans each,
// are tracked once with the levels of the sample. Rates, places and what a confidence is worth are
// learnt from these tracks, and maps of where false alarms and targets lie. Where all those detections
// together are likelier for the maps, all of this is learnt once more from the tracks that these make;
// else there are no maps.
//
// Invariant. Nothing changes where there is no sample, or half as many detections are in its large
// window.
//
// Cost. Two pilots, each with the sum over all ways to join what was detected; the second one only
// where false alarms may lie unevenly.

// surveyWindows is the greatest number of windows of a survey.
const surveyWindows = 8

// surveyed are the windows of a survey of scans.
func surveyed(scans []mtt.Scan) (windows [][]mtt.Scan) {
	n := min(int(enough*float64(len(scans))/count(scans)/(2*dozen)), surveyWindows)
	var last span
	for k := range n {
		w := spanAt(scans, k*(len(scans)-1)/max(1, n-1), enough/n, 2*dozen)
		if !w.overlaps(last) {
			windows, last = append(windows, w.of(scans)), w
		}
	}
	return windows
}

// survey learns rates and places of scans whose other levels were learnt from a sample.
func (m *Model) survey(ctx context.Context, scans []mtt.Scan, opts *Options) error {
	l := m.by
	if s := opts.sample; s == nil || count(s.part.of(scans)) > enough/2 || l == nil || l.steady || l.Hasty || l.spent() {
		return nil
	}
	if opts.Open || m.Unbelieved != "" || m.Levels == nil || m.Levels.Shifts != nil || l.Levels != nil {
		return nil
	}
	windows := surveyed(scans)
	if len(windows) < 2 {
		return nil
	}
	of, levels := *l, *m.Levels
	of.levels, of.part, of.optimism = &levels, windows[0], 0
	parts, most, err := of.weighIn(ctx, windows)
	if err != nil {
		return err
	}
	even := !of.uneven
	of.uneven = true
	recounted := func() *costgen.Levels {
		fresh := *m.Levels
		of.levels = &fresh
		of.recountIn(parts...)
		fresh.Occlusion = m.Levels.Occlusion // it is of windows without gaps
		return &fresh
	}
	next := recounted()
	if p := next.Places; even && p != nil && p.Clutter != nil {
		optimism := of.optimism
		of.optimism = 0
		again, nats, err := of.weighIn(ctx, windows)
		if err != nil {
			return err
		}
		if nats-optimism > most {
			parts = again
		} else {
			of.uneven = false
		}
		next = recounted()
	}
	m.Cost, m.Levels = &costgen.Gaussian{Levels: *next}, next
	return nil
}

// weighIn is weigh for windows, each by itself.
func (l *learner) weighIn(ctx context.Context, windows [][]mtt.Scan) (parts []stretch, nats float64, err error) {
	for _, w := range windows {
		of := *l
		of.part = w
		tracks, more, err := of.weigh(ctx)
		if err != nil {
			return nil, 0, err
		}
		parts, nats = append(parts, stretch{w, tracks}), nats+more
	}
	return parts, nats, nil
}
