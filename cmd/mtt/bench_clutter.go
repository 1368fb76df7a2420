package main

// This file measures what misses and false alarms do.

import (
	"context"

	"mtt/association"
	"mtt/scenario"
)

// clutterScene stays crowded for ever: 200 targets steered back into a disc of
// radius 12 m, one detection in ten missed, as many false ones near targets.
var clutterScene = scenario.Config{
	Scene: scenario.Steer, Spread: 1.5, Targets: 200, Frames: 60, Noise: 0.1, VelocityNoise: 0.1,
	Miss: 0.1, Clutter: 20, ClutterRadius: 4,
}

// benchClutter tracks the scene with every method. The link error counts true
// links that are wrong or missing and false links, of all true links.
func benchClutter(ctx context.Context, b *bench) ([]record, error) {
	b.step(string(clutterScene.Scene))
	methods := []string{"dual, not refined", "dual", string(association.Forward), string(association.GNN)}
	bars := []float64{0, 0.5, 0, 0}
	var mmep, itcp, wrong, failed [4]series
	for m := range methods {
		mmep[m], itcp[m], wrong[m], failed[m] = make(series, b.Seeds), make(series, b.Seeds), make(series, b.Seeds), make(series, b.Seeds)
	}
	err := b.eachSeed(ctx, func(ctx context.Context, i int, seed uint64) error {
		cfg := clutterScene
		if b.targets > 0 {
			cfg.Clutter = float64(b.targets) / 10
		}
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
		r := record{{key: "method", value: method}}
		r = append(r, mmep[m].fields("mmep")...)
		r = append(r, wrong[m].mean("false_links_percent"), failed[m].mean("link_error"), bar("link_error", bars[m]), itcp[m].mean("itcp"))
		rows = append(rows, r)
	}
	return rows, nil
}
