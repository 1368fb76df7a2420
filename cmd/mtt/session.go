package main

// This file defines the session: the streams and common options of one run of
// the command, its messages, and its profiles.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"

	"golang.org/x/term"

	"mtt/internal/runfolder"
)

// A session is one run of the command.
type session struct {
	args   []string // as typed, the program's name first
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	common commonOptions
	log    *slog.Logger
	out    *printer
	resume string // run folder from whose certificate an interrupted command can go on
}

// commonOptions are the options of every command.
type commonOptions struct {
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

func newSession(args []string, stdin io.Reader, stdout, stderr io.Writer) *session {
	s := &session{args: args, stdin: stdin, stdout: stdout, stderr: stderr}
	s.common = commonOptions{Seed: 1, Format: "text", Log: "text"}
	s.log = slog.New(&messageHandler{w: stderr})
	return s
}

// options binds the common options for c.
func (o *commonOptions) options(c *command) []option {
	out := text(&o.Out, "out", c.outText())
	out.alias = "o"
	list := []option{
		number(&o.Seed, "seed", 0, 1e18, "`N`, the seed of everything random"),
		number(&o.Workers, "workers", 0, math.Inf(1), "`N` threads at most, 0 for one per core; results do not depend on it"),
		choice(&o.Format, "format", []string{"text", "json", "csv"}, "`FORM` of the results: text, json (one object on one line) or csv"),
		out,
		text(&o.Config, "config", "`FILE` in TOML with values for options"),
		boolean(&o.Quiet, "quiet", "no progress and no notes on standard error, only warnings and errors"),
		choice(&o.Log, "log", []string{"text", "json"}, "`FORM` of the messages on standard error: text or json"),
		text(&o.CPUProfile, "cpuprofile", "`FILE` for a CPU profile, read by go tool pprof"),
		text(&o.Trace, "trace", "`FILE` for an execution trace, read by go tool trace"),
	}
	for i := range list {
		list[i].common = true
	}
	return list
}

// configure prepares messages and results as the common options say.
func (s *session) configure() {
	level := slog.LevelInfo
	if s.common.Quiet {
		level = slog.LevelWarn
	}
	if s.common.Log == "json" {
		s.log = slog.New(slog.NewJSONHandler(s.stderr, &slog.HandlerOptions{Level: level, ReplaceAttr: withoutTime}))
	} else {
		s.log = slog.New(&messageHandler{w: s.stderr, level: level})
	}
	s.out = &printer{w: s.stdout, format: s.common.Format}
}

// start runs c, whose options are filled in.
func (s *session) start(ctx context.Context, c *command, args []string) (err error) {
	if s.common.Workers > 0 {
		runtime.GOMAXPROCS(s.common.Workers) // bounds every parallel loop of the process
	}
	if strings.HasPrefix(c.outText(), "`FILE`") && isDir(s.common.Out) {
		return usagef("option --out: %s is a folder, not a file", s.common.Out)
	}
	if c.outUsage == "" && s.common.Out != "" {
		var results bytes.Buffer
		s.out.w = &results
		defer func() {
			if results.Len() > 0 {
				err = errors.Join(err, runfolder.WriteFile(s.common.Out, func(w io.Writer) error {
					_, err := w.Write(results.Bytes())
					return err
				}))
			}
		}()
	}
	if s.common.CPUProfile != "" {
		f, err := os.Create(s.common.CPUProfile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if s.common.Trace != "" {
		f, err := os.Create(s.common.Trace)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := trace.Start(f); err != nil {
			return err
		}
		defer trace.Stop()
	}
	return c.run(ctx, s, args)
}

// report prints err, and its hint, on standard error.
func (s *session) report(err error) {
	message, hint := err.Error(), hintOf(err)
	if exitStatus(err) == exitInterrupted {
		message = "interrupted; what was finished is kept"
		line := append([]string{filepath.Base(s.args[0])}, s.args[1:]...)
		if s.resume != "" {
			line = resuming(line, s.resume)
		}
		hint = "resume with: " + shellQuote(line)
	}
	if hint != "" {
		s.log.Error(message, hintKey, hint)
	} else {
		s.log.Error(message)
	}
}

// note tells what was understood or done; --quiet silences it.
func (s *session) note(format string, args ...any) { s.log.Info(fmt.Sprintf(format, args...)) }

// onTerminal reports whether progress may be drawn: standard error is a
// terminal and --quiet is off.
func (s *session) onTerminal() bool {
	f, ok := s.stderr.(*os.File)
	return ok && !s.common.Quiet && s.common.Log == "text" && term.IsTerminal(int(f.Fd()))
}

// outOr is what --out names, or the default.
func (s *session) outOr(path string) string {
	if s.common.Out != "" {
		return s.common.Out
	}
	return path
}

// hintKey is the attribute of a message that says what to try.
const hintKey = "hint"

// A messageHandler writes messages as "mtt: text", warnings as
// "mtt: warning: text", and an attribute hint on a line of its own.
type messageHandler struct {
	w     io.Writer
	level slog.Level
}

func (h *messageHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }
func (h *messageHandler) WithAttrs([]slog.Attr) slog.Handler           { return h }
func (h *messageHandler) WithGroup(string) slog.Handler                { return h }

func (h *messageHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString("mtt: ")
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
		b.WriteString("mtt: hint: " + hint + "\n")
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

// shellQuote joins words so that a POSIX shell reads them back.
func shellQuote(words []string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+%@"
	quoted := make([]string, len(words))
	for i, w := range words {
		if w == "" || strings.Trim(w, plain) != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}
