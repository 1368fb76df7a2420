package reproduce

// This file lists what is repeated.

import (
	"context"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/plots"
)

// A Reproduction measures what a table or figure of a paper shows, and may draw it.
type Reproduction struct {
	Name   string
	About  string
	File   string // of the figure; empty: there is none
	Cases  int
	Run    func(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error)
	Source string
}

// All lists them in the order in which they are shown.
var All = []Reproduction{
	{
		Name: "alg1015-table1", About: "rows scanned with and without epsilon pricing, and how they grow with n",
		File: "alg1015-table1.svg", Cases: measure.ScanCases(8000, 2828), Run: reproduceTable1,
		Source: "S. Guthe, D. Thuerck. Algorithm 1015. ACM TOMS 47 (2021), Table 1 and Figure 4",
	},
	{
		Name: "sas-fig10", About: "expected cost of speculating and of stalling, equations 8 to 13, beside what is counted",
		Cases: len(speculationSizes), Run: reproduceFig10, Source: sasSource + ", Figure 10",
	},
	{
		Name: "sas-fig11", About: "iterations of 50×50 problems by density, which peak at 22 %",
		Cases: len(peakTable.Rows), Run: reproduceFig11, Source: sasSource + ", Figure 11",
	},
	{
		Name: "sas-fig12", About: "core and total cycles of random sparse problems, by size, density and design",
		Cases: len(sparseTable.Rows), Run: reproduceFig12, Source: sasSource + ", Figure 12",
	},
	{
		Name: "sas-fig13", About: "core cycles of a tracker's problems; reads --data",
		Cases: 1, Run: reproduceFig13, Source: sasSource + ", Figure 13",
	},
	{
		Name: "sas-fig14", About: "misspeculations, counted and expected",
		Cases: len(missTable.Rows), Run: reproduceFig14, Source: sasSource + ", Figure 14",
	},
	{
		Name: "sas-table3", About: "what the designs take of a chip: the article by Vivado, ours by yosys",
		Cases: 1, Run: reproduceTable3, Source: sasSource + ", Table 3",
	},
}
