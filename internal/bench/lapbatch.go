package bench

// This file measures how many small assignment problems are solved in a second.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/usage"
	"mtt/mapsolver"
	"mtt/mapsolver/lapfile"
	"mtt/mapsolver/lapgen"
	"mtt/mapsolver/ssp"
)

// batchArchives are the archives below the folder sas-mot-lap of --data, rewards
// of which 0 forbids a pair.
var batchArchives = []string{"rewardsNew", "test_problems8bit", "test_problemsfc8bit", "rewardsGen400"}

// tinyProblems is the number of random problems; tests have fewer.
const tinyProblems = 100_000

// benchLapBatch solves sets of problems with one worker and with all. The rate of
// one is by the time of the processor, that of all by the clock. Every answer is
// certified, and every proof that there is none checked, outside the time.
func benchLapBatch(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	b.Step("16×40")
	n := tinyProblems
	if b.Targets > 0 {
		n = b.Targets
	}
	list := make([]*mapsolver.Problem, n)
	for i := range list {
		list[i] = lapgen.Tiny(16, 40, 7, b.First+uint64(i))
	}
	r, err := measureBatch(ctx, b, "16×40", list)
	if err != nil {
		return rows, err
	}
	rows = append(rows, r)
	for _, name := range batchArchives {
		b.Step(name)
		path := filepath.Join(b.Data, "sas-mot-lap", name+".tar.gz")
		files, err := lapfile.List(path)
		if errors.Is(err, fs.ErrNotExist) {
			b.Note("%s does not exist: --data names the folder with sas-mot-lap", path)
			continue
		} else if err != nil {
			return rows, cli.BadInput(err)
		}
		list := make([]*mapsolver.Problem, len(files))
		for i, f := range files {
			if list[i], err = f.Read(&lapfile.Options{Maximize: true, ForbiddenZero: true}); err != nil {
				return rows, cli.BadInput(err)
			}
		}
		r, err := measureBatch(ctx, b, name, list)
		if err != nil {
			return rows, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// measureBatch solves the problems of a set.
func measureBatch(ctx context.Context, b *measure.Run, name string, list []*mapsolver.Problem) (cli.Record, error) {
	problems := pack(list)
	solutions := make([]mapsolver.Solution, len(problems))
	batch := mapsolver.Batch{New: func() mapsolver.Solver { return new(ssp.Solver) }}
	var bad *mapsolver.BatchError
	solve := func() error {
		err := batch.SolveBatch(ctx, solutions, problems, nil)
		bad = nil
		if errors.As(err, &bad) && ctx.Err() == nil {
			return nil
		}
		return err
	}
	best := func(workers int, now func() float64) (float64, error) {
		batch.Workers = workers
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
		if err := solve(); err != nil { // makes the workspace
			return 0, err
		}
		var seconds measure.Series
		for range b.Seeds {
			runtime.GC()
			began := now()
			if err := solve(); err != nil {
				return 0, err
			}
			seconds = append(seconds, now()-began)
		}
		return float64(len(problems)) / seconds.Median(), nil
	}
	one, err := best(1, usage.CPUSeconds)
	if err != nil {
		return nil, err
	}
	all, err := best(b.Workers, measure.Clock)
	if err != nil {
		return nil, err
	}

	sum, infeasible := 0.0, 0
	for i := range problems {
		p := &problems[i]
		if bad != nil && bad.Errs[i] != nil {
			proof, ok := errors.AsType[*mapsolver.InfeasibleError](bad.Errs[i])
			if !ok {
				return nil, fmt.Errorf("%s, problem %d: %w", name, i, bad.Errs[i])
			}
			if err := proof.Check(p); err != nil {
				return nil, fmt.Errorf("%s, problem %d: %w", name, i, err)
			}
			infeasible++
			continue
		}
		gap, err := mapsolver.Certify(p, &solutions[i])
		if err == nil && gap > mapsolver.Tolerance(p, &solutions[i]) {
			err = fmt.Errorf("duality gap %v", gap)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, problem %d: %w", name, i, err)
		}
		sum += solutions[i].Cost
	}
	return cli.Record{
		{Key: "set", Value: name}, {Key: "problems", Value: len(problems)},
		{Key: "infeasible", Value: infeasible}, {Key: "objective", Value: sum, Digits: 9},
		{Key: "per_cpu_s", Value: one, Digits: 3},
		{Key: "workers", Value: b.Workers}, {Key: "per_s", Value: all, Digits: 3},
	}, nil
}

// pack copies problems into slices that they share, one after the other, as a
// program that makes them in a loop would have them.
func pack(list []*mapsolver.Problem) []mapsolver.Problem {
	rows, entries := 0, 0
	for _, p := range list {
		rows, entries = rows+p.Rows+1, entries+len(p.Col)
	}
	ptr, col, cost := make([]int, 0, rows), make([]int32, 0, entries), make([]float64, 0, entries)
	packed := make([]mapsolver.Problem, len(list))
	for i, p := range list {
		a, e := len(ptr), len(col)
		ptr, col, cost = append(ptr, p.Ptr...), append(col, p.Col...), append(cost, p.Cost...)
		packed[i] = *p
		packed[i].Ptr, packed[i].Col, packed[i].Cost = slices.Clip(ptr[a:]), slices.Clip(col[e:]), slices.Clip(cost[e:])
	}
	return packed
}
