package measure

// This file counts the rows that dense searches scan, beside Table 1 of Guthe and
// Thuerck, Algorithm 1015 (ACM TOMS 47, 2021).

import (
	"context"
	_ "embed"
	"fmt"

	"mtt/mapsolver"
	"mtt/mapsolver/dense"
	"mtt/mapsolver/lapgen"
)

// Table1 is Table 1 of Algorithm 1015, with ε-pricing and without: a row for each size,
// a column for it and one for each class.
var Table1 = struct{ Priced, Plain Table }{
	Priced: ReadTable(table1Priced),
	Plain:  ReadTable(table1Plain),
}

var (
	//go:embed published/alg1015-table1-epsilon.csv
	table1Priced string
	//go:embed published/alg1015-table1-none.csv
	table1Plain string
)

// A ScanCount is the rows scanned of one class at one size, mean, least and
// greatest over seeds.
type ScanCount struct {
	Class     string
	Start     dense.Start
	N         int
	Rows      Series // one for each seed
	Published float64
}

// Pricing says whether a start has ε-pricing.
func Pricing(start dense.Start) string {
	if start == dense.Priced {
		return "epsilon"
	}
	return "none"
}

// Difference is that of the mean to the published count, %.
func (c *ScanCount) Difference() float64 {
	return 100 * (c.Rows.Average()/c.Published - 1)
}

// ScanCases is the number of cases that CountScans has.
func ScanCases(mostPriced, mostPlain int) (cases int) {
	classes := len(Table1.Priced.Columns) - 1
	for _, row := range Table1.Priced.Rows {
		if n := int(row[0]); n <= mostPriced {
			cases += classes
		}
		if n := int(row[0]); n <= mostPlain {
			cases += classes
		}
	}
	return cases
}

// CountScans counts rows for every class, with ε-pricing up to mostPriced rows
// and without up to mostPlain, at the sizes that were asked for.
func CountScans(ctx context.Context, b *Run, mostPriced, mostPlain int) ([]ScanCount, error) {
	classes := make(map[string]lapgen.Class)
	for _, class := range lapgen.Classes() {
		classes[class.Name] = class
	}
	var list []ScanCount
	for _, start := range []dense.Start{dense.Priced, dense.Plain} {
		most, published := mostPriced, &Table1.Priced
		if start == dense.Plain {
			most, published = mostPlain, &Table1.Plain
		}
		for k, name := range published.Columns[1:] {
			for _, row := range published.Rows {
				n := int(row[0])
				if len(b.Sizes) == 0 && n > most || !b.HasSize(n) {
					continue
				}
				c := ScanCount{Class: name, Start: start, N: n, Published: row[1+k], Rows: make(Series, b.Seeds)}
				b.Step(fmt.Sprintf("%s, n = %d, %s", name, n, start))
				n = b.RowsOf(n)
				err := b.EachSeed(ctx, func(ctx context.Context, j int, seed uint64) error {
					m := dense.NewMatrix(n, n, classes[name].Cost(n, seed))
					solver := dense.Solver{Start: start}
					var s mapsolver.Solution
					err := solver.Solve(ctx, &s, m, nil)
					c.Rows[j] = float64(solver.Work().SearchRows)
					return err
				})
				if err != nil {
					return list, err
				}
				list = append(list, c)
			}
		}
	}
	return list, nil
}
