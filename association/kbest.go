package association

import (
	"context"
	"iter"

	"mtt/mapsolver"
	"mtt/mapsolver/murty"
)

// This file hands ranked assignments on to users of tracks.

// KBest yields the assignments of p from the cheapest upwards, lazily: it is
// [murty.KBest], whose package says how and at what cost.
func KBest(ctx context.Context, s mapsolver.Solver, p *mapsolver.Problem) iter.Seq2[*mapsolver.Solution, error] {
	return murty.KBest(ctx, s, p)
}
