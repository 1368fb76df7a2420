package dataset

// This file tests scans read as they come.

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mtt"
)

// readAll are the scans of a stream, up to its end or error.
func readAll(text, format string, o *Options) (scans []mtt.Scan, err error) {
	sr := NewScanReader(strings.NewReader(text), "in", format, o)
	for {
		s, err := sr.Next()
		if err != nil {
			return scans, err
		}
		scans = append(scans, *s)
	}
}

func TestScanReader(t *testing.T) {
	point := func(frame int, time float64, pos ...float64) mtt.Scan {
		return mtt.Scan{Frame: frame, Time: time, Dim: 2, Pos: pos}
	}
	none := func(frame int, time float64) mtt.Scan { return mtt.Scan{Frame: frame, Time: time, Dim: 2} }
	for name, tt := range map[string]struct {
		text, format string
		o            *Options
		want         []mtt.Scan
	}{
		"times":          {"time,x,y\n0.5,1,2\n0.5,3,4\n0.75,5,6\n", "csv", nil, []mtt.Scan{point(0, 0.5, 1, 2, 3, 4), point(1, 0.75, 5, 6)}},
		"no end of line": {"time,x,y\n0.5,1,2", "csv", nil, []mtt.Scan{point(0, 0.5, 1, 2)}},
		"nothing":        {"time,x,y\n", "csv", nil, nil},
		"frames": {"frame,det,x,y\n2,0,1,2\n3,0,3,4\n6,0,5,6\n", "csv", &Options{DT: 0.5},
			[]mtt.Scan{point(2, 1, 1, 2), point(3, 1.5, 3, 4), none(4, 2), none(5, 2.5), point(6, 3, 5, 6)}},
		"every tenth frame": {"frame,x,y\n0,1,2\n10,3,4\n30,5,6\n", "csv", nil, []mtt.Scan{point(0, 0, 1, 2), point(10, 10, 3, 4), none(20, 20), point(30, 30, 5, 6)}},
		"frames and times":  {"frame;time_ms;x_cm;y_cm\n0;0;100;200\n1;40;300;400\n3;120;500;600\n", "csv", nil, []mtt.Scan{point(0, 0, 1, 2), point(1, 0.04, 3, 4), none(2, 0.08), point(3, 0.12, 5, 6)}},
		"on a line":         {"time,x\n0,1\n0,2\n1,3\n", "csv", nil, []mtt.Scan{point(0, 0, 1, 0, 2, 0), point(1, 1, 3, 0)}},
		"boxes":             {"frame,left,top,w,h\n0,1,2,4,6\n", "csv", nil, []mtt.Scan{{Dim: 2, Pos: []float64{3, 5}, Size: []float64{4, 6}}}},
		"empty scans":       {"time,x,y\n0,1,2\n1,,\n2,3,4\n3,,\n", "csv", nil, []mtt.Scan{point(0, 0, 1, 2), none(1, 1), point(2, 2, 3, 4), none(3, 3)}},
		"classes":           {"time,x,y,class\n0,1,2,car\n0,3,4,7\n1,5,6,car\n", "csv", nil, []mtt.Scan{{Dim: 2, Pos: []float64{1, 2, 3, 4}, Class: []int32{1, 2}}, {Frame: 1, Time: 1, Dim: 2, Pos: []float64{5, 6}, Class: []int32{1}}}},
		"sensors": {"frame,sensor,x,y\n0,1,1,2\n1,0,3,4\n1,0,5,6\n5,1,7,8\n", "csv", &Options{Sensors: true},
			[]mtt.Scan{{Sensor: 1, Dim: 2, Pos: []float64{1, 2}}, point(1, 1, 3, 4, 5, 6), {Frame: 5, Time: 5, Sensor: 1, Dim: 2, Pos: []float64{7, 8}}}},
		"pictures": {"x,frame,y\n1,\"left 07.png\",2\n3,left 08.png,4\n5,left 10.png,6\n", "csv", nil,
			[]mtt.Scan{point(7, 7, 1, 2), point(8, 8, 3, 4), none(9, 9), point(10, 10, 5, 6)}},
		"pictures of objects": {`{"image":"a_2.png","x":1,"y":2}` + "\n" + `{"image":"a_3.png","x":3,"y":4}`, "auto", nil, []mtt.Scan{point(2, 2, 1, 2), point(3, 3, 3, 4)}},
		"a scan on a line": {`{"frame":1,"detections":[]}` + "\n" + `{"frame":2,"detections":[{"x":1,"y":2},{"x":3,"y":4}]}` + "\n\n" + `{"detections":[{"y":6,"x":5}],"frame":3}` + "\n" + `{"frame":5,"detections":[]}` + "\n", "auto", nil,
			[]mtt.Scan{none(1, 1), point(2, 2, 1, 2, 3, 4), point(3, 3, 5, 6), none(4, 4), none(5, 5)}},
		"an empty scan lacks what others have": {`{"time":0,"detections":[{"x":1,"y":2,"score":0.5,"w":1,"h":2}]}` + "\n" + `{"time":1,"detections":[]}` + "\n" + `{"time":2,"detections":[{"x":3,"y":4,"score":0.5,"w":1,"h":2}]}`, "auto", nil,
			[]mtt.Scan{{Dim: 2, Pos: []float64{1, 2}, Size: []float64{1, 2}, Conf: []float64{0.5}}, none(1, 1), {Frame: 2, Time: 2, Dim: 2, Pos: []float64{3, 4}, Size: []float64{1, 2}, Conf: []float64{0.5}}}},
		"a row that says the time alone": {"time,x,y,conf\n0,1,2,0.5\n1,,,\n", "csv", nil, []mtt.Scan{{Dim: 2, Pos: []float64{1, 2}, Conf: []float64{0.5}}, none(1, 1)}},
		"stamps":                         {`{"stamp_ns":1500000000,"points":[[1,2]]}` + "\n" + `{"stamp_ns":1750000000,"points":[[3,4]]}`, "auto", nil, []mtt.Scan{point(0, 1.5, 1, 2), point(1, 1.75, 3, 4)}},
		"messages of ROS": {`{"header":{"stamp":{"sec":3,"nanosec":250000000}},"detections":[{"pose":{"position":{"x":1,"y":2}}}]}` + "\n" + `{"header":{"stamp":{"sec":3,"nanosec":500000000}},"detections":[]}`, "auto", nil,
			[]mtt.Scan{point(0, 3.25, 1, 2), none(1, 3.5)}},
		"no frames said":      {`{"points":[[1,2]]}` + "\n" + `{"points":[]}` + "\n" + `{"points":[[3,4]]}`, "auto", nil, []mtt.Scan{point(0, 0, 1, 2), none(1, 1), point(2, 2, 3, 4)}},
		"names of its own":    {`{"time":0,"detections":[]}` + "\n" + `{"time":1,"detections":[{"u":1,"v":2}]}` + "\n", "auto", &Options{Columns: map[string]string{"x": "u", "y": "v"}}, []mtt.Scan{none(0, 0), point(1, 1, 1, 2)}},
		"points on a line":    {`{"time":0.5,"points":[[1,2],[3,4]]}` + "\n" + `{"time":0.75,"points":[]}`, "jsonl", nil, []mtt.Scan{point(0, 0.5, 1, 2, 3, 4), none(1, 0.75)}},
		"sensors at one time": {"time,sensor,x,y\n0,1,1,2\n0,radar,3,4\n", "csv", nil, []mtt.Scan{point(0, 0, 1, 2, 3, 4)}},
		"objects": {`{"t":0,"p":{"x":1,"y":2},"id":"a,b"}` + "\n\n" + `{"p":{"y":4,"x":3},"t":0,"more":[1]}` + "\n" + `{"t":1,"p":{"x":null,"y":null}}` + "\n", "jsonl",
			&Options{Columns: map[string]string{"x": "p.x", "y": "p.y"}}, []mtt.Scan{point(0, 0, 1, 2, 3, 4), none(1, 1)}},
	} {
		got, err := readAll(tt.text, tt.format, tt.o)
		if err != io.EOF || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v and %v, want %v", name, got, err, tt.want)
		}
	}
}

// TestScanReaderLong: of a long pause there are scans enough to end all tracks, not more.
func TestScanReaderLong(t *testing.T) {
	scans, err := readAll("frame,x,y\n0,1,2\n1,1,2\n1000000000,3,4\n", "csv", nil)
	if err != io.EOF || len(scans) != 3+maxEmpty || scans[len(scans)-1].Frame != 1e9 || scans[2].Frame != 1e9-maxEmpty {
		t.Errorf("%d scans and %v", len(scans), err)
	}
}

// TestScanOnALine: a scan that stands on one line is handed on before the next line has come.
func TestScanOnALine(t *testing.T) {
	r, w := io.Pipe()
	sr := NewScanReader(r, "in", "auto", nil)
	for k := range 3 {
		go io.WriteString(w, fmt.Sprintf(`{"time":%d,"detections":[{"x":%d,"y":2}]}`+"\n", k, k))
		s, err := sr.Next()
		if err != nil || s.Time != float64(k) || !slices.Equal(s.Pos, []float64{float64(k), 2}) {
			t.Fatalf("scan %d is %+v, %v", k, s, err)
		}
	}
	w.Close()
	if _, err := sr.Next(); err != io.EOF {
		t.Error(err)
	}
}

// TestScanReaderPolar: ranges and bearings become what they do in a file, with and without noise,
// one row at a time.
func TestScanReaderPolar(t *testing.T) {
	text := "frame,range_km,azimuth_deg,elevation_deg,range_rate\n0,1,90,10,5\n1,1.1,91,12,6\n3,1.2,92,13,7\n"
	for _, o := range []Options{
		{},
		{Compass: true, Sensor: []float64{10, 20, 3}},
		{Sensor: []float64{1, 2}, SensorNoise: map[string]float64{"range": 10, "bearing": 0.01, "elevation": 0.02, "range_rate": 1, "speed": 20}},
	} {
		name := filepath.Join(t.TempDir(), "polar.csv")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		file, err := Read([]string{name}, &o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(text, "csv", &o)
		if err != io.EOF || len(got) != len(file.Scans) {
			t.Fatalf("%d scans, %d in the file, %v", len(got), len(file.Scans), err)
		}
		for k := range got {
			if want := &file.Scans[k]; !slices.Equal(got[k].Pos, want.Pos) || !slices.Equal(got[k].Cov, want.Cov) || !slices.Equal(got[k].Vel, want.Vel) || !slices.Equal(got[k].VelCov, want.VelCov) {
				t.Errorf("%+v: scan %d is %+v, in the file %+v", o, k, got[k], *want)
			}
		}
	}
}

// TestScanReaderFaults: a bad line is named with its column, after the scans before it.
func TestScanReaderFaults(t *testing.T) {
	for _, tt := range []struct {
		text, format string
		scans        int
		line, col    int
	}{
		{"", "csv", 0, 0, 0},
		{"0,1,2\n", "csv", 0, 1, 1},
		{"\n\x00", "csv", 0, 2, 1},
		{"time,y\n", "csv", 0, 1, 7},
		{"time,x,mass\n", "csv", 0, 1, 12},
		{"time,lon,lat\n0,1,2\n", "csv", 0, 1, 1},
		{"time,range,bearing\n0,1,2\n1,1,9\n", "csv", 0, 3, 5},
		{"time,range,bearing\n0,1,2\n1,-1,2\n", "csv", 0, 3, 1},
		{"frame,x,y\na1,1,2\nb2,1,2\n", "csv", 0, 3, 1},
		{"time,x,y\n0,1,2\n1,1,two\n", "csv", 0, 3, 5},
		{"time,x,y\n0,1,2\n1,1,2\n2,1\n", "csv", 1, 4, 4},
		{"time,x,y\n0,1,2\n1,1,2,3\n", "csv", 0, 3, 7},
		{"time,x,y\n5,1,2\n4,1,2\n", "csv", 0, 3, 1},
		{"x,y,frame\n1,2,5\n1,2,4\n", "csv", 0, 3, 5},
		{"frame,time,x,y\n1,2,5,5\n2,2,5,5\n", "csv", 0, 3, 3},
		{"time,x,y,conf\n0,1,2,0.5\n1,1,2,\n", "csv", 0, 3, 7},
		{"time,sensor,x,y\n0,1,1,2\n1,1,1,2\n1,0,1,2\n", "csv", 1, 4, 3},
		{"time,x,y,sensor\n0,1,2,radar\n", "csv", 0, 2, 7},
		{`{"time":0,"x":1,"y":2}` + "\n" + `{"time":1,"x":"one","y":2}` + "\n", "auto", 0, 2, 11},
		{"time,x,y\n0,1,2\n1,one,2\n", "auto", 0, 3, 3},
		{"5\n", "jsonl", 0, 1, 1},
		{"[]\n", "jsonl", 0, 1, 1},
		{"{}\n", "jsonl", 0, 1, 1},
		{`{"time":0,"x":1,"y":2}` + "\n" + `{"time":1,"x":"one","y":2}` + "\n", "jsonl", 0, 2, 11},
		{`{"time":0,"x":1,"y":2}` + "\n" + `{"time":1,"x":1,"y":2` + "\n", "jsonl", 0, 2, 22},
		{`{"time":0,"x":1,"y":2} {"time":1,"x":1,"y":2}` + "\n", "jsonl", 0, 1, 24},
		{`{"frame":1,"points":[[1,2]]}` + "\n" + `{"frame":1,"points":[[3,4]]}` + "\n", "auto", 1, 2, 1},
		{`{"frame":2,"points":[[1,2]]}` + "\n" + `{"frame":1,"points":[[3,4]]}` + "\n", "auto", 1, 2, 1},
		{`{"frame":1,"points":[[1,2]]}` + "\n" + `{"points":[]}` + "\n", "auto", 1, 2, 1},
		{`{"frame":1,"points":[{"u":1,"v":2}]}` + "\n", "auto", 0, 1, 10},
		{`{"frame":1,"points":[[1,2]]} {}` + "\n", "auto", 0, 1, 30},
		{`{"frame":1,"points":[[1,2]]}` + "\n" + `{"frame":2,"points":[[1,"two"]]}` + "\n", "auto", 1, 2, 1},
		{`{"frame":1,"points":[[1,2]]}` + "\n" + `{"frame":2,"points":[[1,` + "\n", "auto", 1, 2, 1},
	} {
		scans, err := readAll(tt.text, tt.format, &Options{Sensors: true})
		e, ok := errors.AsType[*SyntaxError](err)
		if !ok || len(scans) != tt.scans || e.Line != tt.line || e.Col != tt.col {
			t.Errorf("%q: %d scans and %v, want %d and an error at %d:%d", tt.text, len(scans), err, tt.scans, tt.line, tt.col)
		}
	}
}

// FuzzScanReader: whatever comes, the scans are valid and in order.
func FuzzScanReader(f *testing.F) {
	f.Add("time,x,y\n0,1,2\n1,,\n2,3,4\n", false)
	f.Add("frame,time,x,y,vx,vy\n0,0,1,2,1,1\n4,1,1,2,1,1\n6,9,1,2,1,1\n", false)
	f.Add("frame,range,bearing\na1,1,2\na2,1,2\n", false)
	f.Add("{\"frame\":1,\"x\":2,\"y\":3}\n{\"frame\":3,\"x\":2,\"y\":3}\n", true)
	f.Fuzz(func(t *testing.T, text string, json bool) {
		format := "csv"
		if json {
			format = "jsonl"
		}
		scans, err := readAll(text, format, nil)
		if err == nil {
			t.Fatal("no end")
		}
		for i := range scans {
			if i > 0 && (scans[i].Frame <= scans[i-1].Frame) {
				t.Fatal(fmt.Sprint("frame ", scans[i].Frame, " after ", scans[i-1].Frame))
			}
			if n := scans[i].Len(); scans[i].Vel != nil && len(scans[i].Vel) != len(scans[i].Pos) || scans[i].Conf != nil && len(scans[i].Conf) != n {
				t.Fatal("lists of unequal lengths")
			}
		}
	})
}

// TestStreamNotes: who says a time by a name that is not known is told that it is not read.
func TestStreamNotes(t *testing.T) {
	for text, want := range map[string]string{
		`{"when":3,"points":[[1,2]]}`:          "not read: when",
		`{"time":3,"note":1,"points":[[1,2]]}`: "",
		`{"points":[[1,2]]}`:                   "",
	} {
		sr := NewScanReader(strings.NewReader(text), "in", "auto", nil)
		if _, err := sr.Next(); err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(sr.Notes(), "\n"); (notes == "") != (want == "") || !strings.Contains(notes, want) {
			t.Errorf("%s: %q", text, notes)
		}
	}
}

// TestStreamGap: rows that are stamped one by one are scans with a gap, those that the file has,
// and who says none is told.
func TestStreamGap(t *testing.T) {
	var b strings.Builder
	b.WriteString("time,x,y\n")
	for k := range 30 {
		for i := range 3 {
			fmt.Fprintf(&b, "%.4f,%d,%d\n", float64(k)+0.01*float64(i)+0.0003*float64(k%3), 10*i+k, i*i)
		}
	}
	name := filepath.Join(t.TempDir(), "points.csv")
	if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	want, err := Read([]string{name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readAll(b.String(), "csv", &Options{Gap: 0.3})
	if err != io.EOF || len(got) != 30 || len(want.Scans) != 30 {
		t.Fatalf("%d scans, in the file %d, %v", len(got), len(want.Scans), err)
	}
	for k := range got {
		if w := &want.Scans[k]; math.Abs(got[k].Time-want.Start-w.Time) > 1e-9 || got[k].Frame != k || got[k].Len() != 3 || !slices.Equal(got[k].Pos, w.Pos) {
			t.Errorf("scan %d is %+v, in the file %+v from %v", k, got[k], *w, want.Start)
		}
	}
	sr := NewScanReader(strings.NewReader(b.String()), "in", "csv", nil)
	for err = nil; err == nil; _, err = sr.Next() {
	}
	if notes := strings.Join(sr.Notes(), "; "); err != io.EOF || !strings.Contains(notes, "0.979 s and more from others: --gap 0.49 makes scans of them") {
		t.Errorf("%v, notes %s", err, notes)
	}
	if _, err := readAll("time,x,y\n1,1,1\n1.2,2,2\n1.1,3,3\n", "csv", &Options{Gap: 0.5}); err == nil || !strings.Contains(err.Error(), "in:4:1: 1.1 s comes after 1.2 s") {
		t.Errorf("a row before another in its scan: %v", err)
	}
}

// TestStreamHoles: rows without a position are told of, the first at once and all at the end, but for
// one that says that a scan has no detection; one without a time is no scan.
func TestStreamHoles(t *testing.T) {
	const first, all = "line %d: a row without a position (empty or NaN) is left out", "rows without a position (empty or NaN): %d, left out"
	for _, tt := range []struct {
		text               string
		scans, line, count int
	}{
		{"time,x,y\n0,1,2\n1,,\n2,1,2\n", 3, 0, 0},
		{"time,x,y\n0,1,2\n0,,3\n1,1,2\n", 2, 3, 1},
		{"time,x,y\n0,,nan\n0,1,3\n1,1,2\n1,,\n2,,\n2,,\n", 3, 2, 3},
		{"frame,x,y\n3,1,2\n,,\n4,1,2\n", 2, 3, 1},
		{"time,x,y\n,,\n3,1,2\n,,\n4,1,2\n", 2, 2, 2},
		{"{\"time\":1,\"detections\":[{\"x\":1,\"y\":2},{\"x\":null,\"y\":3}]}\n", 1, 1, 1},
	} {
		sr := NewScanReader(strings.NewReader(tt.text), "in", "auto", nil)
		scans := 0
		for {
			if _, err := sr.Next(); err != nil {
				break
			}
			scans++
		}
		var want []string
		if tt.line > 0 {
			want = append(want, fmt.Sprintf(first, tt.line))
		}
		if tt.count > 1 {
			want = append(want, fmt.Sprintf(all, tt.count))
		}
		if scans != tt.scans || !slices.Equal(sr.Notes(), want) {
			t.Errorf("%q: %d scans, %q, want %d, %q", tt.text, scans, sr.Notes(), tt.scans, want)
		}
	}
}
