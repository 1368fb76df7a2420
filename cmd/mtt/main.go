package main

// This file is the process: signals, streams and the exit status. Everything
// else happens in run, which tests call too.

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
)

func main() { os.Exit(execute()) }

// ballast is memory that nobody touches, which therefore takes none: because of it the collector,
// which waits until there is twice as much as was in use, begins at 32 MB and not at 4, and leaves
// the many small commands alone.
var ballast = make([]byte, 16<<20)

// patience is how long a command may take to end after the first interrupt, unless it
// is writing what was finished.
const patience = 3 * time.Second

// execute runs the command on the streams of the process. The first interrupt
// cancels the context, so that what is finished can be kept, and ends the process
// when that does not help: a command may hang in reading from a pipe. The second one
// meets the default handler and kills.
func execute() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer runtime.KeepAlive(ballast)
	task.Foresee()
	context.AfterFunc(ctx, stop)
	done := make(chan int, 1)
	go func() { done <- run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr) }()
	select {
	case status := <-done:
		return status
	case <-ctx.Done():
	}
	for end := time.Now().Add(patience); time.Now().Before(end) || runfolder.Writing(); {
		select {
		case status := <-done:
			return status
		case <-time.After(20 * time.Millisecond):
		}
	}
	fmt.Fprintln(os.Stderr, "mtt: interrupted")
	return cli.ExitInterrupted
}
