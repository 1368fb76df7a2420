package dataset

// This file reads the samples that docs/formats.md lists, and compares with its table.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A sample is a row of the table of formats.
type sample struct {
	path, format string
	cells        []string // of the row
}

// samples are the rows of the table in docs/formats.md whose second cell is a file of testdata.
func samples(t testing.TB) []sample {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	var list []sample
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		if len(cells) > 1 && strings.HasPrefix(cells[1], "testdata/") {
			list = append(list, sample{filepath.Join("..", filepath.FromSlash(cells[1])), cells[0], cells})
		}
	}
	return list
}

// TestFormatsTable: each row of the table is what reading its sample gives, and each format
// has a row.
func TestFormatsTable(t *testing.T) {
	seen := make(map[string]bool)
	for _, row := range samples(t) {
		seen[row.format] = true
		d, err := Read([]string{row.path}, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		detections := 0
		for i := range d.Scans {
			detections += d.Scans[i].Len()
		}
		targets, unit := "-", "-"
		if d.Truth != nil {
			targets = fmt.Sprint(len(d.Truth))
		}
		if d.Unit != "" {
			unit = d.Unit
		}
		got := []string{d.Format, row.cells[1], fmt.Sprint(len(d.Scans)), fmt.Sprint(detections), targets, unit}
		if strings.Join(got, " | ") != strings.Join(row.cells[:min(6, len(row.cells))], " | ") {
			t.Errorf("%s | the page says\n%s", strings.Join(got, " | "), strings.Join(row.cells, " | "))
		}
		checkData(t, d)
		again(t, d)
	}
	for _, f := range formats {
		if !seen[f.Name] {
			t.Errorf("format %s has no sample in the table", f.Name)
		}
	}
}

// TestTrackMateBranches: a track that divides is cut, and TRACK_ID is the identity, but of a mother of number 0.
func TestTrackMateBranches(t *testing.T) {
	text := `<TrackMate version="7"><Model spatialunits="pixel" timeunits="frame"><AllSpots>
<SpotsInFrame frame="0"><Spot ID="1" POSITION_X="0" POSITION_Y="0" POSITION_Z="0" FRAME="0"/></SpotsInFrame>
<SpotsInFrame frame="1"><Spot ID="2" POSITION_X="1" POSITION_Y="0" POSITION_Z="0" FRAME="1"/><Spot ID="9" VISIBILITY="0" POSITION_X="1" POSITION_Y="0" POSITION_Z="0" FRAME="1"/></SpotsInFrame>
<SpotsInFrame frame="2"><Spot ID="3" POSITION_X="2" POSITION_Y="1" POSITION_Z="0" FRAME="2"/><Spot ID="4" POSITION_X="2" POSITION_Y="-1" POSITION_Z="0" FRAME="2"/></SpotsInFrame>
<SpotsInFrame frame="3"><Spot ID="5" POSITION_X="3" POSITION_Y="2" POSITION_Z="0" FRAME="3"/><Spot ID="6" POSITION_X="9" POSITION_Y="9" POSITION_Z="0" FRAME="3"/></SpotsInFrame>
</AllSpots><AllTracks><Track TRACK_ID="0"><Edge SPOT_SOURCE_ID="1" SPOT_TARGET_ID="2"/><Edge SPOT_SOURCE_ID="2" SPOT_TARGET_ID="3"/><Edge SPOT_SOURCE_ID="2" SPOT_TARGET_ID="4"/><Edge SPOT_SOURCE_ID="5" SPOT_TARGET_ID="3"/></Track></AllTracks>
<FilteredTracks><TrackID TRACK_ID="0"/></FilteredTracks></Model></TrackMate>`
	d := read(t, "model.xml", text, nil)
	var got []string
	for i := range d.Truth {
		got = append(got, fmt.Sprint(d.Truth[i].ID, d.Truth[i].Parent, d.Truth[i].Hits))
	}
	if want := "1 3 [{2 1} {3 0}], 2 3 [{2 0}], 3 0 [{0 0} {1 0}]"; strings.Join(got, ", ") != want {
		t.Errorf("targets %s, want %s", strings.Join(got, ", "), want)
	}
	noted(t, d, "spots that TrackMate hides: 1, left out", "2 more targets than tracks")
	if d.Unit != "px" || d.Scans[3].Len() != 2 {
		t.Errorf("%+v", d)
	}
}

// TestTrackMateDivisions: a spot with two successors is a mother with two daughters, whatever its number, with three or one that merges
// it is none.
func TestTrackMateDivisions(t *testing.T) {
	var spots, edges strings.Builder
	// Track 0 divides at 2 and one daughter again at 4, track 5 into three, and of the two after 31 one comes from 32 as well.
	for id, frame := range map[int]int{1: 0, 2: 1, 3: 2, 4: 2, 7: 3, 8: 3, 20: 0, 21: 1, 22: 1, 23: 1, 31: 0, 32: 0, 33: 1, 34: 1} {
		fmt.Fprintf(&spots, `<Spot ID="%d" POSITION_X="%d" POSITION_Y="%d" FRAME="%d"/>`, id, id, frame, frame)
	}
	for _, track := range []struct {
		id    int
		edges [][2]int
	}{{0, [][2]int{{1, 2}, {2, 3}, {2, 4}, {4, 7}, {4, 8}}}, {5, [][2]int{{20, 21}, {20, 22}, {20, 23}}}, {6, [][2]int{{31, 33}, {31, 34}, {32, 34}}}} {
		fmt.Fprintf(&edges, `<Track TRACK_ID="%d">`, track.id)
		for _, e := range track.edges {
			fmt.Fprintf(&edges, `<Edge SPOT_SOURCE_ID="%d" SPOT_TARGET_ID="%d"/>`, e[0], e[1])
		}
		edges.WriteString("</Track>")
	}
	d := read(t, "model.xml", `<TrackMate version="7"><Model spatialunits="pixel" timeunits="frame"><AllSpots>`+spots.String()+`</AllSpots><AllTracks>`+edges.String()+`</AllTracks></Model></TrackMate>`, nil)
	of, begins := make(map[int]int), make(map[int]int) // mother's last spot and target of the first spot of each track, by x
	for i := range d.Truth {
		tr := &d.Truth[i]
		begins[int(tr.Pos[0])] = tr.ID
		of[tr.ID] = int(tr.Pos[len(tr.Pos)-tr.Dim])
	}
	var got []string
	for i := range d.Truth {
		if tr := &d.Truth[i]; tr.Parent != 0 {
			got = append(got, fmt.Sprintf("%d of %d", int(tr.Pos[0]), of[tr.Parent]))
		}
	}
	slices.Sort(got)
	if want := "3 of 2, 4 of 2, 7 of 4, 8 of 4"; strings.Join(got, ", ") != want {
		t.Errorf("daughters %s, want %s", strings.Join(got, ", "), want)
	}
	if begins[1] == 0 || len(d.Truth) != 13 {
		t.Errorf("%d targets, the first mother is %d", len(d.Truth), begins[1])
	}
	noted(t, d, "divisions into two daughters, whose parent is known: 2")
}

// TestSequenceFile: seqinfo.ini says how fast and how long a sequence is.
func TestSequenceFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "det"), 0o777); err != nil {
		t.Fatal(err)
	}
	det := filepath.Join(dir, "det", "det.txt")
	for name, text := range map[string]string{det: motDet, filepath.Join(dir, "seqinfo.ini"): "[Sequence]\nframeRate=20\nseqLength=9\nimWidth=640\nimHeight=480\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Read([]string{det}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Scans) != 9 || d.Interval != 0.05 || d.Image != [2]int{640, 480} {
		t.Errorf("%d scans, %v s apart, pictures %v", len(d.Scans), d.Interval, d.Image)
	}
	for _, rate := range []string{"fast", "0", "1e-310"} { // 1e-310: an interval beyond all numbers
		if err := os.WriteFile(filepath.Join(dir, "seqinfo.ini"), []byte("[Sequence]\nframeRate="+rate+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read([]string{det}, nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("seqinfo.ini:2:1: frameRate is %q, not a number from 1e-9 to 1e9", rate)) {
			t.Error(err)
		}
	}
}
