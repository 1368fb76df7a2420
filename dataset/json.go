package dataset

// This file reads objects in JSON, one on a line or all in an array, as a table whose
// columns are their keys.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A jsonTable turns JSON objects into lines of a table.
type jsonTable struct {
	name    string
	plain   *plainObjects // nil: the decoder reads
	d       *json.Decoder
	column  map[string]int
	keys    []string
	given   []int           // of each column: the last object, as objects counts, that had it
	objects int             // how many the decoder has begun
	fixed   bool            // no more columns
	late    []string        // names that came then, and would have meant something
	known   map[string]bool // all names that came then, at most maxLate
	opened  bool            // whether the array, if there is one, has begun
	array   bool
	number  int    // of the object, from 1
	rest    []byte // of a line that has not been read
}

func newJSONTable(name string, r io.Reader) *jsonTable {
	t := &jsonTable{name: name, d: json.NewDecoder(&numberWords{r: r}), column: make(map[string]int)}
	t.d.UseNumber()
	return t
}

// newPlainTable has columns that are known.
func newPlainTable(name string, r io.Reader, keys []string, column map[string]int) *jsonTable {
	t := &jsonTable{name: name, keys: keys, column: column, given: make([]int, len(keys)), fixed: true}
	t.plain = &plainObjects{t: t, r: r, cells: make([][]byte, len(keys))}
	return t
}

// next is the next object, by column; "" for what it lacks.
func (t *jsonTable) next() ([]string, error) {
	if !t.opened {
		t.opened = true
		if first, err := t.d.Token(); err != nil {
			return nil, t.wrap(err)
		} else if first == json.Delim('[') {
			t.array = true
		} else { // the first object has begun
			return t.object()
		}
	}
	if !t.d.More() { // or the reader has failed
		if _, err := t.d.Token(); err != nil && (err != io.EOF || t.array) {
			return nil, t.wrap(err)
		}
		return nil, io.EOF
	}
	token, err := t.d.Token()
	if err != nil {
		return nil, t.wrap(err)
	}
	if token != json.Delim('{') {
		return nil, t.bad(fmt.Sprintf("%v stands where an object should", token))
	}
	return t.object()
}

// object reads the rest of an object that has begun.
func (t *jsonTable) object() ([]string, error) {
	t.number++
	t.objects++
	row := make([]string, len(t.keys))
	err := t.members("", &row)
	return row, err
}

// members reads members up to the end of an object; the names of members of members are joined
// by a point.
func (t *jsonTable) members(prefix string, row *[]string) error {
	for t.d.More() {
		key, err := t.d.Token()
		if err != nil {
			return t.wrap(err)
		}
		if err := t.value(prefix+fmt.Sprint(key), row); err != nil {
			return err
		}
	}
	_, err := t.d.Token()
	return t.wrap(err)
}

// value reads the value of a key.
func (t *jsonTable) value(key string, row *[]string) error {
	token, err := t.d.Token()
	if err != nil {
		return t.wrap(err)
	}
	text := ""
	switch v := token.(type) {
	case json.Delim:
		if strings.Count(key, ".") > 8 {
			return t.bad("objects nested deeper than eight")
		}
		if v == '{' {
			return t.members(key+".", row)
		}
		for i := 0; t.d.More(); i++ {
			if err := t.value(key+"."+strconv.Itoa(i), row); err != nil {
				return err
			}
		}
		_, err := t.d.Token()
		return t.wrap(err)
	case json.Number:
		text = v.String()
	case string:
		text = v
	case bool:
		text = strconv.FormatBool(v)
	}
	c, ok := t.column[key]
	if !ok {
		if t.fixed {
			t.unread(key)
			return nil
		}
		c = len(t.keys)
		t.column[key] = c
		t.keys = append(t.keys, key)
		t.given = append(t.given, 0)
		*row = append(*row, "")
	}
	if t.given[c] == t.objects {
		return t.twice(key)
	}
	t.given[c] = t.objects
	(*row)[c] = text
	return nil
}

// maxLate is how many names are noted that came after those of the columns.
const maxLate = 100

// unread notes a key that no column has.
func (t *jsonTable) unread(key string) {
	if t.known[key] || len(t.known) == maxLate {
		return
	}
	if t.known == nil {
		t.known = make(map[string]bool)
	}
	t.known[key] = true
	r, _ := meaning(key)
	if _, of, _ := numbered(key); r != skip || of != skip {
		t.late = append(t.late, key)
	}
}

// twice is the error of a key that stands twice in an object.
func (t *jsonTable) twice(key string) error {
	e := t.bad(fmt.Sprintf("the key %q stands twice in one object", key)).(*SyntaxError)
	e.Hint = "which of the two is meant? rename or remove the other"
	return e
}

// bad is an error at the object at hand.
func (t *jsonTable) bad(msg string) error {
	return &SyntaxError{File: t.name, Line: t.number, Msg: msg, Hint: "wanted are JSON objects with the same keys, one on a line or all in an array"}
}

// wrap turns the errors of the decoder into errors that name the place.
func (t *jsonTable) wrap(err error) error {
	if _, ok := errors.AsType[*SyntaxError](err); ok || err == nil {
		return err
	}
	e := t.bad("JSON: " + err.Error()).(*SyntaxError)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		e.Hint = "was the file cut short?"
	}
	return e
}

// Read yields lines, for the reader of tables.
func (t *jsonTable) Read(p []byte) (int, error) {
	if len(t.rest) == 0 {
		if err := t.line(); err != nil {
			return 0, err
		}
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// line makes rest the line of the next object.
func (t *jsonTable) line() error {
	if t.plain != nil {
		if ok, err := t.plain.next(); ok {
			return err
		}
		t.d, t.opened, t.array = t.plain.left(), t.plain.begun, t.plain.array
		t.plain = nil
	}
	row, err := t.next()
	if err != nil {
		return err
	}
	t.rest = append(t.row(row), '\n')
	return nil
}

var unquoted = strings.NewReplacer("\n", " ", "\r", " ", `"`, "'")

// row is an object as a line of a table, without its end, in the memory of t.rest.
func (t *jsonTable) row(words []string) []byte {
	t.rest = t.rest[:0]
	for i, word := range words {
		if i > 0 {
			t.rest = append(t.rest, ',')
		}
		t.rest = appendWord(t.rest, word)
	}
	return t.rest
}

// appendWord appends a word of a table, in quotes where it needs them.
func appendWord[T string | []byte](dst []byte, word T) []byte {
	for i := range len(word) {
		if c := word[i]; c == ',' || c == '\n' || c == '\r' || c == '"' {
			return append(append(append(dst, '"'), unquoted.Replace(string(word))...), '"')
		}
	}
	return append(dst, word...)
}

// reset goes on with other objects, of the same keys; number of them came before.
func (t *jsonTable) reset(r io.Reader, number int) {
	t.d, t.opened, t.array, t.number = json.NewDecoder(r), false, false, number
	t.d.UseNumber()
}

// newHeadJSON looks at the first objects of a file, which begins with begin. Where they have no
// time or no place, what stands within them may have.
func newHeadJSON(h *head, begin byte) (*head, error) {
	file := &keeping{r: h.body}
	err := h.objects(file)
	if err == nil && h.isPlaced() {
		return h, nil
	}
	file.keep = new(bytes.Buffer)
	nested := newNestedObjects(h.name, file, begin == '[')
	inner := &head{name: h.name, size: h.size, nested: nested}
	rows := bufio.NewReaderSize(nested, headSize)
	if inner.first, _ = rows.Peek(headSize); len(inner.first) > 0 && inner.objects(rows) == nil && (inner.isPlaced() || nested.ofDetections()) {
		file.keep = nil
		return inner, nil
	}
	if nested.features && nested.err != io.EOF && nested.err != nil { // there is no doubt what the file should be
		return nil, nested.err
	}
	file.r, file.keep = io.MultiReader(file.keep, file.r), nil
	return h, err
}

// A keeping keeps what is read.
type keeping struct {
	r    io.Reader
	keep *bytes.Buffer // nil: it does not
}

func (k *keeping) Read(p []byte) (int, error) {
	n, err := k.r.Read(p)
	if k.keep != nil {
		k.keep.Write(p[:n])
	}
	return n, err
}

// isPlaced says whether the columns of objects have a time and a place, by their names.
func (h *head) isPlaced() bool {
	members := make([]jsonMember, len(h.title))
	for c := range members {
		members[c].name = h.title[c]
	}
	return hasTime(members) && isPlaced(members)
}

// objects looks at the first objects, for a table of all that r reads.
func (h *head) objects(r io.Reader) error {
	t := newJSONTable(h.name, bytes.NewReader(h.first))
	for range peekLines {
		row, err := t.next()
		if err != nil {
			if err == io.EOF || len(h.lines) > 0 && len(h.first) == headSize {
				break
			}
			return err
		}
		h.lines = append(h.lines, peek{number: t.number, field: row})
	}
	if len(t.keys) == 0 {
		return t.bad("no object with members")
	}
	for i := range h.lines {
		p := &h.lines[i]
		p.field = append(p.field, make([]string, len(t.keys)-len(p.field))...)
		p.raw = []byte(strings.Join(p.field, ","))
	}
	h.json, h.sep, h.title = true, ',', t.keys
	h.members = newPlainTable(h.name, r, t.keys, t.column)
	h.body = bufio.NewReader(h.members)
	return nil
}

// fitsJSON is fitsPoints for objects.
func fitsJSON(h *head, o *Options) *SyntaxError {
	if !h.json {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "not JSON"}
	}
	return fitsTitled(h, o)
}

// fitsParquet wants a table of Apache Parquet, which is text by now.
func fitsParquet(h *head, o *Options) *SyntaxError {
	if !h.parquet {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "not Parquet"}
	}
	return fitsTitled(h, o)
}

// fitsNumPy wants arrays of NumPy that have names; those without are a table without.
func fitsNumPy(h *head, o *Options) *SyntaxError {
	if !h.numpy {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "no arrays of NumPy"}
	}
	return fitsTitled(h, o)
}

// fitsTitled wants columns of positions, in the plane or on the globe.
func fitsTitled(h *head, o *Options) *SyntaxError {
	t, e := h.titles(o)
	if e == nil && t.isGeographic(o) {
		return fitsAIS(h, o)
	}
	return fitsPoints(h, o)
}

// readJSON reads objects as a table.
func readJSON(h *head, o *Options) (*source, error) {
	if t, e := h.titles(o); e == nil && t.isGeographic(o) {
		return readAIS(h, o)
	}
	return readPoints(h, o)
}
