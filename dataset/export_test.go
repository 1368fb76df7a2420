package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mtt"
)

// answerOf reads a sample and takes its truth for the answer.
func answerOf(t *testing.T, name string) (*Answer, *Data) {
	t.Helper()
	path := filepath.Join("..", "testdata", filepath.FromSlash(name))
	d, err := Read([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tracks := d.Truth
	for i := range tracks { // tracks count from 1
		tracks[i].ID = i + 1
	}
	return &Answer{Tracks: tracks, Scans: d.Scans, Rows: d.Rows, Input: path, Unit: d.Unit, Start: d.Start, Origin: d.Origin}, d
}

// export writes the answer.
func export(t *testing.T, a *Answer, name string) string {
	t.Helper()
	var b bytes.Buffer
	if err := a.Write(&b, name); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestExportTable: the user's own table comes back with a column more, byte for byte but for that,
// whatever its form; the new column says who the identities of the input are.
func TestExportTable(t *testing.T) {
	for _, name := range []string{"points.csv", "trackmate.csv", "gps.csv", "gt.txt", "kitti.txt", "obsmat.txt", "btrack.csv"} {
		a, _ := answerOf(t, name)
		text, err := os.ReadFile(a.Input)
		if err != nil {
			t.Fatal(err)
		}
		in, out := strings.Split(strings.TrimRight(string(text), "\n"), "\n"), strings.Split(strings.TrimRight(export(t, a, "csv"), "\n"), "\n")
		if len(in) != len(out) {
			t.Errorf("%s: %d lines become %d", name, len(in), len(out))
			continue
		}
		numbered := 0
		for i := range in {
			added, ok := strings.CutPrefix(out[i], strings.TrimRight(in[i], " "))
			if !ok || strings.ContainsAny(strings.Trim(added, ", ;\t"), ", ;\t") {
				t.Errorf("%s, line %d: %q becomes %q", name, i+1, in[i], out[i])
			}
			if v, ok := parseInt([]byte(strings.Trim(added, ", ;\t"))); ok && v > 0 {
				numbered++
			}
		}
		hits := 0
		for i := range a.Tracks {
			hits += len(a.Tracks[i].Hits)
		}
		if numbered != hits {
			t.Errorf("%s: %d rows are in a track, want %d", name, numbered, hits)
		}
		// Read by the new column, the table has the same targets.
		again := write(t, name, export(t, a, "csv"))
		if name != "points.csv" && name != "gps.csv" {
			continue
		}
		d, err := Read([]string{again}, &Options{Columns: map[string]string{"id": "track"}, Format: map[bool]string{true: "ais"}[name == "gps.csv"]})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a.Tracks, d.Truth); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestExportRepeats: a row that was read once is in the track of all its copies, unless it is a
// detection of its own.
func TestExportRepeats(t *testing.T) {
	csv := "frame,x,y\n0,1,2\n0,1,2\n0,5,5\n0,5,5\n0,7,7\n0,7,7\n0,7,7\n"
	for name, tt := range map[string]struct{ in, want string }{
		"a.csv":  {csv, "frame,x,y,track\n0,1,2,3\n0,1,2,3\n0,5,5,\n0,5,5,\n0,7,7,4\n0,7,7,5\n0,7,7,5\n"},
		"a.json": {"{\"frame\":0,\"x\":1,\"y\":2}\n{\"frame\":0,\"x\":1,\"y\":2}\n", "{\"frame\":0,\"x\":1,\"y\":2, \"track\": 3}\n{\"frame\":0,\"x\":1,\"y\":2, \"track\": 3}\n"},
	} {
		a := &Answer{
			Input:  write(t, name, tt.in),
			Scans:  []mtt.Scan{{Dim: 2, Pos: []float64{1, 2, 5, 5, 7, 7, 7, 7}}},
			Rows:   [][]int32{{1, 3, 5, 6}},
			Tracks: []mtt.Track{{ID: 3, Hits: []mtt.Hit{{Det: 0}}}, {ID: 4, Hits: []mtt.Hit{{Det: 2}}}, {ID: 5, Hits: []mtt.Hit{{Det: 3}}}},
		}
		if got := export(t, a, "csv"); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestExportOddTables: line ends, comments, a column track that is there, blanks, JSON, and scenes that
// were not imported.
func TestExportOddTables(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"crlf.csv", "\xef\xbb\xbf# made by hand\r\nframe,x,y\r\n\r\n0,1,2\r\n0,nan,2\r\n1,1,2", "\xef\xbb\xbf# made by hand\r\nframe,x,y,track\r\n\r\n0,1,2,7\r\n0,nan,2,\r\n1,1,2,7"},
		{"track.csv", "frame;x;y;track\n0;1;2;5\n1;1;2;5\n", "frame;x;y;track;mtt_track\n0;1;2;5;7\n1;1;2;5;7\n"},
		{"blanks.txt", "# frame x y\n0 1 2  \n0 9 9\n1 1 2\n", "# frame x y track\n0 1 2 7\n0 9 9 -1\n1 1 2 7\n"},
		{"rows.json", "[{\"frame\": 0, \"x\": 1,\n \"y\": 2}, {\"frame\": 1, \"x\": 1, \"y\": 2}]", "{\"frame\": 0, \"x\": 1,  \"y\": 2, \"track\": 7}\n{\"frame\": 1, \"x\": 1, \"y\": 2, \"track\": 7}\n"},
		{"nested.json", `[{"frame": 0, "points": [{"x": 1, "y": 2}, {"x": 9, "y": 2}]}, {"frame": 1, "points": [{"y": 2, "x": 1}]}]`, "frame,x,y,track\n0,1,2,7\n0,9,2,\n1,1,2,7\n"},
	} {
		path := write(t, tt.name, tt.in)
		d, err := Read([]string{path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		track := mtt.Track{ID: 7, Dim: 2, Hits: []mtt.Hit{{Frame: 0, Det: 0}, {Frame: 1, Det: 0}}, Pos: []float64{1, 2, 1, 2}}
		a := &Answer{Tracks: []mtt.Track{track}, Scans: d.Scans, Rows: d.Rows, Input: path}
		if got := export(t, a, "csv"); got != tt.want {
			t.Errorf("%s:\n%q, want\n%q", tt.name, got, tt.want)
		}
	}
	a := &Answer{Scans: []mtt.Scan{{Dim: 2, Pos: []float64{1, 2, 3, 4}}}, Tracks: []mtt.Track{{ID: 1, Dim: 2, Hits: []mtt.Hit{{Det: 1}}, Pos: []float64{3, 4}}}}
	if got, want := export(t, a, "csv"), "frame,time,x,y,track\n0,0,1,2,\n0,0,3,4,1\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestExportMOT: results read again are the same boxes, and gaps are filled where that is asked for.
func TestExportMOT(t *testing.T) {
	a, d := answerOf(t, "gt.txt")
	back, err := ReadTargets(write(t, "res.txt", export(t, a, "mot")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(back.Tracks) != len(d.Truth) {
		t.Fatalf("%d tracks, want %d", len(back.Tracks), len(d.Truth))
	}
	for i := range back.Tracks {
		got, want := &back.Tracks[i], &d.Truth[i]
		if diff := cmp.Diff(want.Pos, got.Pos, approx(1e-9)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want.Size, got.Size, approx(1e-9)); diff != "" {
			t.Error(diff)
		}
	}
	full := &a.Tracks[0]
	gap := *full
	gap.Hits = append(append([]mtt.Hit(nil), full.Hits[:2]...), full.Hits[4:]...)
	gap.Pos = append(append([]float64(nil), full.Pos[:4]...), full.Pos[8:]...)
	gap.Size = append(append([]float64(nil), full.Size[:4]...), full.Size[8:]...)
	a.Tracks = []mtt.Track{gap}
	without := strings.Count(export(t, a, "mot"), "\n")
	a.Fill = true
	filled, err := ReadTargets(write(t, "res.txt", export(t, a, "mot")), nil)
	if err != nil || without != len(full.Hits)-2 || len(filled.Tracks[0].Hits) != len(full.Hits) {
		t.Fatalf("%d rows, %d filled, %v", without, len(filled.Tracks[0].Hits), err)
	}
	want := gap.Pos[2] + (gap.Pos[4]-gap.Pos[2])/3 // frame 3 of 2 … 5, evenly spaced
	if got := filled.Tracks[0].At(2)[0]; math.Abs(got-want) > 1e-9 {
		t.Errorf("filled at %v, want %v", got, want)
	}
}

// TestExportStates: places and boxes of states.csv take those of the detections, in gaps too, and
// each track has some.
func TestExportStates(t *testing.T) {
	a, d := answerOf(t, "gt.txt")
	var states []mtt.States
	for i := range d.Truth {
		tr := &d.Truth[i]
		s := mtt.States{ID: a.Tracks[i].ID, Dim: 2}
		for h := range tr.Hits {
			s.Hits = append(s.Hits, mtt.Hit{Frame: tr.Hits[h].Frame, Det: -1})
			s.Mean = append(s.Mean, tr.Pos[2*h]+5, tr.Pos[2*h+1]-3, 0, 0)
			s.Size = append(s.Size, tr.Size[2*h]*2, tr.Size[2*h+1]*3)
		}
		s.Time, s.Cov = make([]float64, len(s.Hits)), make([]float64, 10*len(s.Hits))
		states = append(states, s)
	}
	var table strings.Builder
	if err := WriteStates(&table, listed(states)); err != nil {
		t.Fatal(err)
	}
	back, err := ReadTracks(strings.NewReader(table.String()), "states.csv")
	if err != nil {
		t.Fatal(err)
	}
	a.States = back.Tracks
	for i := range a.Tracks { // a gap in each
		tr := &a.Tracks[i]
		if n := len(tr.Hits) - 1; n > 1 {
			tr.Hits = append(tr.Hits[:1:1], tr.Hits[n])
		}
	}
	boxes, err := ReadTargets(write(t, "res.txt", export(t, a, "mot")), nil)
	if err != nil || len(boxes.Tracks) != len(states) {
		t.Fatalf("%d tracks of %d, %v", len(boxes.Tracks), len(states), err)
	}
	for i := range boxes.Tracks {
		got, want := &boxes.Tracks[i], &states[i]
		for h := range want.Hits {
			if len(got.Hits) != len(want.Hits) || math.Abs(got.Pos[2*h]-want.Mean[4*h]) > 1e-2 || math.Abs(got.Pos[2*h+1]-want.Mean[4*h+1]) > 1e-2 ||
				math.Abs(got.Size[2*h]-want.Size[2*h]) > 1e-2 || math.Abs(got.Size[2*h+1]-want.Size[2*h+1]) > 1e-2 {
				t.Fatalf("track %d: %v %v, want %v %v", i, got.Pos, got.Size, want.Mean, want.Size)
			}
		}
	}
	a.States = a.States[1:]
	if err := a.Write(new(strings.Builder), "mot"); !errors.Is(err, ErrNotThat) {
		t.Errorf("a track without states gives %v", err)
	}
}

// TestExportTrackMate: spots and links of a model come back.
func TestExportTrackMate(t *testing.T) {
	for _, name := range []string{"trackmate.csv", "trackmate.xml", "isbi.xml"} {
		a, d := answerOf(t, name)
		back := read(t, "model.xml", export(t, a, "trackmate"), nil)
		for k := range d.Scans {
			if diff := cmp.Diff(d.Scans[k].Pos, back.Scans[k].Pos); diff != "" {
				t.Error(diff)
			}
		}
		for i := range back.Truth {
			if back.Truth[i].ID != d.Truth[i].ID-1 || !cmp.Equal(back.Truth[i].Hits, d.Truth[i].Hits) {
				t.Errorf("%s: track %+v, want %+v", name, back.Truth[i], d.Truth[i])
			}
		}
		if len(back.Truth) != len(d.Truth) || d.Unit != "" && back.Unit != d.Unit {
			t.Errorf("%s: %d tracks in %s", name, len(back.Truth), back.Unit)
		}
	}
}

// TestExportGeoJSON: places come back within a centimetre.
func TestExportGeoJSON(t *testing.T) {
	a, _ := answerOf(t, "gps.csv")
	var got struct {
		Features []struct {
			Geometry   struct{ Coordinates [][2]float64 }
			Properties struct {
				Times      []float64
				CoordTimes []string
			}
		}
	}
	if err := json.Unmarshal([]byte(export(t, a, "geojson")), &got); err != nil {
		t.Fatal(err)
	}
	for id, f := range got.Features {
		for k, place := range f.Geometry.Coordinates {
			lat, lon := 50.1+0.0001*float64(id)+0.00002*float64(k), 8.6+0.0002*float64(id)-0.00003*float64(k)
			if math.Hypot(111_200*(place[1]-lat), 71_000*(place[0]-lon)) > 0.01 {
				t.Errorf("%v, want %v %v", place, lon, lat)
			}
			if want := 1772366400 + 0.5*float64(k); math.Abs(f.Properties.Times[k]-want) > 1e-6 {
				t.Errorf("time %v, want %v", f.Properties.Times[k], want)
			}
		}
		if f.Properties.CoordTimes[1] != "2026-03-01T12:00:00.500Z" {
			t.Error(f.Properties.CoordTimes)
		}
	}
	if len(got.Features) != 2 {
		t.Errorf("%d tracks", len(got.Features))
	}
}

// TestExportKITTI: results have the imported boxes and numbers, and are read again.
func TestExportKITTI(t *testing.T) {
	a, d := answerOf(t, "kitti.txt")
	back := read(t, "res.txt", export(t, a, "kitti"), nil)
	if diff := cmp.Diff(d.Truth, back.Truth); diff != "" {
		t.Error(diff)
	}
	det, err := Read([]string{filepath.Join("..", "testdata", "kitti-det.txt")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a = &Answer{Scans: det.Scans, Rows: det.Rows, Input: det.File,
		Tracks: []mtt.Track{{ID: 3, Dim: 3, Hits: []mtt.Hit{{Frame: 0, Det: 0}}, Pos: det.Scans[0].At(0)}}}
	if got, want := export(t, a, "kitti"), "0 3 Car -1 -1 -1.57 300.1 180.2 350.0 220.4 1.50 1.60 4.00 -3.97 1.71 19.95 -1.60 8.9\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestExportOthers: napari's table, and GEFF's arrays.
func TestExportOthers(t *testing.T) {
	a, d := answerOf(t, "points.csv")
	if got := export(t, a, "napari"); !strings.HasPrefix(got, "ID,T,Y,X\n1,0,1,0\n") || strings.Count(got, "\n") != 17 {
		t.Error(got)
	}
	dir := filepath.Join(t.TempDir(), "out.geff")
	if err := a.WriteFolder(dir, "geff"); err != nil {
		t.Fatal(err)
	}
	size := func(name string) int64 {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	links := 0
	for i := range d.Truth {
		links += len(d.Truth[i].Hits) - 1
	}
	if size("nodes/ids/0") != 16*8 || size("nodes/props/x/values/0") != 16*8 || size("edges/ids/0.0") != int64(16*links) {
		t.Error("sizes of arrays")
	}
	if err := a.WriteFolder(dir, "geff"); !errors.Is(err, os.ErrExist) {
		t.Errorf("a folder that is there: %v", err)
	}
}

// TestExportRefuses says why an answer cannot become a file.
func TestExportRefuses(t *testing.T) {
	points, _ := answerOf(t, "points.csv")
	xml, _ := answerOf(t, "isbi.xml")
	wrong := *points
	wrong.Tracks = []mtt.Track{{ID: 9, Dim: 2, Hits: []mtt.Hit{{Frame: 0, Det: 5}}, Pos: []float64{1, 2}}}
	for _, tt := range []struct {
		a        *Answer
		to, want string
	}{
		{points, "mot", "track 1 has no boxes"}, {points, "geojson", "no longitude and latitude"}, {points, "kitti", "not imported from KITTI"},
		{points, "xlsx", `no file is of the kind "xlsx"`}, {points, "geff", "no file is of the kind"}, {xml, "csv", "--to trackmate"},
		{&wrong, "csv", "track 9 names detection 5 of frame 0"}, {&wrong, "trackmate", "track 9 names detection 5 of frame 0"},
	} {
		if err := tt.a.Write(&bytes.Buffer{}, tt.to); !errors.Is(err, ErrNotThat) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.to, err, tt.want)
		}
	}
}
