package main

// This file measures how often the answer is proved to be the cheapest.

import (
	"context"

	"mtt/association"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/scenario"
)

// proofCases are those of which proofs are counted, with the share to reach. The
// published cost is gated as in gapCases.
var proofCases = []boundCase{
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
		b.step(c.name())
		proved, byPrices, gap := make(series, b.Seeds), make(series, b.Seeds), make(series, b.Seeds)
		err := b.eachSeed(ctx, func(ctx context.Context, i int, seed uint64) error {
			res, err := c.track(ctx, b, seed, func(*association.Options) {})
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
		r := append(c.fields(), field{key: "scenes", value: b.Seeds},
			proved.mean("proved"), bar("proved", c.bar), byPrices.mean("by_prices"))
		rows = append(rows, append(r, gap.fields("gap")...))
	}
	return rows, nil
}
