package main

// This file is "mtt-beam sweep": mtt sweep, on many machines.

import (
	"context"
	"errors"

	"mtt/internal/cli"
	"mtt/internal/sweep"
)

func newSweepCommand() *cli.Command {
	e := &engine{}
	c := &cli.Command{
		Name:    "sweep",
		Summary: "simulates, tracks and scores many scenes, as mtt sweep does",
		Args:    "FILE.toml",
		MaxArgs: 1,
		About: "The file is that of mtt sweep, and sweep.csv, the journal and the table are the same to the byte.\n" +
			"The same command again goes on where an interrupted one stopped, also with what mtt sweep\n" +
			"had done.\n\n" + about,
		Examples: "mtt-beam sweep sweep.toml --workers 2\n" +
			"mtt-beam sweep sweep.toml --workers 4 --kill 20 -o runs/killed\n",
		OutUsage: "`FOLDER` for the results (default: " + sweep.Folder + ")",
		Options:  e.bind(),
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error { return runSweep(ctx, s, e, args) }
	return c
}

func runSweep(ctx context.Context, s *cli.Session, e *engine, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("name a file that says what to sweep").Hinted("'mtt sweep --help' says what it holds")
	}
	plan, err := sweep.Read(args[0], s.Common.Seed)
	if err != nil {
		return err
	}
	whole := sweep.Shard{Index: 1, Of: 1}
	dir := s.OutOr(sweep.Folder)
	journal, err := sweep.OpenJournal(dir, plan, whole)
	if err != nil {
		return err
	}
	err = addMissing(ctx, s, e, plan, journal, plan.TasksOf(whole), dir)
	if err = errors.Join(err, journal.Close()); err != nil {
		return err
	}
	return sweep.Merge(ctx, s, dir, []string{dir})
}

// addMissing runs the tasks that the journal lacks.
func addMissing(ctx context.Context, s *cli.Session, e *engine, plan *sweep.Plan, journal *sweep.Journal, tasks int, dir string) error {
	j, err := newJob("sweep", "scenes", plan)
	if err != nil {
		return err
	}
	j.pure = true
	for i := range tasks {
		if !journal.Has(i) {
			j.items = append(j.items, i)
		}
	}
	if len(j.items) == 0 {
		return nil
	}
	lines, forget, err := e.lines(ctx, s, j, dir)
	if err != nil {
		return err
	}
	for _, i := range j.items {
		if _, err := journal.Add(i, lines[i]); err != nil {
			return err
		}
	}
	return forget()
}

// newSweepWorker runs the tasks of a plan.
func newSweepWorker(spec []byte) (worker, error) {
	plan, err := read[sweep.Plan](spec)
	return plan.Line, err
}
