package metrics

import (
	"context"
	"fmt"
	"slices"

	"mtt"
)

// This file removes track hits that should count neither way before scoring.

// DropIgnored returns tracks without the hits that belong to ignored targets:
// reflections, parked cars, people a benchmark does not want counted. In each
// frame the hits of truth and ignored together are matched with those of
// tracks, at the greatest total similarity within the threshold of opts, and
// the hits matched to ignored targets are dropped; tracks that lose all hits
// remain, empty. The inputs are not changed and the result shares nothing with
// them.
//
// This is the preprocessing of MOT16 and later MOTChallenge benchmarks: there
// ignored are the rows of classes 2, 7, 8 and 12, truth are all others, also
// those of classes that are not scored, and afterwards Score sees the rows of
// class 1 that are marked as active alone.
//
// It fails as Score does.
func DropIgnored(ctx context.Context, tracks, truth, ignored []mtt.Track, opts *Options) ([]mtt.Track, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Only = CLEAR // the radius of matching
	s, err := newScene(slices.Concat(truth, ignored), tracks, o.Points)
	if err != nil {
		return nil, err
	}
	if err := o.complete(s.boxes); err != nil {
		return nil, err
	}
	near, err := s.nearPairs(ctx, o.radius(s.boxes))
	if err != nil {
		return nil, err
	}
	drop := make([]bool, s.tracks.hits())
	limit := o.limit()
	var lap assigner
	for t := range s.frames {
		first, cols := s.truth.ptr[t], s.tracks.frame(t)
		lap.begin(len(cols))
		for r := first; r < s.truth.ptr[t+1]; r++ {
			for e := near.ptr[r]; e < near.ptr[r+1]; e++ {
				if near.d[e] <= limit {
					lap.pair(near.col[e], o.similarity(near.d[e]))
				}
			}
			lap.endRow()
		}
		colOf, err := lap.solve(ctx)
		if err != nil {
			return nil, fmt.Errorf("metrics: frame %d: %w", s.frames[t], err)
		}
		for i, hit := range s.truth.frame(t) {
			if colOf[i] != none && s.truth.order[s.truth.track[hit]] >= len(truth) {
				drop[cols[colOf[i]]] = true
			}
		}
	}
	kept := make([]mtt.Track, len(tracks))
	for k := range s.tracks.of {
		from, to := s.tracks.base[k], s.tracks.base[k+1]
		kept[s.tracks.order[k]] = without(&s.tracks.of[k], drop[from:to])
	}
	return kept, nil
}

// without is a copy of t that lacks the hits in drop.
func without(t *mtt.Track, drop []bool) mtt.Track {
	k := mtt.Track{ID: t.ID, Dim: t.Dim}
	for h, hit := range t.Hits {
		if drop[h] {
			continue
		}
		k.Hits = append(k.Hits, hit)
		k.Pos = append(k.Pos, t.At(h)...)
		if t.Vel != nil {
			k.Vel = append(k.Vel, t.Vel[h*t.Dim:(h+1)*t.Dim]...)
		}
		if t.Size != nil {
			k.Size = append(k.Size, t.Size[2*h:2*h+2]...)
		}
	}
	return k
}
