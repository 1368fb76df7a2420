package main

// This file is "mtt track": which detections belong together.

import (
	"context"
	"time"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
)

func newTrackCommand() *cli.Command {
	o := task.NewTrackOptions()
	from := &task.ImportOptions{}
	c := &cli.Command{
		Name:    "track",
		Summary: "finds which detections belong together: tracks, bounds and gap",
		Args:    "[RUN|FILE|FOLDER…]",
		MaxArgs: -1,
		About: "Tracks the detections of a run folder (default: " + runfolder.Default + ") and writes tracks.csv,\n" +
			"solve.json, figures and a page to look at, report.html, into it. A FILE (- for standard input), with\n" +
			"another that has its truth or without, or each sequence of a FOLDER, is imported first.\n" +
			"Noise levels and rates that nobody says are estimated from the data.\n",
		Examples: "mtt simulate --targets 20 --frames 20\n" +
			"mtt track\n" +
			"mtt track --engine greedy -o runs/greedy --format json\n" +
			"mtt track points.csv --gate ball:1.5 -o runs/points\n" +
			"mtt track det.txt gt.txt -o runs/boxes --no-report\n" +
			"mtt track --lag 3 -o runs/online\n" +
			"mtt track --engine exact --resume runs/latest\n" +
			"mtt track --arcs cells.csv -o runs/cells\n",
		OutUsage: "`FOLDER` for the scene and its tracks (default: RUN; for a FILE " + runfolder.Default + ")",
		Options:  append(o.BindAll(), from.BindReading()...),
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error {
		return runTrack(ctx, s, c, o, from, args)
	}
	return c
}

func runTrack(ctx context.Context, s *cli.Session, c *cli.Command, o *task.TrackOptions, from *task.ImportOptions, args []string) error {
	if o.ProgrammeAlone() {
		return cli.Usagef("--programme is for the problem of --arcs, which is not given")
	}
	if o.Arcs != "" {
		if len(args) > 0 {
			return cli.Usagef("%s and --arcs %s are given; one or the other is tracked", args[0], o.Arcs)
		}
		return task.TrackArcs(ctx, s, c, o)
	}
	began := time.Now()
	if len(args) == 0 && o.Resume != "" {
		args = []string{o.ResumeFolder()}
	}
	var err error
	if o.Start, err = o.ReadStart(ctx); err != nil { // before -o makes the folder anew
		return err
	}
	if task.AreFolders(args) {
		return task.EachSequence(ctx, s, args, func(seq task.Sequence) error { return task.TrackOne(ctx, s, c, o, from, seq.Files, time.Now()) })
	}
	if files, err := task.AreFiles(args); err != nil {
		return err
	} else if files {
		return task.TrackOne(ctx, s, c, o, from, args, began)
	}
	if runs, err := task.Runs(args); err != nil || len(runs) > 1 {
		if err == nil && s.Common.Out != "" {
			err = cli.Usagef("several runs are given, and one folder for their tracks").Hinted("leave -o away: tracks go into the runs")
		}
		if err != nil {
			return err
		}
		return cli.EachInput(ctx, s, runs, func(ctx context.Context, dir string) error {
			return task.TrackOne(ctx, s, c, o, from, []string{dir}, time.Now())
		})
	}
	return task.TrackOne(ctx, s, c, o, from, args, began)
}
