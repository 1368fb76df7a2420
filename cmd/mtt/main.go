package main

// This file is the process: signals, streams and the exit status. Everything
// else happens in run, which tests call too.

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(execute()) }

// execute runs the command on the streams of the process. The first interrupt
// cancels the context, so that what is finished can be kept; the second one
// meets the default handler and kills.
func execute() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr)
}
