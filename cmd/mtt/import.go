package main

// This file is "mtt import": real data, as a run folder.

import (
	"context"
	"time"

	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
)

func newImportCommand() *cli.Command {
	o := &task.ImportOptions{}
	about := "Reads one file, or one of detections and one of truth, plain or compressed by gzip or zstd,\n" +
		"- for standard input, and says what it understood. Of one file with identities the positions become\n" +
		"detections and the identities the truth. Of a FOLDER, each sequence of MOTChallenge in it\n" +
		"(det/det.txt, gt/gt.txt, seqinfo.ini), or else each table, or folder of\n" +
		"tables or YOLO labels of one frame each, becomes a run. The formats:\n\n"
	for _, f := range dataset.Formats() {
		about += "  " + f.Name + ": " + f.About + "\n"
	}
	c := &cli.Command{
		Name:     "import",
		Summary:  "makes a run folder of tracking data that other programs wrote",
		Args:     "FILE [TRUTH] | FOLDER…",
		MaxArgs:  -1,
		About:    about,
		Examples: "mtt import points.csv -o runs/points\nmtt import det.txt gt.txt -o runs/boxes --format json\nmtt import MOT -o runs/mot\n",
		OutUsage: "`FOLDER` to make (default: " + runfolder.Default + "; for the sequences of a FOLDER runs/NAME)",
		Options:  o.Bind(),
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error { return runImport(ctx, s, c, o, args) }
	return c
}

func runImport(ctx context.Context, s *cli.Session, c *cli.Command, o *task.ImportOptions, files []string) error {
	if len(files) == 0 {
		return cli.Usagef("name a file to import").Hinted("usage: %s", c.UsageLine())
	}
	if task.AreFolders(files) {
		return task.EachSequence(ctx, s, files, func(seq task.Sequence) error { return importOne(ctx, s, c, o, seq.Files) })
	}
	if len(files) > 2 {
		return cli.Usagef("%d files are given; one, or one of detections and one of truth, make a run", len(files))
	}
	return importOne(ctx, s, c, o, files)
}

// importOne makes one run.
func importOne(ctx context.Context, s *cli.Session, c *cli.Command, o *task.ImportOptions, files []string) error {
	start := time.Now()
	folder, sc, data, err := task.Import(ctx, s, c, o, files, nil)
	if err != nil {
		return err
	}
	if err := task.Finish(folder, nil); err != nil {
		return err
	}
	r := cli.Record{{Key: "run", Value: folder.Dir}}
	sc.Counts(&r)
	r.Add("read_as", data.Format)
	r.Add("unit", data.Unit)
	r.Add("interval", data.Interval)
	r.Add("understood", data.Notes)
	r.Add("seconds", time.Since(start).Seconds())
	return s.Out.Print(r)
}
