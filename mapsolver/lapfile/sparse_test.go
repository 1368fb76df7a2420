package lapfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files of testdata are written by numpy 1.24 and scipy 1.10: the matrix of TestSparse as csr,
// csc, coo and dia, one with an element given twice, and numpy.arange(12).reshape(2, 2, 3) in both
// orders.

func TestSparse(t *testing.T) {
	for _, format := range []string{"csr", "csc", "coo"} {
		files, err := List(filepath.Join("testdata", "sparse-"+format+".npz"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		p, err := files[0].Read(nil)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		if got := print(p); got != "1.5 . 2/. 4 ./7 . ." {
			t.Errorf("%s: %s", format, got)
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
	for file, want := range map[string]string{
		"sparse-dia.npz":   `a sparse matrix of the format "dia": csr, csc and coo are read; write it by scipy.sparse.save_npz`,
		"sparse-twice.npz": "element [0, 1] is given twice; which is meant? costs.sum_duplicates() adds them",
	} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(data, file, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
}

// TestSparseSizes: rows and columns without entries are not more than would fit into the memory
// that the entries take.
func TestSparseSizes(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("testdata", "sparse-csr.npz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rows, cols int64
		want       string
	}{
		{3, 1 << 20, ""},
		{3, 2e9, "3×2000000000 with 4 entries; the limit is 1048576 rows and columns"},
		{2e9, 3, "2000000000×3 with 4 entries; the limit is"},
		{3, -1, "3×-1 with"},
	} {
		r, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for _, f := range r.File {
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			if f.Name == "shape.npy" { // two of int64 at the end
				data = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(data[:len(data)-16], uint64(c.rows)), uint64(c.cols))
			}
			m, err := w.Create(f.Name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Write(data); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		p, err := Decode(out.Bytes(), "wide.npz", nil)
		if c.want == "" && (err != nil || p.Cols != int(c.cols)) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d×%d: %v, want %q", c.rows, c.cols, err, c.want)
		}
	}
}

// TestEmptyStacks: a stack without elements is told from one that is damaged, and takes no memory.
func TestEmptyStacks(t *testing.T) {
	for _, shape := range []string{"(0, 5, 5)", "(1000000000, 0, 0)", "(1000000000, 1, 1)"} {
		head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape)
		data := fmt.Appendf(nil, "\x93NUMPY\x01\x00%s%-117s\n", []byte{118, 0}, head)
		want := "the array has the shape " + shape + ": no costs are in it"
		if shape == "(1000000000, 1, 1)" {
			want = "in 0 bytes"
		}
		if files, err := ListFrom("stack.npy", bytes.NewReader(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %d problems, want %q", shape, err, len(files), want)
		}
	}
}

// TestStack: an array of three dimensions is a problem for each of the first, in files and from pipes.
func TestStack(t *testing.T) {
	for _, file := range []string{"stack.npy", "stack-fortran.npy"} {
		name := filepath.Join("testdata", file)
		listed, err := List(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		piped, err := ListFrom(name, bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for _, files := range [][]File{listed, piped} {
			if len(files) != 2 || files[1].Name != name+"[1]" {
				t.Fatalf("%s: %v", file, files)
			}
			for k, want := range []string{"0 1 2/3 4 5", "6 7 8/9 10 11"} {
				p, err := files[k].Read(nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := print(p); got != want {
					t.Errorf("%s[%d] is %s, want %s", file, k, got, want)
				}
			}
		}
		if _, err := ListFrom(name, bytes.NewReader(data[:len(data)-1])); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s, cut short: %v", file, err)
		}
	}
}
