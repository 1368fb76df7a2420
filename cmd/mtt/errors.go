package main

// This file defines what can go wrong, as the caller of the process sees it:
// the exit statuses, and errors that carry one of them and a hint.

import (
	"context"
	"errors"
	"fmt"

	"mtt/mapsolver"
)

// Exit statuses of the process, in ascending order of badness except that an
// interrupt beats them all.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInfeasible  = 3
	exitInterrupted = 130
)

// A fault is an error with the exit status it deserves and, when we know what
// to try, a hint.
type fault struct {
	status int
	err    error
	hint   string
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// usagef is bad usage: the command line, the environment or the configuration
// file is wrong.
func usagef(format string, args ...any) *fault {
	return &fault{status: exitUsage, err: fmt.Errorf(format, args...)}
}

// badInput marks err as the fault of an input file. A nil err stays nil, and an
// interrupt stays one.
func badInput(err error) error {
	if err == nil || exitStatus(err) != exitFailed {
		return err
	}
	return &fault{status: exitUsage, err: err}
}

// hinted adds a hint to a fault.
func (f *fault) hinted(format string, args ...any) *fault {
	f.hint = fmt.Sprintf(format, args...)
	return f
}

// hintOf is the hint that err carries, or "".
func hintOf(err error) string {
	var f *fault
	if errors.As(err, &f) {
		return f.hint
	}
	return ""
}

// exitStatus is the exit status that err deserves.
func exitStatus(err error) int {
	var f *fault
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &f):
		return f.status
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, mapsolver.ErrInfeasible):
		return exitInfeasible
	}
	return exitFailed
}

// errReported is the outcome of several inputs whose errors have been printed
// one by one.
var errReported = errors.New("some inputs failed")

// eachInput calls do for every input, prints the error of those that fail and
// goes on with the rest, unless ctx ends. Its error carries the worst status.
func eachInput(ctx context.Context, s *session, inputs []string, do func(ctx context.Context, input string) error) error {
	worst := exitDone
	for _, input := range inputs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err := do(ctx, input)
		if errors.Is(err, context.Canceled) || err != nil && len(inputs) == 1 {
			return err
		}
		if err != nil {
			s.report(err)
			worst = max(worst, exitStatus(err))
		}
	}
	if worst == exitDone {
		return nil
	}
	return &fault{status: worst, err: errReported}
}
