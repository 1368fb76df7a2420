package main

// This file is "mtt score": the metrics of a run, or of any two files.

import (
	"context"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
)

func newScoreCommand() *cli.Command {
	o := &task.ScoreOptions{}
	c := &cli.Command{
		Name:    "score",
		Summary: "compares tracks with the truth: ITCP, MMEP, MOTA, IDF1, HOTA, GOSPA and more",
		Args:    "[RUN…]",
		MaxArgs: -1,
		About: "Scores the tracks of run folders (default: " + runfolder.Default + ") and writes score.json and\n" +
			"plots into them; a run without tracks is tracked first, with the defaults. Or\n" +
			"compares any two files. Boxes are compared by overlap, points by distance.\n" +
			"A true link joins consecutive detections of one target:\n" +
			"mmep is the percentage of true links that are wrong or missing,\n" +
			"itcp that of trajectories which are not perfect.\n",
		Examples: "mtt score\n" +
			"mtt score --gates 1.5,2,3 --png\n" +
			"mtt score runs/latest runs/greedy --format csv\n" +
			"mtt score --truth gt.txt --tracks result.txt\n",
		Options: o.Bind(),
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error { return runScore(ctx, s, c, o, args) }
	return c
}

func runScore(ctx context.Context, s *cli.Session, c *cli.Command, o *task.ScoreOptions, args []string) error {
	if o.Truth != "" && o.Tracks != "" {
		if len(args) > 0 {
			return cli.Usagef("%s and two files are given; one or the other is scored", args[0])
		}
		return scoreFiles(ctx, s, o)
	}
	if len(args) == 0 {
		args = []string{runfolder.Default}
	}
	return cli.EachInput(ctx, s, args, func(ctx context.Context, dir string) error {
		folder, err := task.OpenRun(dir)
		if err != nil {
			return err
		}
		if o.Truth != "" || o.Tracks != "" {
			return scoreAgainst(ctx, s, o, folder)
		}
		return scoreFolder(ctx, s, c, o, folder)
	})
}

// scoreFiles scores the two files that were named.
func scoreFiles(ctx context.Context, s *cli.Session, o *task.ScoreOptions) error {
	truth, err := task.LoadTargets(s, o.Truth)
	if err != nil {
		return err
	}
	tracks, err := task.LoadTargets(s, o.Tracks)
	if err != nil {
		return err
	}
	r := cli.Record{{Key: "truth", Value: o.Truth}, {Key: "tracks_file", Value: o.Tracks}}
	if err := task.ScoreTargets(ctx, s, o, &r, truth, tracks.Tracks); err != nil {
		return err
	}
	return s.Out.Print(r)
}

// scoreAgainst scores a run with the file of one side replaced; the folder stays
// as it is.
func scoreAgainst(ctx context.Context, s *cli.Session, o *task.ScoreOptions, folder *runfolder.Folder) error {
	sc, err := task.LoadScene(folder)
	if err != nil {
		return err
	}
	r := cli.Record{{Key: "run", Value: folder.Dir}}
	if o.Truth != "" {
		truth, err := task.LoadTargets(s, o.Truth)
		if err != nil {
			return err
		}
		tracks, err := task.TracksOf(ctx, s, folder, sc)
		if err != nil {
			return err
		}
		if err := task.ScoreTargets(ctx, s, o, &r, truth, tracks); err != nil {
			return err
		}
		return s.Out.Print(r)
	}
	tracks, err := task.LoadTargets(s, o.Tracks)
	if err != nil {
		return err
	}
	if err := sc.NeedTruth(folder); err != nil {
		return err
	}
	if _, err := task.AddScores(ctx, &r, sc.Truth, tracks.Tracks, &o.Options); err != nil {
		return err
	}
	return s.Out.Print(r)
}

// scoreFolder scores a run folder, tracking it first when it has no tracks.
func scoreFolder(ctx context.Context, s *cli.Session, c *cli.Command, o *task.ScoreOptions, folder *runfolder.Folder) error {
	if err := task.Edit(folder); err != nil {
		return err
	}
	defer folder.Discard()
	sc, err := task.LoadScene(folder)
	if err != nil {
		return err
	}
	if err := sc.NeedTruth(folder); err != nil {
		return err
	}
	tracks, err := task.TracksOf(ctx, s, folder, sc)
	if err != nil {
		return err
	}
	track, err := task.TrackedWith(folder)
	if err != nil {
		return err
	}
	r, err := task.ScoreScene(ctx, s, c, o, track, folder, sc, tracks, nil)
	if err := task.Finish(folder, err); err != nil {
		return err
	}
	return s.Out.Print(append(cli.Record{{Key: "run", Value: folder.Dir}}, r...))
}
