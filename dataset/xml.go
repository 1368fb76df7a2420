package dataset

// This file reads three formats in XML: the models of TrackMate, the particles of the
// ISBI tracking challenge (and of TrackMate's simple export), and the ground truth of
// PETS 2009.

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// An element is the beginning of an XML element, and where it stands.
type element struct {
	xml.StartElement
	head      *head
	line, col int
}

// bad is an error at the element.
func (e *element) bad(msg, hint string) error {
	return &SyntaxError{File: e.head.name, Line: e.line, Col: e.col, Msg: msg, Hint: hint}
}

// attr is the attribute with the given name, "" without one.
func (e *element) attr(name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// number is an attribute that is a finite number.
func (e *element) number(name string) (float64, error) {
	v, ok := parseFloat([]byte(e.attr(name)))
	if !ok || math.Abs(v) > largest {
		return 0, e.bad(fmt.Sprintf("%s of a %s is %q, not a finite number", name, e.Name.Local, e.attr(name)), "")
	}
	return v, nil
}

// whole is an attribute that is a whole number.
func (e *element) whole(name string) (int, error) {
	v, ok := parseInt([]byte(e.attr(name)))
	if !ok {
		return 0, e.bad(fmt.Sprintf("%s of a %s is %q, not a whole number", name, e.Name.Local, e.attr(name)), "")
	}
	return v, nil
}

// elements calls begin for each element of the file, and end for each end of one.
func (h *head) elements(begin func(e *element) error, end func(name string)) error {
	d := xml.NewDecoder(h.body)
	for {
		line, col := d.InputPos()
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			e := element{head: h}
			if s, ok := errors.AsType[*xml.SyntaxError](err); ok {
				e.line, e.col = d.InputPos()
				return e.bad(s.Msg, "was the file cut short?")
			}
			if _, ok := errors.AsType[*SyntaxError](err); ok {
				return err
			}
			e.line, e.col = line, col
			return e.bad(err.Error(), "")
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := begin(&element{t, h, line, col}); err != nil {
				return err
			}
		case xml.EndElement:
			end(t.Name.Local)
		}
	}
}

// add appends a row of a file that is no table.
func (t *rows) add(line, frame, id int, pos ...float64) {
	t.n++
	t.line = append(t.line, int32(line))
	t.row = append(t.row, int32(t.n))
	t.frame = append(t.frame, frame)
	t.id = append(t.id, id)
	t.pos = append(t.pos, pos...)
}

// fitsRoot says whether the first element of the file has one of the names.
func (h *head) fitsRoot(about string, names ...string) *SyntaxError {
	if !h.xml {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "not XML"}
	}
	for _, name := range names {
		if bytes.Contains(h.first, []byte("<"+name+" ")) || bytes.Contains(h.first, []byte("<"+name+">")) {
			return nil
		}
	}
	return &SyntaxError{File: h.name, Line: 1, Col: 2, Msg: "there is no element " + names[0], Hint: about}
}

func fitsPETS(h *head, o *Options) *SyntaxError {
	return h.fitsRoot("wanted are frame, object and box elements", "dataset", "frame", "objectlist")
}

// readPETS reads <frame number><objectlist><object id><box h w xc yc>; other
// elements are passed over.
func readPETS(h *head, o *Options) (*source, error) {
	t := &rows{dim: 2}
	var at, id int
	var inFrame, inObject bool
	err := h.elements(func(e *element) (err error) {
		switch e.Name.Local {
		case "frame":
			if v, ok := parseInt([]byte(e.attr("number"))); ok {
				at = v
			} else {
				return e.bad(fmt.Sprintf("frame number is %q, not a whole number", e.attr("number")), "")
			}
			inFrame = true
		case "object":
			if id, err = e.whole("id"); err != nil {
				return err
			}
			inObject = true
		case "box":
			if !inFrame || !inObject {
				return e.bad("a box outside of an object of a frame", "")
			}
			var v [4]float64
			for k, name := range []string{"xc", "yc", "w", "h"} {
				if v[k], err = e.number(name); err != nil {
					return err
				}
			}
			if v[2] < 0 || v[3] < 0 {
				return e.bad(fmt.Sprintf("a box %v wide and %v high", v[2], v[3]), "")
			}
			t.add(e.line, at, id, v[0], v[1])
			t.size = append(t.size, v[2], v[3])
		}
		return nil
	}, func(name string) {
		inFrame = inFrame && name != "frame"
		inObject = inObject && name != "object"
	})
	if err != nil {
		return nil, err
	}
	s := &source{rows: t, unit: "px"}
	if t.n == 0 {
		return nil, &SyntaxError{File: h.name, Msg: "no box in the file", Hint: "wanted are frame, object and box elements"}
	}
	s.note("understood as PETS ground truth: XML, %s", t.spread("boxes"))
	s.note("positions are the centres of the boxes, in pixels")
	return s, nil
}

func fitsISBI(h *head, o *Options) *SyntaxError {
	return h.fitsRoot("particles have detections: <particle><detection t x y z/>", "particle", "TrackContestISBI2012", "Tracks")
}

// readISBI reads <particle><detection t x y z/></particle>: each particle is a target.
func readISBI(h *head, o *Options) (*source, error) {
	t := &rows{dim: 3}
	s := &source{rows: t}
	particle, inside := 0, false
	err := h.elements(func(e *element) error {
		switch e.Name.Local {
		case "Tracks":
			s.unit = lengthUnit(e.attr("spaceUnits"))
			if v, ok := parseFloat([]byte(e.attr("frameInterval"))); ok && v > 0 {
				s.count = v * durations[strings.ToLower(e.attr("timeUnits"))] // 0: not in seconds
			}
		case "particle":
			particle++
			inside = true
		case "detection":
			if !inside {
				return e.bad("a detection outside of a particle", "")
			}
			frame, err := e.whole("t")
			if err != nil {
				return err
			}
			var pos [3]float64
			for k, name := range []string{"x", "y", "z"} {
				if name == "z" && e.attr(name) == "" {
					continue
				}
				if pos[k], err = e.number(name); err != nil {
					return err
				}
			}
			t.add(e.line, frame, particle, pos[:]...)
		}
		return nil
	}, func(name string) { inside = inside && name != "particle" })
	if err != nil {
		return nil, err
	}
	if t.n == 0 {
		return nil, &SyntaxError{File: h.name, Msg: "no detection of a particle in the file", Hint: "wanted is <particle><detection t x y z/>"}
	}
	s.note("understood as particles of the ISBI tracking challenge: XML, %s", t.spread("detections"))
	s.flatten(nil)
	return s, nil
}

// lengthUnit is how the package writes a unit of length that stays as it is.
func lengthUnit(word string) string {
	switch word = strings.Trim(strings.ToLower(word), "() "); word {
	case "pixel", "pixels":
		return "px"
	case "micron", "microns", "µm", "μm", "micrometer", "micrometre":
		return "um"
	case "metre", "meter", "metres", "meters":
		return "m"
	}
	return word
}

func fitsTrackMateXML(h *head, o *Options) *SyntaxError {
	return h.fitsRoot("TrackMate saves its model with spots and tracks", "TrackMate")
}

// readTrackMateXML reads the spots of a TrackMate model that are visible, and its tracks that were
// not filtered away. A track that divides or merges becomes several targets: one for each part of
// it between such spots. Where one spot is followed by two, and these by no other, they begin the
// daughters of a mother.
func readTrackMateXML(h *head, o *Options) (*source, error) {
	t := &rows{dim: 3}
	s := &source{rows: t}
	of := make(map[int]int)       // row of a spot
	var edges [][3]int            // source, target, track
	kept := make(map[int]bool)    // tracks that were not filtered away
	filtered, listed := false, -1 // inside FilteredTracks; the track whose edges come
	hidden, times := 0, []float64{}
	err := h.elements(func(e *element) (err error) {
		switch e.Name.Local {
		case "Model":
			s.unit = lengthUnit(e.attr("spatialunits"))
			s.clock = durations[strings.ToLower(e.attr("timeunits"))]
		case "Spot":
			if e.attr("VISIBILITY") == "0" {
				hidden++
				return nil
			}
			id, err := e.whole("ID")
			if err != nil {
				return err
			}
			frame, err := e.whole("FRAME")
			if err != nil {
				return err
			}
			var pos [3]float64
			for k, name := range []string{"POSITION_X", "POSITION_Y", "POSITION_Z"} {
				if name == "POSITION_Z" && e.attr(name) == "" {
					continue
				}
				if pos[k], err = e.number(name); err != nil {
					return err
				}
			}
			if _, twice := of[id]; twice {
				return e.bad(fmt.Sprintf("spot %d is given again", id), "")
			}
			of[id] = t.n
			t.add(e.line, frame, noID, pos[:]...)
			if at, ok := parseFloat([]byte(e.attr("POSITION_T"))); ok {
				times = append(times, at)
			}
		case "FilteredTracks":
			filtered = true
		case "Track":
			if listed, err = e.whole("TRACK_ID"); err != nil {
				return err
			}
		case "TrackID":
			id, err := e.whole("TRACK_ID")
			if err != nil {
				return err
			}
			kept[id] = true
		case "Edge":
			from, err := e.whole("SPOT_SOURCE_ID")
			if err != nil {
				return err
			}
			to, err := e.whole("SPOT_TARGET_ID")
			if err != nil {
				return err
			}
			edges = append(edges, [3]int{from, to, listed})
		}
		return nil
	}, func(string) {})
	if err != nil {
		return nil, err
	}
	if t.n == 0 {
		return nil, &SyntaxError{File: h.name, Msg: "no visible spot in the file", Hint: "TrackMate saves the model with its spots"}
	}
	if len(times) == t.n && s.clock > 0 {
		t.time = times
		for i := range t.time {
			t.time[i] *= s.clock
		}
	}
	branches, divisions := t.branch(edges, of, func(track int) bool { return !filtered || kept[track] })
	s.note("understood as a TrackMate model: XML, %s", t.spread("spots"))
	if hidden > 0 {
		s.note("spots that TrackMate hides: %d, left out", hidden)
	}
	if branches > 0 {
		s.note("tracks that divide or merge are cut there: %d more targets than tracks", branches)
	}
	if divisions > 0 {
		s.note("divisions into two daughters, whose parent is known: %d", divisions)
	}
	s.flatten(nil)
	return s, nil
}

// branch gives rows the identities of the tracks that the edges make, cut where an edge is not the
// only one of its ends, and returns how many more there are than tracks, and how many of them
// divide into two. The first part of a track has its number, the others follow after the largest;
// so does a mother of number 0, which is nobody's parent.
func (t *rows) branch(edges [][3]int, of map[int]int, kept func(track int) bool) (more, divisions int) {
	next, before := make(map[int]int), make(map[int]int) // by row; -1: several
	after := make(map[int][]int)                         // rows
	track := make(map[int]int)                           // of a row
	largest := -1
	for _, e := range edges {
		a, known := of[e[0]]
		b, also := of[e[1]]
		if !known || !also || !kept(e[2]) {
			continue
		}
		if t.frame[a] > t.frame[b] {
			a, b = b, a
		}
		for _, m := range []struct {
			to       map[int]int
			from, at int
		}{{next, a, b}, {before, b, a}} {
			if _, ok := m.to[m.from]; ok {
				m.to[m.from] = -1
			} else {
				m.to[m.from] = m.at
			}
		}
		after[a] = append(after[a], b)
		track[a], track[b] = e[2], e[2]
		largest = max(largest, e[2])
	}
	single := func(a int) int { // the row that follows a in its part, -1 for none
		b, ok := next[a]
		if !ok || b < 0 || before[b] != a {
			return -1
		}
		return b
	}
	order := make([]int, 0, len(track))
	for i := range t.n {
		if _, ok := track[i]; ok {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return t.frame[a] - t.frame[b] })
	used := make(map[int]bool)
	for _, i := range order {
		if t.id[i] != noID {
			continue
		}
		id := track[i]
		if used[id] {
			largest++
			more++
			id = largest
		}
		used[track[i]] = true
		for k := i; k >= 0 && t.id[k] == noID; k = single(k) {
			t.id[k] = id
		}
	}
	mother := make(map[int]int) // of a target
	for _, a := range order {
		two := after[a]
		if len(two) != 2 || before[two[0]] != a || before[two[1]] != a || t.frame[a] == min(t.frame[two[0]], t.frame[two[1]]) {
			continue
		}
		if t.id[a] == 0 {
			largest++
			for i, id := range t.id {
				if id == 0 {
					t.id[i] = largest
				}
			}
			if of, ok := mother[0]; ok {
				mother[largest] = of
			}
		}
		divisions++
		mother[t.id[two[0]]], mother[t.id[two[1]]] = t.id[a], t.id[a]
	}
	if divisions > 0 {
		t.mother = make([]int, t.n)
		for i, id := range t.id {
			t.mother[i] = mother[id]
		}
	}
	return more, divisions
}
