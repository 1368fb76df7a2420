package text

// This file opens files plain, decompressed or made text, within limits in proportion to what
// is on disk.

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"mtt/internal/parquet"
)

// Compressed text may become this much larger than it is, and a little more: tables
// shrink to a tenth or a fiftieth, a thousandth is a bomb.
const (
	maxRatio = 256
	maxExtra = 64 << 20 // bytes
)

// maxWindow bounds the memory of the zstd decoder, in bytes.
const maxWindow = 128 << 20

var (
	utf8Mark    = []byte("\xef\xbb\xbf")
	utf16Little = []byte("\xff\xfe")
	utf16Big    = []byte("\xfe\xff")
	gzipMagic   = []byte("\x1f\x8b")
	zstdMagic   = []byte("\x28\xb5\x2f\xfd")
)

// A File is read as if it were plain. What is wrong with its compression is a
// *SyntaxError.
type File struct {
	Size  int64 // bytes on disk; 0: not known, as of a pipe
	r     io.Reader
	close []io.Closer
}

// Open opens the file for reading and decompresses gzip and zstd data, and makes text of
// Apache Parquet, by their content, whatever the name. "-" is standard input.
func Open(name string) (*File, error) {
	if name == "-" {
		return open("standard input", os.Stdin, nil)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	size := int64(0)
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	file, err := open(name, f, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	file.Size = size
	return file, nil
}

// open reads from r; c is closed with the file.
func open(name string, r io.Reader, c io.Closer) (*File, error) {
	f := &File{}
	if c != nil {
		f.close = append(f.close, c)
	}
	d, err := Decompress(name, r)
	if err != nil {
		return nil, err
	}
	f.r = d
	if c, ok := d.(io.Closer); ok {
		f.close = append(f.close, c)
	}
	return f, nil
}

// Parquet says whether the text was made of a table of Apache Parquet.
func (f *File) Parquet() bool {
	u, ok := f.r.(*unpacked)
	return ok && u.whole
}

func (f *File) Read(p []byte) (int, error) { return f.r.Read(p) }

// Close closes the file.
func (f *File) Close() error {
	var errs []error
	for i := len(f.close) - 1; i >= 0; i-- {
		errs = append(errs, f.close[i].Close())
	}
	return errors.Join(errs...)
}

// Decompress reads r decompressed when it holds gzip or zstd data, and as text in UTF-8 when it, or
// what is compressed, is text in UTF-16 with a byte order mark, or it is a table of Apache Parquet.
// The name is for errors.
func Decompress(name string, r io.Reader) (io.Reader, error) {
	packed := &counter{r: r}
	b := bufio.NewReaderSize(packed, MaxLine)
	head, _ := b.Peek(len(zstdMagic))
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, damaged(name, err)
		}
		return plainer(name, &unpacked{name: name, r: z, packed: packed}), nil
	case string(head) == parquet.Magic:
		data, err := io.ReadAll(b)
		if err != nil {
			return nil, err
		}
		table, err := parquet.NewReader(data)
		if err != nil {
			return nil, &SyntaxError{File: name, Msg: err.Error(), Hint: "it may have been cut short; mtt reads flat tables of numbers and words"}
		}
		return &unpacked{name: name, r: table, packed: packed, whole: true}, nil
	case bytes.HasPrefix(head, zstdMagic):
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, damaged(name, err)
		}
		return plainer(name, &unpacked{name: name, r: z, packed: packed, free: z.Close}), nil
	}
	return inUTF8(name, b), nil
}

// plainer is what was unpacked, as text in UTF-8; it is closed as u.
func plainer(name string, u *unpacked) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{inUTF8(name, bufio.NewReader(u)), u}
}

// inUTF8 reads r, as text in UTF-8 when it is text in UTF-16 with a byte order mark, and with the ends
// of lines of LineEnds.
func inUTF8(name string, r *bufio.Reader) io.Reader {
	head, _ := r.Peek(4)
	switch {
	case string(head) == "\xff\xfe\x00\x00": // UTF-32: who reads lines says that it is no text
	case bytes.HasPrefix(head, utf16Little):
		return LineEnds(&utf16Reader{name: name, r: r, order: binary.LittleEndian})
	case bytes.HasPrefix(head, utf16Big):
		return LineEnds(&utf16Reader{name: name, r: r, order: binary.BigEndian})
	}
	return LineEnds(r)
}

// damaged says that the file itself is at fault.
func damaged(name string, err error) error {
	return &SyntaxError{File: name, Msg: "the compressed file is damaged (" + err.Error() + ")", Hint: "it may have been cut short"}
}

// A counter counts the bytes read of r and keeps its error, which is not the fault
// of the compression.
type counter struct {
	r   io.Reader
	n   int64
	err error
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// An unpacked is decompressed data, limited in proportion to what it was made of.
type unpacked struct {
	name   string
	r      io.Reader
	packed *counter
	n      int64
	free   func()
	whole  bool // whether it is a table that is no compressed text
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.n += int64(n)
	switch {
	case u.n > maxExtra+maxRatio*u.packed.n && !u.whole:
		return n, &SyntaxError{File: u.name, Msg: fmt.Sprintf("%d compressed bytes have become more than %d", u.packed.n, u.n),
			Hint: "no table shrinks that much; decompress the file yourself if it is right"}
	case err == nil || err == io.EOF:
		return n, err
	case u.packed.err != nil:
		return n, u.packed.err
	}
	if u.whole {
		return n, &SyntaxError{File: u.name, Msg: err.Error()}
	}
	return n, damaged(u.name, err)
}

// Parquet says whether it is a table of Apache Parquet.
func (u *unpacked) Parquet() bool { return u.whole }

// Close frees the decoder.
func (u *unpacked) Close() error {
	if u.free != nil {
		u.free()
	}
	return nil
}
