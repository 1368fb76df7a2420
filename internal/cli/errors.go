package cli

// This file defines what can go wrong, as the caller of the process sees it:
// the exit statuses, and errors that carry one of them and a hint.

import (
	"context"
	"errors"
	"fmt"
)

// Exit statuses of the process, in ascending order of badness except that an
// interrupt beats them all.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitInfeasible  = 3
	ExitInterrupted = 130
)

// A Fault is an error with the exit status it deserves and, when we know what
// to try, a hint.
type Fault struct {
	Status int
	Err    error
	Hint   string
}

func (f *Fault) Error() string { return f.Err.Error() }

func (f *Fault) Unwrap() error { return f.Err }

// Usagef is bad usage: the command line, the environment or the configuration
// file is wrong.
func Usagef(format string, args ...any) *Fault {
	return &Fault{Status: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// BadInput marks err as the fault of an input file. A nil err stays nil, and an
// interrupt stays one.
func BadInput(err error) error {
	if err == nil || ExitStatus(err) != ExitFailed {
		return err
	}
	return &Fault{Status: ExitUsage, Err: err}
}

// Hinted adds a hint to a fault.
func (f *Fault) Hinted(format string, args ...any) *Fault {
	f.Hint = fmt.Sprintf(format, args...)
	return f
}

// HintOf is the hint that err carries, or "".
func HintOf(err error) string {
	var f *Fault
	if errors.As(err, &f) {
		return f.Hint
	}
	return ""
}

// ExitStatus is the exit status that err deserves.
func ExitStatus(err error) int {
	var f *Fault
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &f):
		return f.Status
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	}
	return ExitFailed
}

// A Failure is an error as one process sends it to another.
type Failure struct {
	Text   string `json:"text"`
	Status int    `json:"status"` // for the exit
	Hint   string `json:"hint,omitempty"`
}

// FailureOf is err to be sent; nil for nil.
func FailureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	return &Failure{err.Error(), ExitStatus(err), HintOf(err)}
}

// Err is the error that was sent, of which text, status and hint are left; nil for nil.
func (f *Failure) Err() error {
	if f == nil {
		return nil
	}
	return &Fault{Status: f.Status, Err: errors.New(f.Text), Hint: f.Hint}
}

// errReported is the outcome of several inputs whose errors have been printed
// one by one.
var errReported = errors.New("some inputs failed")

// EachInput calls do for every input, prints the error of those that fail and
// goes on with the rest, unless ctx ends. Its error carries the worst status.
func EachInput(ctx context.Context, s *Session, inputs []string, do func(ctx context.Context, input string) error) error {
	worst := ExitDone
	defer func() { s.input = "" }()
	for _, input := range inputs {
		if len(inputs) > 1 {
			s.input = input
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err := do(ctx, input)
		if errors.Is(err, context.Canceled) || err != nil && len(inputs) == 1 {
			return err
		}
		if err != nil {
			s.report(err)
			worst = max(worst, ExitStatus(err))
		}
	}
	if worst == ExitDone {
		return nil
	}
	return &Fault{Status: worst, Err: errReported}
}

// About is a message with the name of the input that it is about, where there are several.
func (s *Session) About(message string) string {
	if s.input == "" {
		return message
	}
	return s.input + ": " + message
}
