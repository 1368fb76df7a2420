package main

// This file is "mtt lap": linear assignment problems from files.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"mtt/internal/cli"
	"mtt/internal/lap"
)

func newLapCommand() *cli.Command {
	o, points := &lap.Options{}, &pointsOptions{}
	c := &cli.Command{
		Name:    "lap",
		Summary: "solves linear assignment problems from files",
		Args:    "FILE…",
		MaxArgs: -1,
		About: "Pairs the rows of each problem with its columns at the least cost. The smaller side is\n" +
			"served completely; a problem where that cannot be done is infeasible: it is said so, with\n" +
			"rows that have too few columns between them, and the exit status is 3. With --partial\n" +
			"anyone may stay free at no cost, so there is always an answer; with --maximize as well it\n" +
			"is the matching of greatest weight, also where not all rows can be served.\n\n" +
			"Files are tables of numbers (separated by commas, semicolons, tabs or blanks; inf marks a\n" +
			"forbidden pair), OR-Library dense and sparse, MatrixMarket (coordinate and array), .npy, an .npz\n" +
			"of one array or of scipy.sparse.save_npz, each of them plain or compressed by gzip or zstd; - is\n" +
			"standard input. A folder or an archive (.tar, .tar.gz) stands for all the problems in it, in\n" +
			"natural order: p9 before p10. An empty file is a problem of no rows, whose answer costs 0. A\n" +
			"corpus (.laps, see mtt pmbm) holds many problems and says their optima, which must be the\n" +
			"answers.\n\n" +
			"Every answer is checked: certified says that the assignment is one and that its dual prices\n" +
			"prove it within 1e-9 of what its cost adds up, however large other numbers are; an answer\n" +
			"that they do not prove is feasible, not optimal. Of an infeasible problem it says that the\n" +
			"proof holds. Many problems are solved on several processors, see --workers, or by a device\n" +
			"in as few starts as they fit into; the answers come in the order of the inputs.\n\n" +
			"With --points the problem is two sets of points, which are paired at the least sum of\n" +
			"distances; no cost is stored, so that memory does not grow with the square of their number.\n\n" +
			"With --out each line holds a problem's assignment (the column of each row, from 0, -1 when\n" +
			"free) and prices of rows and columns, in costs: rewards count negative.\n",
		Examples: "mtt lap costs.csv\n" +
			"mtt lap rewards.csv --maximize --forbidden-zero --partial --format json\n" +
			"mtt lap costs.csv costs.mtx --solver auction -o answers.jsonl\n" +
			"mtt lap --points before.csv after.csv --metric squared\n",
		OutUsage: "`FILE` for assignments and prices, one JSON object a line, which --warm reads",
		Options:  append(o.Bind(), points.bind()...),
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error {
		return runLap(ctx, s, c, o, points, args)
	}
	return c
}

func runLap(ctx context.Context, s *cli.Session, c *cli.Command, o *lap.Options, points *pointsOptions, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("name a file with an assignment problem").Hinted("usage: %s", c.UsageLine())
	}
	if points.on {
		return runLapPoints(ctx, s, o, points, args)
	}
	if points.cache != pointCaches[0] {
		return cli.Usagef("--cache keeps rows of costs that are computed, of --points")
	}
	// Problems are long arrays without pointers: cheap to look through, dear to keep twice.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	began := time.Now()
	inputs := lap.List(args, s.Stdin)
	if err := s.Spares(lap.Names(inputs)); err != nil {
		return err
	}
	group, err := lap.NewGroup(o, inputs)
	if err != nil {
		return err
	}
	report := lap.NewReport(s, len(inputs))
	line := s.StartProgress(ctx, "problems", len(inputs))
	done := 0
	err = cli.EachInput(ctx, s, lap.Names(inputs), func(ctx context.Context, _ string) error {
		done++
		line.Set(done, report.State())
		return report.Tell(group.Next(ctx))
	})
	line.Done()
	if report.Told() == 0 && ctx.Err() != nil { // the file of --out stays as it was
		return err
	}
	err = errors.Join(err, report.Finish())
	if done := report.Told(); len(inputs) > 1 && done > 0 {
		if of, figures := group.Figures(); of != "" {
			list := make([]string, len(figures))
			for i, f := range figures {
				list[i] = fmt.Sprintf("%d %s", f.Count, f.Name)
			}
			s.Note("%s: %s", of, strings.Join(list, ", "))
		}
		total, solving := time.Since(began).Seconds(), group.Solving().Seconds()
		s.Note("%.3g s, %s files/s; solved and checked in %.3g s, %s problems/s", total, rate(done, total),
			solving, rate(done, solving))
	}
	return err
}

// rate is n per second with three digits.
func rate(n int, seconds float64) string {
	x := float64(n) / seconds
	digits := max(0, 2-int(math.Floor(math.Log10(x))))
	return strconv.FormatFloat(x, 'f', min(digits, 6), 64)
}
