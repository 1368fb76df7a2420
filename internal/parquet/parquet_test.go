package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRead reads files that github.com/parquet-go/parquet-go (v0.32.0) wrote, in three
// compressions, two versions of pages and five encodings, with missing values and a list,
// which is left out; the tables beside them were written from the same rows.
func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(name, ".parquet") + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := io.ReadAll(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the text is not that of the table beside it: %.200q", name, got)
		}
		for _, n := range []int{0, 3, 11, 200, len(file) / 2, len(file) - 1} {
			if _, err := NewReader(file[:n]); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s, its first %d bytes: %v", name, n, err)
			}
		}
	}
}

// TestNested: lists in lists in lists, as nobody writes them, do not overflow the stack.
func TestNested(t *testing.T) {
	for _, head := range []byte{0x19, 0x1c} { // a field that is a list of a list, a struct of a struct
		footer := append([]byte{0x19}, bytes.Repeat([]byte{head}, 1<<20)...)
		file := append([]byte(Magic), footer...)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
		if _, err := NewReader(append(file, Magic...)); !errors.Is(err, ErrDamaged) {
			t.Errorf("nested by %#x: %v", head, err)
		}
	}
}

// FuzzRead: any file gives a line of as many fields for each row, or an error.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.parquet")
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := NewReader(file)
		if err != nil {
			return
		}
		io.Copy(io.Discard, io.LimitReader(r, 1<<24))
	})
}
