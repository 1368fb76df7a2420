package main

// This file is "mtt sweep": many simulated scenes, tracked and scored.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"mtt/scenario"
)

// sweepFolder is the folder of a sweep that names none.
const sweepFolder = "runs/sweep"

// A shard is one of several parts of a sweep: the tasks t with t mod Of = Index-1.
type shard struct{ Index, Of int }

// shardOption binds --shard.
func shardOption(dst *shard) option {
	*dst = shard{1, 1}
	return option{
		name:  "shard",
		usage: "`I/N`: only part I of N, for N machines or jobs; mtt merge puts the parts together",
		set: func(text string) error {
			i, n, ok := strings.Cut(text, "/")
			index, err1 := strconv.Atoi(i)
			of, err2 := strconv.Atoi(n)
			if !ok || err1 != nil || err2 != nil || index < 1 || index > of {
				return fmt.Errorf("%q is not I/N with I from 1 to N", text)
			}
			*dst = shard{index, of}
			return nil
		},
		get: func() any { return fmt.Sprintf("%d/%d", dst.Index, dst.Of) },
	}
}

func newSweepCommand() *command {
	part := &shard{}
	c := &command{
		name:    "sweep",
		summary: "simulates, tracks and scores many scenes: every combination of options, with many seeds",
		args:    "FILE.toml",
		maxArgs: 1,
		about: "The keys of the file are options of mtt run; a key with a list of values is an axis,\n" +
			"and every combination of the axes is a case. Each case is run with as many seeds as\n" +
			"the key seeds says, the same seeds for all, as many at a time as there are cores.\n" +
			"The folder receives sweep.csv, a row for each scene; a table with a row for each\n" +
			"case is printed: means, and standard errors of means (se). The same command again\n" +
			"goes on where an interrupted one stopped.\n",
		examples: "mtt sweep sweep.toml\n" +
			"mtt sweep sweep.toml --shard 1/2 -o runs/parts\n" +
			"mtt sweep sweep.toml --shard 2/2 -o runs/parts\n" +
			"mtt merge runs/parts\n",
		outUsage: "`FOLDER` for the results (default: " + sweepFolder + ")",
		options:  []option{shardOption(part)},
	}
	c.run = func(ctx context.Context, s *session, args []string) error { return runSweep(ctx, s, *part, args) }
	return c
}

func runSweep(ctx context.Context, s *session, part shard, args []string) error {
	if len(args) == 0 {
		return usagef("name a file that says what to sweep").hinted("'mtt sweep --help' says what it holds")
	}
	plan, err := readSweep(args[0], s.common.Seed)
	if err != nil {
		return err
	}
	dir := s.outOr(sweepFolder)
	journal, err := openJournal(dir, plan, part)
	if err != nil {
		return err
	}
	err = sweepTasks(ctx, s, plan, part, journal)
	if err = errors.Join(err, journal.close()); err != nil {
		return err
	}
	if part.Of > 1 {
		r := record{{key: "run", value: dir}, {key: "shard", value: fmt.Sprintf("%d/%d", part.Index, part.Of)}}
		r.add("tasks", len(journal.done))
		return s.out.print(r)
	}
	return mergeSweep(s, dir, []string{dir})
}

// sweepTasks runs the tasks of the shard that the journal lacks.
func sweepTasks(ctx context.Context, s *session, plan *sweepPlan, part shard, journal *sweepJournal) error {
	workers := s.common.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	line := s.startProgress(ctx, "scenes", (plan.tasks()-part.Index)/part.Of+1)
	defer line.done()
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for i := part.Index - 1; i < plan.tasks() && inner.Err() == nil; i += part.Of {
		if journal.has(i) {
			continue
		}
		group.Go(func() error {
			r, err := plan.run(inner, i)
			if err != nil {
				return err
			}
			text, err := json.Marshal(r)
			if err != nil {
				return err
			}
			done, err := journal.add(i, text)
			line.set(done, strings.Join(plan.values(i/plan.Seeds), " "))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// run does task i. A scene that cannot be tracked is a result, too: its row says why.
// Only the end of ctx is an error.
func (p *sweepPlan) run(ctx context.Context, i int) (record, error) {
	r := record{{key: "task", value: i}}
	r = append(r, p.axisFields(i/p.Seeds)...)
	r.add("seed", p.seed(i))
	t, err := p.task(i)
	if err != nil {
		return nil, err
	}
	found, err := t.run(ctx, p.seed(i))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return append(r, field{key: "status", value: "failed"}, field{key: "error", value: err.Error()}), nil
	}
	return append(r, found...), nil
}

// run simulates, tracks and scores, and returns the results without times.
func (t *sweepTask) run(ctx context.Context, seed uint64) (record, error) {
	cfg, err := t.simulate.config(seed)
	if err != nil {
		return nil, err
	}
	sc, err := scenario.Simulate(ctx, cfg)
	if err != nil {
		return nil, err
	}
	scans := sceneScans(cfg, sc.Scans)
	opts, err := t.track.association(&scans, 1)
	if err != nil {
		return nil, err
	}
	res, err := t.track.track(ctx, sc.Scans, opts)
	if err != nil {
		return nil, err
	}
	r := outcome(t.track, res)
	_, err = addScores(ctx, &r, sc.Truth, res.Tracks, &t.score.Options)
	return r, err
}
