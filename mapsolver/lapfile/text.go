package lapfile

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"mtt/internal/text"
)

// This file reads the formats that are text.

// A source is what is left of a file, taken line by line.
type source struct {
	name string
	rest []byte
	line int    // number of the line that next returned, from 1
	at   []byte // that line
}

// next is the next line, without its end; blank lines and lines that begin with #
// or % are skipped, but counted.
func (t *source) next() (line []byte, ok bool) {
	for len(t.rest) > 0 {
		line, t.rest, _ = bytes.Cut(t.rest, []byte("\n"))
		t.line++
		line = bytes.TrimSuffix(line, []byte("\r"))
		if head := bytes.TrimLeft(line, " \t"); len(head) > 0 && head[0] != '#' && head[0] != '%' {
			t.at = line
			return line, true
		}
	}
	return nil, false
}

// fail is an error about a word of the line at hand, or about all of it when
// word is nil.
func (t *source) fail(word []byte, hint, format string, args ...any) error {
	e := &SyntaxError{File: t.name, Line: t.line, Msg: fmt.Sprintf(format, args...), Hint: hint}
	if word != nil {
		e.Col = cap(t.at) - cap(word) + 1 // word is a part of the line: both end with one array
	}
	return e
}

// notNumber is the error for a word that is not a number.
func (t *source) notNumber(word []byte) error {
	show := string(word)
	if len(show) > 20 {
		show = show[:20] + "…"
	}
	hint := ""
	switch {
	case len(word) == 0:
		return t.fail(word, forbidHint, "a number is missing")
	case bytes.IndexByte(word, 0) >= 0:
		hint = text.NotPlain + "; " + text.SaveAsUTF8
	case decimalComma(show):
		hint = text.DecimalPoints
	case pieces(show):
		hint = "commas and blanks separate here: write decimal points, not decimal commas, and one separator"
	case text.Grouped(show):
		hint = text.NoThousands
	case show == "-" || show == "x" || show == "X" || strings.EqualFold(show, "na"):
		hint = forbidHint
	case letters(show[:1]):
		hint = "begin headings and comments with #"
	}
	return t.fail(word, hint, "%q is not a number", show)
}

// decimalComma says whether word is a number once its comma is a point.
func decimalComma(word string) bool {
	point := text.Point(word)
	_, ok := number([]byte(point))
	return ok && point != word
}

// pieces says whether word is several numbers, as a line is that has been cut at its decimal commas.
func pieces(word string) bool {
	n := 0
	for piece := range strings.FieldsSeq(word) {
		if _, ok := number([]byte(piece)); !ok {
			return false
		}
		n++
	}
	return n > 1
}

// letters says whether s is made of letters of the alphabet.
func letters(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\"'") == ""
}

// number reads a number, infinite ones and NaN included.
func number(word []byte) (x float64, ok bool) {
	if n := len(word); n > 0 && n <= 15 { // integers below 10¹⁵ are exact
		v := 0
		for _, c := range word {
			if !digit(c) {
				v = -1
				break
			}
			v = 10*v + int(c-'0')
		}
		if v >= 0 {
			return float64(v), true
		}
	}
	x, err := strconv.ParseFloat(string(word), 64)
	if err != nil && math.IsInf(x, 0) {
		return math.MaxFloat64, true // out of range: refused as too large
	}
	return x, err == nil
}

// words splits a line at sep, or at blanks and tabs when sep is ' '. Blanks around
// a word, and one separator at the end of the line, are not part of it.
func words(line []byte, sep byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		n := len(line)
		for from := 0; ; {
			for from < n && blank(line[from], sep) {
				from++
			}
			if from == n && sep == ' ' {
				return
			}
			next := from
			for next < n && line[next] != sep && !(sep == ' ' && line[next] == '\t') {
				next++
			}
			end := next
			for end > from && blank(line[end-1], sep) {
				end--
			}
			if !yield(line[from:end]) || next == n {
				return
			}
			from = next + 1
			for sep != ' ' && from < n && blank(line[from], sep) {
				from++
			}
			if sep != ' ' && from == n {
				return
			}
		}
	}
}

// blank says whether c may surround a word: a tab that separates may not.
func blank(c, sep byte) bool { return c == ' ' || c == '\t' && sep != '\t' }

// separator is what separates the words of a table with this first line.
func separator(line []byte) byte {
	line = bytes.TrimSpace(line)
	for _, sep := range []byte(";,\t") {
		if bytes.IndexByte(line, sep) >= 0 {
			return sep
		}
	}
	return ' '
}

// widest is the most rows and columns of a table: the solvers keep some 70 bytes for each. Files
// that list their entries say their size, and may be larger.
const widest = 1 << 24

// readTable reads one row a line.
func readTable(t *source, b *builder) error {
	sep := byte(0)
	for {
		line, ok := t.next()
		if !ok {
			return nil
		}
		if sep == 0 {
			sep = separator(line)
		}
		n := 0
		for word := range words(line, sep) {
			x, ok := number(word)
			if !ok {
				return t.notNumber(word)
			}
			if fault := b.append(n, x); fault != "" {
				return t.fail(word, forbidHint, "%s", fault)
			}
			n++
		}
		if side := max(n, b.p.Rows+1); side > widest {
			return t.fail(nil, "write a sparse problem as MatrixMarket coordinates or OR-Library", "the table has %d rows or columns, more than %d", side, widest)
		}
		if b.p.Rows == 0 {
			b.p.Cols = n
			b.room(1+bytes.Count(t.rest, []byte("\n")), n, len(t.rest))
		} else if n != b.p.Cols {
			return t.fail(nil, "all rows have the same length, a forbidden pair is inf", "the row has %d numbers, the rows before have %d", n, b.p.Cols)
		}
		b.endRow()
	}
}

// count reads a word that is a whole number from lo to hi.
func (t *source) count(word []byte, lo, hi int, what string) (int, error) {
	x, ok := number(word)
	if !ok {
		return 0, t.notNumber(word)
	}
	if x != math.Trunc(x) || x < float64(lo) || x > float64(hi) {
		return 0, t.fail(word, "", "the %s is %s; it is a whole number from %d to %d", what, word, lo, hi)
	}
	return int(x), nil
}

// size reads the number of rows or columns, which is limited by the length of the
// file, so that a header alone cannot fill the memory.
func (t *source) size(word []byte, what string) (int, error) {
	n, err := t.count(word, 0, math.MaxInt32, what)
	if most := 1<<20 + 8*len(t.rest); err == nil && n > most {
		err = t.fail(word, "is the file complete?", "the %s is %d, too many for a file of this length", what, n)
	}
	return n, err
}

// readORLibrary reads n, then n·n costs in lines of any length.
func readORLibrary(t *source, b *builder) error {
	n := -1
	seen := 0
	for {
		line, ok := t.next()
		if !ok {
			break
		}
		for word := range words(line, ' ') {
			if n < 0 {
				var err error
				if n, err = t.size(word, "number of items"); err != nil {
					return err
				}
				b.p.Cols = n
				continue
			}
			x, ok := number(word)
			if !ok {
				return t.notNumber(word)
			}
			if seen == n*n {
				return t.fail(word, "the first number of the file is the number of items", "more than %d×%d costs", n, n)
			}
			if fault := b.append(seen%n, x); fault != "" {
				return t.fail(word, forbidHint, "%s", fault)
			}
			if seen++; seen%n == 0 {
				b.endRow()
			}
		}
	}
	if n > 0 && seen < n*n {
		return t.fail(nil, "is the file complete?", "the file ends after %d of %d×%d costs", seen, n, n)
	}
	return nil
}

// readORLibrarySparse reads n, then "row column cost" lines.
func readORLibrarySparse(t *source, b *builder) error {
	line, ok := t.next()
	if !ok {
		return nil
	}
	n, err := t.size(bytes.TrimSpace(line), "number of items")
	if err != nil {
		return err
	}
	list, err := t.triples(n, n, -1, true)
	if err != nil {
		return err
	}
	return b.scatter(t.name, n, n, list)
}

// triples reads lines "row column value", or "row column" when the file has no
// values, to the end of the file. A want that is not negative is their number.
func (t *source) triples(rows, cols, want int, values bool) ([]triple, error) {
	width := 2
	if values {
		width = 3
	}
	var list []triple
	for {
		line, ok := t.next()
		if !ok {
			break
		}
		if len(list) == want {
			return nil, t.fail(nil, "", "more than the %d entries that were announced", want)
		}
		e := triple{line: t.line, x: 1}
		k := 0
		for word := range words(line, ' ') {
			switch k {
			case 0, 1:
				most, what := rows, "row"
				if k == 1 {
					most, what = cols, "column"
				}
				i, err := t.count(word, 1, most, what)
				if err != nil {
					return nil, err
				}
				if k == 0 {
					e.row = int32(i - 1)
				} else {
					e.col = int32(i - 1)
				}
			case 2:
				if e.x, ok = number(word); !ok {
					return nil, t.notNumber(word)
				}
			}
			k++
		}
		if k != width {
			return nil, t.fail(nil, "", "the line has %d words, not %d", k, width)
		}
		list = append(list, e)
	}
	if len(list) < want {
		return nil, t.fail(nil, "is the file complete?", "the file ends after %d of %d entries", len(list), want)
	}
	return list, nil
}

// readMatrixMarket reads the banner, the sizes, and the entries: by coordinates,
// or dense and column by column.
func readMatrixMarket(t *source, b *builder) error {
	banner, rest, _ := bytes.Cut(t.rest, []byte("\n"))
	t.rest, t.line, t.at = rest, 1, banner
	kind := strings.Fields(strings.ToLower(string(banner)))
	if len(kind) != 5 || kind[0] != "%%matrixmarket" || kind[1] != "matrix" {
		return t.fail(nil, "", "the first line of a MatrixMarket file is: %%%%MatrixMarket matrix coordinate real general")
	}
	layout, field, symmetry := kind[2], kind[3], kind[4]
	switch {
	case layout != "coordinate" && layout != "array":
		return t.fail(nil, "", "%q is neither coordinate nor array", layout)
	case field != "real" && field != "double" && field != "integer" && !(field == "pattern" && layout == "coordinate"):
		return t.fail(nil, "costs are real, integer or, by coordinates, pattern", "%s values cannot be costs", field)
	case symmetry != "general" && !(symmetry == "symmetric" && layout == "coordinate"):
		return t.fail(nil, "write the matrix out as general", "%s matrices cannot be read", symmetry)
	}
	line, ok := t.next()
	if !ok {
		return t.fail(nil, "is the file complete?", "the line with the sizes is missing")
	}
	var size []int
	for word := range words(line, ' ') {
		what := "number of rows"
		switch len(size) {
		case 1:
			what = "number of columns"
		case 2:
			what = "number of entries"
		}
		n, err := t.size(word, what)
		if err != nil {
			return err
		}
		size = append(size, n)
	}
	if layout == "array" {
		if len(size) != 2 {
			return t.fail(nil, "", "the line with the sizes is: rows columns")
		}
		return t.array(b, size[0], size[1])
	}
	if len(size) != 3 {
		return t.fail(nil, "", "the line with the sizes is: rows columns entries")
	}
	list, err := t.triples(size[0], size[1], size[2], field != "pattern")
	if err != nil {
		return err
	}
	if symmetry == "symmetric" {
		if size[0] != size[1] {
			return t.fail(nil, "", "a symmetric matrix of %d×%d", size[0], size[1])
		}
		for _, e := range list {
			if e.row != e.col {
				e.row, e.col = e.col, e.row
				list = append(list, e)
			}
		}
	}
	return b.scatter(t.name, size[0], size[1], list)
}

// array reads the costs of a dense matrix, column by column.
func (t *source) array(b *builder, rows, cols int) error {
	var x []float64
	for {
		line, ok := t.next()
		if !ok {
			break
		}
		for word := range words(line, ' ') {
			v, ok := number(word)
			if !ok {
				return t.notNumber(word)
			}
			if len(x) == rows*cols {
				return t.fail(word, "", "more than %d×%d costs", rows, cols)
			}
			if _, _, fault := b.cost(v); fault != "" {
				return t.fail(word, forbidHint, "%s", fault)
			}
			x = append(x, v)
		}
	}
	if len(x) < rows*cols {
		return t.fail(nil, "is the file complete?", "the file ends after %d of %d×%d costs", len(x), rows, cols)
	}
	b.p.Cols = cols
	for r := range rows {
		for c := range cols {
			b.append(c, x[c*rows+r])
		}
		b.endRow()
	}
	return nil
}
