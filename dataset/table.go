package dataset

// This file parses tables of numbers: one line per row, fields in the order
// that a layout gives them. All text formats of the package but one are tables
// with some layout; the loop here is the one that must be fast.

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A role is what a column means.
type role uint8

const (
	skip  role = iota // not read
	frame             // integer
	ident             // integer: target or track
	det               // integer: detection in its frame
	stamp             // s
	posX
	posY
	posZ
	velX
	velY
	velZ
	width
	height
	conf
	roles // how many there are
)

// A layout is what the fields of a line mean.
type layout struct {
	sep   byte // ',' ';' '\t', or ' ' for any white space
	roles []role
	names []string // for messages, len(roles)
	open  bool     // lines may have more fields than roles
}

// column is the index of the column with role r, -1 when there is none.
func (l *layout) column(r role) int { return slices.Index(l.roles, r) }

// dim is 3 when there is a third coordinate.
func (l *layout) dim() int {
	if l.column(posZ) >= 0 {
		return 3
	}
	return 2
}

// rows are the rows of a table, column by column. Columns that the layout does
// not have are nil.
type rows struct {
	n     int
	dim   int
	line  []int32
	frame []int
	id    []int
	det   []int
	time  []float64
	pos   []float64 // row-major n×dim
	vel   []float64 // row-major n×dim
	size  []float64 // row-major n×2
	conf  []float64
}

// maxInt bounds frames and identities: integers that a float64 holds exactly.
const maxInt = 1 << 53

// readRows reads the lines that are left, each as l says.
func readRows(lr *lineReader, l *layout) (*rows, error) {
	t := &rows{dim: l.dim()}
	has := make([]bool, roles)
	for _, r := range l.roles {
		has[r] = true
	}
	var (
		num [roles]float64
		whl [roles]int
	)
	for {
		line, err := lr.next()
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		at := 0
		for c, r := range l.roles {
			lo, hi, next := field(line, at, l.sep)
			if lo < 0 {
				return nil, wrongWidth(lr, l, line)
			}
			at = next
			switch {
			case r == skip:
			case r == frame || r == ident || r == det:
				v, ok := parseInt(line[lo:hi])
				if !ok {
					return nil, badNumber(lr, l, c, line, lo, hi, true)
				}
				whl[r] = v
			default:
				v, ok := parseFloat(line[lo:hi])
				if !ok {
					return nil, badNumber(lr, l, c, line, lo, hi, false)
				}
				num[r] = v
			}
		}
		if lo, _, _ := field(line, at, l.sep); lo >= 0 && !l.open {
			return nil, wrongWidth(lr, l, line)
		}
		if (has[width] && num[width] < 0) || (has[height] && num[height] < 0) {
			return nil, &SyntaxError{File: lr.name, Line: lr.line, Col: l.start(line, width),
				Msg: fmt.Sprintf("the box is %v wide and %v high", num[width], num[height]), Hint: "width and height are wanted, not a second corner"}
		}
		t.n++
		t.line = append(t.line, int32(lr.line))
		if has[frame] {
			t.frame = append(t.frame, whl[frame])
		}
		if has[ident] {
			t.id = append(t.id, whl[ident])
		}
		if has[det] {
			t.det = append(t.det, whl[det])
		}
		if has[stamp] {
			t.time = append(t.time, num[stamp])
		}
		t.pos = append(t.pos, num[posX:posX+role(t.dim)]...)
		if has[velX] {
			t.vel = append(t.vel, num[velX:velX+role(t.dim)]...)
		}
		if has[width] {
			t.size = append(t.size, num[width], num[height])
		}
		if has[conf] {
			t.conf = append(t.conf, num[conf])
		}
	}
}

// field finds the field of line that begins at byte at or, between white space,
// after it: its bounds without surrounding blanks and quotes, and where the next
// one begins. lo is -1 when the line is used up.
func field(line []byte, at int, sep byte) (lo, hi, next int) {
	if at > len(line) {
		return -1, -1, at
	}
	lo = at
	if sep == ' ' {
		for lo < len(line) && line[lo] <= ' ' {
			lo++
		}
		if lo == len(line) {
			return -1, -1, lo + 1
		}
		for hi = lo; hi < len(line) && line[hi] > ' '; hi++ {
		}
		return lo, hi, hi + 1
	}
	for hi = lo; hi < len(line) && line[hi] != sep; hi++ {
	}
	next = hi + 1
	for lo < hi && line[lo] <= ' ' {
		lo++
	}
	for hi > lo && line[hi-1] <= ' ' {
		hi--
	}
	if hi-lo >= 2 && line[lo] == '"' && line[hi-1] == '"' {
		lo, hi = lo+1, hi-1
	}
	return lo, hi, next
}

// split lists the fields of line.
func split(line []byte, sep byte) []string {
	var out []string
	for at := 0; ; {
		lo, hi, next := field(line, at, sep)
		if lo < 0 {
			return out
		}
		out = append(out, string(line[lo:hi]))
		at = next
	}
}

// start is the column, from 1, at which the field with role r begins.
func (l *layout) start(line []byte, r role) int {
	lo, at := -1, 0
	for range l.column(r) + 1 {
		lo, _, at = field(line, at, l.sep)
	}
	return lo + 1
}

// parseInt reads a decimal integer of magnitude at most maxInt. It also takes
// 7.80e+02, as numpy writes integers.
func parseInt(b []byte) (int, bool) {
	s := b
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	if len(s) > 0 && len(s) <= 15 {
		v := 0
		for _, c := range s {
			if c < '0' || c > '9' {
				v = -1
				break
			}
			v = 10*v + int(c-'0')
		}
		if v >= 0 {
			if b[0] == '-' {
				v = -v
			}
			return v, true
		}
	}
	f, ok := parseFloat(b)
	if !ok || f != math.Trunc(f) || math.Abs(f) > maxInt {
		return 0, false
	}
	return int(f), true
}

// parseFloat reads a finite decimal number.
func parseFloat(b []byte) (float64, bool) {
	for _, c := range b {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(string(b), 64)
	return f, err == nil
}

// badNumber explains why the field line[lo:hi] of column c is not a number.
func badNumber(lr *lineReader, l *layout, c int, line []byte, lo, hi int, whole bool) error {
	tok := string(line[lo:hi])
	if len(tok) > 40 {
		tok = tok[:40] + "…"
	}
	e := &SyntaxError{File: lr.name, Line: lr.line, Col: lo + 1, Msg: fmt.Sprintf("%s is %q, not a number", l.names[c], tok)}
	f, err := strconv.ParseFloat(tok, 64)
	switch {
	case tok == "":
		e.Msg = l.names[c] + " is empty"
		e.Hint = "every field needs a number; leave out rows without a detection"
	case err == nil && (math.IsNaN(f) || math.IsInf(f, 0)):
		e.Msg = fmt.Sprintf("%s is %q, not a finite number", l.names[c], tok)
		e.Hint = "leave out rows without a detection"
	case err == nil && whole:
		e.Msg = fmt.Sprintf("%s is %q, not a whole number", l.names[c], tok)
		e.Hint = "the columns may be in another order than the header says"
	case strings.HasSuffix(err.Error(), strconv.ErrRange.Error()):
		e.Msg = fmt.Sprintf("%s is %q, too large for a floating-point number", l.names[c], tok)
	case l.sep != ',' && strings.Contains(tok, ","):
		e.Hint = "write decimal points, not decimal commas"
	case l.sep == ',' && strings.Contains(tok, ";"):
		e.Hint = "the fields are separated by semicolons, those of the first line by commas"
	case l.sep != '\t' && strings.ContainsAny(tok, " \t"):
		e.Hint = "a separator is missing"
	case strings.EqualFold(tok, l.names[c]):
		e.Hint = "a second header line; were two files joined?"
	}
	return e
}

// wrongWidth explains a line with too few or too many fields.
func wrongWidth(lr *lineReader, l *layout, line []byte) error {
	n := len(split(line, l.sep))
	e := &SyntaxError{File: lr.name, Line: lr.line, Col: len(line) + 1,
		Msg: fmt.Sprintf("%s, but %d columns are named", count(n, "field"), len(l.roles))}
	switch {
	case n < len(l.roles) && l.sep == ',' && strings.Contains(string(line), ";"):
		e.Hint = "the fields are separated by semicolons, those of the first line by commas"
	case n < len(l.roles):
		e.Hint = "the last line of a file that was cut short looks like this"
	case l.sep == ',' && n == 2*len(l.roles):
		e.Hint = "write decimal points, not decimal commas"
	default:
		e.Hint = "a separator too many, or two lines run together"
	}
	return e
}

// count is "1 thing" or "n things".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// sortBy puts the rows in order of frame, then key, rows with equal keys as they
// stood, and says whether they were not. Key nil means by frame alone.
func (t *rows) sortBy(key []int) (moved bool) {
	less := func(a, b int) int {
		if c := t.frame[a] - t.frame[b]; c != 0 || key == nil {
			return c
		}
		return key[a] - key[b]
	}
	sorted := true
	for i := 1; i < t.n && sorted; i++ {
		sorted = less(i-1, i) <= 0
	}
	if sorted {
		return false
	}
	order := make([]int, t.n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, less)
	t.take(order)
	return true
}

// take keeps the rows of the given order alone.
func (t *rows) take(order []int) {
	t.n = len(order)
	t.line = gather(t.line, order, 1)
	t.frame = gather(t.frame, order, 1)
	t.id = gather(t.id, order, 1)
	t.det = gather(t.det, order, 1)
	t.time = gather(t.time, order, 1)
	t.pos = gather(t.pos, order, t.dim)
	t.vel = gather(t.vel, order, t.dim)
	t.size = gather(t.size, order, 2)
	t.conf = gather(t.conf, order, 1)
}

// gather lists the rows of a row-major matrix with k columns in the given order.
func gather[E any](a []E, order []int, k int) []E {
	if a == nil {
		return nil
	}
	out := make([]E, 0, len(order)*k)
	for _, i := range order {
		out = append(out, a[i*k:(i+1)*k]...)
	}
	return out
}
