package bench

// This file measures time and memory.

import (
	"context"
	"io"
	"math"
	"runtime"

	"mtt/association"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/task"
	"mtt/internal/usage"
	"mtt/metrics"
	"mtt/plots"
	"mtt/scenario"
)

// A speedCase is a scene, with the seconds of two cores from its gating to its tracks
// that are to be kept; 0: no bar.
type speedCase struct {
	scenario.Config
	most float64
}

// speedCases are measured in this order, the small one first: the peak of memory
// is that of the process so far.
var speedCases = []speedCase{
	{scenario.Config{Scene: scenario.Burst, Targets: 100, Frames: 50, Noise: 0.1, VelocityNoise: 0.1}, 0},
	{scenario.Config{Scene: scenario.Arena, Targets: 1000, Frames: 100, Noise: 0.1, VelocityNoise: 0.1}, 0},
	{scenario.Config{Scene: scenario.Steer, Targets: 1000, Frames: 100, Noise: 0.1, VelocityNoise: 0.1}, 0},
	{scenario.Config{Scene: scenario.Burst, Targets: 1000, Frames: 100, Noise: 0.1, VelocityNoise: 0.1}, 0.6},
	{scenario.Config{Scene: scenario.Steer, Targets: 1000, Frames: 1000, Noise: 0.2, VelocityNoise: 0.2}, 15},
}

// benchSpeed simulates, tracks, scores and draws every case on one core, and
// compares the gates that mtt run compares for the small one. Seconds are those of
// the clock; track_cpu and cpu, of everything, are those of the processor. The last
// column is gate, cost and solve together when the case is tracked again by two
// workers, on as many cores as there were.
func benchSpeed(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	cores := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(cores)
	var rows []cli.Record
	for _, c := range speedCases {
		b.Step(string(c.Scene))
		runtime.GC()
		cpu := usage.CPUSeconds()
		var sc *scenario.Scene
		simulate, err := measure.Timed(func() (err error) {
			sc, err = b.Scene(ctx, c.Config, b.First)
			return err
		})
		if err != nil {
			return rows, err
		}
		simulated := usage.CPUSeconds()
		opts := measure.Told(&c.Config)
		var res *association.Result
		track, err := measure.Timed(func() (err error) {
			res, err = association.Track(ctx, sc.Scans, &opts)
			return err
		})
		if err != nil {
			return rows, err
		}
		tracked := usage.CPUSeconds()
		var report *metrics.Report
		score, err := measure.Timed(func() (err error) {
			report, err = metrics.ScoreContext(ctx, sc.Truth, res.Tracks, nil)
			return err
		})
		if err != nil {
			return rows, err
		}
		draw, err := measure.Timed(func() error {
			figure, err := plots.Tracks("", sc.Truth, res.Tracks, sc.Scans, nil)
			if err != nil {
				return err
			}
			return figure.Encode(io.Discard, "svg")
		})
		if err != nil {
			return rows, err
		}
		sweep := math.NaN()
		if c.Targets <= 100 {
			sweep, err = measure.Timed(func() error {
				for _, g := range []float64{1.5, 2, 3, 5} {
					if _, err := task.TrackGate(ctx, &task.Scene{Scans: sc.Scans, Truth: sc.Truth}, &opts, res, g); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return rows, err
			}
		}
		total := usage.CPUSeconds() - cpu
		runtime.GOMAXPROCS(cores)
		opts.Workers = 2
		two, err := association.Track(ctx, sc.Scans, &opts)
		runtime.GOMAXPROCS(1)
		if err != nil {
			return rows, err
		}
		s := &res.Seconds
		seconds := func(key string, v float64) cli.Field { return cli.Field{Key: key, Value: v, Unit: "s", Digits: 2} }
		rows = append(rows, cli.Record{
			{Key: "scene", Value: string(c.Scene)}, {Key: "targets", Value: len(sc.Truth)}, {Key: "frames", Value: len(sc.Scans)},
			{Key: "triplets", Value: res.Instance.Triplets()},
			seconds("simulate", simulate),
			seconds("estimate", s.Estimate), seconds("gate", s.Gate), seconds("cost", s.Cost), seconds("solve", s.Solve),
			seconds("track", track), seconds("track_cpu", tracked-simulated), seconds("score", score), seconds("draw", draw),
			seconds("gates", sweep), seconds("cpu", total),
			{Key: "gap", Value: 100 * res.Dual.Gap(), Digits: 2}, {Key: "mmep", Value: report.MMEP, Digits: 3},
			{Key: "peak_rss_mb", Value: usage.PeakMemory(), Digits: 3},
			seconds("two_workers", two.Seconds.Gate+two.Seconds.Cost+two.Seconds.Solve), measure.Bar("two_workers", c.most),
		})
	}
	return rows, nil
}
