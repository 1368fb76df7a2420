package dataset

// This file reads tables of programs for microscopy that name their columns in ways of
// their own: TrackMate's spots, the region properties of scikit-image, and btrack.

import (
	"maps"
	"slices"
	"strings"
)

// named is the column of that name, in any case; -1 for none.
func (h *head) named(name string) int {
	return slices.IndexFunc(h.title, func(n string) bool { return strings.EqualFold(n, name) })
}

// lacks is the error for the first of the names that no column has; nil when all are
// there. It stands at the first column that is there.
func (h *head) lacks(names ...string) *SyntaxError {
	if h.xml {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "XML, not a table"}
	}
	at := 1
	for _, name := range names {
		if h.named(name) >= 0 {
			at = 2
		}
	}
	for _, name := range names {
		if h.named(name) < 0 {
			return &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: at, Msg: "no column is named " + name}
		}
	}
	return nil
}

func fitsTrackMate(h *head, o *Options) *SyntaxError {
	if h.xml {
		return fitsTrackMateXML(h, o)
	}
	if e := h.lacks("POSITION_X", "POSITION_Y"); e != nil {
		return e
	}
	return fitsPoints(h, o)
}

// readTrackMate reads the spots of TrackMate: TRACK_ID is the identity, not LABEL nor ID.
func readTrackMate(h *head, o *Options) (*source, error) {
	if h.xml {
		return readTrackMateXML(h, o)
	}
	from := *o
	if h.named("TRACK_ID") < 0 && o.Columns["id"] == "" {
		from.NoIDs = true
	}
	s, err := readTable(h, &from, "TrackMate spots")
	if err == nil && !o.NoIDs && s.unnamed != "" {
		s.unnamed = ""
		s.note("no column TRACK_ID: the spots have no identity")
	}
	return s, err
}

func fitsRegions(h *head, o *Options) *SyntaxError {
	if e := h.lacks("centroid-0", "centroid-1"); e != nil {
		return e
	}
	e := fitsPoints(h, regions(h, o))
	if e != nil {
		e.Col = 3
		e.Hint = "add a column frame when the tables of the frames are joined, or say which it is: --columns frame=NAME"
	}
	return e
}

// regions adds what region properties mean: rows and columns of a picture, and a label that
// is the number of a region in its frame.
func regions(h *head, o *Options) *Options {
	with := *o
	with.Columns = map[string]string{"y": "centroid-0", "x": "centroid-1"}
	if h.named("centroid-2") >= 0 {
		with.Columns = map[string]string{"z": "centroid-0", "y": "centroid-1", "x": "centroid-2"}
	}
	maps.Copy(with.Columns, o.Columns)
	return &with
}

func readRegions(h *head, o *Options) (*source, error) {
	with := regions(h, o)
	t, e := h.titles(with)
	if e != nil {
		return nil, e
	}
	label := false
	if c := t.column(ident); c >= 0 && o.Columns["id"] == "" && strings.EqualFold(t.names[c], "label") {
		label = true
	}
	s, err := readTable(h, with, "region properties")
	if err != nil {
		return nil, err
	}
	if label {
		s.rows.id = nil
		s.note("label numbers the regions of a frame and is no identity (--columns id=label says that it is)")
	}
	if h.named("centroid-2") < 0 && s.unit == "" {
		s.unit = "px"
	}
	return s, nil
}

// layered adds what the columns of a points layer of napari mean: time first, then space, the axis
// of x last. A table that names x, y or a frame says so itself.
func layered(h *head, o *Options) *Options {
	at := []string{"axis-0", "axis-1", "axis-2", "axis-3"}
	for k, name := range at {
		if h.named(name) < 0 {
			at = at[:k]
			break
		}
	}
	n := len(at)
	if n < 3 {
		return o
	}
	with := *o
	with.Columns = map[string]string{"frame": at[0], "y": at[n-2], "x": at[n-1]}
	if n > 3 {
		with.Columns["z"] = at[1]
	}
	if o.Columns["time"] != "" {
		delete(with.Columns, "frame")
	}
	maps.Copy(with.Columns, o.Columns)
	return &with
}

func fitsBtrack(h *head, o *Options) *SyntaxError {
	if e := h.lacks("t", "x", "y"); e != nil {
		return e
	}
	objects := len(h.title) <= 5 && h.named("label") >= 0 && h.named("ID") < 0
	tracks := h.named("ID") >= 0 && (h.named("parent") >= 0 || h.named("root") >= 0 || h.named("dummy") >= 0)
	if !objects && !tracks {
		return &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 2, Msg: "no columns are named ID and parent, root or dummy"}
	}
	return fitsPoints(h, o)
}

// readBtrack reads objects (t x y z label) or tracks (ID t x y z parent root … dummy) of btrack.
// Rows that btrack put where it saw nothing (dummy) are left out; label is a class.
func readBtrack(h *head, o *Options) (*source, error) {
	with := *o
	with.Columns = make(map[string]string)
	dummy := h.named("dummy")
	switch {
	case dummy >= 0:
		with.Columns["class"] = h.title[dummy]
	case h.named("label") >= 0:
		with.Columns["class"] = h.title[h.named("label")]
	}
	maps.Copy(with.Columns, o.Columns)
	if dummy >= 0 && with.Columns["class"] != h.title[dummy] {
		dummy = -1
	}
	if dummy >= 0 { // True and False, or 1 and 0
		h.wordy = dummy + 1
	}
	s, err := readTable(h, &with, "btrack")
	if err != nil || dummy < 0 {
		return s, err
	}
	seen := make([]bool, len(s.kinds)+1)
	for k, word := range s.kinds {
		seen[k+1] = word == "0" || strings.EqualFold(word, "false")
	}
	invented := s.rows.keep(func(i int) bool { return seen[s.rows.class[i]] })
	s.rows.class = nil
	if invented > 0 {
		s.note("rows that btrack put where it saw nothing (dummy): %d, left out", invented)
	}
	return s, leftOut(s, h)
}
