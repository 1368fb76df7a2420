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
	"strconv"
	"time"

	"mtt/internal/runfolder"
	"mtt/mapsolver"
	"mtt/mapsolver/lapfile"
)

// lapOptions say how to read and solve.
type lapOptions struct {
	lapfile.Options
	solver string
	warm   string // file
}

// bind makes the options that set o.
func (o *lapOptions) bind() []option {
	o.solver, o.Format = "auto", "auto"
	return []option{
		choice(&o.solver, "solver", solverNames(), "`SOLVER`: one that 'mtt solvers' lists; auto chooses for each problem"),
		boolean(&o.Maximize, "maximize", "the numbers are rewards: make their sum as large as possible"),
		boolean(&o.ForbiddenZero, "forbidden-zero", "a 0 marks a forbidden pair"),
		boolean(&o.Partial, "partial", "rows and columns may stay free at no cost"),
		text(&o.warm, "warm", "`FILE` that --out wrote: start from its prices and pairs, problem by problem"),
		choice(&o.Format, "as", append([]string{"auto"}, lapfile.Formats()...), "`FORMAT` of the files: auto tells it by the content"),
	}
}

func newLapCommand() *command {
	o := &lapOptions{}
	c := &command{
		name:    "lap",
		summary: "solves linear assignment problems from files",
		args:    "FILE…",
		maxArgs: -1,
		about: "Pairs the rows of each problem with its columns at the least cost. The smaller side is\n" +
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
			"prove it within 1e-9 of the largest number of the problem; of an infeasible problem, that\n" +
			"the proof holds. Many problems are solved on several processors, see --workers; the\n" +
			"answers come in the order of the inputs.\n\n" +
			"With --out each line holds a problem's assignment (the column of each row, from 0, -1 when\n" +
			"free) and prices of rows and columns, in costs: rewards count negative.\n",
		examples: "mtt lap costs.csv\n" +
			"mtt lap rewards.csv --maximize --forbidden-zero --partial --format json\n" +
			"mtt lap costs.csv costs.mtx --solver auction -o answers.jsonl\n",
		outUsage: "`FILE` for assignments and prices, one JSON object a line, which --warm reads",
		options:  o.bind(),
	}
	c.run = func(ctx context.Context, s *session, args []string) error { return runLap(ctx, s, c, o, args) }
	return c
}

// A lapRun solves the problems of one command line.
type lapRun struct {
	s       *session
	o       *lapOptions
	answers bytes.Buffer // for --out
	rows    []record     // for text, which is one table

	sum                 float64 // of the objectives
	optimal, infeasible int
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

func runLap(ctx context.Context, s *session, c *command, o *lapOptions, args []string) error {
	if len(args) == 0 {
		return usagef("name a file with an assignment problem").hinted("usage: %s", usageLine(c))
	}
	newSolver, err := solverOf(o.solver)
	if err != nil {
		return err
	}
	l := &lapRun{s: s, o: o}
	began := time.Now()
	inputs := listProblems(args)
	group := newLapGroup(o, newSolver, inputs)
	if o.warm != "" {
		if group.warm, err = readAnswers(o.warm); err != nil {
			return badInput(err)
		}
	}
	names := make([]string, len(inputs))
	for i := range inputs {
		names[i] = inputs[i].Name
	}
	line := s.startProgress(ctx, "problems", len(inputs))
	done := 0
	err = eachInput(ctx, s, names, func(ctx context.Context, _ string) error {
		done++
		line.set(done, fmt.Sprintf("%d infeasible", l.infeasible))
		return l.tell(group.take(ctx))
	})
	line.done()
	if len(l.rows) == 1 && len(inputs) == 1 {
		err = errors.Join(err, s.out.print(l.rows[0]))
	} else {
		err = errors.Join(err, s.out.printRows(l.rows))
	}
	if s.common.Out != "" {
		err = errors.Join(err, runfolder.WriteFile(s.common.Out, func(w io.Writer) error {
			_, err := w.Write(l.answers.Bytes())
			return err
		}))
	}
	if done := l.optimal + l.infeasible; len(inputs) > 1 && done > 0 {
		total := time.Since(began).Seconds()
		s.note("%d problems: %d optimal, %d infeasible; the objectives add up to %s",
			done, l.optimal, l.infeasible, strconv.FormatFloat(l.sum, 'f', -1, 64))
		if u, ok := group.report(); ok {
			s.note("%d cycles of the accelerator in %d starts, %d of them of the core; its own pairs were optimal in %d problems",
				u.Total, u.Starts, u.Core.Cycles, u.Optimal)
		}
		solving := group.solving.Seconds()
		s.note("%.3g s, %s files/s; solved and checked in %.3g s, %s problems/s", total, rate(done, total),
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
			err = usagef("%s does not exist", arg)
		case err == nil && len(files) == 0:
			err = usagef("%s holds no problems", arg)
		}
		for _, f := range files {
			inputs = append(inputs, lapInput{File: f})
		}
		if err != nil {
			inputs = append(inputs, lapInput{File: lapfile.File{Name: arg}, err: badInput(err)})
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
	if infeasible {
		answer.Status = "infeasible"
		answer.HallRows, answer.HallCols = bad.Rows, bad.Cols
		l.infeasible++
		err = &fault{status: exitInfeasible, err: fmt.Errorf("%s: %w", f.Name, bad), hint: l.infeasibleHint()}
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
		l.optimal++
		l.sum += objective
	}
	if stated, ok := f.Optimum(); ok && (math.IsInf(stated, 1) != infeasible || !infeasible && !agrees(stated, objective, largest(p))) {
		err = errors.Join(err, fmt.Errorf("%s: the answer costs %v, the file says %v", f.Name, objective, stated))
	}
	r := record{
		{key: "file", value: f.Name},
		{key: "status", value: answer.Status},
		{key: "objective", value: objective},
		{key: "rows", value: p.Rows},
		{key: "cols", value: p.Cols},
		{key: "nnz", value: len(p.Col)},
		{key: "assigned", value: assigned},
		{key: "certified", value: it.certified},
		{key: "duality_gap", value: gap},
		{key: "solver", value: it.solver},
		{key: "rows_scanned", value: sol.Stats.RowsScanned},
		{key: "bids", value: sol.Stats.Bids},
		{key: "seconds", value: it.seconds},
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
func (l *lapRun) print(r record) error {
	if l.s.common.Format == "text" {
		l.rows = append(l.rows, r)
		return nil
	}
	return l.s.out.print(r)
}

// keep appends an answer to what --out gets.
func (l *lapRun) keep(a *lapAnswer) error {
	if l.s.common.Out == "" {
		return nil
	}
	return json.NewEncoder(&l.answers).Encode(a)
}

// readAnswers reads what --out wrote.
func readAnswers(name string) (map[string]*lapAnswer, error) {
	if err := checkFile(name); err != nil {
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
			return nil, usagef("%s:%d:%d: %v", name, number, column, err).hinted("'mtt lap --out FILE' writes files that --warm reads")
		}
		answers[a.File] = a
	}
	return answers, nil
}

// agrees says whether a cost is the one that the file states, within rounding of
// costs of the given size.
func agrees(stated, found, size float64) bool {
	return math.Abs(found-stated) <= 1e-9*max(size, math.Abs(stated))
}

// largest is the largest magnitude of a cost of p.
func largest(p *mapsolver.Problem) float64 {
	most := 0.0
	for _, x := range p.Cost {
		most = max(most, math.Abs(x))
	}
	return most
}
