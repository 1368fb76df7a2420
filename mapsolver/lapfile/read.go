package lapfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"mtt/internal/npz"
	"mtt/internal/text"
	"mtt/mapsolver"
)

// This file turns the content of a file into a problem.

// Options say what the numbers of a file mean. The zero value is: costs, to be
// minimised, the smaller side served completely.
type Options struct {
	// Format is one of [Formats]; "" or "auto": told by the content.
	Format string

	// Maximize takes the numbers for rewards: a cost is their negative.
	Maximize bool

	// ForbiddenZero makes 0 a forbidden pair.
	ForbiddenZero bool

	// Partial lets rows and columns stay free at no cost: with Maximize, the
	// assignment of greatest weight, whether it serves every row or not.
	Partial bool
}

// Formats lists the names of the formats.
func Formats() []string { return []string{"table", "orlib", "orlib-sparse", "mm", "npy"} }

// A SyntaxError says where a file is wrong.
type SyntaxError = text.SyntaxError

// Read reads the problem of f. A problem it returns passes
// [mapsolver.Problem.Validate].
func (f *File) Read(o *Options) (*mapsolver.Problem, error) {
	if f.laps != nil {
		if o != nil && (o.Maximize || o.ForbiddenZero || o.Partial) {
			return nil, &SyntaxError{File: f.Name, Msg: "a corpus says itself what its numbers mean",
				Hint: "leave the options for rewards, zeros and partial answers away"}
		}
		p, _, err := f.laps.read()
		return p, err
	}
	data, err := f.bytes()
	if err != nil {
		return nil, err
	}
	return Decode(data, f.Name, o)
}

// Decode reads one problem, not compressed. The name is for errors, and tells a
// table when it ends in .csv or .tsv. A nil o is the zero value.
//
// Memory grows with the data that is there, not with what a header promises.
func Decode(data []byte, name string, o *Options) (*mapsolver.Problem, error) {
	if o == nil {
		o = &Options{}
	}
	b := &builder{o: o, p: &mapsolver.Problem{Ptr: []int{0}}}
	t := &source{name: name, rest: text.WithoutMark(data)}
	format := o.Format
	if format == "" || format == "auto" {
		format = guess(t.rest, name)
	}
	if what, hint := text.Binary(t.rest); what != "" && format != "npy" {
		return nil, &SyntaxError{File: name, Msg: "the file is " + what, Hint: hint}
	}
	var err error
	switch format {
	case "table":
		err = readTable(t, b)
	case "orlib":
		err = readORLibrary(t, b)
	case "orlib-sparse":
		err = readORLibrarySparse(t, b)
	case "mm":
		err = readMatrixMarket(t, b)
	case "npy":
		err = readNumpy(t, b)
	default:
		panic("lapfile: unknown format " + format)
	}
	if err != nil {
		return nil, err
	}
	p := b.p
	if int64(len(p.Col)) > math.MaxInt32 || p.Rows > math.MaxInt32 || p.Cols > math.MaxInt32 {
		return nil, &SyntaxError{File: name, Msg: fmt.Sprintf("%d×%d with %d entries is too large", p.Rows, p.Cols, len(p.Col))}
	}
	if o.Partial {
		p.RowMiss = make([]float64, p.Rows)
	}
	return p, nil
}

// isNpz says whether an archive of zip begins with an array.
func isNpz(data []byte) bool {
	if len(data) < 30 || string(data[:4]) != "PK\x03\x04" {
		return false
	}
	n := int(binary.LittleEndian.Uint16(data[26:]))
	return bytes.HasSuffix(data[30:min(30+n, len(data))], []byte(".npy"))
}

// isMatrixMarket reports whether data begin with the banner of MatrixMarket, or with one of which the
// program that wrote it took a percent sign for its own: as a table, its sizes and indices would be costs.
func isMatrixMarket(data []byte) bool {
	const word = "MatrixMarket"
	banner := bytes.TrimLeft(data[:min(len(data), 2+len(word))], "%")
	return len(data) > 0 && data[0] == '%' && len(banner) >= len(word) && strings.EqualFold(string(banner[:len(word)]), word)
}

// guess tells the format by the content, and a table by its name.
func guess(data []byte, name string) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x93NUMPY")), isNpz(data):
		return "npy"
	case isMatrixMarket(data):
		return "mm"
	}
	switch strings.ToLower(filepath.Ext(unzipped(name))) {
	case ".csv", ".tsv":
		return "table"
	}
	return guessORLibrary(&source{rest: data})
}

// guessORLibrary looks for a single number n, alone on the first line, with what
// follows it: n·n numbers, or lines of three. Where these are as many, it is sparse if all of
// them are places, each once; a square of three by three that could be both is dense.
func guessORLibrary(t *source) string {
	first, ok := t.next()
	if !ok || bytes.ContainsAny(first, ",;") {
		return "table"
	}
	x, ok := number(bytes.TrimSpace(first))
	if !ok || x < 1 || x != math.Trunc(x) || x > math.MaxInt32 {
		return "table"
	}
	n, total, triples, rows := int(x), 0, true, *t
	for {
		line, ok := t.next()
		if !ok {
			break
		}
		words := 0
		for word := range bytes.FieldsSeq(line) {
			if bytes.ContainsAny(word, ",;") {
				return "table"
			}
			words++
		}
		total += words
		triples = triples && words == 3
	}
	switch {
	case total == n*n && n > 3 && triples && places(&rows, n):
		return "orlib-sparse"
	case total == n*n:
		return "orlib"
	case triples && total > 0:
		return "orlib-sparse"
	case n > 2 && total > n*(n-1) && total < n*n: // its reader says what is missing
		return "orlib"
	}
	return "table"
}

// places reports whether the lines of t, n·n/3 of three words, begin with places in a square of n by n,
// each with one of its own.
func places(t *source, n int) bool {
	known := make([]bool, n*n)
	for {
		line, ok := t.next()
		if !ok {
			return true
		}
		at := 0
		for _, word := range bytes.Fields(line)[:2] {
			x, ok := number(word)
			if !ok || x < 1 || x > float64(n) || x != math.Trunc(x) {
				return false
			}
			at = n*at + int(x) - 1
		}
		if known[at] {
			return false
		}
		known[at] = true
	}
}

// A builder collects the entries of a problem.
type builder struct {
	o *Options
	p *mapsolver.Problem
}

// cost is what a number of the file costs, and whether the pair is allowed. The
// fault is "" when the number is fine.
func (b *builder) cost(x float64) (cost float64, allowed bool, fault string) {
	switch {
	case x != x:
		return 0, false, "NaN is not a cost"
	case math.IsInf(x, 1), math.IsInf(x, -1) && b.o.Maximize:
		return 0, false, ""
	case math.IsInf(x, -1):
		return 0, false, "a cost of -Inf is not allowed"
	case x == 0 && b.o.ForbiddenZero:
		return 0, false, ""
	case math.Abs(x) > mapsolver.MaxMagnitude:
		return 0, false, fmt.Sprintf("the number is larger than %g", mapsolver.MaxMagnitude)
	case b.o.Maximize:
		return 0 - x, true, ""
	}
	return x, true, ""
}

// forbidHint says how to write a forbidden pair.
const forbidHint = "write inf for a forbidden pair"

// append adds the next entry of the last row.
func (b *builder) append(c int, x float64) (fault string) {
	cost, allowed, fault := b.cost(x)
	if allowed {
		b.p.Col = append(b.p.Col, int32(c))
		b.p.Cost = append(b.p.Cost, cost)
	}
	return fault
}

// room makes room for that many rows of n numbers in so many bytes of text, where each takes two
// at least: a large problem is then not kept twice while it grows.
func (b *builder) room(rows, n, bytes int) {
	entries := bytes/2 + 1
	if n <= entries/rows {
		entries = rows * n
	}
	b.p.Ptr = slices.Grow(b.p.Ptr, min(rows, entries)+1)
	b.p.Col, b.p.Cost = slices.Grow(b.p.Col, entries), slices.Grow(b.p.Cost, entries)
}

// endRow ends the last row.
func (b *builder) endRow() {
	b.p.Ptr = append(b.p.Ptr, len(b.p.Col))
	b.p.Rows++
}

// A triple is an entry of a file that lists coordinates, from 0.
type triple struct {
	row, col int32
	line     int
	x        float64
}

// scatter makes the problem of rows×cols of its entries in any order.
func (b *builder) scatter(name string, rows, cols int, list []triple) error {
	slices.SortStableFunc(list, func(s, t triple) int {
		if s.row != t.row {
			return int(s.row) - int(t.row)
		}
		return int(s.col) - int(t.col)
	})
	b.p.Cols = cols
	for k, e := range list {
		if k > 0 && list[k-1].row == e.row && list[k-1].col == e.col {
			return &SyntaxError{File: name, Line: e.line,
				Msg:  fmt.Sprintf("row %d, column %d is given again after line %d", e.row+1, e.col+1, list[k-1].line),
				Hint: "keep one of the two"}
		}
		for b.p.Rows < int(e.row) {
			b.endRow()
		}
		if fault := b.append(int(e.col), e.x); fault != "" {
			return &SyntaxError{File: name, Line: e.line, Msg: fault}
		}
	}
	for b.p.Rows < rows {
		b.endRow()
	}
	return nil
}

// readNumpy reads an array of two dimensions, or a vector as one row.
func readNumpy(t *source, b *builder) error {
	r := bytes.NewReader(t.rest)
	var a *npz.Array
	var err error
	if isNpz(t.rest) {
		f, e := npz.NewFile(r, r.Size())
		if e != nil {
			return &SyntaxError{File: t.name, Msg: e.Error(), Hint: "it may have been cut short"}
		}
		names := f.Names()
		if slices.Contains(names, "format") && slices.Contains(names, "shape") {
			return readSparse(t, b, f)
		}
		if len(names) != 1 {
			return &SyntaxError{File: t.name, Msg: fmt.Sprintf("the archive holds %s (%s), a problem is one", text.Count(len(names), "array"), strings.Join(names, ", ")),
				Hint: "save the one that is meant: numpy.save(\"costs.npy\", numpy.load(…)[\"NAME\"])"}
		}
		a, err = f.Array(names[0])
		r.Reset(nil)
	} else {
		a, err = npz.Decode(r)
	}
	if shape, ok := errors.AsType[*npz.ShapeError](err); ok {
		return &SyntaxError{File: t.name, Msg: fmt.Sprintf("the array has the shape %s: costs have two dimensions, rows and columns", shape.String()),
			Hint: "save one matrix of it, such as a[0], by numpy.save"}
	}
	if err != nil {
		return &SyntaxError{File: t.name, Msg: err.Error(), Hint: "numpy.save writes files that can be read"}
	}
	if r.Len() > 0 {
		return &SyntaxError{File: t.name, Msg: fmt.Sprintf("%d bytes follow the array", r.Len()), Hint: "the file holds more than one array"}
	}
	rows, cols := 1, 1
	switch len(a.Shape) {
	case 1:
		cols = a.Shape[0]
	case 2:
		rows, cols = a.Shape[0], a.Shape[1]
	}
	if len(a.Shape) == 2 && (rows > len(t.rest) || cols > len(t.rest)) { // the other is 0
		return &SyntaxError{File: t.name, Msg: fmt.Sprintf("an array of %d×%d", rows, cols)}
	}
	b.p.Cols = cols
	x := a.Float64s()
	// Costs take the place of the elements, which none of them comes before.
	b.p.Ptr = slices.Grow(b.p.Ptr, rows)
	b.p.Col, b.p.Cost = make([]int32, 0, len(x)), x[:0]
	for r := range rows {
		for c := range cols {
			if fault := b.append(c, x[r*cols+c]); fault != "" {
				return &SyntaxError{File: t.name, Msg: fmt.Sprintf("element [%d, %d]: %s", r, c, fault), Hint: forbidHint}
			}
		}
		b.endRow()
	}
	return nil
}
