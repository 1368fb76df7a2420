package main

// This file is "mtt simulate": a scene with truth, as a run folder.

import (
	"context"
	"time"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
)

func newSimulateCommand() *cli.Command {
	o, priced := &task.SimulateOptions{}, task.NewTrackOptions()
	options := o.Bind()
	for _, option := range priced.Bind() {
		if pricing(&option) {
			option.Usage += "; with --costs"
			options = append(options, option)
		}
	}
	c := &cli.Command{
		Name:    "simulate",
		Summary: "makes a scene with truth: a run folder with detections.csv and truth.csv",
		About: "Targets fly along random curves; a sensor measures them frame by frame, in random\n" +
			"order. Equal options and seeds give equal files on every machine.\n",
		Examples: "mtt simulate\n" +
			"mtt simulate --targets 20 --frames 30 --scene arena --noise 0.05 -o runs/arena\n" +
			"mtt simulate --scene steer --miss 0.05 --clutter 2 --births 0.5 --seed 7 -o runs/hard --format json\n",
		OutUsage: "`FOLDER` to make (default: " + runfolder.Default + ")",
		Options:  options,
	}
	c.Run = func(ctx context.Context, s *cli.Session, _ []string) error { return runSimulate(ctx, s, c, o, priced) }
	return c
}

// pricing reports whether an option of the tracker is one of simulate, too.
func pricing(option *cli.Option) bool { return option.Name == "cost" || option.Name == "gate" }

func runSimulate(ctx context.Context, s *cli.Session, c *cli.Command, o *task.SimulateOptions, priced *task.TrackOptions) error {
	start := time.Now()
	var r cli.Record
	for _, option := range task.NewTrackOptions().Bind() {
		if said := cli.Find(c.Options, option.Name); pricing(&option) && !o.Costs && said.Value() != option.Value() {
			s.Log.Warn("--" + option.Name + " has no use without --costs")
		}
	}
	if o.Costs || o.Pmbm {
		folder, sc, err := task.Simulate(ctx, s, c, o)
		if err != nil {
			return err
		}
		r.Add("run", folder.Dir)
		sc.Counts(&r)
		if err := task.Finish(folder, writeMore(ctx, s, o, priced, folder, sc, &r)); err != nil {
			return err
		}
	} else {
		folder, counts, err := task.SimulateAside(ctx, s, c, o)
		if err != nil {
			return err
		}
		r.Add("run", folder.Dir)
		counts.Add(&r)
		if err := task.Finish(folder, nil); err != nil {
			return err
		}
	}
	r.Add("seconds", time.Since(start).Seconds())
	return s.Out.Print(r)
}

// writeMore writes what --costs and --pmbm ask for, and adds to r what there is to say.
func writeMore(ctx context.Context, s *cli.Session, o *task.SimulateOptions, priced *task.TrackOptions, folder *runfolder.Folder, sc *task.Scene, r *cli.Record) error {
	if o.Costs {
		costs, err := task.WriteCosts(ctx, s, priced, folder, sc, "")
		if err != nil {
			return err
		}
		r.Add("costs", costs)
	}
	if o.Pmbm {
		laps, err := task.WriteLaps(ctx, s, folder, sc)
		if err != nil {
			return err
		}
		r.Add("pmbm", laps)
	}
	return nil
}
