package dataset

// This file reads text line by line, without allocating, and tells text in
// other encodings apart from text that is merely wrong.

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
)

// maxLine is the longest line accepted, in bytes; a thousand columns of full
// precision fit.
const maxLine = 1 << 16

var (
	utf8Mark    = []byte("\xef\xbb\xbf")
	utf16Little = []byte("\xff\xfe")
	utf16Big    = []byte("\xfe\xff")
	gzipMagic   = []byte("\x1f\x8b")
)

// A lineReader yields the lines of a text. Lines end in LF or CR LF; lines of
// white space alone, and comments, are skipped, but counted.
type lineReader struct {
	r       *bufio.Reader
	name    string
	line    int  // number of the line that next returned, from 1
	comment bool // whether lines that begin with # or % are comments
}

func newLineReader(r io.Reader, name string) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, maxLine), name: name}
}

// next is the next line that is not blank, without its end, valid until the
// following call; io.EOF after the last.
func (lr *lineReader) next() ([]byte, error) {
	for {
		line, err := lr.r.ReadSlice('\n')
		if len(line) == 0 && err != nil {
			if err == io.EOF {
				return nil, err
			}
			return nil, lr.wrap(err)
		}
		lr.line++
		if err != nil && err != io.EOF {
			return nil, lr.wrap(err)
		}
		if lr.line == 1 {
			if line, err = lr.encoding(line); err != nil {
				return nil, err
			}
		}
		if line = trimRight(line); len(line) > 0 && !(lr.comment && (line[0] == '#' || line[0] == '%')) {
			return line, nil
		}
	}
}

// encoding takes the byte order mark of UTF-8 off the first line and refuses
// UTF-16 and compressed data.
func (lr *lineReader) encoding(line []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(line, utf16Little), bytes.HasPrefix(line, utf16Big), bytes.IndexByte(line, 0) >= 0:
		return nil, &SyntaxError{File: lr.name, Line: 1, Col: 1 + max(0, bytes.IndexByte(line, 0)),
			Msg: "the file is not plain text", Hint: "if it is text in UTF-16 (Excel's \"Unicode text\"), save it as UTF-8"}
	case bytes.HasPrefix(line, gzipMagic):
		return nil, &SyntaxError{File: lr.name, Line: 1, Col: 1, Msg: "the file is compressed", Hint: "it was compressed twice, or read without Open"}
	}
	return bytes.TrimPrefix(line, utf8Mark), nil
}

// wrap turns the errors of reading into errors that name the place.
func (lr *lineReader) wrap(err error) error {
	if errors.Is(err, bufio.ErrBufferFull) {
		return &SyntaxError{File: lr.name, Line: lr.line, Col: 1, Msg: "the line is longer than 65,536 bytes",
			Hint: "the file is not a table, or its lines do not end in line feeds"}
	}
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &SyntaxError{File: lr.name, Line: lr.line, Msg: "the compressed file is damaged (" + err.Error() + ")", Hint: "it may have been cut short"}
	}
	return err
}

// trimRight takes blanks, carriage returns and the line feed off the end.
func trimRight(b []byte) []byte {
	for len(b) > 0 && (b[len(b)-1] <= ' ') {
		b = b[:len(b)-1]
	}
	return b
}

// Open opens the file for reading and decompresses it when it is gzip data, by
// its content, whatever its name.
func Open(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(f, maxLine)
	if head, _ := r.Peek(len(gzipMagic)); !bytes.Equal(head, gzipMagic) {
		return &file{r, f}, nil
	}
	z, err := gzip.NewReader(r)
	if err != nil {
		f.Close()
		return nil, &SyntaxError{File: name, Msg: "the compressed file is damaged (" + err.Error() + ")"}
	}
	return &file{z, f}, nil
}

// A file reads from Reader and closes f.
type file struct {
	io.Reader
	f *os.File
}

func (f *file) Close() error { return f.f.Close() }
