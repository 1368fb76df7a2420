package main

// This file is "mtt bench": measurements that anyone can repeat, each one table.

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"mtt/internal/bench"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/runfolder"
	"mtt/internal/task"
)

func newBenchCommand() *cli.Command {
	o := &measure.Options{}
	about := "Measures and prints one table. Numbers but times and memory are the same on every\n" +
		"machine. A bar is the value to reach. The benchmarks:\n\n"
	for _, b := range bench.All {
		about += "  " + b.Name + ": " + b.About + "\n"
	}
	return &cli.Command{
		Name:     "bench",
		Summary:  "measures accuracy, gaps and speed: one table each",
		Args:     "[NAME]",
		MaxArgs:  1,
		About:    about,
		Examples: "mtt bench --list\n",
		Options:  o.Bind(),
		Run:      func(ctx context.Context, s *cli.Session, args []string) error { return runBench(ctx, s, o, args) },
	}
}

func runBench(ctx context.Context, s *cli.Session, o *measure.Options, args []string) error {
	var names []string
	var list []cli.Record
	for _, b := range bench.All {
		names = append(names, b.Name)
		list = append(list, cli.Record{{Key: "name", Value: b.Name}, {Key: "measures", Value: b.About}})
	}
	if o.List {
		return s.Out.PrintRows(list)
	}
	if len(args) == 0 {
		return cli.Usagef("name a benchmark").Hinted("'mtt bench --list' lists them")
	}
	i := slices.Index(names, args[0])
	if i < 0 {
		return cli.Usagef("unknown benchmark %q", args[0]).Hinted("%s", cli.DidYouMean(args[0], "", names))
	}
	for _, x := range []struct {
		given  bool
		option string
		with   []string
	}{
		{o.Plot != "", "--plot", []string{"scale"}},
		{o.Only != "", "--only", bench.Named},
		{len(o.Sizes) > 0, "--sizes", []string{"lap", "lap-large", "scans", "hungarian", "million"}},
		{o.Save != "", "--save", []string{"lap", "lap-sparse"}},
	} {
		if x.given && !slices.Contains(x.with, args[0]) {
			return cli.Usagef("%s goes with %s", x.option, strings.Join(x.with, ", "))
		}
	}
	err := o.Measure(ctx, s, args[0], bench.All[i].Cases, func(b *measure.Run) ([]cli.Record, error) {
		rows, err := bench.All[i].Run(ctx, b)
		if err == nil && len(rows) == 0 && len(o.Sizes) > 0 {
			err = cli.Usagef("no problem of %s has one of --sizes", args[0])
		}
		if o.Plot != "" && len(rows) > 0 {
			draw := func(w io.Writer) error { return bench.ScaleFigure(rows).Encode(w, "svg") }
			err = errors.Join(err, runfolder.WriteFile(o.Plot, draw))
		}
		return rows, err
	})
	return task.TrackFault(err)
}
