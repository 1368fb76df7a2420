package main

// This file measures what a tracker that sees one scan at a time loses, and how
// long its steps take.

import (
	"context"
	"runtime"
	"slices"

	"mtt/association"
	"mtt/scenario"
)

// lagCases are the scenes of the comparison, with the lags.
var lagCases = []scenario.Config{
	{Scene: scenario.Steer, Targets: 300, Frames: 60, Noise: 0.1, VelocityNoise: 0.1},
	{Scene: scenario.Steer, Targets: 300, Frames: 60, Noise: 0.2, VelocityNoise: 0.2},
	{Scene: scenario.Steer, Targets: 300, Frames: 60, Noise: 0.1, NoVelocity: true},
	{Scene: scenario.Burst, Targets: 100, Frames: 50, Noise: 0.1, VelocityNoise: 0.1},
	clutterScene(1),
}

// lags are those of the table, as association.TrackerOptions has them.
var lags = []struct {
	lag  int
	name string
}{{-1, "lag_0"}, {1, "lag_1"}, {3, "lag_3"}, {5, "lag_5"}}

// benchLag compares the wrong links of several lags with those of all scans
// together, and shows how long a step of lag 3 takes, on one core.
func benchLag(ctx context.Context, b *bench) ([]record, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var rows []record
	for _, c := range lagCases {
		b.step(string(c.Scene))
		batch, online := make(series, b.Seeds), make([]series, len(lags))
		for k := range online {
			online[k] = make(series, b.Seeds)
		}
		var latency []float64
		opts := told(&c)
		serial := *b
		serial.workers = 1
		err := serial.eachSeed(ctx, func(ctx context.Context, i int, seed uint64) error {
			sc, err := b.scene(ctx, c, seed)
			if err != nil {
				return err
			}
			score := func(res *association.Result, err error) (float64, error) {
				if err != nil {
					return 0, err
				}
				report, err := links(ctx, sc.Truth, res.Tracks)
				if err != nil {
					return 0, err
				}
				return report.MMEP, nil
			}
			if batch[i], err = score(association.Track(ctx, sc.Scans, &opts)); err != nil {
				return err
			}
			for k, l := range lags {
				res, err := association.Follow(ctx, sc.Scans, &association.TrackerOptions{Options: opts, Lag: l.lag})
				if online[k][i], err = score(res, err); err != nil {
					return err
				}
				if l.lag == 3 {
					latency = append(latency, res.Latency...)
				}
			}
			return nil
		})
		if err != nil {
			return rows, err
		}
		slices.Sort(latency)
		r := record{
			{key: "scene", value: string(c.Scene)}, {key: "targets", value: c.Targets},
			{key: "noise", value: c.Noise}, {key: "velocities", value: !c.NoVelocity}, {key: "miss", value: c.Miss},
			batch.mean("all"),
		}
		for k, l := range lags {
			r = append(r, online[k].mean(l.name))
		}
		of := latencyFields(latency)
		rows = append(rows, append(r, field{key: "ms_median", value: of[0].value, digits: 2}, field{key: "ms_p99", value: of[1].value, digits: 2}))
	}
	return rows, nil
}
