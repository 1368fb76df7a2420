package main

// This file is "mtt lap --points": two sets of points, whose distances are costs that nobody stores.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"time"

	"mtt/internal/cli"
	"mtt/internal/lap"
	"mtt/internal/solvers"
	"mtt/mapsolver"
	"mtt/mapsolver/cuda"
	"mtt/mapsolver/dense"
	"mtt/mapsolver/lapfile"
)

// Words of --metric and --cache.
var (
	pointMetrics = []string{dense.Euclidean.String(), dense.Squared.String(), dense.Manhattan.String()}
	pointCaches  = []string{"none", dense.ByShare.String(), dense.LFU.String(), dense.SLRU.String(), dense.Steady.String()}
)

// pointSolvers are those that compute costs when they are asked for.
var pointSolvers = []string{"auto", "dense", "cuda"}

// evictions are the rules of --cache.
var evictions = map[string]dense.Eviction{"auto": dense.ByShare, "lfu": dense.LFU, "slru": dense.SLRU, "steady": dense.Steady}

// pointsOptions say how to pair points.
type pointsOptions struct {
	on     bool // two files of points, not of costs
	metric string
	cache  string
	share  float64 // of the rows that a cache holds
}

// bind makes the options that set o.
func (o *pointsOptions) bind() []cli.Option {
	o.metric, o.cache, o.share = pointMetrics[0], pointCaches[0], 0.25
	return []cli.Option{
		cli.Boolean(&o.on, "points", "the two files are tables of points, one a line: costs are their distances, computed when they are asked for, by all cards with --solver cuda"),
		cli.Choice(&o.metric, "metric", pointMetrics, "`METRIC` of --points: euclidean, squared (its square) or manhattan"),
		cli.Choice(&o.cache, "cache", pointCaches, "`RULE` by which --points keeps whole rows of costs: none solves from a few of each row; lfu, slru and auto, which is either, are Algorithm 1015's, steady is lfu that changes rows less often"),
		cli.Number(&o.share, "share", 0, 1, "part of the rows, `S`, that --cache holds"),
	}
}

// readPoints reads a table as points, a row each.
func readPoints(o *lap.Options, path string, stdin io.Reader) (p *mapsolver.Problem, err error) {
	inputs := lap.List([]string{path}, stdin)
	if len(inputs) != 1 || inputs[0].Err != nil {
		if len(inputs) == 1 {
			return nil, inputs[0].Err
		}
		return nil, cli.Usagef("%s holds %d tables: --points takes one from each file", path, len(inputs))
	}
	if p, err = inputs[0].Read(&lapfile.Options{Format: o.Format}); err != nil {
		return nil, cli.BadInput(err)
	}
	if len(p.Cost) != p.Rows*p.Cols {
		return nil, cli.Usagef("%s: a coordinate is not finite", path)
	}
	return p, nil
}

// runLapPoints pairs the points of two files.
func runLapPoints(ctx context.Context, s *cli.Session, o *lap.Options, points *pointsOptions, args []string) error {
	switch {
	case len(args) != 2:
		return cli.Usagef("--points takes two files, got %d", len(args))
	case args[0] == "-" && args[1] == "-":
		return cli.Usagef("- is standard input, which can be read once only")
	case o.Maximize || o.ForbiddenZero || o.Partial || o.Warm != "":
		return cli.Usagef("--maximize, --forbidden-zero, --partial and --warm do not go with --points")
	case !slices.Contains(pointSolvers, o.Solver):
		return cli.Usagef("solver %s needs all costs in memory: --points is solved by dense or cuda", o.Solver)
	case o.Solver == "cuda" && points.cache != pointCaches[0]:
		return cli.Usagef("--cache is of dense: a card computes a row wherever it is read")
	}
	if _, err := solvers.Named(o.Solver); err != nil {
		return err
	}
	began := time.Now()
	a, err := readPoints(o, args[0], s.Stdin)
	if err != nil {
		return err
	}
	b, err := readPoints(o, args[1], s.Stdin)
	if err != nil {
		return err
	}
	if a.Cols != b.Cols || a.Cols == 0 {
		return cli.Usagef("points of %s have %d coordinates, those of %s %d", args[0], a.Cols, args[1], b.Cols)
	}
	metric := dense.Euclidean
	for ; metric.String() != points.metric; metric++ {
	}
	flip := a.Rows > b.Rows // else the solver would make a matrix
	if flip {
		a, b = b, a
	}
	costs := dense.Distances(a.Cost, b.Cost, a.Cols, metric)
	var from dense.Costs = costs
	var cache *dense.Cache
	if rule, ok := evictions[points.cache]; ok {
		cache = dense.NewCacheBy(costs, 8*b.Rows*int(math.Round(points.share*float64(a.Rows))), rule)
		from = cache
	}
	workers := cmp.Or(s.Common.Workers, runtime.GOMAXPROCS(0))
	sol := new(mapsolver.Solution)
	name, start := "dense", dense.Priced // that of cards where there are as many points on both sides
	if o.Solver == "cuda" {
		name = o.Solver
		if a.Rows < b.Rows {
			start = dense.Plain
		}
		var solver cuda.Points
		err = errors.Join(solver.Solve(ctx, sol, a.Cost, b.Cost, a.Cols, metric), solver.Free())
	} else {
		solver := dense.Solver{Workers: workers}
		err = solver.Solve(ctx, sol, from, nil)
		start = solver.Work().Start
	}
	if err != nil {
		return err
	}
	gap, err := dense.CertifyWith(costs, sol, workers)
	if err != nil {
		return fmt.Errorf("the answer is wrong: %w", err)
	}
	if flip {
		a, b, sol.U, sol.V, sol.ColOf, sol.RowOf = b, a, sol.V, sol.U, sol.RowOf, sol.ColOf
	}
	pairs := min(a.Rows, b.Rows)
	file := args[0] + " " + args[1]
	status, certified := "optimal", gap <= 1e-9*sol.Cost // no distance is negative
	if !certified {
		status = "feasible"
	}
	r := cli.Record{
		{Key: "file", Value: file}, {Key: "status", Value: status}, {Key: "objective", Value: sol.Cost},
		{Key: "rows", Value: a.Rows}, {Key: "cols", Value: b.Rows}, {Key: "nnz", Value: a.Rows * b.Rows},
		{Key: "assigned", Value: pairs}, {Key: "certified", Value: certified}, {Key: "duality_gap", Value: gap},
		{Key: "solver", Value: name}, {Key: "start", Value: start.String()},
		{Key: "rows_scanned", Value: sol.Stats.RowsScanned},
	}
	if cache != nil {
		hits, misses := cache.Counts()
		r = append(r,
			cli.Field{Key: "cache_hits", Value: hits}, cli.Field{Key: "cache_misses", Value: misses},
			cli.Field{Key: "hit_rate", Value: 100 * float64(hits) / float64(max(1, hits+misses)), Unit: "%", Digits: 4})
	}
	r = append(r, cli.Field{Key: "seconds", Value: time.Since(began).Seconds()})
	answer := &lap.Answer{File: file, Status: status, Rows: a.Rows, Cols: b.Rows, Objective: &sol.Cost, Assignment: sol.ColOf, RowPrices: sol.U, ColPrices: sol.V}
	report := lap.NewReport(s, 1)
	return errors.Join(report.Keep(answer), s.Out.Print(r), report.Write())
}
