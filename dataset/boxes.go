package dataset

// This file reads the text files of MOTChallenge, boxes in images, and what seqinfo.ini
// says of their sequence.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const motHint = "the columns are frame,id,left,top,width,height,conf and perhaps more"

func fitsMOT(h *head, o *Options) *SyntaxError {
	if !h.xml && h.title == nil && len(h.lines[0].field) == 6 {
		p := &h.lines[0]
		e := h.bad(p, -1, "6 columns, at least 7 wanted", "the score may be missing: "+motHint)
		e.Col = len(p.raw) + 1
		return e
	}
	if e := h.numbers(7, motHint); e != nil {
		return e
	}
	if h.sep != ',' && len(h.lines[0].field) < 9 {
		return h.bad(&h.lines[0], 0, h.separated()+", not comma separated", motHint)
	}
	if e := h.whole([]int{0, 1}, "frame", "id"); e != nil {
		e.Hint = motHint
		return e
	}
	for i := range h.lines {
		p := &h.lines[i]
		for c, name := range []string{4: "width", 5: "height"} {
			if v, _ := parseFloat([]byte(p.field[c])); c >= 4 && v < 0 {
				return h.bad(p, c, fmt.Sprintf("%s is %s", name, p.field[c]), motHint)
			}
		}
	}
	return nil
}

func readMOT(h *head, o *Options) (*source, error) {
	columns := len(h.lines[0].field)
	l := &layout{sep: h.sep, open: true, roles: []role{frame, ident, left, top, width, height, conf},
		names: []string{"frame", "id", "left", "top", "width", "height", "conf"}}
	if isMOT16(h) {
		l.roles = append(l.roles, class)
		l.names = append(l.names, "class")
	}
	t, err := h.rows(l)
	if err != nil || t.n == 0 {
		return &source{rows: t}, err
	}
	s := &source{rows: t, unit: "px"}
	if err := s.sequence(h.name, o); err != nil {
		return nil, err
	}
	if o.Format != "mot" {
		if e := corners(h, t); e != nil {
			return nil, e
		}
	}
	named := 0
	for i, id := range t.id {
		if id >= 0 {
			named++
		} else {
			t.id[i] = noID
		}
	}
	what := "detections"
	id := ", id -1 throughout"
	switch {
	case named == 0:
		t.id = nil
	default:
		what, id = "tracks", ""
		if strings.Contains(strings.ToLower(h.name), "gt") {
			what = "ground truth"
		}
	}
	s.note("understood as MOTChallenge %s: %s, %d columns, %s%s", what, h.separated(), columns, t.spread("boxes"), id)
	s.note("positions are the centres of the boxes, in pixels")
	if t.class != nil {
		scored := func(i int) bool { return t.class[i] == 1 && t.conf[i] != 0 }
		lookalike := func(i int) bool { return distracts(int(t.class[i]), h.name) }
		s.ignored = t.where(lookalike)
		s.others = t.where(func(i int) bool { return !scored(i) && !lookalike(i) })
		dropped := t.keep(scored)
		s.note("%d boxes of class 1 (pedestrian) and active kept, %d left out", t.n, dropped)
		t.class = nil
	} else if t.id != nil && only(t.conf, 0, 1) && slices.Contains(t.conf, 1) {
		if dropped := t.keep(func(i int) bool { return t.conf[i] == 1 }); dropped > 0 {
			s.note("boxes marked as not to be considered (conf 0) left out: %d", dropped)
		}
	}
	if t.n == 0 {
		return nil, &SyntaxError{File: h.name, Msg: "no box is of class 1 (pedestrian) and active", Hint: "the 7th column is 1 for boxes to consider, the 8th is the class"}
	}
	if only(t.conf, 0, 1) || only(t.conf, -1, -1) {
		t.conf = nil
	}
	return s, nil
}

// sequenceFile says of a sequence of MOTChallenge how fast, how long and how large its
// pictures are.
const sequenceFile = "seqinfo.ini"

// sequence takes the rate, the frames and the size of pictures from seqinfo.ini in the
// folder of the sequence, where there is one: that of the file det/det.txt or gt/gt.txt.
func (s *source) sequence(name string, o *Options) error {
	path := filepath.Join(filepath.Dir(filepath.Dir(filepath.Clean(name))), sequenceFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || name == "-" || len(data) > headSize {
		return nil
	}
	if err != nil {
		return err
	}
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		key, value, ok := strings.Cut(strings.TrimSpace(text), "=")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		v, isNumber := parseFloat([]byte(value))
		bad := func(want string) error {
			return &SyntaxError{File: path, Line: line, Col: 1, Msg: fmt.Sprintf("%s is %q, not %s", key, value, want)}
		}
		to := map[string]*int{"seqlength": &s.frames, "imwidth": &s.image[0], "imheight": &s.image[1]}[strings.ToLower(strings.TrimSpace(key))]
		switch {
		case to != nil:
			if !isNumber || v < 1 || v > 1e9 || v != float64(int(v)) {
				return bad("a whole number from 1 on")
			}
			*to = int(v)
		case strings.EqualFold(strings.TrimSpace(key), "frameRate"):
			if !isNumber || !(v >= 1e-9) || v > 1e9 {
				return bad("a number from 1e-9 to 1e9")
			}
			s.count = 1 / v
		}
	}
	if s.image[0] == 0 || s.image[1] == 0 {
		s.image = [2]int{}
	}
	if s.count > 0 && o.DT == 0 {
		s.note("%s: %v frames per second, %d frames", sequenceFile, 1/s.count, s.frames)
	}
	return nil
}

// distracts says whether targets of the class in a file of that name are easily taken
// for pedestrians: people on vehicles, those that stand still, distractors and
// reflections; in MOT20 also vehicles without a motor.
func distracts(class int, name string) bool {
	switch class {
	case 2, 7, 8, 12:
		return true
	case 6:
		return strings.Contains(name, "MOT20")
	}
	return false
}

// isMOT16 says whether the 7th to 9th column are a flag, a class and a visibility.
func isMOT16(h *head) bool {
	for i := range h.lines {
		f := h.lines[i].field
		if len(f) != 9 {
			return false
		}
		active, _ := parseFloat([]byte(f[6]))
		class, whole := parseInt([]byte(f[7]))
		seen, _ := parseFloat([]byte(f[8]))
		if active != 0 && active != 1 || !whole || class < 1 || class > 13 || seen < 0 || seen > 1 {
			return false
		}
	}
	return true
}

// only says whether all numbers are a or b.
func only(v []float64, a, b float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return x != a && x != b })
}

// corners refuses boxes whose width and height look like the right and bottom
// side: they exceed left and top in every row, and in the middle row by less than
// left and top are.
func corners(h *head, t *rows) error {
	if t.n < 3 {
		return nil
	}
	var beyond, near [2][]float64
	for i := range t.n {
		for c := range 2 {
			side := t.size[2*i+c]
			low := t.pos[2*i+c] - side/2
			if side <= low {
				return nil
			}
			beyond[c] = append(beyond[c], side-low)
			near[c] = append(near[c], low)
		}
	}
	for c := range 2 {
		slices.Sort(beyond[c])
		slices.Sort(near[c])
		if near[c][t.n/2] <= beyond[c][t.n/2] {
			return nil
		}
	}
	return &SyntaxError{File: h.name, Line: int(t.line[0]), Col: fieldStart(h.lines[0].raw, h.sep, 4),
		Msg:  "width and height exceed left and top in every row",
		Hint: "they look like right and bottom: write width = right-left and height = bottom-top, or insist with the format mot"}
}
