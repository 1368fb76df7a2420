package dualascent_test

// This file makes instances out of simulated scenes, the way that package
// association does for users, with every parameter in the open.

import (
	"context"
	"fmt"
	"math"
	"testing"

	"mtt/association"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/scenario"
)

// A scene says what to simulate and how to price it.
type scene struct {
	kind            scenario.Kind
	targets, frames int
	spread          float64 // m; 0: the default of the scenario
	noise           float64 // m and m/s
	cost            string  // "nll", "trapezoid", "paper"
	positions       bool    // no velocities
	miss            float64 // probability of a missed detection
	clutter, births float64 // in each frame
	seed            uint64
}

func (s *scene) String() string {
	name := fmt.Sprintf("%s N=%d T=%d spread=%g noise=%g %s", s.kind, s.targets, s.frames, s.spread, s.noise, s.cost)
	if s.positions {
		name += " positions"
	}
	if !s.steady() {
		name += fmt.Sprintf(" miss=%g clutter=%g births=%g", s.miss, s.clutter, s.births)
	}
	return fmt.Sprintf("%s seed=%d", name, s.seed)
}

// steady says that every target is seen in every frame, and nothing else.
func (s *scene) steady() bool { return s.miss == 0 && s.clutter == 0 && s.births == 0 }

// instance simulates, gates and prices the scene. Scenes with misses get coast
// nodes.
func (s *scene) instance(tb testing.TB) *dualascent.Instance {
	tb.Helper()
	sim, err := scenario.Simulate(context.Background(), &scenario.Config{
		Scene: s.kind, Targets: s.targets, Frames: s.frames, Seed: s.seed, Spread: s.spread,
		Noise: s.noise, VelocityNoise: s.noise, NoVelocity: s.positions,
		Miss: s.miss, Clutter: s.clutter, ClutterRadius: 4, Births: s.births,
	})
	if err != nil {
		tb.Fatal(err)
	}
	built, err := association.Build(context.Background(), sim.Scans, &association.Options{
		Model: s.model(), Gate: s.gate(), IgnoreVelocity: s.positions, Cap: -1,
	})
	if err != nil {
		tb.Fatal(err)
	}
	inst := built.Instance
	if err := inst.Dual.Validate(); err != nil {
		tb.Fatalf("%v: %v", s, err)
	}
	return &inst.Dual
}

// gate is that of the scene.
func (s *scene) gate() gating.Gate {
	const fastest = 2 // m/s, of the scenario's targets
	switch {
	case s.positions:
		return gating.Disc{Epsilon: 1, MaxSpeed: fastest, Margin: 4 * math.Sqrt2 * s.noise}
	case s.cost == "nll":
		return gating.Mahalanobis{G: 25, Sigma: s.noise, SigmaV: s.noise, Noise: 0.1}
	}
	return gating.Disc{Epsilon: 2, Margin: 4 * s.noise}
}

// model is the cost model of the scene.
func (s *scene) model() costgen.Model {
	// Lengths of a few metres compete with ends where tracks do end; where
	// they do not, ends are a last resort.
	ends := costgen.Ends{Birth: 1000, Death: 1000, Clutter: 2000}
	if !s.steady() {
		ends = costgen.Ends{Birth: 2, Death: 2, Clutter: 4, Miss: 2}
	}
	switch s.cost {
	case "paper":
		return &costgen.Paper{Prices: ends}
	case "trapezoid":
		return &costgen.Trapezoid{Prices: ends}
	}
	n := float64(s.targets)
	const some = 0.01 // events in a frame of what does not happen
	return &costgen.Gaussian{Levels: costgen.Levels{
		Sigma: s.noise, SigmaV: s.noise, Accel: 0.1, SpeedStd: 1, PositionsOnly: s.positions,
		Rates: costgen.Rates{
			Detect: 1 - max(s.miss, some/n), Survive: 1 - max(s.births, some)/n,
			Births: max(s.births, some), Clutter: max(s.clutter, some), Targets: n,
			Volume: 100 * n,
		},
	}}
}
