package dataset

import (
	"bytes"
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
