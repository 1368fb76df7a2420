// Package parquet reads tables of Apache Parquet (https://parquet.apache.org) as text with
// commas: a line of names, then a line for each row. It reads flat columns of numbers, truth values, words
// and times, in the encodings and compressions that pandas, Polars, DuckDB and Spark write
// unless told otherwise, and leaves the other columns out.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mtt/internal/cell"
)

// Magic begins and ends every file.
const Magic = "PAR1"

// ErrDamaged is returned for a file that is not whole.
var ErrDamaged = errors.New("the Parquet file is damaged")

// A column is one that is read.
type column struct {
	name     string
	leaf     int // its number among the chunks of a row group
	kind     int64
	optional bool
	unsigned bool // integers
}

// A Reader is the text of a file.
type Reader struct {
	file    []byte
	columns []column
	groups  []any
	budget  budget
	text    []byte // of buf that has not been handed on
	buf     []byte
	err     error

	// The row group at hand.
	chunks    []chunk
	row, rows int   // the next one, and how many there are
	at        []int // the next value of each column
}

// A budget bounds what a file becomes, in bytes: 64 MiB and 256 times the file in all, as for
// compressed text, and largestGroup for a row group, which is in memory as a whole.
type budget struct{ file, group int }

const largestGroup = 1 << 29

// largestFooter is the most bytes of the footer: some 200,000 pieces of columns. Decoded it can
// take a hundred times as many.
const largestFooter = 1 << 24

// take is an error when there are not n bytes left.
func (b *budget) take(n int) error {
	if b.group -= n; b.group < 0 {
		return fmt.Errorf("a row group of the Parquet file takes more than %d MiB; write groups of a million rows at most", largestGroup>>20)
	}
	return b.tell(n)
}

// tell is take for what is handed on and not kept.
func (b *budget) tell(n int) error {
	if b.file -= n; b.file < 0 {
		return fmt.Errorf("%w: it becomes more than 256 times as large", ErrDamaged)
	}
	return nil
}

// NewReader reads the file, which must not change. The error is [ErrDamaged], or says
// what is not read.
func NewReader(file []byte) (*Reader, error) {
	n := len(file)
	if n < 12 || string(file[:4]) != Magic {
		return nil, ErrDamaged
	}
	if string(file[n-4:]) != Magic {
		return nil, fmt.Errorf("%w: it is cut short, or encrypted", ErrDamaged)
	}
	size := binary.LittleEndian.Uint32(file[n-8:])
	if uint64(size) > uint64(min(n-12, largestFooter)) {
		return nil, ErrDamaged
	}
	d := decoder{b: file[n-8-int(size) : n-8]}
	meta := d.structure()
	if d.bad {
		return nil, ErrDamaged
	}
	r := &Reader{file: file, groups: meta.list(4), budget: budget{file: largest(len(file))}}
	if err := r.schema(meta.list(2)); err != nil {
		return nil, err
	}
	for k := range r.columns {
		r.text = cell.AppendWord(comma(r.text, k), r.columns[k].name)
	}
	r.text = append(r.text, '\n')
	return r, nil
}

// schema finds the columns at the top of the tree that stands in list, root first.
func (r *Reader) schema(list []any) error {
	if len(list) == 0 {
		return ErrDamaged
	}
	leaf := 0
	var left []string
	// skip passes over the descendants of an element and counts their leaves.
	var skip func(at int, depth int) int
	skip = func(at, depth int) int {
		e, _ := list[at].(record)
		children := e.number(5)
		if children == 0 {
			leaf++
			return at + 1
		}
		at++
		for range children {
			if at >= len(list) || depth > 100 {
				return len(list)
			}
			at = skip(at, depth+1)
		}
		return at
	}
	for at := 1; at < len(list); {
		e, _ := list[at].(record)
		kind, repeated := e.number(1), e.number(3)
		_, known := widths[kind]
		known = known || kind == boolean || kind == byteArray
		decimal := e.has(6) && e.number(6) == 5 || e.record(10).has(5)
		if e.number(5) == 0 && repeated < 2 && known && e.has(1) && !decimal {
			converted := e.number(6)
			r.columns = append(r.columns, column{
				name: e.text(4) + timeUnit(e), leaf: leaf, kind: kind, optional: repeated == 1,
				unsigned: e.has(6) && converted >= 11 && converted <= 14,
			})
			leaf++
			at++
			continue
		}
		left = append(left, e.text(4))
		at = skip(at, 0)
	}
	if len(r.columns) == 0 {
		return fmt.Errorf("the Parquet file has no column of numbers or words (left out: %s)", strings.Join(left, ", "))
	}
	return nil
}

// timeUnit is what ends the name of a column of times since 1970.
func timeUnit(e record) string {
	switch unit := e.record(10).record(8).record(2); {
	case e.number(1) != int64s:
	case unit.has(1) || e.number(6) == 9:
		return "_ms"
	case unit.has(2) || e.number(6) == 10:
		return "_us"
	case unit.has(3):
		return "_ns"
	}
	return ""
}

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.text) == 0 {
		switch {
		case r.err != nil:
			return 0, r.err
		case r.row < r.rows:
			r.text, r.err = r.lines()
		case len(r.groups) == 0:
			r.err = io.EOF
		default:
			g, _ := r.groups[0].(record)
			r.groups = r.groups[1:]
			r.err = r.group(g)
		}
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// group decodes a row group.
func (r *Reader) group(g record) error {
	rows := g.number(3)
	list := g.list(1)
	if rows < 0 || rows > int64(8*len(r.file)+1<<16) {
		return ErrDamaged
	}
	r.budget.group = largestGroup
	r.chunks, r.at = make([]chunk, len(r.columns)), make([]int, len(r.columns))
	r.row, r.rows = 0, int(rows)
	for k := range r.columns {
		c := &r.columns[k]
		if c.leaf >= len(list) {
			return ErrDamaged
		}
		of, _ := list[c.leaf].(record)
		meta := of.record(3)
		begin := meta.number(9)
		if dict := meta.number(11); meta.has(11) && dict > 0 && dict < begin {
			begin = dict
		}
		if begin < 4 || begin > int64(len(r.file)) || meta.number(1) != c.kind {
			return ErrDamaged
		}
		r.chunks[k] = chunk{kind: c.kind, optional: c.optional, codec: meta.number(4), rows: int(rows), budget: &r.budget}
		if err := r.chunks[k].read(r.file[begin:]); err != nil {
			return fmt.Errorf("column %s: %w", c.name, err)
		}
	}
	return nil
}

// lines is the text of the next rows, some thousands of bytes.
func (r *Reader) lines() ([]byte, error) {
	b := r.buf[:0] // all of it has been handed on
	defer func() { r.buf = b }()
	for ; r.row < r.rows && len(b) < 1<<16; r.row++ {
		for k := range r.chunks {
			c := &r.chunks[k]
			b = comma(b, k)
			if c.there != nil && !c.there[r.row] {
				continue
			}
			i := r.at[k]
			r.at[k]++
			switch {
			case i >= c.len():
				return nil, ErrDamaged
			case c.words != nil:
				if err := r.budget.tell(len(c.words[i])); err != nil { // one of a dictionary may be a page, and come in every row
					return nil, err
				}
				b = cell.AppendWord(b, string(c.words[i]))
				continue
			}
			switch v := c.bits[i]; {
			case c.kind == floats:
				b = cell.AppendReal(b, c.real(v), 32)
			case c.kind == doubles:
				b = cell.AppendReal(b, c.real(v), 64)
			case r.columns[k].unsigned:
				b = strconv.AppendUint(b, v, 10)
			default:
				b = strconv.AppendInt(b, c.whole(v), 10)
			}
		}
		b = append(b, '\n')
	}
	return b, nil
}

// comma appends what stands before field k.
func comma(b []byte, k int) []byte {
	if k > 0 {
		b = append(b, ',')
	}
	return b
}
