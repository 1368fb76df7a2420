package dataset

// This file reads single columns of a table of a run folder.

import (
	"fmt"
	"io"
	"math"
	"slices"

	"mtt/internal/text"
)

// ReadColumns reads the columns of those names of a table with a header, such as
// tracks.csv: a number for each row, NaN where a field is empty. It is nil where a
// column is not there; one that is there twice is an error. Errors name file, line and column.
func ReadColumns(r io.Reader, file string, names ...string) ([][]float64, error) {
	lr := text.NewLines(r, file)
	line, err := lr.Next()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l := &layout{sep: ',', names: split(line, ',')}
	which := make([]int, len(l.names)) // of the columns asked for; -1: none
	for c, name := range l.names {
		which[c] = slices.Index(names, name)
		if which[c] >= 0 && slices.Contains(which[:c], which[c]) {
			return nil, &SyntaxError{File: file, Line: lr.Line, Col: fieldStart(line, ',', c), Msg: fmt.Sprintf("column %q is there twice", name),
				Hint: "rename or remove one of the two"}
		}
		l.roles = append(l.roles, skip)
		if which[c] >= 0 {
			l.roles[c] = posX // any number
		}
	}
	for k := range names {
		if !slices.Contains(which, k) {
			return nil, nil
		}
	}
	columns := make([][]float64, len(names))
	for {
		line, err := lr.Next()
		if err == io.EOF {
			return columns, nil
		}
		if err != nil {
			return nil, err
		}
		at := 0
		for c := range which {
			lo, hi, next := field(line, at, l.sep)
			if lo < 0 {
				return nil, wrongWidth(lr, l, line)
			}
			at = next
			if which[c] < 0 {
				continue
			}
			x, ok := parseFloat(line[lo:hi])
			if lo == hi {
				x, ok = math.NaN(), true
			}
			if !ok {
				return nil, badNumber(lr, l, c, line, lo, hi)
			}
			columns[which[c]] = append(columns[which[c]], x)
		}
	}
}
