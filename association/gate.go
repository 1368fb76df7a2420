package association

import (
	"context"
	"errors"
	"fmt"
	"math"

	"mtt"
	"mtt/costgen"
	"mtt/gating"
)

// This file chooses the gate, and gates.

// gate chooses a gate for the levels, or completes the one that was asked for.
func (k *tracker) gate(g *costgen.Levels, speed float64) gating.Gate {
	noise := g.Accel
	if g.ManoeuvreProb > 0 {
		noise = 3 * g.ManoeuvreAccel // for the tails
	}
	mahalanobis := gating.Mahalanobis{G: 25, Sigma: g.Sigma, SigmaV: g.SigmaV, Noise: noise, SpeedStd: g.SpeedStd}
	if g.Dim == 3 {
		mahalanobis.G = 30
	}
	disc := gating.Disc{Epsilon: 1, Margin: 4 * math.Sqrt2 * g.Sigma}
	if g.PositionsOnly {
		disc.MaxSpeed = speed
	}
	switch asked := k.Gate.(type) {
	case nil:
		if g.PositionsOnly {
			return disc
		}
		return mahalanobis
	case gating.Mahalanobis:
		if asked.Sigma > 0 {
			return asked
		}
		if asked.G > 0 {
			mahalanobis.G = asked.G
		}
		return mahalanobis
	case gating.Disc:
		if asked.Margin == 0 {
			asked.Margin = disc.Margin
		}
		if asked.MaxSpeed == 0 {
			asked.MaxSpeed = disc.MaxSpeed
		}
		return asked
	}
	return k.Gate
}

// crowded is the number of triplets from which on arcs are capped, and the cap.
const crowded, crowdedCap = 50_000_000, 12

// gateAll gates consecutive scans.
func (k *tracker) gateAll(ctx context.Context, scans []mtt.Scan, res *Result) ([]gating.CSR, error) {
	res.Cap = max(0, k.Cap)
	if k.Cap == 0 && (k.Gate == nil || k.pilot) {
		most := crowded
		if k.pilot {
			most /= 10
		}
		gates, err := k.few(ctx, scans, res.Gate, most)
		switch budget, size := k.budget(res), gating.Count(gates); {
		case err != nil:
			return nil, err
		case gates == nil:
			res.Cap = crowdedCap
		case budget.Bytes == 0 || budget.Need(size.Arcs, size.Triplets) <= budget.Bytes:
			return gates, nil
		}
	}
	gates, err := gating.Chain(ctx, scans, res.Gate, &gating.Options{K: res.Cap, Budget: k.budget(res), Workers: k.Workers})
	return gates, wrap(err)
}

// foresee refuses a gate that was asked for and keeps far too much, before anything is
// learnt. What the gate lacks until then makes it larger only.
func (k *tracker) foresee(ctx context.Context, scans []mtt.Scan) error {
	if k.Gate == nil || k.Cap > 0 || k.Engine == GNN {
		return nil
	}
	res := &Result{Model: k.Model}
	if k.Model == nil && k.Cost == Paper {
		res.Model = &costgen.Paper{}
	}
	err := gating.Foresee(ctx, scans, k.Gate, &gating.Options{Budget: k.budget(res)})
	if errors.Is(err, gating.ErrGate) {
		return nil // it does without noise levels or speed that are not learnt yet
	}
	return wrap(err)
}

// budget is the memory that arcs and triplets may take under the model of res.
func (k *tracker) budget(res *Result) gating.Budget {
	b := gating.Budget{Bytes: k.MemoryLimit}
	if _, ok := res.Model.(costgen.Featured); ok { // features, and less than six stored costs for each arc
		b.PerArc, b.PerTriplet = 200, -1
	}
	return b
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("association: %w", err)
}

// widen returns up to twice the speed, as far as the gate leaves the instance
// small: the fastest target may not be among those that the speed was
// estimated from.
func (k *tracker) widen(ctx context.Context, scans []mtt.Scan, g *costgen.Levels, speed float64, coasts bool) (float64, error) {
	triplets, n := 40, 0 // triplets for each detection
	if coasts {
		triplets = 10
	}
	for t := range scans {
		n += scans[t].Len()
	}
	for _, f := range []float64{2, 1.6, 1.3} {
		if gates, err := k.few(ctx, scans, k.gate(g, f*speed), triplets*n); gates != nil || err != nil {
			return f * speed, err
		}
	}
	return speed, nil
}

// few gates the scans without a cap; nil when the gate leaves more than so many
// triplets. What it found last it knows.
func (k *tracker) few(ctx context.Context, scans []mtt.Scan, g gating.Gate, most int) ([]gating.CSR, error) {
	if known := k.gated; known.gate == g && known.triplets <= most {
		return known.gates, nil
	}
	gates, err := gating.Chain(ctx, scans, g, &gating.Options{Triplets: max(1, most), Workers: k.Workers})
	switch {
	case errors.Is(err, gating.ErrCrowded):
		return nil, nil
	case err != nil:
		return nil, wrap(err)
	}
	k.gated.gate, k.gated.gates, k.gated.triplets = g, gates, gating.Count(gates).Triplets
	return gates, nil
}
