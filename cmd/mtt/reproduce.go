package main

// This file is "mtt reproduce": tables of the source papers beside our own.

import (
	"context"
	"io"
	"runtime"
	"slices"

	"mtt/internal/runfolder"
	"mtt/plots"
)

// A reproduction measures what a table or figure of a paper shows, and may draw it.
type reproduction struct {
	name   string
	about  string
	file   string // of the figure; empty: there is none
	cases  int
	run    func(ctx context.Context, b *bench) ([]record, *plots.Figure, error)
	source string
}

// reproductions lists them in the order in which they are shown.
var reproductions = sasReproductions

func newReproduceCommand() *command {
	o := &benchOptions{Seeds: 5, Data: "../shared/data"}
	about := "Measures what a table or figure of a paper shows, and prints it beside what was published.\n" +
		"The numbers are the same on every machine. Tables:\n\n"
	for _, r := range reproductions {
		about += "  " + r.name + ": " + r.about + " (" + r.source + ")\n"
	}
	return &command{
		name:     "reproduce",
		summary:  "repeats tables and figures of the source papers, beside the published numbers",
		args:     "[NAME]",
		maxArgs:  1,
		about:    about,
		examples: "mtt reproduce --list\n",
		outUsage: "`FILE` for the figure, SVG (default: NAME.svg)",
		options: []option{
			number(&o.Seeds, "seeds", 1, 1000, "`N` seeds, from --seed on, whose mean is shown"),
			text(&o.Data, "data", "`FOLDER` with the recorded problems that sas-fig13 reads: sas-mot-lap"),
			boolean(&o.List, "list", "list what can be repeated"),
		},
		run: func(ctx context.Context, s *session, args []string) error { return runReproduce(ctx, s, o, args) },
	}
}

func runReproduce(ctx context.Context, s *session, o *benchOptions, args []string) error {
	var names []string
	var list []record
	for _, r := range reproductions {
		names = append(names, r.name)
		list = append(list, record{{key: "name", value: r.name}, {key: "shows", value: r.about}, {key: "source", value: r.source}})
	}
	if o.List {
		return s.out.printRows(list)
	}
	if len(args) == 0 {
		return usagef("name a table").hinted("'mtt reproduce --list' lists them")
	}
	i := slices.Index(names, args[0])
	if i < 0 {
		return usagef("unknown table %q", args[0]).hinted("%s", didYouMean(args[0], "", names))
	}
	r := &reproductions[i]
	line, cases := s.startProgress(ctx, r.name, r.cases), 0
	b := &bench{benchOptions: *o, first: s.common.Seed, workers: s.common.Workers, note: s.note}
	b.step = func(name string) {
		line.set(cases, name)
		cases++
	}
	if b.workers == 0 {
		b.workers = runtime.GOMAXPROCS(0)
	}
	rows, figure, err := r.run(ctx, b)
	line.done()
	if len(rows) > 0 {
		if err := s.out.printRows(rows); err != nil {
			return err
		}
	}
	if err != nil || figure == nil {
		return trackFault(err)
	}
	path := s.outOr(r.file)
	err = runfolder.WriteFile(path, func(w io.Writer) error { return figure.Encode(w, "svg") })
	if err == nil {
		s.note("%s drawn", path)
	}
	return err
}
