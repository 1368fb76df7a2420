package bench

// This file measures the assignment solvers on the problems that the dual ascent
// poses (the X-LAPs), from nothing and from the prices of the pass before.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mtt/association"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/solvers"
	"mtt/internal/task"
	"mtt/internal/usage"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
	"mtt/scenario"
)

// xlapCases are scenes whose ascents pose the problems.
var xlapCases = []struct {
	scene           scenario.Kind
	targets, frames int
	spread          float64
	cost            association.Cost
	gate            gating.Gate
}{
	{scenario.Burst, 100, 50, 0, association.Paper, gating.Disc{Epsilon: 2}},
	{scenario.Burst, 100, 50, 0, association.Paper, gating.Disc{Epsilon: 5}},
	{scenario.Steer, 300, 50, 1, association.NLL, nil},
}

// An xlap is a problem of an ascent, what the pass before left for it, and its optimum.
type xlap struct {
	problem mapsolver.Problem
	columns mapsolver.Columns
	start   mapsolver.Solution // prices and pairs; without prices in the first pass
	cost    float64
}

// An xlapRecorder is a solver that keeps what it is given.
type xlapRecorder struct {
	ssp.Solver
	kept []xlap
}

func (r *xlapRecorder) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	x := xlap{problem: *p}
	x.problem.Cost, x.problem.RowMiss, x.problem.ColMiss = slices.Clone(p.Cost), slices.Clone(p.RowMiss), slices.Clone(p.ColMiss)
	mapsolver.ByColumn(&x.columns, &x.problem)
	if warm != nil {
		x.start.V = slices.Clone(warm.V)
		x.start.ColOf, x.start.EntryOf = slices.Clone(dst.ColOf), slices.Clone(dst.EntryOf)
	}
	err := r.Solver.Solve(ctx, dst, p, warm)
	x.cost = dst.Cost
	r.kept = append(r.kept, x)
	return err
}

// benchXLAP records the problems of the second round of an ascent, two for each gap,
// and has each solver solve them from nothing and from what the pass before left;
// then each leads an ascent of three rounds, with this bound (prices of an optimum are
// not unique, nor is what becomes of them). The first row of a scene are the
// problems as they were in the source paper: every pair allowed, from nothing, by the
// Hungarian method. pass is the processor's milliseconds for a pass over all gaps.
func benchXLAP(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	for _, c := range xlapCases {
		cfg := scenario.Config{Scene: c.scene, Targets: c.targets, Frames: c.frames, Spread: c.spread, Noise: 0.1, VelocityNoise: 0.1}
		sc, err := b.Scene(ctx, cfg, b.First)
		if err != nil {
			return rows, err
		}
		opts := measure.Told(&cfg)
		opts.Cost, opts.NoRefine, opts.Gate = c.cost, true, c.gate
		built, err := association.Build(ctx, sc.Scans, &opts)
		if err != nil {
			return rows, err
		}
		inst := &built.Instance.Dual
		gaps := len(inst.Pairs)
		rec := &xlapRecorder{}
		ascent := dualascent.Options{MaxRounds: 2, Search: -1, Effort: -1, Workers: 1, Scheme: dualascent.Sequential}
		ascent.NewSolver = func() mapsolver.Solver { return rec }
		if _, err := dualascent.Solve(ctx, inst, &ascent); err != nil {
			return rows, err
		}
		problems := secondRound(rec.kept, gaps)
		every, err := (&measure.Iteration{Built: built, Scans: sc.Scans, Inst: inst}).EveryPair(ctx, 1)
		if err != nil {
			return rows, err
		}
		dense := every.Solve
		gate := "auto"
		if c.gate != nil {
			gate = task.GateText(c.gate)
		}
		row := func(solver, start string, problems, wrong int, pass float64, work mapsolver.Stats, bound float64) {
			each := func(n int) float64 { return float64(n) / float64(max(1, problems)) }
			rows = append(rows, cli.Record{
				{Key: "scene", Value: string(c.scene)}, {Key: "cost", Value: string(c.cost)}, {Key: "gate", Value: gate},
				{Key: "solver", Value: solver}, {Key: "start", Value: start},
				{Key: "problems", Value: problems}, {Key: "wrong", Value: wrong},
				{Key: "rows_scanned", Value: each(work.RowsScanned), Digits: 4}, {Key: "augmented", Value: each(work.Augmented), Digits: 4},
				{Key: "bids", Value: each(work.Bids), Digits: 4},
				{Key: "pass", Value: pass, Unit: "ms", Digits: 3}, {Key: "x", Value: dense / pass, Digits: 3},
				{Key: "published_x", Value: measure.PublishedLAP}, {Key: "bound", Value: bound, Digits: 8},
			})
		}
		row("hungarian-tree", "every pair", gaps, 0, dense, mapsolver.Stats{}, math.NaN())
		for _, info := range solvers.All {
			if info.Unavailable() != "" {
				continue
			}
			b.Step(fmt.Sprintf("%s, %s, %s, %s", c.scene, c.cost, gate, info.Name))
			lead := ascent
			lead.MaxRounds, lead.NewSolver = 3, info.New
			led, err := dualascent.Solve(ctx, inst, &lead)
			if err != nil {
				return rows, fmt.Errorf("%s: %w", info.Name, err)
			}
			for _, start := range []string{"nothing", "pass before"} {
				cpu, wrong, work, err := replay(ctx, info.New(), problems, start != "nothing")
				if err != nil {
					return rows, fmt.Errorf("%s: %w", info.Name, err)
				}
				pass := 1e3 * cpu * float64(gaps) / float64(max(1, len(problems)))
				row(info.Name, start, len(problems), wrong, pass, work, led.LowerBound)
			}
		}
	}
	return rows, nil
}

// secondRound are the X-LAPs of the second round, gaps in each of its passes, or of
// the first if that was the last. After each pass of these rounds as many problems of
// a rounding follow, which are left out.
func secondRound(kept []xlap, gaps int) []xlap {
	var list []xlap
	for k := 0; k+gaps <= len(kept); k += 2 * gaps {
		list = append(list, kept[k:k+gaps]...)
	}
	if len(list) > 2*gaps {
		list = list[2*gaps:]
	}
	return list
}

// replay solves the problems in their order, and says how many optima differ from
// those recorded.
func replay(ctx context.Context, solver mapsolver.Solver, problems []xlap, warm bool) (cpu float64, wrong int, work mapsolver.Stats, err error) {
	var s mapsolver.Solution
	for k := range problems {
		x := &problems[k]
		if own, ok := solver.(mapsolver.PatternUser); ok { // as the ascent does
			own.UseColumns(&x.columns)
		}
		var duals *mapsolver.Duals
		if warm && x.start.V != nil {
			s.V = append(s.V[:0], x.start.V...)
			s.ColOf, s.EntryOf = append(s.ColOf[:0], x.start.ColOf...), append(s.EntryOf[:0], x.start.EntryOf...)
			duals = &s.Duals
		}
		began := usage.CPUSeconds()
		if err := solver.Solve(ctx, &s, &x.problem, duals); err != nil {
			return cpu, wrong, work, err
		}
		cpu += usage.CPUSeconds() - began
		work.Add(s.Stats)
		if !solvers.Agrees(&x.problem, &s, x.cost) {
			wrong++
		}
	}
	return cpu, wrong, work, nil
}
