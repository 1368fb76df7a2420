package dataset

// This file reads what has one file for each frame, in a folder, as one table with a column
// for the frame: labels of YOLO, and tables whose rows say no frame.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// yoloHint says what lines of YOLO hold.
const yoloHint = "a line is class, centre x, centre y, width, height in shares of the picture, and perhaps confidence and identity"

// A frameFile is the file of one frame.
type frameFile struct {
	path  string
	frame int
}

// frameFiles lists the files of dir that are of one frame each, in order of their frames: the names end
// in a number and differ in nothing else. Others, such as classes.txt, are passed over.
func frameFiles(dir string) ([]frameFile, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []frameFile
	series := "" // the name up to the number
	for _, e := range entries {
		ext := strings.ToLower(filepath.Ext(e.Name()))
		base := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))
		stem := strings.TrimRight(base, "0123456789")
		number, err := strconv.Atoi(base[len(stem):])
		if e.IsDir() || err != nil || ext != ".txt" && ext != ".csv" {
			continue
		}
		if len(files) > 0 && stem+ext != series {
			return nil, &SyntaxError{File: dir, Msg: fmt.Sprintf("files of two kinds: %s and %s", filepath.Base(files[0].path), e.Name()),
				Hint: "one folder holds the frames of one video; their names differ in the number of the frame only"}
		}
		series = stem + ext
		files = append(files, frameFile{filepath.Join(dir, e.Name()), number})
	}
	slices.SortFunc(files, func(a, b frameFile) int { return cmp.Compare(a.frame, b.frame) })
	return files, nil
}

// IsLabels says whether dir is a folder that [Read] takes for one scene: it has a file for each frame,
// labels of YOLO or tables that name columns but no frame or time.
func IsLabels(dir string) bool {
	files, err := frameFiles(dir)
	if err != nil {
		_, mixed := errors.AsType[*SyntaxError](err)
		return mixed && strings.EqualFold(filepath.Base(filepath.Clean(dir)), "labels") // Read says what is wrong
	}
	for _, f := range files {
		h, err := headOf(f.path)
		if err != nil || h == nil {
			continue // empty: a frame without detections
		}
		if h.title == nil {
			_, bad := yolo(h.lines[0].field)
			return bad == ""
		}
		return lacksFrame(h) == nil
	}
	return false
}

// headOf is the head of the file; nil where it holds nothing.
func headOf(path string) (*head, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() == 0 {
		return nil, err
	}
	return newHead(path, f, 0)
}

// lacksFrame is nil where the columns of h are those of points but for the frame.
func lacksFrame(h *head) *SyntaxError {
	with := *h
	with.title = append(slices.Clone(h.title), "frame")
	if t, e := h.titles(&Options{}); e != nil || t.has(frame) || t.has(stamp) {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "the table says a frame or a time", Hint: "such tables are scenes of their own"}
	}
	return fitsPoints(&with, &Options{})
}

// yolo is a line of YOLO as numbers, or what is wrong with it.
func yolo(fields []string) (v []float64, wrong string) {
	if len(fields) < 5 || len(fields) > 7 {
		return nil, fmt.Sprintf("%d numbers, 5 to 7 wanted", len(fields))
	}
	for i, f := range fields {
		x, ok := parseFloat([]byte(f))
		switch {
		case !ok:
			return nil, fmt.Sprintf("%q is not a number", f)
		case i == 0 && (x < 0 || x != math.Trunc(x)):
			return nil, fmt.Sprintf("class %s is no number of a class", f)
		case i > 0 && i < 5 && !(x >= -0.5 && x <= 1.5):
			return nil, fmt.Sprintf("%s is no share of the picture", f)
		}
		v = append(v, x)
	}
	return v, ""
}

// loadFolder reads a folder with a file for each frame.
func loadFolder(dir string, o *Options) (*source, error) {
	files, err := frameFiles(dir)
	if err != nil {
		return nil, err
	}
	joined, empty, labels, err := join(dir, files, o)
	if err != nil {
		return nil, err
	}
	said := &source{image: o.Image}
	if err := said.sequence(filepath.Join(dir, "labels"), o); err != nil { // seqinfo.ini beside the folder
		return nil, err
	}
	if o.Image[0] > 0 {
		said.image = o.Image
	}
	table := joined.csv(said.image)
	h, err := newHead(dir, bytes.NewReader(table), 0)
	if err != nil {
		return nil, err
	}
	first, last := files[0].frame, files[len(files)-1].frame
	about := fmt.Sprintf("a folder with a file for each frame: %d files, frames %d to %d, %d of them empty", len(files), first, last, empty)
	if labels {
		about += "; labels of YOLO"
		if h.image = said.image; h.image[0] > 0 {
			h.unit = "px"
			about += fmt.Sprintf(", in pixels of pictures of %d×%d", h.image[0], h.image[1])
		} else {
			about += ", in shares of the picture, whose width counts as its height (--image 1920x1080 says how large it is)"
		}
	}
	h.made, h.table, h.about = "yolo", table, about
	s, err := h.parse(o)
	if err != nil {
		return nil, err
	}
	s.count, s.frames, s.looked = said.count, said.frames, looked(files)
	s.notes = append(said.notes, s.notes...)
	return s, nil
}

// looked are the frames of the files, empty ones too.
func looked(files []frameFile) *Grid {
	g := &Grid{First: files[0].frame, Count: 1}
	for _, f := range files[1:] {
		g.Step = gcd(g.Step, f.frame-g.First)
	}
	g.Step = max(1, g.Step)
	g.Count += (files[len(files)-1].frame - g.First) / g.Step
	return g
}

// fitsYOLO wants a folder with a file for each frame, which is a table by now.
func fitsYOLO(h *head, o *Options) *SyntaxError {
	if h.made != "yolo" {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "no folder with a file for each frame"}
	}
	return fitsPoints(h, o)
}

// A frameTable is the rows of all frames under one line of names.
type frameTable struct {
	names []string
	rows  [][]string
	boxes [][]float64 // of YOLO, beside rows: class, centre and size; nil: rows are as they were
}

// join reads the files of the frames into one table; empty is how many say nothing.
func join(dir string, files []frameFile, o *Options) (t *frameTable, empty int, labels bool, err error) {
	t = &frameTable{}
	most, width := 0.0, 0 // of the sixth number of YOLO, and how many there are
	for i, f := range files {
		if i > 0 && f.frame == files[i-1].frame {
			return nil, 0, false, &SyntaxError{File: dir, Msg: fmt.Sprintf("%s and %s are of one frame", filepath.Base(files[i-1].path), filepath.Base(f.path))}
		}
		data, err := os.ReadFile(f.path)
		if err != nil {
			return nil, 0, false, err
		}
		number := strconv.Itoa(f.frame)
		before, named, sep := len(t.rows), false, byte(' ')
		line := 0
		for raw := range bytes.Lines(data) {
			line++
			if raw = bytes.TrimSpace(raw); len(raw) == 0 {
				continue
			}
			bad := func(msg, hint string) error {
				return &SyntaxError{File: f.path, Line: line, Col: 1, Msg: msg, Hint: hint}
			}
			if !named && (t.names != nil && !labels || t.names == nil) {
				sep = separator(raw)
				if fields := split(raw, sep); isTitle(fields) {
					if t.names == nil {
						t.names = append([]string{"frame"}, fields...)
					} else if !slices.Equal(t.names[1:], fields) {
						return nil, 0, false, bad("the columns are other than those of "+filepath.Base(files[0].path), "every file names the same columns")
					}
					named = true
					continue
				}
			}
			if named {
				fields := split(raw, sep)
				if len(fields) != len(t.names)-1 {
					return nil, 0, false, bad(fmt.Sprintf("%d fields, %d wanted", len(fields), len(t.names)-1), "")
				}
				t.rows = append(t.rows, append([]string{number}, fields...))
				continue
			}
			fields := strings.Fields(string(raw))
			box, wrong := yolo(fields)
			if width == 0 {
				width = len(fields)
			}
			if wrong == "" && len(fields) != width {
				wrong = fmt.Sprintf("%d numbers, %d before", len(fields), width)
			}
			if wrong != "" {
				return nil, 0, false, bad(wrong, yoloHint)
			}
			if len(box) > 5 {
				most = max(most, box[5])
			}
			labels = true
			t.names = []string{"frame", "class", "x", "y", "w", "h"}
			t.rows = append(t.rows, append([]string{number, fields[0]}, fields[5:]...))
			t.boxes = append(t.boxes, box[1:5])
		}
		if len(t.rows) == before {
			empty++
		}
	}
	if len(t.rows) == 0 {
		return nil, 0, false, &SyntaxError{File: dir, Msg: "no file holds a detection", Hint: yoloHint}
	}
	switch {
	case labels && width == 7:
		t.names = append(t.names, "conf", "track_id")
	case labels && width == 6 && most > 1:
		t.names = append(t.names, "track_id")
	case labels && width == 6:
		t.names = append(t.names, "conf")
	}
	return t, empty, labels, nil
}

// csv is the table as text; boxes are in pixels of pictures of that size, where it is known.
func (t *frameTable) csv(image [2]int) []byte {
	by := [4]float64{1, 1, 1, 1}
	if image[0] > 0 {
		by = [4]float64{float64(image[0]), float64(image[1]), float64(image[0]), float64(image[1])}
	}
	var out jsonTable // writes lines with quotes where they are needed
	b := append(bytes.Clone(out.row(t.names)), '\n')
	for i, row := range t.rows {
		if t.boxes != nil {
			words := slices.Clone(row[:2])
			for k, v := range t.boxes[i] {
				words = append(words, strconv.FormatFloat(v*by[k], 'g', 10, 64))
			}
			row = append(words, row[2:]...)
		}
		b = append(append(b, out.row(row)...), '\n')
	}
	return b
}
