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
		"detections and the identities the truth. The formats:\n\n"
	for _, f := range dataset.Formats() {
		about += "  " + f.Name + ": " + f.About + "\n"
	}
	c := &cli.Command{
		Name:     "import",
		Summary:  "makes a run folder of tracking data that other programs wrote",
		Args:     "FILE [TRUTH]",
		MaxArgs:  2,
		About:    about,
		Examples: "mtt import points.csv -o runs/points\nmtt import det.txt gt.txt -o runs/boxes --format json\n",
		OutUsage: "`FOLDER` to make (default: " + runfolder.Default + ")",
		Options:  o.Bind(),
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error { return runImport(ctx, s, c, o, args) }
	return c
}

func runImport(ctx context.Context, s *cli.Session, c *cli.Command, o *task.ImportOptions, files []string) error {
	if len(files) == 0 {
		return cli.Usagef("name a file to import").Hinted("usage: %s", c.UsageLine())
	}
	start := time.Now()
	folder, sc, data, err := task.Import(ctx, s, c, o, files)
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
