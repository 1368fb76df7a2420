package main

// This file is "mtt import": real data, as a run folder.

import (
	"context"
	"math"
	"time"

	"mtt/dataset"
	"mtt/internal/runfolder"
)

// importOptions say how to read the files.
type importOptions struct {
	dataset.Options
}

// bind makes the options that set o.
func (o *importOptions) bind() []option {
	o.Format = "auto"
	formats := []string{"auto"}
	for _, f := range dataset.Formats() {
		formats = append(formats, f.Name)
	}
	inf := math.Inf(1)
	return []option{
		choice(&o.Format, "as", formats, "`FORMAT` of the files: auto takes the one that fits; the others are listed above"),
		number(&o.Every, "every", 0, inf, "`K`: keep every K-th frame; for ais, seconds from one frame to the next; 0 for all, or 10 s"),
		number(&o.DT, "dt", 0, inf, "`T` in s from one frame of the file to the next; 0 for what the format says, or 1"),
		text(&o.Unit, "unit", "`UNIT` of the positions of a points file: mm, cm, m or km become metres, others stay"),
		number(&o.Noise, "noise", 0, inf, "`SIGMA`: add Gaussian noise to each coordinate of a detection, in the unit of the result"),
		boolean(&o.NoVelocity, "no-velocity", "leave velocities out"),
		number(&o.Overlap, "overlap", 0, 1, "`SHARE` 0…1, the least overlap of a detected box with its target; 0 for 0.5"),
		number(&o.Reach, "reach", 0, inf, "`D`, the greatest distance of a detected point from its target, in the unit of the result; 0 for none"),
	}
}

func newImportCommand() *command {
	c, _ := bindImport()
	return c
}

// bindImport makes the command together with the options that its flags set.
func bindImport() (*command, *importOptions) {
	o := &importOptions{}
	about := "Reads one file, or one of detections and one of truth, plain or compressed with gzip,\n" +
		"and says what it understood. Of one file with identities the positions become\n" +
		"detections and the identities the truth. The formats:\n\n"
	for _, f := range dataset.Formats() {
		about += "  " + f.Name + ": " + f.About + "\n"
	}
	c := &command{
		name:     "import",
		summary:  "makes a run folder of tracking data that other programs wrote",
		args:     "FILE [TRUTH]",
		maxArgs:  2,
		about:    about,
		examples: "mtt import points.csv -o runs/points\nmtt import det.txt gt.txt -o runs/boxes --format json\n",
		outUsage: "`FOLDER` to make (default: " + runfolder.Default + ")",
		options:  o.bind(),
	}
	c.run = func(ctx context.Context, s *session, args []string) error { return runImport(ctx, s, c, o, args) }
	return c, o
}

func runImport(ctx context.Context, s *session, c *command, o *importOptions, files []string) error {
	if len(files) == 0 {
		return usagef("name a file to import").hinted("usage: %s", usageLine(c))
	}
	start := time.Now()
	folder, sc, data, err := importFiles(ctx, s, c, o, files)
	if err != nil {
		return err
	}
	r := record{{key: "run", value: folder.Dir}}
	sc.counts(&r)
	r.add("read_as", data.Format)
	r.add("unit", data.Unit)
	r.add("interval", data.Interval)
	r.add("understood", data.Notes)
	r.add("seconds", time.Since(start).Seconds())
	return s.out.print(r)
}

// importFiles makes a run folder of the files.
func importFiles(ctx context.Context, s *session, c *command, o *importOptions, files []string) (*runfolder.Folder, *scene, *dataset.Data, error) {
	o.Seed = s.common.Seed
	for _, name := range files {
		if err := checkFile(name); err != nil {
			return nil, nil, nil, err
		}
	}
	data, err := dataset.Read(files, &o.Options)
	if err != nil {
		return nil, nil, nil, badInput(err)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, nil, err
	}
	sc := &scene{scans: data.Scans, truth: data.Truth}
	folder, err := sc.save(s.outOr(runfolder.Default), &runfolder.Meta{
		Version: version, Command: c.name, Seed: o.Seed, Inputs: files,
		Scans:   scansTable(data, o.Noise),
		Options: map[string]map[string]any{c.name: usedOptions(c)},
	})
	return folder, sc, data, err
}

// scansTable is the table [scans] of imported data.
func scansTable(data *dataset.Data, noise float64) runfolder.Scans {
	t := runfolder.Scans{
		Step: 1, Count: len(data.Scans), Interval: data.Interval, Dim: 2, Unit: data.Unit,
	}
	if noise > 0 {
		t.Noise = &noise
	}
	for i := range data.Scans {
		if d := data.Scans[i].Dim; d != 0 {
			t.Dim = d
			break
		}
	}
	if len(data.Scans) > 0 {
		t.First = data.Scans[0].Frame
	}
	if len(data.Scans) > 1 {
		t.Step = data.Scans[1].Frame - data.Scans[0].Frame
	}
	return t
}
