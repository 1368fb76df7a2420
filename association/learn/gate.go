package learn

import (
	"context"
	"math"

	"mtt"
	"mtt/costgen"
	"mtt/gating"
)

// This file chooses the gate.

// gate chooses a gate for the levels, or completes the one that was asked for.
func (l *learner) gate(g *costgen.Levels, speed float64) gating.Gate {
	if opened(g) {
		g = maySlow(g) // as when it was learnt
	}
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
	switch asked := l.Gate.(type) {
	case nil:
		switch {
		case walks(g), g.PositionsOnly && l.told, l.partial:
			return newReachGate(g.Params(max(g.Dim, 2)), speed)
		case g.PositionsOnly:
			return disc
		case l.told || g.General():
			return &innovationGate{*g.Params(max(g.Dim, 2)), mahalanobis.G}
		}
		return mahalanobis
	case gating.Mahalanobis:
		if asked.Sigma > 0 {
			return asked
		}
		if asked.G > 0 {
			mahalanobis.G = asked.G
		}
		if walks(g) { // no speed says how far a target goes
			return &innovationGate{*g.Params(max(g.Dim, 2)), mahalanobis.G}
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
	return l.Gate
}

// widen returns up to twice the speed, as far as the gate leaves the instance small:
// the fastest target may not be among those that the speed was estimated from.
func (l *learner) widen(ctx context.Context, scans []mtt.Scan) (float64, error) {
	triplets, n := 40, int(count(scans)) // triplets for each detection
	if l.coasts {
		triplets = 10
	}
	for _, f := range []float64{2, 1.6, 1.3} {
		if fits, err := l.run.Fits(ctx, l.levels.Told(scans), l.gate(l.levels, f*l.speed), triplets*n); fits || err != nil {
			return f * l.speed, err
		}
	}
	return l.speed, nil
}
