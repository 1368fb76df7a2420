package dataset

// This file tests scans in which nothing was detected.

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestEmptyScans: lists without an element and rows without a position are scans, the first and the
// last ones too.
func TestEmptyScans(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		lens             []int
		times            []float64 // from the first scan
	}{
		{"lists", "a.jsonl", `{"time": 5, "detections": []}
			{"time": 6, "detections": [{"x": 1, "y": 2, "score": 0.5}]}
			{"time": 7, "detections": []}
			{"time": 8, "detections": [{"x": 1, "y": 2, "score": 0.5}]}
			{"time": 9, "detections": []}`, []int{0, 1, 0, 1, 0}, []float64{0, 1, 2, 3, 4}},
		{"no frames said", "a.json", `[{"points": []}, {"points": [[1, 2], [5, 6]]}, {"points": [[3, 2], [7, 6]]}, {"points": []}]`, []int{0, 2, 2, 0}, []float64{0, 1, 2, 3}},
		{"lists alone", "a.json", `[[[1, 2], [5, 6]], [], [[3, 2], [7, 6]]]`, []int{2, 0, 2}, []float64{0, 1, 2}},
		{"odd times", "a.csv", "time,x,y\n0,1,2\n0,3,4\n1.1,1,2\n1.1,3,4\n1.9,,\n3.05,1,2\n3.05,3,4\n4,,\n", []int{2, 2, 0, 2, 0}, []float64{0, 1.1, 1.9, 3.05, 4}},
		{"milliseconds", "a.csv", "time_ms,x,y\n0,1,2\n0,3,4\n110,1,2\n190,,\n305,1,2\n305,3,4\n", []int{2, 1, 0, 2}, []float64{0, 0.11, 0.19, 0.305}},
		{"frames and times", "a.csv", "frame,time,x,y\n3,0,,\n4,0.5,1,2\n5,1,1,2\n6,1.5,,\n", []int{0, 1, 1, 0}, []float64{0, 0.5, 1, 1.5}},
		{"one target of a video", "a.csv", "frame,id,x,y\n0,1,nan,nan\n1,1,1,2\n2,1,1,2\n3,1,nan,nan\n", []int{0, 1, 1, 0}, []float64{0, 1, 2, 3}},
		{"a class that a scan without a detection lacks", "a.csv", "frame,class,x,y\n0,car,1,2\n1,,,\n2,car,1,2\n", []int{1, 0, 1}, []float64{0, 1, 2}},
	} {
		name := filepath.Join(t.TempDir(), tt.file)
		if err := os.WriteFile(name, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := Read([]string{name}, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var lens []int
		first := 0.0
		for k := range d.Scans {
			lens = append(lens, d.Scans[k].Len())
			if k == 0 {
				first = d.Scans[k].Time
			}
			if k < len(tt.times) && math.Abs(d.Scans[k].Time-first-tt.times[k]) > 1e-9 {
				t.Errorf("%s: scan %d is at %v s, want %v", tt.name, k, d.Scans[k].Time-first, tt.times[k])
			}
		}
		if fmt.Sprint(lens) != fmt.Sprint(tt.lens) {
			t.Errorf("%s: scans of %v detections, want %v", tt.name, lens, tt.lens)
		}
	}
}

// TestEmptyIsSeen: frames without a detection that the file tells of are no frames that nobody looked at.
func TestEmptyIsSeen(t *testing.T) {
	text, told := "frame,x,y\n", ""
	for f := range 40 {
		for k := range 8 {
			if f%4 != 3 {
				text += fmt.Sprintf("%d,%d,%d\n", f, 10*k, f)
			}
		}
		if f%4 == 3 {
			told += fmt.Sprintf("%d,,\n", f)
		}
	}
	if d := read(t, "silent.csv", text, nil); len(d.Unseen) == 0 {
		t.Error("silent frames are seen")
	}
	if d := read(t, "told.csv", text+told, nil); len(d.Unseen) > 0 || len(d.Scans) != 40 {
		t.Errorf("%d scans, unseen are %v", len(d.Scans), d.Unseen)
	}
}

// TestLabelsAreKinds: words that come twice in a frame are kinds, others names.
func TestLabelsAreKinds(t *testing.T) {
	if d := read(t, "kinds.csv", "frame,x,y,label\n0,1,2,car\n0,3,4,car\n1,1,2,car\n1,3,4,bike\n", nil); d.Truth != nil || d.Scans[0].Class == nil {
		t.Errorf("kinds are taken for names: %v", d.Notes)
	}
	if d := read(t, "names.csv", "frame,x,y,label\n0,1,2,anna\n0,3,4,otto\n1,1,2,anna\n1,3,4,otto\n", nil); len(d.Truth) != 2 {
		t.Errorf("names are taken for kinds: %v", d.Notes)
	}
}
