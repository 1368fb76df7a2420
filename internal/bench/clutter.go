package bench

// This file measures what misses and false alarms do.

import (
	"context"
	"fmt"

	"mtt/association"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/task"
	"mtt/scenario"
)

// clutterCases stay crowded for ever: 200 targets steered back into a disc of
// radius 12 m, one detection in ten missed, one at a time or in runs of up to three,
// and as many false ones near targets. The bars are for the link error of dual.
var clutterCases = []struct {
	scene scenario.Config
	bar   float64
}{{clutterScene(1), 0.5}, {clutterScene(3), 1}}

func clutterScene(run int) scenario.Config {
	return scenario.Config{
		Scene: scenario.Steer, Spread: 1.5, Targets: 200, Frames: 60, Noise: 0.1, VelocityNoise: 0.1,
		Miss: 0.1, MissRun: run, Clutter: 20, ClutterRadius: 4,
	}
}

// benchClutter tracks the scenes with every method. The link error counts true
// links that are wrong or missing and false links, of all true links.
func benchClutter(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	for _, c := range clutterCases {
		b.Step(fmt.Sprintf("%s, runs of %d", c.scene.Scene, c.scene.MissRun))
		more, err := trackClutter(ctx, b, c.scene, c.bar)
		if err != nil {
			return rows, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// trackClutter tracks one scene with every method.
func trackClutter(ctx context.Context, b *measure.Run, cfg scenario.Config, limit float64) ([]cli.Record, error) {
	methods := []string{"dual, not refined", "dual", string(association.Greedy), string(association.GNN)}
	bars := []float64{0, limit, 0, 0}
	var mmep, itcp, wrong, failed [4]measure.Series
	for m := range methods {
		mmep[m], itcp[m], wrong[m], failed[m] = make(measure.Series, b.Seeds), make(measure.Series, b.Seeds), make(measure.Series, b.Seeds), make(measure.Series, b.Seeds)
	}
	if b.Targets > 0 {
		cfg.Clutter = float64(b.Targets) / 10
	}
	err := b.EachSeed(ctx, func(ctx context.Context, i int, seed uint64) error {
		sc, err := b.Scene(ctx, cfg, seed)
		if err != nil {
			return err
		}
		found, err := trackAll(ctx, sc.Scans, measure.Told(&cfg), methods)
		if err != nil {
			return err
		}
		for m, tracks := range found {
			report, err := task.Links(ctx, sc.Truth, tracks)
			if err != nil {
				return err
			}
			mmep[m][i], itcp[m][i] = report.MMEP, report.ITCP
			wrong[m][i] = 100 * float64(report.FalseLinks) / float64(report.TrueLinks)
			failed[m][i] = mmep[m][i] + wrong[m][i]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var rows []cli.Record
	for m, method := range methods {
		r := cli.Record{{Key: "miss_run", Value: cfg.MissRun}, {Key: "method", Value: method}}
		r = append(r, mmep[m].Fields("mmep")...)
		r = append(r, wrong[m].Mean("false_links_percent"), failed[m].Mean("link_error"), measure.Bar("link_error", bars[m]), itcp[m].Mean("itcp"))
		rows = append(rows, r)
	}
	return rows, nil
}
