package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestWhere: rows of one of several recordings can be read, and who does not say which is warned.
func TestWhere(t *testing.T) {
	var b strings.Builder
	b.WriteString("video,frame,label,x,y\n")
	for _, video := range []string{"a.mp4", `"b, c.mp4"`} {
		for k := range 40 { // more than tell a format
			fmt.Fprintf(&b, "%s,%d,%s,%d,0\n%s,%d,cow,,\n", video, k, map[bool]string{true: "dog", false: "7"}[video == "a.mp4"], len(video), video, k)
		}
	}
	all := read(t, "points.csv", b.String(), nil)
	if len(all.Doubts) != 1 || !strings.Contains(all.Doubts[0], `column video is not read, and says "a.mp4" and "b, c.mp4" in one frame (2 in all)`) {
		t.Errorf("doubts %q", all.Doubts)
	}
	d := read(t, "points.csv", b.String(), &Options{Where: map[string]string{"video": "b, c.mp4"}})
	if len(d.Scans) != 40 || d.Scans[7].Len() != 1 || d.Scans[7].Pos[0] != 10 || len(d.Doubts) != 0 || d.Rows[7][0] != 80+15 {
		t.Errorf("%d scans, %v, rows %v, doubts %q", len(d.Scans), d.Scans[7].Pos, d.Rows[7], d.Doubts)
	}
	objects := `{"seq":"one","frame":0,"x":1,"y":2}` + "\n" + `{"seq":"two","frame":0,"x":3,"y":4}` + "\n" + `{"seq":"two","frame":1,"x":3,"y":5}` + "\n"
	if d := read(t, "points.jsonl", objects, &Options{Where: map[string]string{"seq": "two"}}); len(d.Scans) != 2 || !slices.Equal(d.Scans[0].Pos, []float64{3, 4}) {
		t.Errorf("%+v", d.Scans)
	}
	side := "trial,frame,x1,y1,x2,y2,x3,y3\n1,0,1,2,3,4,5,6\n2,0,10,20,30,40,50,60\n2,1,10,20,30,40,50,61\n"
	if d := read(t, "points.csv", side, &Options{Where: map[string]string{"trial": "2"}}); len(d.Scans) != 2 || !slices.Equal(d.Scans[0].Pos, []float64{10, 20, 30, 40, 50, 60}) {
		t.Errorf("%+v", d.Scans)
	}
	for _, tt := range []struct {
		text, column, word, want string
	}{
		{b.String(), "video", "d.mp4", "no row is as --where says"},
		{b.String(), "vide", "a.mp4", `no column is named "vide"; the columns are video, frame, label, x, y`},
		{"0,1,2\n1,2,3\n", "1", "0", "there are no column names, which --where needs"},
	} {
		if _, err := parse("points.csv", strings.NewReader(tt.text), 0, &Options{Where: map[string]string{tt.column: tt.word}}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s=%s: %v, want %s", tt.column, tt.word, err, tt.want)
		}
	}
	// Names of pictures, one for each frame, and sensors that take turns are no recordings.
	for _, text := range []string{"file_name,frame,x,y\na,0,1,1\na,0,2,2\nb,1,1,1\n", "sensor,time,x,y\n1,0,1,1\n2,1,2,2\n1,2,1,1\n"} {
		if d := read(t, "points.csv", text, nil); len(d.Doubts) != 0 {
			t.Errorf("%q: %q", text, d.Doubts)
		}
	}
}
