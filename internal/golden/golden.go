// Package golden compares what a test made with a file in its testdata, and
// rewrites that file when the test runs with -update:
//
//	go test ./plots -update
//
// The difference is then read like any other change before it is committed.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// Update reports whether the test runs with -update.
func Update() bool { return *update }

// Equal fails t unless got is the content of testdata/name, and names the first
// line that differs. With -update it writes the file instead.
func Equal(t testing.TB, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to write it)", err)
	}
	if line, g, w := firstDifference(got, want); line > 0 {
		t.Errorf("%s differs in line %d (run the test with -update to accept it)\n got %s\nwant %s", path, line, g, w)
	}
}

// firstDifference returns the number, from 1, of the first line in which got and
// want differ, and both lines cut to a readable length; 0 when they are equal.
func firstDifference(got, want []byte) (line int, g, w []byte) {
	if bytes.Equal(got, want) {
		return 0, nil, nil
	}
	for line = 1; ; line++ {
		var moreGot, moreWant bool
		g, got, moreGot = bytes.Cut(got, []byte("\n"))
		w, want, moreWant = bytes.Cut(want, []byte("\n"))
		if !bytes.Equal(g, w) || moreGot != moreWant {
			return line, excerpt(g, w), excerpt(w, g)
		}
	}
}

// excerpt is the part of a around the first byte in which it differs from b.
func excerpt(a, b []byte) []byte {
	const before, length = 40, 120
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	from := max(0, n-before)
	return a[from:min(len(a), from+length)]
}
