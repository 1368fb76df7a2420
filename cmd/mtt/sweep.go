package main

// This file is "mtt sweep": many simulated scenes, tracked and scored.

import (
	"context"
	"errors"
	"runtime"

	"mtt/internal/cli"
	"mtt/internal/sweep"
)

func newSweepCommand() *cli.Command {
	part := &sweep.Shard{}
	c := &cli.Command{
		Name:    "sweep",
		Summary: "simulates, tracks and scores many scenes: every combination of options, with many seeds",
		Args:    "FILE.toml",
		MaxArgs: 1,
		About: "The keys of the file are options of mtt run; a key with a list of values is an axis,\n" +
			"and every combination of the axes is a case. Each case is run with as many seeds as\n" +
			"the key seeds says, the same seeds for all, as many at a time as there are cores.\n" +
			"The folder receives sweep.csv, a row for each scene; a table with a row for each\n" +
			"case is printed: means, and standard errors of means (se). The same command again\n" +
			"goes on where an interrupted one stopped.\n",
		Examples: "mtt sweep sweep.toml\n" +
			"mtt sweep sweep.toml --shard 1/2 -o runs/parts\n" +
			"mtt sweep sweep.toml --shard 2/2 -o runs/parts\n" +
			"mtt merge runs/parts\n",
		OutUsage: "`FOLDER` for the results (default: " + sweep.Folder + ")",
		Options:  []cli.Option{sweep.ShardOption(part)},
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error { return runSweep(ctx, s, *part, args) }
	return c
}

func runSweep(ctx context.Context, s *cli.Session, part sweep.Shard, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("name a file that says what to sweep").Hinted("'mtt sweep --help' says what it holds")
	}
	plan, err := cli.Await(ctx, func() (*sweep.Plan, error) { return sweep.Read(args[0], s.Common.Seed) })
	if err != nil {
		return err
	}
	for _, text := range plan.Unused {
		s.Log.Warn(text)
	}
	dir := s.OutOr(sweep.Folder)
	journal, err := sweep.OpenJournal(dir, plan, part)
	if err != nil {
		return err
	}
	workers := s.Common.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	line := s.StartProgress(ctx, "scenes", plan.TasksOf(part))
	err = plan.RunTasks(ctx, part, journal, workers, line.Set)
	line.Done()
	if err = errors.Join(err, journal.Close()); err != nil {
		return err
	}
	if part.Of > 1 {
		r := cli.Record{{Key: "run", Value: dir}, {Key: "shard", Value: part.String()}}
		r.Add("tasks", journal.Finished())
		return s.Out.Print(r)
	}
	return sweep.Merge(ctx, s, dir, []string{dir})
}
