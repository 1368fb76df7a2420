package dataset

// This file reads JSON objects that are written as programs write them.
//
// The decoder of the standard library takes a token at a time and forty nanoseconds for each byte.
// Here a value is found where it stands and copied once. What is not understood, be it a fault or
// an object of more than a megabyte, is left to the decoder, with all that follows: what there is
// to say about it is said in one place.

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Bytes of a file that are looked at, and most of them where an object is longer.
const plainWindow, mostPlain = 64 << 10, 1 << 20

// plainObjects are the objects of a file, until one is not understood.
type plainObjects struct {
	t     *jsonTable // whose columns there are
	r     io.Reader
	err   error  // of r
	buf   []byte // what has been read
	at    int    // of that: where what comes next begins
	begun bool   // there was an object
	array bool   // in an array

	cells [][]byte // of each column: the value, in buf or in memory of its own
	last  int      // the column of the member before
	path  []byte   // the name of the member at hand
}

// next puts the next object, as a line of the table, into rest of the table. It returns io.EOF at
// the end, and ok is false where the decoder is to go on, with what left reads.
func (p *plainObjects) next() (ok bool, err error) {
	for {
		switch end := p.object(); {
		case end >= 0:
			p.at = end
			p.begun = true
			p.t.number++
			p.row()
			return true, nil
		case p.more():
		case p.ended():
			return true, io.EOF
		default:
			return false, nil
		}
	}
}

// row puts the object at hand, as a line of the table, into rest of the table.
func (p *plainObjects) row() {
	p.t.rest = p.t.rest[:0]
	for c, cell := range p.cells {
		if c > 0 {
			p.t.rest = append(p.t.rest, ',')
		}
		p.t.rest = appendWord(p.t.rest, cell)
	}
	p.t.rest = append(p.t.rest, '\n')
}

// line is next of a text that is one object, ok false where it is not understood.
func (p *plainObjects) line(text []byte) (ok bool) {
	p.buf, p.at, p.begun, p.array = text, 0, false, false
	end := p.object()
	if end < 0 || space(text, end) < len(text) {
		return false
	}
	p.row()
	return true
}

// more reads on, and says whether there was anything.
func (p *plainObjects) more() bool {
	switch {
	case p.err != nil:
		return false
	case p.at > 0 || cap(p.buf) == 0:
		p.buf = append(slices.Grow(p.buf[:0], plainWindow), p.buf[p.at:]...)
		p.at = 0
	case len(p.buf) >= mostPlain:
		return false
	default:
		p.buf = slices.Grow(p.buf, len(p.buf))
	}
	n, err := io.ReadFull(p.r, p.buf[len(p.buf):cap(p.buf)])
	p.buf = p.buf[:len(p.buf)+n]
	if p.err = err; err == io.ErrUnexpectedEOF {
		p.err = io.EOF
	}
	return n > 0
}

// ended says whether no object can follow.
func (p *plainObjects) ended() bool {
	i := space(p.buf, p.at)
	if p.array && p.begun {
		return i < len(p.buf) && p.buf[i] == ']'
	}
	return p.begun && i == len(p.buf) && p.err == io.EOF
}

// left is a decoder for what is left, as far as the decoder would be.
func (p *plainObjects) left() *json.Decoder {
	begun := ""
	switch {
	case p.array && p.begun:
		begun = "[{}"
	case p.begun:
		begun = "{}"
	}
	rest := p.r
	if p.err != nil {
		rest = readerOf(func([]byte) (int, error) { return 0, p.err })
	}
	d := json.NewDecoder(&numberWords{r: io.MultiReader(strings.NewReader(begun), bytes.NewReader(p.buf[p.at:]), rest)})
	d.UseNumber()
	for range begun {
		d.Token()
	}
	return d
}

// A readerOf is a function that reads.
type readerOf func([]byte) (int, error)

func (f readerOf) Read(b []byte) (int, error) { return f(b) }

// object fills the cells from the object that comes next, and returns where it ends; -1 where it is not
// understood or not all there.
func (p *plainObjects) object() int {
	b, i := p.buf, space(p.buf, p.at)
	if i < len(b) && (!p.begun && b[i] == '[' || p.begun && p.array && b[i] == ',') {
		p.array = true
		i = space(b, i+1)
	} else if p.begun && p.array {
		return -1
	}
	if i == len(b) || b[i] != '{' {
		return -1
	}
	clear(p.cells)
	p.last = -1
	return p.members(i+1, 0)
}

// more goes behind what follows a member or an element at i, before the next one, or, where it was
// the last, behind its end.
func more(b []byte, i int, end byte) (next int, last bool) {
	switch i = space(b, i); {
	case i < len(b) && b[i] == ',':
		return space(b, i+1), false
	case i < len(b) && b[i] == end:
		return i + 1, true
	}
	return -1, false
}

// members reads members behind a brace; their names go behind as much of path.
func (p *plainObjects) members(i, prefix int) int {
	b := p.buf
	if i = space(b, i); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for i < len(b) && b[i] == '"' {
		key, end := plainString(b, i)
		if end < 0 {
			return -1
		}
		p.path = append(p.path[:prefix], key...)
		if i = space(b, end); i == len(b) || b[i] != ':' {
			return -1
		}
		if i = p.value(space(b, i+1)); i < 0 {
			return -1
		}
		var last bool
		if i, last = more(b, i, '}'); last || i < 0 {
			return i
		}
	}
	return -1
}

// elements reads elements behind a bracket, named by their numbers.
func (p *plainObjects) elements(i, prefix int) int {
	b := p.buf
	if i = space(b, i); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for k := int64(0); ; k++ {
		p.path = strconv.AppendInt(p.path[:prefix], k, 10)
		if i = p.value(i); i < 0 {
			return -1
		}
		var last bool
		if i, last = more(b, i, ']'); last || i < 0 {
			return i
		}
	}
}

// value reads the value of the member that path names.
func (p *plainObjects) value(i int) int {
	b := p.buf
	if i == len(b) {
		return -1
	}
	var word []byte
	end := -1
	switch c := b[i]; {
	case c == '{' || c == '[':
		if bytes.Count(p.path, []byte(".")) > 8 {
			return -1
		}
		p.path = append(p.path, '.')
		if c == '{' {
			return p.members(i+1, len(p.path))
		}
		return p.elements(i+1, len(p.path))
	case c == '"':
		word, end = plainString(b, i)
	case c == '-' || '0' <= c && c <= '9':
		end = plainNumber(b, i)
		word = b[i:max(i, end)]
	default:
		for _, name := range [...]string{"true", "false", "null", "NaN", "Infinity"} {
			if bytes.HasPrefix(b[i:], []byte(name)) {
				end = i + len(name)
				word = b[i:end]
			}
		}
		if c == 'n' || c == 'N' {
			word = b[i:i] // not nil: the member is there
		}
	}
	if end < 0 {
		return -1
	}
	// Mostly the members of an object have the order of those before.
	c, ok := p.last+1, true
	if c == len(p.cells) || p.t.keys[c] != string(p.path) {
		c, ok = p.t.column[string(p.path)]
	}
	if ok {
		if p.cells[c] != nil {
			return -1 // twice: the decoder says so
		}
		p.cells[c], p.last = word, c
	} else if p.t.fixed && !p.t.known[string(p.path)] {
		p.t.unread(string(p.path))
	}
	return end
}

// space is where the white space at b[i:] ends.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// plainString is the string at b[i:] and where it ends, -1 where it does not.
func plainString(b []byte, i int) (text []byte, end int) {
	plain := true
	for end = i + 1; end < len(b); end++ {
		switch c := b[end]; {
		case c == '"':
			if plain {
				return b[i+1 : end], end + 1
			}
			var text string
			if json.Unmarshal(b[i:end+1], &text) != nil {
				return nil, -1
			}
			return []byte(text), end + 1
		case c == '\\':
			plain = false
			end++
		case c < ' ':
			return nil, -1
		case c >= 0x80:
			plain = false
		}
	}
	return nil, -1
}

// plainNumber is where the number at b[i:] ends, -1 where none is.
func plainNumber(b []byte, i int) int {
	digits := func() bool {
		from := i
		for i < len(b) && '0' <= b[i] && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i++; !digits() {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return -1
		}
	}
	return i
}

// deepest is how deep a value may be nested that is understood.
const deepest = 100

// plainValue is where the value at b[i:] ends, -1 where it is not understood. Of what stands in an
// object or a list it calls part with each value and, in an object, its name.
func plainValue(b []byte, i, depth int, part func(name, value []byte)) int {
	if i == len(b) || depth > deepest {
		return -1
	}
	switch c := b[i]; {
	case c == '{' || c == '[':
		end, last := c+2, false // the bracket that closes it
		if i = space(b, i+1); i < len(b) && b[i] == end {
			return i + 1
		}
		for !last {
			var name []byte
			if c == '{' {
				if i == len(b) || b[i] != '"' {
					return -1
				}
				if name, i = plainString(b, i); i < 0 {
					return -1
				}
				if i = space(b, i); i == len(b) || b[i] != ':' {
					return -1
				}
				i = space(b, i+1)
			}
			from := i
			if i = plainValue(b, i, depth+1, nil); i < 0 {
				return -1
			}
			if part != nil {
				part(name, b[from:i])
			}
			if i, last = more(b, i, end); i < 0 {
				return -1
			}
		}
		return i
	case c == '"':
		_, end := plainString(b, i)
		return end
	case c == '-' || '0' <= c && c <= '9':
		return plainNumber(b, i)
	}
	for _, name := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(b[i:], []byte(name)) {
			return i + len(name)
		}
	}
	return -1
}
