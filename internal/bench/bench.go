package bench

// This file lists the benchmarks.

import (
	"context"
	"strings"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/solvers"
)

// A Benchmark measures something and returns the rows of one table.
type Benchmark struct {
	Name  string
	About string
	Cases int
	Run   func(ctx context.Context, b *measure.Run) ([]cli.Record, error)

	// Varies lists the columns that differ from run to run: times and memory.
	Varies []string
}

// All lists the benchmarks in the order in which they are shown.
var All = []Benchmark{
	{"accuracy", "wrong links on simulated scenes, by cost and noise, with velocities and without", len(accuracyCases), benchAccuracy, nil},
	{"gap", "distance of the bounds after ten rounds, beside the published scheme", len(gapCases), benchGap, nil},
	{"proofs", "how often the answer is proved to be the cheapest", len(proofCases), benchProofs, nil},
	{"probabilities", "whether links are as often right as they are said to be; reads hermes below --data", len(probabilityCases) + 1, benchProbabilities, nil},
	{"real", "wrong links, MOTA and IDF1 on recorded pedestrians, beside simpler trackers; reads --data", len(realCases), benchReal, nil},
	{"kinds", "wrong links on data of many kinds, with all scans and as they come; reads --data", len(kindCases), benchKinds, nil},
	{"drawn", "wrong links and IDF1 on scenes drawn by lot, levels learnt beside those told by the truth", len(drawnKinds), benchDrawn, nil},
	{"clutter", "wrong links where one detection in ten is missed and one in ten is false", len(clutterCases), benchClutter, nil},
	{"sensors", "wrong links of a radar and a camera that see parts of a scene, each alone and both together", len(sensorCases), benchSensors, nil},
	{"lag", "wrong links where links are settled after 0, 1, 3 and 5 more scans, and the time of a step", len(lagCases), benchLag, words("ms_median ms_p99")},
	{"pmbm", "GOSPA of the PMBM filter on the scene of its public demonstration, four targets that meet", len(demoMethods), benchPMBM, nil},
	{"filters", "IDF1, GOSPA, trajectory GOSPA and wrong links of the PMBM filter beside the tracker and nearest neighbours", len(filterCases) * len(filterMethods), benchFilters, words("cpu_seconds")},
	{"speed", "seconds by stage, gap and memory, on one core", len(speedCases), benchSpeed, words("simulate estimate gate cost solve track track_cpu score draw gates cpu peak_rss_mb two_workers")},
	{"distribution", "milliseconds of an iteration at the source paper's sizes, in its forms and in ours", len(measure.IterationSizes), benchDistribution, words("cube csr_coo stored ours distribution_x ours_x dense_laps pass iteration_x solve_cpu")},
	{"xlap", "milliseconds of each assignment solver on the problems of a pass, from nothing and from the pass before", len(xlapCases) * len(solvers.All), benchXLAP, words("pass x")},
	{"scale", "seconds and memory from a hundred thousand arcs to ten million", len(scaleCases), benchScale, words("simulate estimate gate cost solve solve_1 total arc_us peak_rss_mb")},
	{"million", "seconds, memory, gap and OSPA(2) of scenes larger than memory, up to a million targets; --quick: 20,000", len(millionCases), benchMillion, words("simulate estimate solve score total det_us peak_rss_mb")},
	{"lap", "seconds and rows scanned of dense assignment problems, beside the fastest public solver", len(lapCases()), benchLap, words("cpu")},
	{"lap-large", "seconds, sweeps and memory of large dense assignment problems", largeCases(), benchLapLarge, words("cpu elapsed whole_rows_cpu peak_rss")},
	{"scans", "rows scanned by dense searches, beside Table 1 of Algorithm 1015", measure.ScanCases(4000, 2000), benchScans, nil},
	{"lap-sparse", "milliseconds of sparse assignment problems, beside the fastest public solver", len(sparseCases()), benchLapSparse, words("cpu_ms warm_cpu_ms")},
	{"hungarian", "milliseconds of the Hungarian method, in the forms of the papers on a card, and by the processor", len(hungarianSizes) * len(measure.HungarianCosts) * (1 + len(measure.CardForms())), benchHungarian, words("ms step1 step2 step3 step4 step5 step6")},
	{"fpga", "cycles of the accelerator by way into the chip, batch and start", fpgaCases, benchFPGA, nil},
	{"lap-batch", "small assignment problems solved in a second; reads sas-mot-lap below --data", 1 + len(batchArchives), benchLapBatch, words("per_cpu_s workers per_s")},
	{"lap-corpus", "microseconds of each assignment solver on the problems that the PMBM filter poses", len(corpusCases), benchLapCorpus, words("microseconds")},
}

// Named are the benchmarks whose rows can be chosen by their names.
var Named = words("drawn filters kinds probabilities real")

// words splits the names of columns.
func words(list string) []string { return strings.Fields(list) }
