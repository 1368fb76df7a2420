package measure

// This file reads published tables, which are kept as CSV in the program.

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"
)

// A Table holds the numbers of a table of a paper.
type Table struct {
	Columns []string
	Rows    [][]float64 // NaN where the paper says nothing
}

// ReadTable reads CSV: lines that begin with # say where the numbers are from, then come
// names of columns, then numbers. As such tables are compiled in, it panics when
// something is wrong.
func ReadTable(text string) Table {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		panic("measure: a published table is no CSV: " + err.Error())
	}
	t := Table{Columns: lines[0]}
	for _, line := range lines[1:] {
		row := make([]float64, len(line))
		for k, word := range line {
			if row[k], err = strconv.ParseFloat(word, 64); word == "" {
				row[k] = math.NaN()
			} else if err != nil {
				panic("measure: a published table has no number at " + word)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
