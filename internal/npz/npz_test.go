package npz

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func ExampleEncode() {
	var b bytes.Buffer
	Encode(&b, []float64{1, 2, 3, 4, 5, 6}, 2, 3)
	fmt.Printf("%d bytes, %q\n", b.Len(), b.String()[10:70])
	a, err := Decode(&b)
	fmt.Println(a.Shape, a.Data, err)
	// Output:
	// 176 bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } "
	// [2 3] [1 2 3 4 5 6] <nil>
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(0, 9).Draw(t, "rows"), rapid.IntRange(0, 9).Draw(t, "cols")
		n := rows * cols
		f8 := rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "f8")
		f4 := rapid.SliceOfN(rapid.Float32(), n, n).Draw(t, "f4")
		i8 := rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "i8")
		i4 := rapid.SliceOfN(rapid.Int32(), n, n).Draw(t, "i4")
		var b bytes.Buffer
		w := NewWriter(&b, rapid.Bool().Draw(t, "compress"))
		for _, err := range []error{Add(w, "f8", f8, rows, cols), Add(w, "f4", f4), Add(w, "i8", i8, rows, cols), Add(w, "i4", i4), w.Close()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		f, err := NewFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"f8", "f4", "i8", "i4"}, f.Names()); d != "" {
			t.Fatal(d)
		}
		check(t, f, "f8", f8, rows, cols)
		check(t, f, "f4", f4, n)
		check(t, f, "i8", i8, rows, cols)
		check(t, f, "i4", i4, n)
	})
}

func check[T Number](t *rapid.T, f *File, name string, want []T, shape ...int) {
	got, s, err := Get[T](f, name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(name, d)
	}
	if d := cmp.Diff(shape, s); d != "" {
		t.Fatal(name, d)
	}
}

// TestEncodeChunks passes the size at which the encoder splits its work.
func TestEncodeChunks(t *testing.T) {
	data := make([]int32, 3*chunk/8+5)
	for i := range data {
		data[i] = int32(i * i)
	}
	var b bytes.Buffer
	if err := Encode(&b, data); err != nil {
		t.Fatal(err)
	}
	a, err := Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(any(data), a.Data); d != "" {
		t.Error(d)
	}
}

// raw is a .npy file with the given dictionary and bytes.
func raw(dict, data string) string {
	return magic + "\x01\x00" + string([]byte{byte(len(dict)), byte(len(dict) >> 8)}) + dict + data
}

func TestDecode(t *testing.T) {
	tests := []struct {
		name, file string
		shape      []int
		want       any
	}{
		{"Fortran order", raw(`{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }`, "\x01\x04\x02\x05\x03\x06"), []int{2, 3}, []int32{1, 2, 3, 4, 5, 6}},
		{"big-endian", raw(`{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }`, "\x00\x00\x01\x02"), []int{1}, []int32{258}},
		{"negative short", raw(`{'shape': (1,), 'fortran_order': False, 'descr': '<i2'}`, "\xfe\xff"), []int{1}, []int32{-2}},
		{"booleans", raw(`{"descr": "|b1", "fortran_order": False, "shape": (2,)}`, "\x01\x00"), []int{2}, []int32{1, 0}},
		{"unsigned", raw(`{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }`, "\xff\xff\xff\xff"), []int{1}, []int64{math.MaxUint32}},
		{"scalar", raw(`{'descr': '<f8', 'fortran_order': False, 'shape': (), }`, "\x00\x00\x00\x00\x00\x00\xf8\x3f"), []int{}, []float64{1.5}},
		{"version 2", magic + "\x02\x00\x3c\x00\x00\x00{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }   \x07", []int{1}, []int32{7}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := Decode(strings.NewReader(tt.file))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(&Array{tt.shape, tt.want}, a); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"empty", "", "npz: no numpy header"},
		{"text", "frame,x,y\n1,2,3\n", "npz: no numpy header"},
		{"short header", magic + "\x01\x00\xff\x00{", "npz: the header is cut short"},
		{"version", magic + "\x09\x00\x01\x00\x00\x00{", "npz: header of an unknown version or too long"},
		{"huge header", magic + "\x02\x00\xff\xff\xff\xff{", "npz: header of an unknown version or too long"},
		{"objects", raw(`{'descr': '|O', 'fortran_order': False, 'shape': (1,), }`, "x"), `npz: element type "|O"`},
		{"record", raw(`{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }`, "x"), "npz: an array of records"},
		{"three dimensions", raw(`{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1), }`, ""), "npz: shape (1, 1, 1)"},
		{"too few elements", raw(`{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }`, "\x00\x00\x00\x00"), "npz: the data end before element 1 of 3"},
		{"shape overflows", raw(`{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }`, ""), "npz: shape"},
		{"promise", raw(`{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000, 2), }`, ""), "npz: the data end before element 1 of 200000000000"},
		{"too large", raw(`{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }`, "\xff\xff\xff\xff\xff\xff\xff\xff"), "npz: an unsigned integer exceeds"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Decode(strings.NewReader(tt.file))
			if !errors.Is(err, ErrCorrupt) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestGetErrors(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, false)
	if err := Add(w, "a", []int32{1}); err != nil {
		t.Fatal(err)
	}
	if err := Add(w, "a", []int32{1}); err == nil {
		t.Error("a second array of one name written")
	}
	w.Close()
	f, err := NewFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Get[float64](f, "a"); err == nil || err.Error() != "npz: array a holds []int32, not []float64" {
		t.Error(err)
	}
	if _, _, err := Get[int32](f, "b"); err == nil || err.Error() != "npz: there is no array b" {
		t.Error(err)
	}
	i := bytes.Index(b.Bytes(), []byte("\n\x01\x00\x00\x00")) + 1
	b.Bytes()[i] = 9
	if _, _, err := Get[int32](f, "a"); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("changed element: %v", err)
	}
}

func TestEncodeShape(t *testing.T) {
	for _, shape := range [][]int{{3}, {2, 2}, {-1, -2}, {2, 1, 1}} {
		func() {
			defer func() {
				if r := recover(); r != badShape {
					t.Errorf("shape %v: recovered %v", shape, r)
				}
			}()
			Encode(&bytes.Buffer{}, []int32{1, 2}, shape...)
		}()
	}
}

// python3 is a Python that has numpy; the test is skipped where there is none.
func python3(t *testing.T) string {
	for _, p := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(p, "-c", "import numpy").Run() == nil {
			return p
		}
	}
	t.Skip("no python3 with numpy")
	return ""
}

// TestNumpy lets numpy read what is written here, and reads what numpy writes.
func TestNumpy(t *testing.T) {
	python := python3(t)
	dir := t.TempDir()
	for _, compress := range []bool{false, true} {
		name := filepath.Join(dir, fmt.Sprintf("go%v.npz", compress))
		out, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w := NewWriter(out, compress)
		for _, err := range []error{
			Add(w, "cost", []float64{0.5, math.Inf(1), -3}, 3),
			Add(w, "pos", []float32{1, 2, 3, 4, 5, 6}, 2, 3),
			Add(w, "ptr", []int64{0, 1 << 40}),
			Add(w, "col", []int32{-1, 7}),
			Add(w, "none", []int32{}),
			w.Close(), out.Close(),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		script := `
import numpy, sys
z = numpy.load(sys.argv[1])
for k in z.files: print(k, z[k].dtype, z[k].shape, z[k].tolist())
numpy.savez(sys.argv[1] + '.py.npz', f=numpy.asfortranarray(numpy.arange(6.).reshape(2,3)), u=numpy.array([[1],[255]], dtype='u1'))
`
		got, err := exec.Command(python, "-c", script, name).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, got)
		}
		want := "cost float64 (3,) [0.5, inf, -3.0]\npos float32 (2, 3) [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]\nptr int64 (2,) [0, 1099511627776]\ncol int32 (2,) [-1, 7]\nnone int32 (0,) []\n"
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Error(d)
		}
		f, err := Open(name + ".py.npz")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if data, shape, err := Get[float64](f, "f"); err != nil || !cmp.Equal(data, []float64{0, 1, 2, 3, 4, 5}) || !cmp.Equal(shape, []int{2, 3}) {
			t.Error(data, shape, err)
		}
		if a, err := f.Array("u"); err != nil || !cmp.Equal(a.Float64s(), []float64{1, 255}) {
			t.Error(a, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(raw(`{'descr': '<i4', 'fortran_order': True, 'shape': (1, 2), }`, "\x00\x00\x00\x00\x01\x00\x00\x00")))
	f.Add([]byte(raw(`{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000,), }`, "")))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := Decode(bytes.NewReader(b))
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("error %v does not wrap ErrCorrupt", err)
			}
			return
		}
		n := 1
		for _, s := range a.Shape {
			n *= s
		}
		if got := len(a.Float64s()); got != n {
			t.Fatalf("%d elements of shape %v", got, a.Shape)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	data := make([]float64, 1<<17)
	b.SetBytes(8 << 17)
	for b.Loop() {
		Encode(discard{}, data)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// TestFortran reads 2×3 matrices stored column by column, of each element type.
func TestFortran(t *testing.T) {
	columns := []float64{1, 4, 2, 5, 3, 6}
	files := map[string]string{
		"<f8": string(appendElements(nil, columns)),
		"<f4": string(appendElements(nil, []float32{1, 4, 2, 5, 3, 6})),
		"<i8": string(appendElements(nil, []int64{1, 4, 2, 5, 3, 6})),
		"<i4": string(appendElements(nil, []int32{1, 4, 2, 5, 3, 6})),
	}
	for descr, data := range files {
		a, err := Decode(strings.NewReader(raw(fmt.Sprintf("{'descr': '%s', 'fortran_order': True, 'shape': (2, 3), }", descr), data)))
		if err != nil {
			t.Errorf("%s: %v", descr, err)
			continue
		}
		if d := cmp.Diff([]float64{1, 2, 3, 4, 5, 6}, a.Float64s()); d != "" {
			t.Errorf("%s: %s", descr, d)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none.npz")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := NewFile(strings.NewReader("no archive"), 10); err == nil {
		t.Error("text opened as an archive")
	}
}

// TestNothingOfMany: 2⁵⁸ rows of no columns, column by column, are read at once.
func TestNothingOfMany(t *testing.T) {
	a, err := Decode(strings.NewReader(raw(`{'descr': '<f8', 'fortran_order': True, 'shape': (288230376151711744, 0), }`, "")))
	if err != nil || len(a.Data.([]float64)) != 0 {
		t.Errorf("%v, %v", a, err)
	}
}

// TestBombs: archives that become more than in proportion to them, by one array or by many, are
// refused before the memory is taken.
func TestBombs(t *testing.T) {
	for _, tt := range []struct {
		each, arrays int
		fits         bool
	}{{1000, 50, true}, {12 << 20, 1, false}, {1 << 20, 12, false}} {
		var b bytes.Buffer
		w := NewWriter(&b, true)
		for k := range tt.arrays {
			if err := Add(w, fmt.Sprint(k), make([]float64, tt.each)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := NewFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		read, fits := 0, true
		for _, name := range f.Names() {
			a, err := f.Array(name)
			if err != nil {
				fits = false
				if !strings.Contains(err.Error(), "64 times") || !errors.Is(err, ErrCorrupt) {
					t.Error(err)
				}
				continue
			}
			read += 8 * len(a.Data.([]float64))
		}
		if fits != tt.fits || int64(read) > largest(int64(b.Len())) {
			t.Errorf("%+v: %d bytes made of %d, all read %v", tt, read, b.Len(), fits)
		}
	}
}
