package main

// This file is "mtt run": simulate, track and score in one go.

import (
	"context"
	"time"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
)

func newRunCommand() *cli.Command {
	options, simulate, track, score := task.BindRun()
	c := &cli.Command{
		Name:    "run",
		Summary: "simulates, tracks and scores in one go",
		About: "Makes the run folder that mtt simulate, mtt track and mtt score would make one after\n" +
			"the other, with the options of all three; the tracker is told the noise of the sensor.\n",
		Examples: "mtt run --targets 30 --frames 20\n" +
			"mtt run --scene steer --targets 20 --miss 0.05 --clutter 1 --engine gnn -o runs/gnn --format json\n",
		OutUsage: "`FOLDER` to make (default: " + runfolder.Default + ")",
		Options:  options,
	}
	c.Run = func(ctx context.Context, s *cli.Session, _ []string) error {
		return runRun(ctx, s, c, simulate, track, score)
	}
	return c
}

func runRun(ctx context.Context, s *cli.Session, c *cli.Command, simulate *task.SimulateOptions, track *task.TrackOptions, score *task.ScoreOptions) error {
	began := time.Now()
	folder, sc, err := task.Simulate(ctx, s, c, simulate)
	if err != nil {
		return err
	}
	r := cli.Record{{Key: "run", Value: folder.Dir}}
	sc.Counts(&r)
	err = trackAndScore(ctx, s, c, simulate, track, score, folder, sc, &r, began)
	if err := task.Finish(folder, err); err != nil {
		return err
	}
	return s.Out.Print(r)
}

// trackAndScore does what follows the simulation, and adds the results to r.
func trackAndScore(ctx context.Context, s *cli.Session, c *cli.Command, simulate *task.SimulateOptions, track *task.TrackOptions,
	score *task.ScoreOptions, folder *runfolder.Folder, sc *task.Scene, r *cli.Record, began time.Time) error {
	if simulate.Costs {
		costs, err := task.WriteCosts(ctx, s, track, folder, sc, "")
		if err != nil {
			return err
		}
		r.Add("costs", costs)
	}
	if simulate.Pmbm {
		laps, err := task.WriteLaps(ctx, s, folder, sc)
		if err != nil {
			return err
		}
		r.Add("pmbm", laps)
	}
	defer task.CompareEarly(ctx, s, score, track, folder, sc)()
	solved, err := task.Track(ctx, s, c, track, folder, sc, 0)
	if err != nil {
		return err
	}
	tracks, err := task.LoadTracks(folder.Path(runfolder.TracksFile))
	if err != nil {
		return err
	}
	scores, _, err := task.ScoreScene(ctx, s, c, score, track, folder, sc, tracks, solved.Result)
	if err != nil {
		return err
	}
	r.Add("seconds", time.Since(began).Seconds())
	r.Add("track", solved.Record)
	r.Add("score", scores)
	return nil
}
