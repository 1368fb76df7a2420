package reproduce

// This file repeats Table 1 of Algorithm 1015.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/mapsolver/dense"
	"mtt/plots"
)

// reproduceTable1 counts rows up to n = 8000 with ε-pricing and up to 2828 without
// it, and fits a power of n to the counts of each class, ours and the published
// ones.
func reproduceTable1(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	counts, err := measure.CountScans(ctx, b, 8000, 2828)
	var rows []cli.Record
	panels := []plots.GrowthPanel{{Label: "rows scanned, with ε-pricing"}, {Label: "rows scanned, without"}}
	for len(counts) > 0 {
		c := &counts[0]
		same := slices.IndexFunc(counts, func(d measure.ScanCount) bool { return d.Class != c.Class || d.Start != c.Start })
		if same < 0 {
			same = len(counts)
		}
		growth := plots.Growth{Name: c.Class}
		power := growthPower(counts[:same], func(c *measure.ScanCount) float64 { return c.Rows.Average() })
		published := growthPower(counts[:same], func(c *measure.ScanCount) float64 { return c.Published })
		for _, c := range counts[:same] {
			growth.Measured = append(growth.Measured, plots.Point{X: float64(c.N), Y: c.Rows.Average()})
			growth.Published = append(growth.Published, plots.Point{X: float64(c.N), Y: c.Published})
			rows = append(rows, cli.Record{
				{Key: "class", Value: c.Class}, {Key: "pricing", Value: measure.Pricing(c.Start)}, {Key: "n", Value: c.N},
				{Key: "rows", Value: c.Rows.Average(), Digits: 9}, {Key: "published", Value: int(c.Published)},
				{Key: "difference", Value: c.Difference(), Unit: "%", Digits: 2},
				{Key: "power", Value: power, Digits: 4}, {Key: "published_power", Value: published, Digits: 4},
			})
		}
		p := &panels[0]
		if c.Start == dense.Plain {
			p = &panels[1]
		}
		p.Kinds = append(p.Kinds, growth)
		counts = counts[same:]
	}
	title := fmt.Sprintf("Rows scanned, Table 1 of Algorithm 1015, means of %d matrices", b.Seeds)
	return rows, plots.GrowthOf(title, "rows and columns", panels), err
}

// growthPower is the slope of the line through the logarithms of sizes and rows
// with the least squares; NaN when there is one size.
func growthPower(counts []measure.ScanCount, rows func(c *measure.ScanCount) float64) float64 {
	var x, y measure.Series
	for i := range counts {
		x, y = append(x, math.Log(float64(counts[i].N))), append(y, math.Log(rows(&counts[i])))
	}
	_, power := stat.LinearRegression(x, y, nil, false)
	return power
}
