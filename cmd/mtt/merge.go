package main

// This file is "mtt merge": the shards of a sweep as one result.

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"mtt/internal/runfolder"
)

// sweepFile is the result of a sweep: a row for each scene.
const sweepFile = "sweep.csv"

func newMergeCommand() *command {
	c := &command{
		name:    "merge",
		summary: "puts the shards of a sweep together: sweep.csv and a table",
		args:    "[FOLDER…]",
		maxArgs: -1,
		about: "Reads the shards that mtt sweep --shard left in the folders (default: " + sweepFolder + ") and\n" +
			"makes what mtt sweep would have made at once, to the byte.\n",
		examples: "mtt sweep sweep.toml\n" +
			"mtt merge\n",
		outUsage: "`FOLDER` for sweep.csv (default: the first FOLDER)",
	}
	c.run = func(_ context.Context, s *session, args []string) error {
		if len(args) == 0 {
			args = []string{sweepFolder}
		}
		return mergeSweep(s, s.outOr(args[0]), args)
	}
	return c
}

// mergeSweep merges the shards in the folders from, writes sweep.csv into dir and
// prints the table.
func mergeSweep(s *session, dir string, from []string) error {
	plan, lines, err := gatherShards(from)
	if err != nil {
		return err
	}
	rows := make([]sweepRow, len(lines))
	for i, line := range lines {
		if err := rows[i].parse(line); err != nil {
			return badInput(fmt.Errorf("task %d: %w", i, err))
		}
	}
	if err := runfolder.WriteFile(filepath.Join(dir, sweepFile), func(w io.Writer) error { return writeSweep(w, rows) }); err != nil {
		return err
	}
	table := make([]record, plan.cases())
	failed := 0
	for c := range table {
		of := rows[c*plan.Seeds : (c+1)*plan.Seeds]
		table[c] = plan.summary(c, of)
		for i := range of {
			if of[i].value("status") == "failed" {
				if failed++; failed == 1 {
					s.log.Warn(fmt.Sprintf("task %d failed: %s", c*plan.Seeds+i, of[i].value("error")))
				}
			}
		}
	}
	if err := s.out.printRows(table); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d tasks failed; %s says why", failed, len(rows), filepath.Join(dir, sweepFile))
	}
	return nil
}

// gatherShards reads the shards in the folders: the plan and the line of every task.
func gatherShards(dirs []string) (*sweepPlan, [][]byte, error) {
	var plan *sweepPlan
	var first string
	lines := make(map[int][]byte)
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "shard-*-of-*.jsonl"))
		if err != nil {
			return nil, nil, err
		}
		if len(files) == 0 {
			return nil, nil, usagef("%s holds no shard of a sweep", dir).hinted("mtt sweep makes them")
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
				return nil, nil, usagef("%s and %s are of different sweeps, seeds or versions of mtt", first, path)
			}
			for i, line := range j.done {
				if old, ok := lines[i]; ok && !bytes.Equal(old, line) {
					return nil, nil, usagef("%s: task %d has another result elsewhere", path, i)
				}
				lines[i] = line
			}
		}
	}
	ordered := make([][]byte, plan.tasks())
	missing := 0
	for i := range ordered {
		if ordered[i] = lines[i]; ordered[i] == nil {
			missing++
		}
	}
	if missing > 0 {
		return nil, nil, usagef("%d of %d tasks are missing, the first is %d", missing, len(ordered), slices.IndexFunc(ordered, func(l []byte) bool { return l == nil })).
			hinted("run the shards that are missing or were interrupted; name all folders")
	}
	return plan, ordered, nil
}

// A sweepRow is a line of a journal: keys and values in order, as text.
type sweepRow struct{ keys, values []string }

// parse reads a line.
func (r *sweepRow) parse(line []byte) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return err
		}
		r.keys, r.values = append(r.keys, fmt.Sprint(key)), append(r.values, exact(value))
	}
	return nil
}

// value is that of key, "" for none.
func (r *sweepRow) value(key string) string {
	if i := slices.Index(r.keys, key); i >= 0 {
		return r.values[i]
	}
	return ""
}

// number is the value of key, NaN for none.
func (r *sweepRow) number(key string) float64 {
	x, err := strconv.ParseFloat(r.value(key), 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// writeSweep writes the rows as CSV under the keys of all.
func writeSweep(w io.Writer, rows []sweepRow) error {
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
func (p *sweepPlan) summary(c int, rows []sweepRow) record {
	r := p.axisFields(c)
	ok := slices.DeleteFunc(slices.Clone(rows), func(row sweepRow) bool { return row.value("status") == "failed" })
	optimal := 0
	for i := range ok {
		if ok[i].value("status") == "optimal" {
			optimal++
		}
	}
	r.add("scenes", len(rows))
	r.add("failed", len(rows)-len(ok))
	r.add("optimal", optimal)
	series := func(key string) series {
		v := make(series, len(ok))
		for i := range ok {
			v[i] = ok[i].number(key)
		}
		return v
	}
	r = append(r, series("gap_percent").mean("gap_percent"))
	for _, key := range []string{"mmep", "itcp"} {
		v := series(key)
		r = append(r, v.mean(key), field{key: key + "_se", value: v.standardError(), digits: 2})
	}
	for _, key := range []string{"mota", "idf1", "hota", "gospa"} {
		r = append(r, series(key).mean(key))
	}
	return r
}
