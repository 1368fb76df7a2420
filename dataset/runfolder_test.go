package dataset

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mtt"
)

func drawScans(t *rapid.T) []mtt.Scan {
	dim := rapid.IntRange(2, 3).Draw(t, "dim")
	first := rapid.IntRange(-5, 1000).Draw(t, "first")
	step := rapid.IntRange(1, 12).Draw(t, "step")
	vel, size, conf := rapid.Bool().Draw(t, "vel"), rapid.Bool().Draw(t, "size"), rapid.Bool().Draw(t, "conf")
	num := rapid.Float64().Filter(func(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) })
	scans := make([]mtt.Scan, rapid.IntRange(0, 8).Draw(t, "frames"))
	for k := range scans {
		n := rapid.IntRange(0, 4).Draw(t, "detections")
		s := &scans[k]
		*s = mtt.Scan{Frame: first + k*step, Time: 0.25 * float64(k), Dim: dim}
		s.Pos = rapid.SliceOfN(num, n*dim, n*dim).Draw(t, "pos")
		if vel {
			s.Vel = rapid.SliceOfN(num, n*dim, n*dim).Draw(t, "vel")
		}
		if size {
			s.Size = rapid.SliceOfN(rapid.Float64Range(0, 1e300), 2*n, 2*n).Draw(t, "size")
		}
		if conf {
			s.Conf = rapid.SliceOfN(num, n, n).Draw(t, "conf")
		}
	}
	return scans
}

func TestScansRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scans := drawScans(t)
		var b bytes.Buffer
		if err := WriteScans(&b, scans); err != nil {
			t.Fatal(err)
		}
		g := &Grid{Interval: 0.25}
		detections := 0
		if len(scans) > 0 {
			g.First, g.Count, g.Step = scans[0].Frame, len(scans), 1
			if len(scans) > 1 {
				g.Step = scans[1].Frame - scans[0].Frame
			}
		}
		for k := range scans {
			detections += scans[k].Len()
		}
		got, err := ReadScans(&b, "detections.csv", g)
		if err != nil {
			t.Fatal(err)
		}
		if detections == 0 {
			return // dimension and columns are not in the file
		}
		if d := cmp.Diff(scans, got.Scans); d != "" {
			t.Fatal(d)
		}
	})
}

func TestReadScansOrder(t *testing.T) {
	in := "y,x,note,frame,det\n8,7,a,4,1\n6,5,b,4,0\n2,1,c,0,0\n"
	got, err := ReadScans(strings.NewReader(in), "d.csv", &Grid{Interval: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	want := []mtt.Scan{
		{Frame: 0, Dim: 2, Pos: []float64{1, 2}},
		{Frame: 4, Time: 0.5, Dim: 2, Pos: []float64{5, 6, 7, 8}},
	}
	if d := cmp.Diff(want, got.Scans); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"columns ignored: note", "rows sorted by frame and detection"}, got.Notes); d != "" {
		t.Error(d)
	}
}

func drawTracks(t *rapid.T) []mtt.Track {
	dim := rapid.IntRange(2, 3).Draw(t, "dim")
	vel, size := rapid.Bool().Draw(t, "vel"), rapid.Bool().Draw(t, "size")
	num := rapid.Float64Range(-1e300, 1e300)
	tracks := make([]mtt.Track, rapid.IntRange(0, 6).Draw(t, "tracks"))
	for i := range tracks {
		tr := &tracks[i]
		*tr = mtt.Track{ID: i + 1, Dim: dim}
		f := rapid.IntRange(-3, 10).Draw(t, "first")
		n := rapid.IntRange(1, 6).Draw(t, "hits")
		for range n {
			tr.Hits = append(tr.Hits, mtt.Hit{Frame: f, Det: rapid.IntRange(-1, 9).Draw(t, "det")})
			f += rapid.IntRange(1, 4).Draw(t, "gap")
		}
		tr.Pos = rapid.SliceOfN(num, n*dim, n*dim).Draw(t, "pos")
		if vel {
			tr.Vel = rapid.SliceOfN(num, n*dim, n*dim).Draw(t, "vel")
		}
		if size {
			tr.Size = rapid.SliceOfN(rapid.Float64Range(0, 1e300), 2*n, 2*n).Draw(t, "size")
		}
	}
	return tracks
}

func TestTracksRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tracks := drawTracks(t)
		var b bytes.Buffer
		if err := WriteTruth(&b, tracks); err != nil {
			t.Fatal(err)
		}
		got, err := ReadTracks(&b, "truth.csv")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tracks, got.Tracks, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
		b.Reset()
		if err := WriteTracks(&b, tracks); err != nil {
			t.Fatal(err)
		}
		for i := range tracks {
			tracks[i].Vel = nil
		}
		if got, err = ReadTracks(&b, "tracks.csv"); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tracks, got.Tracks, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}

func TestWriteTracksOrder(t *testing.T) {
	tracks := []mtt.Track{
		{ID: 1, Dim: 2, Hits: []mtt.Hit{{Frame: 2, Det: 0}, {Frame: 6, Det: 1}}, Pos: []float64{1, 2, 3, 4}},
		{ID: 2, Dim: 2, Hits: []mtt.Hit{{Frame: 0, Det: 3}, {Frame: 2, Det: -1}, {Frame: 4, Det: 0}}, Pos: []float64{5, 6, 7, 8, 9, 10}},
	}
	var b bytes.Buffer
	if err := WriteTracks(&b, tracks); err != nil {
		t.Fatal(err)
	}
	want := "frame,track,det,x,y\n0,2,3,5,6\n2,1,0,1,2\n2,2,-1,7,8\n4,2,0,9,10\n6,1,1,3,4\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

func TestReadScansTime(t *testing.T) {
	// Frames 1 and 4 have no detections; 4 and 5 are known from the grid alone.
	in := "frame,x,y,time\n0,1,1,10\n2,1,1,11\n2,2,2,11\n3,1,1,11.75\n"
	got, err := ReadScans(strings.NewReader(in), "d.csv", &Grid{First: 0, Count: 6})
	if err != nil {
		t.Fatal(err)
	}
	var times []float64
	for _, s := range got.Scans {
		times = append(times, s.Time)
	}
	step := 1.75 / 3
	if d := cmp.Diff([]float64{10, 10.5, 11, 11.75, 11.75 + step, 11.75 + 2*step}, times); d != "" {
		t.Error(d)
	}
	if got.Explicit || got.Grid.Interval != step || got.Grid.Step != 1 || got.Grid.Count != 6 {
		t.Errorf("%+v", got.Grid)
	}
}

func TestReadScansEmpty(t *testing.T) {
	got, err := ReadScans(strings.NewReader("frame,det,x,y,z\n"), "d.csv", &Grid{First: 5, Step: 2, Count: 3, Interval: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Scans) != 3 || got.Scans[2].Frame != 9 || got.Scans[2].Time != 0.2 || got.Scans[2].Dim != 3 || got.Scans[2].Len() != 0 {
		t.Errorf("%+v", got.Scans)
	}
	if d := cmp.Diff([]string{"no detections"}, got.Notes); d != "" {
		t.Error(d)
	}
}

func TestRunFolderErrors(t *testing.T) {
	scans := func(s string) error { _, err := ReadScans(strings.NewReader(s), "f.csv", nil); return err }
	tracks := func(s string) error { _, err := ReadTracks(strings.NewReader(s), "f.csv"); return err }
	grid := func(s string) error {
		_, err := ReadScans(strings.NewReader(s), "f.csv", &Grid{First: 2, Step: 2, Count: 3})
		return err
	}
	tests := []struct {
		name string
		read func(string) error
		text string
		want string
	}{
		{"empty", scans, "", "f.csv: the file is empty; it should begin with a line such as frame,det,x,y"},
		{"no header", scans, "1,0,2,3\n", "f.csv:1:1: there is no column frame; the header line is missing; files of other formats go through mtt import"},
		{"semicolons", scans, "frame;det;x;y\n", "f.csv:1:1: there is no column frame; separate the columns by commas, or take the file through mtt import"},
		{"no y", scans, "frame,det,x\n", "f.csv:1:1: there is no column y; the first line names the columns: frame,x,y, …"},
		{"no id", tracks, "frame,x,y\n", "f.csv:1:1: there is no column id; the first line names the columns: frame,id,x,y, …"},
		{"column twice", scans, "frame,x,y,X\n", "f.csv:1:11: a second column X; each column is named once"},
		{"id and track", tracks, "frame,id,track,x,y\n", "f.csv:1:10: a second column track; each column is named once"},
		{"vx alone", scans, "frame,x,y,vx\n", "f.csv:1:1: there is a column vx and no column vy; they go together: vx, vy"},
		{"vz missing", scans, "frame,x,y,z,vx,vy\n", "f.csv:1:1: positions and velocities differ in dimension; z and vz go together"},
		{"UTF-16", scans, "\xff\xfef\x00r\x00a\x00", `f.csv:1:4: the file is not plain text; if it is text in UTF-16 (Excel's "Unicode text"), save it as UTF-8`},
		{"gzip", scans, "\x1f\x8b\x08", "f.csv:1:1: the file is compressed; it was compressed twice, or read without Open, as a stream is: unpack it by gzip -dc or zstd -dc"},
		{"long line", scans, "frame,x,y\n" + strings.Repeat("1", 70000), "f.csv:2:1: the line is longer than 65,536 bytes; the file is not a table, or its lines do not end in line feeds"},
		{"word", scans, "frame,det,x,y\n1,0,1,1\n\n1,1, one ,1\n", `f.csv:4:6: x is "one", not a number`},
		{"semicolon rows", scans, "frame,x,y\n1;1;1\n", `f.csv:2:1: frame is "1;1;1", not a number; separate all fields the same way: here by semicolons, in the first line not`},
		{"cut short", scans, "frame,det,x,y\n1,0,1,1\n1,1", "f.csv:3:4: 2 fields, not 4; was the file cut short?"},
		{"NaN", tracks, "frame,id,x,y\n1,0,nan,1\n", `f.csv:2:5: x is "nan", not a finite number; leave out rows without a detection`},
		{"detection twice", scans, "frame,det,x,y\n1,0,1,1\n1,1,1,1\n1,1,2,2\n", "f.csv:4:1: frame 1 has detection 1 twice, first in line 3; det counts from 0 in its frame"},
		{"detection missing", scans, "frame,det,x,y\n1,0,1,1\n1,2,1,1\n", "f.csv:3:1: frame 1 has detection 2 but no detection 1; det counts from 0 in its frame, without holes; without a det column, rows are numbered as they come"},
		{"negative size", scans, "frame,x,y,w,h\n1,1,1,5,-2\n", "f.csv:2:7: a box 5 wide and -2 high; the columns may be in another order"},
		{"id twice", tracks, "frame,track,x,y\n1,4,1,1\n2,4,1,1\n1,4,2,2\n", "f.csv:4:1: 4 is twice in frame 1, first in line 2; a track is at one place in a frame"},
		{"det -2", tracks, "frame,track,det,x,y\n1,4,-2,1,1\n", "f.csv:2:1: det is -2; detections count from 0, and -1 says that the target was missed"},
		{"large id", tracks, "frame,track,det,x,y\n1,99999999999999999999,0,1,1\n", `f.csv:2:3: track is "99999999999999999999", beyond 2^53`},
		{"times as frames", scans, "frame,x,y\n0,1,1\n1,1,1\n1700000000,1,1\n", "f.csv:4:1: frame 1700000000 follows frame 1, with 1699999998 frames between them; does the frame column hold times? Frames are whole numbers that count scans"},
		{"times fall", scans, "frame,time,x,y\n0,5,1,1\n1,4,1,1\n", "f.csv:3:1: frame 0 is at 5 s, frame 1 at 4 s; time grows with the frame"},
		{"two times", scans, "frame,time,x,y\n0,5,1,1\n0,6,1,1\n", "f.csv:3:1: frame 0 is at 5 s and at 6 s; all rows of a frame share one time"},
		{"off the grid", grid, "frame,x,y\n2,1,1\n3,1,1\n", "f.csv:3:1: frame 3 is not one of the frames 2, 4, …, 6; the file belongs to another run"},
		{"beyond the grid", grid, "frame,x,y\n2,1,1\n8,1,1\n", "f.csv:3:1: frame 8 is not one of the frames 2, 4, …, 6; the file belongs to another run"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.read(tt.text)
			if _, ok := errors.AsType[*SyntaxError](err); !ok {
				t.Fatalf("error %v (%T), want a *SyntaxError", err, err)
			}
			if err.Error() != tt.want {
				t.Errorf("error\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}

func TestReadForgives(t *testing.T) {
	// A byte order mark, CR LF, blank lines, quotes, blanks around fields, upper
	// case, and no line feed at the end.
	in := "\xef\xbb\xbf\"Frame\", X ,Y\r\n\r\n1, 2.50 ,+3\r\n\"1\",4e0,-.5"
	got, err := ReadScans(strings.NewReader(in), "d.csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]mtt.Scan{{Frame: 1, Dim: 2, Pos: []float64{2.5, 3, 4, -0.5}}}, got.Scans); d != "" {
		t.Error(d)
	}
}

func TestWriteNotFinite(t *testing.T) {
	scans := []mtt.Scan{{Frame: 3, Dim: 2, Pos: []float64{1, 2, 3, math.Inf(1)}}}
	var b bytes.Buffer
	err := WriteScans(&b, scans)
	if !errors.Is(err, ErrNotFinite) || err.Error() != "dataset: frame 3, detection 1: a number is not finite" {
		t.Error(err)
	}
	tracks := []mtt.Track{{ID: 7, Dim: 2, Hits: []mtt.Hit{{Frame: 3}}, Pos: []float64{math.NaN(), 2}}}
	err = WriteTruth(&b, tracks)
	if !errors.Is(err, ErrNotFinite) || err.Error() != "dataset: id 7, frame 3: a number is not finite" {
		t.Error(err)
	}
}

func TestWriteMisuse(t *testing.T) {
	track := mtt.Track{ID: 1, Dim: 2, Hits: []mtt.Hit{{Frame: 1}, {Frame: 2}}, Pos: []float64{1, 2, 3, 4}}
	tests := []struct {
		name, want string
		do         func()
	}{
		{"dimension", badDim, func() { NewScanWriter(io.Discard, Columns{Dim: 4}) }},
		{"dimension of a scan", badColumns, func() {
			NewScanWriter(io.Discard, Columns{Dim: 2}).Write(&mtt.Scan{Dim: 3, Pos: []float64{1, 2, 3}})
		}},
		{"no velocities", badColumns, func() {
			NewScanWriter(io.Discard, Columns{Dim: 2, Vel: true}).Write(&mtt.Scan{Dim: 2, Pos: []float64{1, 2}})
		}},
		{"short velocities", badShape, func() {
			NewScanWriter(io.Discard, Columns{Dim: 2, Vel: true}).Write(&mtt.Scan{Dim: 2, Pos: []float64{1, 2}, Vel: []float64{1}})
		}},
		{"short track", badShape, func() { tr := track; tr.Pos = tr.Pos[:3]; WriteTracks(io.Discard, []mtt.Track{tr}) }},
		{"frame twice", badOrder, func() {
			tr := track
			tr.Hits = []mtt.Hit{{Frame: 1}, {Frame: 1}}
			WriteTracks(io.Discard, []mtt.Track{tr})
		}},
		{"frames fall", badOrder, func() {
			tr := track
			tr.Hits = []mtt.Hit{{Frame: 2}, {Frame: 1}}
			WriteTracks(io.Discard, []mtt.Track{tr})
		}},
		{"grid", badGrid, func() { ReadScans(strings.NewReader("frame,x,y\n"), "", &Grid{Step: -1}) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != tt.want {
					t.Errorf("recovered %v, want %q", r, tt.want)
				}
			}()
			tt.do()
		})
	}
}

// failing fails at the n-th write.
type failing struct{ n int }

var errFull = errors.New("disk full")

func (f *failing) Write(b []byte) (int, error) {
	if f.n--; f.n <= 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteFails(t *testing.T) {
	scans, tracks := benchScans(10, 500)
	for n := 1; n <= 3; n++ {
		if err := WriteScans(&failing{n}, scans); err != errFull {
			t.Errorf("scans, write %d: %v", n, err)
		}
		if err := WriteTracks(&failing{n}, tracks); err != errFull {
			t.Errorf("tracks, write %d: %v", n, err)
		}
	}
}

func TestScanWriterAllocates(t *testing.T) {
	scans, _ := benchScans(1, 2000)
	sw := NewScanWriter(io.Discard, ColumnsOf(scans))
	if n := testing.AllocsPerRun(10, func() { sw.Write(&scans[0]) }); n != 0 {
		t.Errorf("%v allocations in a scan", n)
	}
}
