package dataset

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
)

// TestPacked: a packed table, of which nobody knows how many rows it has, is read as the plain one,
// and its columns are not copied each time they grow.
func TestPacked(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	dir := t.TempDir()
	table := []byte("frame,x,y\n")
	const rows = 300_000
	for k := range rows {
		table = strconv.AppendInt(table, int64(k/7), 10)
		table = append(table, ",1.5,"...)
		table = strconv.AppendInt(table, int64(k%7), 10)
		table = append(table, '\n')
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(table)
	z.Close()
	read := func(name string, content []byte) *Data {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
		data, err := Read([]string{name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	begin := allocated()
	want := read("plain.csv", table)
	middle := allocated()
	got := read("packed.csv.gz", packed.Bytes())
	end := allocated()
	if len(got.Scans) != len(want.Scans) {
		t.Fatalf("%d scans, want %d", len(got.Scans), len(want.Scans))
	}
	for k := range want.Scans {
		if a, b := got.Scans[k], want.Scans[k]; a.Frame != b.Frame || !slices.Equal(a.Pos, b.Pos) {
			t.Fatalf("scan %d is %v, want %v", k, a, b)
		}
		if !slices.Equal(got.Rows[k], want.Rows[k]) {
			t.Fatalf("scan %d is of rows %v, want %v", k, got.Rows[k], want.Rows[k])
		}
	}
	const row = 4 + 4 + 8 + 16 // bytes of its columns
	if plain, more := middle-begin, end-middle; more > plain+2*rows*row {
		t.Errorf("%d bytes are allocated, %d for the plain table: %.1f times what the columns take beside", more, plain, float64(int64(more-plain))/(rows*row))
	}
}
