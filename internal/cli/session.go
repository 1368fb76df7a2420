package cli

// This file defines the session: the streams and common options of one run of
// the command, its messages, and its profiles.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"

	"golang.org/x/term"

	"mtt/internal/shell"
)

// A Session is one run of the command.
type Session struct {
	app    *App
	args   []string  // as typed, the program's name first
	Stdin  io.Reader // standard input
	stdout io.Writer
	stderr io.Writer
	Common CommonOptions
	Log    *slog.Logger
	input  string // the one at hand of several; "" for one
	Out    *Printer
	Resume [2]string // option, and its value, with which an interrupted command can go on; "": as it was called
	Passed bool      // what was read of standard input is gone: an interrupted command does not go on
}

// CommonOptions are the options of every command.
type CommonOptions struct {
	Seed       uint64
	Workers    int    // 0: all cores
	Format     string // text, json or csv
	Out        string // what it names is the command's affair
	Config     string // file
	Quiet      bool
	Log        string // text or json
	CPUProfile string // file
	Trace      string // file
}

// NewSession prepares a run of one command of a, with the defaults of the options of
// every command; args[0] is the name of the program. It makes no use of the process.
func NewSession(a *App, args []string, stdin io.Reader, stdout, stderr io.Writer) *Session {
	s := &Session{app: a, args: args, Stdin: stdin, stdout: stdout, stderr: stderr}
	s.Common = CommonOptions{Seed: 1, Format: "text", Log: "text"}
	s.configure()
	return s
}

// mostWorkers is the greatest number of threads: each takes memory of its own, a million of them
// all there is.
const mostWorkers = 1024

// options binds the common options for c.
func (o *CommonOptions) options(c *Command) []Option {
	out := Text(&o.Out, "out", c.outText())
	out.alias = "o"
	list := []Option{
		Number(&o.Seed, "seed", 0, 1e18, "`N`, the seed of everything random"),
		NumberOr(&o.Workers, "workers", "all", 0, 0, mostWorkers, "`N` threads at most, or all: one for each core; results do not depend on it"),
		Choice(&o.Format, "format", []string{"text", "json", "csv"}, "`FORM` of the results: text, json (one object on one line) or csv"),
		out,
		Text(&o.Config, "config", "`FILE` in TOML with values for options"),
		Boolean(&o.Quiet, "quiet", "no progress and no notes on standard error, only warnings and errors"),
		Choice(&o.Log, "log", []string{"text", "json"}, "`FORM` of the messages on standard error: text or json"),
		Text(&o.CPUProfile, "cpuprofile", "`FILE` for a CPU profile, read by go tool pprof"),
		Text(&o.Trace, "trace", "`FILE` for an execution trace, read by go tool trace"),
	}
	for i := range list {
		list[i].Common = true
	}
	return list
}

// configure prepares messages and results as the common options say.
func (s *Session) configure() {
	level := slog.LevelInfo
	if s.Common.Quiet {
		level = slog.LevelWarn
	}
	if s.Common.Log == "json" {
		s.Log = slog.New(slog.NewJSONHandler(s.stderr, &slog.HandlerOptions{Level: level, ReplaceAttr: withoutTime}))
	} else {
		s.Log = slog.New(&messageHandler{program: s.app.Name, w: s.stderr, level: level})
	}
	s.Out = &Printer{W: s.stdout, Format: s.Common.Format}
}

// start runs c, whose options are filled in.
func (s *Session) start(ctx context.Context, c *Command, args []string) (err error) {
	if s.Common.Workers > 0 {
		runtime.GOMAXPROCS(s.Common.Workers) // bounds every parallel loop of the process
	}
	if strings.HasPrefix(c.outText(), "`FILE`") && IsFolder(s.Common.Out) {
		return Usagef("option --out: %s is a folder, not a file", s.Common.Out)
	}
	if err := s.checkOutputs(c, args); err != nil {
		return err
	}
	if c.OutUsage == "" && s.Common.Out != "" {
		var results bytes.Buffer
		s.Out.W = &results
		defer func() {
			if results.Len() > 0 {
				err = errors.Join(err, s.app.Write(s.Common.Out, func(w io.Writer) error {
					_, err := w.Write(results.Bytes())
					return err
				}))
			}
		}()
	}
	if s.Common.CPUProfile != "" {
		f, err := os.Create(s.Common.CPUProfile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if s.Common.Trace != "" {
		f, err := os.Create(s.Common.Trace)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := trace.Start(f); err != nil {
			return err
		}
		defer trace.Stop()
	}
	return c.Run(ctx, s, args)
}

// checkOutputs refuses to write over a file that the command reads, and to let a profile or a trace
// replace anything but an older one: files in folders that the command reads, or keeps its results
// in, are not named.
func (s *Session) checkOutputs(c *Command, args []string) error {
	inputs := slices.Clone(args)
	if s.app.Files != nil {
		inputs = append(inputs, s.app.Files(args)...)
	}
	for i := range c.Options {
		o := &c.Options[i]
		outputs := []string{"out", "cpuprofile", "trace", "plot"}
		if name, ok := o.Get().(string); ok && strings.HasPrefix(o.Usage, "`FILE`") && !slices.Contains(outputs, o.Name) {
			inputs = append(inputs, name)
		}
	}
	for _, o := range []struct{ option, file, begins string }{
		{"out", s.Common.Out, ""}, {"cpuprofile", s.Common.CPUProfile, "\x1f\x8b"}, {"trace", s.Common.Trace, "go 1."},
	} {
		if err := spares(o.option, o.file, inputs); err != nil {
			return err
		}
		if is, err := beginsWith(o.file, o.begins); err == nil && !is {
			return Usagef("option --%s: %s is another file and would be lost", o.option, o.file)
		}
	}
	return nil
}

// Spares is an error if one of the files that the command is about to read is where its results go:
// inputs that no argument names, such as those in a folder.
func (s *Session) Spares(inputs []string) error { return spares("out", s.Common.Out, inputs) }

func spares(option, output string, inputs []string) error {
	there, err := os.Stat(output)
	if err != nil || !there.Mode().IsRegular() {
		return nil
	}
	for _, name := range inputs {
		if input, err := os.Stat(name); err == nil && os.SameFile(there, input) {
			return Usagef("option --%s: %s is an input of the command and would be lost", option, output)
		}
	}
	return nil
}

// beginsWith reports whether a regular file begins so, or is empty. It is an error if there is no such file.
func beginsWith(name, begins string) (bool, error) {
	if there, err := os.Stat(name); err != nil || !there.Mode().IsRegular() {
		return false, cmp.Or(err, os.ErrInvalid)
	}
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, len(begins))
	n, _ := io.ReadFull(f, head)
	return n == 0 || string(head[:n]) == begins, nil
}

// report prints err, and its hint, on standard error.
func (s *Session) report(err error) {
	message, hint := err.Error(), HintOf(err)
	if ExitStatus(err) == ExitInterrupted {
		message = "interrupted; what was finished is kept"
		line := append([]string{filepath.Base(s.args[0])}, s.args[1:]...)
		if s.Resume[0] != "" {
			line = withOption(line, s.Resume[0], s.Resume[1])
		}
		if hint = "resume with: " + shell.Join(line); s.Passed {
			hint = ""
		}
	}
	if hint != "" {
		s.Log.Error(message, hintKey, hint)
	} else {
		s.Log.Error(message)
	}
}

// withOption is a command line with --name value, whatever it said of it before.
func withOption(args []string, name, value string) []string {
	flag := "--" + name
	var list []string
	for k := 0; k < len(args); k++ {
		switch a := args[k]; {
		case a == flag:
			k++ // its value
		case strings.HasPrefix(a, flag+"="):
		default:
			list = append(list, a)
		}
	}
	return append(list, flag, value)
}

// Note tells what was understood or done; --quiet silences it.
func (s *Session) Note(format string, args ...any) { s.Log.Info(fmt.Sprintf(format, args...)) }

// onTerminal reports whether progress may be drawn: standard error is a
// terminal and --quiet is off.
func (s *Session) onTerminal() bool {
	f, ok := s.stderr.(*os.File)
	return ok && !s.Common.Quiet && s.Common.Log == "text" && term.IsTerminal(int(f.Fd()))
}

// OutOr is what --out names, or the default.
func (s *Session) OutOr(path string) string {
	if s.Common.Out != "" {
		return s.Common.Out
	}
	return path
}

// hintKey is the attribute of a message that says what to try.
const hintKey = "hint"

// A messageHandler writes messages as "PROGRAM: text", warnings as
// "PROGRAM: warning: text", and an attribute hint on a line of its own.
type messageHandler struct {
	program string
	w       io.Writer
	level   slog.Level
}

func (h *messageHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }

func (h *messageHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

func (h *messageHandler) WithGroup(string) slog.Handler { return h }

func (h *messageHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(h.program + ": ")
	if r.Level == slog.LevelWarn {
		b.WriteString("warning: ")
	}
	b.WriteString(r.Message)
	hint := ""
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == hintKey {
			hint = a.Value.String()
		} else {
			fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		}
		return true
	})
	b.WriteByte('\n')
	if hint != "" {
		b.WriteString(h.program + ": hint: " + hint + "\n")
	}
	_, err := io.WriteString(h.w, b.String())
	return err
}

// withoutTime leaves the clock out of messages, so that equal runs print equal bytes.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// IsFolder reports whether there is a folder of that name.
func IsFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
