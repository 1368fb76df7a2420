package main

// This file is "mtt lap --points": two sets of points, whose distances are costs that nobody stores.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"mtt/internal/cli"
	"mtt/mapsolver"
	"mtt/mapsolver/dense"
	"mtt/mapsolver/lapfile"
)

// Words of --metric and --cache.
var (
	lapMetrics = []string{dense.Euclidean.String(), dense.Squared.String(), dense.Manhattan.String()}
	lapCaches  = []string{"none", dense.ByShare.String(), dense.LFU.String(), dense.SLRU.String()}
)

// evictions are the rules of --cache.
var evictions = map[string]dense.Eviction{"auto": dense.ByShare, "lfu": dense.LFU, "slru": dense.SLRU}

// readPoints reads a table as points, a row each.
func (o *lapOptions) readPoints(path string) (p *mapsolver.Problem, err error) {
	inputs := listProblems([]string{path})
	if len(inputs) != 1 || inputs[0].err != nil {
		if len(inputs) == 1 {
			return nil, inputs[0].err
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
func runLapPoints(ctx context.Context, l *lapRun, args []string) error {
	o := l.o
	switch {
	case len(args) != 2:
		return cli.Usagef("--points takes two files, got %d", len(args))
	case o.Maximize || o.ForbiddenZero || o.Partial || o.warm != "":
		return cli.Usagef("--maximize, --forbidden-zero, --partial and --warm do not go with --points")
	case o.solver != "auto" && o.solver != "dense":
		return cli.Usagef("solver %s needs all costs in memory: --points is solved by dense", o.solver)
	}
	began := time.Now()
	a, err := o.readPoints(args[0])
	if err != nil {
		return err
	}
	b, err := o.readPoints(args[1])
	if err != nil {
		return err
	}
	if a.Cols != b.Cols || a.Cols == 0 {
		return cli.Usagef("points of %s have %d coordinates, those of %s %d", args[0], a.Cols, args[1], b.Cols)
	}
	metric := dense.Euclidean
	for ; metric.String() != o.metric; metric++ {
	}
	flip := a.Rows > b.Rows // else the solver would make a matrix
	if flip {
		a, b = b, a
	}
	costs := dense.Distances(a.Cost, b.Cost, a.Cols, metric)
	var from dense.Costs = costs
	var cache *dense.Cache
	if rule, ok := evictions[o.cache]; ok {
		cache = dense.NewCacheBy(costs, 8*b.Rows*int(math.Round(o.share*float64(a.Rows))), rule)
		from = cache
	}
	workers := cmp.Or(l.s.Common.Workers, runtime.GOMAXPROCS(0))
	solver, s := dense.Solver{Workers: workers}, new(mapsolver.Solution)
	if err := solver.Solve(ctx, s, from, nil); err != nil {
		return err
	}
	gap, err := dense.CertifyWith(costs, s, workers)
	if err != nil {
		return fmt.Errorf("the answer is wrong: %w", err)
	}
	if flip {
		a, b, s.U, s.V, s.ColOf, s.RowOf = b, a, s.V, s.U, s.RowOf, s.ColOf
	}
	work := solver.Work()
	pairs := min(a.Rows, b.Rows)
	name := args[0] + " " + args[1]
	status, certified := "optimal", gap <= 1e-9*s.Cost // no distance is negative
	if !certified {
		status = "feasible"
	}
	r := cli.Record{
		{Key: "file", Value: name}, {Key: "status", Value: status}, {Key: "objective", Value: s.Cost},
		{Key: "rows", Value: a.Rows}, {Key: "cols", Value: b.Rows}, {Key: "nnz", Value: a.Rows * b.Rows},
		{Key: "assigned", Value: pairs}, {Key: "certified", Value: certified}, {Key: "duality_gap", Value: gap},
		{Key: "solver", Value: "dense"}, {Key: "start", Value: work.Start.String()},
		{Key: "rows_scanned", Value: work.StartRows + work.SearchRows},
	}
	if cache != nil {
		hits, misses := cache.Counts()
		r = append(r,
			cli.Field{Key: "cache_hits", Value: hits}, cli.Field{Key: "cache_misses", Value: misses},
			cli.Field{Key: "hit_rate", Value: 100 * float64(hits) / float64(max(1, hits+misses)), Unit: "%", Digits: 4})
	}
	r = append(r, cli.Field{Key: "seconds", Value: time.Since(began).Seconds()})
	answer := &lapAnswer{File: name, Status: status, Rows: a.Rows, Cols: b.Rows, Objective: &s.Cost, Assignment: s.ColOf, RowPrices: s.U, ColPrices: s.V}
	return errors.Join(l.keep(answer), l.s.Out.Print(r), l.write())
}
