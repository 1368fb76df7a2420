// Package npz reads and writes arrays of numbers in the .npy and .npz formats of
// numpy, so that numpy.load reads what this module writes, and the other way
// round.
//
// A .npy file is one array: a header with element type and shape, then the
// elements, row-major and little-endian. A .npz file is a zip archive of them,
// one for each name. Both are described in the documentation of numpy.lib.format.
package npz

// This file reads and writes single arrays, .npy.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Number is an element type that can be written.
type Number interface {
	float64 | float32 | int64 | int32
}

// ErrCorrupt is returned for data that is no array in one of the supported
// forms: numbers of up to eight bytes in at most two dimensions.
var ErrCorrupt = errors.New("not a numpy array that can be read")

// A ShapeError is that an array has more than two dimensions; it is an ErrCorrupt.
type ShapeError struct{ Shape []int }

func (e *ShapeError) Error() string { return "npz: shape " + e.String() + ": " + ErrCorrupt.Error() }
func (e *ShapeError) Unwrap() error { return ErrCorrupt }

// String is the shape as Python writes it.
func (e *ShapeError) String() string {
	return strings.NewReplacer("[", "(", "]", ")", " ", ", ").Replace(fmt.Sprint(e.Shape))
}

const (
	badShape = "npz: shape does not fit the number of elements"
	magic    = "\x93NUMPY"

	maxHeader = 1 << 16 // bytes; numpy itself refuses headers above 10,000
	chunk     = 1 << 16 // bytes encoded or decoded at a time
)

// An Array is what a .npy file holds.
type Array struct {
	Shape []int // at most two dimensions
	Data  any   // row-major []float64, []float32, []int64 or []int32
}

// Encode writes data as .npy of the given shape, of one or two dimensions; no
// shape means a vector. The product of the dimensions is len(data).
func Encode[T Number](w io.Writer, data []T, shape ...int) error {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	n := 1
	for _, s := range shape {
		if s < 0 {
			panic(badShape)
		}
		n *= s
	}
	if len(shape) > 2 || n != len(data) {
		panic(badShape)
	}
	if _, err := io.WriteString(w, header(any(data), shape)); err != nil {
		return err
	}
	buf := make([]byte, 0, chunk)
	for lo := 0; lo < len(data); {
		hi := min(lo+chunk/8, len(data))
		buf = appendElements(buf[:0], any(data[lo:hi]))
		if _, err := w.Write(buf); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// header is everything before the elements, a multiple of 64 bytes.
func header(data any, shape []int) string {
	descr := ""
	switch data.(type) {
	case []float64:
		descr = "<f8"
	case []float32:
		descr = "<f4"
	case []int64:
		descr = "<i8"
	case []int32:
		descr = "<i4"
	}
	var dims strings.Builder
	for _, s := range shape {
		fmt.Fprintf(&dims, "%d, ", s)
	}
	tuple := strings.TrimSuffix(dims.String(), " ")
	if len(shape) > 1 {
		tuple = strings.TrimSuffix(tuple, ",")
	}
	return headerOf(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, tuple))
}

// headerOf is the header with that dictionary.
func headerOf(dict string) string {
	const fixed = len(magic) + 2 + 2 // version 1.0, length
	pad := 63 - (fixed+len(dict))%64
	dict += strings.Repeat(" ", pad) + "\n"
	return magic + "\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(dict)))) + dict
}

// appendElements appends the elements of data, little-endian.
func appendElements(b []byte, data any) []byte {
	switch d := data.(type) {
	case []float64:
		for _, x := range d {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	case []float32:
		for _, x := range d {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	case []int64:
		for _, x := range d {
			b = binary.LittleEndian.AppendUint64(b, uint64(x))
		}
	case []int32:
		for _, x := range d {
			b = binary.LittleEndian.AppendUint32(b, uint32(x))
		}
	}
	return b
}

// Decode reads one array in .npy form. It reads floats of 4 and 8 bytes, integers
// of 1 to 8 bytes and booleans, in any byte order and in C or Fortran order.
// Booleans and integers below 32 bits become int32, uint32 becomes int64, uint64
// as well when the numbers fit. It reads no further than the array.
//
// Memory grows with the data that is there, not with what the header promises.
func Decode(r io.Reader) (*Array, error) {
	d, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	if d.members != nil {
		return nil, fmt.Errorf("npz: an array of records: %w", ErrCorrupt)
	}
	descr, fortran, shape := d.descr, d.fortran, d.shape
	if len(shape) > 2 {
		return nil, &ShapeError{shape}
	}
	n := 1
	for _, s := range shape {
		if s > 0 && n > math.MaxInt/16/s {
			return nil, fmt.Errorf("npz: shape %v: %w", shape, ErrCorrupt)
		}
		n *= s
	}
	a := &Array{Shape: shape}
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(descr, ">") {
		order = binary.BigEndian
	}
	switch strings.TrimLeft(descr, "<>=|") {
	case "f8":
		a.Data, err = elements(r, n, 8, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) })
	case "f4":
		a.Data, err = elements(r, n, 4, func(b []byte) float32 { return math.Float32frombits(order.Uint32(b)) })
	case "i8":
		a.Data, err = elements(r, n, 8, func(b []byte) int64 { return int64(order.Uint64(b)) })
	case "i4":
		a.Data, err = elements(r, n, 4, func(b []byte) int32 { return int32(order.Uint32(b)) })
	case "i2":
		a.Data, err = elements(r, n, 2, func(b []byte) int32 { return int32(int16(order.Uint16(b))) })
	case "i1":
		a.Data, err = elements(r, n, 1, func(b []byte) int32 { return int32(int8(b[0])) })
	case "u1", "b1":
		a.Data, err = elements(r, n, 1, func(b []byte) int32 { return int32(b[0]) })
	case "u2":
		a.Data, err = elements(r, n, 2, func(b []byte) int32 { return int32(order.Uint16(b)) })
	case "u4":
		a.Data, err = elements(r, n, 4, func(b []byte) int64 { return int64(order.Uint32(b)) })
	case "u8":
		tooLarge := false
		a.Data, err = elements(r, n, 8, func(b []byte) int64 {
			v := order.Uint64(b)
			tooLarge = tooLarge || v > math.MaxInt64
			return int64(v)
		})
		if tooLarge {
			err = fmt.Errorf("npz: an unsigned integer exceeds 2⁶³-1: %w", ErrCorrupt)
		}
	default:
		err = fmt.Errorf("npz: element type %q: %w", descr, ErrCorrupt)
	}
	if err != nil {
		return nil, err
	}
	if fortran && len(shape) == 2 && n > 0 { // of none there may be 2⁵⁸ rows
		a.Data = transpose(a.Data, shape[0], shape[1])
	}
	return a, nil
}

// decodeText reads a string in .npy form, of bytes or of UTF-32.
func decodeText(r io.Reader) (string, error) {
	d, err := readHeader(r)
	if err != nil {
		return "", err
	}
	kind := strings.TrimLeft(d.descr, "<>=|")
	n, err := strconv.Atoi(strings.TrimLeft(kind, "SU"))
	if err != nil || len(d.shape) > 0 || n < 1 || n > maxHeader || kind[0] != 'S' && kind[0] != 'U' {
		return "", fmt.Errorf("npz: element type %q is no string: %w", d.descr, ErrCorrupt)
	}
	if kind[0] == 'U' {
		n *= 4
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return "", fmt.Errorf("npz: the string is cut short: %w", ErrCorrupt)
	}
	return strings.ReplaceAll(string(b), "\x00", ""), nil // those of UTF-32 that are ASCII, too
}

// IsStack says whether a file that begins with data is an array of three dimensions.
func IsStack(data []byte) bool {
	d, err := readHeader(bytes.NewReader(data))
	return err == nil && len(d.shape) == 3 && d.members == nil
}

// Stack says how many matrices are in an array of three dimensions, the first of whose indices
// counts them, and makes each of them, in .npy form. A [*ShapeError] says that the array has other
// dimensions, or no elements.
func Stack(data []byte) (n int, matrix func(k int) []byte, err error) {
	r := bytes.NewReader(data)
	d, err := readHeader(r)
	if err != nil {
		return 0, nil, err
	}
	if len(d.shape) != 3 || d.members != nil || slices.Contains(d.shape, 0) {
		return 0, nil, &ShapeError{d.shape}
	}
	kind := strings.TrimLeft(d.descr, "<>=|")
	size, err := strconv.Atoi(kind[min(1, len(kind)):])
	n, rows, cols := d.shape[0], d.shape[1], d.shape[2]
	body := data[len(data)-r.Len():]
	if err != nil || size < 1 || size > 8 || n > len(body) || rows > len(body) || cols > len(body) ||
		len(body)%(n*size) != 0 || len(body)/(n*size)%rows != 0 || len(body)/(n*size)/rows != cols {
		return 0, nil, fmt.Errorf("npz: shape %v of elements %q in %d bytes: %w", d.shape, d.descr, len(body), ErrCorrupt)
	}
	head := headerOf(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", d.descr, rows, cols))
	return n, func(k int) []byte {
		part := append(make([]byte, 0, len(head)+rows*cols*size), head...)
		if d.fortran {
			for i := range rows {
				for j := range cols {
					at := (k + n*(i+rows*j)) * size
					part = append(part, body[at:at+size]...)
				}
			}
		} else {
			part = append(part, body[k*rows*cols*size:(k+1)*rows*cols*size]...)
		}
		return part
	}, nil
}

// elements reads n elements of the given size. It sets out with room for all that
// r says to have.
func elements[T Number](r io.Reader, n, size int, value func([]byte) T) ([]T, error) {
	room := chunk
	if r, ok := r.(interface{ Len() int }); ok {
		room = max(room, r.Len()/size)
	}
	data := make([]T, 0, min(n, room))
	buf := make([]byte, chunk)
	for len(data) < n {
		b := buf[:min(chunk, (n-len(data))*size)]
		if _, err := io.ReadFull(r, b); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				err = fmt.Errorf("npz: the data end before element %d of %d: %w", len(data)+1, n, ErrCorrupt)
			}
			return nil, err
		}
		for ; len(b) > 0; b = b[size:] {
			data = append(data, value(b))
		}
	}
	return data, nil
}

// transpose turns the column-major rows×cols matrix in data into row-major.
func transpose(data any, rows, cols int) any {
	switch d := data.(type) {
	case []float64:
		return transposed(d, rows, cols)
	case []float32:
		return transposed(d, rows, cols)
	case []int64:
		return transposed(d, rows, cols)
	}
	return transposed(data.([]int32), rows, cols)
}

func transposed[T Number](d []T, rows, cols int) []T {
	out := make([]T, len(d))
	for i := range rows {
		for j := range cols {
			out[i*cols+j] = d[j*rows+i]
		}
	}
	return out
}

// readHeader reads up to the first element.
func readHeader(r io.Reader) (dict, error) {
	corrupt := func(what string) (dict, error) {
		return dict{}, fmt.Errorf("npz: %s: %w", what, ErrCorrupt)
	}
	var b [12]byte
	if _, err := io.ReadFull(r, b[:10]); err != nil || string(b[:6]) != magic {
		return corrupt("no numpy header")
	}
	n := int(binary.LittleEndian.Uint16(b[8:]))
	if b[6] >= 2 {
		if _, err := io.ReadFull(r, b[10:]); err != nil {
			return corrupt("the header is cut short")
		}
		n = int(min(binary.LittleEndian.Uint32(b[8:]), maxHeader+1))
	}
	if b[6] < 1 || b[6] > 3 || n > maxHeader {
		return corrupt("header of an unknown version or too long")
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return corrupt("the header is cut short")
	}
	d, ok := parseDict(string(text))
	if !ok {
		return corrupt(fmt.Sprintf("header %q", strings.TrimSpace(string(text))))
	}
	return d, nil
}

// A dict is the Python dictionary in the header.
type dict struct {
	descr   string   // of an element that is no record
	members []member // of one that is; nil: it is none
	fortran bool
	shape   []int
}

// A member is one of a record: ('x', '<f8'), or ('position', '<f8', (3,)).
type member struct {
	name, descr string
	times       int  // how often it comes
	array       bool // whether it says how often
}

// parseDict reads {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } with
// the three keys in any order.
func parseDict(s string) (d dict, ok bool) {
	s = strings.TrimSpace(s)
	s, open := strings.CutPrefix(s, "{")
	s, closed := strings.CutSuffix(s, "}")
	if !open || !closed {
		return d, false
	}
	seen := map[string]bool{}
	for {
		s = strings.TrimLeft(s, ", ")
		if s == "" {
			return d, len(seen) == 3
		}
		var key string
		if key, s, ok = quoted(s); !ok || seen[key] {
			return d, false
		}
		seen[key] = true
		if s, ok = strings.CutPrefix(strings.TrimLeft(s, " "), ":"); !ok {
			return d, false
		}
		s = strings.TrimLeft(s, " ")
		switch key {
		case "descr":
			if strings.HasPrefix(s, "[") {
				d.members, s, ok = parseMembers(s[1:])
			} else {
				d.descr, s, ok = quoted(s)
			}
			if !ok {
				return d, false
			}
		case "fortran_order":
			if s, ok = strings.CutPrefix(s, "False"); !ok {
				if s, ok = strings.CutPrefix(s, "True"); !ok {
					return d, false
				}
				d.fortran = true
			}
		case "shape":
			if d.shape, s, ok = parseShape(s); !ok {
				return d, false
			}
		default:
			return d, false
		}
	}
}

// parseShape takes a tuple of whole numbers off the front of s.
func parseShape(s string) (shape []int, rest string, ok bool) {
	inside, rest, ok := strings.Cut(s, ")")
	inside, open := strings.CutPrefix(inside, "(")
	if !ok || !open {
		return nil, s, false
	}
	shape = []int{}
	for f := range strings.SplitSeq(inside, ",") {
		if f = strings.TrimSpace(f); f == "" {
			continue
		}
		v, err := strconv.Atoi(f)
		if err != nil || v < 0 {
			return nil, s, false
		}
		shape = append(shape, v)
	}
	return shape, rest, true
}

// parseMembers takes the members of a record off the front of s, with the bracket that ends them.
func parseMembers(s string) (list []member, rest string, ok bool) {
	for {
		s = strings.TrimLeft(s, ", ")
		if rest, ok := strings.CutPrefix(s, "]"); ok {
			return list, rest, list != nil
		}
		m := member{times: 1}
		if s, ok = strings.CutPrefix(s, "("); !ok {
			return nil, s, false
		}
		if m.name, s, ok = quoted(s); !ok {
			return nil, s, false
		}
		if m.descr, s, ok = quoted(strings.TrimLeft(s, ", ")); !ok {
			return nil, s, false
		}
		if s = strings.TrimLeft(s, ", "); strings.HasPrefix(s, "(") {
			var shape []int
			if shape, s, ok = parseShape(s); !ok || len(shape) != 1 || shape[0] > maxColumns {
				return nil, s, false
			}
			m.times, m.array = shape[0], true
		}
		if s, ok = strings.CutPrefix(s, ")"); !ok {
			return nil, s, false
		}
		list = append(list, m)
	}
}

// quoted takes a Python string without escapes off the front of s.
func quoted(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		return "", s, false
	}
	return strings.Cut(s[1:], s[:1])
}

// Float64s is the array's elements as float64; those of a float64 array are not
// copied. Integers beyond 2⁵³ are rounded.
func (a *Array) Float64s() []float64 {
	switch d := a.Data.(type) {
	case []float64:
		return d
	case []float32:
		return convert(d)
	case []int64:
		return convert(d)
	case []int32:
		return convert(d)
	}
	return nil
}

func convert[T Number](d []T) []float64 {
	out := make([]float64, len(d))
	for i, x := range d {
		out[i] = float64(x)
	}
	return out
}
