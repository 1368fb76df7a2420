package learn

import (
	"cmp"
	"context"
)

// This file learns anew with more misses where targets seem to leave more often than they are
// missed.
//
// Problem. Where a first pilot finds pieces of tracks, each miss passes for a death and a birth.
// Targets are then counted that come and soon go and are hardly ever missed, so that links over
// misses cost more than they should, and the rates confirm themselves.
//
// Idea. Half of the deaths and of the births are taken to be misses. What is learnt from there is
// taken where all detections together are likelier for it.
//
// Invariant. Where targets are missed more often than they leave, or stay for a dozen scans and
// more, nothing is tried.
//
// Cost. The pilots of one course, and the sum over all ways to join what was detected.

// oftener goes on from what was learnt as if half of the deaths were misses, where targets seem to
// leave soon and misses to be rarer, and takes what comes of it where all detections together are
// likelier.
func (l *learner) oftener(ctx context.Context) error {
	r := l.levels.Rates
	if l.Hasty || l.spent() || l.steady || !l.coasts || l.Cost != nil || len(l.Sensors) > 0 || 1-r.Survive < max(1-r.Detect, 1./dozen) {
		return nil
	}
	other, levels := *l, *l.levels
	stays := (1 + r.Survive) / 2
	levels.Rates.Survive, levels.Rates.Births = stays, r.Births/2
	levels.Rates.Detect, levels.Rates.Hidden, levels.Rates.Uneven = r.Detect*stays, 0, 0
	levels.Rates = l.said(levels.Rates)
	_, err := l.yields(ctx, &other, &levels, cmp.Or(levels.Motion, l.candidates()[0]), 0)
	return err
}
