package sweep

// This file puts the shards of a sweep together.

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/runfolder"
)

// A Result is a sweep of which every task is done.
type Result struct {
	plan *Plan
	Rows []taskRow // one for each task
}

// Folder is where a sweep that names no folder keeps its files.
const Folder = "runs/sweep"

// Gather reads the shards in the folders.
func Gather(dirs []string) (*Result, error) {
	plan, lines, err := gatherShards(dirs)
	if err != nil {
		return nil, err
	}
	all := &Result{plan, make([]taskRow, len(lines))}
	for i, line := range lines {
		if err := all.Rows[i].parse(line); err != nil {
			return nil, cli.BadInput(fmt.Errorf("task %d: %w", i, err))
		}
	}
	return all, nil
}

// File is the result of a sweep in its folder: a row for each scene.
const File = "sweep.csv"

// Merge gathers the shards in the folders from, writes sweep.csv into dir, prints the table, and is
// an error where tasks failed. mtt sweep and mtt merge end so.
func Merge(ctx context.Context, s *cli.Session, dir string, from []string) error {
	all, err := cli.Await(ctx, func() (*Result, error) { return Gather(from) })
	if err != nil {
		return err
	}
	path := filepath.Join(dir, File)
	if err := runfolder.WriteFile(path, all.WriteCSV); err != nil {
		return err
	}
	failed, first := all.Failed()
	if failed > 0 {
		s.Log.Warn(first)
	}
	if err := s.Out.PrintRows(all.Table()); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d tasks failed; %s says why", failed, len(all.Rows), path)
	}
	return nil
}

// Table has a row for each case.
func (s *Result) Table() []cli.Record {
	table := make([]cli.Record, s.plan.cases())
	for c := range table {
		table[c] = s.plan.summary(c, s.Rows[c*s.plan.Seeds:(c+1)*s.plan.Seeds])
	}
	return table
}

// Failed counts the tasks that failed, and says which was the first and why.
func (s *Result) Failed() (n int, first string) {
	for i := range s.Rows {
		if s.Rows[i].value("status") == "failed" {
			if n++; n == 1 {
				first = fmt.Sprintf("task %d failed: %s", i, s.Rows[i].value("error"))
			}
		}
	}
	return n, first
}

// gatherShards reads the shards in the folders: the plan and the line of every task.
func gatherShards(dirs []string) (*Plan, [][]byte, error) {
	var plan *Plan
	var first string
	lines := make(map[int][]byte)
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "shard-*-of-*.jsonl"))
		if err != nil {
			return nil, nil, err
		}
		if len(files) == 0 {
			return nil, nil, cli.Usagef("%s holds no shard of a sweep", dir).Hinted("mtt sweep makes them")
		}
		for _, path := range files {
			j, err := readJournal(path)
			if err != nil {
				return nil, nil, err
			}
			switch {
			case plan == nil:
				plan, first = &j.sweep, path
			case plan.line() != j.sweep.line():
				return nil, nil, cli.Usagef("%s and %s are of different sweeps, seeds or versions of mtt", first, path)
			}
			for i, line := range j.done {
				if old, ok := lines[i]; ok && !bytes.Equal(old, line) {
					return nil, nil, cli.Usagef("%s: task %d has another result elsewhere", path, i)
				}
				lines[i] = line
			}
		}
	}
	for _, i := range slices.Sorted(maps.Keys(lines)) {
		if i < 0 || i >= plan.tasks() {
			return nil, nil, cli.Usagef("%s: the sweep has no task %d", first, i)
		}
	}
	if missing := plan.tasks() - len(lines); missing > 0 {
		at := 0
		for lines[at] != nil {
			at++
		}
		return nil, nil, cli.Usagef("%d of %d tasks are missing, the first is %d", missing, plan.tasks(), at).
			Hinted("run the shards that are missing or were interrupted; name all folders")
	}
	ordered := make([][]byte, plan.tasks())
	for i := range ordered {
		ordered[i] = lines[i]
	}
	return plan, ordered, nil
}

// A taskRow is a line of a journal: keys and values in order, as text.
type taskRow struct{ keys, values []string }

// parse reads a line.
func (r *taskRow) parse(line []byte) error {
	fields, err := cli.ParseRecord(line)
	for _, f := range fields {
		r.keys, r.values = append(r.keys, f.Key), append(r.values, cli.Exact(f.Value))
	}
	return err
}

// value is that of key, "" for none.
func (r *taskRow) value(key string) string {
	if i := slices.Index(r.keys, key); i >= 0 {
		return r.values[i]
	}
	return ""
}

// number is the value of key, NaN for none.
func (r *taskRow) number(key string) float64 {
	x, err := strconv.ParseFloat(r.value(key), 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// WriteCSV writes the rows as CSV under the keys of all.
func (s *Result) WriteCSV(w io.Writer) error {
	rows := s.Rows
	var header []string
	for i := range rows {
		for _, key := range rows[i].keys {
			if !slices.Contains(header, key) {
				header = append(header, key)
			}
		}
	}
	out := csv.NewWriter(w)
	if err := out.Write(header); err != nil {
		return err
	}
	fields := make([]string, len(header))
	for i := range rows {
		for k, key := range header {
			fields[k] = rows[i].value(key)
		}
		if err := out.Write(fields); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// summary is the row of case c in the table: means over the scenes that did not fail.
func (p *Plan) summary(c int, rows []taskRow) cli.Record {
	r := p.axisFields(c)
	ok := slices.DeleteFunc(slices.Clone(rows), func(row taskRow) bool { return row.value("status") == "failed" })
	optimal := 0
	for i := range ok {
		if ok[i].value("status") == "optimal" {
			optimal++
		}
	}
	r.Add("scenes", len(rows))
	r.Add("failed", len(rows)-len(ok))
	r.Add("optimal", optimal)
	series := func(key string) measure.Series {
		v := make(measure.Series, len(ok))
		for i := range ok {
			v[i] = ok[i].number(key)
		}
		return v
	}
	r = append(r, series("gap_percent").Mean("gap_percent"))
	for _, key := range []string{"mmep", "itcp"} {
		v := series(key)
		r = append(r, v.Mean(key), cli.Field{Key: key + "_se", Value: v.StandardError(), Digits: 2})
	}
	for _, key := range []string{"mota", "idf1", "hota", "gospa"} {
		r = append(r, series(key).Mean(key))
	}
	return r
}
