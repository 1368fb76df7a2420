package task

// This file imports real data.

import (
	"context"
	"maps"
	"math"
	"slices"

	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/version"
)

// ImportOptions say how to read the files.
type ImportOptions struct {
	dataset.Options
}

// Bind makes the options that set o.
func (o *ImportOptions) Bind() []cli.Option {
	o.Format, o.Overlap = "auto", 0.5
	formats := []string{"auto"}
	for _, f := range dataset.Formats() {
		formats = append(formats, f.Name)
	}
	inf := math.Inf(1)
	return []cli.Option{
		cli.Choice(&o.Format, "as", formats, "`FORMAT` of the files: auto takes the one that fits; the others are listed above"),
		cli.NumberOr(&o.Every, "every", "auto", 0, 1, inf, "`K`: keep every K-th frame; for ais, seconds from one frame to the next; auto: all, or 10 s").Formerly("0", "auto"),
		cli.NumberOr(&o.DT, "dt", "auto", 0, cli.AboveZero, inf, "`T` in s from one frame of the file to the next, or auto: what the format says, or 1").Formerly("0", "auto"),
		cli.Text(&o.Units, "unit", "`UNIT` of the positions of a points file: mm, cm, m or km become metres, others stay"),
		cli.Number(&o.Noise, "noise", 0, inf, "`SIGMA` of Gaussian noise that is added to each coordinate of a detection, in the unit of the result"),
		cli.Boolean(&o.NoVelocity, "no-velocity", "leave velocities out"),
		cli.Number(&o.Overlap, "overlap", cli.AboveZero, 1, "`SHARE` up to 1, the least overlap of a detected box with its target").Formerly("0", "0.5"),
		cli.NumberOr(&o.Reach, "reach", "none", 0, cli.AboveZero, inf, "`D`, the greatest distance of a detected point from its target, in the unit of the result; none: points are not matched").Formerly("0", "none"),
	}
}

// Import makes a run folder of the files.
func Import(ctx context.Context, s *cli.Session, c *cli.Command, o *ImportOptions, files []string) (*runfolder.Folder, *Scene, *dataset.Data, error) {
	o.Seed = s.Common.Seed
	for _, name := range files {
		if err := CheckFile(name); err != nil {
			return nil, nil, nil, err
		}
	}
	data, err := dataset.Read(files, &o.Options)
	if err != nil {
		return nil, nil, nil, cli.BadInput(err)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, nil, err
	}
	sc := &Scene{Scans: data.Scans, Rows: data.Rows, Truth: data.Truth}
	folder, err := sc.save(s.OutOr(runfolder.Default), &runfolder.Meta{
		Version: version.Version, Command: c.Name, Seed: o.Seed, Inputs: files,
		Scans:   scansTable(data, o.Noise),
		Options: map[string]map[string]any{c.Name: usedOptions(c)},
	})
	return folder, sc, data, err
}

// scansTable is the table [scans] of imported data.
func scansTable(data *dataset.Data, noise float64) runfolder.Scans {
	t := runfolder.Scans{
		Step: 1, Count: len(data.Scans), Interval: data.Interval, Dim: 2, Unit: data.Unit,
	}
	t.Start, t.Uneven, t.Scale = data.Start, data.Uneven, data.Scale
	if data.Origin != nil {
		t.Origin = data.Origin[:]
	}
	if data.Image[0] > 0 {
		t.Image = data.Image[:]
	}
	empty := dataset.EmptyTimes(data.Scans)
	for _, frame := range slices.Sorted(maps.Keys(empty)) {
		t.EmptyFrames = append(t.EmptyFrames, frame)
		t.EmptyTimes = append(t.EmptyTimes, empty[frame])
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
