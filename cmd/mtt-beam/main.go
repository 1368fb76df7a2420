package main

// This file is the process: the command, or one of the workers that a runner starts.

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/solvers"
)

func main() {
	if isWorker(os.Args) {
		flag.Parse() // the flags of Beam, which runners know
		beam.Init()  // works until it is ended
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process
	os.Exit(run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// isWorker says whether a runner started the process.
func isWorker(args []string) bool {
	return len(args) > 1 && (args[1] == "--worker" || args[1] == "--worker=true")
}

// run executes one command line, args[0] being the program's name, and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	program := &cli.App{
		Name:     "mtt-beam",
		Summary:  "runs sweeps, assignment problems and recordings of mtt on many machines, by Apache Beam",
		Commands: newCommands,
		Write:    runfolder.WriteFile,
	}
	status := program.Run(ctx, args, stdin, stdout, stderr)
	for _, err := range solvers.Warnings() {
		fmt.Fprintln(stderr, "mtt-beam:", err)
	}
	return status
}

// newCommands makes every command for one run.
func newCommands() []*cli.Command {
	return []*cli.Command{
		newSweepCommand(),
		newLapCommand(),
		newTrackCommand(),
		cli.CompletionCommand("mtt-beam"),
	}
}
