package main

// This file repeats the article on the Sparse and Speculative auction accelerator.
//
// Cycles are those of the cycle models. Rewards are uniform from 0 to 255, the
// reading of the article under which its statements on the 600×600 problems hold
// together; a time in ns is a number of cycles at a clock that it does not state.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"mtt/mapsolver/fpga"
	"mtt/mapsolver/fpga/cycle"
	"mtt/mapsolver/lapfile"
	"mtt/plots"
)

const sasSource = "E. Jellum et al. Solving sparse assignment problems on FPGAs. ACM TACO 19 (2022), 55"

// problemsPerSeed is the number of problems of a size and density for each seed:
// small ones differ more, and cost less.
func problemsPerSeed(n int) int { return max(10, 10_000/n) }

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

// A level is a size and a number of rewards of each agent.
type level struct{ n, k int }

// problems draws the problems of a level for every seed.
func (l level) problems(b *bench) []*cycle.Problem {
	var list []*cycle.Problem
	for i := range b.Seeds {
		rng := rand.New(rand.NewPCG(b.first+uint64(i), uint64(l.n)<<16|uint64(l.k)))
		for range problemsPerSeed(l.n) {
			list = append(list, cycle.Random(rng, l.n, l.n, l.k, 255))
		}
	}
	return list
}

// counts adds up the counters of a core over problems.
func counts(core cycle.Core, list []*cycle.Problem) (sum cycle.Counters) {
	var s cycle.State
	for _, p := range list {
		s.Reset(p.Objects)
		n, _ := core.Run(&s, p)
		sum.Add(n)
	}
	return sum
}

// mean is sum over the number of problems.
func mean(sum int, list []*cycle.Problem) float64 { return float64(sum) / float64(len(list)) }

// missRate is the share of the bids that miss.
func missRate(n cycle.Counters) float64 { return float64(n.Misses) / float64(max(n.Iterations, 1)) }

var speculationSizes = []int{10, 20, 50, 100, 200, 600}

// reproduceFig10 prints the cost in cycles for 8 elements, with as many agents on
// their way as there can be. The count is of problems in which an agent fills one word.
func reproduceFig10(ctx context.Context, b *bench) ([]record, *plots.Figure, error) {
	const pe = 8
	var rows []record
	for _, m := range speculationSizes {
		if err := ctx.Err(); err != nil {
			return rows, nil, err
		}
		b.step(fmt.Sprintf("%d objects", m))
		unresolved := cycle.Unresolved(pe, pe)
		least, most := cycle.SpeculationCost(pe, m, unresolved)
		n := counts(sasDesigns[1].core, level{m, pe}.problems(b))
		rows = append(rows, record{
			{key: "objects", value: m}, {key: "unresolved", value: unresolved},
			{key: "stall", value: cycle.StallCost(pe)}, {key: "stall_table2", value: cycle.StallCost(pe) + 2},
			{key: "speculate_least", value: least, digits: 3}, {key: "speculate_most", value: most, digits: 3},
			{key: "miss_rate_expected", value: cycle.MissRate(m, unresolved), digits: 3},
			{key: "miss_rate_counted", value: missRate(n), digits: 3},
			{key: "speculate_counted_most", value: missRate(n) * float64(cycle.MissCost(pe, 0)), digits: 3},
		})
	}
	return rows, nil, nil
}

var peakLevels = []int{2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 17, 20, 25, 30, 40, 50}

// reproduceFig11 counts the iterations of an auction of one agent at a time.
func reproduceFig11(ctx context.Context, b *bench) ([]record, *plots.Figure, error) {
	one := cycle.Core{PE: 8, Stall: true, Timing: cycle.Short}
	iterations := make([]float64, len(peakLevels))
	for i, k := range peakLevels {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		b.step(fmt.Sprintf("%d rewards", k))
		list := level{50, k}.problems(b)
		iterations[i] = mean(counts(one, list).Iterations, list)
	}
	var rows []record
	for i, k := range peakLevels {
		rows = append(rows, record{
			{key: "rewards", value: k}, {key: "density_percent", value: 2 * k},
			{key: "iterations", value: iterations[i], digits: 4},
			{key: "over_dense", value: iterations[i] / iterations[len(iterations)-1], digits: 4},
			bar("over_dense", map[int]float64{11: 7173.0 / 4964}[k]),
		})
	}
	return rows, nil, nil
}

// sparseLevels are those of the article for 600×600; for the other sizes it shows
// five as well, which it does not state.
var sparseLevels = []level{
	{10, 2}, {10, 4}, {10, 6}, {10, 8}, {10, 10},
	{20, 2}, {20, 4}, {20, 8}, {20, 12}, {20, 20},
	{50, 4}, {50, 7}, {50, 11}, {50, 25}, {50, 50},
	{100, 4}, {100, 8}, {100, 14}, {100, 30}, {100, 60},
	{400, 4}, {400, 8}, {400, 15}, {400, 60}, {400, 120},
	{600, 6}, {600, 12}, {600, 60}, {600, 120}, {600, 180},
}

// articleRatios are the core cycles of SoA over SaS with 8 elements that the
// article states or its figure shows.
var articleRatios = map[level]float64{{600, 6}: 50, {600, 12}: 17, {600, 60}: 8.4, {600, 180}: 3.4}

// reproduceFig12 counts the cycles of every design. Totals of the article's designs
// are a matrix in, a word a reward, and owners and prices out, as published; ours is
// the whole accelerator, with a stream in and one word an object out.
func reproduceFig12(ctx context.Context, b *bench) ([]record, *plots.Figure, error) {
	const latency = 32
	device, err := fpga.OpenDevice(fpga.NewModel(fpga.Design{}, latency))
	if err != nil {
		return nil, nil, err
	}
	var rows []record
	for _, l := range sparseLevels {
		b.step(fmt.Sprintf("%d×%d, %d rewards", l.n, l.n, l.k))
		list := l.problems(b)
		r := record{{key: "n", value: l.n}, {key: "rewards", value: l.k}}
		core := make(map[string]float64)
		for _, d := range sasDesigns {
			core[d.name] = mean(counts(d.core, list).Cycles, list)
			r = append(r, field{key: d.name, value: core[d.name], digits: 4})
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
		memory := float64(l.n*l.n + latency + 2*l.n)
		rows = append(rows, append(r,
			field{key: "soa8_over_sas8", value: core["soa8"] / core["sas8"], digits: 3}, bar("soa8_over_sas8", articleRatios[l]),
			field{key: "soa8_total", value: core["soa8"] + memory, digits: 4},
			field{key: "sas8_total", value: core["sas8"] + memory, digits: 4},
			field{key: "ours8_total", value: mean(ours, list), digits: 4},
			field{key: "sas8_over_ours8_total", value: (core["sas8"] + memory) * float64(len(list)) / float64(ours), digits: 3},
		))
	}
	return rows, nil, nil
}

// reproduceFig13 counts the core cycles of the problems of a tracker in sas-mot-lap,
// by agents and mean number of rewards of an agent.
func reproduceFig13(ctx context.Context, b *bench) ([]record, *plots.Figure, error) {
	dir := filepath.Join(b.Data, "sas-mot-lap")
	if !isDir(dir) {
		return nil, nil, usagef("there is no folder %s", dir).hinted("--data names the folder with sas-mot-lap")
	}
	b.step("sas-mot-lap")
	agents := []int{4, 8, 16, 32}     // at most
	rewards := []int{8, 20, 50, 1000} // at most, on average
	groups := make(map[[2]int][]*cycle.Problem)
	for _, name := range []string{"rewardsNew", "test_problems8bit", "test_problemsfc8bit"} {
		files, err := lapfile.List(filepath.Join(dir, name+".tar.gz"))
		if err != nil {
			return nil, nil, badInput(err)
		}
		for i := range files {
			m, err := files[i].Read(&lapfile.Options{Maximize: true, ForbiddenZero: true, Partial: true})
			if err != nil {
				return nil, nil, badInput(err)
			}
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
	}
	var rows []record
	for g := range agents {
		for k := range rewards {
			list := groups[[2]int{g, k}]
			if len(list) == 0 {
				continue
			}
			if err := ctx.Err(); err != nil {
				return rows, nil, err
			}
			r := record{{key: "agents_most", value: agents[g]}, {key: "rewards_most", value: rewards[k]}, {key: "problems", value: len(list)}}
			for _, d := range sasDesigns {
				r = append(r, field{key: d.name, value: mean(counts(d.core, list).Cycles, list), digits: 4})
			}
			rows = append(rows, r)
		}
	}
	return rows, nil, nil
}

var missLevels = []level{
	{10, 4}, {10, 8}, {20, 4}, {20, 8}, {20, 16}, {50, 4}, {50, 8}, {50, 16}, {50, 32},
	{100, 4}, {100, 8}, {100, 16}, {100, 32}, {600, 4}, {600, 8}, {600, 16}, {600, 32},
}

// reproduceFig14 counts misspeculations with 8 elements.
func reproduceFig14(ctx context.Context, b *bench) ([]record, *plots.Figure, error) {
	var rows []record
	for _, l := range missLevels {
		if err := ctx.Err(); err != nil {
			return rows, nil, err
		}
		b.step(fmt.Sprintf("%d×%d, %d rewards", l.n, l.n, l.k))
		list := l.problems(b)
		unresolved := cycle.Unresolved(8, l.k)
		r := record{
			{key: "n", value: l.n}, {key: "rewards", value: l.k}, {key: "unresolved", value: unresolved, digits: 3},
			{key: "miss_rate_expected", value: cycle.MissRate(l.n, unresolved), digits: 3},
		}
		for _, d := range sasDesigns {
			if d.core.PE == 8 && !d.core.Stall {
				n := counts(d.core, list)
				r = append(r, field{key: "misses_" + d.name, value: mean(n.Misses, list), digits: 3},
					field{key: "miss_rate_" + d.name, value: missRate(n), digits: 3})
			}
		}
		rows = append(rows, r)
	}
	return rows, nil, nil
}

// reproduceTable3 prints what synthesis counted; see fpga.Synthesis.
func reproduceTable3(_ context.Context, b *bench) ([]record, *plots.Figure, error) {
	b.step("table")
	var rows []record
	for _, r := range fpga.Synthesis() {
		rows = append(rows, record{
			{key: "elements", value: r.PE},
			{key: "lut", value: r.LUT}, {key: "article_lut", value: r.ArticleLUT},
			{key: "flip_flops", value: r.FlipFlops}, {key: "article_flip_flops", value: r.ArticleFlipFlops},
			{key: "lutram", value: r.LUTRAM}, {key: "article_lutram", value: r.ArticleLUTRAM},
			{key: "block_ram", value: r.BlockRAM}, {key: "article_block_ram", value: r.ArticleBlockRAM},
		})
	}
	return rows, nil, nil
}
