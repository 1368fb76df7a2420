package bench

// This file measures how time and memory grow with the size of a scene.

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"

	"mtt"
	"mtt/association"
	"mtt/dualascent"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/usage"
	"mtt/plots"
	"mtt/scenario"
)

// scaleCases are arenas from a hundred thousand arcs to ten million, the small
// ones first: the peak of memory is that of the process so far.
var scaleCases = []struct{ targets, frames int }{
	{1_000, 100}, {3_000, 100}, {10_000, 100}, {10_000, 300}, {10_000, 1_000},
}

// scaleMemory is what the Go heap is held to.
const scaleMemory = 1900 << 20

// benchScale simulates, gates, prices and solves every case, without the
// refinement of whole tracks. Scans are dropped once they are priced. Seconds are
// those of the clock, but arc_us, microseconds of the processor for each arc in
// everything but the simulation. Up to a million arcs the solve is repeated with one
// worker: solve_1.
func benchScale(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(scaleMemory))
	var rows []cli.Record
	for _, c := range scaleCases {
		b.Step(fmt.Sprintf("%d targets, %d frames", c.targets, c.frames))
		debug.FreeOSMemory()
		cfg := scenario.Config{
			Scene: scenario.Arena, Targets: c.targets, Frames: c.frames, Noise: 0.1, VelocityNoise: 0.1, Seed: b.First,
		}
		if b.Targets > 0 {
			cfg.Targets, cfg.Frames = b.Targets, b.Frames
		}
		var inst dualascent.Instance
		var built *association.Result
		var scans []mtt.Scan
		simulate, err := measure.Timed(func() error {
			for f, err := range scenario.Stream(ctx, &cfg) {
				if err != nil {
					return err
				}
				scans = append(scans, f.Scan)
			}
			return nil
		})
		if err != nil {
			return rows, err
		}
		cpu := usage.CPUSeconds()
		opts := measure.Told(&cfg)
		opts.Workers = b.Workers
		if built, err = association.Build(ctx, scans, &opts); err != nil {
			return rows, err
		}
		seconds := built.Seconds
		inst, scans, built = built.Instance.Dual, nil, nil
		debug.FreeOSMemory()
		var res *dualascent.Result
		solve := func(workers int) func() error {
			return func() (err error) {
				res, err = dualascent.Solve(ctx, &inst, &dualascent.Options{Workers: workers})
				return err
			}
		}
		solved, err := measure.Timed(solve(b.Workers))
		if err != nil {
			return rows, err
		}
		cpu = usage.CPUSeconds() - cpu
		arcs, lower := inst.Arcs(), res.LowerBound
		alone := math.NaN()
		if arcs < 2_000_000 {
			if alone, err = measure.Timed(solve(1)); err != nil {
				return rows, err
			}
			if res.LowerBound != lower {
				return rows, fmt.Errorf("bound %v with %d workers, %v with one", lower, b.Workers, res.LowerBound)
			}
		}
		second := func(key string, v float64) cli.Field { return cli.Field{Key: key, Value: v, Unit: "s", Digits: 2} }
		rows = append(rows, cli.Record{
			{Key: "targets", Value: cfg.Targets}, {Key: "frames", Value: cfg.Frames},
			{Key: "arcs", Value: arcs}, {Key: "triplets", Value: inst.Triplets()},
			second("simulate", simulate), second("estimate", seconds.Estimate), second("gate", seconds.Gate),
			second("cost", seconds.Cost), second("solve", solved), second("solve_1", alone),
			second("total", simulate+seconds.Estimate+seconds.Gate+seconds.Cost+solved),
			{Key: "arc_us", Value: 1e6 * cpu / float64(max(1, arcs)), Digits: 3},
			{Key: "rounds", Value: res.Rounds}, {Key: "status", Value: res.Status.String()},
			{Key: "gap", Value: 100 * res.Gap(), Digits: 2}, {Key: "peak_rss_mb", Value: usage.PeakMemory(), Digits: 4},
		})
	}
	return rows, nil
}

// ScaleFigure draws the time for each arc against the arcs.
func ScaleFigure(rows []cli.Record) *plots.Figure {
	time := plots.Growth{Name: "gate, cost and solve"}
	for _, r := range rows {
		var at plots.Point
		for _, f := range r {
			switch f.Key {
			case "arcs":
				at.X = float64(f.Value.(int))
			case "arc_us":
				at.Y = f.Value.(float64)
			}
		}
		time.Measured = append(time.Measured, at)
	}
	panel := plots.GrowthPanel{Label: "µs of the processor for each arc", Kinds: []plots.Growth{time}}
	return plots.GrowthOf("Time for each arc, arenas", "arcs", []plots.GrowthPanel{panel})
}
