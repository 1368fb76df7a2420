package main

// This file is "mtt explain": what might a detection do instead, and at which price?

import (
	"context"
	"strconv"

	"mtt/internal/cli"
	"mtt/internal/task"
)

func newExplainCommand() *cli.Command {
	return &cli.Command{
		Name:    "explain",
		Summary: "lists what a detection might do instead, and at which price",
		Args:    "RUN FRAME DET",
		MaxArgs: 3,
		About: "For detection DET, counted from 0, of frame FRAME of a tracked run: everything that may be\n" +
			"before and after it, the cheapest first. least and most bound how much more than the answer\n" +
			"of the certificate the best answer costs that has it; what is chosen costs 0 more. Everything\n" +
			"else is free to change along. Where tracks were refined, they may have another link than the\n" +
			"one that is chosen here.\n",
		Examples: "mtt explain runs/latest 3 0\n",
		Run: func(ctx context.Context, s *cli.Session, args []string) error {
			return runExplain(ctx, s, args)
		},
	}
}

func runExplain(ctx context.Context, s *cli.Session, args []string) error {
	if len(args) < 3 {
		return cli.Usagef("want RUN FRAME DET, such as runs/latest 3 0")
	}
	var at [2]int
	for k, word := range args[1:] {
		n, err := strconv.Atoi(word)
		if err != nil {
			return cli.Usagef("%s is not a number: want RUN FRAME DET", word)
		}
		at[k] = n
	}
	folder, err := task.OpenRun(args[0])
	if err != nil {
		return err
	}
	rows, err := cli.Await(ctx, func() ([]cli.Record, error) { return task.Explain(ctx, folder, at[0], at[1], s.Common.Workers) })
	if err != nil {
		return err
	}
	return s.Out.PrintRows(rows)
}
