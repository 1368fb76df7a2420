package dataset

// This file reads the labels of KITTI's tracking benchmark and the 3-D detections that
// go with it.

import (
	"fmt"
	"slices"
	"strings"
)

const (
	kittiInterval = 0.1 // s, ten frames per second
	kittiNowhere  = -999.0
	kittiHint     = "the columns are frame id type truncated occluded alpha left top right bottom h w l x y z rotation, or of detections frame,type,left,top,right,bottom,score,h,w,l,x,y,z,rotation,alpha"
)

// kittiTypes are the numbers of the types of objects, those of detections first.
var kittiTypes = []string{"Pedestrian", "Car", "Cyclist", "Van", "Truck", "Person_sitting", "Tram", "Misc", "DontCare"}

// kittiType is the number of a type, from 1; 0 for none.
func kittiType(word string) int {
	return 1 + slices.IndexFunc(kittiTypes, func(t string) bool { return strings.EqualFold(strings.ReplaceAll(word, " ", "_"), t) })
}

func fitsKITTI(h *head, o *Options) *SyntaxError {
	if h.xml || h.title != nil {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "not a table of numbers without column names", Hint: kittiHint}
	}
	for i := range h.lines {
		p := &h.lines[i]
		n := len(p.field)
		labels := (n == 17 || n == 18) && kittiType(p.field[2]) > 0
		if !labels && n != 15 {
			return h.bad(p, -1, fmt.Sprintf("%d columns, 15, 17 or 18 wanted", n), kittiHint)
		}
		v := make([]float64, n)
		for c, f := range p.field {
			var ok bool
			if v[c], ok = parseFloat([]byte(f)); !ok && !(labels && c == 2) {
				return h.bad(p, c, fmt.Sprintf("%q is not a finite number", f), kittiHint)
			}
		}
		if !labels && (v[1] != 1 && v[1] != 2 && v[1] != 3 || v[4] < v[2] || v[5] < v[3] || min(v[7], v[8], v[9]) <= 0 || max(v[7], v[8], v[9]) > 50) {
			return h.bad(p, 1, "not a type from 1 to 3 with the sides of a box and the size of an object", kittiHint)
		}
	}
	return nil
}

// readKITTI reads positions in metres in the frame of the camera: right, down and ahead. Labels without
// positions are boxes in pixels.
func readKITTI(h *head, o *Options) (*source, error) {
	s := &source{count: kittiInterval, unit: "m"}
	l := &layout{sep: h.sep, open: true, names: []string{"frame", "type", "left", "top", "right", "bottom", "score", "h", "w", "l", "x", "y", "z"},
		roles: []role{frame, class, skip, skip, skip, skip, conf, skip, skip, skip, posX, posY, posZ}}
	what := "3-D detections"
	if len(h.lines[0].field) != 15 {
		what = "labels"
		l.names = []string{"frame", "id", "type", "truncated", "occluded", "alpha", "left", "top", "right", "bottom", "h", "w", "l", "x", "y", "z"}
		l.roles = []role{frame, ident, class, skip, skip, skip, skip, skip, skip, skip, skip, skip, skip, posX, posY, posZ}
		l.kinds = newLabels()
		placed := func(p peek) bool {
			x, _ := parseFloat([]byte(p.field[13]))
			return x > kittiNowhere
		}
		if !slices.ContainsFunc(h.lines, placed) {
			s.unit = "px"
			l.roles = []role{frame, ident, class, skip, skip, skip, left, top, right, bottom}
		}
		if len(h.lines[0].field) == 18 {
			l.names = append(l.names, "rotation", "score")
			l.roles = append(l.roles, slices.Repeat([]role{skip}, 17-len(l.roles))...)
			l.roles = append(l.roles, conf)
		}
	}
	t, err := h.rows(l)
	if err != nil {
		return nil, err
	}
	s.rows = t
	if l.kinds != nil {
		for i, c := range t.class {
			t.class[i] = int32(kittiType(l.kinds.text[c-1]))
		}
	}
	ignored := t.keep(func(i int) bool {
		return t.class[i] != 0 && kittiTypes[t.class[i]-1] != "DontCare" && t.pos[i*t.dim] > kittiNowhere
	})
	if e := leftOut(s, h); e != nil {
		return nil, e
	}
	s.note("understood as KITTI %s: %s, %d columns, %s", what, h.separated(), len(h.lines[0].field), t.spread("objects"))
	if s.unit == "px" {
		s.note("positions are the centres of the boxes, in pixels: the file has none in space")
	} else {
		s.note("positions in metres from the camera: x right, y down, z ahead")
	}
	if ignored > 0 {
		s.note("objects not to be cared for, or without a place: %d, left out", ignored)
	}
	if o.DT == 0 {
		s.note("10 frames per second")
	}
	return s, nil
}
