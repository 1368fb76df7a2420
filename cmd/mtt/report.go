package main

// This file is "mtt report": a run as one web page that needs nothing else.

import (
	"context"
	"io"
	"path/filepath"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
	"mtt/metrics"
	"mtt/plots/page"
)

func newReportCommand() *cli.Command {
	var frames *task.FrameRange
	c := &cli.Command{
		Name:    "report",
		Summary: "writes report.html, one self-contained page about a run",
		Args:    "[RUN…]",
		MaxArgs: -1,
		About: "Gathers what is known of run folders (default: " + runfolder.Default + ") on one page: the scene\n" +
			"to play, zoom and point at, tracks by doubt, errors where the truth is known, bounds,\n" +
			"model, scores and options. A run without tracks is tracked first, with the defaults.\n",
		Examples: "mtt report\n",
		OutUsage: "`FILE` for the page of one run (default: report.html in its folder)",
		Options:  []cli.Option{task.FramesOption(&frames)},
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error { return runReport(ctx, s, frames, args) }
	return c
}

func runReport(ctx context.Context, s *cli.Session, frames *task.FrameRange, args []string) error {
	if len(args) == 0 {
		args = []string{runfolder.Default}
	}
	if len(args) > 1 && s.Common.Out != "" {
		return cli.Usagef("-o names one file, but %d runs are given", len(args))
	}
	return cli.EachInput(ctx, s, args, func(ctx context.Context, dir string) error {
		folder, err := task.OpenRun(dir)
		if err != nil {
			return err
		}
		sc, err := task.LoadScene(ctx, folder)
		if err != nil {
			return err
		}
		tracks, err := task.TracksOf(ctx, s, folder, sc)
		if err != nil {
			return err
		}
		p, err := task.ReportOf(ctx, folder, sc, tracks, metrics.All, frames)
		if err != nil {
			return err
		}
		if err := task.Unchanged(folder); err != nil {
			return err
		}
		path := s.OutOr(folder.Path(runfolder.ReportFile))
		if err := runfolder.WriteFile(path, func(w io.Writer) error { return page.WriteContext(ctx, w, p) }); err != nil {
			return err
		}
		return s.Out.Print(cli.Record{{Key: "run", Value: folder.Dir}, {Key: "report", Value: filepath.ToSlash(path)}})
	})
}
