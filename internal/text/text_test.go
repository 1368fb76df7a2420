package text

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
)

// pack is the text compressed by gzip or zstd.
func pack(t *testing.T, kind string, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if kind == "zstd" {
		var err error
		if w, err = zstd.NewWriter(&b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readAll opens a file of the given content and reads it.
func readAll(t *testing.T, content []byte) ([]byte, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size != int64(len(content)) {
		t.Errorf("size %d, want %d", f.Size, len(content))
	}
	return io.ReadAll(f)
}

func TestOpen(t *testing.T) {
	want := []byte(strings.Repeat("frame,x,y\n", 1000))
	for kind, content := range map[string][]byte{"plain": want, "gzip": pack(t, "gzip", want), "zstd": pack(t, "zstd", want)} {
		got, err := readAll(t, content)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", kind, len(got), err)
		}
		if kind == "plain" {
			continue
		}
		if _, err := readAll(t, content[:len(content)-6]); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s cut short: %v", kind, err)
		}
	}
}

// TestBomb: what grows out of proportion is refused, early.
func TestBomb(t *testing.T) {
	for _, kind := range []string{"gzip", "zstd"} {
		got, err := readAll(t, pack(t, kind, make([]byte, 200<<20)))
		if err == nil || !strings.Contains(err.Error(), "no table shrinks that much") || len(got) > maxExtra+maxRatio<<20 {
			t.Errorf("%s: %d bytes, %v", kind, len(got), err)
		}
	}
}

// TestCutBlock: what an error cuts short is no line, and the error is told.
func TestCutBlock(t *testing.T) {
	damage := errors.New("damage")
	l := NewLines(io.MultiReader(strings.NewReader("1,2\n3,4\n5"), iotest.ErrReader(damage)), "f")
	var b Block
	if ok, err := l.NextBlock(&b); !ok || err != nil || string(b.data) != "1,2\n3,4\n" {
		t.Errorf("%v, %v, %q", ok, err, b.data)
	}
	if ok, err := l.NextBlock(&b); ok || !errors.Is(err, damage) {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestLines(t *testing.T) {
	l := NewLines(strings.NewReader("\xef\xbb\xbfa,b\r\n\n# no\n 1,2 \t\nlast"), "f")
	l.Comment = true
	for _, want := range []struct {
		line string
		n    int
	}{{"a,b", 1}, {" 1,2", 4}, {"last", 5}} {
		if got, err := l.Next(); err != nil || string(got) != want.line || l.Line != want.n {
			t.Errorf("line %d %q, %v; want %d %q", l.Line, got, err, want.n, want.line)
		}
	}
	if _, err := l.Next(); err != io.EOF {
		t.Error(err)
	}
	for content, want := range map[string]string{
		"\xff\xfea\x00":             `f:1:4: the file is not plain text; if it is text in UTF-16 (Excel's "Unicode text"), save it as UTF-8`,
		"a\x00,b\n":                 "f:1:2: the file is not plain text",
		"\xfd7zXZ\x00":              "f:1:1: the file is compressed by xz, not a table in text; decompress it first",
		"\x1f\x8b\x08":              "f:1:1: the file is compressed; it was compressed twice",
		"\x1f\x8b\x08\x00":          "f:1:1: the file is compressed; it was compressed twice",
		strings.Repeat("1,", 1<<16): "f:1:1: the line is longer than 65,536 bytes",
	} {
		if _, err := NewLines(strings.NewReader(content), "f").Next(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	// A NUL at the end of a line is no white space.
	if got, _ := trimRight([]byte("1,2\x00\n")); string(got) != "1,2\x00" {
		t.Errorf("%q", got)
	}
}

// TestUTF16: text in UTF-16 with its mark is read as what it says, in either order, compressed or
// not, and what is cut is told with its line.
func TestUTF16(t *testing.T) {
	want := "frame\tx\r\n" + strings.Repeat("0\t1,5 µm 𝒳\r\n", 20_000)
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		data := order.AppendUint16(nil, 0xfeff)
		for _, c := range utf16.Encode([]rune(want)) {
			data = order.AppendUint16(data, c)
		}
		if got, err := readAll(t, data); err != nil || string(got) != want {
			t.Errorf("%v: %d bytes, %v; want %d", order, len(got), err, len(want))
		}
		for _, kind := range []string{"gzip", "zstd"} {
			if got, err := readAll(t, pack(t, kind, data)); err != nil || string(got) != want {
				t.Errorf("%v, %s: %d bytes, %v; want %d", order, kind, len(got), err, len(want))
			}
		}
		if _, err := readAll(t, data[:len(data)-1]); err == nil || !strings.Contains(err.Error(), ":20001: half a character of UTF-16; the file may have been cut short") {
			t.Errorf("%v cut: %v", order, err)
		}
	}
	if _, err := readAll(t, []byte("\xff\xfe\x3d\xd8a\x00")); err == nil || !strings.Contains(err.Error(), ":1: half a character of UTF-16") {
		t.Errorf("half a pair: %v", err)
	}
}

// TestLineEnds: carriage returns alone end lines where the first line ends so, however the text is
// read; elsewhere nothing changes.
func TestLineEnds(t *testing.T) {
	for content, want := range map[string]string{
		"a,b\r1,2\r\r3,4":      "a,b\n1,2\n\n3,4",
		"a,b\r1,2\n3,4\r\n5,6": "a,b\n1,2\n3,4\n5,6",
		"a,b\r":                "a,b\n",
		"\r\r\n":               "\n\n",
		"a,b\r\n1\r2\r\n":      "a,b\r\n1\r2\r\n",
		"a,b\n1\r2\n":          "a,b\n1\r2\n",
		"a\x00b\r1\r":          "a\x00b\r1\r",
		"a,b":                  "a,b",
		"":                     "",
	} {
		for _, r := range []io.Reader{strings.NewReader(content), iotest.OneByteReader(strings.NewReader(content)), iotest.DataErrReader(strings.NewReader(content))} {
			if got, err := io.ReadAll(LineEnds(r)); err != nil || string(got) != want {
				t.Errorf("%q: %q, %v; want %q", content, got, err, want)
			}
		}
		if err := iotest.TestReader(LineEnds(strings.NewReader(content)), []byte(want)); err != nil {
			t.Errorf("%q: %v", content, err)
		}
	}
	broken := errors.New("broken")
	if got, err := io.ReadAll(LineEnds(io.MultiReader(strings.NewReader("a\r"), iotest.ErrReader(broken)))); err != broken || !strings.HasPrefix("a\n", string(got)) {
		t.Errorf("%q, %v", got, err)
	}
}
