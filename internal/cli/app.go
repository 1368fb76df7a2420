package cli

// This file is the only one that knows the command-line package: it turns
// commands and options into its types and runs them.

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/urfave/cli/v2"
)

// An App is a program of subcommands.
type App struct {
	Name      string            // of the program, such as mtt
	Summary   string            // one line, lower case
	Commands  func() []*Command // makes every command for one run
	Keys      []string          // of configuration files, at their top, that set no option
	Variables []string          // of the environment, in the style of options, that set none

	// Write writes the file of --out; it keeps the old one until the new one is whole.
	Write func(path string, write func(io.Writer) error) error

	// Files lists what arguments are made of that are folders, or what is taken where there are
	// none: --out may be none of it. nil: they are not looked into.
	Files func(args []string) []string
}

// A Command is one subcommand. Its options are bound to the options struct that
// run reads, so a command is made anew for every run.
type Command struct {
	Name     string
	Summary  string // one line, lower case
	Args     string // how the arguments are written, such as "[RUN]"
	MaxArgs  int    // -1: any number
	About    string // paragraphs
	Examples string // one command line each; tests run them
	OutUsage string // what --out names; "" for a file that takes the results instead of standard output
	Options  []Option
	Run      func(ctx context.Context, s *Session, args []string) error
	program  string // whose command it is; set by the app
}

// outText is the usage of --out.
func (c *Command) outText() string {
	if c.OutUsage == "" {
		return "`FILE` for the results instead of standard output"
	}
	return c.OutUsage
}

// List makes every command for one run of s, with the options of every command.
func (a *App) List(s *Session) []*Command {
	commands := a.Commands()
	for _, c := range commands {
		c.program = a.Name
		c.Options = append(c.Options, s.Common.options(c)...)
	}
	return commands
}

// Run executes one command line, args[0] being the program's name, and returns
// the exit status. It uses nothing of the process but what it is given, the
// environment and the working directory.
func (a *App) Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := NewSession(a, args, stdin, stdout, stderr)
	return s.guard(func() error { return s.dispatch(ctx) })
}

// guard calls do, reports its error or panic, and returns the exit status.
func (s *Session) guard(do func() error) (status int) {
	defer func() {
		if p := recover(); p != nil {
			s.report(&Fault{
				Status: ExitFailed,
				Err:    fmt.Errorf("internal error: %v", p),
				Hint:   "this is a bug of " + s.app.Name + "; please report the command line and these lines",
			})
			s.stderr.Write(debug.Stack())
			status = ExitFailed
		}
	}()
	err := do()
	if err != nil {
		s.report(err)
	}
	return ExitStatus(err)
}

// dispatch finds the command of s.args and runs it.
func (s *Session) dispatch(ctx context.Context) error {
	commands := s.app.List(s)
	if words, ok := complete(s.args[1:], commands); ok {
		_, err := io.WriteString(s.stdout, words)
		return err
	}
	line, err := arrange(s.app.Name, s.args[1:], commands)
	if err != nil {
		return err
	}
	adapted := &cli.App{
		Name:                  s.app.Name,
		HelpName:              s.app.Name,
		Usage:                 s.app.Summary,
		Commands:              make([]*cli.Command, len(commands)),
		HideVersion:           true,
		HideHelpCommand:       true,
		EnableBashCompletion:  true,
		Reader:                s.Stdin,
		Writer:                s.stdout,
		ErrWriter:             s.stderr,
		ExitErrHandler:        func(*cli.Context, error) {},
		CustomAppHelpTemplate: appHelp(s.app.Name, commands),
	}
	help := slices.Contains(line, "--help")
	for i, c := range commands {
		if adapted.Commands[i] = s.adapt(c, commands); help { // else nobody reads what is a tenth of the work of beginning
			adapted.Commands[i].CustomHelpTemplate = commandHelp(c)
		}
	}
	return adapted.RunContext(ctx, append(s.args[:1:1], line...))
}

// adapt turns c into a command of the command-line package. Its action reads
// the environment and the configuration file, checks the arguments, and runs c.
func (s *Session) adapt(c *Command, commands []*Command) *cli.Command {
	adapted := &cli.Command{
		Name:            c.Name,
		Usage:           c.Summary,
		ArgsUsage:       c.Args,
		Description:     c.About,
		HideHelpCommand: true,
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
			if c.MaxArgs >= 0 && len(args) > c.MaxArgs {
				return Usagef("unexpected argument %q", args[c.MaxArgs]).
					Hinted("usage: %s", c.UsageLine())
			}
			return s.start(x.Context, c, args)
		},
	}
	for i := range c.Options {
		adapted.Flags = append(adapted.Flags, adaptOption(&c.Options[i]))
	}
	return adapted
}

// adaptOption turns o into a flag of the command-line package, which only carries
// the text: fill parses it, and help.go explains it.
func adaptOption(o *Option) cli.Flag {
	var aliases []string
	if o.alias != "" {
		aliases = []string{o.alias}
	}
	if o.IsBool {
		return &cli.BoolFlag{Name: o.Name, Aliases: aliases}
	}
	return &cli.StringFlag{Name: o.Name, Aliases: aliases}
}

// givenOn looks up the text of an option on the command line.
func givenOn(x *cli.Context) func(o *Option) (string, bool) {
	return func(o *Option) (string, bool) {
		if o.IsBool {
			return fmt.Sprint(x.Bool(o.Name)), x.IsSet(o.Name)
		}
		return x.String(o.Name), x.IsSet(o.Name)
	}
}
