package text

// This file makes line feeds of carriage returns that stand alone, as programs of old Macs end lines,
// and Excel's "CSV (Macintosh)".

import (
	"bytes"
	"io"
)

// LineEnds reads r with a line feed for each end of a line, if the first line of text ends in a carriage
// return alone.
func LineEnds(r io.Reader) io.Reader { return &returns{r: r} }

// A returns is what LineEnds reads.
type returns struct {
	r       io.Reader
	known   bool // whether the first line has been seen
	alone   bool // whether it ends in a carriage return alone
	held    bool // a carriage return at the end of what was read, while it is not known what follows
	skipped bool // a line feed was made of the last byte
}

func (e *returns) Read(p []byte) (int, error) {
	if e.known && !e.alone {
		return e.r.Read(p)
	}
	if e.held { // one byte more says what it is
		var next [1]byte
		n, err := io.ReadFull(e.r, next[:])
		e.held, e.known = false, true
		e.alone = n == 0 || next[0] != '\n'
		e.r = io.MultiReader(bytes.NewReader(append([]byte{'\r'}, next[:n]...)), errorReader{e.r, err})
	}
	n, err := e.r.Read(p)
	if !e.known {
		if n = e.look(p[:n]); e.held {
			if err != nil {
				e.r = errorReader{err: err}
			}
			if n == 0 {
				return e.Read(p)
			}
			return n, nil
		}
	}
	if !e.alone {
		return n, err
	}
	to := 0
	for _, b := range p[:n] {
		switch {
		case b == '\n' && e.skipped:
			e.skipped = false
			continue
		case b == '\r':
			b, e.skipped = '\n', true
		default:
			e.skipped = false
		}
		p[to] = b
		to++
	}
	return to, err
}

// look looks for the end of the first line in p, and returns how much of p is read: all but a carriage
// return at its end.
func (e *returns) look(p []byte) int {
	at := bytes.IndexFunc(p, func(c rune) bool { return c == '\r' || c == '\n' || c == 0 })
	switch {
	case at < 0:
	case p[at] != '\r':
		e.known = true
	case at == len(p)-1:
		e.held = true
		return at
	default:
		e.known, e.alone = true, p[at+1] != '\n'
	}
	return len(p)
}

// An errorReader is a reader that has met an error already, or none.
type errorReader struct {
	r   io.Reader
	err error
}

func (e errorReader) Read(p []byte) (int, error) {
	if e.err != nil {
		if e.err == io.ErrUnexpectedEOF {
			return 0, io.EOF
		}
		return 0, e.err
	}
	return e.r.Read(p)
}
