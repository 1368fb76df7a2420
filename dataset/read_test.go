package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mtt"
)

// write puts text into a file of the given name in a new folder.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// read reads text as a file of the given name.
func read(t *testing.T, name, text string, o *Options) *Data {
	t.Helper()
	d, err := Read([]string{write(t, name, text)}, o)
	if err != nil {
		t.Fatal(err)
	}
	d.File = "" // in a folder that is new every time
	return d
}

// Small files of each format, written by hand.
const (
	motDet    = "1,-1,100,50,20,40,0.9,-1,-1,-1\n1,-1,10,50,20,40,0.8,-1,-1,-1\n3,-1,12,50,20,40,0.7,-1,-1,-1\n"
	motTruth  = "1,7,12,50,20,40,1,-1,-1,-1\n2,7,13,50,20,40,1,-1,-1,-1\n3,7,14,50,20,40,1,-1,-1,-1\n3,9,200,50,20,40,1,-1,-1,-1\n"
	mot16     = "1,1,10,50,20,40,1,1,0.5\n1,2,30,50,20,40,0,1,1\n1,3,60,50,20,40,1,8,1\n2,1,11,50,20,40,1,1,1\n"
	petsXML   = "<?xml version=\"1.0\"?>\n<dataset>\n<frame number=\"0\"><objectlist>\n<object id=\"4\"><box h=\"40\" w=\"20\" xc=\"22\" yc=\"70\"/></object>\n<object id=\"2\"><box h=\"40\" w=\"20\" xc=\"10\" yc=\"70\"/></object>\n</objectlist></frame>\n<frame number=\"1\"><objectlist/></frame>\n<frame number=\"2\"><objectlist><object id=\"4\"><box h=\"40\" w=\"20\" xc=\"24\" yc=\"70\"/></object></objectlist></frame>\n</dataset>\n"
	obsmat    = "   7.8000000e+02   1.0e+00   8.5   0.0   3.5   1.25   0.0   -0.5\r\n   7.8600000e+02   1.0e+00   9.0   0.0   3.25   1.25   0.0   -0.5\r\n   7.8600000e+02   2.0e+00   1.0   0.0   2.0   0.0   0.0   0.0  \r\n"
	hermes    = "1 102 150.5 683.25 170.5\r\n1 103 150.5 675.25 170.5\r\n2 103 50 100 180\r\n"
	aisReport = "Time,MMSI,Latitude_degrees,Longitude_degrees,COG_degrees,SOG_knots\n" +
		"2016-01-12 13:02:11.250,235070762,50.5,-1.0,90,10\n" +
		"2016-01-12 13:02:12.250,235013375,50.5,-1.01,360,0.1\n" +
		"2016-01-12 13:02:19.250,235070762,50.5,-0.99,90,10\n" +
		"2016-01-12 13:02:31.250,235070762,50.51,-0.99,0,10\n"
)

func TestReadFormats(t *testing.T) {
	tests := []struct {
		name, file, text string
		opts             *Options
		want             *Data
	}{
		{
			"MOT detections", "det.txt", motDet + "4,-1,0,0,20,40,1,-1,-1,-1\n", nil,
			&Data{
				Scans: []mtt.Scan{
					{Frame: 1, Dim: 2, Pos: []float64{20, 70, 110, 70}, Size: []float64{20, 40, 20, 40}, Conf: []float64{0.8, 0.9}},
					{Frame: 2, Time: 1, Dim: 2, Pos: []float64{}, Size: []float64{}, Conf: []float64{}},
					{Frame: 3, Time: 2, Dim: 2, Pos: []float64{22, 70}, Size: []float64{20, 40}, Conf: []float64{0.7}},
					{Frame: 4, Time: 3, Dim: 2, Pos: []float64{10, 20}, Size: []float64{20, 40}, Conf: []float64{1}},
				},
				Rows: [][]int32{{2, 1}, {}, {3}, {4}},
				Unit: "px", Interval: 1, Format: "mot",
				Notes: []string{
					"understood as MOTChallenge detections: comma separated, 10 columns, frames 1..4, 4 boxes, id -1 throughout",
					"positions are the centres of the boxes, in pixels",
					"the time between frames is not known: taken as 1 s",
				},
			},
		},
		{
			"MOT16 truth", "gt.txt", mot16, &Options{DT: 0.04},
			&Data{
				Scans: []mtt.Scan{
					{Frame: 1, Dim: 2, Pos: []float64{20, 70}, Size: []float64{20, 40}},
					{Frame: 2, Time: 0.04, Dim: 2, Pos: []float64{21, 70}, Size: []float64{20, 40}},
				},
				Truth: []mtt.Track{{ID: 1, Dim: 2, Hits: []mtt.Hit{{Frame: 1}, {Frame: 2}}, Pos: []float64{20, 70, 21, 70}, Size: []float64{20, 40, 20, 40}}},
				Rows:  [][]int32{{1}, {4}},
				Unit:  "px", Interval: 0.04, Format: "mot",
				Notes: []string{
					"understood as MOTChallenge ground truth: comma separated, 9 columns, frames 1..2, 4 boxes, 3 identities",
					"positions are the centres of the boxes, in pixels",
					"2 boxes of class 1 (pedestrian) and active kept, 2 left out",
				},
			},
		},
		{
			"PETS", "truth.xml", petsXML, &Options{DT: 0.5},
			&Data{
				Scans: []mtt.Scan{
					{Frame: 0, Dim: 2, Pos: []float64{10, 70, 22, 70}, Size: []float64{20, 40, 20, 40}},
					{Frame: 2, Time: 0.5, Dim: 2, Pos: []float64{24, 70}, Size: []float64{20, 40}},
				},
				Truth: []mtt.Track{
					{ID: 2, Dim: 2, Hits: []mtt.Hit{{Frame: 0}}, Pos: []float64{10, 70}, Size: []float64{20, 40}},
					{ID: 4, Dim: 2, Hits: []mtt.Hit{{Frame: 0, Det: 1}, {Frame: 2}}, Pos: []float64{22, 70, 24, 70}, Size: []float64{20, 40, 20, 40}},
				},
				Rows: [][]int32{{2, 1}, {3}},
				Unit: "px", Interval: 0.5, Format: "pets",
				Notes: []string{"understood as PETS ground truth: XML, frames 0..2, 3 boxes, 2 identities", "positions are the centres of the boxes, in pixels"},
			},
		},
		{
			"obsmat", "obsmat.txt", obsmat, nil,
			&Data{
				Scans: []mtt.Scan{
					{Frame: 780, Dim: 2, Pos: []float64{8.5, 3.5}, Vel: []float64{1.25, -0.5}},
					{Frame: 786, Time: 0.4, Dim: 2, Pos: []float64{1, 2, 9, 3.25}, Vel: []float64{0, 0, 1.25, -0.5}},
				},
				Truth: []mtt.Track{
					{ID: 1, Dim: 2, Hits: []mtt.Hit{{Frame: 780}, {Frame: 786, Det: 1}}, Pos: []float64{8.5, 3.5, 9, 3.25}, Vel: []float64{1.25, -0.5, 1.25, -0.5}},
					{ID: 2, Dim: 2, Hits: []mtt.Hit{{Frame: 786}}, Pos: []float64{1, 2}, Vel: []float64{0, 0}},
				},
				Rows: [][]int32{{1}, {3, 2}},
				Unit: "m", Interval: 0.4, Format: "obsmat",
				Notes: []string{
					"understood as obsmat trajectories: separated by blanks, 8 columns, frames 780..786, 3 rows, 2 identities",
					"positions in metres, velocities in m/s; z left out",
					"annotated frames are 6 apart, taken as 0.4 s: every 6th of 15 frames per second, as in the ETH sets",
				},
			},
		},
		{
			"HERMES", "corridor.txt", hermes, nil,
			&Data{
				Scans: []mtt.Scan{
					{Frame: 102, Dim: 2, Pos: []float64{1.505, 6.8325}},
					{Frame: 103, Time: 0.0625, Dim: 2, Pos: []float64{0.5, 1, 1.505, 6.7525}},
				},
				Truth: []mtt.Track{
					{ID: 1, Dim: 2, Hits: []mtt.Hit{{Frame: 102}, {Frame: 103, Det: 1}}, Pos: []float64{1.505, 6.8325, 1.505, 6.7525}},
					{ID: 2, Dim: 2, Hits: []mtt.Hit{{Frame: 103}}, Pos: []float64{0.5, 1}},
				},
				Rows: [][]int32{{1}, {3, 2}},
				Unit: "m", Interval: 0.0625, Format: "hermes",
				Notes: []string{
					"understood as HERMES trajectories: separated by blanks, 5 columns, frames 102..103, 3 rows, 2 identities",
					"positions converted from centimetres to metres; z, the height of the heads (1.71 to 1.80 m), left out",
					"16 frames per second",
				},
			},
		},
		{
			"points with words and units", "points.tsv", "Track ID\tPos X [cm]\tPos_Y_cm\tcolour\tFrame\nbob\t150\t250\tred\t4\namy\t50\t25\tblue\t2\nbob\t100\t200\tred\t2\n", &Options{DT: 2},
			&Data{
				Scans: []mtt.Scan{
					{Frame: 2, Dim: 2, Pos: []float64{0.5, 0.25, 1, 2}},
					{Frame: 4, Time: 2, Dim: 2, Pos: []float64{1.5, 2.5}},
				},
				Truth: []mtt.Track{
					{ID: 1, Dim: 2, Hits: []mtt.Hit{{Frame: 2, Det: 1}, {Frame: 4}}, Pos: []float64{1, 2, 1.5, 2.5}},
					{ID: 2, Dim: 2, Hits: []mtt.Hit{{Frame: 2}}, Pos: []float64{0.5, 0.25}},
				},
				Rows: [][]int32{{2, 3}, {1}},
				Unit: "m", Scale: 0.01, Interval: 2, Format: "points",
				Notes: []string{
					"understood as points with column names: tab separated, 5 columns, frames 2..4, 3 rows, 2 identities",
					"columns read: Track ID (as id), Pos X [cm] (as x), Pos_Y_cm (as y), Frame",
					"columns ignored: colour",
					"identities are words, numbered in order of appearance from 1 = bob to 2 = amy",
				},
			},
		},
		{
			"points with times", "points.txt", "# t x y z\n0.1 1 2 3\n0.3 1 3 4\n0.6 1 2 5\n0.1 0 2 3\n", nil,
			&Data{
				Scans: []mtt.Scan{
					{Frame: 0, Dim: 3, Pos: []float64{0, 2, 3, 1, 2, 3}},
					{Frame: 1, Time: 0.25, Dim: 3, Pos: []float64{1, 3, 4}},
					{Frame: 2, Time: 0.5, Dim: 3, Pos: []float64{1, 2, 5}},
				},
				Rows:  [][]int32{{4, 1}, {2}, {3}},
				Start: 0.1, Interval: 0.25, Format: "points",
				Notes: []string{
					"understood as points with column names: separated by blanks, 4 columns, 4 rows",
					"columns read: t (as time), x, y, z",
					"times are 0.25 s apart: frames 0..2",
				},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, read(t, tt.file, tt.text, tt.opts)); d != "" {
				t.Error(d)
			}
			var z bytes.Buffer
			zw := gzip.NewWriter(&z)
			zw.Write([]byte(tt.text))
			zw.Close()
			if d := cmp.Diff(tt.want, read(t, tt.file+".gz", z.String(), tt.opts)); d != "" {
				t.Error("compressed:", d)
			}
		})
	}
}

func TestReadAIS(t *testing.T) {
	d := read(t, "ships.csv", aisReport, nil)
	if len(d.Scans) != 3 || d.Scans[0].Len() != 2 || d.Scans[1].Len() != 0 || d.Scans[2].Len() != 1 || d.Interval != 10 || d.Unit != "m" {
		t.Fatalf("scans %v, interval %v, unit %q", d.Scans, d.Interval, d.Unit)
	}
	// The median position is that of the report at -0.99. On the ellipsoid of WGS-84 a degree is there
	// 111,238.8 m to the north and, by the radius in the prime vertical, 70,949.4 m to the east.
	// The second report comes 3 s after the middle of its frame, and goes east at 10 knots.
	want := []float64{-0.02 * 70949.44, 0.19, -3 * 5.144444, 0} // and a little north: the parallel bends
	if diff := cmp.Diff(want, d.Scans[0].Pos, approx(0.01)); diff != "" {
		t.Error("positions:", diff)
	}
	if diff := cmp.Diff([]float64{0, 0, 5.144444, 0}, d.Scans[0].Vel, approx(1e-6)); diff != "" {
		t.Error("velocities:", diff)
	}
	if diff := cmp.Diff([]float64{0, 1112.388 + 5*5.144444}, d.Scans[2].Pos, approx(1e-2)); diff != "" {
		t.Error("positions:", diff)
	}
	if len(d.Truth) != 2 || d.Truth[0].ID != 235013375 || d.Truth[1].ID != 235070762 {
		t.Errorf("truth %v", d.Truth)
	}
	notes := []string{
		"understood as ship reports: comma separated, 6 columns, 4 reports of 2 targets",
		"positions in metres east and north of the median position, longitude -0.990000, latitude 50.500000 (transverse Mercator)",
		"columns read: Time, MMSI (as id), Latitude_degrees (as y), Longitude_degrees (as x), COG_degrees (as course), SOG_knots (as speed)",
		"velocities in m/s from course and speed over ground; without a course below 2 knots taken as still: 1 report; left out without course or speed: 0 reports",
		"reports over 20.0 s put into frames of 10 s; of several of one target in a frame the last stays: 1 of 4 left out",
		"positions are moved along course and speed to the middle of their frame, by up to 25.7 m; --no-velocity leaves them where they are",
	}
	if d := read(t, "ships.csv", aisReport, &Options{NoVelocity: true}); d.Scans[0].Pos[2] != 0 || !strings.Contains(d.Notes[len(d.Notes)-1], "its position stays where it was") {
		t.Errorf("without velocities: %v, %v", d.Scans[0].Pos, d.Notes)
	}
	if diff := cmp.Diff(notes, d.Notes); diff != "" {
		t.Error("notes:", diff)
	}
	if d := read(t, "ships.csv", aisReport, &Options{Every: 5}); len(d.Scans) != 5 || d.Interval != 5 {
		t.Errorf("every 5 s: %d scans, %v s apart", len(d.Scans), d.Interval)
	}
}

func approx(tol float64) cmp.Option {
	return cmp.Comparer(func(a, b float64) bool { return a-b <= tol && b-a <= tol })
}

func TestReadPair(t *testing.T) {
	det, truth := write(t, "det.txt", motDet), write(t, "gt.txt", motTruth)
	for _, files := range [][]string{{det, truth}, {truth, det}} {
		d, err := Read(files, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := []mtt.Track{
			{ID: 7, Dim: 2, Hits: []mtt.Hit{{Frame: 1, Det: 0}, {Frame: 2, Det: -1}, {Frame: 3, Det: 0}}, Pos: []float64{22, 70, 23, 70, 24, 70}, Size: []float64{20, 40, 20, 40, 20, 40}},
			{ID: 9, Dim: 2, Hits: []mtt.Hit{{Frame: 3, Det: -1}}, Pos: []float64{210, 70}, Size: []float64{20, 40}},
		}
		if diff := cmp.Diff(want, d.Truth); diff != "" {
			t.Error(diff)
		}
		last := d.Notes[len(d.Notes)-1]
		if want := "detections matched to the truth at an overlap of 0.5 or more: 2 of 4 true boxes detected, 2 of 3 detections true"; last != want {
			t.Errorf("note %q, want %q", last, want)
		}
	}
	// The XML counts frames from 0.
	d, err := Read([]string{det, write(t, "truth.xml", petsXML)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]mtt.Hit{{Frame: 1, Det: 0}, {Frame: 3, Det: 0}}, d.Truth[1].Hits); diff != "" {
		t.Error("XML:", diff)
	}
	// Noise and the order that it brings do not change who caused what.
	d, err = Read([]string{det, truth}, &Options{Noise: 1000, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range d.Truth[0].Hits {
		if h.Det >= 0 && d.Scans[h.Frame-1].Conf[h.Det] != map[int]float64{1: 0.8, 3: 0.7}[h.Frame] {
			t.Errorf("frame %d: detection %d", h.Frame, h.Det)
		}
	}
}

func TestReadPairOfRun(t *testing.T) {
	det := write(t, "detections.csv", "frame,det,x,y\n0,1,1,1\n0,0,5,5\n2,0,6,6\n")
	truth := write(t, "truth.csv", "frame,id,x,y,det\n0,3,5.1,5,0\n1,3,5.6,5.5,-1\n2,3,6,6.1,0\n")
	d, err := Read([]string{det, truth}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]mtt.Hit{{Frame: 0, Det: 0}, {Frame: 1, Det: -1}, {Frame: 2, Det: 0}}, d.Truth[0].Hits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{5, 5, 1, 1}, d.Scans[0].Pos); diff != "" {
		t.Error("the order of the file is lost:", diff)
	}
	got, err := ReadTargets(truth, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d.Truth, got.Tracks); diff != "" {
		t.Error("ReadTargets:", diff)
	}
}

// TestSynchronize: frames of two files that say times are one where the times are, whichever begins
// first and however often each looks; where they never meet, or one says frames, they stay.
func TestSynchronize(t *testing.T) {
	const truth = "time,id,x,y\n100,1,1,1\n100.5,1,2,2\n101,1,3,3\n101.5,1,4,4\n102,1,5,5\n"
	for _, tt := range []struct {
		name, truth, tracks string
		want                int // hits where the truth is
	}{
		{"late", truth, "time,track,x,y\n100.5,1,2,2\n101,1,3,3\n101.5,1,4,4\n", 3},
		{"early", strings.Replace(truth, "100,1,1,1\n100.5,1,2,2\n", "", 1), "time,track,x,y\n100.5,1,2,2\n101,1,3,3\n101.5,1,4,4\n", 2},
		{"every other", truth, "time,track,x,y\n100,1,1,1\n101,1,3,3\n102,1,5,5\n", 3},
		{"stamped later", truth, "time,track,x,y\n100.513,1,2,2\n101.013,1,3,3\n101.513,1,4,4\n", 3},
		{"odd times", "time,id,x,y\n0,1,1,1\n0.13,1,2,2\n0.2,1,3,3\n0.41,1,4,4\n0.47,1,5,5\n", "time,id,x,y\n0.13,1,2,2\n0.41,1,4,4\n0.47,1,5,5\n", 3},
		{"another clock", truth, "time,track,x,y\n0,1,1,1\n0.5,1,2,2\n1,1,3,3\n", 3},
		{"hardly", truth, "time,track,x,y\n102,1,5,5\n102.5,1,6,6\n103,1,7,7\n103.5,1,8,8\n", 1},
		{"by chance", "time,id,x,y\n0,1,1,1\n0.001,1,2,2\n1,1,3,3\n2,1,4,4\n3,1,5,5\n", "time,id,x,y\n0,1,1,1\n0.003,1,2,2\n1.1,1,3,3\n2.1,1,4,4\n2.9,1,5,5\n", 5},
		{"frames beside", truth, "frame,time,track,x,y\n0,100.5,1,2,2\n1,101,1,3,3\n2,101.5,1,4,4\n", 3},
		{"frames in both", "frame,time,id,x,y\n0,100,1,1,1\n1,100.5,1,2,2\n2,101,1,3,3\n", "frame,time,track,x,y\n0,100.5,1,1,1\n1,101,1,2,2\n2,101.5,1,3,3\n", 3},
		{"frames", truth, "frame,track,x,y\n0,1,1,1\n1,1,2,2\n2,1,3,3\n", 3},
	} {
		var files [2]*Tracks
		for k, text := range []string{tt.truth, tt.tracks} {
			var err error
			if files[k], err = ReadTargets(write(t, "file.csv", text), nil); err != nil {
				t.Fatal(err)
			}
		}
		files[1].Align(files[0])
		at := make(map[int]float64)
		for h, hit := range files[0].Tracks[0].Hits {
			at[hit.Frame] = files[0].Tracks[0].At(h)[0]
		}
		same := 0
		for h, hit := range files[1].Tracks[0].Hits {
			if at[hit.Frame] == files[1].Tracks[0].At(h)[0] {
				same++
			}
		}
		if same != tt.want {
			t.Errorf("%s: %d hits where the truth is, want %d", tt.name, same, tt.want)
		}
	}
}

func TestReadTargets(t *testing.T) {
	got, err := ReadTargets(write(t, "gt.txt", motTruth), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]mtt.Hit{{Frame: 1, Det: -1}, {Frame: 2, Det: -1}, {Frame: 3, Det: -1}}, got.Tracks[0].Hits); diff != "" {
		t.Error(diff)
	}
	if _, err := ReadTargets(write(t, "det.txt", motDet), nil); err == nil {
		t.Error("detections read as targets")
	}
}

// TestReadClasses sorts MOT16 ground truth by what is to be found.
func TestReadClasses(t *testing.T) {
	text := "1,1,10,10,20,40,1,1,1\n" + // to be found
		"1,2,50,10,20,40,0,1,1\n" + // not active
		"1,3,90,10,20,40,1,3,1\n" + // a car
		"1,4,130,10,20,40,1,6,1\n" + // a vehicle without a motor
		"1,7,170,10,20,40,0,7,1\n" + "1,8,210,10,20,40,0,8,1\n" + "1,12,250,10,20,40,0,12,1\n"
	ids := func(tracks []mtt.Track) (list []int) {
		for i := range tracks {
			list = append(list, tracks[i].ID)
		}
		return list
	}
	for name, want := range map[string][3][]int{
		"gt.txt":       {{1}, {7, 8, 12}, {2, 3, 4}},
		"MOT20-gt.txt": {{1}, {4, 7, 8, 12}, {2, 3}},
	} {
		got, err := ReadTargets(write(t, name, text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, [3][]int{ids(got.Tracks), ids(got.Ignored), ids(got.Others)}); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestReadOptions(t *testing.T) {
	var b strings.Builder
	b.WriteString("frame,id,x,y,vx,vy\n")
	for f := 3; f < 23; f += 2 {
		for id := range 5 {
			fmt.Fprintf(&b, "%d,%d,%d,%d,1,1\n", f, id, 100*id+f, f)
		}
	}
	text := b.String()
	all := read(t, "p.csv", text, nil)
	third := read(t, "p.csv", text, &Options{Every: 3, NoVelocity: true})
	if len(third.Scans) != 4 || third.Scans[1].Frame != 9 || third.Interval != 3 || third.Scans[1].Time != 3 || third.Scans[0].Vel != nil {
		t.Errorf("every third frame: %d scans, %+v", len(third.Scans), third.Scans[1])
	}
	if diff := cmp.Diff(all.Scans[3].Pos, third.Scans[1].Pos); diff != "" {
		t.Error(diff)
	}
	if len(third.Truth) != 5 || len(third.Truth[0].Hits) != 4 {
		t.Errorf("truth %+v", third.Truth)
	}
	noisy := read(t, "p.csv", text, &Options{Noise: 2, Seed: 3})
	again := read(t, "p.csv", text, &Options{Noise: 2, Seed: 3})
	other := read(t, "p.csv", text, &Options{Noise: 2, Seed: 4})
	if diff := cmp.Diff(noisy, again); diff != "" {
		t.Error("equal seeds differ:", diff)
	}
	if cmp.Equal(noisy.Scans, other.Scans) {
		t.Error("the seed makes no difference")
	}
	sum, n := 0.0, 0.0
	for i, tr := range noisy.Truth {
		if diff := cmp.Diff(all.Truth[i].Pos, tr.Pos); diff != "" {
			t.Error("noise in the truth:", diff)
		}
		for k, h := range tr.Hits {
			z := noisy.Scans[(h.Frame-3)/2].At(h.Det)
			for c := range z {
				sum += (z[c] - tr.At(k)[c]) * (z[c] - tr.At(k)[c])
				n++
			}
		}
	}
	if v := sum / n; v < 2 || v > 7 { // 100 draws of variance 4: 4 ± 3.5 standard deviations of 0.57
		t.Errorf("variance of the noise %v, want about 4", v)
	}
	if _, err := Read([]string{"x"}, &Options{Format: "hermess"}); err == nil || !strings.Contains(err.Error(), `no format "hermess"`) {
		t.Errorf("format: %v", err)
	}
}

// TestReadOrderHidesIdentity: the rows of the file come in order of identities,
// those of the scans do not.
func TestReadOrderHidesIdentity(t *testing.T) {
	d := read(t, "p.csv", "frame,id,x,y\n0,1,9,0\n0,2,3,0\n0,3,3,-1\n", nil)
	if diff := cmp.Diff([]float64{3, -1, 3, 0, 9, 0}, d.Scans[0].Pos); diff != "" {
		t.Error(diff)
	}
}

func TestReadPauses(t *testing.T) {
	var b strings.Builder
	f := 780
	for k := range 40 {
		if k == 20 {
			f += 106
		}
		fmt.Fprintf(&b, "%d 1 %d 0 0 0 0 0\n", f, k)
		f += 6
	}
	d := read(t, "obsmat.txt", b.String(), nil)
	// 780 + 6·19 = 894, then 112 later, which is 19 steps.
	if n := len(d.Scans); n != 39+19 || d.Scans[20].Frame != 900 || d.Scans[20].Len() != 0 || d.Scans[38].Frame != 894+19*6 || d.Scans[38].Len() != 1 {
		t.Errorf("%d scans", n)
	}
}

func TestReadErrors(t *testing.T) {
	tests := []struct {
		name, text string
		opts       *Options
		want       string // after the name of the file
	}{
		{"empty", "", nil, ": the file is empty; it should hold a table"},
		{"blank", "\n \r\n", nil, ": the file is empty; it should hold a table"},
		{"header only", "frame,id,x,y\n", nil, ": there are no rows; the file ends after its header"},
		{"UTF-16", "f\x00r\x00", nil, `:1:2: the file is not plain text; if it is text in UTF-16 (Excel's "Unicode text"), save it as UTF-8`},
		{"not a number", "frame,x,y\n1,2,3\n1,two,3\n", nil, `:3:3: x is "two", not a number`},
		{"NaN", "frame,x,y\n1,2,NaN\n", nil, ": no row has a position"},
		{"infinite", "frame,x,y\n1,2,-Inf\n", nil, `:2:5: y is "-Inf", not a finite number; leave out rows without a detection`},
		{"too large", "frame,x,y\n1,2,1e999\n", nil, `:2:5: y is "1e999", too large for a floating-point number`},
		{"hexadecimal", "frame,x,y\n1,2,0x1p4\n", nil, `:2:5: y is "0x1p4", not a number; write numbers in decimal`},
		{"fraction of a frame", "frame,x,y\n1.5,2,1\n", nil, `:2:1: frame is "1.5", not a whole number; the columns may be in another order`},
		{"empty field", "frame,x,y\n1,,1\n", nil, ": no row has a position"},
		{"too few fields", "frame,x,y\n1,2,1\n2,2\n", nil, ":3:4: 2 fields, not 3; was the file cut short?"},
		{"too many fields", "frame,x,y\n1,2,1\n2,2,3,4\n", nil, ":3:7: 4 fields, not 3; a separator too many, or two lines run together"},
		{"a torn field", "frame,x,y,note\n1,2,1,\"one\ntwo\"\n2,2,3,\n", nil, ":3:1: frame is \"two\\\"\", not a number; quotes do not match; a field in quotes ends in its line"},
		{"a torn line", "note,frame,x,y\n\"one\ntwo\",1,2,1\nb,2,2,3\n", nil, ":2:5: 1 field, not 4; quotes do not match; a field in quotes ends in its line"},
		{"decimal commas", "frame,x,y\n1,2,5,1,25\n", nil, ":2:7: 5 fields, not 3; write decimal points, not decimal commas"},
		{"points and decimal commas", "frame;x;y\n1;2.5;1\n1;2,5;1\n", nil, `:3:3: x is "2,5", not a number; write decimal points, not decimal commas`},
		{"two headers", "frame,x,y\n1,2,3\nframe,x,y\n", nil, `:3:1: frame is "frame", not a number; a second header line; were two files joined?`},
		{"times in frames", "frame,x,y\n1,2,3\n2,2,3\n1452603731,2,3\n", nil, ":4:1: frame 1452603731 follows frame 2, with 1452603728 frames between them; does the frame column hold times?"},
		{"times fall", "frame,t,x,y\n1,0.5,3,4\n2,0.4,3,4\n", nil, ":3:1: frame 1 is at 0.5 s, frame 2 at 0.4 s; time grows with the frame"},
		{"not a time", "t,x,y\nnoon,3,4\n", nil, `:2:1: t is "noon", not a time; write seconds, or 2006-01-02 15:04:05.000`},
		{"units", "frame,x_cm,y_m\n1,2,3\n", nil, ":1:1: x_cm and y_m are in different units; give all coordinates in one unit"},
		{"corners", "1,-1,300,200,350,290,0.9\n1,-1,500,210,560,300,0.9\n2,-1,310,205,360,299,0.9\n", nil,
			":1:14: width and height exceed left and top in every row; they look like right and bottom: write width = right-left and height = bottom-top, or insist with the format mot"},
		{"late bad box", motDet + "4,-1,1,1,-5,40,0.5,-1,-1,-1\n", &Options{Format: "mot"}, ":4:10: width is -5; the columns are frame,id,left,top,width,height,conf and perhaps more"},
		{"XML cut short", petsXML[:200], nil, ":6:16: unexpected EOF; was the file cut short?"},
		{"XML without number", strings.Replace(petsXML, `number="1"`, "", 1), nil, `:7:1: frame number is "", not a whole number`},
		{"latitude", "time,mmsi,lon,lat\n1,2,50.5,-91.5\n", nil, ":2:1: longitude 50.5, latitude -91.5: no such place; are the two columns exchanged, or not in degrees?"},
		{"stated format", "frame,x,y\n1,2,3\n", &Options{Format: "obsmat"}, ":1:1: a line of column names; the format has none"},
		{"stride", "1 2 3 4 5\n1 3 300 4 5\n", &Options{Format: "hermes"}, ":2:5: id 1 moves 297 cm from frame 2 to frame 3; the columns are id frame x y z, in centimetres; other orders need a line of column names"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name := write(t, "data.txt", tt.text)
			_, err := Read([]string{name}, tt.opts)
			if _, ok := errors.AsType[*SyntaxError](err); !ok {
				t.Fatalf("error %v (%T), want a *SyntaxError", err, err)
			}
			if got := strings.TrimPrefix(err.Error(), name); !strings.HasPrefix(got, tt.want) {
				t.Errorf("error\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestOnLine: x alone is a position where no other column can be y.
func TestOnLine(t *testing.T) {
	d := read(t, "line.csv", "frame,id,x\n0,1,5\n0,2,4\n1,1,6\n", nil)
	if len(d.Scans) != 2 || !slices.Equal(d.Scans[0].Pos, []float64{4, 0, 5, 0}) || len(d.Truth) != 2 {
		t.Errorf("%+v", d)
	}
	noted(t, d, "positions are on a line, where y is 0")
}

// TestOtherLanguages: columns of frames and times in other languages.
func TestOtherLanguages(t *testing.T) {
	for _, title := range []string{"Bild", "Bildnummer", "Bild-Nr.", "image", "fotograma", "quadro", "fotogramma", "Zeit", "Zeitpunkt", "temps", "tiempo", "tempo"} {
		d := read(t, "points.csv", title+";X;Y\n0;1,5;2\n1;1,6;2,5\n", nil)
		if len(d.Scans) != 2 || !slices.Equal(d.Scans[1].Pos, []float64{1.6, 2.5}) {
			t.Errorf("%s: %+v", title, d.Scans)
		}
	}
}

func TestFormatError(t *testing.T) {
	const named = "there are no column names; begin with a line of column names, such as frame,id,x,y or time,x,y, or say which they are (--columns x=NAME,y=NAME,frame=NAME)"
	tests := []struct{ name, text, nearest, want string }{
		{"three bare columns", "1 2.5 3\n2 2.5 3\n", "points", "1:1: " + named},
		{"score missing", "1,-1,10,20,30,40\n", "mot", "1:17: 6 columns, at least 7 wanted; the score may be missing: the columns are frame,id,left,top,width,height,conf and perhaps more"},
		{"bad token", "1,-1,10,20,30,40,1\n1,-1,10,x,30,40,1\n", "mot", `2:9: "x" is not a finite number; the columns are frame,id,left,top,width,height,conf and perhaps more`},
		{"no position", "frame,id,a,b\n1,2,3,4\n", "points", "1:13: no column is named x; begin with"},
		{"another name", "frame,x,height\n1,2,3\n", "points", "1:15: no column is named y; begin with"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name := write(t, "data.txt", tt.text)
			_, err := Read([]string{name}, nil)
			if _, ok := errors.AsType[*FormatError](err); !ok {
				t.Fatalf("error %v (%T), want a *FormatError", err, err)
			}
			lines := strings.Split(err.Error(), "\n")
			could := []string{"points", "obsmat", "hermes", "kitti", "mot"}
			if strings.HasPrefix(tt.text, "frame,") {
				could = []string{"points", "trackmate", "regionprops", "btrack", "ais"}
			}
			if want := "nearest is " + tt.nearest + ";"; !strings.Contains(lines[0], want) || len(lines) != 1+len(could) {
				t.Errorf("error\n%v\nwant %s and a line for each of %v", err, want, could)
			}
			for _, format := range could {
				if !strings.Contains(err.Error(), "\n  "+format+" ") {
					t.Errorf("error\n%v\nsays nothing of %s", err, format)
				}
			}
			if got := strings.Join(strings.Fields(lines[1]), " "); !strings.HasPrefix(got, tt.nearest+" "+tt.want) {
				t.Errorf("first\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestReadProperties writes random targets in each format and checks that all of
// them come back: each true position is the position of its detection, and the
// order of the lines makes no difference.
func TestReadProperties(t *testing.T) {
	forms := []struct {
		name, head, line string // line: frame, id, x, y
		scale            float64
	}{
		{"points", "y,x,id,frame\n", "%[4]d,%[3]d,%[2]d,%[1]d\n", 1},
		{"mot", "", "%d,%d,%d,%d,0,0,1,-1,-1,-1\n", 1},
		{"obsmat", "", "%d %d %d 0 %d 0 0 0\n", 1},
		{"hermes", "", "%[2]d %[1]d %[3]d %[4]d 170\n", 100},
	}
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom(forms).Draw(t, "format")
		step := rapid.IntRange(1, 10).Draw(t, "step")
		var lines []string
		for f := range rapid.IntRange(2, 6).Draw(t, "frames") {
			ids := rapid.SliceOfNDistinct(rapid.IntRange(1, 9), 1, 5, rapid.ID).Draw(t, "ids")
			for _, id := range ids {
				lines = append(lines, fmt.Sprintf(form.line, 7+f*step, id, rapid.IntRange(0, 20).Draw(t, "x"), id))
			}
		}
		want, err := build(form.head, lines)
		if err != nil {
			t.Fatal(err)
		}
		want.Rows = nil
		if want.Format != form.name {
			t.Fatalf("format %s, want %s", want.Format, form.name)
		}
		rows, hits := 0, 0
		for i := range want.Scans {
			rows += want.Scans[i].Len()
		}
		for _, tr := range want.Truth {
			hits += len(tr.Hits)
			for k, h := range tr.Hits {
				z := want.Scans[(h.Frame-7)/step].At(h.Det)
				if z[0] != tr.At(k)[0] || z[1] != tr.At(k)[1] || z[1] != float64(tr.ID)/form.scale {
					t.Fatalf("target %d, frame %d: detection at %v", tr.ID, h.Frame, z)
				}
			}
		}
		if rows != len(lines) || hits != len(lines) {
			t.Fatalf("%d detections and %d hits of %d lines", rows, hits, len(lines))
		}
		got, err := build(form.head, rapid.Permutation(lines).Draw(t, "order"))
		if err != nil {
			t.Fatal(err)
		}
		got.Rows = nil
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

// build reads lines.
func build(head string, lines []string) (*Data, error) {
	s, err := parse("f", strings.NewReader(head+strings.Join(lines, "")), 0, &Options{})
	if err != nil {
		return nil, err
	}
	return s.alone(&Options{})
}

func TestReadPairOfPoints(t *testing.T) {
	det := write(t, "det.csv", "frame,x,y\n0,0,0\n0,10,0\n1,1,0\n")
	truth := write(t, "truth.csv", "frame,id,x,y\n0,1,0.5,0\n0,2,0.75,0\n1,2,5,0\n")
	d, err := Read([]string{det, truth}, &Options{Reach: 2, DT: 1})
	if err != nil {
		t.Fatal(err)
	}
	// Target 1 is nearest to the detection that both could have caused.
	if diff := cmp.Diff([]mtt.Hit{{Frame: 0, Det: 0}}, d.Truth[0].Hits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]mtt.Hit{{Frame: 0, Det: -1}, {Frame: 1, Det: -1}}, d.Truth[1].Hits); diff != "" {
		t.Error(diff)
	}
	if got, want := d.Notes[len(d.Notes)-1], "detections matched to the truth within 2: 1 of 3 true positions detected, 1 of 3 detections true"; got != want {
		t.Errorf("note %q, want %q", got, want)
	}
	d, err = Read([]string{det, truth}, &Options{DT: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.Notes[len(d.Notes)-1], "detections not matched to the truth: without boxes, a reach is needed"; got != want || d.Truth[0].Hits[0].Det != -1 {
		t.Errorf("note %q, want %q", got, want)
	}
}

func TestReadRefuses(t *testing.T) {
	det, gt := write(t, "det.txt", motDet), write(t, "gt.txt", motTruth)
	flat, deep := write(t, "flat.csv", "frame,x,y\n0,1,2\n"), write(t, "deep.csv", "frame,id,x,y,z\n0,1,1,2,3\n")
	metres := write(t, "metres.csv", "frame,x_m,y_m\n1,1,2\n")
	run := write(t, "detections.csv", "frame,det,x,y\n0,0,1,1\n")
	other := write(t, "truth.csv", "frame,id,x,y,det\n0,3,5.1,5,1\n")
	cut := write(t, "cut.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b")
	tests := []struct {
		name  string
		files []string
		opts  Options
		want  string // part of the message
	}{
		{"no file", nil, Options{}, "0 files given"},
		{"three files", []string{det, gt, gt}, Options{}, "3 files given"},
		{"no such file", []string{det + "x"}, Options{}, "no such file"},
		{"two of detections", []string{det, det}, Options{}, "neither says identities"},
		{"two of truth", []string{gt, gt}, Options{}, "both say identities"},
		{"dimensions", []string{flat, deep}, Options{}, "flat.csv has 2 coordinates"},
		{"units", []string{metres, gt}, Options{}, "gt.txt in px"},
		{"another run", []string{run, other}, Options{}, "target 3 names detection 1 of frame 0, which has 1 detection; the two files are not of one run"},
		{"cut short", []string{cut}, Options{}, "the compressed file is damaged (unexpected EOF); it may have been cut short"},
		{"every", []string{det}, Options{Every: -1}, "Every is -1"},
		{"interval", []string{det}, Options{DT: -1}, "DT is -1 s"},
		{"noise", []string{det}, Options{Noise: math.NaN()}, "Noise is NaN"},
		{"overlap", []string{det}, Options{Overlap: 1.5}, "Overlap is 1.5"},
		{"reach", []string{det}, Options{Reach: math.Inf(1)}, "Reach is +Inf"},
		{"format", []string{det}, Options{Format: "hermess"}, `no format "hermess": auto, trackmate, `},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Read(tt.files, &tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

// TestFormatsNamed: each listed name can be asked for.
func TestFormatsNamed(t *testing.T) {
	for _, f := range Formats() {
		if err := (&Options{Format: f.Name}).check(); err != nil || f.About == "" {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

func TestReadTimes(t *testing.T) {
	tests := []struct {
		name, text string
		opts       Options
		frames     []int
		detections []int
		interval   float64
	}{
		{"whole seconds", "t,x,y\n10,1,1\n12,1,1\n14,1,1\n", Options{}, []int{10, 12, 14}, []int{1, 1, 1}, 2},
		{"clock with a hole", "time,x,y\n2016-01-12T13:02:11,1,1\n2016-01-12T13:02:12.5,1,1\n2016-01-12T13:02:15.5,1,1\n2016-01-12T13:02:17,1,1\n", Options{}, []int{0, 1, 2, 3, 4}, []int{1, 1, 0, 1, 1}, 1.5},
		{"milliseconds", "t [ms],x,y\n0,1,1\n40,1,1\n80,1,1\n", Options{}, []int{0, 1, 2}, []int{1, 1, 1}, 0.04},
		{"rounded", "t,x,y\n0,1,1\n0.03,1,1\n0.07,1,1\n0.10,1,1\n0.13,1,1\n0.17,1,1\n", Options{}, []int{0, 1, 2, 3, 4, 5}, []int{1, 1, 1, 1, 1, 1}, 0.17 / 5},
		{"reports", "t,id,x,y\n0.1,1,1,1\n0.9,1,2,1\n0.95,2,3,1\n7.3,1,1,1\n", Options{Every: 2}, []int{0, 1, 2, 3}, []int{2, 0, 0, 1}, 2},
		{"interval given", "frame,t,x,y\n1,17,1,1\n2,5,1,1\n", Options{DT: 3}, []int{1, 2}, []int{1, 1}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := read(t, "p.csv", tt.text, &tt.opts)
			var frames, detections []int
			for i := range d.Scans {
				frames = append(frames, d.Scans[i].Frame)
				detections = append(detections, d.Scans[i].Len())
			}
			if !cmp.Equal(frames, tt.frames) || !cmp.Equal(detections, tt.detections) || math.Abs(d.Interval-tt.interval) > 1e-12 {
				t.Errorf("frames %v with %v detections every %v s; want %v, %v, %v", frames, detections, d.Interval, tt.frames, tt.detections, tt.interval)
			}
		})
	}
}

// TestReadMoreAIS: other column names, quoted words with commas, unknown
// positions, courses and speeds, and the date line.
func TestReadMoreAIS(t *testing.T) {
	var b strings.Builder
	b.WriteString("MMSI,BaseDateTime,LAT,LON,SOG,COG,VesselName\n")
	for k := range 40 {
		fmt.Fprintf(&b, "7,2020-01-01T00:%02d:00,0,%v,6,90,\"Smith, Jones\"\n", k, []float64{179.999, -179.999}[k%2])
	}
	b.WriteString("8,2020-01-01T00:00:30,91,181,6,90,\n9,2020-01-01T00:00:30,0,180,,90,\n")
	d := read(t, "more.csv", b.String(), &Options{Every: 60})
	if len(d.Scans) != 40 || len(d.Truth) != 1 {
		t.Fatalf("%d scans, %d ships: %q", len(d.Scans), len(d.Truth), d.Notes)
	}
	if step := math.Abs(d.Scans[1].Pos[0] - d.Scans[0].Pos[0]); math.Abs(step-222.639) > 0.01 {
		t.Errorf("step across the date line %v m, want 222.639", step)
	}
	for _, want := range []string{"1 report without a position: left out", "left out without course or speed: 1 report"} {
		if !strings.Contains(strings.Join(d.Notes, "\n"), want) {
			t.Errorf("notes %q lack %q", d.Notes, want)
		}
	}
	d = read(t, "none.csv", "time,mmsi,lat,lon,cog,sog\n0,1,50,0,,\n10,1,50,0.001,90,5\n", nil)
	if d.Scans[0].Vel != nil || !strings.Contains(strings.Join(d.Notes, "\n"), "no velocities: 1 report without course or speed") {
		t.Errorf("velocities %v: %q", d.Scans[0].Vel, d.Notes)
	}
	d = read(t, "none.csv", "time,mmsi,lat,lon,cog,sog\n0,1,50,0,,\n10,1,50,0.001,90,5\n", &Options{NoVelocity: true})
	if len(d.Scans) != 2 || d.Scans[0].Vel != nil {
		t.Errorf("without velocities: %+v", d.Scans)
	}
}

func TestReadBoxesByCorners(t *testing.T) {
	d := read(t, "boxes.csv", "image_id;xmin;ymin;xmax;ymax;score\n1;10;20;30;80;0.5\n", nil)
	if s := d.Scans[0]; !cmp.Equal(s.Pos, []float64{20, 50}) || !cmp.Equal(s.Size, []float64{20, 60}) || !cmp.Equal(s.Conf, []float64{0.5}) {
		t.Errorf("%+v", s)
	}
}
