package reproduce

// This file lists what is repeated.

import (
	"context"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/mapsolver/lapgen"
	"mtt/plots"
)

// A Reproduction measures what a table or figure of a paper shows, and may draw it.
type Reproduction struct {
	Name   string
	About  string
	File   string    // of the figure; empty: there is none
	Sized  bool      // whether --sizes means something
	Quick  []float64 // the sizes of a quick run; nil: all
	Cases  int
	Run    func(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error)
	Source string
}

// All lists them in the order in which they are shown.
var All = []Reproduction{
	{
		Name: "alg1015-table1", About: "rows scanned with and without epsilon pricing, and how they grow with n",
		File: "alg1015-table1.svg", Sized: true, Quick: []float64{1000}, Cases: measure.ScanCases(8000, 2828), Run: reproduceTable1,
		Source: "S. Guthe, D. Thuerck. Algorithm 1015. ACM TOMS 47 (2021), Table 1 and Figure 4",
	},
	{
		Name: "alg1015-fig1", About: "rows scanned and length of paths by the number of the search, with epsilon pricing and without",
		File: "alg1015-fig1.svg", Sized: true, Quick: []float64{500}, Cases: 2 * len(searchClasses), Run: reproduceFig1,
		Source: "S. Guthe, D. Thuerck. Algorithm 1015. ACM TOMS 47 (2021), Figures 1 and 2",
	},
	{
		Name: "alg1015-fig3", About: "how far prices after a round of epsilon pricing are from the final ones, by epsilon",
		File: "alg1015-fig3.svg", Sized: true, Quick: []float64{1000}, Cases: len(pricedClasses) * len(fig3Sizes), Run: reproduceFig3,
		Source: "S. Guthe, D. Thuerck. Algorithm 1015. ACM TOMS 47 (2021), Figure 3",
	},
	{
		Name: "alg1015-table2", About: "seconds of an auction and of whole rows with epsilon pricing, by class and size",
		Sized: true, Quick: []float64{1000}, Cases: len(auctionTimes.Rows) * len(lapgen.Classes()), Run: reproduceTable2,
		Source: "S. Guthe, D. Thuerck. Algorithm 1015. ACM TOMS 47 (2021), Table 2",
	},
	{
		Name: "alg1015-cache", About: "hits and time of a cache of rows against the share that fits, by both rules, and the best set of rows",
		File: "alg1015-cache.svg", Sized: true, Quick: []float64{500}, Cases: len(cacheClasses) * len(cacheStarts), Run: reproduceCache,
		Source: "S. Guthe, D. Thuerck. Algorithm 1015. ACM TOMS 47 (2021), section 4",
	},
	{
		Name: "sas-fig4", About: "density of a tracker's problems, and the memory they take; reads --data",
		Cases: 1, Run: reproduceFig4, Source: sasSource + ", Figure 4, equations 6 and 7",
	},
	{
		Name: "sas-fig5", About: "levels of the tree of comparators by elements, and the cycles they cost",
		Cases: 1, Run: reproduceFig5, Source: sasSource + ", Figure 5",
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
		Name: "sas-fig12c", About: "whole times of the accelerator at 100 MHz beside an auction and shortest paths on the processor",
		File: "sas-fig12c.svg", Cases: len(sparseTable.Rows), Run: reproduceFig12c, Source: sasSource + ", Figure 12c",
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
	{
		Name: "lopes-table1", About: "milliseconds of the six-step Hungarian method on a card and by a processor, and their ratio",
		File: "lopes-table1.svg", Sized: true, Quick: []float64{512, 1024}, Cases: len(lopesTimes.Rows), Run: reproduceLopesTable1, Source: lopesSource + ", Tables 1, 2 and 4, Figures 7 to 9",
	},
	{
		Name: "lopes-table3", About: "speedup of each step on a card over the processor, costs to n",
		Sized: true, Quick: []float64{512, 1024}, Cases: len(lopesSpeedups.Rows), Run: reproduceLopesTable3, Source: lopesSource + ", Table 3",
	},
	{
		Name: "lopes-fig4", About: "methods of the processor over Munkres' O(n^4), by size",
		File: "lopes-fig4.svg", Sized: true, Quick: []float64{128, 256, 512}, Cases: len(fig4Sizes) * len(hostMethods), Run: reproduceLopesFig4, Source: lopesSource + ", Figure 4",
	},
	{
		Name: "lopes-fig5", About: "methods of the processor by the range of costs",
		File: "lopes-fig5.svg", Sized: true, Quick: []float64{256}, Cases: len(fig5Costs) * len(hostMethods), Run: reproduceLopesFig5, Source: lopesSource + ", Figure 5",
	},
	{
		Name: "lopes-steps", About: "share of each step on a card, and the gain of step 4 by repetition within blocks",
		Sized: true, Cases: len(lopesTimes.Rows), Run: reproduceLopesSteps, Source: lopesSource + ", Figures 10 to 12, section 4.4",
	},
	{
		Name: "kcg-table2", About: "milliseconds of the program of Lopes et al. with each of five optimizations, and their gains",
		File: "kcg-table2.svg", Sized: true, Cases: len(kcgTimes.Rows) * (len(kcgTimes.Columns) - 1), Run: reproduceKCGTable2, Source: kcgSource + ", Tables II and III, Figure 6",
	},
	{
		Name: "kcg-fig1", About: "the programs of Date and Nagi and of Lopes et al. on a card, and a solver of the processor",
		File: "kcg-fig1.svg", Sized: true, Quick: []float64{256, 512, 1024}, Cases: len(kcgTimes.Rows), Run: reproduceKCGFig1, Source: kcgSource + ", Figure 1",
	},
	{
		Name: "map-fig2", About: "share of each step of an iteration of the published scheme, before and after gate and compression",
		File: "map-fig2.svg", Sized: true, Quick: []float64{50, 100}, Cases: len(speedSizes), Run: reproduceMapFig2, Source: mapSource + ", Figure 2",
	},
	{
		Name: "map-fig5", About: "wrong links of the published scheme with the gate of Algorithm 2 and without any",
		File: "map-fig5.svg", Sized: true, Quick: []float64{20, 50}, Cases: len(mapSizes), Run: reproduceMapFig5, Source: mapSource + ", Figure 5",
	},
	{
		Name: "map-fig6", About: "assignment problems of an iteration: every pair by trees, over gated pairs by shortest paths",
		File: "map-fig6.svg", Sized: true, Quick: []float64{50, 100}, Cases: len(speedSizes), Run: reproduceSpeedup("map-fig6"), Source: mapSource + ", Figure 6",
	},
	{
		Name: "map-fig7", About: "cost distribution of an iteration: every triplet, over a list of those inside the gate",
		File: "map-fig7.svg", Sized: true, Quick: []float64{50, 100}, Cases: len(speedSizes), Run: reproduceSpeedup("map-fig7"), Source: mapSource + ", Figure 7",
	},
	{
		Name: "map-fig8", About: "whole iterations of the published scheme, before over after",
		File: "map-fig8.svg", Sized: true, Quick: []float64{50, 100}, Cases: len(speedSizes), Run: reproduceSpeedup("map-fig8"), Source: mapSource + ", Figure 8",
	},
	{
		Name: "map-splines", About: "wrong links of the published scheme with splines and with straight lengths",
		Sized: true, Quick: []float64{20, 50}, Cases: len(mapSizes), Run: reproduceMapSplines, Source: mapSource + ", section V, second result",
	},
}
