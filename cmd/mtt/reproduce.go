package main

// This file is "mtt reproduce": tables of the source papers beside our own.

import (
	"context"
	"errors"
	"io"
	"slices"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/reproduce"
	"mtt/internal/runfolder"
	"mtt/internal/task"
	"mtt/plots"
)

func newReproduceCommand() *cli.Command {
	o := &measure.Options{Seeds: 5, Data: "data"}
	about := "Measures what a table or figure of a paper shows, prints it beside what was published,\n" +
		"and draws some. Numbers but times are the same on every machine; times of a card, where there\n" +
		"is none, are those of the machine and the day that a note names. Tables:\n\n"
	for _, r := range reproduce.All {
		about += "  " + r.Name + ": " + r.About + " (" + r.Source + ")\n"
	}
	about += "  all: every table, one after the other\n"
	return &cli.Command{
		Name:     "reproduce",
		Summary:  "repeats tables and figures of the source papers, beside the published numbers",
		Args:     "[NAME]",
		MaxArgs:  1,
		About:    about,
		Examples: "mtt reproduce --list\n",
		OutUsage: "`FILE` for the figure, SVG (default: NAME.svg)",
		Options: []cli.Option{
			cli.Number(&o.Seeds, "seeds", 1, 1000, "`N` seeds, from --seed on, whose mean is shown"),
			cli.Numbers(&o.Sizes, "sizes", 0, "`N,N…`: only the problems of N rows"),
			cli.Text(&o.Data, "data", "`FOLDER` with the recorded problems that sas-fig13 reads: sas-mot-lap"),
			cli.Boolean(&o.List, "list", "list what can be repeated"),
			cli.Boolean(&o.Quick, "quick", "one seed and small sizes: all tables in minutes"),
		},
		Run: func(ctx context.Context, s *cli.Session, args []string) error { return runReproduce(ctx, s, o, args) },
	}
}

func runReproduce(ctx context.Context, s *cli.Session, o *measure.Options, args []string) error {
	var names []string
	var list []cli.Record
	for _, r := range reproduce.All {
		names = append(names, r.Name)
		list = append(list, cli.Record{{Key: "name", Value: r.Name}, {Key: "shows", Value: r.About}, {Key: "source", Value: r.Source}})
	}
	if o.List {
		return s.Out.PrintRows(list)
	}
	if len(args) == 0 {
		return cli.Usagef("name a table").Hinted("'mtt reproduce --list' lists them")
	}
	i := slices.Index(names, args[0])
	switch {
	case args[0] == "all":
		return reproduceAll(ctx, s, o)
	case i < 0:
		return cli.Usagef("unknown table %q", args[0]).Hinted("%s", cli.DidYouMean(args[0], "", append(names, "all")))
	}
	return reproduceOne(ctx, s, o, &reproduce.All[i])
}

// reproduceAll repeats every table; figures have their own names. What cannot be repeated here,
// for want of recorded data, does not stop the rest.
func reproduceAll(ctx context.Context, s *cli.Session, o *measure.Options) error {
	if s.OutOr("") != "" || len(o.Sizes) > 0 {
		return cli.Usagef("-o and --sizes go with one table, not with all")
	}
	var errs []error
	for i := range reproduce.All {
		s.Note("%s", reproduce.All[i].Name)
		errs = append(errs, reproduceOne(ctx, s, o, &reproduce.All[i]))
		if err := ctx.Err(); err != nil {
			break
		}
	}
	return errors.Join(errs...)
}

// reproduceOne repeats a table and draws its figure.
func reproduceOne(ctx context.Context, s *cli.Session, options *measure.Options, r *reproduce.Reproduction) error {
	if r.File == "" && s.OutOr("") != "" {
		return cli.Usagef("%s has no figure to write to %s", r.Name, s.OutOr(""))
	}
	if !r.Sized && len(options.Sizes) > 0 {
		return cli.Usagef("%s has no sizes to choose from", r.Name)
	}
	o := *options
	if o.Quick {
		o.Seeds = 1
		if len(o.Sizes) == 0 {
			o.Sizes = r.Quick
		}
	}
	var figure *plots.Figure
	err := o.Measure(ctx, s, r.Name, r.Cases, func(b *measure.Run) (rows []cli.Record, err error) {
		rows, figure, err = r.Run(ctx, b)
		return rows, err
	})
	if err != nil || figure == nil {
		return task.TrackFault(err)
	}
	path := s.OutOr(r.File)
	err = runfolder.WriteFile(path, func(w io.Writer) error { return figure.Encode(w, "svg") })
	if err == nil {
		s.Note("%s drawn", path)
	}
	return err
}
