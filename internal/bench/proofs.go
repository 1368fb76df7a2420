package bench

// This file measures how often the answer is proved to be the cheapest.

import (
	"context"

	"mtt/association"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/scenario"
)

// proofCases are those of which proofs are counted, with the share to reach. The
// published cost is gated as in gapCases, a table of other scenes for another bar.
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
func benchProofs(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	for _, c := range proofCases {
		b.Step(c.name())
		proved, byPrices, gap := make(measure.Series, b.Seeds), make(measure.Series, b.Seeds), make(measure.Series, b.Seeds)
		err := b.EachSeed(ctx, func(ctx context.Context, i int, seed uint64) error {
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
		r := append(c.fields(), cli.Field{Key: "scenes", Value: b.Seeds},
			proved.Mean("proved"), measure.Bar("proved", c.bar), byPrices.Mean("by_prices"))
		rows = append(rows, append(r, gap.Fields("gap")...))
	}
	return rows, nil
}
