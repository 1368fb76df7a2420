package reproduce

// This file repeats what the article on the accelerator says of a tracker's problems, of its
// tree of comparators, and of software.

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/usage"
	"mtt/mapsolver"
	"mtt/mapsolver/fpga/cycle"
	"mtt/mapsolver/lapfile"
	"mtt/plots"
)

// trackerProblems are those of a tracker in sas-mot-lap.
func trackerProblems(b *measure.Run) ([]*mapsolver.Problem, error) {
	dir := filepath.Join(b.Data, "sas-mot-lap")
	if !cli.IsFolder(dir) {
		return nil, cli.Usagef("there is no folder %s", dir).Hinted("--data names the folder with sas-mot-lap")
	}
	b.Step("sas-mot-lap")
	var list []*mapsolver.Problem
	for _, name := range []string{"rewardsNew", "test_problems8bit", "test_problemsfc8bit"} {
		files, err := lapfile.List(filepath.Join(dir, name+".tar.gz"))
		if err != nil {
			return nil, cli.BadInput(err)
		}
		for i := range files {
			p, err := files[i].Read(&lapfile.Options{Maximize: true, ForbiddenZero: true, Partial: true})
			if err != nil {
				return nil, cli.BadInput(err)
			}
			list = append(list, p)
		}
	}
	return list, nil
}

// densities are the bounds of the histogram, in percent.
var densities = []float64{1, 2, 3, 4, 5, 10, 20, 50, 100}

// reproduceFig4 prints how many of a tracker's problems have which share of rewards, and what storing
// them takes by equations 6 and 7, with 8 bits a reward.
func reproduceFig4(_ context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	const bits = 8
	list, err := trackerProblems(b)
	if err != nil {
		return nil, nil, err
	}
	type bin struct {
		problems      int
		sparse, dense float64 // bits
	}
	bins, all := make([]bin, len(densities)), 0
	for _, p := range list {
		if p.Rows*p.Cols == 0 {
			continue
		}
		density, k := 100*float64(len(p.Col))/float64(p.Rows*p.Cols), 0
		for densities[k] < density {
			k++
		}
		n := float64(max(p.Rows, p.Cols))
		bins[k].problems++
		bins[k].sparse += bits * math.Log2(n) * float64(len(p.Col))
		bins[k].dense += bits * n * n
		all++
	}
	var rows []cli.Record
	before := 0
	for k, x := range bins {
		before += x.problems
		rows = append(rows, cli.Record{
			{Key: "density_most", Value: densities[k], Unit: "%"}, {Key: "problems", Value: x.problems},
			{Key: "up_to_here", Value: 100 * float64(before) / float64(max(1, all)), Unit: "%", Digits: 3},
			{Key: "sparse_kbit", Value: x.sparse / 1024 / float64(x.problems), Digits: 3},
			{Key: "dense_kbit", Value: x.dense / 1024 / float64(x.problems), Digits: 3},
		})
	}
	return rows, nil, nil
}

// reproduceFig5 prints the levels of the tree of comparators, and what they cost an agent.
func reproduceFig5(_ context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	b.Step("tree")
	published := map[int]int{4: 2, 8: 3}
	var rows []cli.Record
	for pe, levels := 4, 2; pe <= 64; pe, levels = 2*pe, levels+1 {
		r := cli.Record{{Key: "elements", Value: pe}, {Key: "levels", Value: levels}}
		if n, ok := published[pe]; ok {
			r = append(r, cli.Field{Key: "published_levels", Value: n})
		} else {
			r = append(r, cli.Field{Key: "published_levels", Value: math.NaN()})
		}
		rows = append(rows, append(r, cli.Field{Key: "stall", Value: cycle.StallCost(pe)}, cli.Field{Key: "miss_most", Value: cycle.MissCost(pe, 0)}))
	}
	return rows, nil, nil
}

// fabric is the clock at which cycles become times, in MHz: the article states none.
const fabric = 100

// softwareMicros is the processor's time for a problem, mean over the list.
func softwareMicros(ctx context.Context, solver mapsolver.Solver, list []*mapsolver.Problem) (float64, error) {
	var s mapsolver.Solution
	var seconds float64
	for range 2 { // the first time warms up
		began := usage.CPUSeconds()
		for _, p := range list {
			if err := solver.Solve(ctx, &s, p, nil); err != nil {
				return 0, err
			}
		}
		seconds = usage.CPUSeconds() - began
	}
	return 1e6 * seconds / float64(len(list)), nil
}

// reproduceFig12c prints the whole time of the article's designs beside that of software: an
// auction, as in its C++, and shortest paths for its Gurobi.
func reproduceFig12c(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	const latency = 32
	soa, sas := sasDesigns[0].core, sasDesigns[1].core
	var rows []cli.Record
	panel := plots.GrowthPanel{Label: "µs", Kinds: []plots.Growth{{Name: "SoA, 8 elements"}, {Name: "SaS, 8 elements"}, {Name: "auction, processor"}, {Name: "ssp, processor"}}}
	last := 0
	for _, row := range sparseTable.Rows {
		l := levelOf(row)
		b.Step(fmt.Sprintf("%d×%d, %d rewards", l.N, l.N, l.K))
		problems, err := l.Problems(ctx, b)
		if err != nil {
			return rows, nil, err
		}
		memory := float64(l.N*l.N + latency + 2*l.N)
		var list []*mapsolver.Problem
		for _, p := range problems {
			list = append(list, fromRewards(p))
		}
		var times []float64
		for _, core := range []cycle.Core{soa, sas} {
			n, err := measure.Counts(ctx, core, problems)
			if err != nil {
				return rows, nil, err
			}
			times = append(times, (measure.Mean(n.Cycles, problems)+memory)/fabric)
		}
		for _, solver := range []string{"auction", "ssp"} {
			t, err := softwareMicros(ctx, measure.HostSolver(solver), list)
			if err != nil {
				return rows, nil, err
			}
			times = append(times, t)
		}
		rows = append(rows, cli.Record{
			{Key: "n", Value: l.N}, {Key: "rewards", Value: l.K},
			{Key: "soa8", Value: times[0], Unit: "µs", Digits: 3}, {Key: "sas8", Value: times[1], Unit: "µs", Digits: 3},
			{Key: "auction", Value: times[2], Unit: "µs", Digits: 3}, {Key: "ssp", Value: times[3], Unit: "µs", Digits: 3},
			{Key: "auction_over_sas8", Value: times[2] / times[1], Digits: 3}, {Key: "ssp_over_sas8", Value: times[3] / times[1], Digits: 3},
		})
		if l.N != last { // the sparsest of a size
			for k, t := range times {
				panel.Kinds[k].Measured = append(panel.Kinds[k].Measured, plots.Point{X: float64(l.N), Y: t})
			}
		}
		last = l.N
	}
	return rows, plots.GrowthOf(fmt.Sprintf("Whole time of sparse problems, the accelerator at %d MHz", fabric), "agents and objects", []plots.GrowthPanel{panel}), nil
}

// fromRewards is the problem whose least cost is the greatest reward; anyone may stay free.
func fromRewards(p *cycle.Problem) *mapsolver.Problem {
	m := &mapsolver.Problem{
		Rows: p.Agents(), Cols: p.Objects, Ptr: p.Ptr, Col: p.Object,
		RowMiss: make([]float64, p.Agents()), ColMiss: make([]float64, p.Objects),
	}
	for _, x := range p.Reward {
		m.Cost = append(m.Cost, -float64(x))
	}
	return m
}
