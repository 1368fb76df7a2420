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
	skipped bool // a line feed was made of the last byte
}

func (e *returns) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if !e.known {
		err = e.look(p[:n], err)
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

// look looks for the end of the first line in p, behind which err is. Of a carriage return at its end
// one byte more says what it is.
func (e *returns) look(p []byte, err error) error {
	at := bytes.IndexFunc(p, func(c rune) bool { return c == '\r' || c == '\n' || c == 0 })
	if at < 0 {
		return err
	}
	after := p[at+1:]
	if e.known = true; p[at] == '\r' && len(after) == 0 && err == nil {
		var next [1]byte
		n := 0
		n, err = io.ReadFull(e.r, next[:])
		after = next[:n]
		e.r = io.MultiReader(bytes.NewReader(after), e.r)
	}
	e.alone = p[at] == '\r' && (len(after) == 0 || after[0] != '\n')
	return err
}
