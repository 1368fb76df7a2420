package text

// This file reads text line by line, without allocating, and tells text in
// other encodings apart from text that is merely wrong.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxLine is the longest line accepted, in bytes; a thousand columns of full
// precision fit.
const MaxLine = 1 << 16

// Lines yields the lines of a text. Lines end in LF or CR LF; lines of white space
// alone, and comments, are skipped, but counted.
type Lines struct {
	Name    string // of the file, for errors
	Line    int    // number of the line that Next returned, from 1
	Tabs    int    // at the end of that line, which are taken off
	Comment bool   // whether lines that begin with # or % are comments
	r       *bufio.Reader
	err     error // of reading what comes after the last block
}

// NewLines reads the lines of r.
func NewLines(r io.Reader, name string) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, MaxLine), Name: name}
}

// Next is the next line that is not blank, without its end, valid until the
// following call; io.EOF after the last.
func (l *Lines) Next() ([]byte, error) {
	for {
		line, err := l.r.ReadSlice('\n')
		if len(line) == 0 && err != nil {
			if err == io.EOF {
				return nil, err
			}
			return nil, l.wrap(err)
		}
		l.Line++
		if err != nil && err != io.EOF {
			return nil, l.wrap(err)
		}
		if l.Line == 1 {
			if line, err = l.encoding(line); err != nil {
				return nil, err
			}
		}
		if line, l.Tabs = trimRight(line); len(line) > 0 && !(l.Comment && IsComment(line)) {
			return line, nil
		}
	}
}

// IsComment says whether a line, not an empty one, is no row but a remark: one that begins with # or %, but for the
// word of spreadsheets for a value that is missing.
func IsComment[T string | []byte](line T) bool {
	const missing = "#N/A"
	return line[0] == '%' || line[0] == '#' && !(len(line) >= len(missing) && string(line[:len(missing)]) == missing)
}

// Ahead is as much as has been read already of the lines that follow, whole ones with their
// ends, as they stand; valid until the next call. Who uses some says so by Pass.
func (l *Lines) Ahead() []byte {
	data, _ := l.r.Peek(l.r.Buffered())
	return data[:bytes.LastIndexByte(data, '\n')+1]
}

// Pass goes on behind the first lines of Ahead, which have n bytes.
func (l *Lines) Pass(lines, n int) {
	l.r.Discard(n)
	l.Line += lines
}

// blockSize is the size of a block of lines, in bytes.
const blockSize = 1 << 18

// A Block is some whole lines of a text.
type Block struct {
	data  []byte
	line  int // lines before it
	bytes bytes.Reader
	lines Lines
}

// NextBlock fills b with the next lines, and counts them as read; false after the last.
// Blocks of one text are of about one size and can be read side by side.
func (l *Lines) NextBlock(b *Block) (bool, error) {
	if l.err != nil {
		if l.err == io.EOF {
			return false, nil
		}
		return false, l.wrap(l.err)
	}
	if b.data == nil {
		b.data = make([]byte, blockSize)
	}
	n, err := io.ReadFull(l.r, b.data[:blockSize])
	b.data, b.line = b.data[:n], l.Line
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	if err == nil { // of a line that is too long, as much as shows that it is
		var rest []byte
		if rest, err = l.r.ReadSlice('\n'); errors.Is(err, bufio.ErrBufferFull) {
			err = nil
		}
		b.data = append(b.data, rest...)
	}
	if l.err = err; err != nil && err != io.EOF { // what it cut short is no line
		b.data = b.data[:bytes.LastIndexByte(b.data, '\n')+1]
	}
	if len(b.data) == 0 {
		return l.NextBlock(b)
	}
	l.Line += bytes.Count(b.data, []byte{'\n'})
	if b.data[len(b.data)-1] != '\n' {
		l.Line++
	}
	b.lines.Name, b.lines.Comment = l.Name, l.Comment
	if b.lines.r == nil {
		b.lines.r = bufio.NewReaderSize(nil, l.r.Size())
	}
	return true, nil
}

// Lines are the lines of the block, numbered as in the text. They are read once.
func (b *Block) Lines() *Lines {
	b.bytes.Reset(b.data)
	b.lines.r.Reset(&b.bytes)
	b.lines.Line = b.line
	return &b.lines
}

// binaries are the first bytes of files that are taken for tables now and then, and
// what to do about each.
var binaries = []struct{ magic, what, hint string }{
	{"\xfd7zXZ", "compressed by xz", "decompress it first, or compress it by gzip or zstd"},
	{"BZh", "compressed by bzip2", "decompress it first, or compress it by gzip or zstd"},
	{"PK\x03\x04", "a zip archive or an Excel workbook", "unpack it, or save the sheet as CSV"},
	{"\x93NUMPY", "a NumPy array", "write it as CSV, in Python: numpy.savetxt(…, fmt=\"%.17g\", delimiter=\",\", header=\"frame,x,y\")"},
	{"MATLAB 5.0", "a MATLAB file", "write it as CSV: writetable(T, 'points.csv')"},
	{"\x89HDF", "an HDF5 file", "write its table as CSV"},
	{"ARROW1", "an Arrow file", "write it as CSV"},
	{"\xd0\xcf\x11\xe0", "an Excel workbook", "save the sheet as CSV"},
	{"\x80\x03", "a Python pickle", pickleHint}, {"\x80\x04", "a Python pickle", pickleHint}, {"\x80\x05", "a Python pickle", pickleHint},
	{"RDX2\n", "a workspace of R", rHint}, {"RDX3\n", "a workspace of R", rHint}, {"X\n\x00", "an object of R", rHint},
	{"II*\x00", "a picture", pictureHint}, {"MM\x00*", "a picture", pictureHint}, {"\x89PNG", "a picture", pictureHint}, {"\xff\xd8\xff", "a picture", pictureHint},
}

const (
	pickleHint  = "write it as CSV, in Python: df.to_csv('points.csv')"
	rHint       = "write it as CSV, in R: write.csv(d, 'points.csv')"
	pictureHint = "positions are wanted: run a detector first, such as TrackMate or trackpy's locate"
)

// Binary says what a file that begins with head is when it is no text but of a
// well known kind; what is "" for others.
func Binary(head []byte) (what, hint string) {
	for _, b := range binaries {
		if bytes.HasPrefix(head, []byte(b.magic)) {
			return b.what, b.hint
		}
	}
	return "", ""
}

// encoding takes the byte order mark of UTF-8 off the first line and refuses what is
// not text.
func (l *Lines) encoding(line []byte) ([]byte, error) {
	if what, hint := Binary(line); what != "" {
		return nil, &SyntaxError{File: l.Name, Line: 1, Col: 1, Msg: "the file is " + what + ", not a table in text", Hint: hint}
	}
	switch {
	case bytes.HasPrefix(line, gzipMagic), bytes.HasPrefix(line, zstdMagic):
		return nil, &SyntaxError{File: l.Name, Line: 1, Col: 1, Msg: "the file is compressed", Hint: "it was compressed twice, or read without Open, as a stream is: unpack it by gzip -dc or zstd -dc"}
	case bytes.HasPrefix(line, utf16Little), bytes.HasPrefix(line, utf16Big), bytes.IndexByte(line, 0) >= 0:
		return nil, &SyntaxError{File: l.Name, Line: 1, Col: 1 + max(0, bytes.IndexByte(line, 0)), Msg: NotPlain, Hint: SaveAsUTF8}
	}
	return WithoutMark(line), nil
}

// WithoutMark takes the byte order mark of UTF-8 off the first bytes of a text.
func WithoutMark(head []byte) []byte { return bytes.TrimPrefix(head, utf8Mark) }

// wrap turns the errors of reading into errors that name the place.
func (l *Lines) wrap(err error) error {
	if errors.Is(err, bufio.ErrBufferFull) {
		return &SyntaxError{File: l.Name, Line: l.Line, Col: 1, Msg: "the line is longer than 65,536 bytes",
			Hint: "the file is not a table, or its lines do not end in line feeds"}
	}
	return err
}

// trimRight takes blanks, carriage returns and the line feed off the end, and says how many of these
// were tabs; a NUL, which is no blank, stays.
func trimRight(b []byte) (rest []byte, tabs int) {
	for len(b) > 0 && b[len(b)-1] <= ' ' && b[len(b)-1] != 0 {
		if b[len(b)-1] == '\t' {
			tabs++
		}
		b = b[:len(b)-1]
	}
	return b, tabs
}

// Count is "1 thing" or "n things".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Point is the word with a decimal point for its only comma.
func Point(word string) string {
	if strings.Count(word, ",") != 1 {
		return word
	}
	return strings.Replace(word, ",", ".", 1)
}
