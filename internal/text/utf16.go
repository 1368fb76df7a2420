package text

// This file makes UTF-8 of text in UTF-16, as Excel saves "Unicode text".

import (
	"bufio"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// A utf16Reader reads UTF-16 as UTF-8, without its byte order mark.
type utf16Reader struct {
	name  string
	r     *bufio.Reader
	order binary.ByteOrder
	line  int    // line feeds so far
	out   []byte // made, and not read yet
	begun bool
	err   error
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.fill()
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

// fill makes some more text.
func (u *utf16Reader) fill() {
	u.out = u.out[:0]
	if !u.begun {
		u.begun = true
		u.r.Discard(2)
	}
	for len(u.out) < 1<<15 {
		c, ok := u.unit()
		if !ok {
			return
		}
		r := rune(c)
		if utf16.IsSurrogate(r) {
			low, ok := u.unit()
			if r = utf16.DecodeRune(r, rune(low)); !ok || r == utf8.RuneError {
				u.out = u.out[:0]
				u.err = &SyntaxError{File: u.name, Line: u.line + 1, Msg: "half a character of UTF-16", Hint: "the file may be damaged; save it as UTF-8"}
				return
			}
		}
		if r == '\n' {
			u.line++
		}
		u.out = utf8.AppendRune(u.out, r)
	}
}

// unit is the next two bytes; false at the end, for which u.err is the reason.
func (u *utf16Reader) unit() (uint16, bool) {
	var b [2]byte
	n, err := io.ReadFull(u.r, b[:])
	if err == io.ErrUnexpectedEOF && n == 1 {
		err = &SyntaxError{File: u.name, Line: u.line + 1, Msg: "half a character of UTF-16", Hint: "the file may have been cut short"}
	}
	if err != nil {
		u.err = err
		return 0, false
	}
	return u.order.Uint16(b[:]), true
}
