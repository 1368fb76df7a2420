package lapfile

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mtt/internal/mutant"
	"mtt/internal/nightly"
	"mtt/internal/npz"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// print writes p as rows of its costs, "." where a pair is forbidden.
func print(p *mapsolver.Problem) string {
	var b strings.Builder
	for r := range p.Rows {
		if r > 0 {
			b.WriteByte('/')
		}
		row := slices.Repeat([]string{"."}, p.Cols)
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			row[p.Col[e]] = fmt.Sprint(p.Cost[e])
		}
		b.WriteString(strings.Join(row, " "))
	}
	return b.String()
}

func TestDecode(t *testing.T) {
	numpy := func(x []float64, shape ...int) string {
		var b bytes.Buffer
		if err := npz.Encode(&b, x, shape...); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	inf := math.Inf(1)
	tests := []struct {
		name string
		data string
		o    Options
		want string
	}{
		{"empty.csv", "", Options{}, ""},
		{"comments.csv", "# nothing\n\n% here\n", Options{}, ""},
		{"commas.csv", "1,2,3\n4,5,6\n", Options{}, "1 2 3/4 5 6"},
		{"ends.csv", "\xef\xbb\xbf1, 2,\r\n\r\n# and\r\n3 ,4,", Options{}, "1 2/3 4"},
		{"semicolons.txt", "1;-2.5e3\n.5;+4\n", Options{}, "1 -2500/0.5 4"},
		{"tabs.tsv", "1\t2\n3\t inf\n", Options{}, "1 2/3 ."},
		{"blanks", "  1  2 \n 3\t4\n", Options{}, "1 2/3 4"},
		{"column.csv", "2\n7\n5\n", Options{}, "2/7/5"},
		{"infinite.csv", "inf,+Inf,Infinity\n1,2,3\n", Options{}, ". . ./1 2 3"},
		{"rewards.csv", "0,9\n-inf,3\n", Options{Maximize: true}, "0 -9/. -3"},
		{"zeros.csv", "0,9\n-0,3\n0.0,0\n", Options{ForbiddenZero: true}, ". 9/. 3/. ."},
		{"dense", "2\n1 2\n3 4\n", Options{}, "1 2/3 4"},
		{"wrapped", " 3\n 1 2\n 3 4 5\n 6 7 8 9\n", Options{}, "1 2 3/4 5 6/7 8 9"},
		{"both", "3\n1 2 3\n1 1 1\n2 2 2\n", Options{}, "1 2 3/1 1 1/2 2 2"},
		{"both", "3\n1 2 3\n1 1 1\n2 2 2\n", Options{Format: "orlib-sparse"}, "1 3 ./. 2 ./. . ."},
		{"sparse", "4\n3 1 7\n1 2 5\n1 1 0\n4 4 1\n", Options{}, "0 5 . ./. . . ./7 . . ./. . . 1"},
		{"a third", "6\n1 1 7\n1 2 5\n2 3 0\n2 2 1\n3 3 1\n3 4 2\n4 4 1\n4 5 2\n5 5 1\n5 6 2\n6 6 1\n6 1 2\n", Options{}, "7 5 . . . ./. 1 0 . . ./. . 1 2 . ./. . . 1 2 ./. . . . 1 2/2 . . . . 1"},
		{"wrapped by three", "6\n1 1 7\n1 2 5\n1 1 0\n2 2 1\n3 3 1\n3 4 2\n4 4 1\n4 5 2\n5 5 1\n5 6 2\n6 6 1\n6 1 2\n", Options{}, "1 1 7 1 2 5/1 1 0 2 2 1/3 3 1 3 4 2/4 4 1 4 5 2/5 5 1 5 6 2/6 6 1 6 1 2"},
		{"real.mtx", "%%MatrixMarket matrix coordinate real general\n% c\n2 3 3\n2 1 4.5\n1 3 0\n1 1 -1\n", Options{}, "-1 . 0/4.5 . ."},
		{"pattern.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n", Options{}, ". 1/1 ."},
		{"symmetric.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 3\n2 1 4\n", Options{}, "3 4/4 ."},
		{"array.mtx", "%%matrixmarket MATRIX array real general\n2 3\n1\n2\n3\n4\n5\n6\n", Options{}, "1 3 5/2 4 6"},
		{"none.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 0\n", Options{}, ". ./. ."},
		{"a.npy", numpy([]float64{1, inf, 3, 4, 5, 6}, 2, 3), Options{}, "1 . 3/4 5 6"},
		{"vector.npy", numpy([]float64{1, 0, 3}), Options{ForbiddenZero: true, Maximize: true}, "-1 . -3"},
		{"one.npz", archived("cost"), Options{}, "1 2/3 4"},
		{"none.npy", numpy(nil, 0, 3), Options{}, ""},
	}
	for _, tt := range tests {
		p, err := Decode([]byte(tt.data), tt.name, &tt.o)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := print(p); got != tt.want {
			t.Errorf("%s: read %q, want %q", tt.name, got, tt.want)
		}
	}
}

// archived is an .npz of arrays of those names.
func archived(names ...string) string {
	var b bytes.Buffer
	w := npz.NewWriter(&b, true)
	for _, name := range names {
		if err := npz.Add(w, name, []float64{1, 2, 3, 4}, 2, 2); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// TestListFrom: what comes by a pipe is found by its content.
func TestListFrom(t *testing.T) {
	var tarred bytes.Buffer
	w := tar.NewWriter(&tarred)
	for _, name := range []string{"p10.csv", "p9.csv"} {
		w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: 8, Typeflag: tar.TypeReg})
		w.Write([]byte("1,2\n3,4\n"))
	}
	w.Close()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte("1,2\n3,4\n"))
	z.Close()
	for _, tt := range []struct{ data, want string }{
		{"1;2\n3;4\n", "-"}, {zipped.String(), "-"}, {archived("cost"), "-"}, {tarred.String(), "-/p9.csv -/p10.csv"},
	} {
		files, err := ListFrom("-", strings.NewReader(tt.data))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i := range files {
			names = append(names, files[i].Name)
			if p, err := files[i].Read(nil); err != nil || print(p) != "1 2/3 4" {
				t.Errorf("%s: %v, %v", files[i].Name, p, err)
			}
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

func TestErrors(t *testing.T) {
	shape := "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4), }\n"
	cube := "\x93NUMPY\x01\x00" + string(rune(len(shape))) + "\x00" + shape + strings.Repeat("\x00", 8*24)
	tests := []struct{ name, data, want string }{
		{"word.csv", "1,2\n3,x1\n", `word.csv:2:3: "x1" is not a number; begin headings and comments with #`},
		{"head.csv", "a,b\n3,1\n", `head.csv:1:1: "a" is not a number; begin headings and comments with #`},
		{"cell.csv", "1,,2\n", `cell.csv:1:3: a number is missing; write inf for a forbidden pair`},
		{"dash.csv", "1,  -\n", `dash.csv:1:5: "-" is not a number; write inf for a forbidden pair`},
		{"comma.csv", "1,5;2,5\n", `comma.csv:1:1: "1,5" is not a number; write decimal points, not decimal commas`},
		{"tabs.csv", "1,5\t2,25\n4\t5,5\n", `tabs.csv:1:3: "5\t2" is not a number; commas and blanks separate here: write decimal points, not decimal commas, and one separator`},
		{"blanks.csv", "1,5 2,25\n4 5,5\n", `blanks.csv:1:3: "5 2" is not a number; commas and blanks separate here: write decimal points, not decimal commas, and one separator`},
		{"thousands.csv", "1.234,5;2\n3;4\n", `thousands.csv:1:1: "1.234,5" is not a number; write digits without separators of thousands, and a decimal point`},
		{"utf16.csv", "\xff\xfe1\x00;\x002\x00\n\x00", `utf16.csv:1:1: "\xff\xfe1\x00" is not a number; the file is not plain text; if it is text in UTF-16 (Excel's "Unicode text"), save it as UTF-8`},
		{"book.csv", "PK\x03\x04 and more", `book.csv: the file is a zip archive or an Excel workbook; unpack it, or save the sheet as CSV`},
		{"cube.npy", cube, `cube.npy: the array has the shape (2, 3, 4): costs have two dimensions, rows and columns; save one matrix of it, such as a[0], by numpy.save`},
		{"two.npz", archived("a", "b"), `two.npz: the archive holds 2 arrays (a, b), a problem is one; save the one that is meant: numpy.save("costs.npy", numpy.load(…)["NAME"])`},
		{"ragged.csv", "1,2\n\n3\n", `ragged.csv:3: the row has 1 numbers, the rows before have 2; all rows have the same length, a forbidden pair is inf`},
		{"nan.csv", "1,2\n3, NaN\n", `nan.csv:2:4: NaN is not a cost; write inf for a forbidden pair`},
		{"minus.csv", "-inf\n", `minus.csv:1:1: a cost of -Inf is not allowed; write inf for a forbidden pair`},
		{"large.csv", "1e999\n", `large.csv:1:1: the number is larger than 1e+290; write inf for a forbidden pair`},
		{"binary.csv", "1,\x002\n", `binary.csv:1:3: "\x002" is not a number; the file is not plain text; if it is text in UTF-16 (Excel's "Unicode text"), save it as UTF-8`},
		{"short", "3\n1 2 3\n4 5 6\n7 8\n", `short:4: the file ends after 8 of 3×3 costs; is the file complete?`},
		{"range", "2\n1 3 5\n", `range:2:3: the column is 3; it is a whole number from 1 to 2`},
		{"twice", "2\n1 1 5\n2 2 1\n1 1 6\n", `twice:4: row 1, column 1 is given again after line 2; keep one of the two`},
		{"nan", "2\n1 1 nan\n", `nan:2: NaN is not a cost`},
		{"a.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 0\n", `a.mtx:1: complex values cannot be costs; costs are real, integer or, by coordinates, pattern`},
		{"b.mtx", "%%MatrixMarket matrix coordinate real general\n1000000000 1 0\n", `b.mtx:2:1: the number of rows is 1000000000, too many for a file of this length; is the file complete?`},
		{"c.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n", `c.mtx:3: the file ends after 1 of 2 entries; is the file complete?`},
		{"d.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n5\n", `d.mtx:7:1: more than 2×2 costs`},
		{"percent.mtx", "%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 3\n", `percent.mtx:1: the first line of a MatrixMarket file is: %%MatrixMarket matrix coordinate real general`},
		{"e.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1\n", `e.mtx:3: the line has 2 words, not 3`},
		{"f.npy", "\x93NUMPY garbage", `f.npy: npz: header of an unknown version or too long: not a numpy array that can be read; numpy.save writes files that can be read`},
	}
	for _, tt := range tests {
		_, err := Decode([]byte(tt.data), tt.name, nil)
		if err == nil || err.Error() != tt.want || !errors.As(err, new(*SyntaxError)) {
			t.Errorf("%s: error\n%v, want\n%v", tt.name, err, tt.want)
		}
	}
}

func TestPartial(t *testing.T) {
	p, err := Decode([]byte("5,9\n0,7\n"), "a.csv", &Options{Maximize: true, ForbiddenZero: true, Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	var s mapsolver.Solution
	var solver ssp.Solver
	if err := solver.Solve(context.Background(), &s, p, nil); err != nil || s.Cost != -12 {
		t.Errorf("cost %v, %v, want -12", s.Cost, err)
	}
	p, err = Decode([]byte("9\n7\n"), "a.csv", &Options{Maximize: true, Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := solver.Solve(context.Background(), &s, p, nil); err != nil || s.Cost != -9 {
		t.Errorf("cost %v, %v, want -9", s.Cost, err)
	}
}

// compress is data as gzip.
func compress(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

func TestList(t *testing.T) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, m := range []struct{ name, data string }{
		{"d/p10.csv", "10"}, {"d/p9.csv", "9"}, {"d/.hidden", "x"}, {"d/p09.csv", "09"}, {"d/p2.csv.gz", string(compress([]byte("2")))}, {"d/none.csv", ""},
	} {
		if err := w.WriteHeader(&tar.Header{Name: m.name, Size: int64(len(m.data)), Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(m.data))
	}
	w.Close()
	dir := t.TempDir()
	write := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o777)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("b.tar.gz", compress(archive.Bytes()))
	write("a/x20.csv.gz", compress([]byte("20")))
	write("a/x3.txt", []byte("3"))
	write("a/x100", []byte("100"))
	write("a/README.md", []byte("no problem"))
	write(".git/x", []byte("no problem"))

	files, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		p, err := f.Read(nil)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(dir, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(name)+"="+print(p))
	}
	want := []string{
		"a/x3.txt=3", "a/x20.csv.gz=20", "a/x100=100",
		"b.tar.gz/d/none.csv=", "b.tar.gz/d/p2.csv.gz=2", "b.tar.gz/d/p9.csv=9", "b.tar.gz/d/p09.csv=9", "b.tar.gz/d/p10.csv=10",
	}
	if !slices.Equal(got, want) {
		t.Errorf("List read\n%q, want\n%q", got, want)
	}

	if _, err := List(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a name of nothing: %v", err)
	}
	write("cut.tar.gz", compress(archive.Bytes())[:100])
	write("cut.csv.gz", compress([]byte("1,2"))[:12])
	if _, err := List(filepath.Join(dir, "cut.tar.gz")); !errors.As(err, new(*SyntaxError)) {
		t.Errorf("an archive cut short: %v", err)
	}
	files, err = List(filepath.Join(dir, "cut.csv.gz"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if _, err := files[0].Read(nil); !errors.As(err, new(*SyntaxError)) {
		t.Errorf("a file cut short: %v", err)
	}
}

// FuzzDecode wants an error or a problem that is valid, and that reads the same
// when it is written as a table.
func FuzzDecode(f *testing.F) {
	for _, data := range []string{
		"", "1,2\n3,inf\n", "2\n1 2\n3 4\n", "4\n3 1 7\n1 2 5\n", "1;2,5\n",
		"%%MatrixMarket matrix coordinate real general\n2 3 3\n2 1 4.5\n1 3 0\n1 1 -1\n",
		"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 2\n2 2\n",
		"%%MatrixMarket matrix array integer general\n2 1\n1\n2\n",
		"\x93NUMPY\x01\x00\x46\x00{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2), }          \n\x01\x00\x00\x00\x02\x00\x00\x00",
	} {
		f.Add([]byte(data), false, false)
		f.Add([]byte(data), true, true)
	}
	f.Fuzz(func(t *testing.T, data []byte, maximize, zero bool) {
		p, err := Decode(data, "fuzz", &Options{Maximize: maximize, ForbiddenZero: zero})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz:") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		if p.Rows == 0 || p.Cols == 0 || p.Rows*p.Cols > 1000 {
			return
		}
		text := print(p)
		q, err := Decode([]byte(asTable(p)), "table.csv", nil)
		if err != nil || print(q) != text {
			t.Errorf("written as a table: %v\n%s, want\n%s", err, print(q), text)
		}
	})
}

// TestMutants: problems with random faults are read and valid, or refused with an error that names
// the file. MTT_TRIALS is how many, MTT_TIME for how long, MTT_SEED says which.
func TestMutants(t *testing.T) {
	kinds := []string{
		"1,2,5\n3,inf,0.25\n7,8,9\n", "3\n1 2 3\n3 4 5\n6 7 8\n", "1;2,5\n3;4,5\n",
		"%%MatrixMarket matrix coordinate real general\n2 3 3\n2 1 4.5\n1 3 0\n1 1 -1\n",
		"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 2\n2 2\n",
		"%%MatrixMarket matrix array integer general\n2 1\n1\n2\n",
		"\x93NUMPY\x01\x00\x46\x00{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2), }          \n\x01\x00\x00\x00\x02\x00\x00\x00",
	}
	sparse, err := os.ReadFile(filepath.Join("testdata", "sparse-csr.npz"))
	if err != nil {
		t.Fatal(err)
	}
	corpus, _, _ := collected(t, 3, 20)
	kinds = append(kinds, string(sparse), string(corpus))
	archive, laps := len(kinds)-2, len(kinds)-1
	seed := nightly.Seed(15)
	rng := rand.New(rand.NewPCG(uint64(seed), 8))
	trials := nightly.Trials(nightly.Or(10_000, 300_000))
	tried, refused := 0, 0
	for k := range nightly.Start().Rounds(trials, 0, 1) {
		tried++
		kind := k % len(kinds)
		whole := []byte(kinds[kind])
		data, what, _ := mutant.Several(rng, whole)
		if kind == archive && rng.IntN(4) > 0 {
			if data, what, err = mutant.Member(rng, whole); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		var err error
		if kind == laps {
			var files []File
			if files, err = listCorpus("f.laps", bytes.NewReader(data)); err == nil {
				for i := range files {
					if p, err := files[i].Read(nil); err == nil && p.Validate() != nil {
						t.Errorf("seed %d: %s: problem %d is not valid", seed, what, i)
					}
				}
			}
		} else {
			var p *mapsolver.Problem
			if p, err = Decode(data, "f", nil); err == nil && p.Validate() != nil {
				t.Errorf("seed %d: %s is not valid: %q", seed, what, data)
			}
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("seed %d: %s takes %v: %q", seed, what, took, data)
		}
		if err != nil {
			if refused++; !strings.HasPrefix(err.Error(), "f") {
				t.Errorf("seed %d: %s: the error does not name the file: %v", seed, what, err)
			}
		}
	}
	t.Logf("seed %d: %d problems with faults, %d refused", seed, tried, refused)
}

// asTable writes p as a table.
func asTable(p *mapsolver.Problem) string {
	var b strings.Builder
	for r := range p.Rows {
		row := slices.Repeat([]string{"inf"}, p.Cols)
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			row[p.Col[e]] = fmt.Sprint(p.Cost[e])
		}
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	return b.String()
}

func BenchmarkDecode(b *testing.B) {
	var data strings.Builder
	for r := range 1000 {
		for c := range 1000 {
			fmt.Fprintf(&data, "%d,", r*c%256)
		}
		data.WriteByte('\n')
	}
	text := []byte(data.String())
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Decode(text, "a.csv", nil); err != nil {
			b.Fatal(err)
		}
	}
}

// TestWidest: tables of more rows or columns than there may be are refused before they are solved.
func TestWidest(t *testing.T) {
	if !nightly.Is() {
		t.Skip("reads files of 32 MB")
	}
	for sep, want := range map[string]string{"\n": "t.csv:16777217: the table has 16777217 rows", ",": "t.csv:1: the table has 16777217 rows or columns"} {
		_, err := Decode([]byte(strings.Repeat("1"+sep, widest+1)), "t.csv", &Options{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", sep, err)
		}
		if p, err := Decode([]byte(strings.Repeat("1"+sep, widest)), "t.csv", &Options{}); err != nil || max(p.Rows, p.Cols) != widest {
			t.Errorf("%q: %v", sep, err)
		}
	}
}
