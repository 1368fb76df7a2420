package bench

// This file compares the rows that dense searches scan with published counts.

import (
	"context"
	"math"
	"slices"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/mapsolver/dense"
)

// benchScans compares with the published counts; within says whether the mean is
// at most 15 % off. Rank 1 with ε-pricing may be lower than that: the authors'
// code has a better estimate since.
func benchScans(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	const limit = 15
	counts, err := measure.CountScans(ctx, b, 4000, 2000)
	var rows []cli.Record
	for _, c := range counts {
		d := c.Difference()
		within := math.Abs(d) <= limit || d < 0 && c.Class == "rank 1" && c.Start == dense.Priced
		r := cli.Record{
			{Key: "class", Value: c.Class}, {Key: "pricing", Value: measure.Pricing(c.Start)}, {Key: "n", Value: c.N},
		}
		rows = append(rows, append(r,
			cli.Field{Key: "rows", Value: c.Rows.Average(), Digits: 9},
			cli.Field{Key: "rows_min", Value: int(slices.Min(c.Rows))},
			cli.Field{Key: "rows_max", Value: int(slices.Max(c.Rows))},
			cli.Field{Key: "published", Value: int(c.Published)},
			cli.Field{Key: "difference", Value: d, Unit: "%", Digits: 2},
			cli.Field{Key: "difference_bar", Value: float64(limit), Unit: "%", Digits: 2},
			cli.Field{Key: "within", Value: within}))
	}
	return rows, err
}
