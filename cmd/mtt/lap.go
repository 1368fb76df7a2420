package main

// This file is "mtt lap": linear assignment problems from files.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/solvers"
	"mtt/internal/task"
	"mtt/mapsolver"
	"mtt/mapsolver/lapfile"
)

// lapOptions say how to read and solve.
type lapOptions struct {
	lapfile.Options
	solver string
	warm   string // file

	points bool // two files of points, not of costs
	metric string
	cache  string
	share  float64 // of the rows that a cache holds
}

// bind makes the options that set o.
func (o *lapOptions) bind() []cli.Option {
	o.solver, o.Format, o.metric, o.cache, o.share = "auto", "auto", lapMetrics[0], lapCaches[0], 0.25
	return []cli.Option{
		cli.Choice(&o.solver, "solver", solvers.Names(), "`SOLVER`: one that 'mtt solvers' lists; auto chooses for each problem"),
		cli.Boolean(&o.Maximize, "maximize", "the numbers are rewards: make their sum as large as possible"),
		cli.Boolean(&o.ForbiddenZero, "forbidden-zero", "a 0 marks a forbidden pair"),
		cli.Boolean(&o.Partial, "partial", "rows and columns may stay free at no cost"),
		cli.Text(&o.warm, "warm", "`FILE` that --out wrote: start from its prices and pairs, problem by problem"),
		cli.Boolean(&o.points, "points", "the two files are tables of points, one a line: costs are their distances, computed when they are asked for"),
		cli.Choice(&o.metric, "metric", lapMetrics, "`METRIC` of --points: euclidean, squared (its square) or manhattan"),
		cli.Choice(&o.cache, "cache", lapCaches, "`RULE` by which --points keeps whole rows of costs: none solves from a few of each row; lfu, slru and auto, which is either, are Algorithm 1015's"),
		cli.Number(&o.share, "share", 0, 1, "part of the rows, `S`, that --cache holds"),
		cli.Choice(&o.Format, "as", append([]string{"auto"}, lapfile.Formats()...), "`FORMAT` of the files: auto tells it by the content"),
	}
}

func newLapCommand() *cli.Command {
	o := &lapOptions{}
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
			"forbidden pair), OR-Library dense and sparse, MatrixMarket (coordinate and array) or .npy,\n" +
			"each of them plain or compressed by gzip. A folder or an archive (.tar, .tar.gz) stands for\n" +
			"all the problems in it, in natural order: p9 before p10. An empty file is a problem of no\n" +
			"rows, whose answer costs 0. A corpus (.laps, see mtt pmbm) holds many problems and says\n" +
			"their optima, which must be the answers.\n\n" +
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
		Options:  o.bind(),
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error { return runLap(ctx, s, c, o, args) }
	return c
}

// A lapRun solves the problems of one command line.
type lapRun struct {
	s       *cli.Session
	o       *lapOptions
	answers bytes.Buffer // for --out
	rows    []cli.Record // for text, which is one table

	sum                           float64 // of the objectives
	optimal, feasible, infeasible int
}

// A lapAnswer is what --out keeps of one problem.
type lapAnswer struct {
	File       string    `json:"file"`
	Status     string    `json:"status"`
	Rows       int       `json:"rows"`
	Cols       int       `json:"cols"`
	Objective  *float64  `json:"objective,omitempty"`
	Assignment []int32   `json:"assignment,omitempty"` // column of each row, -1: free
	RowPrices  []float64 `json:"row_prices,omitempty"`
	ColPrices  []float64 `json:"col_prices,omitempty"`
	HallRows   []int32   `json:"hall_rows,omitempty"` // of the proof of an infeasible problem
	HallCols   []int32   `json:"hall_cols,omitempty"`
}

func runLap(ctx context.Context, s *cli.Session, c *cli.Command, o *lapOptions, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("name a file with an assignment problem").Hinted("usage: %s", c.UsageLine())
	}
	newSolver, err := solvers.Named(o.solver)
	if err != nil {
		return err
	}
	if o.points {
		return runLapPoints(ctx, &lapRun{s: s, o: o}, args)
	}
	if o.cache != lapCaches[0] {
		return cli.Usagef("--cache keeps rows of costs that are computed, of --points")
	}
	// Problems are long arrays without pointers: cheap to look through, dear to keep twice.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	l := &lapRun{s: s, o: o}
	began := time.Now()
	inputs := listProblems(args)
	group := newLapGroup(o, newSolver, inputs)
	if o.warm != "" {
		if group.warm, err = readAnswers(o.warm); err != nil {
			return cli.BadInput(err)
		}
	}
	names := make([]string, len(inputs))
	for i := range inputs {
		names[i] = inputs[i].Name
	}
	line := s.StartProgress(ctx, "problems", len(inputs))
	done := 0
	err = cli.EachInput(ctx, s, names, func(ctx context.Context, _ string) error {
		done++
		line.Set(done, fmt.Sprintf("%d infeasible", l.infeasible))
		return l.tell(group.take(ctx))
	})
	line.Done()
	if len(l.rows) == 1 && len(inputs) == 1 {
		err = errors.Join(err, s.Out.Print(l.rows[0]))
	} else {
		err = errors.Join(err, s.Out.PrintRows(l.rows))
	}
	err = errors.Join(err, l.write())
	if done := l.optimal + l.feasible + l.infeasible; len(inputs) > 1 && done > 0 {
		total := time.Since(began).Seconds()
		unproved := ""
		if l.feasible > 0 {
			unproved = fmt.Sprintf("%d feasible but not proved, ", l.feasible)
		}
		s.Note("%d problems: %d optimal, %s%d infeasible; the objectives add up to %s",
			done, l.optimal, unproved, l.infeasible, strconv.FormatFloat(l.sum, 'f', -1, 64))
		if of, figures := group.meter.Sum(); of != "" {
			list := make([]string, len(figures))
			for i, f := range figures {
				list[i] = fmt.Sprintf("%d %s", f.Count, f.Name)
			}
			s.Note("%s: %s", of, strings.Join(list, ", "))
		}
		solving := group.solving.Seconds()
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

// A lapInput is a problem to read, or why there is none.
type lapInput struct {
	lapfile.File
	err error
}

// listProblems lists the problems behind the arguments.
func listProblems(args []string) []lapInput {
	var inputs []lapInput
	for _, arg := range args {
		files, err := lapfile.List(arg)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = cli.Usagef("%s does not exist", arg)
		case err == nil && len(files) == 0:
			err = cli.Usagef("%s holds no problems", arg)
		}
		for _, f := range files {
			inputs = append(inputs, lapInput{File: f})
		}
		if err != nil {
			inputs = append(inputs, lapInput{File: lapfile.File{Name: arg}, err: cli.BadInput(err)})
		}
	}
	return inputs
}

// tell prints one problem and its answer.
func (l *lapRun) tell(it *lapItem) error {
	f, p, sol := &it.input.File, it.p, it.sol
	err := it.err
	bad, infeasible := errors.AsType[*mapsolver.InfeasibleError](err)
	if err != nil && !infeasible {
		return err
	}
	answer := &lapAnswer{File: f.Name, Status: "optimal", Rows: p.Rows, Cols: p.Cols}
	objective, gap, assigned := math.NaN(), math.NaN(), 0
	if infeasible && it.wrong != nil {
		return fmt.Errorf("%s: the answer is wrong: %w", f.Name, errors.Join(bad, it.wrong))
	}
	if infeasible {
		answer.Status = "infeasible"
		answer.HallRows, answer.HallCols = bad.Rows, bad.Cols
		l.infeasible++
		err = &cli.Fault{Status: cli.ExitInfeasible, Err: fmt.Errorf("%s: %w", f.Name, bad), Hint: l.infeasibleHint()}
	} else {
		objective, gap = sol.Cost, it.gap
		if l.o.Maximize {
			objective = 0 - objective
		}
		if it.wrong != nil {
			err = fmt.Errorf("%s: the answer is wrong: %w", f.Name, it.wrong)
		}
		for _, c := range sol.ColOf {
			if c >= 0 {
				assigned++
			}
		}
		answer.Objective, answer.Assignment = &objective, sol.ColOf
		answer.RowPrices, answer.ColPrices = sol.U, sol.V
		if it.certified {
			l.optimal++
		} else {
			l.feasible++
			answer.Status = "feasible"
		}
		l.sum += objective
	}
	if stated, ok := f.Optimum(); ok && (math.IsInf(stated, 1) != infeasible || !infeasible && !solvers.Agrees(p, sol, stated)) {
		err = errors.Join(err, fmt.Errorf("%s: the answer costs %v, the file says %v", f.Name, objective, stated))
	}
	r := cli.Record{
		{Key: "file", Value: f.Name},
		{Key: "status", Value: answer.Status},
		{Key: "objective", Value: objective},
		{Key: "rows", Value: p.Rows},
		{Key: "cols", Value: p.Cols},
		{Key: "nnz", Value: len(p.Col)},
		{Key: "assigned", Value: assigned},
		{Key: "certified", Value: it.certified},
		{Key: "duality_gap", Value: gap},
		{Key: "solver", Value: it.solver},
		{Key: "rows_scanned", Value: sol.Stats.RowsScanned},
		{Key: "bids", Value: sol.Stats.Bids},
		{Key: "seconds", Value: it.seconds},
	}
	return errors.Join(l.keep(answer), l.print(r), err)
}

// infeasibleHint says what to try.
func (l *lapRun) infeasibleHint() string {
	if l.infeasible > 1 {
		return "" // said once
	}
	return "with --partial rows and columns may stay free"
}

// print prints a record, or keeps it for the table.
func (l *lapRun) print(r cli.Record) error {
	if l.s.Common.Format == "text" {
		l.rows = append(l.rows, r)
		return nil
	}
	return l.s.Out.Print(r)
}

// keep appends an answer to what --out gets.
func (l *lapRun) keep(a *lapAnswer) error {
	if l.s.Common.Out == "" {
		return nil
	}
	return json.NewEncoder(&l.answers).Encode(a)
}

// write writes what --out gets.
func (l *lapRun) write() error {
	if l.s.Common.Out == "" {
		return nil
	}
	return runfolder.WriteFile(l.s.Common.Out, func(w io.Writer) error {
		_, err := w.Write(l.answers.Bytes())
		return err
	})
}

// readAnswers reads what --out wrote.
func readAnswers(name string) (map[string]*lapAnswer, error) {
	if err := task.CheckFile(name); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	answers := make(map[string]*lapAnswer)
	number := 0
	for line := range bytes.Lines(data) {
		number++
		a := new(lapAnswer)
		if err := json.Unmarshal(line, a); err != nil {
			column := 1
			if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
				column = int(syntax.Offset)
			}
			return nil, cli.Usagef("%s:%d:%d: %v", name, number, column, err).Hinted("'mtt lap --out FILE' writes files that --warm reads")
		}
		answers[a.File] = a
	}
	return answers, nil
}
