package main

// This file measures the assignment solvers on the problems of the PMBM filter.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"mtt/association/pmbm"
	"mtt/mapsolver"
)

// lapGates are the gates of the corpus: from one that loses 1 % of the true
// detections to one that is wide open.
var lapGates = []float64{9.2, 20, 40, 100}

// lapEvery is how many problems there are for one that is measured.
const lapEvery = 50

// benchLaps runs the filter with one table of hypotheses at every gate, and
// solves, of the problems that Murty's plain algorithm poses, one in lapEvery with
// each solver from nothing.
func benchLaps(ctx context.Context, b *bench) ([]record, error) {
	var rows []record
	for _, gate := range lapGates {
		b.step("gate " + strconv.FormatFloat(gate, 'g', -1, 64))
		cfg := largeScene(100, 50)
		sc, err := b.scene(ctx, cfg, b.first)
		if err != nil {
			return rows, err
		}
		var names []string
		var list []mapsolver.Solver
		for _, info := range solvers {
			if info.make != nil {
				names, list = append(names, info.name), append(list, info.make())
			}
		}
		seconds := make([]float64, len(list))
		solved, wrong := 0, make([]int, len(list))
		var sol mapsolver.Solution
		measure := func(p *pmbm.Posed, i int, problem *mapsolver.Problem) error {
			var err error
			took, _ := timed(func() error {
				err = list[i].Solve(ctx, &sol, problem, nil)
				return nil
			})
			seconds[i] += took
			switch {
			case errors.Is(err, mapsolver.ErrInfeasible):
				if p.Feasible {
					wrong[i]++
				}
			case err != nil:
				return fmt.Errorf("%s: %w", names[i], err)
			case !p.Feasible || !(math.Abs(sol.Cost-p.Cost) <= 1e-9*max(1, math.Abs(p.Cost))):
				wrong[i]++
			}
			return nil
		}
		model := largeModel(&sc.Config)
		count := 0
		f, err := pmbm.New(&pmbm.Options{Model: model, Gate: gate, Whole: true, Observe: func(p *pmbm.Posed) error {
			if count++; count%lapEvery != 0 {
				return nil
			}
			solved++
			problem := p.Problem
			if p.Cell != nil {
				problem = p.Cell.Problem(problem)
			}
			for i := range list {
				if err := measure(p, i, problem); err != nil {
					return err
				}
			}
			return nil
		}})
		if err != nil {
			return rows, err
		}
		for i := range sc.Scans {
			if err := f.Step(ctx, &sc.Scans[i]); err != nil {
				return rows, err
			}
		}
		stats := f.Stats()
		for i, name := range names {
			rows = append(rows, record{
				{key: "gate", value: gate}, {key: "problems", value: stats.Problems()},
				{key: "rows", value: int(stats.Median(shapeRows))}, {key: "cols", value: int(stats.Median(shapeCols))},
				{key: "density_percent", value: 100 * stats.Median(pmbm.Shape.Density), digits: 3},
				{key: "solver", value: name}, {key: "measured", value: solved},
				{key: "microseconds", value: 1e6 * seconds[i] / float64(max(1, solved)), digits: 3},
				{key: "wrong", value: wrong[i]},
			})
		}
	}
	return rows, nil
}
