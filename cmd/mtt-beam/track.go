package main

// This file is "mtt-beam track": many recordings, on many machines: each is imported, tracked and,
// when asked, scored by a worker, as mtt import, mtt track and mtt score would, into a run folder
// that all machines reach.

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

	"mtt/dualascent"
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
	parts    int          // of one run; 0: runs are tracked whole
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
	return append(list, cli.Boolean(&o.also, "score", "score what was tracked, too, with the truth that is known of it: rows are those of mtt score"),
		cli.Number(&o.parts, "parts", 0, 1e4, "`N` parts at most, between which no link can lead, into which one RUN is cut, each for one worker; 0: none"))
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
			"others. With --window a worker goes through a run window by window, and when it dies another one goes\n" +
			"on after the last window.\n" +
			"With --parts one run is cut into parts of space between which no link can lead, RUN-parts/0001 and so on.\n" +
			"They are tracked with the levels of the whole run, each by one worker, in windows of time, and have a\n" +
			"certificate each, which mtt verify checks. The bound is the sum of theirs; the tracks are put\n" +
			"together in RUN.\n\n" + about,
		Examples: "mtt-beam track points.csv --workers 2 -o runs/many\n" +
			"mtt-beam track MOT --score --workers 2 -o runs/mot\n" +
			"mtt-beam track runs/large --parts 16 --workers 4\n",
		OutUsage: "`FOLDER` with a run folder for each file or sequence (default: runs)",
		Options:  append(own, e.bind()...),
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error {
		return runTrack(ctx, s, c, o, own, e, args)
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
	Part  task.Part
}

// A tracked is what a worker tells of a recording.
type tracked struct {
	Rows     []json.RawMessage `json:"rows,omitempty"`
	Messages []message         `json:"messages,omitempty"`
	Failure  *cli.Failure      `json:"failure,omitempty"`
}

// A message is a note or a warning.
type message struct {
	Warning bool   `json:"warning,omitempty"`
	Text    string `json:"text"`
}

func runTrack(ctx context.Context, s *cli.Session, c *cli.Command, o *trackOptions, own []cli.Option, e *engine, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("name recordings to track").Hinted("usage: %s", c.UsageLine())
	}
	spec := trackSpec{Options: make(map[string]string), Seed: s.Common.Seed}
	defaults := new(trackOptions).bind()
	for i := range own {
		if text := own[i].Value(); text != defaults[i].Value() {
			spec.Options[own[i].Name] = text
		}
	}
	if o.parts > 0 {
		return trackParts(ctx, s, o, &spec, e, args)
	}
	var err error
	if spec.Recordings, err = recordings(args, s.OutOr("runs")); err != nil {
		return err
	}
	var table []cli.Record
	err = spec.run(ctx, s, e, func(one *tracked) error {
		rows, err := tell(s, one)
		table = append(table, rows...)
		return err
	})
	return errors.Join(err, s.Out.PrintRows(table))
}

// run tracks the recordings and calls do with what was told of each, in order.
func (spec *trackSpec) run(ctx context.Context, s *cli.Session, e *engine, do func(one *tracked) error) error {
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
	err = cli.EachInput(ctx, s, names, func(context.Context, string) error {
		one, err := read[tracked](lines[next])
		next++
		if err != nil {
			return err
		}
		return do(&one)
	})
	return errors.Join(err, forget())
}

// trackParts tracks one run in parts.
func trackParts(ctx context.Context, s *cli.Session, o *trackOptions, spec *trackSpec, e *engine, args []string) error {
	if len(args) != 1 || !cli.IsFolder(args[0]) || s.Common.Out != "" || o.also {
		return cli.Usagef("--parts cuts one run folder, whose tracks go into it").Hinted("mtt import makes one; leave --out and --score away")
	}
	folder, err := task.OpenRun(args[0])
	if err != nil {
		return err
	}
	began := time.Now()
	parts, err := task.Split(ctx, s, o.track, folder, filepath.Clean(args[0])+"-parts", o.parts)
	if err != nil {
		return err
	}
	s.Note("%d parts of %d components, the largest of %d detections, in %.3g s", len(parts.Dirs), parts.Components, parts.Largest, time.Since(began).Seconds())
	for k, dir := range parts.Dirs {
		spec.Recordings = append(spec.Recordings, recording{Name: dir, Files: []string{dir}, Part: parts.Parts[k]})
	}
	var sum dualascent.Result
	var arcs, triplets, left float64
	err = spec.run(ctx, s, e, func(one *tracked) error {
		if one.Failure == nil && len(one.Rows) == 1 {
			r, err := cli.ParseRecord(one.Rows[0])
			if err != nil {
				return err
			}
			for key, of := range map[string]*float64{"lower_bound": &sum.LowerBound, "upper_bound": &sum.UpperBound,
				"arcs": &arcs, "triplets": &triplets, "links_left": &left} {
				*of += number(r, key)
			}
			one.Rows = nil // those of the parts are in their folders
		}
		_, err := tell(s, one)
		return err
	})
	if err != nil {
		return err
	}
	tracks, err := parts.Stitch()
	if err != nil {
		return err
	}
	return s.Out.Print(cli.Record{
		{Key: "run", Value: args[0]}, {Key: "parts", Value: len(parts.Dirs)}, {Key: "components", Value: parts.Components},
		{Key: "largest", Value: parts.Largest, Note: "detections of the largest component"},
		{Key: "lower_bound", Value: sum.LowerBound, Unit: "nat"}, {Key: "upper_bound", Value: sum.UpperBound, Unit: "nat"},
		{Key: "gap_percent", Value: 100 * sum.Gap(), Digits: 3}, {Key: "arcs", Value: int(arcs)}, {Key: "triplets", Value: int(triplets)},
		{Key: "links_left", Value: int(left)}, {Key: "tracks", Value: tracks}, {Key: "seconds", Value: time.Since(began).Seconds()},
	})
}

// number is the value of a key, 0 for none.
func number(r cli.Record, key string) float64 {
	for _, f := range r {
		switch v := f.Value.(type) {
		case int64:
			if f.Key == key {
				return float64(v)
			}
		case float64:
			if f.Key == key {
				return v
			}
		}
	}
	return 0
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
	return table, one.Failure.Err()
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
		list = append(list, recording{Name: seq.Name, Files: seq.Files, Out: out})
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
				list = append(list, recording{Name: run, Files: []string{run}})
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
	o.track.Part = r.Part
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
	told.Failure = cli.FailureOf(err)
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
