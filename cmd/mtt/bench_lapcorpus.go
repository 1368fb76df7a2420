package main

// This file measures the assignment solvers on the problems of the PMBM filter.

import (
	"context"
	"errors"
	"fmt"

	"mtt/association/pmbm"
	"mtt/mapsolver"
	"mtt/mapsolver/murty"
	"mtt/scenario"
)

// corpusCases are scenes with so many metres between targets, and gates from one that
// loses 1 % of the true detections to one that is wide open.
var corpusCases = []struct{ spread, gate float64 }{{100, 9.2}, {100, 20}, {100, 2000}, {25, 20}, {25, 200}, {10, 20}}

// corpusEvery is how many problems there are for one that is measured.
const corpusEvery = 50

// A corpusSample is a problem with its optimum.
type corpusSample struct {
	problem  *mapsolver.Problem
	feasible bool
	cost     float64
}

// benchLapCorpus runs the filter with one table of hypotheses on every scene, and
// solves, of the problems that Murty's plain algorithm poses, one in corpusEvery with
// each solver from nothing.
func benchLapCorpus(ctx context.Context, b *bench) ([]record, error) {
	var rows []record
	for _, c := range corpusCases {
		b.step(fmt.Sprintf("spread %g, gate %g", c.spread, c.gate))
		cfg := largeScene(100, 50)
		cfg.Spread = c.spread
		sc, err := b.scene(ctx, cfg, b.first)
		if err != nil {
			return rows, err
		}
		samples, stats, err := sampleLaps(ctx, sc, c.gate)
		if err != nil {
			return rows, err
		}
		for _, info := range solvers {
			if info.unavailable() != "" {
				continue
			}
			solver, wrong := info.make(), 0
			var sol mapsolver.Solution
			began := cpuSeconds()
			for _, s := range samples {
				err := solver.Solve(ctx, &sol, s.problem, nil)
				if err != nil && !errors.Is(err, mapsolver.ErrInfeasible) {
					return rows, fmt.Errorf("%s: %w", info.name, err)
				}
				if (err == nil) != s.feasible || s.feasible && !agrees(s.cost, sol.Cost, largest(s.problem)) {
					wrong++
				}
			}
			took := cpuSeconds() - began
			rows = append(rows, record{
				{key: "spread", value: c.spread}, {key: "gate", value: c.gate}, {key: "problems", value: stats.Problems()},
				{key: "rows", value: int(stats.Median(shapeRows))}, {key: "cols", value: int(stats.Median(shapeCols))},
				{key: "density_percent", value: 100 * stats.Median(pmbm.Shape.Density), digits: 3},
				{key: "solver", value: info.name}, {key: "measured", value: len(samples)},
				{key: "microseconds", value: 1e6 * took / float64(max(1, len(samples))), digits: 3},
				{key: "wrong", value: wrong},
			})
		}
	}
	return rows, nil
}

// sampleLaps keeps one in corpusEvery of the problems that the filter poses.
func sampleLaps(ctx context.Context, sc *scenario.Scene, gate float64) (samples []corpusSample, stats pmbm.Stats, err error) {
	count := 0
	o := &pmbm.Options{Model: largeModel(&sc.Config), Gate: gate, Whole: true}
	o.Observe = func(p *pmbm.Posed) error {
		if count++; count%corpusEvery == 0 {
			cell := p.Cell
			if cell == nil {
				cell = &murty.Subproblem{}
			}
			samples = append(samples, corpusSample{cell.Problem(p.Problem), p.Feasible, p.Cost})
		}
		return nil
	}
	f, err := filtered(ctx, o, sc.Scans)
	if err != nil {
		return nil, stats, err
	}
	return samples, f.Stats(), nil
}
