package dataset

// These tests write and read tracks that divide.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mtt"
)

// dividing are a track that divides into two, one of which divides again, and a track that does
// not, with their scans.
func dividing() *Answer {
	a := &Answer{}
	dets := [][]float64{{0, 0, 9, 9}, {-1, 0, 1, 0, 9, 8}, {-2, 0, -1, 1, 1, 1, 9, 7}}
	for f, pos := range dets {
		a.Scans = append(a.Scans, mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: pos})
	}
	for _, tr := range []struct {
		parent int
		hits   []mtt.Hit
	}{
		{0, []mtt.Hit{{Frame: 0, Det: 0}}}, {0, []mtt.Hit{{Frame: 0, Det: 1}, {Frame: 1, Det: 2}, {Frame: 2, Det: 3}}},
		{1, []mtt.Hit{{Frame: 1, Det: 0}}}, {1, []mtt.Hit{{Frame: 1, Det: 1}, {Frame: 2, Det: 2}}},
		{3, []mtt.Hit{{Frame: 2, Det: 0}}}, {3, []mtt.Hit{{Frame: 2, Det: 1}}},
	} {
		t := mtt.Track{ID: len(a.Tracks) + 1, Parent: tr.parent, Dim: 2}
		for _, h := range tr.hits {
			t.Append(&a.Scans[h.Frame], h.Det)
		}
		a.Tracks = append(a.Tracks, t)
	}
	return a
}

func TestParentsRoundTrip(t *testing.T) {
	a := dividing()
	for _, write := range []func(b *bytes.Buffer) error{
		func(b *bytes.Buffer) error { return WriteTruth(b, a.Tracks) },
		func(b *bytes.Buffer) error {
			return WriteTracks(b, a.Tracks, TrackColumn{Name: "time", Of: func(_, hit int) float64 { return 0.5 }, Exact: true})
		},
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if head, _, _ := strings.Cut(b.String(), "\n"); !strings.HasSuffix(head, ",parent") {
			t.Errorf("the columns are %s", head)
		}
		got, err := ReadTracks(&b, "tracks.csv")
		if err != nil || !reflect.DeepEqual(got.Tracks, a.Tracks) {
			t.Errorf("%v: %+v, want %+v", err, got, a.Tracks)
		}
	}
	// Frame by frame, as a simulation writes them.
	var truth, detections, want bytes.Buffer
	frame := 0
	err := WriteObserved(&detections, &truth, a.Scans, func() (*Observed, error) {
		if frame == len(a.Scans) {
			return nil, nil
		}
		o := &Observed{Scan: a.Scans[frame]}
		for k := range a.Tracks {
			for h, hit := range a.Tracks[k].Hits {
				if hit.Frame == frame {
					o.ID, o.Det, o.Parent = append(o.ID, a.Tracks[k].ID), append(o.Det, hit.Det), append(o.Parent, a.Tracks[k].Parent)
					o.Pos = append(o.Pos, a.Tracks[k].At(h)...)
				}
			}
		}
		frame++
		return o, nil
	})
	if err = errors.Join(err, WriteTruth(&want, a.Tracks)); err != nil || truth.String() != want.String() {
		t.Errorf("%v: %s\nwant\n%s", err, &truth, &want)
	}
}

func TestParentsRefused(t *testing.T) {
	for _, tt := range []struct{ rows, want string }{
		{"0,1,0,0,0\n1,2,0,0,1\n2,2,0,0,0\n", "tracks.csv:4:1: track 2 has the parents 1 and 0"},
		{"0,1,0,0,0\n1,2,0,0,7\n", "tracks.csv:3:1: the parent of track 2 is 7"},
		{"0,1,0,0,0\n1,1,0,0,0\n1,2,0,0,1\n", "tracks.csv:4:1: the parent of track 2 is 1, which is no track that ends before"},
		{"0,1,0,0,1\n", "tracks.csv:2:1: the parent of track 1 is 1"},
		{"0,1,0,0,x\n", "parent is \"x\", not a number"},
	} {
		if _, err := ReadTracks(strings.NewReader("frame,track,x,y,parent\n"+tt.rows), "tracks.csv"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.rows, err, tt.want)
		}
	}
}

func TestExportLineages(t *testing.T) {
	a := dividing()
	for kind, want := range map[string]string{
		"ctc":    "1 0 0 0\n2 0 2 0\n3 1 1 1\n4 1 2 1\n5 2 2 3\n6 2 2 3\n",
		"napari": "ID,T,Y,X,parent\n1,0,0,0,0\n2,0,9,9,0\n2,1,8,9,0\n2,2,7,9,0\n3,1,0,-1,1\n4,1,0,1,1\n4,2,1,1,1\n5,2,0,-2,3\n6,2,1,-1,3\n",
	} {
		var b bytes.Buffer
		if err := a.Write(&b, kind); err != nil || b.String() != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", kind, err, &b, want)
		}
	}
	var b bytes.Buffer
	if err := a.Write(&b, "trackmate"); err != nil {
		t.Fatal(err)
	}
	// Spots are numbered frame by frame: 0 1 | 2 3 4 | 5 6 7 8. The tree of the first track has all
	// edges of its tracks.
	got := b.String()
	if strings.Count(got, "<Track ") != 2 || !strings.Contains(got, `TRACK_ID="0" NUMBER_SPOTS="6"`) || !strings.Contains(got, `TRACK_ID="1" NUMBER_SPOTS="3"`) {
		t.Errorf("the model is\n%s", got)
	}
	for _, edge := range [][2]string{{"0", "2"}, {"0", "3"}, {"3", "7"}, {"2", "5"}, {"2", "6"}, {"1", "4"}, {"4", "8"}} {
		if e := `<Edge SPOT_SOURCE_ID="` + edge[0] + `" SPOT_TARGET_ID="` + edge[1] + `" />`; strings.Count(got, e) != 1 {
			t.Errorf("no edge %s in\n%s", e, got)
		}
	}
}

// TestParentsOfTables: tables of others say parents in ways of their own.
func TestParentsOfTables(t *testing.T) {
	for name, tt := range map[string]struct {
		text  string
		want  string // ID:parent of all targets
		noted string
	}{
		"of mtt":         {"frame,id,x,y,parent\n0,1,0,0,0\n1,2,-1,0,1\n1,3,1,0,1\n", "1:0 2:1 3:1", ""},
		"-1 for none":    {"frame,track_id,parent_track_id,x,y\n0,1,-1,0,0\n1,2,1,-1,0\n1,3,1,1,0\n", "1:0 2:1 3:1", ""},
		"empty for none": {"frame,id,x,y,mother\n0,1,0,0,\n1,2,-1,0,1\n1,3,1,0,1\n", "1:0 2:1 3:1", ""},
		"oneself":        {"frame,id,x,y,parent\n0,1,0,0,1\n1,2,-1,0,1\n1,3,1,0,1\n", "1:0 2:1 3:1", ""},
		"mother 0":       {"frame,id,x,y,parent\n0,0,0,0,-1\n1,2,-1,0,0\n1,3,1,0,0\n", "2:4 3:4 4:0", "target 0 is a parent: it has number 4"},
		"0 for none":     {"frame,id,x,y,parent\n0,0,9,9,0\n0,1,0,0,0\n1,2,-1,0,1\n1,3,1,0,1\n", "0:0 1:0 2:1 3:1", ""},
		"no lineage":     {"frame,id,x,y,parent\n0,1,0,0,2\n1,2,-1,0,1\n1,1,1,0,2\n", "1:0 2:0", "parents left out"},
		"words":          {"frame,id,x,y,parent\n0,anna,0,0,0\n1,otto,-1,0,1\n", "1:0 2:0", "columns ignored: parent"},
	} {
		d := read(t, "tracks.csv", tt.text, nil)
		got := ""
		for i := range d.Truth {
			got += fmt.Sprintf("%d:%d ", d.Truth[i].ID, d.Truth[i].Parent)
		}
		if strings.TrimSpace(got) != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if tt.noted != "" {
			if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, tt.noted) {
				t.Errorf("%s: %s", name, notes)
			}
		}
	}
}

// TestExportParents: the table of tracks that divide says parents, as one of detections, of rows
// and of objects.
func TestExportParents(t *testing.T) {
	a := dividing()
	if got := export(t, a, "csv"); !strings.HasPrefix(got, "frame,time,x,y,track,parent\n0,0,0,0,1,0\n0,0,9,9,2,0\n1,1,-1,0,3,1\n") {
		t.Error(got)
	}
	for file, want := range map[string][2]string{
		"cells.csv":   {"frame,x,y,parent\n0,0,0,7\n1,-1,0,7\n1,1,0,7\n", "frame,x,y,parent,track,mtt_parent\n0,0,0,7,1,0\n1,-1,0,7,2,1\n1,1,0,7,,\n"},
		"cells.jsonl": {"{\"frame\":0,\"x\":0,\"y\":0}\n{\"frame\":1,\"x\":-1,\"y\":0}\n{\"frame\":1,\"x\":1,\"y\":0}\n", "{\"frame\":0,\"x\":0,\"y\":0, \"track\": 1, \"parent\": 0}\n{\"frame\":1,\"x\":-1,\"y\":0, \"track\": 2, \"parent\": 1}\n{\"frame\":1,\"x\":1,\"y\":0, \"track\": null, \"parent\": null}\n"},
	} {
		name := filepath.Join(t.TempDir(), file)
		if err := os.WriteFile(name, []byte(want[0]), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := Read([]string{name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		a := &Answer{Scans: d.Scans, Rows: d.Rows, Input: name}
		a.Tracks = []mtt.Track{{ID: 1, Dim: 2}, {ID: 2, Parent: 1, Dim: 2}}
		a.Tracks[0].Append(&a.Scans[0], 0)
		a.Tracks[1].Append(&a.Scans[1], 0)
		if got := export(t, a, "csv"); got != want[1] {
			t.Errorf("%s becomes\n%s, want\n%s", file, got, want[1])
		}
	}
}
