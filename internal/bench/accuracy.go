package bench

// This file measures accuracy on simulated scenes.

import (
	"context"
	"fmt"

	"mtt/association"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/task"
	"mtt/scenario"
)

// An accuracyCase is one scene and cost, with the values to reach.
type accuracyCase struct {
	scene scenario.Kind
	cost  association.Cost
	noise float64 // m, and m/s of velocities
	blind bool    // velocities are not measured
	mmep  float64 // %; 0: no bar
	itcp  float64
}

// accuracyCases are 100 targets in 50 frames, spread 2.5 m.
var accuracyCases = []accuracyCase{
	{scenario.Burst, association.NLL, 0.05, false, 0.03, 1},
	{scenario.Burst, association.NLL, 0.1, false, 0.26, 7.5},
	{scenario.Burst, association.NLL, 0.2, false, 1.7, 38},
	{scenario.Arena, association.NLL, 0.2, false, 0.08, 1.5},
	{scenario.Burst, association.Trapezoid, 0.05, false, 0.2, 7},
	{scenario.Burst, association.Trapezoid, 0.1, false, 1.2, 36},
	{scenario.Burst, association.Trapezoid, 0.2, false, 5.3, 92},
	{scenario.Burst, association.Paper, 0.05, false, 1.9, 54},
	{scenario.Burst, association.Paper, 0.1, false, 5.1, 92},
	{scenario.Burst, association.Paper, 0.2, false, 10.2, 99},
	{scenario.Steer, association.NLL, 0.05, true, 0.35, 0},
	{scenario.Steer, association.NLL, 0.1, true, 1.0, 0},
	{scenario.Burst, association.NLL, 0.05, true, 1.6, 0},
	{scenario.Burst, association.NLL, 0.1, true, 3.9, 0},
}

// config is the scene of c.
func (c *accuracyCase) config() scenario.Config {
	return scenario.Config{
		Scene: c.scene, Targets: 100, Frames: 50,
		Noise: c.noise, VelocityNoise: c.noise, NoVelocity: c.blind,
	}
}

// benchAccuracy tracks every case with the default engine; without velocities also
// before the refinement of whole tracks, and with Kalman filters and nearest
// neighbours.
func benchAccuracy(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	for _, c := range accuracyCases {
		b.Step(fmt.Sprintf("%s, %s, noise %g", c.scene, c.cost, c.noise))
		methods := []string{"dual"}
		if c.blind {
			methods = []string{"dual, not refined", "dual", "gnn"}
		}
		mmep, itcp := make([]measure.Series, len(methods)), make([]measure.Series, len(methods))
		for m := range methods {
			mmep[m], itcp[m] = make(measure.Series, b.Seeds), make(measure.Series, b.Seeds)
		}
		err := b.EachSeed(ctx, func(ctx context.Context, i int, seed uint64) error {
			cfg := c.config()
			sc, err := b.Scene(ctx, cfg, seed)
			if err != nil {
				return err
			}
			opts := measure.Told(&cfg)
			opts.Cost = c.cost
			found, err := trackAll(ctx, sc.Scans, opts, methods)
			if err != nil {
				return err
			}
			for m, tracks := range found {
				report, err := task.Links(ctx, sc.Truth, tracks)
				if err != nil {
					return err
				}
				mmep[m][i], itcp[m][i] = report.MMEP, report.ITCP
			}
			return nil
		})
		if err != nil {
			return rows, err
		}
		for m, method := range methods {
			r := cli.Record{
				{Key: "scene", Value: string(c.scene)}, {Key: "velocities", Value: !c.blind},
				{Key: "cost", Value: string(c.cost)}, {Key: "method", Value: method}, {Key: "noise", Value: c.noise},
			}
			mmepBar := c.mmep
			if method == "gnn" {
				mmepBar = 0
			}
			r = append(append(r, mmep[m].Fields("mmep")...), measure.Bar("mmep", mmepBar))
			r = append(append(r, itcp[m].Fields("itcp")...), measure.Bar("itcp", c.itcp))
			rows = append(rows, r)
		}
	}
	return rows, nil
}
