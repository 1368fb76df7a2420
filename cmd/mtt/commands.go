package main

// This file lists the commands.

import (
	"context"
	"fmt"
	"io"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/solvers"
)

// program is mtt with all its commands.
func program() *cli.App {
	return &cli.App{
		Name:      "mtt",
		Summary:   "tracks many targets at once: which detections belong together?",
		Commands:  newCommands,
		Keys:      runfolder.Keys,
		Variables: []string{"MTT_SHARED", "MTT_PROGRAM"}, // those are for our tests and for the Python package
		Write:     runfolder.WriteFile,
		Files:     runfolder.Files,
	}
}

// newCommands makes every command for one run.
//
// The files of the commands look alike: each declares name, summary, arguments, help and
// options in that order, and what it does follows. They share nothing but that form.
func newCommands() []*cli.Command {
	return []*cli.Command{
		newRunCommand(),
		newSimulateCommand(),
		newImportCommand(),
		newCostsCommand(),
		newTrackCommand(),
		newStreamCommand(),
		newVerifyCommand(),
		newExplainCommand(),
		newScoreCommand(),
		newReportCommand(),
		newExportCommand(),
		newPageCommand(),
		newLapCommand(),
		newPMBMCommand(),
		newSweepCommand(),
		newMergeCommand(),
		newBenchCommand(),
		newReproduceCommand(),
		newSolversCommand(),
		newVersionCommand(),
		cli.CompletionCommand("mtt"),
	}
}

// run executes one command line, args[0] being the program's name, and returns
// the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	status := program().Run(ctx, args, stdin, stdout, stderr)
	for _, err := range solvers.Warnings() {
		fmt.Fprintln(stderr, "mtt:", err)
	}
	return status
}
