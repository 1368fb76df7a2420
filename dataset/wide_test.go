package dataset

import (
	"slices"
	"strings"
	"testing"
)

// TestWide: targets that stand side by side are read as if below each other.
func TestWide(t *testing.T) {
	long := "frame,id,x,y\n0,1,1,2\n0,2,3,4\n0,3,5,6\n1,1,1.5,2\n1,3,5.5,6\n3,1,2,2\n3,2,4,4\n3,3,6,6\n"
	want := read(t, "points.csv", long, nil)
	for name, text := range map[string]string{
		"plain":    "frame,x1,y1,x2,y2,x3,y3\n0,1,2,3,4,5,6\n1,1.5,2,,,5.5,6\n3,2,2,4,4,6,6\n",
		"by axis":  "x_1,x_2,x_3,frame,y_1,y_2,y_3,light\n1,3,5,0,2,4,6,a\n1.5,,5.5,1,2,4,6,b\n2,4,6,3,2,4,6,c\n",
		"named":    "# made by hand\nframe;p1_X;p1_Y;p2_X;p2_Y;p3_X;p3_Y\n0;1;2;3;4;5;6\n# again\n1;1,5;2;nan;nan;5,5;6\n3;2;2;4;4;6;6\n",
		"commas":   "Time_s;m1_X;m1_Y;m2_X;m2_Y;m3_X;m3_Y\n0,0;1;2;3;4;5;6\n1,0;1,5;2;nan;nan;5,5;6\n3,0;2;2;4;4;6;6\n",
		"no limit": "frame,x1,y1,conf1,x2,y2,conf2,x3,y3,conf3\n0,1,2,1,3,4,1,5,6,1\n1,1.5,2,1,,,,5.5,6,1\n3,2,2,1,4,4,1,6,6,1\n",
	} {
		d := read(t, "points.csv", text, nil)
		if len(d.Scans) != len(want.Scans) || len(d.Truth) != 3 {
			t.Errorf("%s: %d scans, %d targets: %q", name, len(d.Scans), len(d.Truth), d.Notes)
			continue
		}
		for k := range d.Scans {
			if got, want := d.Scans[k], want.Scans[k]; got.Time != want.Time || !slices.Equal(got.Pos, want.Pos) {
				t.Errorf("%s: scan %d: %v at %v, want %v at %v", name, k, got.Pos, got.Time, want.Pos, want.Time)
			}
		}
		if len(d.Table) == 0 || !strings.Contains(d.Notes[0], "3 targets stand side by side") {
			t.Errorf("%s: %d bytes of table, %q", name, len(d.Table), d.Notes)
		}
	}
	empty := read(t, "points.csv", "frame,x1,y1,x2,y2,x3,y3\n0,1,2,3,4,5,6\n1,,,,,,\n2,2,2,4,4,6,6\n", &Options{NoIDs: true})
	if len(empty.Scans) != 3 || empty.Scans[1].Len() != 0 || empty.Truth != nil {
		t.Errorf("%d scans, truth %v: the empty line is not looked at", len(empty.Scans), empty.Truth)
	}
	for _, text := range []string{ // boxes, corners of several boxes of a frame, places beside them
		"frame,x1,y1,x2,y2\n0,1,2,3,4\n",
		"frame,x,y,x1,y1,x2,y2,x3,y3\n0,9,9,1,2,3,4,5,6\n",
		"frame,x1,y1,x2,y2,x3,y3\n0,1,2,3,4,5,6\n0,1,2,3,4,5,6\n",
		"frame,id,x1,y1,x2,y2,x3,y3\n0,1,1,2,3,4,5,6\n",
		"frame,x1,y1,x2,y2,x3\n0,1,2,3,4,5\n",
	} {
		h, err := newHead("points.csv", strings.NewReader(text), 0)
		if err != nil || h.isWide() != nil {
			t.Errorf("%q is taken for targets side by side: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"frame,x1,y1,x2,y2,x3,y3\n0,1,2,3,4,5,6\n1,1,2,3,b,5,6\n": `points.csv:3:9: y2 is "b", not a number`,
		"frame,x1,y1,x2,y2,x3,y3\n0,1,2,3,4,5,6\n1,1,2,3\n":       "points.csv:3:8: 4 fields, not 7",
	} {
		if _, err := parse("points.csv", strings.NewReader(text), 0, new(Options)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
