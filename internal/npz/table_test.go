package npz

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// text is all of the table.
func text(data []byte) (string, error) {
	t, err := NewTable(data)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(t)
	return string(b), err
}

// zipped is an archive of arrays in .npy.
func zipped(t testing.TB, arrays ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, true)
	for k, a := range arrays {
		e, err := w.z.Create(fmt.Sprintf("%c.npy", 'a'+k))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(e, a)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTable(t *testing.T) {
	doubles := func(x ...float64) string { return string(appendElements(nil, x)) }
	plain := raw(`{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }`, doubles(0, 1.5, 2, 1, math.NaN(), 1e6))
	columns := raw(`{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }`, doubles(0, 1, 1.5, math.NaN(), 2, 1e6))
	numbers := raw(`{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }`, "\x07\xff")
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"plain", []byte(plain), "0,1.5,2\n1,nan,1e+06\n"},
		{"by columns", []byte(columns), "0,1.5,2\n1,nan,1e+06\n"},
		{"one in an archive", zipped(t, plain), "0,1.5,2\n1,nan,1e+06\n"},
		{"two in an archive", zipped(t, numbers, columns), "a,b.0,b.1,b.2\n7,0,1.5,2\n255,1,nan,1e+06\n"},
		{"with a number of its own", zipped(t, raw(`{'descr': '<f8', 'fortran_order': False, 'shape': (), }`, doubles(25)), numbers), "b\n7\n255\n"},
		{"records", []byte(raw(`{'descr': [('frame', '>i2'), ('', '|V2'), ('xy', '<f4', (2,)), ('name', '<U2'), ('at', '<M8[ms]'), ('s', '|S3'), ('h', '<f2')], 'fortran_order': False, 'shape': (2,), }`,
			"\xff\xfe..\x00\x00\x00\x3f\x00\x00\x80\xbfa\x00\x00\x00,\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00q\"\x00\x00\x3c"+
				"\x01\x00..\x00\x00\x00\x00\x00\x00\xc0\x7f\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x01\x80")),
			"frame,xy.0,xy.1,name,at_ms,s,h\n-2,0.5,-1,\"a,\",16,\"q'\",1\n256,0,nan,,,,-5.9604645e-08\n"},
		{"none", zipped(t, raw(`{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }`, "")), ""},
	} {
		got, err := text(tt.data)
		if err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestTableErrors(t *testing.T) {
	of := func(descr, shape, data string) string {
		return raw(fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': %s, }", descr, shape), data)
	}
	one := of("'<i4'", "(1,)", "\x01\x00\x00\x00")
	for _, tt := range []struct {
		data []byte
		want string
	}{
		{[]byte(of("'<f8'", "()", "12345678")), "one number is no table"},
		{[]byte(of("'<f8'", "(2, 2, 2)", "")), "shape (2, 2, 2)"},
		{[]byte(of("'<f8'", "(3, 100000)", "")), "3 rows of 100000 columns: is it to be transposed?"},
		{[]byte(of("'|O'", "(3,)", "")), "Python objects"},
		{[]byte(of("'<c16'", "(3,)", "")), "no column of numbers or words"},
		{[]byte(of("'<f16'", "(3,)", "")), `element type "<f16"`},
		{[]byte(of("'<S9999'", "(3,)", "")), "longer than 4096 bytes"},
		{[]byte(of("'<U9223372036854775807'", "(3,)", "")), "longer than 4096 bytes"},
		{[]byte(of("[('a', '<f8', (9999,))]", "(3,)", "")), "header"},
		{[]byte(of("[('a', [('b', '<f8')])]", "(3,)", "")), "header"},
		{[]byte(of("[]", "(3,)", "")), "header"},
		{[]byte(of("[('a', '<f8'), ('b', '<f8')]", "(3, 2)", "")), "an array of records has one dimension"},
		{[]byte(of("'<f8'", "(1000000000000,)", "12345678")), "999999999999 rows before the end"},
		{[]byte(of("'<f8'", "(1,)", "123456789")), "bytes after the last element"},
		{zipped(t, one, of("'<i4'", "(2,)", "12345678")), "array b: 2 rows, and of the arrays before 1"},
		{zipped(t), "holds no arrays"},
		{[]byte("PK\x03\x04"), "not a valid zip"},
	} {
		got, err := text(tt.data)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q, error %v, want %q", got, err, tt.want)
		} else if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%v does not wrap ErrCorrupt", err)
		}
	}
	table, err := NewTable(zipped(t, of("'<f4'", "(6000000,)", strings.Repeat("\x00\x00\x80\x00", 6e6)))) // 1.1754944e-38
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, table); err == nil || n > 75<<20 || !strings.Contains(err.Error(), "more than 256 times") {
		t.Errorf("a bomb became %d bytes, %v", n, err)
	}
	var b bytes.Buffer
	w := NewWriter(&b, false)
	if err := errors.Join(Add(w, "x", []int32{77}), Add(w, "y", []int32{78}), w.Close()); err != nil {
		t.Fatal(err)
	}
	broken := bytes.Replace(b.Bytes(), []byte{78, 0, 0, 0}, []byte{79, 0, 0, 0}, 1)
	if got, err := text(broken); !errors.Is(err, zip.ErrChecksum) {
		t.Errorf("of an archive with a wrong sum: %q, %v", got, err)
	}
}

// TestTableNumpy reads what numpy writes.
func TestTableNumpy(t *testing.T) {
	python := python3(t)
	dir := t.TempDir()
	script := `
import numpy as np, sys, os
os.chdir(sys.argv[1])
d = np.dtype([('frame','<i4'),('t','datetime64[us]'),('p','<f8',(3,)),('s','U3')], align=True)
a = np.zeros(2, d); a['frame'] = [3,4]; a['t'] = ['2020-01-01T00:00:01.5','NaT']; a['p'] = [[1,2,3],[4,5,.1]]; a['s'] = ['é','ab"']
np.save('records.npy', a)
np.savez('columns.npz', x=np.array([1,2],'f2'), ok=np.array([True,False]), y=np.asfortranarray([[.5,1],[2,3]]).astype('>f4'), n=5)
`
	if got, err := exec.Command(python, "-c", script, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	for name, want := range map[string]string{
		"records.npy": "frame,t_us,p.0,p.1,p.2,s\n3,1577836801500000,1,2,3,é\n4,,4,5,0.1,ab'\n",
		"columns.npz": "x,ok,y.0,y.1\n1,1,0.5,1\n2,0,2,3\n",
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := text(data)
		if d := cmp.Diff(want, strings.ReplaceAll(got, `"ab'"`, "ab'")); d != "" || err != nil {
			t.Error(name, err, d)
		}
	}
}

func FuzzTable(f *testing.F) {
	f.Add([]byte(raw(`{'descr': [('x', '<f8'), ('p', '<i2', (2,))], 'fortran_order': False, 'shape': (1,), }`, "123456781234")))
	f.Add([]byte(raw(`{'descr': '<U1', 'fortran_order': True, 'shape': (1, 2), }`, "12345678")))
	f.Add(zipped(f, raw(`{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }`, "1")))
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := NewTable(b)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("error %v does not wrap ErrCorrupt", err)
			}
			return
		}
		columns := -1
		got, _ := io.ReadAll(io.LimitReader(table, 1<<20))
		for l := range bytes.Lines(got) {
			if !bytes.HasSuffix(l, []byte("\n")) || bytes.ContainsAny(l, "\"\r") {
				continue
			}
			if n := bytes.Count(l, []byte(",")); columns >= 0 && n != columns {
				t.Fatalf("a line of %d columns after one of %d", n+1, columns+1)
			} else {
				columns = n
			}
		}
	})
}
