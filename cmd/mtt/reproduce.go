package main

// This file is "mtt reproduce": tables of the source papers beside our own.

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"mtt/internal/runfolder"
	"mtt/mapsolver/dense"
	"mtt/plots"
)

// A reproduction measures what a table or figure of a paper shows, and may draw it.
type reproduction struct {
	name   string
	about  string
	file   string // of the figure; empty: there is none
	cases  int
	run    func(ctx context.Context, b *bench) ([]record, *plots.Figure, error)
	source string
}

// reproductions lists them in the order in which they are shown.
var reproductions = []reproduction{
	{
		name: "alg1015-table1", about: "rows scanned with and without epsilon pricing, and how they grow with n",
		file: "alg1015-table1.svg", cases: scanCases(8000, 2828), run: reproduceTable1,
		source: "S. Guthe, D. Thuerck. Algorithm 1015. ACM TOMS 47 (2021), Table 1 and Figure 4",
	},
	{
		name: "sas-fig10", about: "expected cost of speculating and of stalling, equations 8 to 13, beside what is counted",
		cases: len(speculationSizes), run: reproduceFig10, source: sasSource + ", Figure 10",
	},
	{
		name: "sas-fig11", about: "iterations of 50×50 problems by density, which peak at 22 %",
		cases: len(peakLevels), run: reproduceFig11, source: sasSource + ", Figure 11",
	},
	{
		name: "sas-fig12", about: "core and total cycles of random sparse problems, by size, density and design",
		cases: len(sparseLevels), run: reproduceFig12, source: sasSource + ", Figure 12",
	},
	{
		name: "sas-fig13", about: "core cycles of a tracker's problems; reads --data",
		cases: 1, run: reproduceFig13, source: sasSource + ", Figure 13",
	},
	{
		name: "sas-fig14", about: "misspeculations, counted and expected",
		cases: len(missLevels), run: reproduceFig14, source: sasSource + ", Figure 14",
	},
	{
		name: "sas-table3", about: "what the designs take of a chip: the article by Vivado, ours by yosys",
		cases: 1, run: reproduceTable3, source: sasSource + ", Table 3",
	},
}

func newReproduceCommand() *command {
	o := &benchOptions{Seeds: 5, Data: "../shared/data"}
	about := "Measures what a table or figure of a paper shows, prints it beside what was published,\n" +
		"and draws some. The numbers are the same on every machine. Tables:\n\n"
	for _, r := range reproductions {
		about += "  " + r.name + ": " + r.about + " (" + r.source + ")\n"
	}
	return &command{
		name:     "reproduce",
		summary:  "repeats tables and figures of the source papers, beside the published numbers",
		args:     "[NAME]",
		maxArgs:  1,
		about:    about,
		examples: "mtt reproduce --list\n",
		outUsage: "`FILE` for the figure, SVG (default: NAME.svg)",
		options: []option{
			number(&o.Seeds, "seeds", 1, 1000, "`N` seeds, from --seed on, whose mean is shown"),
			numbers(&o.Sizes, "sizes", 0, "`N,N…`: only the problems of so many rows"),
			text(&o.Data, "data", "`FOLDER` with the recorded problems that sas-fig13 reads: sas-mot-lap"),
			boolean(&o.List, "list", "list what can be repeated"),
		},
		run: func(ctx context.Context, s *session, args []string) error { return runReproduce(ctx, s, o, args) },
	}
}

func runReproduce(ctx context.Context, s *session, o *benchOptions, args []string) error {
	var names []string
	var list []record
	for _, r := range reproductions {
		names = append(names, r.name)
		list = append(list, record{{key: "name", value: r.name}, {key: "shows", value: r.about}, {key: "source", value: r.source}})
	}
	if o.List {
		return s.out.printRows(list)
	}
	if len(args) == 0 {
		return usagef("name a table").hinted("'mtt reproduce --list' lists them")
	}
	i := slices.Index(names, args[0])
	if i < 0 {
		return usagef("unknown table %q", args[0]).hinted("%s", didYouMean(args[0], "", names))
	}
	r := &reproductions[i]
	var figure *plots.Figure
	err := s.measure(ctx, o, r.name, r.cases, func(b *bench) (rows []record, err error) {
		rows, figure, err = r.run(ctx, b)
		return rows, err
	})
	if err != nil || figure == nil {
		return trackFault(err)
	}
	path := s.outOr(r.file)
	err = runfolder.WriteFile(path, func(w io.Writer) error { return figure.Encode(w, "svg") })
	if err == nil {
		s.note("%s drawn", path)
	}
	return err
}

// reproduceTable1 counts rows up to n = 8000 with ε-pricing and up to 2828 without
// it, and fits a power of n to the counts of each class, ours and the published
// ones.
func reproduceTable1(ctx context.Context, b *bench) ([]record, *plots.Figure, error) {
	counts, err := countScans(ctx, b, 8000, 2828)
	var rows []record
	panels := []plots.GrowthPanel{{Label: "rows scanned, with ε-pricing"}, {Label: "rows scanned, without"}}
	for len(counts) > 0 {
		c := &counts[0]
		same := slices.IndexFunc(counts, func(d scanCount) bool { return d.class != c.class || d.start != c.start })
		if same < 0 {
			same = len(counts)
		}
		growth := plots.Growth{Name: c.class}
		power := growthPower(counts[:same], func(c *scanCount) float64 { return c.rows.average() })
		published := growthPower(counts[:same], func(c *scanCount) float64 { return c.published })
		for _, c := range counts[:same] {
			growth.Measured = append(growth.Measured, plots.Point{X: float64(c.n), Y: c.rows.average()})
			growth.Published = append(growth.Published, plots.Point{X: float64(c.n), Y: c.published})
			rows = append(rows, record{
				{key: "class", value: c.class}, {key: "pricing", value: c.pricing()}, {key: "n", value: c.n},
				{key: "rows", value: c.rows.average(), digits: 9}, {key: "published", value: int(c.published)},
				{key: "difference", value: c.difference(), unit: "%", digits: 2},
				{key: "power", value: power, digits: 4}, {key: "published_power", value: published, digits: 4},
			})
		}
		p := &panels[0]
		if c.start == dense.Plain {
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
func growthPower(counts []scanCount, rows func(c *scanCount) float64) float64 {
	var x, y series
	for i := range counts {
		x, y = append(x, math.Log(float64(counts[i].n))), append(y, math.Log(rows(&counts[i])))
	}
	mx, my := x.average(), y.average()
	var xy, xx float64
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
	}
	return xy / xx
}
