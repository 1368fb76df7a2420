package npz

// This file reads and writes archives of arrays, .npz.

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"strings"
)

// A Writer writes an archive, one array after the other. Equal arrays give equal
// bytes.
type Writer struct {
	z      *zip.Writer
	method uint16
	names  map[string]bool
}

// NewWriter writes an archive to w, with deflated arrays when compress is set.
func NewWriter(w io.Writer, compress bool) *Writer {
	nw := &Writer{z: zip.NewWriter(w), method: zip.Store, names: make(map[string]bool)}
	if compress {
		nw.method = zip.Deflate
	}
	return nw
}

// Add writes the array under name, which numpy.load lists without the .npy that
// the archive adds. The shape is as in Encode. A name is given once.
func Add[T Number](w *Writer, name string, data []T, shape ...int) error {
	if w.names[name] {
		return fmt.Errorf("npz: a second array %s", name)
	}
	w.names[name] = true
	e, err := w.z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: w.method})
	if err != nil {
		return err
	}
	return Encode(e, data, shape...)
}

// Close ends the archive; it does not close the writer below.
func (w *Writer) Close() error { return w.z.Close() }

// A File is an archive open for reading.
type File struct {
	z      *zip.ReadCloser
	reader *zip.Reader
	left   int64 // bytes that its arrays may still become
}

// largest is what the arrays of an archive of so many bytes may become, all together: twenty arrays
// of which one has no pattern shrink to a twentieth at most, a thousandth is a bomb.
func largest(size int64) int64 { return 64<<20 + 64*size }

// Open opens the archive of the given name.
func Open(name string) (*File, error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("npz: %s: %w", name, err)
	}
	info, err := os.Stat(name)
	if err != nil {
		z.Close()
		return nil, fmt.Errorf("npz: %w", err)
	}
	return &File{z, &z.Reader, largest(info.Size())}, nil
}

// NewFile reads an archive of the given size in bytes from r.
func NewFile(r io.ReaderAt, size int64) (*File, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("npz: %w", err)
	}
	return &File{nil, z, largest(size)}, nil
}

// Close closes what Open opened.
func (f *File) Close() error {
	if f.z == nil {
		return nil
	}
	return f.z.Close()
}

// Names lists the arrays in the order of the archive.
func (f *File) Names() []string {
	var names []string
	for _, e := range f.reader.File {
		if name, ok := strings.CutSuffix(e.Name, ".npy"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Array reads the array of the given name.
func (f *File) Array(name string) (a *Array, err error) {
	err = f.read(name, func(r io.Reader) error {
		a, err = Decode(r)
		return err
	})
	return a, err
}

// Text reads a string of the given name, an array of no dimension.
func (f *File) Text(name string) (text string, err error) {
	err = f.read(name, func(r io.Reader) error {
		text, err = decodeText(r)
		return err
	})
	return text, err
}

// read hands the array of the given name to decode, within the limits of the archive.
func (f *File) read(name string, decode func(io.Reader) error) error {
	for _, e := range f.reader.File {
		if e.Name != name+".npy" {
			continue
		}
		tooLarge := fmt.Errorf("npz: array %s: the archive becomes more than 64 times as large: %w", name, ErrCorrupt)
		if e.UncompressedSize64 >= uint64(f.left) { // as it says itself
			return tooLarge
		}
		r, err := e.Open()
		if err != nil {
			return fmt.Errorf("npz: array %s: %w", name, err)
		}
		defer r.Close()
		left := io.LimitedReader{R: r, N: f.left}
		err = decode(&left)
		if f.left = left.N; left.N == 0 {
			return tooLarge
		}
		if err != nil {
			return fmt.Errorf("npz: array %s: %w", name, err)
		}
		if n, err := io.CopyN(io.Discard, r, 1); n > 0 || err != io.EOF { // the end checks the checksum
			if n > 0 {
				err = fmt.Errorf("bytes after the last element: %w", ErrCorrupt)
			}
			return fmt.Errorf("npz: array %s: %w", name, err)
		}
		return nil
	}
	return fmt.Errorf("npz: there is no array %s", name)
}

// Get reads the array of the given name, which has elements of type T, and its
// shape.
func Get[T Number](f *File, name string) (data []T, shape []int, err error) {
	a, err := f.Array(name)
	if err != nil {
		return nil, nil, err
	}
	data, ok := a.Data.([]T)
	if !ok {
		return nil, nil, fmt.Errorf("npz: array %s holds %T, not %T", name, a.Data, data)
	}
	return data, a.Shape, nil
}
