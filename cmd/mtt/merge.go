package main

// This file is "mtt merge": the shards of a sweep as one result.

import (
	"context"

	"mtt/internal/cli"
	"mtt/internal/sweep"
)

func newMergeCommand() *cli.Command {
	c := &cli.Command{
		Name:    "merge",
		Summary: "puts the shards of a sweep together: sweep.csv and a table",
		Args:    "[FOLDER…]",
		MaxArgs: -1,
		About: "Reads the shards that mtt sweep --shard left in the folders (default: " + sweep.Folder + ") and\n" +
			"makes what mtt sweep would have made at once, to the byte.\n",
		Examples: "mtt sweep sweep.toml\n" +
			"mtt merge\n",
		OutUsage: "`FOLDER` for sweep.csv (default: the first FOLDER)",
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error {
		if len(args) == 0 {
			args = []string{sweep.Folder}
		}
		return sweep.Merge(ctx, s, s.OutOr(args[0]), args)
	}
	return c
}
