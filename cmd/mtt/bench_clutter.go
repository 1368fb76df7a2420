package main

// This file measures what misses and false alarms do.

import (
	"context"
	"fmt"

	"mtt/association"
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
func benchClutter(ctx context.Context, b *bench) ([]record, error) {
	var rows []record
	for _, c := range clutterCases {
		b.step(fmt.Sprintf("%s, runs of %d", c.scene.Scene, c.scene.MissRun))
		more, err := b.clutter(ctx, c.scene, c.bar)
		if err != nil {
			return rows, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// clutter tracks one scene with every method.
func (b *bench) clutter(ctx context.Context, cfg scenario.Config, limit float64) ([]record, error) {
	methods := []string{"dual, not refined", "dual", string(association.Forward), string(association.GNN)}
	bars := []float64{0, limit, 0, 0}
	var mmep, itcp, wrong, failed [4]series
	for m := range methods {
		mmep[m], itcp[m], wrong[m], failed[m] = make(series, b.Seeds), make(series, b.Seeds), make(series, b.Seeds), make(series, b.Seeds)
	}
	if b.targets > 0 {
		cfg.Clutter = float64(b.targets) / 10
	}
	err := b.eachSeed(ctx, func(ctx context.Context, i int, seed uint64) error {
		sc, err := b.scene(ctx, cfg, seed)
		if err != nil {
			return err
		}
		found, err := trackAll(ctx, sc.Scans, told(&cfg), methods)
		if err != nil {
			return err
		}
		for m, tracks := range found {
			report, err := links(ctx, sc.Truth, tracks)
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
	var rows []record
	for m, method := range methods {
		r := record{{key: "miss_run", value: cfg.MissRun}, {key: "method", value: method}}
		r = append(r, mmep[m].fields("mmep")...)
		r = append(r, wrong[m].mean("false_links_percent"), failed[m].mean("link_error"), bar("link_error", bars[m]), itcp[m].mean("itcp"))
		rows = append(rows, r)
	}
	return rows, nil
}
