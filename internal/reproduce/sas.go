package reproduce

// This file repeats the article on the Sparse and Speculative auction accelerator.
//
// Cycles are those of the cycle models. Rewards are uniform from 0 to 255, the
// reading of the article under which its statements on the 600×600 problems hold
// together; a time in ns is a number of cycles at a clock that it does not state.

import (
	"context"
	_ "embed"
	"fmt"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/mapsolver/fpga"
	"mtt/mapsolver/fpga/cycle"
	"mtt/plots"
)

const sasSource = "E. Jellum et al. Solving sparse assignment problems on FPGAs. ACM TACO 19 (2022), 55"

// sasDesigns are the cores of the article: its comparison, which takes an agent at a
// time and looks at every object; its own with 8, 16 and 32 elements, by its text and
// as published; and ours.
var sasDesigns = []struct {
	name string
	core cycle.Core
}{
	{"soa8", cycle.Core{PE: 8, Stall: true, Dense: true, Timing: cycle.Short}},
	{"sas8", cycle.Core{PE: 8, Timing: cycle.Article}},
	{"sas16", cycle.Core{PE: 16, Timing: cycle.Article}},
	{"sas32", cycle.Core{PE: 32, Timing: cycle.Article}},
	{"published8", cycle.Core{PE: 8, Timing: cycle.Published}},
	{"ours8", cycle.Core{PE: 8, Timing: cycle.Short}},
}

// missRate is the share of the bids that miss.
func missRate(n cycle.Counters) float64 { return float64(n.Misses) / float64(max(n.Iterations, 1)) }

var speculationSizes = []int{10, 20, 50, 100, 200, 600}

// reproduceFig10 prints the cost in cycles for 8 elements, with as many agents on
// their way as there can be. The count is of problems in which an agent fills one word.
func reproduceFig10(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	const pe = 8
	var rows []cli.Record
	for _, m := range speculationSizes {
		b.Step(fmt.Sprintf("%d objects", m))
		unresolved := cycle.Unresolved(pe, pe)
		least, most := cycle.SpeculationCost(pe, m, unresolved)
		list, err := measure.Level{N: m, K: pe}.Problems(ctx, b)
		if err != nil {
			return rows, nil, err
		}
		n, err := measure.Counts(ctx, sasDesigns[1].core, list)
		if err != nil {
			return rows, nil, err
		}
		rows = append(rows, cli.Record{
			{Key: "objects", Value: m}, {Key: "unresolved", Value: unresolved},
			{Key: "stall", Value: cycle.StallCost(pe)}, {Key: "stall_table2", Value: cycle.StallCost(pe) + 2},
			{Key: "speculate_least", Value: least, Digits: 3}, {Key: "speculate_most", Value: most, Digits: 3},
			{Key: "miss_rate_expected", Value: cycle.MissRate(m, unresolved), Digits: 3},
			{Key: "miss_rate_counted", Value: missRate(n), Digits: 3},
			{Key: "speculate_counted_most", Value: missRate(n) * float64(cycle.MissCost(pe, 0)), Digits: 3},
		})
	}
	return rows, nil, nil
}

// What the article shows.
var (
	//go:embed published/sas-fig11.csv
	fig11 string
	//go:embed published/sas-fig12.csv
	fig12 string
	//go:embed published/sas-fig14.csv
	fig14 string

	peakTable, sparseTable, missTable = measure.ReadTable(fig11), measure.ReadTable(fig12), measure.ReadTable(fig14)
)

// levelOf is the level of a row whose first columns are size and rewards.
func levelOf(row []float64) measure.Level {
	return measure.Level{N: int(row[0]), K: int(row[1])}
}

// reproduceFig11 counts the iterations of an auction of one agent at a time.
func reproduceFig11(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	one := cycle.Core{PE: 8, Stall: true, Timing: cycle.Short}
	iterations := make([]float64, len(peakTable.Rows))
	for i, row := range peakTable.Rows {
		k := int(row[0])
		b.Step(fmt.Sprintf("%d rewards", k))
		list, err := measure.Level{N: 50, K: k}.Problems(ctx, b)
		if err != nil {
			return nil, nil, err
		}
		n, err := measure.Counts(ctx, one, list)
		if err != nil {
			return nil, nil, err
		}
		iterations[i] = measure.Mean(n.Iterations, list)
	}
	var rows []cli.Record
	for i, row := range peakTable.Rows {
		k := int(row[0])
		rows = append(rows, cli.Record{
			{Key: "rewards", Value: k}, {Key: "density_percent", Value: 2 * k},
			{Key: "iterations", Value: iterations[i], Digits: 4},
			{Key: "over_dense", Value: iterations[i] / iterations[len(iterations)-1], Digits: 4},
			measure.Bar("over_dense", row[1]),
		})
	}
	return rows, nil, nil
}

// reproduceFig12 counts the cycles of every design. Totals of the article's designs
// are a matrix in, a word a reward, and owners and prices out, as published; ours is
// the whole accelerator, with a stream in and one word an object out.
func reproduceFig12(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	const latency = 32
	device, err := fpga.OpenDevice(fpga.NewModel(fpga.Design{}, latency))
	if err != nil {
		return nil, nil, err
	}
	var rows []cli.Record
	for _, row := range sparseTable.Rows {
		l := levelOf(row)
		b.Step(fmt.Sprintf("%d×%d, %d rewards", l.N, l.N, l.K))
		list, err := l.Problems(ctx, b)
		if err != nil {
			return rows, nil, err
		}
		r := cli.Record{{Key: "n", Value: l.N}, {Key: "rewards", Value: l.K}}
		core := make(map[string]float64)
		for _, d := range sasDesigns {
			n, err := measure.Counts(ctx, d.core, list)
			if err != nil {
				return rows, nil, err
			}
			core[d.name] = measure.Mean(n.Cycles, list)
			r = append(r, cli.Field{Key: d.name, Value: core[d.name], Digits: 4})
		}
		ours := 0
		for _, p := range list {
			var s cycle.State
			u, err := device.Run(ctx, &s, p, fpga.Options{})
			if err != nil {
				return rows, nil, err
			}
			ours += u.Total
		}
		memory := float64(l.N*l.N + latency + 2*l.N)
		rows = append(rows, append(r,
			cli.Field{Key: "soa8_over_sas8", Value: core["soa8"] / core["sas8"], Digits: 3}, measure.Bar("soa8_over_sas8", row[2]),
			cli.Field{Key: "soa8_total", Value: core["soa8"] + memory, Digits: 4},
			cli.Field{Key: "sas8_total", Value: core["sas8"] + memory, Digits: 4},
			cli.Field{Key: "ours8_total", Value: measure.Mean(ours, list), Digits: 4},
			cli.Field{Key: "sas8_over_ours8_total", Value: (core["sas8"] + memory) * float64(len(list)) / float64(ours), Digits: 3},
		))
	}
	return rows, nil, nil
}

// reproduceFig13 counts the core cycles of the problems of a tracker in sas-mot-lap,
// by agents and mean number of rewards of an agent.
func reproduceFig13(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	list, err := trackerProblems(b)
	if err != nil {
		return nil, nil, err
	}
	agents := []int{4, 8, 16, 32}     // at most
	rewards := []int{8, 20, 50, 1000} // at most, on average
	groups := make(map[[2]int][]*cycle.Problem)
	for _, m := range list {
		p := &cycle.Problem{Objects: m.Cols, Ptr: m.Ptr, Object: m.Col}
		for _, x := range m.Cost {
			p.Reward = append(p.Reward, uint32(-x))
		}
		for g, most := range agents {
			for k := range rewards {
				if m.Rows > 0 && m.Rows <= most && len(m.Col) <= rewards[k]*m.Rows {
					groups[[2]int{g, k}] = append(groups[[2]int{g, k}], p)
					break
				}
			}
			if m.Rows <= most {
				break
			}
		}
	}
	var rows []cli.Record
	for g := range agents {
		for k := range rewards {
			list := groups[[2]int{g, k}]
			if len(list) == 0 {
				continue
			}
			r := cli.Record{{Key: "agents_most", Value: agents[g]}, {Key: "rewards_most", Value: rewards[k]}, {Key: "problems", Value: len(list)}}
			for _, d := range sasDesigns {
				n, err := measure.Counts(ctx, d.core, list)
				if err != nil {
					return rows, nil, err
				}
				r = append(r, cli.Field{Key: d.name, Value: measure.Mean(n.Cycles, list), Digits: 4})
			}
			rows = append(rows, r)
		}
	}
	return rows, nil, nil
}

// reproduceFig14 counts misspeculations with 8 elements.
func reproduceFig14(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	var rows []cli.Record
	for _, row := range missTable.Rows {
		l := levelOf(row)
		b.Step(fmt.Sprintf("%d×%d, %d rewards", l.N, l.N, l.K))
		list, err := l.Problems(ctx, b)
		if err != nil {
			return rows, nil, err
		}
		unresolved := cycle.Unresolved(8, l.K)
		r := cli.Record{
			{Key: "n", Value: l.N}, {Key: "rewards", Value: l.K}, {Key: "unresolved", Value: unresolved, Digits: 3},
			{Key: "miss_rate_expected", Value: cycle.MissRate(l.N, unresolved), Digits: 3},
		}
		for _, d := range sasDesigns {
			if d.core.PE == 8 && !d.core.Stall {
				n, err := measure.Counts(ctx, d.core, list)
				if err != nil {
					return rows, nil, err
				}
				r = append(r, cli.Field{Key: "misses_" + d.name, Value: measure.Mean(n.Misses, list), Digits: 3},
					cli.Field{Key: "miss_rate_" + d.name, Value: missRate(n), Digits: 3})
			}
		}
		rows = append(rows, r)
	}
	return rows, nil, nil
}

// reproduceTable3 prints what synthesis counted; see fpga.Synthesis.
func reproduceTable3(_ context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	b.Step("table")
	var rows []cli.Record
	for _, r := range fpga.Synthesis() {
		rows = append(rows, cli.Record{
			{Key: "design", Value: r.Design}, {Key: "elements", Value: r.PE},
			{Key: "lut", Value: r.LUT}, {Key: "article_lut", Value: r.ArticleLUT},
			{Key: "flip_flops", Value: r.FlipFlops}, {Key: "article_flip_flops", Value: r.ArticleFlipFlops},
			{Key: "lutram", Value: r.LUTRAM}, {Key: "article_lutram", Value: r.ArticleLUTRAM},
			{Key: "block_ram", Value: r.BlockRAM}, {Key: "article_block_ram", Value: r.ArticleBlockRAM},
		})
	}
	return rows, nil, nil
}
