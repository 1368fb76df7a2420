package main

// This file is "mtt costs": the gated pair and triplet costs of a scene, for
// other programs.

import (
	"context"
	"slices"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
)

func newCostsCommand() *cli.Command {
	o := task.NewTrackOptions()
	c := &cli.Command{
		Name:    "costs",
		Summary: "writes the gated costs of a run as costs.npz, for numpy.load",
		Args:    "[RUN]",
		MaxArgs: 1,
		About: "Gates and prices the detections of a run folder (default: " + runfolder.Default + ") as mtt track\n" +
			"would, and writes the arrays of costs.npz into it. T frames hold N detections in all;\n" +
			"A arcs join detections of consecutive frames, and two arcs at a detection make a triplet:\n\n" +
			"  frame[T], node_ptr[T+1]     frame numbers; detections of frame t are nodes node_ptr[t]…\n" +
			"  gap_ptr[T]                  arcs between frames t and t+1 are gap_ptr[t]…gap_ptr[t+1]-1\n" +
			"  row_ptr[N+1]                arcs that leave node n are row_ptr[n]…row_ptr[n+1]-1\n" +
			"  row[A], col[A]              det of both ends, columns ascending in each row\n" +
			"  pair_cost[A], start_cost[A] of the arc; and extra when it is the first of its track\n" +
			"  triplet_ptr[A+1]            triplets that begin with arc a are triplet_ptr[a]…\n" +
			"  triplet_i, _j, _k, _frame   det in the three frames, and the number of the first frame\n" +
			"  triplet_cost                of both links, beside the pair costs\n",
		Examples: "mtt costs\nmtt costs --gate disc:3 --cost trapezoid --format json\n",
		OutUsage: "`FILE` for the arrays (default: costs.npz in the run folder)",
	}
	for _, option := range o.Bind() {
		if !slices.Contains([]string{"engine", "lap", "device", "max-rounds", "gap", "no-refine", "max-misses"}, option.Name) {
			c.Options = append(c.Options, option)
		}
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error { return runCosts(ctx, s, o, args) }
	return c
}

func runCosts(ctx context.Context, s *cli.Session, o *task.TrackOptions, args []string) error {
	dir := runfolder.Default
	if len(args) > 0 {
		dir = args[0]
	}
	folder, err := task.OpenRun(dir)
	if err != nil {
		return err
	}
	sc, err := task.LoadScene(ctx, folder)
	if err != nil {
		return err
	}
	if err := task.Unchanged(folder); err != nil {
		return err
	}
	r, err := task.WriteCosts(ctx, s, o, folder, sc, s.Common.Out)
	if err != nil {
		return err
	}
	return s.Out.Print(append(cli.Record{{Key: "run", Value: folder.Dir}}, r...))
}
