package association

import (
	"cmp"
	"context"
	"errors"
	"time"

	"mtt"
	"mtt/costgen"
	"mtt/gating"
)

// This file gates consecutive scans.

// crowded is the number of triplets from which on arcs are capped, and the cap; tripletsPerArc that
// of which the costs take as much memory as what the engine keeps of an arc (see [gating.Budget]):
// between two scans, where there are no triplets, it is arcs that tell.
const crowded, crowdedCap, tripletsPerArc = 50_000_000, 12, 12

// gated is what was gated last, without a cap.
type gated struct {
	scans    []mtt.Scan
	gate     gating.Gate
	gates    []gating.CSR
	triplets int
	arcs     int     // between two scans, at most
	seconds  float64 // that it took
}

// gateAll gates consecutive scans.
func (r *run) gateAll(ctx context.Context, scans []mtt.Scan, res *Result) ([]gating.CSR, error) {
	res.Cap = max(0, r.Cap)
	if r.Cap == 0 && (r.Gate == nil || r.pilot) {
		most := crowded
		if r.pilot {
			most = int(cmp.Or(r.share, 1) * float64(most) / 10)
		}
		gates, err := r.few(ctx, scans, res.Gate, most, most/tripletsPerArc)
		switch budget, size := r.budget(res), gating.Count(gates); {
		case err != nil:
			return nil, err
		case gates == nil:
			res.Cap = crowdedCap
		case budget.Bytes == 0 || budget.Need(size.Arcs, size.Triplets) <= budget.Bytes:
			return gates, nil
		}
	}
	return gating.Chain(ctx, scans, res.Gate, &gating.Options{K: res.Cap, Budget: r.budget(res), NoFit: r.NoFit, Workers: r.Workers})
}

// foresee refuses a gate that was asked for and keeps far too much, before anything is
// learnt. What the gate lacks until then makes it larger only.
func (r *run) foresee(ctx context.Context, scans []mtt.Scan) error {
	if r.Gate == nil || r.Cap > 0 {
		return nil
	}
	res := &Result{Model: r.Model}
	if cost := r.cost(); cost != nil {
		res.Model = cost(costgen.Ends{})
	}
	err := gating.Foresee(ctx, scans, r.Gate, &gating.Options{Budget: r.budget(res), NoFit: r.NoFit})
	if errors.Is(err, gating.ErrGate) {
		return nil // it does without noise levels or speed that are not learnt yet
	}
	return err
}

// budget is the memory that arcs and triplets may take under the model of res.
func (r *run) budget(res *Result) gating.Budget {
	b := gating.Budget{Bytes: r.MemoryLimit}
	if _, ok := res.Model.(costgen.LinkValuer); ok { // values, and less than six stored costs for each arc
		b.PerArc, b.PerTriplet = 200, -1
	}
	return b
}

// few gates the scans without a cap; nil when the gate leaves more than most triplets, or more arcs
// between two scans than arcs. What it found last it knows.
func (r *run) few(ctx context.Context, scans []mtt.Scan, g gating.Gate, most, arcs int) ([]gating.CSR, error) {
	most, arcs = max(1, most), max(1, arcs)
	if known := &r.gated; known.gate == g && known.triplets <= most && known.arcs <= arcs && same(known.scans, scans) {
		return known.gates, nil
	}
	began := time.Now()
	gates, err := gating.Chain(ctx, scans, g, &gating.Options{Triplets: most, Arcs: arcs, Workers: r.Workers})
	switch {
	case errors.Is(err, gating.ErrCrowded):
		return nil, nil
	case err != nil:
		return nil, err
	}
	r.gated = gated{scans: scans, gate: g, gates: gates, triplets: gating.Count(gates).Triplets, seconds: time.Since(began).Seconds()}
	for t := range gates {
		r.gated.arcs = max(r.gated.arcs, gates[t].NNZ())
	}
	return gates, nil
}

// same reports whether two lists are one, which nobody changes while Track works.
func same(a, b []mtt.Scan) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// Fits implements [learn.Pilot].
func (r *run) Fits(ctx context.Context, scans []mtt.Scan, g gating.Gate, triplets int) (bool, error) {
	gates, err := r.few(ctx, scans, g, triplets, triplets)
	return gates != nil, err
}
