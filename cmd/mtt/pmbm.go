package main

// This file is "mtt pmbm": online tracking by the Poisson multi-Bernoulli mixture
// filter, and the assignment problems that it poses.

import (
	"context"
	"strconv"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
)

func newPMBMCommand() *cli.Command {
	o := &task.PMBMOptions{}
	from := &task.ImportOptions{}
	c := &cli.Command{
		Name:    "pmbm",
		Summary: "tracks online with a Poisson multi-Bernoulli mixture filter; keeps its assignment problems",
		Args:    "[RUN|FILE…]",
		MaxArgs: 2,
		About: "Filters the detections of a run folder frame by frame: births, deaths, misses and false\n" +
			"alarms, with a probability of existence for each target. Writes tracks.csv,\n" +
			"estimates.csv (what was reported in each frame), pmbm.json and figures into it. What\n" +
			"the run folder does not say about noise and rates is estimated from the data. A FILE (- for\n" +
			"standard input), with another that has its truth or without, is imported first, as by mtt track.\n\n" +
			"Without RUN a scene is simulated: targets all over a square of 100 m for each, noise\n" +
			"1 m, one detection in ten missed, half a false alarm for each target; only -o writes it.\n\n" +
			"problems counts the assignment problems posed: those of global hypotheses and the\n" +
			"cells of their partitions by Murty; solved, those that took a search. With --dump-lap\n" +
			"every cell is posed and solved, as by Murty's plain algorithm; sizes and density are\n" +
			"those of the layout with one column for each new target. estimated is the share of\n" +
			"targets, in the last ten frames, with an estimate within the cut-off; seconds are those of the\n" +
			"filter, after what nobody said was estimated.\n",
		Examples: "mtt pmbm --targets 20 --frames 20\n" +
			"mtt pmbm --targets 10 --frames 10 --dump-lap laps --format json\n" +
			"mtt simulate --scene drift --spread 20 --noise 0.5 --miss 0.1 --clutter 10 --targets 20 --frames 20\n" +
			"mtt pmbm runs/latest -o runs/pmbm\n" +
			"mtt pmbm points.csv -o runs/points\n",
		OutUsage: "`FOLDER` for the scene and its tracks (default: RUN; for a FILE " + runfolder.Default + "; without either nothing is written)",
		Options:  append(o.Bind(), from.BindReading()...),
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error {
		return runPMBM(ctx, s, c, o, from, args)
	}
	return c
}

func runPMBM(ctx context.Context, s *cli.Session, c *cli.Command, o *task.PMBMOptions, from *task.ImportOptions, args []string) error {
	formats, err := task.ParseDumpFormats(o.DumpAs)
	if err != nil {
		return err
	}
	folder, sc, options, err := o.Scene(ctx, s, c, from, args)
	if err != nil {
		return err
	}
	if folder != nil {
		defer folder.Discard()
	}
	for i, gate := range o.Gates {
		options.Gate = gate
		name := "problems"
		if len(o.Gates) > 1 {
			name = "gate-" + strconv.FormatFloat(gate, 'g', -1, 64)
		}
		run, err := task.FilterScene(ctx, s, o, sc, options, name, formats)
		if folder != nil && i == 0 {
			if err == nil {
				err = run.Save(s, c, o, folder, sc)
			}
			err = task.Finish(folder, err)
		}
		if err != nil {
			return err
		}
		if err := s.Out.Print(append(run.Record, run.Times...)); err != nil {
			return err
		}
	}
	return nil
}
