package bench

// This file measures what the accelerator gains beyond the article that it follows.

import (
	"context"
	"fmt"
	"math/rand/v2"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/mapsolver"
	"mtt/mapsolver/fpga"
	"mtt/mapsolver/fpga/cycle"
)

var (
	wayLevels  = []measure.Level{{N: 600, K: 6}, {N: 600, K: 12}, {N: 600, K: 60}, {N: 600, K: 180}, {N: 100, K: 8}}
	batchSizes = []int{1, 2, 4, 8, 32}
	warmCols   = []int{50, 80}
)

const fpgaCases = 5 + 5 + 2

// benchFPGA prints cycles for each problem, those of the core and all, and how many
// times fewer than the first of the same problems: the article's design with its
// matrix in and two words an object out.
func benchFPGA(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	for _, measure := range []func(context.Context, *measure.Run) ([]cli.Record, error){benchWays, benchBatches, benchWarm} {
		more, err := measure(ctx, b)
		rows = append(rows, more...)
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// fpgaRow is a row of the table; gain is over a total of base.
func fpgaRow(problem, design string, core, total, base float64) cli.Record {
	return cli.Record{
		{Key: "problem", Value: problem}, {Key: "design", Value: design},
		{Key: "core_cycles", Value: core, Digits: 4}, {Key: "total_cycles", Value: total, Digits: 4},
		{Key: "gain", Value: base / total, Digits: 3},
	}
}

// benchWays measures the ways into the chip.
func benchWays(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	const latency = 32
	device, err := fpga.OpenDevice(fpga.NewModel(fpga.Design{StorageBits: 16}, latency))
	if err != nil {
		return nil, err
	}
	var rows []cli.Record
	for _, l := range wayLevels {
		if b.Targets > 0 {
			l = measure.Level{N: 20, K: 4}
		}
		name := fmt.Sprintf("%d×%d, %d rewards", l.N, l.N, l.K)
		b.Step(name)
		list, err := l.Problems(ctx, b)
		if err != nil {
			return rows, err
		}
		counts, err := measure.Counts(ctx, cycle.Core{PE: 8, Timing: cycle.Article}, list)
		if err != nil {
			return rows, err
		}
		core := measure.Mean(counts.Cycles, list)
		base := core + float64(l.N*l.N+latency+2*l.N)
		rows = append(rows, fpgaRow(name, "article: matrix", core, base, base))
		for _, way := range []struct {
			name string
			opts fpga.Options
		}{
			{"ours: matrix", fpga.Options{Matrix: true, Serial: true}},
			{"ours: stream", fpga.Options{Serial: true}},
			{"ours: stream, bids while it comes", fpga.Options{}},
		} {
			var sum fpga.Usage
			for _, p := range list {
				var s cycle.State
				u, err := device.Run(ctx, &s, p, way.opts)
				if err != nil {
					return rows, err
				}
				sum.Add(u)
			}
			rows = append(rows, fpgaRow(name, way.name, measure.Mean(sum.Core.Cycles, list), measure.Mean(sum.Total, list), base))
		}
	}
	return rows, nil
}

// assignment is p as a problem of costs in which anyone may stay free.
func assignment(p *cycle.Problem) mapsolver.Problem {
	m := mapsolver.Problem{
		Rows: p.Agents(), Cols: p.Objects, Ptr: p.Ptr, Col: p.Object,
		RowMiss: make([]float64, p.Agents()), ColMiss: make([]float64, p.Objects),
	}
	for _, r := range p.Reward {
		m.Cost = append(m.Cost, -float64(r))
	}
	return m
}

// benchBatches measures batches in exact mode.
func benchBatches(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	l := measure.Level{N: 50, K: 8}
	drawn, err := l.Problems(ctx, b)
	if err != nil {
		return nil, err
	}
	var list []mapsolver.Problem
	for _, p := range drawn {
		list = append(list, assignment(p))
	}
	var rows []cli.Record
	base := 0.0
	for _, size := range batchSizes {
		b.Step(fmt.Sprintf("batches of %d", size))
		var solver fpga.Solver
		for first := 0; first < len(list); first += size {
			part := list[first:min(first+size, len(list))]
			if err := solver.SolveBatch(ctx, make([]mapsolver.Solution, len(part)), part, nil); err != nil {
				return rows, err
			}
		}
		r, n := solver.Report(), float64(len(list))
		if base == 0 {
			base = float64(r.Total) / n
		}
		rows = append(rows, fpgaRow("50×50, 8 rewards, exact", fmt.Sprintf("batches of %d", size),
			float64(r.Core.Cycles)/n, float64(r.Total)/n, base))
	}
	return rows, nil
}

// benchWarm measures starts from the last prices where every reward moves by up to 5,
// in exact mode.
func benchWarm(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	const steps = 20
	var rows []cli.Record
	for _, cols := range warmCols {
		b.Step(fmt.Sprintf("starts with %d columns", cols))
		warm, cold := new(fpga.Solver), new(fpga.Solver)
		for i := range b.Seeds {
			rng := rand.New(rand.NewPCG(b.First+uint64(i), uint64(cols)))
			p := assignment(cycle.Random(rng, 50, cols, cols, 255))
			var a, c mapsolver.Solution
			if err := cold.Solve(ctx, &a, &p, nil); err != nil {
				return rows, err
			}
			for range steps {
				for e := range p.Cost {
					p.Cost[e] = min(-1, p.Cost[e]+float64(rng.IntN(11)-5))
				}
				if err := warm.Solve(ctx, &a, &p, &a.Duals); err != nil {
					return rows, err
				}
				if err := cold.Solve(ctx, &c, &p, nil); err != nil {
					return rows, err
				}
			}
		}
		w, c := warm.Report(), cold.Report()
		name := fmt.Sprintf("50×%d, all rewards, exact, moving", cols)
		base := float64(c.Total) / float64(c.Problems)
		rows = append(rows,
			fpgaRow(name, "from nothing", float64(c.Core.Cycles)/float64(c.Problems), base, base),
			fpgaRow(name, "from the last prices", float64(w.Core.Cycles)/float64(w.Problems), float64(w.Total)/float64(w.Problems), base))
	}
	return rows, nil
}
