package dataset

// This file writes tracks for other programs: in the user's own table, as results of
// MOTChallenge and KITTI, for napari, and as GeoJSON.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"mtt"
	"mtt/internal/text"
)

// An Answer is tracks with what they were made of.
type Answer struct {
	Tracks []mtt.Track
	Scans  []mtt.Scan
	Rows   [][]int32   // as in Data
	Input  string      // the file of the detections, or a copy; "": there is none
	Unit   string      // of positions
	Start  float64     // s, as in Data
	Origin *[2]float64 // as in Data
	Fill   bool        // whether gaps of tracks are filled, by straight lines, in the formats mot, napari and geojson
	States []mtt.Track // where targets were at each scan, as [ReadTracks] reads states.csv; those formats take them; nil: take the detections
}

// A Writer is a kind of file that an Answer becomes.
type Writer struct {
	Name  string
	About string // what it is

	write func(a *Answer, w io.Writer) error // nil: a folder, see WriteFolder
}

// Writers lists the kinds of files.
func Writers() []Writer { return slices.Clone(writers) }

var writers = []Writer{
	{"csv", "the imported table as it is, with the columns track and, of tracks that divide, parent added; else a table of the detections", (*Answer).table},
	{"mot", "results of MOTChallenge: frame,id,left,top,width,height,conf,-1,-1,-1", (*Answer).mot},
	{"trackmate", "a TrackMate model, XML with spots and tracks", (*Answer).trackMate},
	{"napari", "a table of napari's tracks layer: ID,T,[Z,]Y,X[,parent]", (*Answer).napari},
	{"geff", "a folder in the graph exchange file format (GEFF, Zarr)", nil},
	{"geojson", "GeoJSON, a line by longitude and latitude for each track, with times", (*Answer).geoJSON},
	{"ctc", "the table of tracks of the Cell Tracking Challenge: label, first and last frame, parent", (*Answer).ctc},
	{"kitti", "results of KITTI's tracking benchmark, of imported KITTI detections or labels", (*Answer).kitti},
}

// ErrNotThat is returned for answers that cannot become the kind of file that was asked for.
var ErrNotThat = errors.New("the run cannot be written so")

// Write writes the answer as the kind of file of that name, not geff.
func (a *Answer) Write(w io.Writer, name string) error {
	i := slices.IndexFunc(writers, func(w Writer) bool { return w.Name == name })
	if i < 0 || writers[i].write == nil {
		return fmt.Errorf("dataset: no file is of the kind %q: %w", name, ErrNotThat)
	}
	b := bufio.NewWriterSize(w, flushAt)
	if err := writers[i].write(a, b); err != nil {
		return err
	}
	return b.Flush()
}

// trackOf is the ID of the track of each detection, 0 for none.
func (a *Answer) trackOf() ([][]int, error) {
	of := mtt.ByFrame(a.Scans)
	ids := make([][]int, len(a.Scans))
	for k := range a.Scans {
		ids[k] = make([]int, a.Scans[k].Len())
	}
	for i := range a.Tracks {
		for _, h := range a.Tracks[i].Hits {
			k, ok := of[h.Frame]
			if h.Det < 0 && ok {
				continue
			}
			if !ok || h.Det >= len(ids[k]) {
				return nil, fmt.Errorf("dataset: track %d names detection %d of frame %d, which is not there: %w", a.Tracks[i].ID, h.Det, h.Frame, ErrNotThat)
			}
			ids[k][h.Det] = a.Tracks[i].ID
		}
	}
	return ids, nil
}

// trackOfRow is the ID of the track of each row of the input that has one.
func (a *Answer) trackOfRow() (map[int32]int, error) {
	ids, err := a.trackOf()
	if err != nil {
		return nil, err
	}
	of := make(map[int32]int)
	for k, rows := range a.Rows {
		for i, row := range rows {
			if ids[k][i] != 0 {
				of[row] = ids[k][i]
			}
		}
	}
	return of, nil
}

// rowTracks tell the track of each row of the imported table in turn.
type rowTracks struct {
	of   map[int32]int // by row, of those that were read
	row  int32
	seed maphash.Seed
	said map[uint64]int // by hash of the row's text
}

func newRowTracks(of map[int32]int) *rowTracks {
	return &rowTracks{of: of, seed: maphash.MakeSeed(), said: make(map[uint64]int)}
}

// next is the track of the next row, which says text, 0 for none. A row that repeats one of a
// track exactly and was not read for that is of this track, too.
func (r *rowTracks) next(text []byte) int {
	r.row++
	id, said := r.of[r.row], maphash.Bytes(r.seed, text)
	if id == 0 {
		return r.said[said]
	}
	r.said[said] = id
	return id
}

// parents are those of the tracks, by ID, 0 for none; nil where no track has one.
func (a *Answer) parents() map[int]int {
	of, any := make(map[int]int, len(a.Tracks)), false
	for i := range a.Tracks {
		of[a.Tracks[i].ID] = a.Tracks[i].Parent
		any = any || a.Tracks[i].Parent != 0
	}
	if !any {
		return nil
	}
	return of
}

// imported opens the table that was imported, which the caller closes: its head, and the track
// of each of its rows.
func (a *Answer) imported() (trackOf map[int32]int, f *text.File, h *head, err error) {
	if trackOf, err = a.trackOfRow(); err != nil {
		return nil, nil, nil, err
	}
	if f, err = text.Open(a.Input); err != nil {
		return nil, nil, nil, err
	}
	if h, err = newHead(a.Input, f, f.Size); err != nil {
		f.Close()
		return nil, nil, nil, err
	}
	return trackOf, f, h, nil
}

// table adds the column track to the table that was imported, or writes one of the detections.
func (a *Answer) table(w io.Writer) error {
	if a.Input == "" || a.Rows == nil {
		return a.detections(w)
	}
	of, f, h, err := a.imported()
	if err != nil {
		return err
	}
	defer f.Close()
	switch {
	case h.xml:
		return fmt.Errorf("dataset: the imported file is XML, not a table; --to trackmate writes XML: %w", ErrNotThat)
	}
	named := func(name string) string {
		for slices.ContainsFunc(h.title, func(n string) bool { return strings.EqualFold(n, name) }) {
			name = "mtt_" + name
		}
		return name
	}
	if h.json && h.nested == nil {
		return a.objects(w, of, named)
	}
	parents := a.parents()
	sep, none := string(h.sep), ""
	if h.sep == ' ' {
		none = "-1" // blanks would swallow an empty field
	}
	titled := h.titleAt
	line, rows := 0, newRowTracks(of)
	r := bufio.NewReaderSize(h.body, text.MaxLine)
	if h.nested != nil { // of which the names of columns are in every object
		var names []byte
		for c, name := range h.title {
			if c > 0 {
				names = append(names, ',')
			}
			names = appendWord(names, name)
		}
		titled, r = 1, bufio.NewReaderSize(io.MultiReader(bytes.NewReader(append(names, '\n')), h.body), text.MaxLine)
	}
	for {
		whole, err := r.ReadString('\n')
		if whole == "" && err == io.EOF {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		line++
		content := strings.TrimRight(whole, "\r\n")
		end := whole[len(content):]
		trimmed := strings.TrimLeft(strings.TrimRight(content, " \t"), "\ufeff")
		add := ""
		switch {
		case line == titled:
			if h.open {
				add = sep // which ends rows already
			}
			if add += sep + named("track"); parents != nil {
				add += sep + named("parent")
			}
		case trimmed == "" || text.IsComment(trimmed):
		case line < titled || titled == 0 && line <= h.skip: // above the table
		case line <= h.skip:
			if add = sep; parents != nil {
				add += sep
			}
		default:
			track, parent := none, none
			if id := rows.next([]byte(content)); id != 0 {
				track, parent = strconv.Itoa(id), strconv.Itoa(parents[id])
			}
			if add = sep + track; parents != nil {
				add += sep + parent
			}
		}
		if h.sep == ' ' && add != "" {
			content = strings.TrimRight(content, " ")
		}
		if _, err := io.WriteString(w, content+add+end); err != nil {
			return err
		}
	}
}

// objects adds a member track to the JSON objects that were imported, and of tracks that divide
// parent: one object on a line. Their names are what named makes of these.
func (a *Answer) objects(w io.Writer, of map[int32]int, named func(name string) string) error {
	f, err := text.Open(a.Input)
	if err != nil {
		return err
	}
	defer f.Close()
	parents := a.parents()
	d := json.NewDecoder(f)
	r := bufio.NewReader(io.MultiReader(d.Buffered(), f))
	first, err := r.Peek(1)
	for err == nil && (first[0] <= ' ') {
		r.Discard(1)
		first, err = r.Peek(1)
	}
	d = json.NewDecoder(r)
	if err == nil && first[0] == '[' {
		d.Token()
	}
	for rows := newRowTracks(of); d.More(); {
		var object json.RawMessage
		if err := d.Decode(&object); err != nil {
			return err
		}
		inner := strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(string(object)), "}"), " \t\r\n")
		comma := ", "
		if strings.HasSuffix(inner, "{") {
			comma = ""
		}
		track, parent := "null", "null"
		if id := rows.next(object); id != 0 {
			track, parent = strconv.Itoa(id), strconv.Itoa(parents[id])
		}
		if parents != nil {
			track += fmt.Sprintf(", %q: %s", named("parent"), parent)
		}
		if _, err := fmt.Fprintf(w, "%s%s%q: %s}\n", strings.ReplaceAll(inner, "\n", " "), comma, named("track"), track); err != nil {
			return err
		}
	}
	return nil
}

// detections writes a table of all detections in the unit of the run.
func (a *Answer) detections(w io.Writer) error {
	ids, err := a.trackOf()
	if err != nil {
		return err
	}
	c := ColumnsOf(a.Scans)
	parents, more := a.parents(), ""
	if parents != nil {
		more = parentHead
	}
	fmt.Fprintf(w, "frame,time,%s,track%s\n", axes("xyz", c.Dim), more)
	var b []byte
	for k := range a.Scans {
		s := &a.Scans[k]
		for i := range s.Len() {
			ok := true
			b = strconv.AppendInt(b[:0], int64(s.Frame), 10)
			b = appendFloat(b, a.Start+s.Time, &ok)
			b = appendFloats(b, s.At(i), &ok)
			b = append(b, ',')
			if ids[k][i] != 0 {
				b = strconv.AppendInt(b, int64(ids[k][i]), 10)
			}
			if parents != nil {
				if b = append(b, ','); ids[k][i] != 0 {
					b = strconv.AppendInt(b, int64(parents[ids[k][i]]), 10)
				}
			}
			b = append(b, '\n')
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// statesOf maps the ID of each track to its states; it returns an error where one has none.
func (a *Answer) statesOf() (map[int]*mtt.Track, error) {
	if a.States == nil {
		return nil, nil
	}
	of := make(map[int]*mtt.Track, len(a.States))
	for i := range a.States {
		of[a.States[i].ID] = &a.States[i]
	}
	for i := range a.Tracks {
		if of[a.Tracks[i].ID] == nil {
			return nil, fmt.Errorf("dataset: track %d has no states: %w", a.Tracks[i].ID, ErrNotThat)
		}
	}
	return of, nil
}

// A stop is a place of a track in one frame; Det is -1 where a gap is filled.
type stop struct {
	frame, det int
	time       float64
	pos, size  []float64
}

// stops are the places of a track, with those between its hits where gaps are to be filled, or its states.
func (a *Answer) stops(t *mtt.Track, of map[int]int, states map[int]*mtt.Track) []stop {
	var out []stop
	if states != nil {
		t = states[t.ID]
	}
	for h := range t.Hits {
		k, known := of[t.Hits[h].Frame]
		s := stop{frame: t.Hits[h].Frame, det: t.Hits[h].Det, pos: t.At(h)}
		if known {
			s.time = a.Start + a.Scans[k].Time
			if scan := &a.Scans[k]; states == nil && scan.Size != nil && s.det >= 0 {
				s.size = scan.Size[2*s.det : 2*s.det+2]
			} else if t.Size != nil {
				s.size = t.Size[2*h : 2*h+2]
			}
		}
		if n := len(out); n > 0 && a.Fill && known {
			before := out[n-1]
			for j := of[before.frame] + 1; j < k; j++ {
				at := a.Start + a.Scans[j].Time
				share := (at - before.time) / (s.time - before.time)
				between := func(x, y []float64) []float64 {
					if x == nil || y == nil {
						return nil
					}
					v := make([]float64, len(x))
					for c := range v {
						v[c] = x[c] + share*(y[c]-x[c])
					}
					return v
				}
				out = append(out, stop{a.Scans[j].Frame, -1, at, between(before.pos, s.pos), between(before.size, s.size)})
			}
		}
		out = append(out, s)
	}
	return out
}

// mot writes results of MOTChallenge in order of frames, then of tracks. Frames count from 1.
func (a *Answer) mot(w io.Writer) error {
	of := mtt.ByFrame(a.Scans)
	states, err := a.statesOf()
	if err != nil {
		return err
	}
	type line struct {
		frame, id int
		text      string
	}
	var lines []line
	shift := 0
	if len(a.Scans) > 0 && a.Scans[0].Frame < 1 {
		shift = 1 - a.Scans[0].Frame
	}
	for i := range a.Tracks {
		t := &a.Tracks[i]
		for _, s := range a.stops(t, of, states) {
			if s.size == nil || t.Dim != 2 {
				return fmt.Errorf("dataset: track %d has no boxes, and results of MOTChallenge are boxes: %w", t.ID, ErrNotThat)
			}
			conf := 1.0
			if scan := &a.Scans[of[s.frame]]; s.det >= 0 && scan.Conf != nil {
				conf = scan.Conf[s.det]
			}
			num := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
			lines = append(lines, line{s.frame + shift, t.ID, fmt.Sprintf("%d,%d,%s,%s,%s,%s,%s,-1,-1,-1\n", s.frame+shift, t.ID,
				num(s.pos[0]-s.size[0]/2), num(s.pos[1]-s.size[1]/2), num(s.size[0]), num(s.size[1]), num(conf))})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		if a.frame != b.frame {
			return a.frame - b.frame
		}
		return a.id - b.id
	})
	for _, l := range lines {
		if _, err := io.WriteString(w, l.text); err != nil {
			return err
		}
	}
	return nil
}

// napari writes the table of a tracks layer.
func (a *Answer) napari(w io.Writer) error {
	of := mtt.ByFrame(a.Scans)
	states, err := a.statesOf()
	if err != nil {
		return err
	}
	head := "ID,T,Y,X\n"
	if len(a.Tracks) > 0 && a.Tracks[0].Dim == 3 {
		head = "ID,T,Z,Y,X\n"
	}
	divides := a.divides()
	if divides {
		head = strings.TrimSuffix(head, "\n") + ",parent\n"
	}
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	var b []byte
	for i := range a.Tracks {
		t := &a.Tracks[i]
		for _, s := range a.stops(t, of, states) {
			ok := true
			b = strconv.AppendInt(b[:0], int64(t.ID), 10)
			b = append(b, ',')
			b = strconv.AppendInt(b, int64(s.frame), 10)
			for c := t.Dim - 1; c >= 0; c-- {
				b = appendFloat(b, s.pos[c], &ok)
			}
			if divides {
				b = appendInt(append(b, ','), t.Parent)
			}
			if _, err := w.Write(append(b, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

// geoJSON writes a LineString for each track, a Point for those of one hit, with times as
// seconds of the input's clock and, where these are since 1970, as dates.
func (a *Answer) geoJSON(w io.Writer) error {
	if a.Origin == nil {
		return fmt.Errorf("dataset: positions have no longitude and latitude: %w", ErrNotThat)
	}
	of := mtt.ByFrame(a.Scans)
	states, err := a.statesOf()
	if err != nil {
		return err
	}
	io.WriteString(w, `{"type":"FeatureCollection","features":[`)
	for i := range a.Tracks {
		t := &a.Tracks[i]
		var line [][]float64
		var times []float64
		var dates []string
		for _, s := range a.stops(t, of, states) {
			lon, lat := LonLat(*a.Origin, s.pos[0], s.pos[1])
			place := []float64{lon, lat}
			if t.Dim == 3 {
				place = append(place, s.pos[2])
			}
			line, times = append(line, place), append(times, s.time)
			if a.Start > 1e8 { // after 1973
				dates = append(dates, time.UnixMicro(int64(s.time*1e6)).UTC().Format("2006-01-02T15:04:05.000Z"))
			}
		}
		kind, where := "LineString", any(line)
		if len(line) == 1 {
			kind, where = "Point", line[0]
		}
		properties := map[string]any{"track": t.ID, "times": times}
		if dates != nil {
			properties["coordTimes"] = dates
		}
		feature, err := json.Marshal(map[string]any{"type": "Feature", "properties": properties, "geometry": map[string]any{"type": kind, "coordinates": where}})
		if err != nil {
			return err
		}
		if i > 0 {
			io.WriteString(w, ",")
		}
		if _, err := fmt.Fprintf(w, "\n%s", feature); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "\n]}\n")
	return err
}

// kitti writes the imported detections that are in a track as results of KITTI's tracking benchmark.
func (a *Answer) kitti(w io.Writer) error {
	refuse := fmt.Errorf("dataset: the run was not imported from KITTI's labels or detections, which say what the results need: %w", ErrNotThat)
	if a.Input == "" || a.Rows == nil {
		return refuse
	}
	of, f, h, err := a.imported()
	if err != nil {
		return err
	}
	defer f.Close()
	if fitsKITTI(h, &Options{}) != nil {
		return refuse
	}
	lr := text.NewLines(h.body, a.Input)
	lr.Comment = true
	for row := int32(1); ; row++ {
		line, err := lr.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		id, ok := of[row]
		if !ok {
			continue
		}
		v := split(line, h.sep)
		switch {
		case len(v) >= 17:
			v[1] = strconv.Itoa(id)
		case len(v) == 15: // frame,type,left,top,right,bottom,score,h,w,l,x,y,z,rotation,alpha
			kind, _ := parseInt([]byte(v[1]))
			v = append([]string{v[0], strconv.Itoa(id), kittiTypes[min(max(kind, 1), len(kittiTypes))-1], "-1", "-1", v[14]}, append(slices.Clone(v[2:6]), append(slices.Clone(v[7:14]), v[6])...)...)
		}
		if _, err := fmt.Fprintln(w, strings.Join(v, " ")); err != nil {
			return err
		}
	}
}
