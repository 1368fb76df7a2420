package dataset

// This file reads NaN and Infinity, which are no JSON, as Python and JavaScript write them all the same.

import (
	"bytes"
	"io"
)

// A numberWords is a reader of JSON text in which NaN is an empty string, and so a value that is
// missing, and infinities are strings, and so words where a number should be. As long as it may,
// text keeps its length.
type numberWords struct {
	r      io.Reader
	err    error  // of r
	buf    []byte // what has been read; done of it has been looked at
	done   int
	quoted bool // within a string
	text   []byte
}

// longestWord is the most bytes that a word has.
const longestWord = len("-Infinity")

// Read implements io.Reader.
func (w *numberWords) Read(p []byte) (int, error) {
	for len(w.text) == 0 {
		if w.done == len(w.buf) && w.err != nil {
			return 0, w.err
		}
		w.buf = append(w.buf[:0], w.buf[w.done:]...)
		w.done = 0
		if w.err == nil {
			have := len(w.buf)
			w.buf = append(w.buf, make([]byte, max(len(p), 512))...)
			var n int
			n, w.err = w.r.Read(w.buf[have:])
			w.buf = w.buf[:have+n]
		}
		w.look(w.err != nil)
	}
	n := copy(p, w.text)
	w.text = w.text[n:]
	return n, nil
}

// look makes text of what was read, up to where a word may go on in what was not, unless that is all.
func (w *numberWords) look(all bool) {
	w.text = w.text[:0]
	for w.done < len(w.buf) {
		rest := w.buf[w.done:]
		word, as := rest[:1], ""
		switch c := rest[0]; {
		case c == '"':
			w.quoted = !w.quoted
		case c == '\\' && w.quoted:
			if len(rest) == 1 && !all {
				return
			}
			word = rest[:min(2, len(rest))]
		case w.quoted || c != 'N' && c != 'I' && c != '-':
		case len(rest) < longestWord && !all:
			return
		case bytes.HasPrefix(rest, []byte("NaN")):
			word, as = rest[:3], `"" `
		case bytes.HasPrefix(rest, []byte("Infinity")):
			word, as = rest[:8], `"Infinity"`
		case bytes.HasPrefix(rest, []byte("-Infinity")):
			word, as = rest[:9], `"-Infinity"`
		}
		if as != "" {
			w.text = append(w.text, as...)
		} else {
			w.text = append(w.text, word...)
		}
		w.done += len(word)
	}
}

// withWords is a line of JSON as numberWords reads it: the line itself where there are none.
func withWords(line []byte) []byte {
	if !bytes.Contains(line, []byte("NaN")) && !bytes.Contains(line, []byte("Infinity")) {
		return line
	}
	w := numberWords{buf: line}
	w.look(true)
	return w.text
}
