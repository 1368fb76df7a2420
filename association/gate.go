package association

import (
	"context"
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
	if g.Turns > 0 {
		noise = 3 * g.TurnAccel // for the tails
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
		if !few(scans, res.Gate, most) {
			res.Cap = crowdedCap
		}
	}
	budget := gating.Budget{Bytes: k.MemoryLimit}
	if _, ok := res.Model.(costgen.Featured); ok { // features, and less than six stored costs for each arc
		budget.PerArc, budget.PerTriplet = 200, -1
	}
	gates, err := gating.Chain(ctx, scans, res.Gate, &gating.Options{K: res.Cap, Budget: budget, Workers: k.Workers})
	return gates, wrap(err)
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
func (k *tracker) widen(scans []mtt.Scan, g *costgen.Levels, speed float64, coasts bool) float64 {
	triplets, n := 40, 0 // triplets for each detection
	if coasts {
		triplets = 10
	}
	for t := range scans {
		n += scans[t].Len()
	}
	for _, f := range []float64{2, 1.6, 1.3} {
		if few(scans, k.gate(g, f*speed), triplets*n) {
			return f * speed
		}
	}
	return speed
}

// few says whether a gate leaves at most so many triplets.
func few(scans []mtt.Scan, g gating.Gate, most int) bool {
	var f gating.Finder
	var pair [2]gating.CSR // the pattern before, and this one
	n := 0
	for t := 0; t+1 < len(scans); t++ {
		pair[0], pair[1] = pair[1], pair[0]
		if _, err := f.Neighbors(&pair[1], &scans[t], &scans[t+1], g); err != nil {
			return false
		}
		if t > 0 {
			n += gating.Count(pair[:]).Triplets
		}
		if n > most || pair[1].NNZ() > most {
			return false
		}
	}
	return true
}
