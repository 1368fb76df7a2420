package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
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

// A thrift is a struct of the compact protocol that is being written.
type thrift []byte

func (b *thrift) number(step, v int) {
	*b = binary.AppendUvarint(append(*b, byte(step<<4|typeI64)), uint64(v)<<1)
}

func (b *thrift) text(step int, word string) {
	*b = append(binary.AppendUvarint(append(*b, byte(step<<4|typeBinary)), uint64(len(word))), word...)
}

func (b *thrift) record(step int, of thrift) {
	*b = append(append(append(*b, byte(step<<4|typeStruct)), of...), 0)
}

func (b *thrift) list(step int, of ...thrift) {
	*b = binary.AppendUvarint(append(*b, byte(step<<4|typeList), 0xf0|typeStruct), uint64(len(of)))
	for _, s := range of {
		*b = append(append(*b, s...), 0)
	}
}

// truths is a file of so many row groups, each of so many columns of so many rows that are all
// true, all of which stand in one page, with idle bytes besides.
func truths(groups, columns, rows, idle int) []byte {
	body := binary.AppendUvarint([]byte{0, 0, 0, 0}, uint64(rows)<<1)
	body = append(body, 1)
	var head, data thrift
	data.number(1, rows)
	data.number(1, runs)
	head.number(1, 0)
	head.number(1, len(body))
	head.number(1, len(body))
	head.record(2, data)
	file := slices.Concat([]byte(Magic), head, []byte{0}, body, make([]byte, idle))

	var meta, chunk, group, footer thrift
	meta.number(1, boolean)
	meta.number(8, len(Magic))
	chunk.record(3, meta)
	group.list(1, slices.Repeat([]thrift{chunk}, columns)...)
	group.number(2, rows)
	schema := make([]thrift, 1+columns)
	schema[0].number(5, columns)
	for k := range columns {
		c := &schema[1+k]
		c.number(1, boolean)
		c.number(2, 0)
		c.text(1, "x")
	}
	footer.list(2, schema...)
	footer.list(2, slices.Repeat([]thrift{group}, groups)...)
	footer = append(footer, 0)
	file = binary.LittleEndian.AppendUint32(append(file, footer...), uint32(len(footer)))
	return append(file, Magic...)
}

// TestBombs: pages that stand for many values, over and over, are refused before they fill the memory.
func TestBombs(t *testing.T) {
	for _, tt := range []struct {
		groups, columns, rows, idle int
		want                        string // of the error; "": none
	}{
		{2, 3, 5, 0, ""},
		{1, 5000, 60_000, 2 << 20, "takes more than 512 MiB"},
		{300, 100, 60_000, 0, "256 times"},
	} {
		file := truths(tt.groups, tt.columns, tt.rows, tt.idle)
		r, err := NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		switch n, err := io.Copy(&text, r); {
		case tt.want == "" && (err != nil || text.String() != "x,x,x\n"+strings.Repeat("1,1,1\n", 10)):
			t.Errorf("%+v: %v, %q", tt, err, &text)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%+v: %d bytes of text from %d, %v", tt, n, len(file), err)
		}
	}
	footer := bytes.Repeat([]byte{0x19}, largestFooter+1)
	file := binary.LittleEndian.AppendUint32(append([]byte(Magic), footer...), uint32(len(footer)))
	if _, err := NewReader(append(file, Magic...)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a footer of %d bytes: %v", len(footer), err)
	}
}

// repeated is a file of so many row groups of one column, each with one word in so many rows, of a
// dictionary.
func repeated(word string, groups, rows int) []byte {
	dict := append(binary.LittleEndian.AppendUint32(nil, uint32(len(word))), word...)
	var dictHead, dictData, head, data, meta, chunk, group, footer thrift
	dictData.number(1, 1)
	dictHead.number(1, 2)
	dictHead.number(1, len(dict))
	dictHead.number(1, len(dict))
	dictHead.record(4, dictData)
	body := append(binary.AppendUvarint([]byte{1}, uint64(rows)<<1), 0) // a run of index 0, of a width of 1
	data.number(1, rows)
	data.number(1, runsDictionary)
	head.number(1, 0)
	head.number(1, len(body))
	head.number(1, len(body))
	head.record(2, data)
	file := slices.Concat([]byte(Magic), dictHead, []byte{0}, dict, head, []byte{0}, body)
	meta.number(1, byteArray)
	meta.number(8, len(Magic))
	chunk.record(3, meta)
	group.list(1, chunk)
	group.number(2, rows)
	schema := make([]thrift, 2)
	schema[0].number(5, 1)
	schema[1].number(1, byteArray)
	schema[1].number(2, 0)
	schema[1].text(1, "x")
	footer.list(2, schema...)
	footer.list(2, slices.Repeat([]thrift{group}, groups)...)
	footer = append(footer, 0)
	file = binary.LittleEndian.AppendUint32(append(file, footer...), uint32(len(footer)))
	return append(file, Magic...)
}

// TestWordBombs: a word of a dictionary that comes in every row becomes no more text than in
// proportion to the file.
func TestWordBombs(t *testing.T) {
	for _, tt := range []struct {
		word, groups, rows int
		fits               bool
	}{{3, 2, 5, true}, {4000, 4, 60_000, false}} {
		file := repeated(strings.Repeat("w", tt.word), tt.groups, tt.rows)
		r, err := NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, r)
		if want := int64(2 + (tt.word+1)*tt.rows*tt.groups); tt.fits && (err != nil || n != want) {
			t.Errorf("%+v: %d bytes, want %d, %v", tt, n, want, err)
		}
		if !tt.fits && (err == nil || !strings.Contains(err.Error(), "256 times") || n > int64(largest(len(file)))) {
			t.Errorf("%+v: %d bytes of text from %d, %v", tt, n, len(file), err)
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

// TestUnreadCompressions: what is not decompressed is named, with what to write instead.
func TestUnreadCompressions(t *testing.T) {
	for codec, name := range map[int64]string{3: "LZO", 4: "Brotli", 5: "LZ4", 7: "LZ4"} {
		c := &chunk{codec: codec, budget: &budget{file: 100, group: 100}}
		_, err := c.unpack([]byte{1, 2, 3}, 3)
		if err == nil || !strings.Contains(err.Error(), "("+name+") is not read; write it with snappy, gzip, zstd or none") {
			t.Errorf("compression %d: %v, want one that names %s and the way out", codec, err, name)
		}
	}
}
