package bench

// This file measures what a tracker that sees one scan at a time loses, and how
// long its steps take.

import (
	"context"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mtt"
	"mtt/association"
	"mtt/association/online"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/task"
	"mtt/scenario"
)

// lagFrames are as many scans as there are some steps of 300 targets with levels of the warm-up,
// which are taken at the 71st.
const lagFrames = 100

// lagCases are the scenes of the comparison, with the lags.
var lagCases = []scenario.Config{
	{Scene: scenario.Steer, Targets: 300, Frames: lagFrames, Noise: 0.1, VelocityNoise: 0.1},
	{Scene: scenario.Steer, Targets: 300, Frames: lagFrames, Noise: 0.2, VelocityNoise: 0.2},
	{Scene: scenario.Steer, Targets: 300, Frames: lagFrames, Noise: 0.1, NoVelocity: true},
	{Scene: scenario.Burst, Targets: 100, Frames: 50, Noise: 0.1, VelocityNoise: 0.1},
	func() scenario.Config {
		c := clutterScene(1)
		c.Frames = lagFrames
		return c
	}(),
}

// lags are those of the table, as online.Options has them.
var lags = []struct {
	lag  int
	name string
}{{-1, "lag_0"}, {1, "lag_1"}, {3, "lag_3"}, {5, "lag_5"}}

// benchLag compares the wrong links of several lags with those of all scans
// together, and shows how long a step of lag 3 takes, on one core, where scans come as fast as they say.
func benchLag(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var rows []cli.Record
	for _, c := range lagCases {
		b.Step(string(c.Scene))
		batch, lagged := make(measure.Series, b.Seeds), make([]measure.Series, len(lags))
		for k := range lagged {
			lagged[k] = make(measure.Series, b.Seeds)
		}
		var latency []float64
		opts := measure.Told(&c)
		serial := *b
		serial.Workers = 1
		err := serial.EachSeed(ctx, func(ctx context.Context, i int, seed uint64) error {
			sc, err := b.Scene(ctx, c, seed)
			if err != nil {
				return err
			}
			score := func(res *association.Result, err error) (float64, error) {
				if err != nil {
					return 0, err
				}
				report, err := task.Links(ctx, sc.Truth, res.Tracks)
				if err != nil {
					return 0, err
				}
				return report.MMEP, nil
			}
			if batch[i], err = score(association.Track(ctx, sc.Scans, &opts)); err != nil {
				return err
			}
			for k, l := range lags {
				res, err := online.Track(ctx, sc.Scans, online.Of(&opts, l.lag))
				if err != nil {
					return err
				}
				if lagged[k][i], err = score(res.Result, nil); err != nil {
					return err
				}
			}
			res, err := online.Track(ctx, hurried(sc.Scans), online.Of(hurriedOptions(opts), 3))
			if err == nil {
				latency = append(latency, res.Latency...)
			}
			return err
		})
		if err != nil {
			return rows, err
		}
		slices.Sort(latency)
		r := cli.Record{
			{Key: "scene", Value: string(c.Scene)}, {Key: "targets", Value: c.Targets},
			{Key: "noise", Value: c.Noise}, {Key: "velocities", Value: !c.NoVelocity}, {Key: "miss", Value: c.Miss},
			batch.Mean("all"),
		}
		for k, l := range lags {
			r = append(r, lagged[k].Mean(l.name))
		}
		of := task.LatencyFields(latency)
		rows = append(rows, append(r, cli.Field{Key: "ms_median", Value: of[0].Value, Digits: 2}, cli.Field{Key: "ms_p99", Value: of[1].Value, Digits: 2}))
	}
	return rows, nil
}

// asFast is how many times as fast the scans of a second come whose steps are measured, so that
// none waits for levels: they follow each other at once.
const asFast = 50

// hurried are the scans that come so much faster, of targets that do.
func hurried(scans []mtt.Scan) []mtt.Scan {
	fast := slices.Clone(scans)
	for s := range fast {
		fast[s].Time /= asFast
		fast[s].Vel = slices.Clone(fast[s].Vel)
		floats.Scale(asFast, fast[s].Vel)
	}
	return fast
}

// hurriedOptions are what is told of these.
func hurriedOptions(o association.Options) *association.Options {
	o.SigmaV *= asFast
	return &o
}
