package lapfile

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mtt/internal/npz"
	"mtt/internal/text"
)

// This file finds the problems behind a name: a file, an archive or a folder.

// maxBytes is the most that one file, or all members of one archive, may hold
// when they are decompressed: the text of a dense problem of some 20,000 rows.
const maxBytes = 4 << 30

// maxSmall is what one file may hold, decompressed, when it is not a sixteenth of it itself.
const maxSmall = 256 << 20

// A File holds one problem, not read yet.
type File struct {
	Name string  // path, with the name of the member appended for an archive
	path string  // of a plain file
	data []byte  // of a member of an archive
	laps *member // of a corpus; nil for other files

	array func() []byte // makes the data of a matrix of a stack; nil for other files
}

// Optimum is the cost of the optimum that a corpus states for the problem, +Inf
// when it states that there is none; ok is false for files that state nothing.
func (f *File) Optimum() (cost float64, ok bool) {
	if f.laps == nil {
		return 0, false
	}
	_, cost, err := f.laps.read()
	return cost, err == nil
}

// List finds the problems behind path in natural order of their names, in which file9 comes before
// file10: one for a file, all members for an archive or a corpus, all matrices for an array of
// NumPy of three dimensions, and for a folder those of all files in it and in the folders below
// that have a known extension or none, and do not begin with a dot. Members of archives are held in
// memory, files are opened when they are read.
func List(path string) ([]File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return open(path)
	}
	var files []File
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := name != path && strings.HasPrefix(entry.Name(), ".")
		if entry.IsDir() {
			if hidden {
				return fs.SkipDir
			}
			return nil
		}
		if hidden || !known(entry.Name()) {
			return nil
		}
		more, err := open(name)
		files = append(files, more...)
		return err
	})
	slices.SortStableFunc(files, func(a, b File) int { return natural(a.Name, b.Name) })
	return files, err
}

// ListFrom finds the problems in what r reads to its end, by its content: one for a file, all
// members for an archive (.tar) or a corpus, all matrices for an array of NumPy of three
// dimensions. They are held in memory. The name is that of a file, and for errors.
func ListFrom(name string, r io.Reader) ([]File, error) {
	plain, err := text.Decompress(name, r)
	if err != nil {
		return nil, err
	}
	data, err := readAll(plain, 0, maxBytes)
	switch {
	case err != nil:
		return nil, damaged(name, err)
	case bytes.HasPrefix(data, []byte(corpusMagic)):
		return listCorpus(name, bytes.NewReader(data))
	case len(data) > 262 && string(data[257:262]) == "ustar":
		return archive(name, bytes.NewReader(data))
	}
	f := File{Name: name, data: data}
	if files, err := stack(&f); files != nil || err != nil {
		return files, err
	}
	return []File{f}, nil
}

// stack lists the problems of an array of NumPy of three dimensions, a matrix for each of the
// first; nil: it is none.
func stack(f *File) ([]File, error) {
	head, err := f.head(1 << 16)
	if err != nil || !npz.IsStack(head) { // whoever reads it will say what is wrong
		return nil, nil
	}
	data, err := f.bytes()
	if err != nil {
		return nil, err
	}
	n, matrix, err := npz.Stack(data)
	if shape, ok := errors.AsType[*npz.ShapeError](err); ok {
		return nil, &SyntaxError{File: f.Name, Msg: fmt.Sprintf("the array has the shape %s: no costs are in it", shape.String())}
	}
	if err != nil {
		return nil, &SyntaxError{File: f.Name, Msg: err.Error(), Hint: "numpy.save writes files that can be read"}
	}
	files := make([]File, n)
	for k := range files {
		files[k] = File{Name: fmt.Sprintf("%s[%d]", f.Name, k), array: func() []byte { return matrix(k) }}
	}
	return files, nil
}

// head is what f begins with, decompressed: at most so many bytes.
func (f *File) head(most int64) ([]byte, error) {
	if f.path == "" {
		return f.data[:min(int64(len(f.data)), most)], nil
	}
	file, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() { // what a pipe says it says once
		return nil, err
	}
	r, err := text.Decompress(f.Name, file)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, most))
}

// known says whether a file of a folder is taken for a problem.
func known(name string) bool {
	ext := filepath.Ext(unzipped(name))
	switch strings.ToLower(ext) {
	case "", ".csv", ".tsv", ".txt", ".dat", ".mtx", ".npy", ".npz", ".laps", ".tar", ".tgz":
		return true
	}
	return false
}

// unzipped is the name without the ending of a compressed file.
func unzipped(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// open lists the problems of one file. It looks into the file only when its name
// is that of an archive.
func open(path string) ([]File, error) {
	lower := strings.ToLower(path)
	if strings.HasSuffix(lower, ".laps") {
		return openCorpus(path)
	}
	if strings.HasSuffix(unzipped(lower), ".npy") {
		if files, err := stack(&File{Name: path, path: path}); files != nil || err != nil {
			return files, err
		}
	}
	if !strings.HasSuffix(unzipped(lower), ".tar") && !strings.HasSuffix(lower, ".tgz") {
		return []File{{Name: path, path: path}}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return archive(path, f)
}

// archive lists the members of the archive in r.
func archive(path string, r io.Reader) ([]File, error) {
	r, err := text.Decompress(path, r)
	if err != nil {
		return nil, err
	}
	var files []File
	left := int64(maxBytes)
	members := tar.NewReader(r)
	for {
		h, err := members.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, damaged(path, err)
		}
		if h.Typeflag != tar.TypeReg || strings.HasPrefix(filepath.Base(h.Name), ".") {
			continue
		}
		data, err := readAll(members, 0, left)
		if err != nil {
			return nil, damaged(path, err)
		}
		left -= int64(len(data))
		files = append(files, File{Name: path + "/" + h.Name, data: data})
	}
	slices.SortStableFunc(files, func(a, b File) int { return natural(a.Name, b.Name) })
	return files, nil
}

// damaged says that the file itself is at fault.
func damaged(name string, err error) error {
	if _, ok := errors.AsType[*SyntaxError](err); ok {
		return err
	}
	return &SyntaxError{File: name, Msg: "the file cannot be unpacked: " + err.Error(),
		Hint: "it may have been cut short"}
}

// bytes is the content of f, decompressed.
func (f *File) bytes() ([]byte, error) {
	if f.array != nil {
		return f.array(), nil
	}
	var r io.Reader = bytes.NewReader(f.data)
	size := int64(len(f.data))
	if f.path != "" {
		file, err := os.Open(f.path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil {
			size = info.Size()
		}
		r = file
	}
	r, err := text.Decompress(f.Name, r)
	if err != nil {
		return nil, err
	}
	data, err := readAll(r, size, min(maxBytes, max(maxSmall, 16*size)))
	if err != nil {
		if errors.As(err, new(*fs.PathError)) {
			return nil, err
		}
		return nil, damaged(f.Name, err)
	}
	return data, nil
}

// readAll reads r to its end, but no more than most bytes. It sets out with room
// for size bytes, and some to see the end.
func readAll(r io.Reader, size, most int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(max(size, 0), most)) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(r, most+1))
	if err == nil && int64(b.Len()) > most {
		err = fmt.Errorf("more than %d bytes; decompress it yourself if that is right", most)
	}
	return b.Bytes(), err
}

// natural compares names, runs of digits by their value.
func natural(a, b string) int {
	for a != "" && b != "" {
		if digit(a[0]) && digit(b[0]) {
			x, y := digits(a), digits(b)
			a, b = a[len(x):], b[len(y):]
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			if x != y {
				return strings.Compare(x, y)
			}
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// digits is the run of digits at the front of s.
func digits(s string) string {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return s[:n]
}
