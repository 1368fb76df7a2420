package bench

// This file tracks one scene with several methods, for the benchmarks.

import (
	"context"
	"slices"

	"mtt"
	"mtt/association"
)

// trackAll tracks the scans with each method, an engine or "dual, not refined",
// and returns the tracks in that order.
func trackAll(ctx context.Context, scans []mtt.Scan, opts association.Options, methods []string) ([][]mtt.Track, error) {
	const plain = "dual, not refined"
	found := make([][]mtt.Track, len(methods))
	for m, method := range methods {
		if method == plain {
			continue // comes with dual
		}
		o := opts
		o.Engine = association.Engine(method)
		res, err := association.Track(ctx, scans, &o)
		if err != nil {
			return nil, err
		}
		found[m] = res.Tracks
		if at := slices.Index(methods, plain); at >= 0 && method == string(association.Dual) {
			found[at] = res.Plain
		}
	}
	return found, nil
}
