// Package lap solves assignment problems from files, many at a time: what [List] finds, a [Group] reads,
// solves and checks, and a [Report] tells of each [Outcome].
package lap

// This file says what is to be solved.

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"mtt/internal/cli"
	"mtt/internal/solvers"
	"mtt/internal/task"
	"mtt/mapsolver/lapfile"
)

// Options say how to read and solve.
type Options struct {
	lapfile.Options
	Solver string // name
	Warm   string // file to start from, see [Answer]; "": none
}

// Bind makes the options that set o.
func (o *Options) Bind() []cli.Option {
	o.Solver, o.Format = "auto", "auto"
	return []cli.Option{
		cli.Choice(&o.Solver, "solver", solvers.Names(), "`SOLVER`: one that 'mtt solvers' lists; auto chooses for each problem"),
		cli.Boolean(&o.Maximize, "maximize", "the numbers are rewards: make their sum as large as possible"),
		cli.Boolean(&o.ForbiddenZero, "forbidden-zero", "a 0 marks a forbidden pair"),
		cli.Boolean(&o.Partial, "partial", "rows and columns may stay free at no cost"),
		cli.Text(&o.Warm, "warm", "`FILE` that --out wrote: start from its prices and pairs, problem by problem"),
		cli.Choice(&o.Format, "as", append([]string{"auto"}, lapfile.Formats()...), "`FORMAT` of the files: auto tells it by the content"),
	}
}

// An Input is a problem to read, or why there is none.
type Input struct {
	lapfile.File
	Err error // nil: there is one
}

// List lists the problems behind the arguments. The argument - is stdin, once; nil: there is none.
func List(args []string, stdin io.Reader) []Input {
	var inputs []Input
	piped := false
	for _, arg := range args {
		var files []lapfile.File
		var err error
		switch {
		case arg != "-" || stdin == nil:
			files, err = lapfile.List(arg)
		case piped:
			err = cli.Usagef("- is standard input, which can be read once only")
		default:
			files, err = lapfile.ListFrom(arg, stdin)
			piped = true
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = cli.Usagef("%s does not exist", arg)
		case err == nil && len(files) == 0:
			err = cli.Usagef("%s holds no problems", arg)
		}
		for _, f := range files {
			inputs = append(inputs, Input{File: f})
		}
		if err != nil {
			inputs = append(inputs, Input{File: lapfile.File{Name: arg}, Err: cli.BadInput(err)})
		}
	}
	return inputs
}

// Names are the names of the inputs.
func Names(inputs []Input) []string {
	names := make([]string, len(inputs))
	for i := range inputs {
		names[i] = inputs[i].Name
	}
	return names
}

// An Answer is what --out keeps of one problem.
type Answer struct {
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

// readAnswers reads what --out wrote.
func readAnswers(name string) (map[string]*Answer, error) {
	if err := task.CheckFile(name); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	answers := make(map[string]*Answer)
	number := 0
	for line := range bytes.Lines(data) {
		number++
		a := new(Answer)
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
