package reproduce

// This file repeats what Algorithm 1015 says of single searches, of what ε leaves, and of auctions.

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"slices"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/usage"
	"mtt/mapsolver"
	"mtt/mapsolver/dense"
	"mtt/mapsolver/lapgen"
	"mtt/plots"
)

// costsOfClass draws a matrix of a class.
func costsOfClass(class string, n int, seed uint64) []float64 {
	list := lapgen.Classes()
	i := slices.IndexFunc(list, func(c lapgen.Class) bool { return c.Name == class })
	return list[i].Cost(n, seed)
}

// onlySize is the first of --sizes, or what the paper has.
func onlySize(b *measure.Run, n int) int {
	if len(b.Sizes) > 0 {
		return int(b.Sizes[0])
	}
	return n
}

// searchClasses are those of Figures 1 and 2; of low ranks the paper does not say which.
var searchClasses = []string{"random", "rank 2"}

const tenths = 10 // of the searches of a round

// reproduceFig1 prints rows scanned and the length of paths by tenths of the searches, of the plain
// method and of the last, exact round of ε-pricing, and how many rows all rounds scanned.
func reproduceFig1(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	size := onlySize(b, 1000)
	n := b.RowsOf(size)
	var rows []cli.Record
	panels := []plots.GrowthPanel{{Label: "rows scanned by a search"}, {Label: "pairs of its path"}}
	for _, class := range searchClasses {
		for _, start := range []dense.Start{dense.Plain, dense.Priced} {
			b.Step(fmt.Sprintf("%s, %s", class, start))
			var list []dense.Search
			solver := dense.Solver{Start: start, Watch: func(s dense.Search) {
				s.Prices = nil
				list = append(list, s)
			}}
			var s mapsolver.Solution
			if err := solver.Solve(ctx, &s, dense.NewMatrix(n, n, costsOfClass(class, n, b.First)), nil); err != nil {
				return rows, nil, err
			}
			all, rounds := len(list), 1
			total := 0
			for _, x := range list {
				total += x.Rows
				rounds = max(rounds, x.Round)
			}
			list = list[all-n:] // the last round
			pricing := measure.Pricing(start)
			for k := range panels {
				panels[k].Kinds = append(panels[k].Kinds, plots.Growth{Name: class + ", " + pricing})
			}
			for k := range tenths {
				part := list[k*n/tenths : (k+1)*n/tenths]
				var scanned, path, longest int
				for _, x := range part {
					scanned, path, longest = scanned+x.Rows, path+x.Path, max(longest, x.Path)
				}
				each := func(sum int) float64 { return float64(sum) / float64(max(1, len(part))) }
				rows = append(rows, cli.Record{
					{Key: "class", Value: class}, {Key: "pricing", Value: pricing},
					{Key: "n", Value: size}, {Key: "searches_to", Value: (k + 1) * n / tenths},
					{Key: "rows_scanned", Value: each(scanned), Digits: 4}, {Key: "path", Value: each(path), Digits: 3},
					{Key: "longest_path", Value: longest}, {Key: "rounds", Value: rounds}, {Key: "rows_of_all_rounds", Value: total},
				})
				at := float64((k + 1) * n / tenths)
				for i, y := range []float64{each(scanned), each(path)} {
					kind := &panels[i].Kinds[len(panels[i].Kinds)-1]
					kind.Measured = append(kind.Measured, plots.Point{X: at, Y: y})
				}
			}
		}
	}
	return rows, plots.GrowthOf(fmt.Sprintf("Searches, by their number, n = %d", size), "searches", panels), nil
}

// pricedClasses need ε-pricing, as the paper says of all but sanity and rank 1.
var pricedClasses = []string{"random", "geometric", "disjoint", "rank 2", "rank 4", "rank 8"}

var fig3Sizes = []int{1000, 2000}

// reproduceFig3 prints how far prices at the end of a round of ε-pricing are from those at the end
// of all, on average, and that over ε.
func reproduceFig3(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	var rows []cli.Record
	panel := plots.GrowthPanel{Label: "mean difference of the duals"}
	for _, class := range pricedClasses {
		kind := plots.Growth{Name: class}
		for _, size := range fig3Sizes {
			if !b.HasSize(size) {
				continue
			}
			b.Step(fmt.Sprintf("%s, n = %d", class, size))
			n := b.RowsOf(size)
			type round struct {
				eps    float64
				prices []float64
			}
			var rounds []round
			searches := 0
			solver := dense.Solver{Start: dense.Priced, Watch: func(s dense.Search) {
				if searches++; searches%n == 0 {
					rounds = append(rounds, round{s.Epsilon, slices.Clone(s.Prices)})
				}
			}}
			var s mapsolver.Solution
			if err := solver.Solve(ctx, &s, dense.NewMatrix(n, n, costsOfClass(class, n, b.First)), nil); err != nil {
				return rows, nil, err
			}
			last := rounds[len(rounds)-1].prices
			for k, r := range rounds[:len(rounds)-1] {
				sum := 0.0
				for j, v := range r.prices {
					sum += math.Abs(v - last[j])
				}
				mean := sum / float64(n)
				rows = append(rows, cli.Record{
					{Key: "class", Value: class}, {Key: "n", Value: size}, {Key: "round", Value: k + 1},
					{Key: "epsilon", Value: r.eps, Digits: 3}, {Key: "difference", Value: mean, Digits: 3},
					{Key: "over_epsilon", Value: mean / r.eps, Digits: 3},
				})
				kind.Measured = append(kind.Measured, plots.Point{X: r.eps, Y: mean})
			}
		}
		panel.Kinds = append(panel.Kinds, kind)
	}
	return rows, plots.GrowthOf("Duals after a round of ε-pricing, and at the end", "ε", []plots.GrowthPanel{panel}), nil
}

//go:embed published/alg1015-table2.csv
var alg1015Table2 string

// auctionTimes are seconds of Table 2: n, then for each class those of a plain and an optimised
// auction and of Algorithm 1015.
var auctionTimes = measure.ReadTable(alg1015Table2)

// reproduceTable2 prints seconds of an auction and of ε-pricing with whole rows.
func reproduceTable2(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	var rows []cli.Record
	for _, row := range auctionTimes.Rows {
		size := int(row[0])
		if !b.HasSize(size) {
			continue
		}
		n := b.RowsOf(size)
		for k, class := range lapgen.Classes() {
			b.Step(fmt.Sprintf("%s, n = %d", class.Name, size))
			cost := class.Cost(n, b.First)
			p, err := mapsolver.Dense(n, n, cost)
			if err != nil {
				return rows, nil, err
			}
			var times [2]float64
			var answers [2]mapsolver.Solution
			for i, solve := range []func(s *mapsolver.Solution) error{
				func(s *mapsolver.Solution) error { return measure.HostSolver("auction").Solve(ctx, s, p, nil) },
				func(s *mapsolver.Solution) error {
					return (&dense.Solver{Start: dense.Priced}).Solve(ctx, s, dense.NewMatrix(n, n, cost), nil)
				},
			} {
				began := usage.CPUSeconds()
				if err := solve(&answers[i]); err != nil {
					return rows, nil, err
				}
				times[i] = usage.CPUSeconds() - began
			}
			if d := answers[0].Cost - answers[1].Cost; math.Abs(d) > 1e-9*math.Abs(answers[1].Cost) {
				return rows, nil, fmt.Errorf("%s, n = %d: the auction's answer costs %v, the other %v", class.Name, n, answers[0].Cost, answers[1].Cost)
			}
			published := row[1+3*k:]
			rows = append(rows, cli.Record{
				{Key: "n", Value: size}, {Key: "class", Value: class.Name},
				{Key: "auction", Value: times[0], Unit: "s", Digits: 3}, {Key: "priced", Value: times[1], Unit: "s", Digits: 3},
				{Key: "ratio", Value: times[0] / times[1], Digits: 3},
				{Key: "published_auction", Value: published[0], Unit: "s"}, {Key: "published_optimised", Value: published[1], Unit: "s"},
				{Key: "published_1015", Value: published[2], Unit: "s"}, {Key: "published_ratio", Value: published[0] / published[2], Digits: 3},
			})
		}
	}
	return rows, nil, nil
}
