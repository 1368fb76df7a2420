package npz

// This file reads arrays whose rows belong together as a table in text.

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"mtt/internal/cell"
)

// maxColumns bounds what a row of a table takes, in columns, and maxWord what one word of it takes, in bytes.
const (
	maxColumns = 4096
	maxWord    = 1 << 12
)

// A Table is the text of a table: a line of names, where the columns have names, then a line for each row,
// with commas between the columns. It takes some kB beside the data, whatever they become.
type Table struct {
	parts []part
	rows  int // left
	left  int // bytes of text that it may still become
	text  []byte
	buf   []byte
	err   error
}

// A part is columns that are read together.
type part struct {
	r      *bufio.Reader
	row    []byte // the one at hand
	fields []field
	within bool // whether more columns of the array follow its rows
}

// A field is one column in the rows of a part.
type field struct {
	name  string
	kind  byte // f, i, u, b, S, U or M, as numpy has them; V: left out
	size  int  // bytes
	at    int  // in the row
	order binary.ByteOrder
}

// IsArray says whether a file that begins with head is an array, .npy.
func IsArray(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// IsArchive says whether it may be .npz: a zip archive.
func IsArchive(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

// NewTable reads a table of numbers, words and times since 1970. It is one of
//
//	.npy  an array of records (a structured array): the names are those of its fields
//	.npy  an array of two dimensions, a row for each row: there are no names
//	.npz  arrays with one row for each row of the table, of one or two dimensions: the names are those of the arrays,
//	      for one of two dimensions with .0, .1 and so on; numbers that are no arrays are left out
//
// Fields of fields of one dimension are named likewise. Times have their unit at the end of the
// name. The data must not change. The text is at most 64 MiB and 256 times the data, as that of
// compressed text. The error is an ErrCorrupt.
func NewTable(data []byte) (*Table, error) {
	t := &Table{left: 64<<20 + 256*len(data)}
	if IsArray(data) {
		err := t.add("", func() (io.Reader, error) { return bytes.NewReader(data), nil })
		return t, t.begin(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("npz: %w: %w", err, ErrCorrupt)
	}
	var entries []*zip.File
	for _, e := range z.File {
		if strings.HasSuffix(e.Name, ".npy") {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		return nil, ErrNoArrays
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name, ".npy")
		if len(entries) == 1 {
			name = ""
		}
		if err := t.add(name, func() (io.Reader, error) { return e.Open() }); err != nil {
			return nil, fmt.Errorf("array %s: %w", strings.TrimSuffix(e.Name, ".npy"), err)
		}
	}
	return t, t.begin(nil)
}

// ErrNoArrays is returned for an archive that has none.
var ErrNoArrays = fmt.Errorf("the archive holds no arrays: %w", ErrCorrupt)

// add adds the columns of an array; each call of open reads its .npy from the start.
func (t *Table) add(name string, open func() (io.Reader, error)) error {
	first, err := open()
	if err != nil {
		return fmt.Errorf("npz: %w: %w", err, ErrCorrupt)
	}
	r := bufio.NewReader(first)
	d, err := readHeader(r)
	if err != nil {
		return err
	}
	cols := 1
	switch len(d.shape) {
	case 0:
		if name == "" {
			return fmt.Errorf("one number is no table: %w", ErrCorrupt)
		}
		return nil
	case 1:
	case 2:
		cols = d.shape[1]
	default:
		return &ShapeError{d.shape}
	}
	if cols > maxColumns {
		return fmt.Errorf("%d rows of %d columns: is it to be transposed? (%w)", d.shape[0], cols, ErrCorrupt)
	}
	record, size, err := d.record(name)
	if err != nil {
		return err
	}
	if len(t.parts) > 0 && d.shape[0] != t.rows {
		return fmt.Errorf("%d rows, and of the arrays before %d; the arrays of a table have the same number of rows: %w", d.shape[0], t.rows, ErrCorrupt)
	}
	t.rows = d.shape[0]
	if len(d.shape) == 1 {
		t.parts = append(t.parts, part{r: r, row: make([]byte, size), fields: record})
		return nil
	}
	if len(record) != 1 {
		return fmt.Errorf("an array of records has one dimension here, not the shape %s: %w", &ShapeError{d.shape}, ErrCorrupt)
	}
	if !d.fortran {
		p := part{r: r, row: make([]byte, cols*size)}
		for c := range cols {
			f := record[0]
			f.name, f.at = numbered(name, c), c*size
			p.fields = append(p.fields, f)
		}
		t.parts = append(t.parts, p)
		return nil
	}
	for c := range cols { // one after the other in the file
		again, err := open()
		if err != nil {
			return fmt.Errorf("npz: %w: %w", err, ErrCorrupt)
		}
		r := bufio.NewReaderSize(again, 1<<12)
		if _, err := readHeader(r); err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, r, int64(c)*int64(d.shape[0])*int64(size)); err != nil {
			return short(err, 0)
		}
		f := record[0]
		f.name = numbered(name, c)
		t.parts = append(t.parts, part{r: r, row: make([]byte, size), fields: []field{f}, within: c+1 < cols})
	}
	return nil
}

// numbered is the name of column c of an array with that name; without one it has none.
func numbered(name string, c int) string {
	if name == "" {
		return ""
	}
	return name + "." + strconv.Itoa(c)
}

// record are the fields of an element and its size in bytes.
func (d *dict) record(name string) (list []field, size int, err error) {
	members := d.members
	if members == nil {
		members = []member{{name: name, descr: d.descr, times: 1}}
	}
	for _, m := range members {
		f, err := m.field()
		if err != nil {
			return nil, 0, err
		}
		for k := range m.times {
			f.at = size
			size += f.size
			if f.kind != 'V' {
				one := f
				if m.array {
					one.name = numbered(f.name, k)
				}
				list = append(list, one)
			}
			if len(list) > maxColumns || size > maxColumns*maxWord {
				return nil, 0, fmt.Errorf("more than %d columns: %w", maxColumns, ErrCorrupt)
			}
		}
	}
	if size == 0 || len(list) == 0 {
		return nil, 0, fmt.Errorf("no column of numbers or words: %w", ErrCorrupt)
	}
	return list, size, nil
}

// units are those of times, as numpy has them, and what ends the name of the column.
var units = map[string]string{"ns": "_ns", "us": "_us", "ms": "_ms", "s": "_s", "m": "_min", "h": "_hours"}

// field is the member's column, without its place.
func (m *member) field() (field, error) {
	f := field{name: m.name, order: binary.LittleEndian}
	if strings.HasPrefix(m.descr, ">") {
		f.order = binary.BigEndian
	}
	kind, unit, _ := strings.Cut(strings.TrimLeft(m.descr, "<>=|"), "[")
	if kind == "" {
		return f, fmt.Errorf("npz: element type %q: %w", m.descr, ErrCorrupt)
	}
	n, err := strconv.Atoi(kind[1:])
	if kind[0] == 'O' {
		return f, fmt.Errorf("it holds Python objects; give it a type, as with astype(float): %w", ErrCorrupt)
	}
	if err != nil || n < 0 {
		return f, fmt.Errorf("npz: element type %q: %w", m.descr, ErrCorrupt)
	}
	f.kind, f.size = kind[0], n
	switch known := n == 1 || n == 2 || n == 4 || n == 8; {
	case f.kind == 'f' && known && n > 1, (f.kind == 'i' || f.kind == 'u') && known, f.kind == 'b' && n == 1:
	case f.kind == 'S' && n > 0:
	case f.kind == 'U' && n > 0:
		f.size = 4 * min(n, maxWord)
	case f.kind == 'M' && n == 8 && units[strings.TrimSuffix(unit, "]")] != "":
		f.name += units[strings.TrimSuffix(unit, "]")]
	case f.kind == 'c', f.kind == 'V', f.kind == 'M', f.kind == 'm':
		f.kind = 'V'
	default:
		return f, fmt.Errorf("npz: element type %q: %w", m.descr, ErrCorrupt)
	}
	if f.size > maxWord {
		return f, fmt.Errorf("npz: element type %q is longer than %d bytes: %w", m.descr, maxWord, ErrCorrupt)
	}
	return f, nil
}

// begin makes the line of names and returns err, or what is wrong with the columns.
func (t *Table) begin(err error) error {
	if err != nil {
		return err
	}
	n, names := 0, false
	for i := range t.parts {
		for _, f := range t.parts[i].fields {
			if n > 0 {
				t.text = append(t.text, ',')
			}
			t.text = cell.AppendWord(t.text, f.name)
			names = names || f.name != ""
			n++
		}
	}
	if n > maxColumns {
		return fmt.Errorf("more than %d columns: %w", maxColumns, ErrCorrupt)
	}
	if n == 0 {
		return fmt.Errorf("no array of one or two dimensions: %w", ErrCorrupt)
	}
	t.text = append(t.text, '\n')
	if !names {
		t.text = t.text[:0]
	}
	return nil
}

// Read implements io.Reader.
func (t *Table) Read(p []byte) (int, error) {
	for len(t.text) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		t.text, t.err = t.lines()
		if t.left -= len(t.text); t.left < 0 {
			t.text, t.err = nil, fmt.Errorf("npz: the archive becomes more than 256 times as large: %w", ErrCorrupt)
		}
	}
	n := copy(p, t.text)
	t.text = t.text[n:]
	return n, nil
}

// lines is the text of the next rows, some thousands of bytes.
func (t *Table) lines() ([]byte, error) {
	b := t.buf[:0] // all of it has been handed on
	defer func() { t.buf = b }()
	for ; t.rows > 0 && len(b) < 1<<16; t.rows-- {
		first := true
		for i := range t.parts {
			p := &t.parts[i]
			if _, err := io.ReadFull(p.r, p.row); err != nil {
				return nil, short(err, t.rows)
			}
			for k := range p.fields {
				if !first {
					b = append(b, ',')
				}
				first = false
				b = p.fields[k].append(b, p.row)
			}
		}
		b = append(b, '\n')
	}
	if t.rows > 0 {
		return b, nil
	}
	for i := range t.parts {
		p := &t.parts[i]
		if p.within {
			continue
		}
		if _, err := p.r.ReadByte(); err == nil { // which checks the sum of an archive, too
			return nil, fmt.Errorf("npz: bytes after the last element: %w", ErrCorrupt)
		} else if err != io.EOF {
			return nil, err
		}
	}
	return b, io.EOF
}

// short is err where the data ended before the last of so many rows that are left.
func short(err error, rows int) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("npz: the data end %d rows before the end: %w", rows, ErrCorrupt)
	}
	return err
}

// append appends the field of the row as text; nothing where it is missing.
func (f *field) append(b, row []byte) []byte {
	v := row[f.at : f.at+f.size]
	switch f.kind {
	case 'f':
		switch f.size {
		case 2:
			return cell.AppendReal(b, half(f.order.Uint16(v)), 32)
		case 4:
			return cell.AppendReal(b, float64(math.Float32frombits(f.order.Uint32(v))), 32)
		}
		return cell.AppendReal(b, math.Float64frombits(f.order.Uint64(v)), 64)
	case 'S':
		return cell.AppendWord(b, string(bytes.ToValidUTF8(bytes.TrimRight(v, "\x00"), []byte("?"))))
	case 'U':
		var word []byte
		for ; len(v) > 0; v = v[4:] {
			if r := f.order.Uint32(v); r != 0 {
				word = utf8.AppendRune(word, rune(r))
			}
		}
		return cell.AppendWord(b, string(word))
	case 'u', 'b':
		return strconv.AppendUint(b, f.whole(v), 10)
	}
	x := f.whole(v)
	shift := 64 - 8*f.size
	i := int64(x<<shift) >> shift
	if f.kind == 'M' && i == math.MinInt64 { // not a time
		return b
	}
	return strconv.AppendInt(b, i, 10)
}

// whole is an integer without its sign.
func (f *field) whole(v []byte) uint64 {
	switch f.size {
	case 1:
		return uint64(v[0])
	case 2:
		return uint64(f.order.Uint16(v))
	case 4:
		return uint64(f.order.Uint32(v))
	}
	return f.order.Uint64(v)
}

// half is a float of 16 bits: a sign, five of exponent, ten of fraction.
func half(x uint16) float64 {
	sign, exponent, fraction := 1-2*float64(x>>15), int(x>>10&31), float64(x&1023)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction > 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
