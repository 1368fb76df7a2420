package dataset

// This file reads two formats of boxes in images: the text files of MOTChallenge
// and the XML ground truth of PETS 2009.

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
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

func fitsPETS(h *head, o *Options) *SyntaxError {
	if !h.xml {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "not XML"}
	}
	return nil
}

// readPETS reads <frame number><objectlist><object id><box h w xc yc>; other
// elements are passed over.
func readPETS(h *head, o *Options) (*source, error) {
	t := &rows{dim: 2}
	d := xml.NewDecoder(h.body)
	var at, id int
	var inFrame, inObject bool
	for {
		line, col := d.InputPos()
		bad := func(msg, hint string) error {
			return &SyntaxError{File: h.name, Line: line, Col: col, Msg: msg, Hint: hint}
		}
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			if e, ok := errors.AsType[*xml.SyntaxError](err); ok {
				line, col = d.InputPos()
				return nil, bad(e.Msg, "was the file cut short?")
			}
			return nil, bad(err.Error(), "")
		}
		if end, ok := token.(xml.EndElement); ok {
			inFrame = inFrame && end.Name.Local != "frame"
			inObject = inObject && end.Name.Local != "object"
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "frame":
			if at, ok = parseInt([]byte(attr(e, "number"))); !ok {
				return nil, bad(fmt.Sprintf("frame number is %q, not a whole number", attr(e, "number")), "")
			}
			inFrame = true
		case "object":
			if id, ok = parseInt([]byte(attr(e, "id"))); !ok {
				return nil, bad(fmt.Sprintf("object id is %q, not a whole number", attr(e, "id")), "")
			}
			inObject = true
		case "box":
			if !inFrame || !inObject {
				return nil, bad("a box outside of an object of a frame", "")
			}
			var v [4]float64
			for k, name := range []string{"xc", "yc", "w", "h"} {
				if v[k], ok = parseFloat([]byte(attr(e, name))); !ok {
					return nil, bad(fmt.Sprintf("%s of a box is %q, not a finite number", name, attr(e, name)), "a box has xc, yc, w and h")
				}
			}
			if v[2] < 0 || v[3] < 0 {
				return nil, bad(fmt.Sprintf("a box %v wide and %v high", v[2], v[3]), "")
			}
			t.n++
			t.line = append(t.line, int32(line))
			t.row = append(t.row, int32(t.n))
			t.frame = append(t.frame, at)
			t.id = append(t.id, id)
			t.pos = append(t.pos, v[0], v[1])
			t.size = append(t.size, v[2], v[3])
		default:
		}
	}
	s := &source{rows: t, unit: "px"}
	if t.n == 0 {
		return nil, &SyntaxError{File: h.name, Msg: "no box in the file", Hint: "wanted are frame, object and box elements"}
	}
	if err := h.inRange(t); err != nil {
		return nil, err
	}
	s.note("understood as PETS ground truth: XML, %s", t.spread("boxes"))
	s.note("positions are the centres of the boxes, in pixels")
	return s, nil
}

// attr is the attribute with the given name, "" without one.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
