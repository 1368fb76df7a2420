package main

// This file is "mtt score": the metrics of a run, or of any two files.

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"

	"mtt"
	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
	"mtt/metrics"
)

func newScoreCommand() *cli.Command {
	o := &task.ScoreOptions{}
	c := &cli.Command{
		Name:    "score",
		Summary: "compares tracks with the truth: ITCP, MMEP, MOTA, IDF1, HOTA, GOSPA and more",
		Args:    "[RUN…|FILE TRUTH]",
		MaxArgs: -1,
		About: "Scores the tracks of run folders (default: " + runfolder.Default + ") and writes score.json and\n" +
			"plots into them; a run without tracks is tracked first, with the defaults. Several runs, or a\n" +
			"folder of runs, get a row each and COMBINED: the sequences of a folder, pooled. A FILE of\n" +
			"detections and its TRUTH are tracked first, as by mtt track. Or, with --truth and --tracks,\n" +
			"compares any two files. Boxes are compared by overlap, points by distance.\n" +
			"A true link joins consecutive detections of one target:\n" +
			"mmep is the percentage of true links that are wrong or missing,\n" +
			"itcp that of trajectories which are not perfect.\n",
		Examples: "mtt score\n" +
			"mtt score --gates 1.5,2,3 --png\n" +
			"mtt score runs/latest runs/greedy --format csv\n" +
			"mtt score --truth gt.txt --tracks result.txt\n",
		Options: o.BindAlone(),
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
	runs, err := runsToScore(ctx, s, o, args)
	if err != nil {
		return err
	}
	var all []task.Scored
	err = cli.EachInput(ctx, s, runs, func(ctx context.Context, dir string) error {
		folder, err := task.OpenRun(dir)
		if err != nil {
			return err
		}
		if o.Truth != "" || o.Tracks != "" {
			return scoreAgainst(ctx, s, o, folder)
		}
		one, err := task.ScoreOne(ctx, s, c, o, folder)
		if err != nil {
			return err
		}
		all = append(all, one)
		if len(runs) > 1 && s.Common.Format == "text" {
			return nil // one table in the end
		}
		return s.Out.Print(one.Record)
	})
	return errors.Join(err, combine(s, len(runs), all))
}

// runsToScore are the run folders that the arguments name: one that is made of them where they are files.
func runsToScore(ctx context.Context, s *cli.Session, o *task.ScoreOptions, args []string) ([]string, error) {
	files, err := task.AreFiles(args)
	if err != nil {
		return nil, err
	}
	if !files {
		return task.Runs(args)
	}
	if len(args) == 2 && task.HasTargets(args[0]) && task.HasTargets(args[1]) {
		return nil, cli.Usagef("%s and %s both have identities: which is the truth?", args[0], args[1]).
			Hinted("'mtt score --truth %[2]s --tracks %[1]s' compares the two, 'mtt track %[1]s %[2]s' tracks the first anew", args[0], args[1])
	}
	dir, err := task.RunOfFiles(ctx, s, args, o.Truth == "")
	return []string{dir}, err
}

// headlines are the scores of the table of several runs.
var headlines = []string{"run", "mota", "idf1", "hota", "mmep", "itcp", "gospa", "fp", "fn", "idsw", "frag", "tracks"}

// combine prints what several runs come to together: a row COMBINED for the sequences of
// each folder, pooled as if they were one scene, unless two of them are of one truth: then they are trackers
// side by side. In text the rows of all runs come first.
func combine(s *cli.Session, runs int, all []task.Scored) error {
	if runs < 2 || len(all) == 0 {
		return nil
	}
	var parents []string
	groups := make(map[string][]task.Scored)
	for _, one := range all {
		parent := filepath.Dir(filepath.Clean(one.Dir))
		if groups[parent] == nil {
			parents = append(parents, parent)
		}
		groups[parent] = append(groups[parent], one)
	}
	var rows []cli.Record
	for _, parent := range parents {
		group := groups[parent]
		truths := make(map[[sha256.Size]byte]bool)
		var reports []*metrics.Report
		for _, one := range group {
			rows = append(rows, one.Record)
			truths[one.Truth] = true
			reports = append(reports, one.Report)
		}
		if len(truths) < len(group) || len(group) < 2 {
			continue
		}
		sum, err := metrics.Merge(reports...)
		if err != nil {
			return err
		}
		name := "COMBINED"
		if len(parents) > 1 {
			name += " " + parent
		}
		r := cli.Record{{Key: "run", Value: name}}
		task.AddReport(&r, sum)
		rows = append(rows, r)
		if s.Common.Format != "text" {
			if err := s.Out.Print(r); err != nil {
				return err
			}
		}
	}
	if s.Common.Format != "text" {
		return nil
	}
	for i, r := range rows {
		var short cli.Record
		for _, key := range headlines {
			for _, f := range r {
				if f.Key == key {
					f.Note = ""
					short = append(short, f)
				}
			}
		}
		rows[i] = short
	}
	return s.Out.PrintRows(rows)
}

// scoreFiles scores the two files that were named.
func scoreFiles(ctx context.Context, s *cli.Session, o *task.ScoreOptions) error {
	truth, err := task.LoadTargets(ctx, s, o.Truth)
	if err != nil {
		return err
	}
	tracks, err := task.LoadFound(ctx, s, o.Tracks)
	if err != nil {
		return err
	}
	if truth.Unit != tracks.Unit && truth.Unit != "" && tracks.Unit != "" {
		return cli.BadInput(fmt.Errorf("%s is in %s, %s in %s: give both in one unit", o.Truth, truth.Unit, o.Tracks, tracks.Unit))
	}
	tracks.Align(truth)
	r := cli.Record{{Key: "truth", Value: o.Truth}, {Key: "tracks_file", Value: o.Tracks}}
	if err := task.ScoreTargets(ctx, s, o, &r, truth, tracks.Tracks); err != nil {
		return err
	}
	return s.Out.Print(r)
}

// scoreAgainst scores a run with the file of one side replaced; the folder stays
// as it is.
func scoreAgainst(ctx context.Context, s *cli.Session, o *task.ScoreOptions, folder *runfolder.Folder) error {
	sc, err := task.LoadScene(ctx, folder)
	if err != nil {
		return err
	}
	if err := task.Unchanged(folder); err != nil {
		return err
	}
	r := cli.Record{{Key: "run", Value: folder.Dir}}
	if o.Truth != "" {
		truth, err := task.LoadTargets(ctx, s, o.Truth)
		if err != nil {
			return err
		}
		tracks, err := task.TracksOf(ctx, s, folder, sc)
		if err != nil {
			return err
		}
		truth.Align(inRun(folder, sc, tracks))
		if err := task.ScoreTargets(ctx, s, o, &r, truth, tracks); err != nil {
			return err
		}
		return s.Out.Print(r)
	}
	tracks, err := task.LoadFound(ctx, s, o.Tracks)
	if err != nil {
		return err
	}
	if err := sc.NeedTruth(folder); err != nil {
		return err
	}
	tracks.Align(inRun(folder, sc, sc.Truth))
	report, err := task.AddScores(ctx, &r, sc.Truth, tracks.Tracks, &o.Options)
	task.TellDoubts(s, report)
	if err != nil {
		return err
	}
	return s.Out.Print(r)
}

// inRun are tracks of a run, to be aligned with those of a file.
func inRun(folder *runfolder.Folder, sc *task.Scene, tracks []mtt.Track) *dataset.Tracks {
	scans := &folder.Meta.Scans
	return dataset.TracksIn(tracks, sc.Scans, scans.Start, scans.Origin)
}
