package main

// This file is "mtt merge": the shards of a sweep as one result.

import (
	"context"
	"fmt"
	"path/filepath"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/sweep"
)

// sweepFile is the result of a sweep: a row for each scene.
const sweepFile = "sweep.csv"

func newMergeCommand() *cli.Command {
	c := &cli.Command{
		Name:    "merge",
		Summary: "puts the shards of a sweep together: sweep.csv and a table",
		Args:    "[FOLDER…]",
		MaxArgs: -1,
		About: "Reads the shards that mtt sweep --shard left in the folders (default: " + sweepFolder + ") and\n" +
			"makes what mtt sweep would have made at once, to the byte.\n",
		Examples: "mtt sweep sweep.toml\n" +
			"mtt merge\n",
		OutUsage: "`FOLDER` for sweep.csv (default: the first FOLDER)",
	}
	c.Run = func(_ context.Context, s *cli.Session, args []string) error {
		if len(args) == 0 {
			args = []string{sweepFolder}
		}
		return mergeSweep(s, s.OutOr(args[0]), args)
	}
	return c
}

// mergeSweep merges the shards in the folders from, writes sweep.csv into dir and
// prints the table.
func mergeSweep(s *cli.Session, dir string, from []string) error {
	all, err := sweep.Gather(from)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, sweepFile)
	if err := runfolder.WriteFile(path, all.WriteCSV); err != nil {
		return err
	}
	failed, first := all.Failed()
	if failed > 0 {
		s.Log.Warn(first)
	}
	if err := s.Out.PrintRows(all.Table()); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d tasks failed; %s says why", failed, len(all.Rows), path)
	}
	return nil
}
