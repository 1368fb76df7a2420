package main

// This file is "mtt-beam track": many recordings, on many machines: each is imported, tracked and, when asked,
// scored by a worker, as mtt import, mtt track and mtt score would, into a run folder that all machines reach.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
)

// trackOptions are those of the command.
type trackOptions struct {
	track    *task.TrackOptions
	from     task.ImportOptions
	score    task.ScoreOptions
	also     bool         // score, too
	tracking *cli.Command // as mtt has it
	scoring  *cli.Command // likewise
}

// bind makes the options that set o, all but those of the engine.
func (o *trackOptions) bind() (list []cli.Option) {
	o.track = task.NewTrackOptions()
	o.tracking = &cli.Command{Name: "track", Options: append(o.track.BindAll(), o.from.BindReading()...)}
	o.scoring = &cli.Command{Name: "score", Options: o.score.Bind()}
	for _, option := range slices.Concat(o.tracking.Options, o.scoring.Options) {
		if !slices.Contains([]string{"resume", "arcs", "programme", "truth", "tracks", "gates", "png"}, option.Name) { // those of one run
			list = append(list, option)
		}
	}
	return append(list, cli.Boolean(&o.also, "score", "score what was tracked, too, with the truth that is known of it: rows are those of mtt score"))
}

func newTrackCommand() *cli.Command {
	o, e := &trackOptions{}, &engine{}
	own := o.bind()
	c := &cli.Command{
		Name:    "track",
		Summary: "imports, tracks and scores many recordings, as mtt import, mtt track and mtt score do",
		Args:    "RUN|FILE|FOLDER…",
		MaxArgs: -1,
		About: "Each run folder, each file, and each sequence of a folder is tracked by one worker, into its run\n" +
			"folder, or into one of its name in --out. Rows and files are those of mtt track, in the order of\n" +
			"the recordings; with --score those of mtt score. One that cannot be tracked does not stop the\n" +
			"others.\n\n" + about,
		Examples: "mtt-beam track points.csv --workers 2 -o runs/many\n" +
			"mtt-beam track MOT --score --workers 2 -o runs/mot\n",
		OutUsage: "`FOLDER` with a run folder for each file or sequence (default: runs)",
		Options:  append(own, e.bind()...),
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error {
		return runTrack(ctx, s, c, own, e, args)
	}
	return c
}

// A trackSpec is what workers are told.
type trackSpec struct {
	Recordings []recording
	Options    map[string]string // by name, as text: those that are not the defaults
	Seed       uint64
}

// A recording is a scene to track.
type recording struct {
	Name  string   // for people
	Files []string // of detections, and of truth; or a run folder
	Out   string   // its run folder; "": the run itself
}

// A tracked is what a worker tells of a recording.
type tracked struct {
	Rows     []json.RawMessage `json:"rows,omitempty"`
	Messages []message         `json:"messages,omitempty"`
	Failure  *failure          `json:"failure,omitempty"`
}

// A message is a note or a warning.
type message struct {
	Warning bool   `json:"warning,omitempty"`
	Text    string `json:"text"`
}

// A failure is an error that is sent.
type failure struct {
	Text   string `json:"text"`
	Status int    `json:"status"` // for the exit
	Hint   string `json:"hint,omitempty"`
}

func runTrack(ctx context.Context, s *cli.Session, c *cli.Command, own []cli.Option, e *engine, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("name recordings to track").Hinted("usage: %s", c.UsageLine())
	}
	spec := trackSpec{Options: make(map[string]string), Seed: s.Common.Seed}
	var err error
	if spec.Recordings, err = recordings(args, s.OutOr("runs")); err != nil {
		return err
	}
	defaults := new(trackOptions).bind()
	for i := range own {
		if text := optionText(own[i].Get()); text != optionText(defaults[i].Get()) {
			spec.Options[own[i].Name] = text
		}
	}
	j, err := newJob("track", "recordings", spec)
	if err != nil {
		return err
	}
	var names []string
	for i, one := range spec.Recordings {
		j.items, names = append(j.items, i), append(names, one.Name)
	}
	lines, forget, err := e.lines(ctx, s, j, "")
	if err != nil {
		return err
	}
	next := 0
	var table []cli.Record
	err = cli.EachInput(ctx, s, names, func(context.Context, string) error {
		one, err := read[tracked](lines[next])
		next++
		if err != nil {
			return err
		}
		rows, err := tell(s, &one)
		table = append(table, rows...)
		return err
	})
	return errors.Join(err, s.Out.PrintRows(table), forget())
}

// headlines are the columns of the table in text.
var headlines = []string{"run", "status", "tracks", "lower_bound", "upper_bound", "gap_percent", "rounds",
	"mota", "idf1", "hota", "mmep", "itcp", "gospa", "fp", "fn", "idsw", "frag"}

// tell prints what a worker told, but for rows of text, which it returns.
func tell(s *cli.Session, one *tracked) (table []cli.Record, err error) {
	for _, m := range one.Messages {
		if m.Warning {
			s.Log.Warn(m.Text)
		} else {
			s.Note("%s", m.Text)
		}
	}
	for _, text := range one.Rows {
		r, err := cli.ParseRecord(text)
		if err != nil {
			return nil, err
		}
		if s.Common.Format == "text" {
			var short cli.Record
			for _, key := range headlines {
				if i := slices.IndexFunc(r, func(f cli.Field) bool { return f.Key == key }); i >= 0 {
					short = append(short, r[i])
				}
			}
			table = append(table, short)
		} else if err := s.Out.Print(r); err != nil {
			return nil, err
		}
	}
	if f := one.Failure; f != nil {
		err = &cli.Fault{Status: f.Status, Err: errors.New(f.Text), Hint: f.Hint}
	}
	return table, err
}

// recordings lists what the arguments mean; files and sequences have their run folders in dir.
func recordings(args []string, dir string) (list []recording, err error) {
	taken := make(map[string]bool)
	add := func(seq task.Sequence) error {
		out := filepath.Join(dir, seq.Name)
		if taken[out] {
			return cli.Usagef("two recordings are called %s", seq.Name).Hinted("track them one by one, each with its own -o")
		}
		taken[out] = true
		list = append(list, recording{seq.Name, seq.Files, out})
		return nil
	}
	for _, arg := range args {
		switch {
		case task.AreFolders([]string{arg}):
			found, err := task.Sequences(arg)
			if err != nil {
				return nil, err
			}
			for _, seq := range found {
				if err := add(seq); err != nil {
					return nil, err
				}
			}
		case cli.IsFolder(arg):
			runs, err := task.Runs([]string{arg})
			if err != nil {
				return nil, err
			}
			for _, run := range runs {
				list = append(list, recording{run, []string{run}, ""})
			}
		default:
			name := filepath.Base(arg)
			if i := strings.IndexByte(name[1:], '.'); i >= 0 {
				name = name[:i+1]
			}
			if err := add(task.Sequence{Name: name, Files: []string{arg}}); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// optionText is the value of an option as the command line takes it.
func optionText(value any) string {
	if list, ok := value.([]float64); ok {
		parts := make([]string, len(list))
		for i, x := range list {
			parts[i] = cli.Exact(x)
		}
		return strings.Join(parts, ",")
	}
	return cli.Exact(value)
}

// newTrackWorker tracks recordings.
func newTrackWorker(text []byte) (worker, error) {
	spec, err := read[trackSpec](text)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, item int) ([]byte, error) {
		one, err := spec.track(ctx, &spec.Recordings[item])
		if err != nil {
			return nil, err
		}
		return json.Marshal(one)
	}, nil
}

// track tracks one; only the end of ctx is an error.
func (spec *trackSpec) track(ctx context.Context, r *recording) (*tracked, error) {
	o := new(trackOptions)
	options := o.bind()
	for name, text := range spec.Options {
		if err := cli.Find(options, name).SetSaved(text); err != nil {
			return nil, fmt.Errorf("option %s: %w", name, err)
		}
	}
	told := new(tracked)
	var rows bytes.Buffer
	s := cli.NewSession(&cli.App{Name: "mtt"}, []string{"mtt"}, nil, nil, nil)
	s.Common.Seed, s.Common.Workers, s.Common.Out = spec.Seed, 1, r.Out
	s.Log = slog.New((*listener)(told))
	s.Out = &cli.Printer{W: &rows, Format: "json"}
	err := task.TrackOne(ctx, s, o.tracking, o.track, &o.from, r.Files, time.Now())
	if err == nil && o.also {
		rows.Reset()
		err = o.scoreRun(ctx, s, r)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		told.Failure = &failure{err.Error(), cli.ExitStatus(err), cli.HintOf(err)}
	}
	for line := range bytes.Lines(rows.Bytes()) {
		told.Rows = append(told.Rows, bytes.TrimSpace(line))
	}
	return told, nil
}

// scoreRun scores what was tracked, and prints the row.
func (o *trackOptions) scoreRun(ctx context.Context, s *cli.Session, r *recording) error {
	dir := r.Out
	if dir == "" {
		dir = r.Files[0]
	}
	folder, err := task.OpenRun(dir)
	if err != nil {
		return err
	}
	if !folder.Has(runfolder.TruthFile) {
		return cli.Usagef("%s has no truth to be scored with", dir)
	}
	scored, err := task.ScoreOne(ctx, s, o.scoring, &o.score, folder)
	if err != nil {
		return err
	}
	return s.Out.Print(scored.Record)
}

// A listener is a tracked that hears the messages of its session.
type listener tracked

// Enabled is for all but what helps to look for faults.
func (l *listener) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle keeps a message.
func (l *listener) Handle(_ context.Context, r slog.Record) error {
	l.Messages = append(l.Messages, message{r.Level >= slog.LevelWarn, r.Message})
	return nil
}

// WithAttrs is for messages with values, which there are not.
func (l *listener) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup likewise.
func (l *listener) WithGroup(string) slog.Handler { return l }
