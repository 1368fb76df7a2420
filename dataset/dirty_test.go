package dataset

// This file tests what real tables have and simulated ones have not: odd times, clocks
// in milliseconds, flat coordinates, holes, and rows without an identity.

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// noted fails unless the notes say each of the words.
func noted(t *testing.T, d *Data, words ...string) {
	t.Helper()
	all := strings.Join(d.Notes, "\n")
	for _, w := range words {
		if !strings.Contains(all, w) {
			t.Errorf("notes lack %q:\n%s", w, all)
		}
	}
}

// TestIrregularTimes: scans at odd times keep them to the last bit, through the
// file of a run folder, whether or not the file numbers its frames.
func TestIrregularTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, frames := range []bool{false, true} {
		for _, steps := range [][]float64{{0.3, 0.5, 1, 1.7}, nil} {
			var b strings.Builder
			b.WriteString("frame,time,x,y\n")
			if !frames {
				b.Reset()
				b.WriteString("time,x,y\n")
			}
			var want []float64
			at := 1452603731.0
			for k := range 80 {
				if steps != nil {
					at += steps[rng.IntN(len(steps))]
				} else {
					at = 1452603731 + 0.5*float64(k) + 0.1*rng.NormFloat64()
				}
				want = append(want, at)
				for range 15 {
					if frames {
						fmt.Fprintf(&b, "%d,", k)
					}
					fmt.Fprintf(&b, "%v,%v,%v\n", at, rng.Float64(), rng.Float64())
				}
			}
			d := read(t, "irregular.csv", b.String(), nil)
			if len(d.Scans) != 80 || !d.Uneven || d.Start != want[0] {
				t.Fatalf("%d scans from %v on, uneven %v: %q", len(d.Scans), d.Start, d.Uneven, d.Notes)
			}
			for k := range d.Scans {
				if s := &d.Scans[k]; s.Time != want[k]-want[0] || s.Len() != 15 || s.Frame != k {
					t.Fatalf("scan %d: frame %d at %v with %d detections, want time %v", k, s.Frame, s.Time, s.Len(), want[k]-want[0])
				}
			}
			again(t, d)
			noted(t, d, "every scan keeps its true time")
		}
	}
}

// again fails unless the scans and rows of d come back from the file that they are
// written to.
func again(t *testing.T, d *Data) {
	t.Helper()
	var b bytes.Buffer
	if err := WriteScanRows(&b, d.Scans, d.Rows); err != nil {
		t.Fatal(err)
	}
	step := 1
	if len(d.Scans) > 1 {
		step = d.Scans[1].Frame - d.Scans[0].Frame
	}
	got, err := ReadScans(&b, "detections.csv", &Grid{First: d.Scans[0].Frame, Step: step, Count: len(d.Scans), Interval: d.Interval, Empty: EmptyTimes(d.Scans)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d.Scans, got.Scans, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(d.Rows, got.Rows, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// TestEmptyScansKeepTheirTime: of two files the truth knows when a scan was in which
// nothing was detected.
func TestEmptyScansKeepTheirTime(t *testing.T) {
	det := write(t, "det.csv", "time,x,y\n0,1,1\n0.7,2,1\n3,4,1\n")
	truth := write(t, "gt.csv", "time,id,x,y\n0,1,1,1\n0.7,1,2,1\n1.9,1,3,1\n3,1,4,1\n")
	d, err := Read([]string{det, truth}, &Options{Reach: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	var times []float64
	for k := range d.Scans {
		times = append(times, d.Scans[k].Time)
	}
	if !cmp.Equal(times, []float64{0, 0.7, 1.9, 3}) || d.Scans[2].Len() != 0 || d.Truth[0].Hits[2].Det != -1 {
		t.Errorf("times %v, truth %v", times, d.Truth)
	}
	again(t, d)
}

// TestOwnTimes: rows have times of their own within a scan.
func TestOwnTimes(t *testing.T) {
	// A sensor looks for 0.2 s and pauses for 0.8 s.
	var b strings.Builder
	b.WriteString("time,x,y\n")
	for k := range 10 {
		for i := range 5 {
			fmt.Fprintf(&b, "%v,%d,%d\n", float64(k)+0.05*float64(i)+0.001*float64(k*k*i%7), 10*i, k)
		}
	}
	d := read(t, "pauses.csv", b.String(), nil)
	if len(d.Scans) != 10 || d.Scans[3].Len() != 5 || math.Abs(d.Scans[3].Time-3) > 0.01 {
		t.Errorf("%d scans, %+v", len(d.Scans), d.Scans[3])
	}
	noted(t, d, "a scan ends where nothing comes for", "times up to 0.204 s apart: a scan has their mean time")

	// An antenna turns once in a second and meets each target where it is.
	b.Reset()
	b.WriteString("time,id,x,y\n")
	for k := range 10 {
		for id, angle := range []float64{0.1, 0.15, 0.5, 0.8, 0.95} {
			if (k+id)%7 != 0 {
				fmt.Fprintf(&b, "%v,%d,%d,%d\n", float64(k)+angle+0.003*float64(k*k%5), id, 10*id, k)
			}
		}
	}
	d = read(t, "turning.csv", b.String(), nil)
	if len(d.Scans) < 9 || len(d.Scans) > 13 {
		t.Errorf("%d scans for 10 turns", len(d.Scans))
	}
	for _, tr := range d.Truth {
		for k := 1; k < len(tr.Hits); k++ {
			if tr.Hits[k].Frame == tr.Hits[k-1].Frame {
				t.Errorf("target %d twice in frame %d", tr.ID, tr.Hits[k].Frame)
			}
		}
	}
	noted(t, d, "a scan ends where an identity comes again")

	// Frames are numbered, and rows still have times of their own.
	d = read(t, "frames.csv", "frame,t,x,y\n1,0.5,3,4\n1,0.6,3,4\n2,1.5,3,4\n3,2.9,1,4\n", nil)
	if len(d.Scans) != 3 || !d.Uneven || math.Abs(d.Scans[1].Time-0.95) > 1e-12 {
		t.Errorf("%+v", d.Scans)
	}
	noted(t, d, "rows of a frame have times up to 0.1 s apart")
}

// TestGridOnRequest: --dt centres frames on scans that jitter about it.
func TestGridOnRequest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var b strings.Builder
	b.WriteString("time,x,y\n")
	for k := range 80 {
		fmt.Fprintf(&b, "%v,%d,1\n%[1]v,%d,9\n", 7+0.5*float64(k)+0.2*(rng.Float64()-0.5), k, -k)
	}
	d := read(t, "jitter.csv", b.String(), &Options{DT: 0.5})
	if len(d.Scans) != 80 || d.Interval != 0.5 || d.Uneven {
		t.Fatalf("%d scans, %v s apart", len(d.Scans), d.Interval)
	}
	for k := range d.Scans {
		if d.Scans[k].Len() != 2 {
			t.Errorf("scan %d has %d detections", k, d.Scans[k].Len())
		}
	}
}

// TestClocks: times since 1970 in any unit are seconds.
func TestClocks(t *testing.T) {
	for _, tt := range []struct {
		unit  string
		times [3]string
	}{
		{"", [3]string{"1772366400.0", "1772366400.5", "1772366401.0"}},
		{"milliseconds", [3]string{"1772366400000", "1772366400500", "1772366401000"}},
		{"microseconds", [3]string{"1772366400000000", "1772366400500000", "1772366401000000"}},
		{"nanoseconds", [3]string{"1772366400000000000", "1772366400500000000", "1772366401000000000"}},
	} {
		d := read(t, "clock.csv", fmt.Sprintf("timestamp,x,y\n%s,1,2\n%s,2,2\n%s,3,2\n", tt.times[0], tt.times[1], tt.times[2]), nil)
		if len(d.Scans) != 3 || math.Abs(d.Interval-0.5) > 1e-6 || math.Abs(d.Start-1772366400) > 1e-3 {
			t.Errorf("%s: %d scans, %v s apart from %v on", tt.unit, len(d.Scans), d.Interval, d.Start)
		}
		if tt.unit != "" {
			noted(t, d, tt.unit+" since 1970")
		}
	}
}

// TestPlacesAtAnyRate: positions by longitude and latitude, twice a second, without
// ships.
func TestPlacesAtAnyRate(t *testing.T) {
	for _, ids := range []bool{true, false} {
		var b strings.Builder
		b.WriteString("time,id,latitude,longitude\n")
		if !ids {
			b.Reset()
			b.WriteString("time,latitude,longitude\n")
		}
		for k := range 60 {
			for id := range 12 {
				if ids {
					fmt.Fprintf(&b, "%v,%d,%v,%v\n", 0.5*float64(k), id, 50+1e-5*float64(k), 8+1e-3*float64(id))
				} else {
					fmt.Fprintf(&b, "%v,%v,%v\n", 0.5*float64(k), 50+1e-5*float64(k), 8+1e-3*float64(id))
				}
			}
		}
		d := read(t, "gps.csv", b.String(), nil)
		if len(d.Scans) != 60 || d.Scans[0].Len() != 12 || d.Interval != 0.5 || d.Unit != "m" {
			t.Errorf("%d scans of %d, %v s apart", len(d.Scans), d.Scans[0].Len(), d.Interval)
		}
		lon, lat := LonLat(*d.Origin, d.Scans[7].At(3)[0], d.Scans[7].At(3)[1])
		if math.Abs(lon-8.003) > 1e-9 || math.Abs(lat-50.00007) > 1e-9 { // 1e-9 degrees are 0.1 mm
			t.Errorf("place %v, %v", lon, lat)
		}
	}
}

// TestFlat: a coordinate that does not vary is left out, and that is said.
func TestFlat(t *testing.T) {
	for _, z := range []string{"0", "5", "5.0001"} {
		d := read(t, "flat.csv", "frame,x,y,z\n0,1,2,"+z+"\n0,5,9,5\n1,2,3,"+z+"\n1,6,1,"+z+"\n", &Options{DT: 1})
		if z == "0" { // with a row of another height
			if d.Scans[0].Dim != 3 {
				t.Error("a coordinate that varies is left out")
			}
			continue
		}
		if d.Scans[0].Dim != 2 || !cmp.Equal(d.Scans[0].Pos, []float64{1, 2, 5, 9}) {
			t.Errorf("z %s: %+v", z, d.Scans[0])
		}
		noted(t, d, "coordinate z ")
	}
	text := "frame,x,y,z\n0,1,2,7\n0,5,9,7\n1,2,3,7\n"
	if d := read(t, "flat.csv", text, &Options{Columns: map[string]string{"z": "z"}}); d.Scans[0].Dim != 3 {
		t.Error("a coordinate that the options name is left out")
	}
	d := read(t, "line.csv", "frame,x,y\n0,1,7\n0,5,7\n1,2,7\n", nil)
	noted(t, d, "coordinate y is the same in all rows")
	d = read(t, "cov.csv", "frame,x,y,z,sx,sy,sz\n0,1,2,7,1,2,3\n0,5,9,7,1,2,3\n1,2,3,7,1,2,3\n", nil)
	if !cmp.Equal(d.Scans[0].Cov, []float64{1, 0, 4, 1, 0, 4}) {
		t.Errorf("covariances %v", d.Scans[0].Cov)
	}
}

// TestHoles: rows without a position are left out and counted, columns with holes are
// left out.
func TestHoles(t *testing.T) {
	d := read(t, "holes.csv", "frame,id,x,y,conf\n0,1,1,2,0.5\n0,2,,,0.5\n1,1,nan,3,0.5\n1,2,4,NA,\n1,3,4,5,\n2,1,2,2,1\n", nil)
	rows := [][]int32{{1}, {5}, {6}}
	if diff := cmp.Diff(rows, d.Rows); diff != "" {
		t.Error(diff)
	}
	if d.Scans[0].Conf != nil {
		t.Error("confidences with holes are kept")
	}
	noted(t, d, "rows without a position (empty or NaN): 3, left out", "confidences left out: they are missing in 1 row")
}

// TestClutterRows: rows without an identity beside others are detections of nothing.
func TestClutterRows(t *testing.T) {
	for _, none := range []string{"", "-1", "nan", "None"} {
		d := read(t, "clutter.csv", "frame,id,x,y\n0,1,1,2\n0,"+none+",5,5\n0,"+none+",9,5\n1,"+none+",8,8\n1,1,2,2\n", nil)
		if len(d.Truth) != 1 || d.Truth[0].ID != 1 || len(d.Truth[0].Hits) != 2 || d.Scans[0].Len() != 3 {
			t.Errorf("%q: %+v", none, d.Truth)
		}
		noted(t, d, "rows without an identity: 3, taken for detections of nothing (clutter)")
	}
	if d := read(t, "none.csv", "frame,id,x,y\n0,-1,1,2\n1,-1,5,5\n", nil); d.Truth != nil {
		t.Error("targets without an identity")
	}
	d := read(t, "gt.txt", "1,-1,300,200,50,90,0.9,-1,-1,-1\n1,3,500,210,60,100,0.9,-1,-1,-1\n2,3,500,210,60,100,0.9,-1,-1,-1\n", nil)
	if len(d.Truth) != 1 || d.Scans[0].Len() != 2 {
		t.Errorf("%+v", d.Truth)
	}
	d = read(t, "words.csv", "frame,id,x,y\n0,anna,1,2\n0,,5,5\n1,anna,8,8\n", nil)
	if len(d.Truth) != 1 || d.Scans[0].Len() != 2 {
		t.Errorf("%+v", d.Truth)
	}
	d = read(t, "twice.csv", "frame,id,x,y\n1,2,3,4\n2,2,3,4\n1,2,5,6\n", nil)
	if len(d.Truth) != 1 || len(d.Truth[0].Hits) != 2 || d.Scans[0].Len() != 2 || d.Truth[0].At(0)[0] != 3 {
		t.Errorf("%+v", d.Truth)
	}
	if len(d.Doubts) != 1 || !strings.Contains(d.Doubts[0], "rows that repeat an identity in a frame: 1; the first") {
		t.Errorf("doubts %q", d.Doubts)
	}
}

// TestObjectKinds: words that come twice in a frame are kinds, whatever of the names that may mean
// either the column has.
func TestObjectKinds(t *testing.T) {
	for _, name := range []string{"label", "object", "vehicle"} {
		d := read(t, "kinds.csv", "frame,"+name+",x,y\n0,car,1,2\n0,car,5,5\n1,car,8,8\n1,bus,1,2\n", nil)
		if d.Truth != nil || !slices.Equal(d.Scans[1].Class, []int32{2, 1}) {
			t.Errorf("%s: %+v, kinds %v", name, d.Truth, d.Scans[1].Class)
		}
		if d = read(t, "names.csv", "frame,"+name+",x,y\n0,anna,1,2\n0,bert,5,5\n1,bert,8,8\n1,anna,1,2\n", nil); len(d.Truth) != 2 {
			t.Errorf("%s: %+v", name, d.Truth)
		}
	}
}

// TestLongIdentities: whole numbers that a float64 would round stay apart.
func TestLongIdentities(t *testing.T) {
	for _, ids := range [][2]string{{"9007199254740992", "9007199254740993"}, {"123456789012345678", "123456789012345679"}, {"18446744073709551615", "7"}, {"-9007199254740994", "-9007199254740993"}} {
		table := fmt.Sprintf("frame,id,x,y\n0,%[1]s,1,2\n0,%[2]s,5,5\n1,%[2]s,8,8\n1,%[1]s,2,2\n", ids[0], ids[1])
		if d := read(t, "long.csv", table, nil); len(d.Truth) != 2 || len(d.Truth[0].Hits) != 2 || d.Truth[1].At(1)[0] != 8 {
			t.Errorf("%v: %+v", ids, d.Truth)
		}
	}
	for word, ok := range map[string]bool{"9007199254740992": true, "-9007199254740992": true, "9007199254740993": false, "9007199254740993.0": false, "+9007199254740991": true, "00000000000000000007": true} {
		if _, got := parseInt([]byte(word)); got != ok {
			t.Errorf("parseInt(%s): %v", word, got)
		}
	}
}

// TestLeastConfidence: dropped detections are missed targets.
func TestLeastConfidence(t *testing.T) {
	least := 0.5
	d := read(t, "conf.csv", "frame,id,x,y,conf\n0,1,1,2,0.9\n0,2,5,5,0.2\n1,1,2,2,0.4\n1,2,5,6,0.5\n", &Options{MinConf: &least})
	if d.Scans[0].Len() != 1 || d.Scans[1].Len() != 1 || d.Truth[0].Hits[1].Det != -1 || d.Truth[1].Hits[1].Det != 0 {
		t.Errorf("%+v %+v", d.Scans, d.Truth)
	}
	det, gt := write(t, "det.txt", motDet), write(t, "gt.txt", motTruth)
	least = 0.85
	d, err := Read([]string{det, gt}, &Options{MinConf: &least})
	if err != nil {
		t.Fatal(err)
	}
	if d.Scans[0].Len() != 1 || d.Scans[2].Len() != 0 {
		t.Errorf("%+v", d.Scans)
	}
	noted(t, d, "detections of a confidence below 0.85 left out: 2 of 3")
	if _, err := Read([]string{write(t, "p.csv", "frame,x,y\n1,2,3\n")}, &Options{MinConf: &least}); err == nil || !strings.Contains(err.Error(), "no confidences") {
		t.Error(err)
	}
}

// TestColumnsByName: the options say what columns are, by name or by number.
func TestColumnsByName(t *testing.T) {
	text := "label,centroid-0,centroid-1,T\n1,7,1,0\n2,8,5,0\n1,9,2,1\n"
	d := read(t, "props.csv", text, &Options{Columns: map[string]string{"x": "centroid-1", "y": "centroid-0", "frame": "T", "id": "label"}})
	if !cmp.Equal(d.Scans[0].Pos, []float64{1, 7, 5, 8}) || len(d.Truth) != 2 {
		t.Errorf("%+v %+v", d.Scans, d.Truth)
	}
	d = read(t, "bare.txt", "1 2.5 3\n2 2.5 4\n", &Options{Columns: map[string]string{"frame": "1", "x": "2", "y": "3"}})
	if len(d.Scans) != 2 || d.Scans[1].Pos[1] != 4 {
		t.Errorf("%+v", d.Scans)
	}
	for want, columns := range map[string]map[string]string{
		`no column is named "T2"; the columns are label`: {"frame": "T2"},
		`no role "X" of a column; the roles are`:         {"X": "T"},
		"column T is given two roles":                    {"frame": "T", "time": "T"},
	} {
		if _, err := Read([]string{write(t, "props.csv", text)}, &Options{Columns: columns}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if d := read(t, "ids.csv", "frame,id,x,y\n0,1,1,2\n", &Options{NoIDs: true}); d.Truth != nil {
		t.Error("identities are kept")
	}
}

// TestUnits: lengths become metres, smaller ones and pixels stay.
func TestUnits(t *testing.T) {
	for _, tt := range []struct {
		x, y, units, want string
		pos               float64
	}{
		{"x_um", "y_um", "", "um", 4}, {"x [µm]", "y [µm]", "", "um", 4}, {"x_cm", "y_cm", "", "m", 0.04}, {"x", "y", "mm", "m", 0.004}, {"x", "y", "", "", 4}, {"x_px", "y_px", "", "px", 4},
	} {
		d := read(t, "units.csv", fmt.Sprintf("frame,%s,%s\n1,4,4\n", tt.x, tt.y), &Options{Units: tt.units})
		if d.Unit != tt.want || d.Scans[0].Pos[0] != tt.pos {
			t.Errorf("%s: %v %s", tt.x, d.Scans[0].Pos, d.Unit)
		}
	}
	if d := read(t, "deg.csv", "frame,x,y\n1,8,50\n2,8.001,50\n", &Options{Units: "deg"}); d.Origin == nil || d.Unit != "m" {
		t.Errorf("degrees: %+v", d)
	}
}

// TestDecimalCommas: tables of spreadsheets in half of Europe.
func TestDecimalCommas(t *testing.T) {
	for _, text := range []string{"Nr;t;x;y\n1;0,000;397,5;1\n2;0,500;398,5;1,25\n", "t\tx\ty\n0,000\t397,5\t1\n0,500\t398,5\t1,25\n", "t x y\n0,000 397,5 1\n0,500 398,5 1,25\n"} {
		d := read(t, "comma.csv", text, nil)
		if len(d.Scans) != 2 || d.Interval != 0.5 || !cmp.Equal(d.Scans[1].Pos, []float64{398.5, 1.25}) {
			t.Errorf("%q: %+v", text, d.Scans)
		}
		noted(t, d, "decimal commas are read as points")
	}
}

// TestJSON: objects, one on a line or in an array, are rows.
func TestJSON(t *testing.T) {
	for _, text := range []string{
		`{"frame": 0, "position": {"x": 1, "y": 2.5}, "name": "a"}` + "\n" + `{"name": "b", "position": {"y": 3, "x": null}, "frame": 0}` + "\n" + `{"frame": 1, "position": {"x": -1, "y": 4}}`,
		`[{"frame": 0, "position": {"x": 1, "y": 2.5}}, {"frame": 0, "position": {"x": null, "y": 3}}, {"frame": 1, "position": {"x": -1, "y": 4}}]`,
	} {
		d := read(t, "rows.jsonl", text, nil)
		if d.Format != "jsonl" || len(d.Scans) != 2 || !cmp.Equal(d.Scans[0].Pos, []float64{1, 2.5}) || !cmp.Equal(d.Scans[1].Pos, []float64{-1, 4}) {
			t.Errorf("%+v", d)
		}
	}
	for text, want := range map[string]string{
		`{"frame": 1, "x": 2`:             "was the file cut short?",
		`{"a": 1}`:                        "no column is named x",
		`[1, 2]`:                          "1 stands where an object should",
		`{"frame": 1, "x": 2, "y": "up"}`: `y is "up", not a number`,
		`{"frame": 1, "x": 2, "y": 3}` + "\n" + `{"f`: "was the file cut short?",
	} {
		if _, err := Read([]string{write(t, "rows.jsonl", text)}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestRepeats: rows that are there twice are counted and kept; those of another time, or of another
// word, are others.
func TestRepeats(t *testing.T) {
	for _, tt := range []struct {
		file, want string
		detections int
		o          Options
	}{
		{"frame,x,y\n0,1,2\n1,2,3\n1,2,3\n2,3,4\n2,5,4\n2,3,4\n2,3,4\n", "repeat another one exactly: 3, such as line 4, which is line 3 again", 7, Options{}},
		{"frame,id,x,y\n0,1,1,2\n1,1,2,3\n1,2,2,3\n", "", 3, Options{}},
		{"frame,x,y,conf\n0,1,2,0.5\n1,2,3,0.5\n1,2,3,0.6\n", "", 3, Options{}},
		{"time,x,y\n0,1,2\n1.1,2,3\n1.2,2,3\n1.9,3,4\n2.8,3,4\n2.8,3,4\n3.7,3,4\n", "repeat another one exactly: 1, such as line 7, which is line 6 again", 7, Options{}},
		{"time,x,y\n0,1,2\n1.1,2,3\n1.2,2,3\n1.9,3,4\n1.9,3,4\n", "repeat another one exactly: 1, such as line 6, which is line 5 again", 5, Options{DT: 1}},
		{"time,x,y\n0,1,2\n0,1,2\n1,2,3\n1,5,3\n2,2,3\n2,5,3\n", "repeat another one exactly: 1, such as line 3, which is line 2 again", 6, Options{}},
	} {
		d := read(t, "rows.csv", tt.file, &tt.o)
		n := 0
		for k := range d.Scans {
			n += d.Scans[k].Len()
		}
		said := strings.Join(d.Notes, "\n")
		if n != tt.detections || tt.want != "" && !strings.Contains(said, tt.want) || tt.want == "" && strings.Contains(said, "exactly") {
			t.Errorf("%q: %d detections, %s", tt.file, n, said)
		}
	}
}

// TestReadOnce: rows that are there twice are read once where their coordinates do not agree by chance.
func TestReadOnce(t *testing.T) {
	const frames = 20
	rng := rand.New(rand.NewPCG(3, 3))
	for _, tt := range []struct {
		name         string
		x, y         float64 // steps of the coordinates, which are below 100
		targets      int
		twice        int // of how many rows one is there twice
		head, column string
		once         bool
	}{
		{"fine", 1e-3, 1e-3, 10, 4, "", "", true},
		{"all of them", 1e-3, 1e-3, 10, 1, "", "", true},
		{"in a plane", 1e-3, 1e-3, 10, 4, ",z", ",1.5", true},
		{"in three lanes", 1e-3, 33, 10, 4, "", "", true},
		{"one target", 1e-3, 1e-3, 1, 2, "", "", true},
		{"one by one", 1e-3, 1e-3, 0, 2, "", "", true},
		{"in one lane", 1e-1, 100, 10, 20, "", "", false},
		{"few", 1e-3, 1e-3, 10, 60, "", "", false},
		{"coarse", 10, 10, 10, 100, "", "", false},
	} {
		text, rows, repeats := "frame,x,y"+tt.head+"\n", 0, 0
		if tt.targets == 0 { // each row has a time of its own
			text = "time,x,y\n"
		}
		for f := range frames {
			for range max(1, tt.targets) {
				at := float64(f)
				if tt.targets == 0 {
					at += 0.5 * rng.Float64()
				}
				row := fmt.Sprintf("%g,%g,%g%s\n", at, tt.x*math.Floor(100/tt.x*rng.Float64()), tt.y*math.Floor(100/tt.y*rng.Float64()), tt.column)
				text, rows = text+row, rows+1
				if rows%tt.twice == 0 {
					text, repeats = text+row, repeats+1
				}
			}
		}
		d := read(t, "rows.csv", text, nil)
		n := 0
		for k := range d.Scans {
			n += d.Scans[k].Len()
		}
		want := rows
		if !tt.once {
			want += repeats
		}
		if said := strings.Join(d.Notes, "\n"); n != want || !strings.Contains(said, "exactly") || tt.once != strings.Contains(said, "read once") {
			t.Errorf("%s: %d rows, %d of them twice, are %d detections: %s", tt.name, rows, repeats, n, said)
		}
	}
}

// TestTruthReadOnce: the truth is matched with what is read once.
func TestTruthReadOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	detections, truth := "frame,x,y\n", "frame,id,x,y\n"
	for f := range 10 {
		for i := range 4 {
			x, y := 100*rng.Float64(), 100*rng.Float64()
			detections += strings.Repeat(fmt.Sprintf("%d,%.3f,%.3f\n", f, x, y), 2)
			truth += fmt.Sprintf("%d,%d,%.3f,%.3f\n", f, i+1, x+.001, y)
		}
	}
	d, err := Read([]string{write(t, "det.csv", detections), write(t, "truth.csv", truth)}, &Options{Reach: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range d.Truth {
		for _, h := range tr.Hits {
			if h.Det < 0 || h.Det >= 4 {
				t.Fatalf("target %d of frame %d is detection %d of 4", tr.ID, h.Frame, h.Det)
			}
		}
	}
}

// TestUnitsRow: a line of units below the names says them, and nothing else is taken for one.
func TestUnitsRow(t *testing.T) {
	for _, tt := range []struct {
		file string
		pos  []float64 // of the second scan
		unit string
		time float64
	}{
		{"time,x,y\ns,m,m\n0,1,2\n1.5,2,3\n2,3,4\n", []float64{2, 3}, "m", 1.5},
		{"time,id,x,y\n[ms],-,[cm],[cm]\n0,1,100,200\n1500,1,200,300\n1700,1,300,400\n", []float64{2, 3}, "m", 1.5},
		{"frame,x,y,vx,vy\n,px,px,,\n0,1,2,1,1\n1,2,3,1,1\n", []float64{2, 3}, "px", 1},
		{"time;x;y;vx;vy\n(s);(km);(km);(km/s);(km/s)\n0;1;2;1;1\n1,5;2;3;1;1\n2;3;4;1;1\n", []float64{2000, 3000}, "m", 1.5},
	} {
		d := read(t, "units.csv", tt.file, nil)
		if len(d.Scans) < 2 || !cmp.Equal(d.Scans[1].Pos, tt.pos) || d.Unit != tt.unit || d.Scans[1].Time != tt.time {
			t.Errorf("%q: %+v in %q", tt.file, d.Scans, d.Unit)
		}
		if tt.unit != "" {
			noted(t, d, "line 2 is taken for units")
		}
	}
	for file, want := range map[string]string{
		"frame,x,y\nBild,ost,nord\n0,1,2\n":          `:2:1: frame is "Bild", not a number; if that is a second line of names, or of units that are not known, take it out`,
		"frame,x,y\n,lightyears,m\n0,1,2\n1,2,3\n":   `:2:2: x is "lightyears", not a number; if that is a second line of names, or of units that are not known, take it out`,
		"frame,x,y\n0,\"1,234.5\",2\n":               `:2:4: x is "1,234.5", not a number; write digits without separators of thousands, and a decimal point`,
		"frame;x;y\n0;1.5;2\n1;2.345,1;3\n":          `:3:3: x is "2.345,1", not a number; write digits without separators of thousands, and a decimal point`,
		"frame;x;y\n0;1'234.5;2\n":                   `:2:3: x is "1'234.5", not a number; write digits without separators of thousands, and a decimal point`,
		"frame;x;y\n0;1.5;2\n1;2,345;3\n":            `:3:3: x is "2,345", not a number; write decimal points, not decimal commas, and no separators of thousands`,
		"time;x;y\n0;1;2\n1;1 234;3\n":               `:3:3: x is "1 234", not a number; write digits without separators of thousands, and a decimal point`,
		"time;x;y\n0;1\u00a0234;2\n1;1\u00a0235;3\n": "not a number; write digits without separators of thousands, and a decimal point",
	} {
		_, err := Read([]string{write(t, "odd.csv", file)}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", file, err, want)
		}
	}
}

// TestUTF16: Excel's "Unicode text" is a table as any other.
func TestUTF16(t *testing.T) {
	data := []byte("\xff\xfe")
	for _, c := range "frame\tx\ty\r\n0\t1,5\t2\r\n1\t2,5\t3\r\n" {
		data = append(data, byte(c), 0)
	}
	d := read(t, "unicode.txt", string(data), nil)
	if len(d.Scans) != 2 || !cmp.Equal(d.Scans[1].Pos, []float64{2.5, 3}) {
		t.Errorf("%v", d.Scans)
	}
}

// TestNoIDs: a column of identities that is left out changes nothing but what a table without it has.
func TestNoIDs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	header := map[string]string{
		"ships":     "Time,MMSI,Latitude_degrees,Longitude_degrees,COG_degrees,SOG_knots\n",
		"own times": "time,id,x,y\n",
		"frames":    "frame,track,det,x,y\n",
		"on a line": "frame,id,x\n",
		"words":     "frame,id,x,y\n",
	}
	for name, title := range header {
		var with strings.Builder
		with.WriteString(title)
		for k := range 400 {
			id := 235000000 + k%6
			switch name {
			case "ships":
				at := 12.1*float64(k/6) + 2*float64(k%6) + rng.Float64() // each in turn
				fmt.Fprintf(&with, "2016-01-12 13:%02d:%06.3f,%d,%.6f,%.6f,0,10\n", int(at/60), math.Mod(at, 60), id, 50+at*5.144/111200, 0.01*float64(k%6))
			case "own times":
				fmt.Fprintf(&with, "%.3f,%d,%d,%.3f\n", 0.3*float64(k)+0.2*rng.Float64(), id, k%6, rng.Float64())
			case "frames":
				fmt.Fprintf(&with, "%d,%d,%d,%d,%.3f\n", k/6, id, k%6, k%6, rng.Float64())
			case "on a line":
				fmt.Fprintf(&with, "%d,%d,%.3f\n", k/6, id, rng.Float64())
			case "words":
				fmt.Fprintf(&with, "%d,s%d,%d,%.3f\n", k/6, id, k%6, rng.Float64())
			}
		}
		var without strings.Builder
		for _, line := range strings.SplitAfter(with.String(), "\n") {
			f := strings.Split(line, ",")
			if len(f) > 1 {
				without.WriteString(strings.Join(append(f[:1:1], f[2:]...), ","))
			}
		}
		got := read(t, "table.csv", with.String(), &Options{NoIDs: true})
		want := read(t, "table.csv", without.String(), nil)
		noted(t, got, "identities left out")
		got.Notes, want.Notes, got.File, want.File = nil, nil, "", ""
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestLatin: names in Latin-1 are shown, and found, in UTF-8.
func TestLatin(t *testing.T) {
	d := read(t, "latin.csv", "Zeit;x;y;Intensit\xe4t;H\xf6he;label\n0;1;2;5;7;K\xfche\n1;1;2;5;7;K\xfche\n", &Options{Columns: map[string]string{"z": "Höhe"}})
	noted(t, d, "names are not in UTF-8: they are taken for Latin-1", "columns ignored: Intensität", "from 1 = Kühe to 1 = Kühe")
	if d.Scans[0].Dim != 3 {
		t.Errorf("z is %v", d.Scans[0].Pos)
	}
}

// TestSpreadsheets: tables as spreadsheets and statistics programs write them are read as plain ones.
func TestSpreadsheets(t *testing.T) {
	const plain = "time,x,y\n0,10.5,1\n0.5,11.5,2\n1,12.5,3\n"
	want := read(t, "plain.csv", plain, nil)
	for name, text := range map[string]string{
		"returns":           strings.ReplaceAll(plain, "\n", "\r"),
		"returns at first":  strings.Replace(plain, "\n", "\r", 2),
		"a separator said":  "sep=;\n" + strings.ReplaceAll(plain, ",", ";"),
		"a separator, tab":  "SEP=|\r\n" + strings.ReplaceAll(plain, ",", "|"),
		"bars":              strings.ReplaceAll(plain, ",", " | "),
		"a heading":         "My data\n\n" + plain,
		"two":               "My data\nof today\n" + plain,
		"names of rows":     "\"time\" \"x\" \"y\"\n\"1\" 0 10.5 1\n\"2\" 0.5 11.5 2\n\"3\" 1 12.5 3\n",
		"numbers of rows":   "time,x,y\n1,0,10.5,1\n2,0.5,11.5,2\n3,1,12.5,3\n",
		"ends of rows":      "time,x,y\n0,10.5,1,\n0.5,11.5,2,\n1,12.5,3,\n",
		"dates of MATLAB":   "time,x,y\n01-Mar-2024 10:00:00.000,10.5,1\n01-Mar-2024 10:00:00.500,11.5,2\n01-Mar-2024 10:00:01.000,12.5,3\n",
		"a last line of it": plain + "\n\n",
	} {
		d := read(t, "table.csv", text, nil)
		if len(d.Scans) != len(want.Scans) || d.Interval != want.Interval {
			t.Errorf("%s: %+v", name, d.Scans)
			continue
		}
		for k, s := range d.Scans {
			if !cmp.Equal(s.Pos, want.Scans[k].Pos) || s.Frame != want.Scans[k].Frame {
				t.Errorf("%s: %+v, want %+v", name, s, want.Scans[k])
			}
		}
	}
	for text, want := range map[string]string{
		"time,x,y\n00:00.5,1,2\n":        "table.csv:2:1: time is \"00:00.5\", not a time; minutes and seconds alone",
		"time,x,y\n0,\u22121,2\n":        "table.csv:2:3: x is \"\u22121\", not a number; its minus sign",
		"time,x,y\n0,1,2\n1,2,3\n\x00":   "table.csv:4:2: 1 field, not 3",
		"time,x,y\n1,0,1,2\n3,0,1,2\n":   "table.csv:2:7: 4 fields, not 3", // those are no numbers of rows
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\n": "table.csv:1:1: the file is an Excel workbook",
		"\x80\x04\x95,\n":                "table.csv:1:1: the file is a Python pickle",
	} {
		_, err := Read([]string{write(t, "table.csv", text)}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
