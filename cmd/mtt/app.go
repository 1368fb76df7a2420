package main

// This file is the only one that knows the command-line package: it turns our
// commands and options into its types and runs them.

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// A command is one subcommand. Its options are bound to the options struct that
// run reads, so a command is made anew for every run.
type command struct {
	name     string
	summary  string // one line, lower case
	args     string // how the arguments are written, such as "[RUN]"
	maxArgs  int    // -1: any number
	about    string // paragraphs
	examples string // one command line each; tests run them
	outUsage string // what --out names; "" for a file that takes the results instead of standard output
	options  []option
	run      func(ctx context.Context, s *session, args []string) error
}

// outText is the usage of --out.
func (c *command) outText() string {
	if c.outUsage == "" {
		return "`FILE` for the results instead of standard output"
	}
	return c.outUsage
}

// newCommands makes every command for one run of s.
func newCommands(s *session) []*command {
	commands := []*command{
		newRunCommand(),
		newSimulateCommand(),
		newImportCommand(),
		newCostsCommand(),
		newTrackCommand(),
		newVerifyCommand(),
		newScoreCommand(),
		newReportCommand(),
		newLapCommand(),
		newPMBMCommand(),
		newSweepCommand(),
		newMergeCommand(),
		newBenchCommand(),
		newReproduceCommand(),
		newSolversCommand(),
		newVersionCommand(),
		newCompletionCommand(),
	}
	for _, c := range commands {
		c.options = append(c.options, s.common.options(c)...)
	}
	return commands
}

// run executes one command line, args[0] being the program's name, and returns
// the exit status. It uses nothing of the process but what it is given, the
// environment and the working directory.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := newSession(args, stdin, stdout, stderr)
	return s.guard(func() error { return s.dispatch(ctx) })
}

// guard calls do, reports its error or panic, and returns the exit status.
func (s *session) guard(do func() error) (status int) {
	defer func() {
		if p := recover(); p != nil {
			s.report(&fault{
				status: exitFailed,
				err:    fmt.Errorf("internal error: %v", p),
				hint:   "this is a bug of mtt; please report the command line and these lines",
			})
			s.stderr.Write(debug.Stack())
			status = exitFailed
		}
	}()
	err := do()
	if err != nil {
		s.report(err)
	}
	return exitStatus(err)
}

// dispatch finds the command of s.args and runs it.
func (s *session) dispatch(ctx context.Context) error {
	commands := newCommands(s)
	line, err := arrange(s.args[1:], commands)
	if err != nil {
		return err
	}
	app := &cli.App{
		Name:                  "mtt",
		HelpName:              "mtt",
		Usage:                 "tracks many targets at once: which detections belong together?",
		Commands:              make([]*cli.Command, len(commands)),
		HideVersion:           true,
		HideHelpCommand:       true,
		EnableBashCompletion:  true,
		Reader:                s.stdin,
		Writer:                s.stdout,
		ErrWriter:             s.stderr,
		ExitErrHandler:        func(*cli.Context, error) {},
		CustomAppHelpTemplate: appHelp(commands),
	}
	for i, c := range commands {
		app.Commands[i] = s.adapt(c, commands)
	}
	return app.RunContext(ctx, append(s.args[:1:1], line...))
}

// adapt turns c into a command of the command-line package. Its action reads
// the environment and the configuration file, checks the arguments, and runs c.
func (s *session) adapt(c *command, commands []*command) *cli.Command {
	adapted := &cli.Command{
		Name:               c.name,
		Usage:              c.summary,
		ArgsUsage:          c.args,
		Description:        c.about,
		HideHelpCommand:    true,
		CustomHelpTemplate: commandHelp(c),
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return err
		},
		Action: func(x *cli.Context) error {
			if err := s.fill(c, commands, givenOn(x)); err != nil {
				return err
			}
			s.configure()
			s.warnEnvironment(commands)
			args := x.Args().Slice()
			if c.maxArgs >= 0 && len(args) > c.maxArgs {
				return usagef("unexpected argument %q", args[c.maxArgs]).
					hinted("usage: %s", usageLine(c))
			}
			return s.start(x.Context, c, args)
		},
	}
	for i := range c.options {
		adapted.Flags = append(adapted.Flags, adaptOption(&c.options[i]))
	}
	return adapted
}

// adaptOption turns o into a flag of the command-line package, which only carries
// the text: fill parses it, and help.go explains it.
func adaptOption(o *option) cli.Flag {
	var aliases []string
	if o.alias != "" {
		aliases = []string{o.alias}
	}
	if o.isBool {
		return &cli.BoolFlag{Name: o.name, Aliases: aliases}
	}
	return &cli.StringFlag{Name: o.name, Aliases: aliases}
}

// givenOn looks up the text of an option on the command line.
func givenOn(x *cli.Context) func(o *option) (string, bool) {
	return func(o *option) (string, bool) {
		if o.isBool {
			return fmt.Sprint(x.Bool(o.name)), x.IsSet(o.name)
		}
		return x.String(o.name), x.IsSet(o.name)
	}
}
