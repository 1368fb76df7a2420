package lapfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files of testdata are written by numpy 1.24 and scipy 1.10: the matrix of TestSparse as csr, csc, coo and dia, one with an element
// given twice, and numpy.arange(12).reshape(2, 2, 3) in both orders.

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
