package bench

// This file measures the assignment solvers on the problems of the PMBM filter.

import (
	"context"
	"errors"
	"fmt"

	"mtt/association/pmbm"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/solvers"
	"mtt/internal/task"
	"mtt/internal/usage"
	"mtt/mapsolver"
	"mtt/mapsolver/murty"
	"mtt/scenario"
)

// corpusCases are scenes with spread metres between targets, and gates from one that
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
func benchLapCorpus(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	for _, c := range corpusCases {
		b.Step(fmt.Sprintf("spread %g, gate %g", c.spread, c.gate))
		cfg := task.LargeScene(100, 50)
		cfg.Spread = c.spread
		sc, err := b.Scene(ctx, cfg, b.First)
		if err != nil {
			return rows, err
		}
		samples, stats, err := sampleLaps(ctx, sc, c.gate)
		if err != nil {
			return rows, err
		}
		for _, info := range solvers.All {
			if info.Unavailable() != "" {
				continue
			}
			solver, wrong := info.New(), 0
			var sol mapsolver.Solution
			began := usage.CPUSeconds()
			for _, s := range samples {
				err := solver.Solve(ctx, &sol, s.problem, nil)
				if err != nil && !errors.Is(err, mapsolver.ErrInfeasible) {
					return rows, fmt.Errorf("%s: %w", info.Name, err)
				}
				if (err == nil) != s.feasible || s.feasible && !solvers.Agrees(s.problem, &sol, s.cost) {
					wrong++
				}
			}
			took := usage.CPUSeconds() - began
			rows = append(rows, cli.Record{
				{Key: "spread", Value: c.spread}, {Key: "gate", Value: c.gate}, {Key: "problems", Value: stats.Problems()},
				{Key: "rows", Value: int(stats.Median(task.ShapeRows))}, {Key: "cols", Value: int(stats.Median(task.ShapeCols))},
				{Key: "density_percent", Value: 100 * stats.Median(pmbm.Shape.Density), Digits: 3},
				{Key: "solver", Value: info.Name}, {Key: "measured", Value: len(samples)},
				{Key: "microseconds", Value: 1e6 * took / float64(max(1, len(samples))), Digits: 3},
				{Key: "wrong", Value: wrong},
			})
		}
	}
	return rows, nil
}

// sampleLaps keeps one in corpusEvery of the problems that the filter poses.
func sampleLaps(ctx context.Context, sc *scenario.Scene, gate float64) (samples []corpusSample, stats pmbm.Stats, err error) {
	count := 0
	o := &pmbm.Options{Model: task.LargeModel(&sc.Config), Gate: gate, Whole: true}
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
