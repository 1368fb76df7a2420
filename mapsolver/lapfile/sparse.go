package lapfile

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"mtt/internal/npz"
)

// This file reads sparse matrices as scipy.sparse.save_npz writes them: csr, csc and coo.

// canonicalHint says how to write a sparse matrix that is read.
const canonicalHint = "write it by scipy.sparse.save_npz(\"costs.npz\", scipy.sparse.csr_array(costs))"

// readSparse reads the matrix of an archive. What it does not hold is forbidden; a zero that it
// holds is a cost of 0.
func readSparse(t *source, b *builder, f *npz.File) error {
	bad := func(msg, hint string, args ...any) error {
		return &SyntaxError{File: t.name, Msg: fmt.Sprintf(msg, args...), Hint: hint}
	}
	format, err := f.Text("format")
	if err != nil {
		return bad("%v", canonicalHint, err)
	}
	if format != "csr" && format != "csc" && format != "coo" {
		return bad("a sparse matrix of the format %q: csr, csc and coo are read", canonicalHint, format)
	}
	whole := func(name string) (list []int, e error) {
		a, e := f.Array(name)
		if e == nil && len(a.Shape) != 1 {
			e = fmt.Errorf("array %s has %d dimensions", name, len(a.Shape))
		}
		if e != nil {
			err = errors.Join(err, e)
			return nil, e
		}
		switch d := a.Data.(type) {
		case []int32:
			for _, v := range d {
				list = append(list, int(v))
			}
		case []int64:
			for _, v := range d {
				list = append(list, int(v))
			}
		default:
			err = errors.Join(err, fmt.Errorf("array %s has no whole numbers", name))
		}
		return list, err
	}
	shape, _ := whole("shape")
	var values []float64
	if a, e := f.Array("data"); e != nil {
		err = errors.Join(err, e)
	} else if values = a.Float64s(); len(a.Shape) != 1 {
		err = errors.Join(err, fmt.Errorf("array data has %d dimensions", len(a.Shape)))
	}
	if err != nil {
		return bad("%v", canonicalHint, err)
	}
	if len(shape) != 2 {
		return bad("a sparse array of the shape %v: costs have two dimensions, rows and columns", canonicalHint, shape)
	}
	rows, cols := shape[0], shape[1]
	// Rows and columns without an entry take memory: not more than what is there.
	if most := min(max(1<<20, 16*len(values)), math.MaxInt32); rows < 0 || cols < 0 || max(rows, cols) > most {
		return bad("a sparse matrix of %d×%d with %d entries; the limit is %d rows and columns", "leave out those that have no entries", rows, cols, len(values), most)
	}
	var major, minor []int
	switch format {
	case "csr", "csc":
		ptr, _ := whole("indptr")
		minor, _ = whole("indices")
		lines := rows
		if format == "csc" {
			lines = cols
		}
		if err == nil && (len(ptr) != lines+1 || ptr[0] != 0 || !slices.IsSorted(ptr) || ptr[lines] > len(minor) || ptr[lines] > len(values)) {
			err = errors.New("indptr does not fit shape, indices and data")
		}
		if err != nil {
			return bad("%v", canonicalHint, err)
		}
		minor, values = minor[:ptr[lines]], values[:ptr[lines]]
		major = make([]int, 0, len(minor))
		for k := range lines {
			for range ptr[k+1] - ptr[k] {
				major = append(major, k)
			}
		}
		if format == "csc" {
			major, minor = minor, major
		}
	case "coo":
		major, _ = whole("row")
		minor, _ = whole("col")
		if err == nil && (len(major) != len(values) || len(minor) != len(values)) {
			err = errors.New("row, col and data have different lengths")
		}
		if err != nil {
			return bad("%v", canonicalHint, err)
		}
	}
	order := make([]int, len(values))
	for k := range order {
		order[k] = k
		if major[k] < 0 || major[k] >= rows || minor[k] < 0 || minor[k] >= cols {
			return bad("entry %d is at [%d, %d], the shape is %d×%d", "", k, major[k], minor[k], rows, cols)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if major[i] != major[j] {
			return major[i] - major[j]
		}
		return minor[i] - minor[j]
	})
	b.p.Cols = cols
	for n, k := range order {
		if n > 0 && major[order[n-1]] == major[k] && minor[order[n-1]] == minor[k] {
			return bad("element [%d, %d] is given twice", "which is meant? costs.sum_duplicates() adds them", major[k], minor[k])
		}
		for b.p.Rows < major[k] {
			b.endRow()
		}
		if fault := b.append(minor[k], values[k]); fault != "" {
			return bad("element [%d, %d]: %s", "leave a forbidden pair away, or write inf", major[k], minor[k], fault)
		}
	}
	for b.p.Rows < rows {
		b.endRow()
	}
	return nil
}
