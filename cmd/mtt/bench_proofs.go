package main

// This file measures how often the answer is proved to be the cheapest.

import (
	"context"
	"fmt"

	"mtt/association"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/scenario"
)

// A proofCase is one scene and cost, with the share of proofs to reach.
type proofCase struct {
	scene scenario.Kind
	cost  association.Cost
	noise float64 // m, and m/s of velocities
	gate  gating.Gate
	share float64 // %; 0: no bar
}

// proofCases are 100 targets in 50 frames, spread 2.5 m. The published cost is
// gated as in gapCases.
var proofCases = []proofCase{
	{scenario.Burst, association.NLL, 0.05, nil, 95},
	{scenario.Arena, association.NLL, 0.05, nil, 95},
	{scenario.Cross, association.NLL, 0.05, nil, 95},
	{scenario.Steer, association.NLL, 0.05, nil, 95},
	{scenario.Burst, association.NLL, 0.1, nil, 95},
	{scenario.Arena, association.NLL, 0.1, nil, 95},
	{scenario.Cross, association.NLL, 0.1, nil, 95},
	{scenario.Steer, association.NLL, 0.1, nil, 95},
	{scenario.Burst, association.NLL, 0.2, nil, 50},
	{scenario.Arena, association.NLL, 0.2, nil, 50},
	{scenario.Cross, association.NLL, 0.2, nil, 50},
	{scenario.Steer, association.NLL, 0.2, nil, 50},
	{scenario.Burst, association.Paper, 0.1, gating.Disc{Epsilon: 2}, 0},
	{scenario.Cross, association.Paper, 0.2, gating.Disc{Epsilon: 2}, 0},
}

// benchProofs tracks every case with the default engine. By_prices is the share
// that the certificate alone proves; for the others the search that follows the
// ascent has ruled the rest out.
func benchProofs(ctx context.Context, b *bench) ([]record, error) {
	var rows []record
	for _, c := range proofCases {
		b.step(fmt.Sprintf("%s, %s, noise %g", c.scene, c.cost, c.noise))
		proved, byPrices, gap := make(series, b.Seeds), make(series, b.Seeds), make(series, b.Seeds)
		err := b.eachSeed(ctx, func(ctx context.Context, i int, seed uint64) error {
			cfg := scenario.Config{Scene: c.scene, Targets: 100, Frames: 50, Noise: c.noise, VelocityNoise: c.noise}
			sc, err := b.scene(ctx, cfg, seed)
			if err != nil {
				return err
			}
			opts := told(&cfg)
			opts.Cost, opts.NoRefine, opts.Gate = c.cost, true, c.gate
			res, err := association.Track(ctx, sc.Scans, &opts)
			if err != nil {
				return err
			}
			d := res.Dual
			gap[i] = 100 * d.Gap()
			if d.Status == dualascent.Optimal {
				proved[i] = 100
				if d.UpperBound-d.Certified <= d.UpperBound-d.LowerBound {
					byPrices[i] = 100
				}
			}
			return nil
		})
		if err != nil {
			return rows, err
		}
		gate := "auto"
		if c.gate != nil {
			gate = gateText(c.gate)
		}
		r := record{
			{key: "scene", value: string(c.scene)}, {key: "cost", value: string(c.cost)}, {key: "noise", value: c.noise},
			{key: "gate", value: gate}, {key: "scenes", value: b.Seeds},
			proved.mean("proved"), bar("proved", c.share), byPrices.mean("by_prices"),
		}
		rows = append(rows, append(r, gap.fields("gap")...))
	}
	return rows, nil
}
