package lap

// This file says what became of a problem, and tells it.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/solvers"
	"mtt/mapsolver"
)

// An Outcome is what is known of a problem in the end. It can be sent as JSON.
type Outcome struct {
	Answer      *Answer      `json:"answer,omitempty"` // nil: there is none, not even that there cannot be one
	Entries     int          `json:"nnz,omitempty"`
	Assigned    int          `json:"assigned,omitempty"`
	Certified   bool         `json:"certified,omitempty"`
	Gap         *float64     `json:"gap,omitempty"` // nil: infeasible
	Solver      string       `json:"solver,omitempty"`
	RowsScanned int          `json:"rows_scanned,omitempty"`
	Bids        int          `json:"bids,omitempty"`
	Seconds     float64      `json:"seconds,omitempty"` // reading, solving and checking
	Failure     *cli.Failure `json:"failure,omitempty"`

	err error // of which Failure is the text
}

// fail sets what went wrong; nil: nothing.
func (r *Outcome) fail(err error) { r.err, r.Failure = err, cli.FailureOf(err) }

// Err is what went wrong, or that the problem is infeasible; nil: nothing.
func (r *Outcome) Err() error {
	if r.err == nil {
		return r.Failure.Err()
	}
	return r.err
}

// outcome says what became of the problem.
func (it *item) outcome(o *Options) *Outcome {
	r := new(Outcome)
	f, p, sol := &it.input.File, it.p, it.sol
	bad, infeasible := errors.AsType[*mapsolver.InfeasibleError](it.err)
	if it.err != nil && !infeasible {
		r.fail(it.err)
		return r
	}
	var wrong error
	if it.wrong != nil {
		wrong = fmt.Errorf("%s: the answer is wrong: %w", f.Name, errors.Join(it.err, it.wrong))
	}
	if infeasible && wrong != nil {
		r.fail(wrong)
		return r
	}
	answer := &Answer{File: f.Name, Status: "optimal", Rows: p.Rows, Cols: p.Cols}
	*r = Outcome{
		Answer: answer, Entries: len(p.Col), Certified: it.certified, Solver: it.solver,
		RowsScanned: sol.Stats.RowsScanned, Bids: sol.Stats.Bids, Seconds: it.seconds,
	}
	objective := math.NaN()
	if infeasible {
		answer.Status = "infeasible"
		answer.HallRows, answer.HallCols = bad.Rows, bad.Cols
		wrong = &cli.Fault{Status: cli.ExitInfeasible, Err: fmt.Errorf("%s: %w", f.Name, bad)}
	} else {
		objective, r.Gap = sol.Cost, &it.gap
		if o.Maximize {
			objective = 0 - objective
		}
		for _, c := range sol.ColOf {
			if c >= 0 {
				r.Assigned++
			}
		}
		answer.Objective, answer.Assignment = &objective, sol.ColOf
		answer.RowPrices, answer.ColPrices = sol.U, sol.V
		if !it.certified {
			answer.Status = "feasible"
		}
	}
	if stated, ok := f.Optimum(); ok && (math.IsInf(stated, 1) != infeasible || !infeasible && !solvers.Agrees(p, sol, stated)) {
		wrong = errors.Join(wrong, fmt.Errorf("%s: the answer costs %v, the file says %v", f.Name, objective, stated))
	}
	r.fail(wrong)
	return r
}

// A Report tells outcomes, in order, as mtt lap does.
type Report struct {
	s       *cli.Session
	inputs  int
	answers bytes.Buffer // for --out
	rows    []cli.Record // for text, which is one table

	sum                           float64 // of the objectives
	optimal, feasible, infeasible int
}

// NewReport begins a report on so many inputs.
func NewReport(s *cli.Session, inputs int) *Report { return &Report{s: s, inputs: inputs} }

// Told is the number of problems with an answer, or a proof that there is none.
func (l *Report) Told() int { return l.optimal + l.feasible + l.infeasible }

// State says in a few words how it stands.
func (l *Report) State() string { return fmt.Sprintf("%d infeasible", l.infeasible) }

// Tell prints one problem and its answer. The error is that of the outcome, or of printing.
func (l *Report) Tell(r *Outcome) error {
	a, err := r.Answer, r.Err()
	if a == nil {
		return err
	}
	objective, gap := math.NaN(), math.NaN()
	switch a.Status {
	case "infeasible":
		if l.infeasible++; l.infeasible == 1 {
			err = &cli.Fault{Status: cli.ExitInfeasible, Err: err, Hint: "with --partial rows and columns may stay free"}
		}
	case "optimal":
		l.optimal++
	default:
		l.feasible++
	}
	if a.Objective != nil && r.Gap != nil {
		objective, gap = *a.Objective, *r.Gap
		l.sum += objective
	}
	row := cli.Record{
		{Key: "file", Value: a.File},
		{Key: "status", Value: a.Status},
		{Key: "objective", Value: objective},
		{Key: "rows", Value: a.Rows},
		{Key: "cols", Value: a.Cols},
		{Key: "nnz", Value: r.Entries},
		{Key: "assigned", Value: r.Assigned},
		{Key: "certified", Value: r.Certified},
		{Key: "duality_gap", Value: gap},
		{Key: "solver", Value: r.Solver},
		{Key: "rows_scanned", Value: r.RowsScanned},
		{Key: "bids", Value: r.Bids},
		{Key: "seconds", Value: r.Seconds},
	}
	return errors.Join(l.Keep(a), l.print(row), err)
}

// Finish prints the table, writes the file of --out and notes the sums.
func (l *Report) Finish() (err error) {
	if len(l.rows) == 1 && l.inputs == 1 {
		err = l.s.Out.Print(l.rows[0])
	} else {
		err = l.s.Out.PrintRows(l.rows)
	}
	err = errors.Join(err, l.Write())
	if told := l.Told(); l.inputs > 1 && told > 0 {
		unproved := ""
		if l.feasible > 0 {
			unproved = fmt.Sprintf("%d feasible but not proved, ", l.feasible)
		}
		l.s.Note("%d problems: %d optimal, %s%d infeasible; the objectives add up to %s",
			told, l.optimal, unproved, l.infeasible, strconv.FormatFloat(l.sum, 'f', -1, 64))
	}
	return err
}

// Write writes the file of --out, where there is one.
func (l *Report) Write() error {
	if l.s.Common.Out == "" {
		return nil
	}
	return runfolder.WriteFile(l.s.Common.Out, func(w io.Writer) error {
		_, err := w.Write(l.answers.Bytes())
		return err
	})
}

// print prints a record, or keeps it for the table.
func (l *Report) print(r cli.Record) error {
	if l.s.Common.Format == "text" {
		l.rows = append(l.rows, r)
		return nil
	}
	return l.s.Out.Print(r)
}

// Keep appends an answer to what --out gets.
func (l *Report) Keep(a *Answer) error {
	if l.s.Common.Out == "" {
		return nil
	}
	return json.NewEncoder(&l.answers).Encode(a)
}
